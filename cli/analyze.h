// analyze.h: the questions of stiction analyze, one file each. Their names begin with "analyze ".
#ifndef STICTION_CLI_ANALYZE_H
#define STICTION_CLI_ANALYZE_H

#include "cli.h"
#include "instant.h"

extern const cli_verb cli_analyze_modes;
extern const cli_verb cli_analyze_sticking;
extern const cli_verb cli_analyze_closure;
extern const cli_verb cli_analyze_velocities;
extern const cli_verb cli_analyze_impact;
extern const cli_verb cli_analyze_painleve;
extern const cli_verb cli_analyze_norms;
extern const cli_verb cli_analyze_robust;

extern const cli_verb* const cli_questions[];  // all of them, in the order of the overview (analyze.c)
extern const int cli_question_count;

// The largest box of doubts in which a push keeps its contact modes (analyze_robust_box.c).
typedef struct cli_robust_box {
    const char *path, *settings, *output;  // settings: of --set, output: where the answer goes; or NULL
    sti_manipulation* scene;
    const char* doubts;           // "x,y,mu"; NULL: all there are
    bool whole;                   // the whole basis, not modes alone
    long steps, pieces, samples;  // pieces 0: the default; samples: starts inside that are tried
    double h, slip;               // of sti_push_box; slip 0: the default
} cli_robust_box;

// The largest box of doubts of a system by formulas (analyze_robust_motion.c).
typedef struct cli_robust_motion {
    const char *path, *settings, *output;
    sti_system* system;
    const char* doubts;  // "x,x',mu"; NULL: all there are
    long steps, pieces, samples;
    double h, alpha;
} cli_robust_motion;

int cli_robust_motion_answer(const cli* c, const cli_robust_motion* question);

// How long the contacts of vehicles in cages press as in the first step (analyze_robust_nav.c).
typedef struct cli_robust_nav {
    const char* path;
    sti_navigation* nav;
    long steps;
} cli_robust_nav;

int cli_robust_nav_answer(const cli* c, const cli_robust_nav* question);
// stiction verify SCENE BOX, of what --box wrote of parts and probes, or of a system (analyze_robust_verify.c).
int cli_robust_box_verify(const cli* c, const char* scene, const char* path);
int cli_robust_motion_verify(const cli* c, const char* scene, const char* path);
int cli_robust_box_answer(const cli* c, const cli_robust_box* question);

#endif
