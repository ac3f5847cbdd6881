// io.h: problems and answers as files.
//
//     {"kind": "lcp",  "M": [[..]], "q": [..]}
//     {"kind": "mlcp", "A": .., "C": .., "D": .., "B": .., "a": [..], "b": [..]}
//     {"kind": "qp", "P": .., "c": [..], "A": .., "l": [..], "u": [..], "lb": [..], "ub": [..]}
//     {"kind": "l1", "A": .., "b": [..]}
//     {"kind": "cone", "rays": [[..]], "lines": [[..]]}      or "inequalities" (F x <= 0) and "equations" (E x = 0)
//     {"kind": "instant", "M": [[..]], "F": [..], "v": [..], "contacts": [{"name": .., "mu": .., "n": [..], "t": [[..]]}]}
//     {"kind": "grasp", "dimension": 3, "center": [..], "contacts": [{"point": [..], "normal": [..], "mu": ..}]}
//     {"kind": "matrices", "G": [[..]], "E": [[..]]}      those that are asked about, see sti_matrices
//     {"kind": "system", "parameters": {..}, "coordinates": ["x", ..], "kinetic": "m/2*x'^2", "contacts": [..], ..}
//     {"kind": "scene", "bed": {"layout": "pebble-bed", "count": 1600}, "step": {"h": 0.01}, "time": 10}
//     {"kind": "root", "variables": {"x": [-2, 2]}, "equations": ["x^2 - 2"], "method": "all"}
//     {"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}
//     {"kind": "manipulation", "parts": [..], "fixtures": [..], "probes": [..], "mu": 0.3, "h": 0.05, "steps": 100}
//     {"kind": "scene", "dimension": 3, "bodies": [{"name": "box", "shape": {"type": "box", "half": [..]}}], "time": 10}
//
// JSON, with // and /* */ comments. "n", "m" (of a cone: "dimension") may be there and are checked, "name" and "comment"
// too. An entry is a number, or text like "2/3" that stays exact: with one such entry the whole problem carries exact data; a
// cone is exact when all its entries are whole numbers or text. A matrix is a list of rows,
// {"rows": r, "cols": c, "entries": [[i, j, v], ..]} counted from 0 (sparse), or {"file": "M.mtx"}: Matrix Market, beside
// the JSON file. A vector is a list, or {"file": "q.mtx"} with a matrix of one column or row. docs/files.md has examples.
//
// Of a qp only c is needed. A bound that is null, or 1e20 and more in size, is none; fractions are rounded to doubles, as in l1.
//
// Every number of an instant is kept exactly as it is written: 0.4 is 2/5, "2/3" two thirds. docs/systems.md has all fields
// of instants and systems.
//
// HDF5 for large problems: attribute "kind" of the root, datasets under the same names; a sparse matrix is a group with
// shape, col_start, row and value.
//
// FCLIB for frictional contact problems: HDF5 in the public format of that collection, both ways.
//
// Bad input is answered with STI_ERR_INPUT and an error text that names file, field and value.
#ifndef STICTION_IO_H
#define STICTION_IO_H

#include <stiction/bounds.h>
#include <stiction/cone.h>
#include <stiction/contact.h>
#include <stiction/instant.h>
#include <stiction/l1.h>
#include <stiction/manipulation.h>
#include <stiction/norms.h>
#include <stiction/problem.h>
#include <stiction/qp.h>
#include <stiction/roots.h>
#include <stiction/scene.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_KIND_LIST(X)             \
    X(STI_KIND_NONE, "none")         \
    X(STI_KIND_LCP, "lcp")           \
    X(STI_KIND_MLCP, "mlcp")         \
    X(STI_KIND_CONE, "cone")         \
    X(STI_KIND_QP, "qp")             \
    X(STI_KIND_CONTACT, "contact")   \
    X(STI_KIND_INSTANT, "instant")   \
    X(STI_KIND_SYSTEM, "system")     \
    X(STI_KIND_SCENE, "scene")       \
    X(STI_KIND_GRASP, "grasp")       \
    X(STI_KIND_MATRICES, "matrices") \
    X(STI_KIND_ROOT, "root")         \
    X(STI_KIND_BOUND, "bound")       \
    X(STI_KIND_L1, "l1")             \
    X(STI_KIND_MANIPULATION, "manipulation")

#define STI_X(code, text) code,
typedef enum sti_kind { STI_KIND_LIST(STI_X) } sti_kind;
#undef STI_X

