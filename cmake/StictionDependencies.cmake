# What libstiction itself is linked with; docs/dependencies.md says why. The build uses this file, and so does the
# installed package, where only users of the static library need it.
#
#     STICTION_DEPENDENCIES            targets and libraries to link with
#     STICTION_DEPENDENCIES_MISSING    what was not found, in words; empty when all is there
set(STICTION_DEPENDENCIES)
set(STICTION_DEPENDENCIES_MISSING)

find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  list(APPEND STICTION_DEPENDENCIES_MISSING pkg-config)
endif()
foreach(module openblas hdf5 zlib libpng expat gmp)
  set(target PkgConfig::STICTION_${module})
  if(PKG_CONFIG_FOUND AND NOT TARGET ${target})
    if(module STREQUAL hdf5) # where MPI's HDF5 is installed too, plain "hdf5" may mean that one
      pkg_search_module(STICTION_hdf5 QUIET IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
    else()
      pkg_check_modules(STICTION_${module} QUIET IMPORTED_TARGET GLOBAL ${module})
    endif()
  endif()
  if(TARGET ${target})
    list(APPEND STICTION_DEPENDENCIES ${target})
  else()
    list(APPEND STICTION_DEPENDENCIES_MISSING ${module})
  endif()
endforeach()

set(STICTION_HDF5_MODULE hdf5) # by name, for stiction.pc
if(STICTION_hdf5_MODULE_NAME)
  set(STICTION_HDF5_MODULE ${STICTION_hdf5_MODULE_NAME})
endif()

# SuiteSparse's LDL and AMD; Debian ships no pkg-config file for them.
find_library(STICTION_LDL_LIBRARY ldl)
find_library(STICTION_AMD_LIBRARY amd)
find_path(STICTION_SUITESPARSE_INCLUDE_DIR ldl.h PATH_SUFFIXES suitesparse)
mark_as_advanced(STICTION_LDL_LIBRARY STICTION_AMD_LIBRARY STICTION_SUITESPARSE_INCLUDE_DIR)
if(STICTION_LDL_LIBRARY AND STICTION_AMD_LIBRARY AND STICTION_SUITESPARSE_INCLUDE_DIR)
  if(NOT TARGET StictionSuiteSparse::ldl)
    add_library(StictionSuiteSparse::ldl INTERFACE IMPORTED GLOBAL)
    target_include_directories(StictionSuiteSparse::ldl SYSTEM INTERFACE ${STICTION_SUITESPARSE_INCLUDE_DIR})
    target_link_libraries(StictionSuiteSparse::ldl INTERFACE ${STICTION_LDL_LIBRARY} ${STICTION_AMD_LIBRARY})
  endif()
  list(APPEND STICTION_DEPENDENCIES StictionSuiteSparse::ldl)
else()
  list(APPEND STICTION_DEPENDENCIES_MISSING "SuiteSparse (ldl, amd)")
endif()
list(APPEND STICTION_DEPENDENCIES m)
string(REPLACE ";" ", " STICTION_DEPENDENCIES_MISSING "${STICTION_DEPENDENCIES_MISSING}")
