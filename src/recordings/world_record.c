// world_record.c: the recording of bodies in motion: every step in numbers, frames with places, velocities, contacts
// and joints, the surfaces of the shapes, and the XDMF file that lets ParaView open the frames.
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "formats/file.h"
#include "formats/xdmf.h"
#include "recordings/frames.h"

// One row a step.
#define DOUBLE(member) STI_STEP_COLUMN(sti_world_report, member, DOUBLE)
#define INT(member) STI_STEP_COLUMN(sti_world_report, member, INT)
#define LONG(member) STI_STEP_COLUMN(sti_world_report, member, LONG)
static const sti_step_column columns[] = {
    LONG(step),          DOUBLE(time),        DOUBLE(residual), LONG(iterations),  INT(contacts),
    INT(touching),       INT(sticking),       INT(joint_rows),  DOUBLE(kinetic),   DOUBLE(potential),
    DOUBLE(work),        DOUBLE(gain),        DOUBLE(mended),   INT(impacts),      DOUBLE(impact_energy),
    DOUBLE(impact_gain), DOUBLE(penetration), DOUBLE(drift),    DOUBLE(corrected),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

// Numbers of a contact, and of a joint in a frame: where they stand in what the world gives.
typedef struct part {
    const char* name;
    int columns;
    size_t offset;
} part;

#define OF_CONTACT(member, columns) \
    { "contacts/" #member, columns, offsetof(sti_world_contact, member) }
static const part contact_parts[] = {
    OF_CONTACT(gap, 0), OF_CONTACT(mu, 0), OF_CONTACT(restitution, 0), OF_CONTACT(point, 3), OF_CONTACT(n, 3),
    OF_CONTACT(t1, 3),  OF_CONTACT(t2, 3), OF_CONTACT(r, 3),           OF_CONTACT(u, 3),
};
enum { CONTACT_PARTS = sizeof contact_parts / sizeof contact_parts[0] };

#define OF_JOINT(member, columns) \
    { "frames/joint_" #member, columns, offsetof(sti_world_joint, member) }
static const part joint_parts[] = {
    OF_JOINT(coordinate, 2), OF_JOINT(speed, 2), OF_JOINT(defect, 1),   OF_JOINT(force, 3),
    OF_JOINT(torque, 3),     OF_JOINT(limit, 2), OF_JOINT(friction, 2), OF_JOINT(motor, 2),
};
enum { JOINT_PARTS = sizeof joint_parts / sizeof joint_parts[0] };

struct sti_world_record {
    sti_env* env;
    sti_recording* file;
    char* path;
    int count, joints;  // bodies, joints
    int step[COLUMNS], solved, at_rest;
    int frame_step, frame_time, frame_x, frame_q, frame_v, frame_w, frame_end, frame_surface;
    int joint[JOINT_PARTS], contact[CONTACT_PARTS];
    int contact_body, contact_shape, contact_id, contact_mode;
    sti_frames frames;
    double* scratch;         // of bodies                  (count x 13)
    sti_world_joint* state;  // of joints                  (joints)
    // surfaces of all shapes, one after the other
    int vertex_count, face_count, topology_size;
    double* vertex;      // in the frames of the bodies   (vertex_count x 3)
    int* vertex_body;    // (vertex_count)
    double* vertex_now;  // in the world                  (vertex_count x 3)
    int* topology;       // XDMF's mixed form             (topology_size)
    int* face_body;      // (face_count)
};

// ---- surfaces

// How far half-spaces are drawn: a few times the size of the scene.
static double extent_of(const sti_bodies* bodies) {
    double extent = 0;
    for (int k = 0; k < sti_bodies_shape_count(bodies); k++) {
        int body;
        const sti_shape* shape = sti_bodies_shape(bodies, k, &body, NULL, NULL);
        const double* x = sti_bodies_body(bodies, body)->pose.x;
        const double reach = sti_shape_reach(shape);
        if (isfinite(reach)) extent = fmax(extent, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + reach);
    }
    return extent > 0 ? 2 * extent : 1;
}

static sti_status add_surface(sti_world_record* r, const sti_surface* s, int body, const sti_pose* place) {
    const size_t nv = (size_t)r->vertex_count + (size_t)s->vertex_count;
    const size_t nf = (size_t)r->face_count + (size_t)s->face_count;
    const size_t faces = sti_size_mul(2, (size_t)s->face_count);
    const size_t nt = sti_size_add((size_t)r->topology_size, sti_size_add((size_t)s->face_start[s->face_count], faces));
    if (nv > INT32_MAX / 8 || nt > INT32_MAX / 8)
        return STI_FAIL(r->env, STI_ERR_SIZE, -1, "surfaces of %zu vertices", nv);
    double* vertex = sti_realloc_array(r->env, r->vertex, nv, 3 * sizeof *vertex);
    if (vertex != NULL) r->vertex = vertex;
    int* vertex_body = sti_realloc_array(r->env, r->vertex_body, nv, sizeof *vertex_body);
    if (vertex_body != NULL) r->vertex_body = vertex_body;
    int* topology = sti_realloc_array(r->env, r->topology, nt, sizeof *topology);
    if (topology != NULL) r->topology = topology;
    int* face_body = sti_realloc_array(r->env, r->face_body, nf, sizeof *face_body);
    if (face_body != NULL) r->face_body = face_body;
    if (vertex == NULL || vertex_body == NULL || topology == NULL || face_body == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < s->face_count; k++) {
        const int first = s->face_start[k], size = s->face_start[k + 1] - first;
        topology[r->topology_size++] = 3;  // a polygon, its number of corners, then those
        topology[r->topology_size++] = size;
        for (int i = 0; i < size; i++) topology[r->topology_size++] = r->vertex_count + s->corners[first + i];
        face_body[r->face_count++] = body;
    }
    for (int k = 0; k < s->vertex_count; k++) {
        sti_pose_apply(place, s->vertices + 3 * (size_t)k, vertex + 3 * (size_t)r->vertex_count);
        vertex_body[r->vertex_count++] = body;
    }
    return STI_OK;
}

static sti_status make_surfaces(sti_world_record* r, const sti_bodies* bodies) {
    const double extent = extent_of(bodies);
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < sti_bodies_shape_count(bodies); k++) {
        int body;
        sti_pose place;
        sti_surface surface;
        const sti_shape* shape = sti_bodies_shape(bodies, k, &body, &place, NULL);
        status = sti_surface_make(r->env, shape, extent, &surface);
        if (status == STI_OK) status = add_surface(r, &surface, body, &place);
        sti_surface_clear(r->env, &surface);
    }
    if (status != STI_OK) return status;
    r->vertex_now = sti_alloc_array(r->env, (size_t)r->vertex_count, 3 * sizeof *r->vertex_now);
    return r->vertex_now != NULL ? STI_OK : STI_ERR_MEMORY;
}

// ---- what does not change

static sti_status put_names(const sti_world_record* r, const char* where, const sti_bodies* bodies, bool joints) {
    const int count = joints ? r->joints : r->count;
    size_t size = 1;
    for (int k = 0; k < count; k++)
        size += strlen(joints ? sti_bodies_joint(bodies, k)->name : sti_bodies_body(bodies, k)->name) + 1;
    char *text = sti_alloc(r->env, size), *to = text;
    if (text == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        const char* name = joints ? sti_bodies_joint(bodies, k)->name : sti_bodies_body(bodies, k)->name;
        const size_t length = strlen(name);
        memcpy(to, name, length);
        to += length;
        if (k + 1 < count) *to++ = '\n';
    }
    *to = '\0';
    const sti_status status = sti_recording_put_text(r->file, where, text);
    sti_free(r->env, text);
    return status;
}

static sti_status put_bodies(const sti_world_record* r, const sti_bodies* bodies) {
    const size_t count = (size_t)r->count;
    double* number = sti_alloc_array(r->env, count, 13 * sizeof *number);  // mass, centre, inertia
    int* fixed = sti_alloc_array(r->env, count, sizeof *fixed);
    sti_status status = STI_OK;
    if (number == NULL || fixed == NULL) status = STI_ERR_MEMORY;
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        const sti_body* b = sti_bodies_body(bodies, (int)k);
        fixed[k] = b->fixed;
        number[k] = b->fixed ? 0 : b->mass;
        memcpy(number + count + 3 * k, b->centre, sizeof b->centre);
        memcpy(number + 4 * count + 9 * k, b->inertia, sizeof b->inertia);
    }
    const int dim = sti_bodies_dim(bodies);
    if (status == STI_OK) status = sti_recording_put(r->file, "bodies/dimension", STI_RECORD_INT, 1, 0, &dim);
    if (status == STI_OK) status = sti_recording_put(r->file, "bodies/fixed", STI_RECORD_INT, r->count, 0, fixed);
    if (status == STI_OK) status = sti_recording_put(r->file, "bodies/mass", STI_RECORD_DOUBLE, r->count, 0, number);
    if (status == STI_OK)
        status = sti_recording_put(r->file, "bodies/centre", STI_RECORD_DOUBLE, r->count, 3, number + count);
    if (status == STI_OK)
        status = sti_recording_put(r->file, "bodies/inertia", STI_RECORD_DOUBLE, r->count, 9, number + 4 * count);
    sti_free(r->env, number);
    sti_free(r->env, fixed);
    if (status == STI_OK) status = put_names(r, "bodies/name", bodies, false);
    if (status == STI_OK && r->joints > 0) status = put_names(r, "joints/name", bodies, true);
    return status;
}

static sti_status put_surfaces(const sti_world_record* r) {
    if (r->vertex_count == 0) return STI_OK;
    sti_status status =
        sti_recording_put(r->file, "surfaces/topology", STI_RECORD_INT, r->topology_size, 0, r->topology);
    if (status == STI_OK)
        status = sti_recording_put(r->file, "surfaces/body", STI_RECORD_INT, r->face_count, 0, r->face_body);
    return status;
}

// ---- series

static sti_status make_series(sti_world_record* r) {
    const int n = r->count;
    const long rows = n < 256 ? 512 : n < 16384 ? 4L * n : 65536;  // about the contacts of a frame
    const struct {
        sti_series_def def;
        int* series;
        bool wanted;
    } list[] = {
        {{"steps/solved", STI_RECORD_INT, 0, 0, 0}, &r->solved, true},
        {{"steps/at_rest", STI_RECORD_INT, 0, 0, 0}, &r->at_rest, true},
        {{"frames/step", STI_RECORD_LONG, 0, 0, 0}, &r->frame_step, true},
        {{"frames/time", STI_RECORD_DOUBLE, 0, 0, 0}, &r->frame_time, true},
        {{"frames/x", STI_RECORD_DOUBLE, n, 3, 0}, &r->frame_x, n > 0},
        {{"frames/q", STI_RECORD_DOUBLE, n, 4, 0}, &r->frame_q, n > 0},
        {{"frames/v", STI_RECORD_DOUBLE, n, 3, 0}, &r->frame_v, n > 0},
        {{"frames/w", STI_RECORD_DOUBLE, n, 3, 0}, &r->frame_w, n > 0},
        {{"frames/contact_end", STI_RECORD_LONG, 0, 0, 0}, &r->frame_end, true},
        {{"frames/surface", STI_RECORD_DOUBLE, r->vertex_count, 3, 0}, &r->frame_surface, r->vertex_count > 0},
        {{"contacts/body", STI_RECORD_INT, 0, 2, rows}, &r->contact_body, true},
        {{"contacts/shape", STI_RECORD_INT, 0, 2, rows}, &r->contact_shape, true},
        {{"contacts/id", STI_RECORD_LONG, 0, 0, rows}, &r->contact_id, true},
        {{"contacts/mode", STI_RECORD_INT, 0, 0, rows}, &r->contact_mode, true},
    };
    sti_status status = sti_steps_make(r->file, columns, COLUMNS, r->step);
    for (size_t k = 0; status == STI_OK && k < sizeof list / sizeof list[0]; k++)
        if (list[k].wanted) status = sti_recording_series(r->file, &list[k].def, list[k].series);
    for (int k = 0; status == STI_OK && k < CONTACT_PARTS; k++) {
        const sti_series_def def = {contact_parts[k].name, STI_RECORD_DOUBLE, 0, contact_parts[k].columns, rows};
        status = sti_recording_series(r->file, &def, &r->contact[k]);
    }
    for (int k = 0; status == STI_OK && k < JOINT_PARTS && r->joints > 0; k++) {
        const sti_series_def def = {joint_parts[k].name, STI_RECORD_DOUBLE, r->joints, joint_parts[k].columns, 0};
        status = sti_recording_series(r->file, &def, &r->joint[k]);
    }
    return status;
}

// ---- life

sti_status sti_world_record_save_state(const sti_world_record* r, void** bytes, size_t* size) {
    return sti_frames_state(r->env, &r->frames, r->file, bytes, size);
}

static sti_status begin(sti_world_record* r, const sti_bodies* bodies, const char* scene, const void* state,
                        size_t state_size) {
    sti_status status = make_surfaces(r, bodies);
    if (status == STI_OK)
        status = state != NULL ? sti_frames_resume(r->env, &r->frames, r->path, state, state_size, &r->file)
                               : sti_recording_create(r->env, r->path, &r->file);
    if (status == STI_OK) status = sti_recording_put_text(r->file, "scene", scene);
    if (status == STI_OK) status = put_bodies(r, bodies);
    if (status == STI_OK) status = put_surfaces(r);
    if (status == STI_OK) status = make_series(r);
    if (status == STI_OK && sti_recording_rows(r->file, r->frame_time) != (long)r->frames.count)
        status = sti_file_fail(r->env, STI_ERR_INPUT, r->path, "not the recording that the checkpoint was made with");
    return status == STI_OK ? sti_world_record_commit(r, true) : status;
}

sti_status sti_world_record_create(sti_env* env, const char* path, const sti_bodies* bodies, const char* scene,
                                   const void* state, size_t state_size, sti_world_record** out) {
    *out = NULL;
    sti_world_record* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    r->env = env;
    r->count = sti_bodies_count(bodies);
    r->joints = sti_bodies_joint_count(bodies);
    r->path = sti_strdup(env, path);
    r->scratch = sti_alloc_array(env, (size_t)r->count, 13 * sizeof *r->scratch);
    r->state = sti_alloc_array(env, (size_t)r->joints, sizeof *r->state);
    sti_status status = STI_OK;
    if (r->path == NULL || r->scratch == NULL || r->state == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = begin(r, bodies, scene, state, state_size);
    if (status == STI_OK)
        *out = r;
    else
        sti_world_record_destroy(r);
    return status;
}

void sti_world_record_destroy(sti_world_record* r) {
    if (r == NULL) return;
    sti_recording_destroy(r->file);
    sti_free(r->env, r->path);
    sti_frames_clear(r->env, &r->frames);
    sti_free(r->env, r->scratch);
    sti_free(r->env, r->state);
    sti_free(r->env, r->vertex);
    sti_free(r->env, r->vertex_body);
    sti_free(r->env, r->vertex_now);
    sti_free(r->env, r->topology);
    sti_free(r->env, r->face_body);
    sti_free(r->env, r);
}

long sti_world_record_frames(const sti_world_record* r) {
    return (long)r->frames.count;
}

// ---- steps and frames

sti_status sti_world_record_step(sti_world_record* r, const sti_world_report* report) {
    const int solved = report->solved, at_rest = report->at_rest;
    sti_status status = sti_recording_append(r->file, r->solved, 1, &solved);
    if (status == STI_OK) status = sti_recording_append(r->file, r->at_rest, 1, &at_rest);
    return status == STI_OK ? sti_steps_append(r->file, columns, COLUMNS, r->step, report) : status;
}

static sti_status record_places(sti_world_record* r, const sti_world* world) {
    const size_t n = (size_t)r->count;
    double *x = r->scratch, *q = x + 3 * n, *v = q + 4 * n, *w = v + 3 * n;
    if (n == 0) return STI_OK;
    for (size_t k = 0; k < n; k++) {
        sti_pose pose;
        sti_world_pose(world, (int)k, &pose);
        memcpy(x + 3 * k, pose.x, sizeof pose.x);
        memcpy(q + 4 * k, pose.q, sizeof pose.q);
        sti_world_velocity(world, (int)k, v + 3 * k, w + 3 * k);
    }
    sti_status status = sti_recording_append(r->file, r->frame_x, 1, x);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_q, 1, q);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_v, 1, v);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_w, 1, w);
    if (status != STI_OK || r->vertex_count == 0) return status;
    for (int k = 0; k < r->vertex_count; k++) {
        const size_t body = (size_t)r->vertex_body[k], i = 3 * (size_t)k;
        sti_pose pose;
        memcpy(pose.x, x + 3 * body, sizeof pose.x);
        memcpy(pose.q, q + 4 * body, sizeof pose.q);
        sti_pose_apply(&pose, r->vertex + i, r->vertex_now + i);
    }
    return sti_recording_append(r->file, r->frame_surface, 1, r->vertex_now);
}

