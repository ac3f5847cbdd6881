// document.h: a file of any kind.
//
//     sti_document* file;
//     if (sti_document_load(env, "problem.json", &file) == STI_OK && sti_lcp_of(file) != NULL) ...
//     sti_document_destroy(file);
//
// What is inside is asked for where the thing lives: <type>_of(document), like sti_lcp_of in problem.h or
// sti_world_scene_of in scene.h; NULL when the document is of another kind. So this header knows none of them.
//
//     {"kind": "lcp", "M": [[..]], "q": [..]}
//     {"kind": "mlcp", "A": .., "C": .., "D": .., "B": .., "a": [..], "b": [..]}
//     {"kind": "avi", "M": .., "q": [..], "A": .., "b": [..], "E": .., "e": [..], "lb": [..], "ub": [..]}
//     {"kind": "relay", "M": [[..]], "q": [..], "lb": [-1, -1], "ub": [1, 1]}
//     {"kind": "ncp", "variables": ["x", "y"], "F": ["x^2 - y", "y - 1"], "start": [1, 1]}
//     {"kind": "vi", "variables": {"x": [0, 1], "y": null}, "F": ["x - y", "y + sin(x)"]}
//     {"kind": "qp", "P": .., "c": [..], "A": .., "l": [..], "u": [..], "lb": [..], "ub": [..]}
//     {"kind": "l1", "A": .., "b": [..]}
//     {"kind": "stochastic", "Q0": .., "c0": .., "T0": .., "W0": .., "b": .., "scenarios": [{"p": .., "Q": .., ..}]}
//     {"kind": "cone", "rays": [[..]], "lines": [[..]]}      or "inequalities" (F x <= 0) and "equations" (E x = 0)
//     {"kind": "instant", "M": [[..]], "F": [..], "v": [..], "contacts": [{"mu": .., "n": [..], "t": [[..]]}]}
//     {"kind": "grasp", "dimension": 3, "center": [..], "contacts": [{"point": [..], "normal": [..], "mu": ..}]}
//     {"kind": "matrices", "G": [[..]], "E": [[..]]}
//     {"kind": "system", "parameters": {..}, "coordinates": ["x", ..], "kinetic": "m/2*x'^2", "contacts": [..], ..}
//     {"kind": "scene", "bed": {"layout": "pebble-bed", "count": 1600}, "step": {"h": 0.01}, "time": 10}
//     {"kind": "scene", "dimension": 3, "bodies": [{"shape": {"type": "box", "half": [..]}, ..}], "time": 10}
//     {"kind": "manipulation", "parts": [..], "fixtures": [..], "probes": [..], "mu": 0.3, "h": 0.05, "steps": 100}
//     {"kind": "plan", "scene": "peg-push", "noise": {..}, "goals": [..], "start": [..], "pushes": [..], ..}
//     {"kind": "navigation", "vehicles": [..], "walls": [..], "obstacles": [..], "h": 0.02, "time": 12}
//     {"kind": "model", "parameters": {"a": 1, "b": 1}, "model": "a*exp(-b*t)"}
//     {"kind": "root", "variables": {"x": [-2, 2]}, "equations": ["x^2 - 2"], "method": "all"}
//     {"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}
//
// That is JSON, with comments. HDF5 holds the same names; FCLIB (HDF5) is for contact problems, URDF for robots.
// docs/files.md says how matrices and vectors are written, and which numbers stay exact; docs/systems.md and
// docs/runs.md have the fields of instants, systems and scenes. Bad input is answered with STI_ERR_INPUT and an error
// text that names file, field and value.
#ifndef STICTION_DOCUMENT_H
#define STICTION_DOCUMENT_H

#include <stdbool.h>
#include <stiction/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// What documents are for, as flags. The words are the verbs of the command.
#define STI_USE_LIST(X)                      \
    X(STI_USE_SOLVE, 1, "solve")             \
    X(STI_USE_RUN, 2, "run")                 \
    X(STI_USE_ANALYZE, 4, "analyze")         \
    X(STI_USE_NORMS, 8, "analyze norms")     \
    X(STI_USE_INSPECT, 16, "inspect")        \
    X(STI_USE_CONE, 32, "cone")              \
    X(STI_USE_ROOT, 64, "root")              \
    X(STI_USE_BOUND, 128, "bound")           \
    X(STI_USE_VERIFY, 256, "verify")         \
    X(STI_USE_ROBUST, 512, "analyze robust") \
    X(STI_USE_FIT, 1024, "fit")              \
    X(STI_USE_PLAN, 2048, "plan")

#define STI_X(code, flag, text) code = (flag),
typedef enum sti_use { STI_USE_LIST(STI_X) } sti_use;
#undef STI_X

