// stochastic_json.h: stochastic programs as they come from JSON: scenarios, or a distribution to draw them from.
#ifndef STI_IO_STOCHASTIC_JSON_H
#define STI_IO_STOCHASTIC_JSON_H

#include <stiction/stochastic.h>

#include "io/json_tree.h"

typedef struct sti_distribution sti_distribution;

// The object "sample". n, p: sizes of the first stage; W0_rows: rows of the common W0, 0: there is none.
sti_status sti_distribution_read(const sti_json_tree* tree, const sti_json_value* sample, int n, int p, int W0_rows,
                                 sti_distribution** out);
void sti_distribution_destroy(sti_env* env, sti_distribution* d);  // accepts NULL
sti_status sti_distribution_draw(sti_env* env, const sti_distribution* d, const sti_stochastic* first, int count,
                                 uint64_t* seed, sti_stochastic** out);

#endif