// One member of `count` structs of `stride` bytes, side by side in `out`.
static void gather(const void* from, size_t stride, int count, const part* p, double* out) {
    const size_t width = p->columns > 0 ? (size_t)p->columns : 1;
    for (size_t k = 0; k < (size_t)count; k++)
        memcpy(out + width * k, (const char*)from + stride * k + p->offset, sti_size_mul(width, sizeof *out));
}

static sti_status record_joints(sti_world_record* r, const sti_world* world) {
    double* rows = sti_alloc_array(r->env, (size_t)r->joints, 3 * sizeof *rows);
    sti_status status = rows != NULL ? STI_OK : STI_ERR_MEMORY;
    for (int k = 0; k < r->joints; k++) sti_world_joint_state(world, k, &r->state[k]);
    for (int k = 0; status == STI_OK && k < JOINT_PARTS && r->joints > 0; k++) {
        gather(r->state, sizeof *r->state, r->joints, &joint_parts[k], rows);
        status = sti_recording_append(r->file, r->joint[k], 1, rows);
    }
    sti_free(r->env, rows);
    return status;
}

static sti_status record_names(sti_world_record* r, const sti_world_contact* list, int count, int* whole, int64_t* id) {
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++) {
        whole[2 * k] = list[k].a;
        whole[2 * k + 1] = list[k].b;
        whole[2 * (n + k)] = list[k].shape_a;
        whole[2 * (n + k) + 1] = list[k].shape_b;
        whole[4 * n + k] = list[k].mode;
        memcpy(&id[k], &list[k].id, sizeof id[k]);
    }
    sti_status status = sti_recording_append(r->file, r->contact_body, count, whole);
    if (status == STI_OK) status = sti_recording_append(r->file, r->contact_shape, count, whole + 2 * n);
    if (status == STI_OK) status = sti_recording_append(r->file, r->contact_mode, count, whole + 4 * n);
    if (status == STI_OK) status = sti_recording_append(r->file, r->contact_id, count, id);
    return status;
}

