// urdf.h: robots from URDF files, as rigid bodies in space, with a report of all that was not taken as it stands.
//
//     sti_urdf_options options = sti_urdf_options_default();
//     sti_urdf_report report;
//     status = sti_urdf_add(env, "arm.urdf", &options, bodies, &report);
//     for (int k = 0; k < report.remark_count; k++) ... report.remarks[k].text ...
//     sti_urdf_report_clear(env, &report);
//
// Links that fixed joints connect become one body, under the name of the first of them. docs/urdf.md says what is read,
// what is approximated and what is ignored.
#ifndef STICTION_URDF_H
#define STICTION_URDF_H

#include <stiction/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_URDF_WHAT_LIST(X)                                                           \
    X(STI_URDF_IGNORED, "ignored")           /* is in the file and has no effect */     \
    X(STI_URDF_APPROXIMATED, "approximated") /* has nearly the effect it should have */ \
    X(STI_URDF_ASSUMED, "assumed")           /* is not said in the file, or could be read another way */

#define STI_X(code, text) code,
typedef enum sti_urdf_what { STI_URDF_WHAT_LIST(STI_X) STI_URDF_WHAT_COUNT } sti_urdf_what;
#undef STI_X

STI_API const char* sti_urdf_what_text(sti_urdf_what what);

typedef struct sti_urdf_remark {
    sti_urdf_what what;
    int line;       // of the element, or of the first of them
    int count;      // elements that this stands for
    uint64_t kind;  // the same number for remarks of one kind
    char* element;  // like: joint "elbow": limit
    char* text;
} sti_urdf_remark;

typedef struct sti_urdf_report {
    char* file;                  // as it was given
    char* robot;                 // its name
    int link_count;              // in the file
    double mass;                 // of all links, of a base that does not move too
    int first_body, body_count;  // what was added; the first is the base
    int first_joint, joint_count;
    int remark_count, remark_capacity;
    sti_urdf_remark* remarks;  // in the order of their lines
    int look_count, look_capacity;
    sti_look* looks;  // as sti_urdf_options.show asks
} sti_urdf_report;

STI_API void sti_urdf_report_clear(sti_env* env, sti_urdf_report* report);  // accepts an empty one

// What the file does not say of a joint. NAN: not given.
typedef struct sti_urdf_setting {
    const char* joint;   // a '*' in it stands for any text: all joints whose names fit and that mimic none
    double position;     // at the start (default 0, or the limit next to it)
    double motor_speed;  // gives the joint a motor
    double motor_force;  // default, and at most: the effort of the file
    double stiffness;    // gives the joint a spring
    double rest;         // of the spring (default: the position at the start)
    double damping;      // instead of the file's
    double friction;     // instead of the file's
} sti_urdf_setting;

STI_API sti_urdf_setting sti_urdf_setting_default(const char* joint);

// Where joints start that no setting places.
#define STI_URDF_POSE_LIST(X)                                                        \
    X(STI_URDF_POSE_ZERO, "zero")     /* at 0, or at the limit next to it */         \
    X(STI_URDF_POSE_MIDDLE, "middle") /* halfway between the limits, at 0 without */ \
    X(STI_URDF_POSE_HOME, "home")     /* at 0, or halfway between limits that exclude 0 */

#define STI_X(code, text) code,
typedef enum sti_urdf_pose { STI_URDF_POSE_LIST(STI_X) STI_URDF_POSE_COUNT } sti_urdf_pose;
#undef STI_X

STI_API const char* sti_urdf_pose_text(sti_urdf_pose pose);
STI_API bool sti_urdf_pose_parse(const char* name, sti_urdf_pose* out);

// What pictures show of links. Links with neither shape nor <visual> are shown as the box that has their moments of
// inertia.
#define STI_URDF_SHOW_LIST(X)                                                                           \
    X(STI_URDF_SHOW_NOTHING, "nothing")     /* no looks are read: pictures have the shapes of bodies */ \
    X(STI_URDF_SHOW_COLLISION, "collision") /* shapes; <visual> of links that have none */              \
    X(STI_URDF_SHOW_VISUAL, "visual")       /* <visual>; shapes of links that have none */

#define STI_X(code, text) code,
typedef enum sti_urdf_show { STI_URDF_SHOW_LIST(STI_X) STI_URDF_SHOW_COUNT } sti_urdf_show;
#undef STI_X

STI_API const char* sti_urdf_show_text(sti_urdf_show show);
STI_API bool sti_urdf_show_parse(const char* name, sti_urdf_show* out);

typedef struct sti_urdf_options {
    const char* name;     // put before the names of bodies and joints, with a '/'; NULL: nothing
    sti_pose place;       // of the root link in the world
    bool on_ground;       // place.x[2] is such that the lowest point of its shapes lies at z = 0 (default false)
    sti_urdf_pose pose;   // (default zero)
    bool fixed;           // the root link does not move (default true)
    bool strict;          // nothing is mended that the specification of URDF forbids (default false)
    bool collide_visual;  // links without <collision> touch with their <visual> (default false)
    sti_urdf_show show;   // which looks the report is to have (default nothing)
    int material;         // of all surfaces (default 0)
    int sides;            // of prisms in place of cylinders; 0: cylinders are round (default)
    int hull_points;      // a mesh with more vertices than this is thinned before its hull is taken (default 2000)
    // part of a hull's size: corners may be left out as long as none sticks out farther (default 1e-3)
    double hull_error;
    // part of a mesh's size: a mesh of a link that moves becomes convex parts, at most 64 of them, whose surfaces lie
    // no farther from its own; 0: one hull (default)
    double decompose;
    int folder_count;
    const char* const* folders;  // where meshes and packages are looked for, after the folder of the file
    int setting_count;
    const sti_urdf_setting* settings;  // several for one joint: what the later ones give counts
} sti_urdf_options;

STI_API sti_urdf_options sti_urdf_options_default(void);

// Adds the robot of a file to `bodies` (of dimension 3). options may be NULL. The report is set in any case, and to be
// cleared; on failure it holds what was remarked until then, and `bodies` may hold a part of the robot: destroy it
// then. STI_ERR_INPUT names file, line, element and value.
STI_API sti_status sti_urdf_add(sti_env* env, const char* path, const sti_urdf_options* options, sti_bodies* bodies,
                                sti_urdf_report* report);
// The same from memory; name stands for the file in messages, and its folder is where meshes are looked for first.
STI_API sti_status sti_urdf_parse(sti_env* env, const char* text, size_t size, const char* name,
                                  const sti_urdf_options* options, sti_bodies* bodies, sti_urdf_report* report);

#ifdef __cplusplus
}
#endif
#endif
