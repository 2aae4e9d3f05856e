# saker_embed(<target> HEADER <path> NAMESPACE <namespace> SYMBOL <name> ROOT <folder> [FILES <file>…] [ALSO <path>…])
#   Turns text files into a generated header for <target>: `inline constexpr routing::EmbeddedFile <name>[]`, one row a
#   file with its path relative to ROOT (FILES too are relative to it; all files below ROOT when there are none).
#   ALSO adds files from elsewhere in the project under their bare names.
#   The header is made anew when a file changes. CMake itself does the work, so that a plain build needs no other tool.
#   Files must be text without NUL and without the five bytes `)skr"`.

set(SAKER_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(saker_embed target)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;SYMBOL;ROOT" "FILES;ALSO" ${ARGN})
  set(root "${PROJECT_SOURCE_DIR}/${ARG_ROOT}")
  if(NOT ARG_FILES)
    file(GLOB_RECURSE ARG_FILES RELATIVE "${root}" CONFIGURE_DEPENDS "${root}/*")
    list(SORT ARG_FILES)
  endif()
  list(TRANSFORM ARG_FILES PREPEND "${root}/" OUTPUT_VARIABLE sources)
  foreach(path IN LISTS ARG_ALSO)
    list(APPEND sources "${PROJECT_SOURCE_DIR}/${path}")
  endforeach()
  set(header "${PROJECT_BINARY_DIR}/generated/${ARG_HEADER}")
  list(JOIN sources "|" files)
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" -D "header=${header}" -D "namespace=${ARG_NAMESPACE}" -D "symbol=${ARG_SYMBOL}"
            -D "root=${root}" -D "files=${files}" -P "${SAKER_EMBED_SCRIPT}"
    DEPENDS ${sources} "${SAKER_EMBED_SCRIPT}" COMMENT "Embedding ${ARG_ROOT}" VERBATIM)
  target_sources(${target} PRIVATE "${header}")
endfunction()

# The other half runs at build time, as a script.
if(CMAKE_SCRIPT_MODE_FILE AND symbol)
  string(REPLACE "|" ";" files "${files}")
  set(rows "")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    cmake_path(IS_PREFIX root "${file}" below)
    if(below)
      file(RELATIVE_PATH name "${root}" "${file}")
    else()
      get_filename_component(name "${file}" NAME)
    endif()
    if(text MATCHES "\\)skr\"")
      message(FATAL_ERROR "${file}: holds the text )skr\", which ends an embedded file. Change one of the two.")
    endif()
    string(APPEND rows "    {\"${name}\", R\"skr(${text})skr\"},\n")
  endforeach()
  file(WRITE "${header}" "// Made by resources/cmake/SakerEmbed.cmake from the files named in it.\n#pragma once\n\n"
       "#include \"routing/embedded_file.h\"\n\nnamespace ${namespace} {\n\n"
       "inline constexpr saker::routing::EmbeddedFile ${symbol}[] = {\n" "${rows}" "};\n\n} // namespace ${namespace}\n")
endif()
