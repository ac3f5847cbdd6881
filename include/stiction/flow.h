// flow.h: optical flow between two frames by least sums of absolute values (S3 2.5.1).
//
//     min  sum over pixels  |I_x u + I_y v + I_t| + lambda (|u_x| + |u_y| + |v_x| + |v_y|)
//
// Derivatives are five-point formulas, (1, -8, 0, 8, -1)/12, with the border repeated; I_x, I_y are those of the first
// frame and I_t is the second frame less the first. That is one linear program, and good for motions up to about a
// pixel. For larger ones the frames are halved again and again, and the flow of each size is the point about which the
// next larger one is linearized (the second frame is warped by it). Every program on the way has a dual vector that
// proves how far its flow is from the best.
#ifndef STICTION_FLOW_H
#define STICTION_FLOW_H

#include <stiction/draw.h>
#include <stiction/l1.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_frame {
    int width, height;
    double* value;  // grey from 0 to 1, rows from the top    (height x width)
} sti_frame;

typedef struct sti_flow_field {
    int width, height;
    double *u, *v;  // to the right and down, in pixels; NAN: unknown    (height x width)
} sti_flow_field;

typedef struct sti_flow_options {
    double lambda;        // 0: 0.05 for the one program of S3 (levels = 1), 0.03 from coarse to fine
    int levels;           // sizes of frames; 0: down to 16 pixels; 1: the one program of S3
    int warps;            // linearizations on each size but with levels = 1; 2
    int skip;             // so many of the finest sizes are not solved, but enlarged; 0
    bool median;          // u and v are replaced by medians of 3 x 3 after each linearization but with levels = 1; true
    double tol;           // gap of the last program of a size, over its objective, 1e-4; others: a hundred times that
    long max_iterations;  // of each program; 100
    double memory_mb;     // of factors, as in sti_l1_options; 0: as much as they take
    double time_limit_s;  // 0: none. The best flow so far comes back, enlarged where it is of a smaller size
    void (*progress)(void* user, const char* phase, double part, long done);  // part: 0 to 1; may be NULL
    void* progress_user;
} sti_flow_options;

// One linear program on the way.
typedef struct sti_flow_level {
    int width, height, warp;
    double objective, bound, gap;  // as in sti_l1_answer
    double tol;                    // the gap asked for
    bool solved;                   // the gap is within it
    bool verified;                 // sti_verify_l1 has accepted it
    long iterations, cg_count;     // as in sti_l1_answer
    double time_s;
} sti_flow_level;

typedef struct sti_flow_answer {
    sti_outcome outcome;  // STI_SOLVED: every program was solved and verified; STI_LIMIT otherwise
    sti_flow_field field;
    int level_count;
    sti_flow_level* levels;  // in the order they were solved
    double time_s;
    char reason[160];
} sti_flow_answer;

STI_API sti_flow_options sti_flow_options_default(void);
STI_API double sti_flow_lambda(const sti_flow_options* options);  // what its lambda stands for; NULL: the defaults
STI_API sti_status sti_flow_solve(sti_env* env, const sti_frame* first, const sti_frame* second,
                                  const sti_flow_options* options, sti_flow_answer* answer);
STI_API void sti_flow_answer_clear(sti_env* env, sti_flow_answer* answer);  // accepts a cleared one

// The program of S3 as it stands: x = (u, v) row by row; rows: data, u_x, v_x, u_y, v_y. Free with
// sti_flow_problem_destroy.
STI_API sti_status sti_flow_problem(sti_env* env, const sti_frame* first, const sti_frame* second, double lambda,
                                    sti_l1** out);
STI_API void sti_flow_problem_destroy(sti_env* env, sti_l1* problem);  // accepts NULL

// Against a known flow, over the pixels where it is known.
typedef struct sti_flow_error {
    long count;           // of known pixels
    double mean;          // of |(u, v) - truth|: AEE
    double beyond_half;   // the share above 0.5 px
    double beyond_one;    // and above 1 px
    double mean_of_zero;  // of |truth|: what no flow at all would have
} sti_flow_error;

STI_API sti_status sti_flow_compare(sti_env* env, const sti_flow_field* field, const sti_flow_field* truth,
                                    sti_flow_error* out);

// Grey, 0.299 R + 0.587 G + 0.114 B rounded to one of 256 levels, over 255.
STI_API sti_status sti_frame_from_image(sti_env* env, const sti_image* image, sti_frame* out);
STI_API void sti_frame_clear(sti_env* env, sti_frame* frame);
STI_API void sti_flow_field_clear(sti_env* env, sti_flow_field* field);

// Middlebury's .flo: float32 202021.25, int32 width and height, then u and v of each pixel; above 1e9: unknown.
STI_API sti_status sti_flow_save(sti_env* env, const sti_flow_field* field, const char* path);
STI_API sti_status sti_flow_load(sti_env* env, const char* path, sti_flow_field* out);

// Colours: the direction is the hue, the length the strength, full at `longest` pixels (0: the longest there is);
// black: unknown. arrows: one for each so many pixels, 0: none.
STI_API sti_status sti_draw_flow(sti_env* env, const sti_flow_field* field, double longest, int arrows, sti_image* out);

#ifdef __cplusplus
}
#endif
#endif
