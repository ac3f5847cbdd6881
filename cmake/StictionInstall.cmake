# What `make install` lays down: both libraries, headers, the command, stiction.pc, a CMake package, problem files,
# scenes, documents, examples, man pages and completions of shells.
# The tree may be moved as a whole afterwards: every path in it is relative.
include(CMakePackageConfigHelpers)

file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(stiction_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")

install(TARGETS stiction EXPORT stictionTargets)
install(TARGETS stiction_static EXPORT stictionStaticTargets)
install(TARGETS stiction_command)
install(DIRECTORY include/stiction TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(DIRECTORY problems scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction)
install(FILES LICENSE NOTICE README.md CHANGELOG.md TYPE DOC)
install(DIRECTORY docs examples TYPE DOC) # beside README, so that its links lead to them

# What the command says of itself can be written where it runs: not when it is built for another machine.
if(NOT CMAKE_CROSSCOMPILING)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(TARGET stiction_command POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -DCOMMAND=$<TARGET_FILE:stiction_command> -DFOLDER=${manual}
                             -P ${PROJECT_SOURCE_DIR}/cmake/StictionManual.cmake
                     VERBATIM)
  install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual}/completion/stiction DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/completion/_stiction DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/completion/stiction.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# pkg-config. A program that links the shared library needs nothing else; a static one needs the private parts.
# OpenBLAS is named by -l and not by its module, whose own private part wants a Fortran compiler's library that
# linking with the shared OpenBLAS does not need.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_PREFIX}/${pc_dir} ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/stiction.pc.in stiction.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stiction.pc DESTINATION ${pc_dir})

# CMake package: stiction::stiction always, stiction::stiction_static where its dependencies are found.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION ${package_dir})
install(EXPORT stictionStaticTargets NAMESPACE stiction:: DESTINATION ${package_dir})
configure_package_config_file(cmake/stictionConfig.cmake.in stictionConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(stictionConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stictionConfig.cmake ${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake
              cmake/StictionDependencies.cmake
        DESTINATION ${package_dir})
