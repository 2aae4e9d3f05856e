# Compiler settings for everything, and the functions that declare Saker's parts.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(SAKER_CCACHE ccache)
if(SAKER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SAKER_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${SAKER_CCACHE}")
endif()

option(SAKER_WERROR "Treat warnings as errors" ON)
set(SAKER_SANITIZE "" CACHE STRING "Sanitizers for the whole build, e.g. address,undefined or thread")

# The directory that holds this checkout does not belong into a binary (assert messages, debug information).
add_compile_options(-Wall -Wextra "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict) # sees overlaps in std::string at -O3 where there are none (GCC bug 105651)
endif()
if(SAKER_WERROR)
  add_compile_options(-Werror)
endif()
if(SAKER_SANITIZE)
  add_compile_options(-fsanitize=${SAKER_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${SAKER_SANITIZE})
  if(SAKER_SANITIZE MATCHES undefined)
    # vptr asks the kernel for a pipe to see whether an address can be read, and takes a refusal for a wrong object:
    # it reports errors where there are none in the tests that run out of descriptors.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
endif()
if(SAKER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The sources of one folder without the bodies for other systems: *_win, *_posix, *_linux and their folders' kin.
function(saker_sources out folder)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$") # belongs to a program, not to a library
  if(WIN32)
    list(FILTER sources EXCLUDE REGEX "_(posix|linux|epoll|io_uring)\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "_(win|iocp)\\.cpp$")
  endif()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# saker_library(<name> [FOLDERS sub…] [DEPENDS lib…] [PACKAGES target…] [PRIVATE_PACKAGES target…])
#   <name> is a folder under engine/, e.g. base or control/protocol; its target is saker_<name with _ for />.
#   FOLDERS     sub-folders whose sources belong to the library too.
#   DEPENDS     Saker's own libraries that its files may include (tests/layering holds them to it).
#   PACKAGES    targets of other projects.
function(saker_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;DEPENDS;PACKAGES;PRIVATE_PACKAGES" ${ARGN})
  string(REPLACE "/" "_" id "${name}")
  set(target saker_${id})
  saker_sources(sources "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
  foreach(folder IN LISTS ARG_FOLDERS)
    saker_sources(more "${CMAKE_CURRENT_SOURCE_DIR}/${name}/${folder}")
    list(APPEND sources ${more})
  endforeach()
  set(scope PUBLIC)
  if(sources)
    add_library(${target} STATIC ${sources})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/engine" "${PROJECT_BINARY_DIR}/generated")
  foreach(dependency IN LISTS ARG_DEPENDS)
    string(REPLACE "/" "_" dependency_id "${dependency}")
    target_link_libraries(${target} ${scope} saker_${dependency_id})
  endforeach()
  target_link_libraries(${target} ${scope} ${ARG_PACKAGES})
  if(sources AND ARG_PRIVATE_PACKAGES)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_PACKAGES})
  endif()
  # Read by tests/layering: one line a library, "name: dependency dependency".
  list(JOIN ARG_DEPENDS " " depends)
  set_property(GLOBAL APPEND PROPERTY SAKER_LAYERS "${name}: ${depends}")
endfunction()
