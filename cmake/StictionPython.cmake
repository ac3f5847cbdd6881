# The Python package, where Debian's Python has cffi and headers: python/stiction in the build tree, ready to import and
# to be packed as a wheel (`make python`). STICTION_PYTHON_PROGRAM names another interpreter.
set(STICTION_PYTHON_PROGRAM /usr/bin/python3 CACHE FILEPATH "the Python that the package is built with")
set(STICTION_PYTHON_FOUND OFF)
if(NOT STICTION_FUZZ AND EXISTS ${STICTION_PYTHON_PROGRAM})
  execute_process(COMMAND ${STICTION_PYTHON_PROGRAM} -c
                          "import cffi, numpy, sysconfig; print(sysconfig.get_paths()['include'])"
                  OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND EXISTS ${python_include}/Python.h)
    set(STICTION_PYTHON_FOUND ON)
  endif()
endif()

if(STICTION_PYTHON_FOUND)
  set(python_source ${PROJECT_SOURCE_DIR}/python)
  set(python_stage ${PROJECT_BINARY_DIR}/python)
  file(GLOB public_headers CONFIGURE_DEPENDS include/stiction/*.h)
  file(GLOB python_files CONFIGURE_DEPENDS python/stiction/*.py python/stiction/*.pyi python/stiction/py.typed)
  file(GLOB scene_files CONFIGURE_DEPENDS scenes/*)
  file(MAKE_DIRECTORY ${python_stage}/stiction/scenes)

  # from the headers: the extension's source, the sizes of arrays, types for mypy
  add_custom_command(
    OUTPUT ${python_stage}/_stiction.c ${python_stage}/stiction/_shapes.py ${python_stage}/stiction/_structs.pyi
    COMMAND ${STICTION_PYTHON_PROGRAM} ${python_source}/build_ffi.py ${PROJECT_SOURCE_DIR}/include ${python_stage}/_stiction.c
            ${python_stage}/stiction/_shapes.py ${python_stage}/stiction/_structs.pyi ${CMAKE_C_COMPILER}
    DEPENDS ${public_headers} ${python_source}/build_ffi.py VERBATIM)
  add_library(stiction_python MODULE ${python_stage}/_stiction.c)
  target_include_directories(stiction_python SYSTEM PRIVATE ${python_include})
  target_link_libraries(stiction_python PRIVATE stiction_static ${STICTION_DEPENDENCIES})
  target_link_options(stiction_python PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed)
  target_compile_options(stiction_python PRIVATE -w) # generated
  set_target_properties(stiction_python PROPERTIES PREFIX "" OUTPUT_NAME _stiction SUFFIX .abi3.so C_CLANG_TIDY ""
                                                   C_VISIBILITY_PRESET hidden
                                                   LIBRARY_OUTPUT_DIRECTORY ${python_stage}/stiction)
  add_custom_command(
    OUTPUT ${python_stage}/staged
    COMMAND ${CMAKE_COMMAND} -E copy ${python_files} ${python_stage}/stiction
    COMMAND ${CMAKE_COMMAND} -E copy ${scene_files} ${python_stage}/stiction/scenes
    COMMAND ${CMAKE_COMMAND} -E copy ${python_source}/setup.py ${python_source}/pyproject.toml ${PROJECT_SOURCE_DIR}/LICENSE
            ${PROJECT_SOURCE_DIR}/NOTICE ${python_stage}
    COMMAND ${CMAKE_COMMAND} -E echo ${PROJECT_VERSION} > ${python_stage}/VERSION
    COMMAND ${CMAKE_COMMAND} -E touch ${python_stage}/staged
    DEPENDS ${python_files} ${scene_files} ${python_source}/setup.py ${python_source}/pyproject.toml VERBATIM)
  # the command comes along, needs no library beside it, and makes the pages of runs
  add_executable(stiction_python_command $<TARGET_OBJECTS:stiction_command>)
  target_link_libraries(stiction_python_command PRIVATE stiction_command_objects stiction_static ${STICTION_DEPENDENCIES} m)
  target_link_options(stiction_python_command PRIVATE LINKER:--as-needed $<$<CONFIG:Release>:-s>)
  set_target_properties(stiction_python_command PROPERTIES OUTPUT_NAME stiction RUNTIME_OUTPUT_DIRECTORY ${python_stage}/stiction/bin)
  add_custom_target(stiction_python_files ALL DEPENDS ${python_stage}/staged)
  add_dependencies(stiction_python_files stiction_python stiction_python_command)
  if(NOT STICTION_TESTS) # users of the C library need not wait for it
    set_target_properties(stiction_python stiction_python_command stiction_python_files PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
