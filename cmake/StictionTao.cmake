# libstiction_tao: steps of beds by PETSc/TAO, over MPI ranks too. A library of its own: neither libstiction nor the
# command is linked with PETSc; the command loads it when a solver tao:... is asked for. docs/granular.md,
# docs/dependencies.md.
#
#     STICTION_TAO    AUTO: where PETSc is found;  ON: it must be found;  OFF
set(STICTION_TAO AUTO CACHE STRING "build libstiction_tao, which needs PETSc and MPI: AUTO, ON or OFF")
set_property(CACHE STICTION_TAO PROPERTY STRINGS AUTO ON OFF)
set(tao OFF)
# MPI keeps memory until the process ends, which sanitizers take for leaks, so their trees do without.
if(STICTION_TAO AND NOT STICTION_SANITIZE AND NOT STICTION_FUZZ)
  pkg_check_modules(STICTION_PETSC QUIET IMPORTED_TARGET PETSc>=3.17)
  pkg_check_modules(STICTION_MPI QUIET IMPORTED_TARGET mpi-c)
  if(TARGET PkgConfig::STICTION_PETSC AND TARGET PkgConfig::STICTION_MPI)
    set(tao ON)
  elseif(NOT STICTION_TAO STREQUAL AUTO)
    message(FATAL_ERROR "STICTION_TAO: PETSc (PETSc.pc, 3.17 or later) or MPI (mpi-c.pc) was not found.\n"
                        "On Debian: apt-get install libpetsc-real-dev")
  endif()
endif()

if(tao)
  add_library(stiction_tao SHARED tao/tao.c tao/tao_team.c)
  target_include_directories(stiction_tao PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tao>)
  target_link_libraries(stiction_tao PRIVATE PkgConfig::STICTION_PETSC PkgConfig::STICTION_MPI m)
  target_include_directories(stiction_tao PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  set_target_properties(stiction_tao PROPERTIES C_VISIBILITY_PRESET hidden VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
  target_compile_definitions(stiction_command_objects PRIVATE
    STI_TAO_LIBRARY="libstiction_tao.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  target_link_libraries(stiction_command PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(stiction_command stiction_tao)
  install(TARGETS stiction_tao OPTIONAL)
  install(FILES tao/stiction_tao.h TYPE INCLUDE)

  add_executable(tao_ranks tao/tao_ranks.c)
  target_link_libraries(tao_ranks PRIVATE stiction_tao stiction PkgConfig::STICTION_MPI)
  set_target_properties(tao_ranks PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tao)
endif()

# Its tests, after those of the suite.
function(stiction_tao_tests)
  if(NOT TARGET stiction_tao)
    return()
  endif()
  add_executable(test_tao tao/test_tao.c)
  set_target_properties(test_tao PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tao)
  target_include_directories(test_tao PRIVATE tests)
  target_link_libraries(test_tao PRIVATE stiction_tao stiction PkgConfig::CMOCKA PkgConfig::CJSON m)
  target_compile_definitions(test_tao PRIVATE STI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                              STI_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  suite_test(tao.tao $<TARGET_FILE:test_tao>)
  suite_test(tao.ranks bash ${PROJECT_SOURCE_DIR}/tao/test_ranks.sh $<TARGET_FILE:test_tao> $<TARGET_FILE:tao_ranks> $<TARGET_FILE:stiction_command>)
endfunction()
