# fuzz/*.c: libFuzzer targets. Seeds of fuzz_<name>.c lie in fuzz/corpus/<name>/.
# The suite runs each one briefly with a fixed seed; `make fuzz SECONDS=600` runs them in earnest.
# Readers must not wrap around anywhere, not even where C allows it.
file(GLOB reader_sources CONFIGURE_DEPENDS src/formats/*.c src/documents/*.c src/recordings/*.c src/robots/*.c)
set_source_files_properties(${reader_sources} PROPERTIES COMPILE_OPTIONS -fsanitize=unsigned-integer-overflow)
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*.c)
add_custom_target(fuzz_programs)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name ${name})
  set(target fuzz_${name})
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  target_include_directories(${target} PRIVATE src)
  target_link_libraries(${target} PRIVATE stiction_static ${STICTION_DEPENDENCIES})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  target_compile_definitions(${target} PRIVATE STI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_dependencies(fuzz_programs ${target})
  suite_test(fuzz.${name} bash ${PROJECT_SOURCE_DIR}/tools/fuzz $<TARGET_FILE:${target}> smoke)
endforeach()

# The command in the process of its target: its main() has another name, and its alarm is left out.
target_sources(fuzz_command PRIVATE cli/main.c)
target_link_libraries(fuzz_command PRIVATE stiction_command_objects)
target_include_directories(fuzz_command PRIVATE cli)
target_compile_definitions(fuzz_command PRIVATE main=stiction_main)
target_compile_options(fuzz_command PRIVATE -Wno-missing-prototypes) # of stiction_main