static sti_status record_contacts(sti_world_record* r, const sti_world* world) {
    int count = 0;
    const sti_world_contact* list = sti_world_contacts(world, &count);
    const size_t n = (size_t)count;
    sti_arena memory = sti_arena_make(r->env);
    int* whole = sti_arena_raw(&memory, n, 5 * sizeof *whole);  // bodies, shapes, modes
    double* rows = sti_alloc_array(r->env, n, 3 * sizeof *rows);
    int64_t* id = sti_arena_raw(&memory, n, sizeof *id);
    sti_status status = STI_OK;
    if (memory.status != STI_OK || rows == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = record_names(r, list, count, whole, id);
    for (int k = 0; status == STI_OK && k < CONTACT_PARTS; k++) {
        gather(list, sizeof *list, count, &contact_parts[k], rows);
        status = sti_recording_append(r->file, r->contact[k], count, rows);
    }
    const long end = sti_recording_rows(r->file, r->contact_mode);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_end, 1, &end);
    sti_free(r->env, rows);
    sti_arena_clear(&memory);
    return status;
}

sti_status sti_world_record_frame(sti_world_record* r, const sti_world* world) {
    const double time = sti_world_time(world);
    const long step = sti_world_steps(world);
    sti_status status = sti_recording_append(r->file, r->frame_step, 1, &step);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_time, 1, &time);
    if (status == STI_OK) status = record_places(r, world);
    if (status == STI_OK) status = record_joints(r, world);
    if (status == STI_OK) status = record_contacts(r, world);
    return status == STI_OK ? sti_frames_keep(r->env, &r->frames, time) : status;
}

