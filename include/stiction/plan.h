// plan.h: pushes that are robust: the largest box of doubts in which a push keeps its contact modes, proved.
//
// docs/manipulation.md has the rules.
#ifndef STICTION_PLAN_H
#define STICTION_PLAN_H

#include <stiction/manipulation.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the largest box

typedef struct sti_box_options {
    double weight[STI_DOUBT_COUNT];  // of each kind: the box grows in these proportions first; 0: not doubted
    bool friction;                   // the sign of friction lasts too where a contact sticks: all of the basis (2.4.20)
    long max_pieces;                 // that a box is cut into to prove it
    int rounds;                      // of bisection for each side
} sti_box_options;

// Lengths by the size of the parts, angles, friction and speed by 1; modes; 64 pieces; 6 rounds.
STI_API sti_box_options sti_box_options_default(const sti_manipulation* m);

typedef struct sti_robust_box {
    sti_push_box box;  // its arrays belong to this
    bool found;        // false: the push itself does not keep its modes, without any doubt
    double scale;      // of the weights, up to which all doubts grow together
    sti_box_verification proof;
    double* end;  // where parts are after the steps, lows then highs          (6 parts)
} sti_robust_box;

// start NULL: the scene's; h <= 0: the scene's; options NULL: defaults. Largest means: all doubts grow in the proportions of the
// weights as far as the proof goes, then each side alone, one after the other.
STI_API sti_status sti_robust_box_create(sti_env* env, const sti_manipulation* m, const double* start, double h,
                                         long steps, const sti_box_options* options, sti_robust_box** out);
STI_API void sti_robust_box_destroy(sti_env* env, sti_robust_box* box);  // accepts NULL

#ifdef __cplusplus
}
#endif
#endif
