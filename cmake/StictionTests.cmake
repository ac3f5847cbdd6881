# The suite, as CTest sees it. Names say where a test lives:
#
#     <room>.<file>     tests/<room>/test_<file>.c: cmocka programs that see the inside of the library
#     cli.<name>        tests/cli/<name>.sh: the command, run as a person would
#     example.<name>    examples/<name>.c: each asserts its own result
#     fuzz.<name>       fuzz/<name>.c: a short run of each fuzz target over its corpus (clang tree)
#     study.<name>      studies/study_<name>: a few cases of each random study (CONTRIBUTING.md)
#     house.<name>      headers alone, symbols, consumers of an installed tree, the demo, the page of answers
#     lint.<name>       layout, who includes whom, raw sizes, who calls LAPACK, clang-tidy
#     threads.<...>     tests/par and what else runs in threads, in the tree of the thread sanitizer
#     asan.<...>        the first three again, in the tree built with sanitizers; asan.attack: tools/attack, briefly
#
# The clang tree runs its fuzz targets alone; all other programs are only compiled there, for the warnings of a second
# compiler, and neither instrumented nor linked.
#
# `make test` builds four trees (release by gcc, sanitized by gcc, a part with the thread sanitizer, instrumented by
# clang) and runs the tests of all of them by one ctest in the first, which is told of the others by
# STICTION_SUITE_TREES.
set(STICTION_SUITE_TREES "" CACHE STRING "other build trees whose tests this one runs too (absolute paths)")

set(prefix "")
if(STICTION_SANITIZE)
  set(prefix "asan.")
endif()
if(STICTION_THREADS)
  set(prefix "threads.")
endif()

# Old sanitizer runtimes cannot place their shadow memory when the kernel randomizes addresses by more than 28 bits.
set(launcher)
# A limit is there to end what hangs; a busy machine takes ten times as long as a quiet one.
set(limit_s 1200)
if(STICTION_SANITIZE OR STICTION_FUZZ OR STICTION_THREADS)
  set(random_bits 0)
  if(EXISTS /proc/sys/vm/mmap_rnd_bits)
    file(STRINGS /proc/sys/vm/mmap_rnd_bits random_bits LIMIT_COUNT 1)
  endif()
  if(random_bits GREATER 28)
    execute_process(COMMAND setarch -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(launcher setarch -R)
    endif()
  endif()
endif()

# Built for another machine (tools/arm64): programs of the library run in its emulator, and the rest is left out.
if(CMAKE_CROSSCOMPILING)
  set(launcher ${CMAKE_CROSSCOMPILING_EMULATOR})
  set(limit_s 6000)
endif()

function(suite_test name)
  add_test(NAME ${prefix}${name} COMMAND ${launcher} ${ARGN} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${prefix}${name} PROPERTIES
    TIMEOUT ${limit_s}
    SKIP_RETURN_CODE 77
    # A refused allocation is the library's to survive, so the sanitizer must refuse and not abort.
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1;ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1;STI_SOURCE_DIR=${PROJECT_SOURCE_DIR};STI_SHARED_DIR=${PROJECT_SOURCE_DIR}/../shared")
endfunction()

# The tree of the thread sanitizer has the tests that start threads, and nothing else: those of the rooms that include
# par. Bodies do not, their islands are solved one after the other; par.threads steps them with several workers, and in
# two programs at once.
set(thread_tests test_par_tasks test_par_threads test_contact_gs test_granular_state test_stochastic_team
    test_linalg_lapack)

pkg_check_modules(CMOCKA REQUIRED QUIET IMPORTED_TARGET cmocka)
pkg_check_modules(CJSON REQUIRED QUIET IMPORTED_TARGET libcjson) # reads the reference cases, by other code than ours
file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
set(library_tests)
foreach(source ${test_sources})
  get_filename_component(file ${source} NAME_WE)
  get_filename_component(room ${source} DIRECTORY)
  get_filename_component(room ${room} NAME)
  string(REGEX REPLACE "^test_" "" file ${file})
  set(target test_${room}_${file})
  if(STICTION_THREADS AND NOT target IN_LIST thread_tests)
    continue()
  endif()
  stiction_program(${target} ${source})
  list(APPEND library_tests ${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE src tests)
  target_link_libraries(${target} PRIVATE stiction_static PkgConfig::CMOCKA PkgConfig::CJSON ${STICTION_DEPENDENCIES})
  target_compile_definitions(${target} PRIVATE STI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                               STI_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  if(NOT STICTION_FUZZ)
    suite_test(${room}.${file} $<TARGET_FILE:${target}>)
  endif()
endforeach()

if(STICTION_THREADS)
  add_custom_target(thread_tests DEPENDS ${thread_tests})
  return()
endif()

# Examples use what a user has: public headers and the shared library.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
  get_filename_component(file ${source} NAME_WE)
  stiction_program(example_${file} ${source})
  list(APPEND library_tests example_${file})
  set_target_properties(example_${file} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${file} PRIVATE stiction m)
  if(NOT STICTION_FUZZ)
    suite_test(example.${file} $<TARGET_FILE:example_${file}>)
  endif()
endforeach()

add_custom_target(library_tests DEPENDS ${library_tests})
if(CMAKE_CROSSCOMPILING)
  return()
endif()

file(GLOB command_tests CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(script ${command_tests})
  get_filename_component(file ${script} NAME_WE)
  if(NOT STICTION_FUZZ)
    suite_test(cli.${file} bash ${script} $<TARGET_FILE:stiction_command>)
  endif()
endforeach()

# The files that are attacked, as they are; make attack goes on from there.
if(STICTION_SANITIZE)
  suite_test(attack python3 ${PROJECT_SOURCE_DIR}/tools/attack $<TARGET_FILE:attack_server> --count 500 --jobs 1
             --keep ${PROJECT_BINARY_DIR}/attack/findings)
endif()

foreach(name ${study_names})
  string(REGEX REPLACE "^study_" "" short ${name})
  if(NOT STICTION_FUZZ)
    suite_test(study.${short} $<TARGET_FILE:${name}> 1 20)
  endif()
endforeach()

if(STICTION_FUZZ)
  include(StictionFuzz)
endif()
if(NOT STICTION_SANITIZE AND NOT STICTION_FUZZ)
  include(StictionHouseTests)
endif()

# The Python package: pytest on what was built here; sanitized, the interpreter is given the sanitizer's runtime.
if(STICTION_PYTHON_FOUND)
  set(python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1)
  set(python_chosen)
  if(STICTION_SANITIZE)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan_runtime
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    # the interpreter itself keeps memory at its end, and mypy is not ours to test
    list(APPEND python_environment LD_PRELOAD=${asan_runtime} PYTHONMALLOC=malloc
         ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
    set(python_chosen -k "not types")
  endif()
  suite_test(python.package ${CMAKE_COMMAND} -E env ${python_environment} ${STICTION_PYTHON_PROGRAM} -m pytest -q
             -p no:cacheprovider ${python_chosen} ${PROJECT_SOURCE_DIR}/tests/python)
  if(NOT STICTION_SANITIZE AND NOT STICTION_FUZZ AND NOT STICTION_THREADS)
    suite_test(python.wheel bash ${PROJECT_SOURCE_DIR}/tests/house/wheel.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  endif()
endif()
