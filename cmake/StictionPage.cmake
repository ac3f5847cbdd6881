# The page of `stiction view`: web/ bundled by esbuild becomes bytes in a C file of the build tree, which is part of the
# command. Without node, npm or the packages of web/package-lock.json all else is built, and `stiction view` says that
# it has no page.
find_program(STICTION_NODE NAMES node nodejs)
find_program(STICTION_NPM npm)
mark_as_advanced(STICTION_NODE STICTION_NPM)
set(STICTION_PAGE_FOUND OFF)
set(page_web ${PROJECT_SOURCE_DIR}/web)
set(page_bundle ${PROJECT_BINARY_DIR}/page_bundle.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_web}/package-lock.json)

if(NOT STICTION_NODE OR NOT STICTION_NPM)
  message(WARNING "no node and npm: stiction view is built without its page (Debian: nodejs, npm)")
else()
  set(page_lock ${page_web}/package-lock.json)
  set(page_installed ${page_web}/node_modules/.package-lock.json) # written by npm when all is there
  set(page_failed 0)
  if(NOT EXISTS ${page_installed} OR ${page_lock} IS_NEWER_THAN ${page_installed})
    execute_process(COMMAND ${STICTION_NPM} ci --no-audit --no-fund --silent WORKING_DIRECTORY ${page_web}
                    RESULT_VARIABLE page_failed OUTPUT_QUIET ERROR_VARIABLE page_error)
  endif()
  if(page_failed)
    message(WARNING "npm ci failed in web/: stiction view is built without its page\n${page_error}")
  else()
    set(STICTION_PAGE_FOUND ON)
  endif()
endif()

if(STICTION_PAGE_FOUND)
  file(GLOB page_sources CONFIGURE_DEPENDS ${page_web}/src/*)
  add_custom_command(OUTPUT ${page_bundle}
                     COMMAND ${STICTION_NODE} build.mjs ${page_bundle}
                     DEPENDS ${page_sources} ${page_web}/build.mjs ${page_web}/package-lock.json
                     WORKING_DIRECTORY ${page_web} VERBATIM)
else()
  file(WRITE ${page_bundle} "#include \"view.h\"\n\nconst unsigned char cli_page_script[] = {0}, cli_page_style[] = {0};\n"
                            "const size_t cli_page_script_size = 0, cli_page_style_size = 0;\n")
endif()
