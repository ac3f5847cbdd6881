// frame.h: grey frames of falling size.
#ifndef STI_FLOW_FRAME_H
#define STI_FLOW_FRAME_H

#include <stiction/flow.h>

#include "base/env.h"

sti_status sti_frame_create(sti_env* env, int width, int height, sti_frame* out);  // black
sti_status sti_frame_halve(sti_env* env, const sti_frame* f, sti_frame* out);      // means of 2 x 2 pixels

#endif
