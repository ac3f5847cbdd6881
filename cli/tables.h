// tables.h: rows and matrices of numbers, as text and as JSON.
#ifndef STICTION_CLI_TABLES_H
#define STICTION_CLI_TABLES_H

#include "cli.h"

// In text, numbers below 1e-13 of the largest one beside them are rounding, and shown as 0.
void cli_say_row(const cli* c, const char* label, const double* x, int count);
void cli_say_row_near(const cli* c, const char* label, const double* x, int count,
                      double scale);  // the same beside scale
void cli_say_matrix(const cli* c, const char* label, const double* A, int rows, int cols);
// A number for a sentence, eight digits; 0 below 1e-13 of scale. Good for the next four calls.
const char* cli_text_number(double x, double scale);
// " (about 4/3)" or, for an angle, " (about arctan 2)": a simple fraction within 1e-9; "" when there is none. One at a
// time.
const char* cli_text_about(double x, bool angle);

void cli_json_matrix(cli_json* j, const char* key, const double* A, int rows, int cols);  // a list of rows; NULL: null

#endif
