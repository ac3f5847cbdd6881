// model.h: one linear program of optical flow, linearized about a flow.
#ifndef STI_FLOW_MODEL_H
#define STI_FLOW_MODEL_H

#include <stiction/flow.h>

#include "base/env.h"

typedef struct sti_flow_model {
    sti_l1 problem;  // first member: what sti_flow_problem hands out
    double* b;       // (m)
} sti_flow_model;

sti_status sti_flow_model_create(sti_env* env, int width, int height, double lambda, sti_flow_model** out);
void sti_flow_model_destroy(sti_env* env, sti_flow_model* model);  // accepts NULL

// The data rows, about the flow x0 = (u0, v0) (NULL: 0): with the second frame warped by it,
//     I_x (u - u0) + I_y (v - v0) + I_t,     I_x, I_y of the first frame, or with x0 the mean of both.
// A pixel that x0 moves out of the frame says nothing.
void sti_flow_model_linearize(sti_flow_model* model, const sti_frame* first, const sti_frame* second, const double* x0);

// The derivative by the five-point formula of `value` at (x, y), along x or y.
double sti_flow_derivative(const sti_frame* f, int x, int y, bool along_y);

#endif
