// lanes_avx512.c: the loops of lanes.h eight contacts at a time, for processors with AVX-512; built with that
// instruction set, called where it is there.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512CD__)
#define LANES 8
#define STI_LANES(name) name##_avx512
#include "granular/lanes.h"
#else
typedef int sti_lanes_avx512_not_built;  // another processor, or a compiler without the option
#endif
