// dissection.h: a fill-reducing order by nested dissection (George 1973), for graphs with small separators such as
// grids.
#ifndef STI_LINALG_DISSECTION_H
#define STI_LINALG_DISSECTION_H

#include "base/env.h"

// Pattern by columns, both triangles, symmetric; diagonal entries are ignored. order (n): order[k] is the k-th pivot.
// The same pattern gives the same order.
sti_status sti_dissection_order(sti_env* env, int n, const int* col_start, const int* row, int* order);

#endif
