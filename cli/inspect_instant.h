// inspect_instant.h: what an instant is, for stiction inspect: alone, or of a system or scene at its state.
#ifndef STICTION_CLI_INSPECT_INSTANT_H
#define STICTION_CLI_INSPECT_INSTANT_H

#include "cli.h"

// At most so many; of robots, whose coordinates are no short numbers, exact ranks take long.
enum { CLI_INSTANT_VELOCITIES = 300, CLI_ROBOT_VELOCITIES = 42 };
#define CLI_INSTANT_TOUCH 1e-8  // a gap that counts as closed

typedef struct cli_instant_facts {
    bool known;  // false: too large, or there is no instant there; why says so
    char why[200];
    sti_instant_facts f;
    bool cone;  // the friction cone was measured; false: too many contacts
    sti_friction_cone_margin margin;
    sti_friction_cone_verification check;
} cli_instant_facts;

// On failure the line is written and the exit code is returned. Cleared by the caller either way.
int cli_instant_facts_find(const cli* c, const char* path, const sti_instant* in, cli_instant_facts* out);
void cli_instant_facts_clear(const cli* c, cli_instant_facts* facts);
// As an object "friction_cone"; u has `dimension` numbers.
void cli_friction_cone_json(cli_json* j, const sti_friction_cone_margin* m, int dimension, const char* metric,
                            bool checked);
void cli_instant_facts_json(cli_json* j, const cli_instant_facts* facts);  // as an object "instant"; null: not told
void cli_instant_facts_say(const cli* c, const cli_instant_facts* facts);

#endif
