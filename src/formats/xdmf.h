// xdmf.h: the file beside a recording that lets ParaView open it: frames as a temporal collection of grids.
#ifndef STI_FORMATS_XDMF_H
#define STI_FORMATS_XDMF_H

#include "base/env.h"

typedef struct sti_xdmf {
    sti_env* env;
    char* path;  // of the file to write
    char* file;  // the recording's name, as XML text
    char* text;
    size_t size, room;
    bool broken;  // memory ran out
} sti_xdmf;

// recording: its path; the file gets the same name with the ending .xdmf. Everything is freed by sti_xdmf_end, which
// must be called once: it writes the file, whole or not at all.
void sti_xdmf_begin(sti_env* env, const char* recording, const char* title, sti_xdmf* out);
void sti_xdmf_put(sti_xdmf* x, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Row `frame` of a series of `frames` rows, each items x columns doubles.
void sti_xdmf_slab(sti_xdmf* x, const char* series, size_t frame, size_t frames, int items, int columns);
sti_status sti_xdmf_end(sti_xdmf* x);

#endif
