// entries.h: a sparse matrix collected entry by entry, in any order.
#ifndef STI_CONTACT_ENTRIES_H
#define STI_CONTACT_ENTRIES_H

#include "contact/contact.h"

// A failed allocation is remembered in status, and what follows is dropped.
typedef struct sti_entries {
    sti_env* env;
    sti_status status;
    size_t count, capacity;
    int* row;       // (capacity)
    int* col;       // (capacity)
    double* value;  // (capacity)
} sti_entries;

void sti_entries_add(sti_entries* e, int row, int col, double value);

// Every stored entry of A, or of its transpose, moved by (row, col) and multiplied by factor.
void sti_entries_add_matrix(sti_entries* e, const sti_matrix* A, bool transposed, int row, int col, double factor);

// Compressed columns, rows ascending, entries of one place added up. Frees what was collected, also on failure.
sti_status sti_entries_finish(sti_entries* e, int rows, int cols, sti_matrix* out);

void sti_entries_drop(sti_entries* e);

#endif