// The kinds, a line for each: code, word in a file ("kind": "lcp"), what it is for. src/documents has a row of the
// same name for each.
#define STI_KIND_LIST(X)                                                                               \
    X(STI_KIND_LCP, lcp, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                             \
    X(STI_KIND_MLCP, mlcp, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                           \
    X(STI_KIND_AVI, avi, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                             \
    X(STI_KIND_RELAY, relay, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                         \
    X(STI_KIND_NCP, ncp, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                             \
    X(STI_KIND_VI, vi, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                               \
    X(STI_KIND_QP, qp, STI_USE_SOLVE | STI_USE_VERIFY)                                                 \
    X(STI_KIND_L1, l1, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                               \
    X(STI_KIND_STOCHASTIC, stochastic, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)               \
    X(STI_KIND_CONTACT, contact, STI_USE_SOLVE | STI_USE_INSPECT | STI_USE_VERIFY)                     \
    X(STI_KIND_CONE, cone, STI_USE_CONE)                                                               \
    X(STI_KIND_INSTANT, instant, STI_USE_ANALYZE | STI_USE_INSPECT | STI_USE_VERIFY)                   \
    X(STI_KIND_GRASP, grasp, STI_USE_ANALYZE | STI_USE_INSPECT)                                        \
    X(STI_KIND_MATRICES, matrices, STI_USE_NORMS)                                                      \
    X(STI_KIND_SYSTEM, system,                                                                         \
      STI_USE_RUN | STI_USE_ANALYZE | STI_USE_INSPECT | STI_USE_VERIFY | STI_USE_ROBUST | STI_USE_FIT) \
    X(STI_KIND_SCENE, scene, STI_USE_RUN | STI_USE_ANALYZE | STI_USE_INSPECT | STI_USE_FIT)            \
    X(STI_KIND_MANIPULATION, manipulation,                                                             \
      STI_USE_RUN | STI_USE_INSPECT | STI_USE_VERIFY | STI_USE_ROBUST | STI_USE_FIT | STI_USE_PLAN)    \
    X(STI_KIND_PLAN, plan, STI_USE_RUN | STI_USE_VERIFY)                                               \
    X(STI_KIND_NAVIGATION, navigation, STI_USE_RUN | STI_USE_INSPECT | STI_USE_ROBUST)                 \
    X(STI_KIND_MODEL, model, STI_USE_FIT)                                                              \
    X(STI_KIND_ROOT, root, STI_USE_ROOT)                                                               \
    X(STI_KIND_BOUND, bound, STI_USE_BOUND)

#define STI_X(code, name, uses) code,
typedef enum sti_kind { STI_KIND_NONE, STI_KIND_LIST(STI_X) STI_KIND_COUNT } sti_kind;
#undef STI_X

STI_API const char* sti_kind_text(sti_kind kind);              // "lcp"
STI_API bool sti_kind_parse(const char* text, sti_kind* out);  // false: there is no such kind
STI_API unsigned sti_kind_uses(sti_kind kind);                 // flags of sti_use
// Lists of words for messages, into text (size bytes, always ended): the kinds that are for one of these uses, "lcp,
// mlcp or qp" with each word in quotes; and what a kind is for, "solve, inspect or verify".
STI_API void sti_use_kinds(unsigned uses, char* text, size_t size);
STI_API void sti_kind_uses_text(sti_kind kind, char* text, size_t size);

typedef struct sti_document sti_document;  // owns what it was read into

STI_API sti_status sti_document_load(sti_env* env, const char* path, sti_document** out);
// JSON or URDF text from memory; name stands for the file in messages.
STI_API sti_status sti_document_parse(sti_env* env, const char* text, size_t size, const char* name,
                                      sti_document** out);
STI_API void sti_document_destroy(sti_document* document);  // accepts NULL
STI_API sti_kind sti_document_kind(const sti_document* document);

// Other values for parameters of a system, a scene, a manipulation, a navigation or a model: "mu=0.3,count=12", and of
// scenes also "step.h=0.002" or "time=3"; a name that is given twice is refused. Grains of another radius, or under
// another gravity, have a step that follows, unless it is given. What was got from the document before is not valid any
// more. On failure (STI_ERR_INPUT names the parameter) nothing is changed.
STI_API sti_status sti_document_set(sti_document* document, const char* settings);

// To a file that reads back as the same: written whole or not at all (to a temporary beside it, then renamed), .json
// or, of lcp, mlcp, avi, relay, l1 and contact, .hdf5/.h5 by the name. STI_ERR_ARGUMENT when of a kind that cannot be
// written.
STI_API sti_status sti_document_save(sti_env* env, const sti_document* document, const char* path);
// A scene as text that reads back as the same elsewhere: robots that it names as files are in it, their meshes named
// from the root; settings are not in that of bodies. Free with sti_env_free. STI_ERR_ARGUMENT when of another kind.
STI_API sti_status sti_document_text(sti_env* env, const sti_document* document, char** out);

#ifdef __cplusplus
}
#endif
#endif