STI_API const char* sti_kind_text(sti_kind kind);

// A cone as posed, before anything is computed: span form (rays, lines) or face form (inequalities, equations).
typedef struct sti_cone_input {
    int dimension;
    bool span;        // rays and lines given; otherwise inequalities and equations
    sti_rows first;   // rays, or inequalities  F x <= 0
    sti_rows second;  // lines, or equations    E x  = 0
} sti_cone_input;

typedef struct sti_problem sti_problem;  // owns what it was read into

STI_API sti_status sti_problem_load(sti_env* env, const char* path, sti_problem** out);
// JSON text from memory; name stands for the file in messages.
STI_API sti_status sti_problem_parse(sti_env* env, const char* text, size_t size, const char* name, sti_problem** out);
STI_API void sti_problem_destroy(sti_problem* problem);
STI_API sti_kind sti_problem_kind(const sti_problem* problem);
STI_API const sti_lcp* sti_problem_lcp(const sti_problem* problem);  // NULL when of another kind
STI_API const sti_mlcp* sti_problem_mlcp(const sti_problem* problem);
STI_API const sti_qp* sti_problem_qp(const sti_problem* problem);
STI_API const sti_l1* sti_problem_l1(const sti_problem* problem);
STI_API const sti_cone_input* sti_problem_cone(const sti_problem* problem);

STI_API const sti_matrices* sti_problem_matrices(const sti_problem* problem);

// Of an instant, and of a grasp: the held object alone, M, F and v 0, velocities at the center.
STI_API const sti_instant* sti_problem_instant(const sti_problem* problem);
STI_API sti_system* sti_problem_system(const sti_problem* problem);            // lives as long as the problem
STI_API const sti_scene* sti_problem_scene(const sti_problem* problem);        // of grains
STI_API const sti_world_scene* sti_problem_world(const sti_problem* problem);  // of bodies

STI_API const sti_root_problem* sti_problem_root(const sti_problem* problem);  // NULL when of another kind
STI_API const sti_bound_problem* sti_problem_bound(const sti_problem* problem);
STI_API sti_manipulation* sti_problem_manipulation(const sti_problem* problem);  // lives as long as the problem

// The text of a scene of bodies, with the robots that it names as files in it, and their meshes named from the root: what is
// needed to read it again elsewhere. Free with sti_env_free. STI_ERR_ARGUMENT when of another kind.
STI_API sti_status sti_problem_world_text(sti_env* env, const sti_problem* problem, char** out);

// Other values for parameters: "mu=0.3,count=12", and of scenes also "step.h=0.002" or "time=3"; a name that is given
// twice is refused. Grains of another radius, or under another gravity, have a step that follows, unless it is given. What was got from the
// problem before is not valid any more. On failure (STI_ERR_INPUT names the parameter) nothing is changed.
STI_API sti_status sti_problem_set(sti_problem* problem, const char* settings);

// Written whole or not at all (to a temporary beside it, then renamed). .json or .hdf5/.h5 by the name.
STI_API sti_status sti_lcp_save(sti_env* env, const sti_lcp* lcp, const char* path);
STI_API sti_status sti_mlcp_save(sti_env* env, const sti_mlcp* mlcp, const char* path);
STI_API sti_status sti_l1_save(sti_env* env, const sti_l1* problem, const char* path);
STI_API sti_status sti_instant_save(sti_env* env, const sti_instant* instant, const char* path);  // .json

STI_API sti_status sti_matrix_load(sti_env* env, const char* path, sti_matrix* out);  // Matrix Market
// The same from memory; name stands for the file in messages.
STI_API sti_status sti_matrix_parse(sti_env* env, const char* text, size_t size, const char* name, sti_matrix* out);

// Answers as JSON text (free with sti_env_free) and back. Names as in the product page: z, w or u, v.
STI_API sti_status sti_lcp_answer_json(sti_env* env, const sti_lcp_answer* answer, char** out);
STI_API sti_status sti_lcp_answer_save(sti_env* env, const sti_lcp_answer* answer, const char* path);
STI_API sti_status sti_lcp_answer_load(sti_env* env, const char* path, sti_lcp_answer* out);
STI_API sti_status sti_lcp_answer_parse(sti_env* env, const char* text, size_t size, const char* name,
                                        sti_lcp_answer* out);
// {"complete", "solutions", "rays", "components", "pieces", "nodes", "certificate" when there is no solution}
STI_API sti_status sti_lcp_solution_set_json(sti_env* env, const sti_lcp_solution_set* set, char** out);

