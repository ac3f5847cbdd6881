// instant.h: an instant from whatever the user names: a file with numbers, a system by formulas, bodies, a built-in
// scene.
#ifndef STICTION_CLI_INSTANT_H
#define STICTION_CLI_INSTANT_H

#include "cli.h"

// Where to look at a system: left alone, its file says. For an instant by numbers only --velocity is taken; a scene of
// bodies is looked at where it starts, or after steps up to --time.
typedef struct cli_at {
    cli_list q;            // --at Q,..
    cli_list v;            // --velocity V,..
    const char* time;      // --time T
    const char* settings;  // --set name=value[,name=value]: parameters of the system
} cli_at;

// Rows for a verb's option table: copy them in front of its own.
#define CLI_AT_OPTIONS(at)                                                                       \
    {"--at", CLI_LIST, "Q,..", "a system's coordinates, instead of those in its file", &(at).q}, \
        {"--velocity", CLI_LIST, "V,..", "velocities, instead of those in the file", &(at).v},   \
        {"--time", CLI_TEXT, "T", "a system's time; bodies are stepped to it", &(at).time}, {    \
        "--set", CLI_JOINED, "NAME=X,..", "parameters of a system or scene", &(at).settings      \
    }
void cli_at_clear(cli_at* at);

typedef struct cli_instant {
    sti_document* document;        // what the file held, where it was loaded here
    const sti_system* system;      // NULL: an instant by numbers
    const sti_instant* instant;    // borrowed from one of the others
    sti_instant* made;             // from the system, or with another velocity; NULL otherwise
    const sti_world_scene* scene;  // of bodies; NULL: of something else
    sti_world* world;              // them, at the instant
    char note[600];                // of bodies: what the instant takes for something else; "": nothing
} cli_instant;

// name: a file, or a built-in scene. On failure the line is written and the exit code is returned; CLI_DONE otherwise.
// The same of a document that the caller keeps. Cleared by the caller, also on failure.
int cli_instant_of(const cli* c, const char* name, const sti_document* document, const cli_at* at, cli_instant* out);
int cli_instant_load(const cli* c, const char* name, const cli_at* at, cli_instant* out);
void cli_instant_clear(const cli* c, cli_instant* in);

// What the instant of a world after a step (sti_world_instant_settled) takes for something else.
void cli_instant_note(const sti_world* world, const sti_instant_settled* told, char* text, size_t size);

#endif