// ---- XDMF: the surfaces as polygons, once for each frame

static sti_status write_xdmf(const sti_world_record* r) {
    sti_xdmf x;
    sti_xdmf_begin(r->env, r->path, "bodies", &x);
    for (size_t k = 0; k < r->frames.count && r->vertex_count > 0; k++) {
        sti_xdmf_put(&x,
                     "<Grid Name=\"%zu\"><Time Value=\"%.17g\"/><Topology TopologyType=\"Mixed\" "
                     "NumberOfElements=\"%d\"><DataItem Dimensions=\"%d\" NumberType=\"Int\" Precision=\"4\" "
                     "Format=\"HDF\">%s:/surfaces/topology</DataItem></Topology>\n<Geometry GeometryType=\"XYZ\">",
                     k, r->frames.time[k], r->face_count, r->topology_size, x.file);
        sti_xdmf_slab(&x, "frames/surface", k, r->frames.count, r->vertex_count, 3);
        sti_xdmf_put(&x,
                     "</Geometry>\n<Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Cell\"><DataItem "
                     "Dimensions=\"%d\" NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">%s:/surfaces/body"
                     "</DataItem></Attribute></Grid>\n",
                     r->face_count, x.file);
    }
    return sti_xdmf_end(&x);
}

sti_status sti_world_record_commit(sti_world_record* r, bool sync) {
    const sti_status status = sti_recording_commit(r->file, sync);
    return status == STI_OK ? write_xdmf(r) : status;
}