// ---- quadratic programs

// Names as in sti_qp_answer: x, y, z at the top for a point, inside "certificate" for one.
STI_API sti_status sti_qp_answer_json(sti_env* env, const sti_qp_answer* answer, char** out);
STI_API sti_status sti_qp_answer_save(sti_env* env, const sti_qp_answer* answer, const char* path);
// The sizes must be those of the program. Vectors that are not in the file are all NAN.
STI_API sti_status sti_qp_answer_load(sti_env* env, const sti_qp* qp, const char* path, sti_qp_answer* out);
STI_API sti_status sti_qp_answer_parse(sti_env* env, const sti_qp* qp, const char* text, size_t size, const char* name,
                                       sti_qp_answer* out);

// ---- least sums of absolute values

// Names as in sti_l1_answer: x, y, objective, bound, gap.
STI_API sti_status sti_l1_answer_json(sti_env* env, const sti_l1_answer* answer, char** out);
STI_API sti_status sti_l1_answer_save(sti_env* env, const sti_l1_answer* answer, const char* path);
// The sizes must be those of the problem. Vectors that are not in the file are all NAN.
STI_API sti_status sti_l1_answer_load(sti_env* env, const sti_l1* problem, const char* path, sti_l1_answer* out);
STI_API sti_status sti_l1_answer_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size,
                                       const char* name, sti_l1_answer* out);

// {"v": [..], "s": [..], "r_x": [..], "r_v": [..], "r_lambda": [..], "r_s": [..]} or {"D": [..], "rhs": [..]}
STI_API sti_status sti_l1_step_system_load(sti_env* env, const sti_l1* problem, const char* path,
                                           sti_l1_step_system** out);
STI_API sti_status sti_l1_step_system_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size,
                                            const char* name, sti_l1_step_system** out);
STI_API void sti_l1_step_system_destroy(sti_env* env, sti_l1_step_system* system);  // accepts NULL

// ---- frictional contact
//
// Problems are FCLIB files: sti_problem_load reads them like any other, fclib_global before fclib_local where a file
// holds both. Matrices come out sparse; entries given twice are summed.

// A point to start from, as a file brings it: nobody vouches for it. NULL: that part is not known.
typedef struct sti_contact_guess {
    const double* r;       // (d nc)
    const double* u;       // (d nc)
    const double* v;       // global form     (velocity_count)
    const double* lambda;  // (bilateral_count)
} sti_contact_guess;

// What stands in a file beside the problem. NULL: not there.
typedef struct sti_contact_info {
    const char* title;
    const char* description;
    const char* math_info;  // what is known of the problem: existence, uniqueness, ...
    int guess_count;
    const sti_contact_guess* guesses;  // (guess_count)
} sti_contact_info;

STI_API const sti_contact_problem* sti_problem_contact(const sti_problem* problem);    // NULL when of another kind
STI_API const sti_contact_info* sti_problem_contact_info(const sti_problem* problem);  // NULL when of another kind

// To a name in .hdf5 or .h5, whole or not at all. info may be NULL. W as an operator cannot be saved. What a guess
// leaves open is written as 0, because FCLIB itself reads only whole points.
STI_API sti_status sti_contact_save(sti_env* env, const sti_contact_problem* problem, const sti_contact_info* info,
                                    const char* path);

// Answers: JSON, or FCLIB solutions, by the name. An HDF5 file that is already there must hold this very problem: its
// solution is replaced, everything else in it stays. A new one gets the problem too, since FCLIB wants it beside a
// solution. What the format has no place for (outcome, residuals, modes, ...) is kept in solution/report as JSON.
STI_API sti_status sti_contact_answer_save(sti_env* env, const sti_contact_problem* problem,
                                           const sti_contact_answer* answer, const char* path);
// What the file claims, and no more: a solution without an outcome claims "solved", and sti_contact_residual judges it.
// The sizes must be those of the problem; NULL: those the file says. Parts that are not in the file are NULL.
STI_API sti_status sti_contact_answer_load(sti_env* env, const sti_contact_problem* problem, const char* path,
                                           sti_contact_answer* out);
STI_API sti_status sti_contact_answer_json(sti_env* env, const sti_contact_answer* answer, char** out);
STI_API sti_status sti_contact_answer_parse(sti_env* env, const sti_contact_problem* problem, const char* text,
                                            size_t size, const char* name, sti_contact_answer* out);

#ifdef __cplusplus
}
#endif
#endif
