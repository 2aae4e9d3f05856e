# Cross-compiles for 64-bit Windows with Debian's mingw-w64 (package g++-mingw-w64-x86-64-posix).
# SAKER_WINDOWS_PREFIX names the folder with the libraries built for it ({fmt}, Poco, OpenSSL …); it is taken from the
# cache (-DSAKER_WINDOWS_PREFIX=…) or from the environment.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# CMake reads this file again in the small projects with which it tries the compiler: they need the variable too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SAKER_WINDOWS_PREFIX)
if(NOT SAKER_WINDOWS_PREFIX)
  set(SAKER_WINDOWS_PREFIX "$ENV{SAKER_WINDOWS_PREFIX}")
endif()
set(SAKER_WINDOWS_PREFIX "${SAKER_WINDOWS_PREFIX}" CACHE PATH "Libraries built for Windows")
if(NOT IS_DIRECTORY "${SAKER_WINDOWS_PREFIX}")
  message(FATAL_ERROR "SAKER_WINDOWS_PREFIX is '${SAKER_WINDOWS_PREFIX}', which is no folder. "
                      "Name the folder that holds the libraries built for Windows (include, lib, bin).")
endif()

# Headers, libraries and package files come from the prefix only, programs (python, ccache) from this system.
set(CMAKE_FIND_ROOT_PATH "${SAKER_WINDOWS_PREFIX}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# pkg-config would answer for this system otherwise.
set(ENV{PKG_CONFIG_LIBDIR} "${SAKER_WINDOWS_PREFIX}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "")

# Windows 10 and later.
add_compile_definitions(_WIN32_WINNT=0x0A00 WIN32_LEAN_AND_MEAN NOMINMAX)
