// xdmf.c: XDMF files beside recordings.
#include "formats/xdmf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/file.h"

// The name as text of an XML file, for sti_free; NULL: memory ran out.
static char* escape(sti_env* env, const char* name) {
    static const struct {
        char sign;
        const char* text;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    char *out = sti_alloc(env, sti_size_add(sti_size_mul(6, strlen(name)), 1)), *to = out;
    for (; out != NULL && *name != '\0'; name++) {
        size_t k = 0, count = sizeof marks / sizeof *marks;
        while (k < count && marks[k].sign != *name) k++;
        const char* text = k < count ? marks[k].text : name;
        const size_t size = k < count ? strlen(text) : 1;
        memcpy(to, text, size);
        to += size;
    }
    if (out != NULL) *to = '\0';
    return out;
}

void sti_xdmf_begin(sti_env* env, const char* recording, const char* title, sti_xdmf* out) {
    const char* slash = strrchr(recording, '/');
    const char* name = slash != NULL ? slash + 1 : recording;
    const char* dot = strrchr(name, '.');
    const size_t stem = dot != NULL ? (size_t)(dot - recording) : strlen(recording);
    *out = (sti_xdmf){.env = env, .path = sti_alloc(env, sti_size_add(stem, 6)), .file = escape(env, name)};
    out->broken = out->path == NULL || out->file == NULL;
    if (out->path != NULL) {
        memcpy(out->path, recording, stem);
        memcpy(out->path + stem, ".xdmf", 6);
    }
    sti_xdmf_put(out,
                 "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n<Grid Name=\"%s\" GridType=\"Collection\" "
                 "CollectionType=\"Temporal\">\n",
                 title);
}

void sti_xdmf_put(sti_xdmf* x, const char* format, ...) {
    enum { PIECE = 4096 };
    if (x->room - x->size < PIECE && !x->broken) {
        const size_t room = sti_size_add(sti_size_mul(2, x->room), 4 * PIECE);
        char* text = sti_realloc(x->env, x->text, room);
        x->broken = text == NULL;
        if (text != NULL) {
            x->text = text;
            x->room = room;
        }
    }
    if (x->broken) return;
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(x->text + x->size, x->room - x->size, format, args);
    va_end(args);
    if (size > 0 && (size_t)size < x->room - x->size) x->size += (size_t)size;
}

void sti_xdmf_slab(sti_xdmf* x, const char* series, size_t frame, size_t frames, int items, int columns) {
    sti_xdmf_put(x,
                 "<DataItem ItemType=\"HyperSlab\" Dimensions=\"1 %d %d\"><DataItem Dimensions=\"3 3\" Format=\"XML\">"
                 "%zu 0 0 1 1 1 1 %d %d</DataItem><DataItem Dimensions=\"%zu %d %d\" NumberType=\"Float\" "
                 "Precision=\"8\" Format=\"HDF\">%s:/%s</DataItem></DataItem>",
                 items, columns, frame, items, columns, frames, items, columns, x->file, series);
}

sti_status sti_xdmf_end(sti_xdmf* x) {
    sti_xdmf_put(x, "</Grid>\n</Domain></Xdmf>\n");
    const sti_status status = x->broken ? STI_ERR_MEMORY : sti_file_write(x->env, x->path, x->text, x->size);
    sti_free(x->env, x->path);
    sti_free(x->env, x->file);
    sti_free(x->env, x->text);
    *x = (sti_xdmf){0};
    return status;
}
