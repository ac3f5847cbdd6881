# Flags of our own builds. Nothing here reaches the users of an installed library.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # __int128, clock_gettime
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

# The same bits everywhere: no contraction of a*b+c into one rounding, no -ffast-math, no -march=native.
add_compile_options(-ffp-contract=off)

add_compile_options(-Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes)
if(STICTION_WERROR)
  add_compile_options(-Werror)
endif()

# Sanitized builds keep asserts (no NDEBUG) and stop at the first finding.
set(sanitizers)
if(STICTION_SANITIZE OR STICTION_FUZZ)
  set(sanitizers address,undefined)
  add_compile_options(-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()
if(STICTION_THREADS)
  set(sanitizers thread)
  add_compile_options(-O1 -g -fno-omit-frame-pointer)
endif()
if(STICTION_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "STICTION_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  string(APPEND sanitizers ",fuzzer-no-link")
endif()
# A program that the tree with fuzz targets does not run: only compiled there, for clang's warnings.
function(stiction_program target source)
  if(STICTION_FUZZ)
    add_library(${target} OBJECT ${source})
    target_compile_options(${target} PRIVATE -O0 -g0 -fno-sanitize=all)
  else()
    add_executable(${target} ${source})
  endif()
endfunction()

if(sanitizers)
  add_compile_options(-fsanitize=${sanitizers})
  add_link_options(-fsanitize=${sanitizers})
endif()
