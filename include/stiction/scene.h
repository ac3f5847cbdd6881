// scene.h: a scene: grains or bodies, how they are stepped, and when the run ends.
//
// Grains come from a generator with its parameters:
//
//     {"kind": "scene", "description": "..",
//      "bed":   {"layout": "pebble-bed", "count": 1600, "seed": 1, "mu": 0.3, "cylinder": 7.5, "opening": 2.5,
//                "recirculate": false},
//      "step":  {"h": 0.01, "law": "coulomb", "facets": 3, "solver": "gs", "tol": 1e-4, "max_iterations": 0,
//                "recover": 1, "eps": 0, "eps_speed": 0, "warm": true},
//      "walls": {"along": [1, 0, 0], "ellipse": {"axes": [1, 0.4], "angle": 0}, "which": [0]},
//      "time":  10,
//      "until": {"kinetic": 0.16, "kinetic_mean": 1e-4}}
//
// Only "bed.layout", "bed.count" and "time" are needed. A scene of grains is a plain value: it owns nothing.
//
// Bodies stand in the file one by one, or are repeated:
//
//     {"kind": "scene", "description": "..", "parameters": {"mu": 0.5, "count": 20, "half": 0.1}, "dimension": 3,
//      "materials": {"wood": {"mu": "mu", "restitution": 0}},
//      "bodies": [{"name": "floor", "fixed": true, "material": "wood",
//                  "shape": {"type": "halfspace", "normal": [0, 0, 1]}},
//                 {"name": "box {i}", "repeat": "count", "shape": {"type": "box", "half": ["half", "half", "half"]},
//                  "position": [0, 0, "(2*i + 1)*half"], "material": "wood"}],
//      "joints": [{"name": "hinge", "type": "revolute", "bodies": ["box 0", "world"], "point": [..], "axis": [..]}],
//      "step": {"h": 0.01}, "time": 10}
//
// Any number may be a formula of the parameters and, where there is "repeat", of i = 0, 1, ..; docs/runs.md has all
// fields.
#ifndef STICTION_SCENE_H
#define STICTION_SCENE_H

#include <stiction/bodies.h>
#include <stiction/document.h>
#include <stiction/granular.h>
#include <stiction/urdf.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_LAYOUT_LIST(X)                 \
    X(STI_LAYOUT_PEBBLE_BED, "pebble-bed") \
    X(STI_LAYOUT_SETTLE, "settle")         \
    X(STI_LAYOUT_BOX, "box")               \
    X(STI_LAYOUT_HOPPER, "hopper")         \
    X(STI_LAYOUT_DRUM, "drum")             \
    X(STI_LAYOUT_HEAP, "heap")

#define STI_X(code, text) code,
typedef enum sti_layout { STI_LAYOUT_LIST(STI_X) STI_LAYOUT_COUNT } sti_layout;
#undef STI_X

STI_API const char* sti_layout_text(sti_layout layout);

// Parameters of all layouts together; each takes those it knows. Lengths 0: the layout's own choice.
typedef struct sti_bed_layout {
    sti_layout layout;
    int count;
    uint64_t seed;
    double mu;
    double cylinder;
    double opening;
    double spread;  // of the radii, as in sti_grain_pour, and the next three
    double width;
    double slope;
    double spin;
    double radius;     // mean of the grains, where the layout takes one
    double gravity;    // downwards
    bool recirculate;  // the bottom is open, and what leaves comes in again at the top
} sti_bed_layout;

enum { STI_SCENE_TEXT = 200, STI_SCENE_CORNERS = 32, STI_SCENE_WALLS = 8 };

// Friction of walls that is no disc (sti_wall_friction): an ellipse or a polygon.
typedef struct sti_scene_friction {
    sti_section_shape shape;  // STI_SECTION_DISC: nothing is said
    double axes[2], angle;
    int corner_count;
    double corner[STI_SCENE_CORNERS][2];
    double along[3];
    int wall_count;  // 0: all walls of the vessel; which ones, by the order of the layout, the bottom being the first
    int wall[STI_SCENE_WALLS];
} sti_scene_friction;

typedef struct sti_bed_scene {
    char description[STI_SCENE_TEXT];
    sti_bed_layout bed;
    sti_scene_friction walls;
    sti_bed_options step;
    double time;           // the run ends then
    double until_kinetic;  // or when the kinetic energy, once above this, falls below it and stays there; 0: never
    double until_mean;     // the same for the mean of grains of diameter 1 under 9.81; of others with their m g d
} sti_bed_scene;

STI_API sti_bed_scene sti_bed_scene_default(sti_layout layout, int count);

// One parameter by its name, "bed.count" or "count", from text. STI_ERR_INPUT says what is wrong with name or value.
STI_API sti_status sti_bed_scene_set(sti_env* env, sti_bed_scene* scene, const char* name, const char* value);

// The scene as JSON text that reads back as the same scene; free with sti_env_free.
STI_API sti_status sti_bed_scene_json(sti_env* env, const sti_bed_scene* scene, char** out);

// The grains at their start; clear with sti_grains_clear.
STI_API sti_status sti_bed_scene_grains(sti_env* env, const sti_bed_scene* scene, sti_grains* out);

// A scene of bodies, as sti_world_scene_of gives it: everything belongs to the document.
typedef struct sti_world_scene {
    char description[STI_SCENE_TEXT];
    const sti_bodies* bodies;
    sti_world_options step;
    double time;  // the run ends then
    int parameter_count;
    const char* const* parameter_names;  // (parameter_count)
    const double* parameters;            // with the settings          (parameter_count)
    int robot_count;
    const sti_urdf_report* robots;  // what was read from URDF       (robot_count)
} sti_world_scene;

// What a document holds (document.h): a bed of grains or bodies. NULL when it is the other, or of another kind.
STI_API const sti_bed_scene* sti_bed_scene_of(const sti_document* document);
STI_API const sti_world_scene* sti_world_scene_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
