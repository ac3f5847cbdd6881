// formula.h: formulas evaluated from their text on spans, with first derivatives: the verifier's own reading of the
// language.
#ifndef STI_VERIFY_FORMULA_H
#define STI_VERIFY_FORMULA_H

#include <stiction/roots.h>

#include "exact/span.h"

enum { STI_SLOPED_MOST = STI_ROOT_VARIABLES_MOST };

// A value and its difference quotients in the variables.
typedef struct sti_sloped {
    sti_span v, d[STI_SLOPED_MOST];
} sti_sloped;

typedef struct sti_formula_reader {
    sti_spans s;
    int n;  // variables
    const char* const* variables;
    const sti_span* at;  // the box                        (n)
    int definition_count;
    const sti_system_named* definitions;
    bool slopes;   // derivatives are wanted
    bool partial;  // a root or a logarithm has no value on a part of the box: that part was left out
    bool nowhere;  // it has none on all of it
    bool unable;   // the text could not be read, or holds something that is not known here
    int depth;
} sti_formula_reader;

void sti_sloped_clear(sti_formula_reader* r, sti_sloped* a);

// f over the box r->at. False: no value is known there (s.undefined; nowhere: there is none), the text is not
// understood (unable), or memory ran out. Of logarithms arguments below 2^-bits are left out too.
bool sti_formula_over(sti_formula_reader* r, const char* text, bool slopes, sti_sloped* out);
// A formula without variables.
bool sti_formula_number(sti_formula_reader* r, const char* text, sti_span* out);

#endif
