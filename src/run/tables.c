// tables.c: what the lines of tables are made of.
#include <math.h>

#include "run/simulation.h"

void sti_table_name(FILE* f, const char* name) {
    for (; *name != '\0'; name++) fputc(*name == ',' || *name == '"' || (unsigned char)*name < ' ' ? '_' : *name, f);
}

void sti_table_number(FILE* f, double x) {
    if (isnan(x))
        fputc(',', f);
    else
        fprintf(f, ",%.17g", x);
}
