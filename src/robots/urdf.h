// urdf.h: the inside of reading URDF: the model as the file has it, the tree of its links, remarks.
//
//     urdf_read.c    elements to numbers
//     urdf_tree.c    which link hangs on which; links that fixed joints make one
//     urdf_place.c   positions of joints at the start, places of links
//     urdf_shapes.c  collision geometry as shapes
//     urdf_up.c      meshes that say which way is up
//     urdf_masses.c  masses of bodies, and what is assumed where there is none
//     urdf_build.c   bodies, joints, what touches what
//     urdf_text.c    text that is no XML yet
//     urdf_looks.c   what can be seen of links, for pictures
//     urdf_report.c  remarks
#ifndef STI_ROBOTS_URDF_H
#define STI_ROBOTS_URDF_H

#include <stiction/urdf.h>

#include "formats/mesh_file.h"
#include "formats/xml.h"

#define STI_URDF_THIN 1e-6  // what a point or a plane gets around it

enum { STI_URDF_LONGEST_CHAIN = 100 };  // of joints that mimic one another

typedef enum sti_urdf_form {
    STI_URDF_BOX,
    STI_URDF_SPHERE,
    STI_URDF_CYLINDER,
    STI_URDF_CAPSULE,
    STI_URDF_PLANE,  // of other engines: all behind it is solid
    STI_URDF_MESH
} sti_urdf_form;

typedef struct sti_urdf_geometry {
    const sti_xml_node* node;  // <collision>
    sti_urdf_form form;
    double size[3];    // of the box; of a mesh: its scale; of a plane: its normal; otherwise radius and length
    const char* file;  // of the mesh
    sti_pose origin;   // in the link
    int link;
} sti_urdf_geometry;

typedef struct sti_urdf_link {
    const sti_xml_node* node;
    const char* name;
    double mass;        // 0: no inertial
    double centre[3];   // of mass
    double inertia[9];  // about the centre, axes of the link
    bool odd;           // the inertia has a negative moment
    bool touchable;     // has collision geometry that is read
    // the tree
    int joint;         // towards the root; -1: the root itself
    int body_link;     // the link that gives the body its frame and name: itself, or up through fixed joints
    sti_pose in_body;  // place in that frame
    sti_pose place;    // in the world
    bool left_out;     // has no mass, no surface, and hangs on a joint that moves
    int body;          // in sti_bodies; -1: none
} sti_urdf_link;

typedef enum sti_urdf_type {
    STI_URDF_FIXED,
    STI_URDF_REVOLUTE,
    STI_URDF_CONTINUOUS,
    STI_URDF_PRISMATIC,
    STI_URDF_PLANAR,
    STI_URDF_FLOATING,
    STI_URDF_SPHERICAL,  // of other engines
    STI_URDF_TYPE_COUNT
} sti_urdf_type;

typedef struct sti_urdf_joint {
    const sti_xml_node* node;
    const char* name;
    sti_urdf_type type;
    const char *parent_name, *child_name, *mimic_name;
    int parent, child;  // links
    sti_pose origin;    // of the child in the parent
    double axis[3];     // unit
    double lower, upper;
    double effort;  // NAN: not given
    double damping, friction;
    int mimic;  // joint; -1: none
    double multiplier, offset;
    sti_urdf_setting setting;  // of the options
    double start;              // position
    int joint;                 // in sti_bodies; -1: none
} sti_urdf_joint;

// A shape of a geometry; a mesh may have several.
typedef struct sti_urdf_piece {
    sti_shape* shape;  // NULL: bodies have it
    int geometry;
} sti_urdf_piece;

typedef struct sti_urdf_name {
    const char* name;
    int index;
} sti_urdf_name;

typedef struct sti_urdf_model {
    sti_env* env;
    const char* file;
    const sti_urdf_options* options;
    sti_urdf_report* report;
    sti_xml xml;
    int link_count, joint_count, geometry_count;
    sti_urdf_link* link;
    sti_urdf_joint* joint;
    sti_urdf_geometry* geometry;
    sti_urdf_name* link_name;   // sorted                               (link_count)
    sti_urdf_name* joint_name;  // sorted                               (joint_count)
    int root;                   // link
    bool fixed;                 // the root stays where it is
    bool turn_up;               // meshes whose y is up are turned
    bool unfinished;            // xacro has still something to do
    int* order;                 // links, parents before their children (link_count)
    int piece_count, piece_capacity;
    struct sti_urdf_piece* piece;  // shapes                            (piece_count)
} sti_urdf_model;

