// view.h: stiction view: a run as one page of HTML. The page's script reads what view_page.c writes (web/src/data.js).
#ifndef STICTION_CLI_VIEW_H
#define STICTION_CLI_VIEW_H

#include "cli.h"

// The bundle of web/, embedded by the build; size 0: it was built without.
extern const unsigned char cli_page_script[], cli_page_style[];
extern const size_t cli_page_script_size, cli_page_style_size;

// A page that is written: JSON with numbers in base64.
typedef struct cli_page {
    cli_json json;
    int notes;
    char note[4][200];
} cli_page;

typedef enum cli_page_type { CLI_PAGE_F64, CLI_PAGE_F32, CLI_PAGE_I32, CLI_PAGE_U16, CLI_PAGE_U8 } cli_page_type;

// Numbers of that type, packed; what does not fit is cut to what does.
void cli_page_numbers(cli_page* p, const char* key, cli_page_type type, const double* x, size_t count);
void cli_page_note(cli_page* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
// CLI_DONE; built without: the line, and CLI_INTERNAL.
int cli_page_check(const cli* c);
// The page around its data, which may talk to `connect` ("'none'", or sources of a content policy). Takes p.
bool cli_page_put(FILE* f, cli_page* p, const char* connect);
// The file, whole or not at all. Takes p.
int cli_page_save(const cli* c, cli_page* p, const char* path);

void cli_page_put_notes(cli_page* p);  // as "notes"; there are none then

enum { CLI_VIEW_MOST = 16 };  // runs of a page

// A run, in its folder or its trajectory.h5, as an object of the page.
int cli_view_run(const cli* c, cli_page* p, const char* folder, const char* title);
// The whole file, ended by 0, for free(); NULL: it cannot be read, or is larger.
char* cli_view_text(const char* path, size_t most);

// What is in the folder's trajectory.h5.
int cli_view_bodies(const cli* c, cli_page* p, const char* path);
int cli_view_bed(const cli* c, cli_page* p, const char* path);
int cli_view_plane(const cli* c, cli_page* p, const char* path);
// Of a push or of vehicles (the other is NULL): how many bodies it draws, and where they are at a time (7 numbers
// each).
int cli_view_plane_bodies(const sti_manipulation* push, const sti_navigation* nav);
void cli_view_plane_poses(const sti_manipulation* push, const sti_navigation* nav, double t, const double* q,
                          double* pose);

// ---- what these share

// A dataset with so many columns; rows -1: any number, then told. needed: its absence is an error.
int cli_view_read(const cli* c, const char* path, const char* name, long columns, long* rows, double** out);
// Every how many frames one is taken, so that `bytes` a frame make up a page that opens; a note says so.
long cli_view_stride(cli_page* p, long frames, double bytes);

#endif
