// lanes_avx2.c: the loops of lanes.h for processors with AVX2; built with that instruction set, called where it is
// there.
#if defined(__AVX2__)
#define LANES 4
#define STI_LANES(name) name##_avx2
#include "granular/lanes.h"
#else
typedef int sti_lanes_avx2_not_built;  // another processor, or a compiler without the option
#endif
