# What `make attack` runs (tools/attack).
#
# attack/server.c: the command as a fork server. Built with the tests of the tree with sanitizers.
if(STICTION_SANITIZE AND STICTION_TESTS)
  set(on_request)
else()
  set(on_request EXCLUDE_FROM_ALL)
endif()
add_executable(attack_server ${on_request} attack/server.c cli/main.c cli/limit.c)
target_include_directories(attack_server PRIVATE cli)
target_compile_definitions(attack_server PRIVATE main=stiction_main)
target_compile_options(attack_server PRIVATE -Wno-missing-prototypes)
target_link_libraries(attack_server PRIVATE stiction_command_objects stiction_static ${STICTION_DEPENDENCIES} m ${CMAKE_DL_LIBS})
set_target_properties(attack_server PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/attack)

# bench/study_<name>.c and tests/<room>/study_<name>.c: random studies, see CONTRIBUTING.md. They are built into
# studies/, with the tests or by the target study_programs.
add_custom_target(study_programs)
file(GLOB study_sources CONFIGURE_DEPENDS bench/study_*.c tests/*/study_*.c)
set(study_names)
foreach(source ${study_sources})
  get_filename_component(name ${source} NAME_WE)
  list(APPEND study_names ${name})
  if(STICTION_TESTS)
    stiction_program(${name} ${source})
  else()
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/studies)
  target_include_directories(${name} PRIVATE src tests bench)
  target_link_libraries(${name} PRIVATE stiction_static ${STICTION_DEPENDENCIES} m)
  target_compile_definitions(${name} PRIVATE STI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             STI_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  add_dependencies(study_programs ${name})
endforeach()