static inline bool sti_urdf_has_coordinate(sti_urdf_type type) {
    return type == STI_URDF_REVOLUTE || type == STI_URDF_CONTINUOUS || type == STI_URDF_PRISMATIC;
}

// ---- urdf_read.c

sti_status sti_urdf_read(sti_urdf_model* model);
// A <collision> or <visual>; *is: it has a geometry that is read. What is not is remarked.
sti_status sti_urdf_read_geometry(sti_urdf_model* model, const sti_xml_node* node, int link, sti_urdf_geometry* out,
                                  bool* is);
// "file: line 12: joint "elbow": axis: xyz: "0 0 a": text". attribute NULL: of the element as a whole.
sti_status sti_urdf_fail(const sti_urdf_model* model, const sti_xml_node* node, const char* attribute,
                         const char* format, ...) __attribute__((format(printf, 4, 5)));
// What engines take although the specification does not: refused when the options are strict, otherwise assumed and
// remarked. assumed: the same text for all of one kind.
sti_status sti_urdf_mend(sti_urdf_model* model, const sti_xml_node* node, const char* attribute, const char* refused,
                         const char* assumed);
// joint "elbow": limit
void sti_urdf_describe(const sti_xml_node* node, char* text, size_t size);

// ---- urdf_tree.c

sti_status sti_urdf_tree(sti_urdf_model* model);
int sti_urdf_find(const sti_urdf_name* names, int count, const char* name);  // -1: none

// ---- urdf_place.c

sti_status sti_urdf_place(sti_urdf_model* model);
// What the joint does to its child at the position q, in the frame of the joint.
sti_pose sti_urdf_motion(const sti_urdf_joint* joint, double q);
sti_pose sti_urdf_axis_frame(const double axis[3]);  // a rotation that takes z to the axis

// ---- urdf_shapes.c

// Its shapes behind the pieces there are. fixed: the body does not move, so a mesh may stay a mesh.
sti_status sti_urdf_shape(sti_urdf_model* model, int geometry, bool fixed);

// The shape of a form that is no mesh.
sti_status sti_urdf_plain_shape(const sti_urdf_model* model, const sti_urdf_geometry* geometry, sti_shape** out);

// Its triangles; the caller clears them, after failures too.
sti_status sti_urdf_read_mesh(sti_urdf_model* model, const sti_urdf_geometry* geometry, sti_mesh_data* out);

// ---- urdf_up.c

// model->turn_up, before shapes are made.
sti_status sti_urdf_find_up(sti_urdf_model* model);

static inline sti_pose sti_urdf_piece_place(const sti_urdf_model* m, int piece) {  // in the frame of the body
    const sti_urdf_geometry* g = &m->geometry[m->piece[piece].geometry];
    return sti_pose_compose(&m->link[g->link].in_body, &g->origin);
}

// ---- urdf_masses.c

// What the links of one body sum up to; by the index of the link that names it.
typedef struct sti_urdf_sum {
    double mass, centre[3], inertia[9];
    bool touchable;
    int hangs;  // joints that carry other bodies, as far as those are not left out
} sti_urdf_sum;

// sums (link_count), all 0 before. Links that are left out are marked.
sti_status sti_urdf_masses(sti_urdf_model* model, sti_urdf_sum* sums);

// ---- urdf_text.c

// What stands before the XML declaration goes, line by line; *out NULL: nothing to do. free with sti_free
sti_status sti_urdf_clean(sti_urdf_model* model, const char* text, size_t size, char** out);
// $(optenv NAME default) becomes its default, everywhere.
sti_status sti_urdf_substitute(sti_urdf_model* model);

// ---- urdf_build.c

sti_status sti_urdf_build(sti_urdf_model* model, sti_bodies* bodies);

// ---- urdf_looks.c

// Once bodies are there and shapes with them: report->looks, as options->show asks.
sti_status sti_urdf_looks(sti_urdf_model* model, const sti_urdf_sum* sums);

// ---- urdf_report.c

// element NULL: as sti_urdf_describe has it. Remarks of one kind with the same element and text become one.
sti_status sti_urdf_remark_add(sti_urdf_model* model, sti_urdf_what what, const sti_xml_node* node, const char* element,
                               const char* format, ...) __attribute__((format(printf, 5, 6)));
// The same with its kind, a text that remarks of one kind share (above: the format), and the text as it is.
sti_status sti_urdf_remark_kind(sti_urdf_model* model, sti_urdf_what what, const sti_xml_node* node,
                                const char* element, const char* kind, const char* text);
void sti_urdf_report_sort(sti_urdf_report* report);

#endif
