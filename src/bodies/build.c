// build.c: what there is: materials, bodies and their shapes; names, checks, mass properties.
//
// Nothing is added unless all of it is right and there is memory for all of it.
#include "bodies/build.h"

#include <stdio.h>

#include "linalg/vec3.h"

// ---- growth, numbers

sti_status sti_bodies_grow(sti_bodies* bodies, const sti_growing* arrays, int array_count, int count, int* capacity) {
    if (count < *capacity) return STI_OK;
    if (count > INT32_MAX / 4) return STI_FAIL(bodies->env, STI_ERR_SIZE, count, "%d are too many", count);
    const int room = *capacity > 0 ? 2 * *capacity : 8;
    for (int i = 0; i < array_count; i++) {
        void* p = sti_realloc(bodies->env, *arrays[i].array, (size_t)room * arrays[i].size);
        if (p == NULL) return STI_ERR_MEMORY;
        *arrays[i].array = p;
    }
    *capacity = room;
    return STI_OK;
}

sti_status sti_named_check(const sti_body_name* thing, const char* field, double value, sti_number_rule rule) {
    static const char* const expected[] = {[STI_ANY] = "a finite number",
                                           [STI_POSITIVE] = "a positive number",
                                           [STI_NOT_NEGATIVE] = "a finite number not below 0",
                                           [STI_UP_TO_ONE] = "a number from 0 to 1",
                                           [STI_FRICTION] = "a number from 0 to 1e6",
                                           [STI_ZERO] = "0 (in the plane)"};
    const bool good = rule == STI_ANY            ? isfinite(value)
                      : rule == STI_POSITIVE     ? isfinite(value) && value > 0
                      : rule == STI_NOT_NEGATIVE ? isfinite(value) && value >= 0
                      : rule == STI_UP_TO_ONE    ? value >= 0 && value <= 1
                      : rule == STI_FRICTION     ? value >= 0 && value <= 1e6
                                                 : value == 0;
    if (good) return STI_OK;
    return STI_FAIL(thing->env, STI_ERR_INPUT, thing->index, "%s \"%s\": %s: %g: %s is expected", thing->kind,
                    thing->name, field, value, expected[rule]);
}

// Every entry of x; those from `flat` on have to be 0.
static sti_status check_all(const sti_body_name* thing, const char* field, const double* x, int count, int flat) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s[%d]", field, k);
        status = sti_named_check(thing, name, x[k], k < flat ? STI_ANY : STI_ZERO);
    }
    return status;
}

sti_status sti_named_check_pose(const sti_body_name* thing, const char* field, int dim, const sti_pose* pose) {
    char name[64];
    snprintf(name, sizeof name, "%s.x", field);
    sti_status status = check_all(thing, name, pose->x, 3, dim);
    snprintf(name, sizeof name, "%s.q", field);
    if (status == STI_OK) status = check_all(thing, name, pose->q, 4, 4);
    if (status != STI_OK) return status;
    const double s = pose->q[0] * pose->q[0] + dot3(pose->q + 1, pose->q + 1);
    if (!(s > 1e-100 && s < 1e100))
        return STI_FAIL(thing->env, STI_ERR_INPUT, thing->index, "%s \"%s\": %s: (%g, %g, %g, %g) is not a rotation",
                        thing->kind, thing->name, name, pose->q[0], pose->q[1], pose->q[2], pose->q[3]);
    if (dim == 2 && (pose->q[1] != 0 || pose->q[2] != 0))
        return STI_FAIL(thing->env, STI_ERR_INPUT, thing->index,
                        "%s \"%s\": %s: (%g, %g, %g, %g): in the plane a rotation about z is expected", thing->kind,
                        thing->name, name, pose->q[0], pose->q[1], pose->q[2], pose->q[3]);
    return STI_OK;
}

sti_status sti_bodies_check_index(const sti_bodies* bodies, int body, const char* what) {
    if (body >= 0 && body < bodies->count) return STI_OK;
    return STI_FAIL(bodies->env, STI_ERR_INPUT, body, "%s: body %d: there are %d", what, body, bodies->count);
}

// ---- life

static sti_status add_first_material(sti_bodies* bodies) {
    const sti_material material = {.name = "default", .mu = 0.5, .restitution = 0};
    return sti_bodies_add_material(bodies, &material, NULL);
}

sti_status sti_bodies_create(sti_env* env, int dim, sti_bodies** out) {
    *out = NULL;
    if (dim != 2 && dim != 3) return STI_FAIL(env, STI_ERR_ARGUMENT, dim, "dimension %d is neither 2 nor 3", dim);
    sti_bodies* bodies = sti_alloc_array_zero(env, 1, sizeof *bodies);
    if (bodies == NULL) return STI_ERR_MEMORY;
    bodies->env = env;
    bodies->dim = dim;
    const sti_status status = add_first_material(bodies);
    if (status == STI_OK)
        *out = bodies;
    else
        sti_bodies_destroy(bodies);
    return status;
}

void sti_bodies_destroy(sti_bodies* bodies) {
    if (bodies == NULL) return;
    sti_env* env = bodies->env;
    for (int i = 0; i < bodies->count; i++) sti_free(env, (char*)bodies->body[i].name);
    for (int i = 0; i < bodies->material_count; i++) {
        sti_free(env, (char*)bodies->material[i].name);
        sti_free(env, (sti_section*)bodies->material[i].section);
    }
    for (int i = 0; i < bodies->joint_count; i++) sti_free(env, (char*)bodies->joint[i].name);
    for (int i = 0; i < bodies->collider_count; i++) sti_shape_destroy(bodies->collider[i].shape);
    sti_free(env, bodies->body);
    sti_free(env, bodies->mass);
    sti_free(env, bodies->collider);
    sti_free(env, bodies->material);
    sti_free(env, bodies->pair);
    sti_free(env, bodies->joint);
    sti_free(env, bodies->spring);
    sti_free(env, bodies->ignore);
    sti_free(env, bodies->body_names.number);
    sti_free(env, bodies->joint_names.number);
    sti_free(env, bodies);
}

void sti_bodies_set_gravity(sti_bodies* bodies, const double g[3]) {
    for (int k = 0; k < 3; k++) bodies->gravity[k] = k < bodies->dim ? g[k] : 0;
}

void sti_bodies_gravity(const sti_bodies* bodies, double g[3]) {
    memcpy(g, bodies->gravity, sizeof bodies->gravity);
}

// ---- materials

static int find_material(const sti_bodies* bodies, const char* name) {
    for (int i = 0; i < bodies->material_count; i++) {
        if (strcmp(bodies->material[i].name, name) == 0) return i;
    }
    return -1;
}

// A table of pairs that is one wider, with the old entries in place.
static sti_pair* wider_pairs(const sti_bodies* bodies) {
    const size_t n = (size_t)bodies->material_count, m = n + 1;
    sti_pair* pair = sti_alloc_array(bodies->env, m * m, sizeof *pair);
    for (size_t i = 0; pair != NULL && i < m; i++) {
        for (size_t j = 0; j < m; j++)
            pair[i * m + j] = i < n && j < n ? bodies->pair[i * n + j] : (sti_pair){(double)NAN, (double)NAN};
    }
    return pair;
}

static sti_status check_section(const sti_bodies* bodies, const sti_body_name* thing, const sti_material* m) {
    if (m->mu_across != 0)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                        "material \"%s\": mu_across %g: a section says what friction is across the grain", thing->name,
                        m->mu_across);
    if (sti_section_check(bodies->env, m->section) == STI_OK) return STI_OK;
    char why[300];
    snprintf(why, sizeof why, "%.299s", sti_env_error(bodies->env)->text);
    return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "material \"%s\": section: %s", thing->name, why);
}

// A copy with its corners behind it; NULL: no memory
static sti_section* copy_section(sti_env* env, const sti_section* from) {
    const size_t corners = from->shape == STI_SECTION_POLYGON ? 2 * (size_t)from->vertex_count : 0;
    sti_section* to = sti_alloc(env, sti_size_add(sizeof *to, sti_size_mul(corners, sizeof(double))));
    if (to == NULL) return NULL;
    *to = *from;
    to->vertex = corners > 0 ? memcpy(to + 1, from->vertex, corners * sizeof(double)) : NULL;
    return to;
}

static sti_status check_grain(const sti_bodies* bodies, const sti_body_name* thing, const sti_material* m) {
    const double* g = m->grain;
    const bool grained = g[0] != 0 || g[1] != 0 || g[2] != 0;
    if (!grained && m->mu_across == 0 && m->section == NULL) return STI_OK;
    if (bodies->dim != 3)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "material \"%s\": grain: in the plane there is none",
                        thing->name);
    if (!grained || !isfinite(g[0] + g[1] + g[2]))
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                        "material \"%s\": grain: (%g, %g, %g): a direction is expected with %s", thing->name, g[0],
                        g[1], g[2], m->section != NULL ? "a section" : "mu_across");
    if (m->section != NULL) return check_section(bodies, thing, m);
    sti_status status = sti_named_check(thing, "mu_across", m->mu_across, STI_FRICTION);
    if (status == STI_OK && !(m->mu_across > 0 && m->mu > 0))
        status = STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                          "material \"%s\": mu %g, mu_across %g: with a grain both must be positive", thing->name,
                          m->mu, m->mu_across);
    return status;
}

sti_status sti_bodies_add_material(sti_bodies* bodies, const sti_material* material, int* index) {
    const int number = bodies->material_count;
    char* name;
    sti_status status = sti_bodies_name(bodies, "material", material->name, number, find_material, &name);
    if (status != STI_OK) return status;
    const sti_body_name thing = {bodies->env, "material", name, number};
    status = sti_named_check(&thing, "mu", material->mu, STI_FRICTION);
    if (status == STI_OK) status = sti_named_check(&thing, "restitution", material->restitution, STI_UP_TO_ONE);
    if (status == STI_OK) status = check_grain(bodies, &thing, material);
    if (status == STI_OK && !(material->stiffness >= 0 && isfinite(material->stiffness)))
        status = STI_FAIL(bodies->env, STI_ERR_INPUT, number, "material \"%s\": stiffness %g: must not be negative",
                          name, material->stiffness);
    const sti_growing arrays[] = {{(void**)&bodies->material, sizeof *bodies->material}};
    if (status == STI_OK) status = sti_bodies_grow(bodies, arrays, 1, number, &bodies->material_capacity);
    sti_pair* pair = status == STI_OK ? wider_pairs(bodies) : NULL;
    if (status == STI_OK && pair == NULL) status = STI_ERR_MEMORY;
    const bool shaped = material->section != NULL && material->section->shape != STI_SECTION_DISC;
    sti_section* section = status == STI_OK && shaped ? copy_section(bodies->env, material->section) : NULL;
    if (status == STI_OK && shaped && section == NULL) status = STI_ERR_MEMORY;
    if (status != STI_OK) {
        sti_free(bodies->env, pair);
        sti_free(bodies->env, name);
        return status;
    }
    sti_free(bodies->env, bodies->pair);
    bodies->pair = pair;
    bodies->material[number] = *material;
    bodies->material[number].name = name;
    bodies->material[number].section = section;
    bodies->material_count++;
    if (index != NULL) *index = number;
    return STI_OK;
}

static sti_status check_material(const sti_bodies* bodies, int material, const char* what) {
    if (material >= 0 && material < bodies->material_count) return STI_OK;
    return STI_FAIL(bodies->env, STI_ERR_INPUT, material, "%s: material %d: there are %d", what, material,
                    bodies->material_count);
}

sti_status sti_bodies_set_pair(sti_bodies* bodies, int material_a, int material_b, double mu, double restitution) {
    sti_status status = check_material(bodies, material_a, "pair");
    if (status == STI_OK) status = check_material(bodies, material_b, "pair");
    if (status != STI_OK) return status;
    char both[200];
    snprintf(both, sizeof both, "%.90s, %.90s", bodies->material[material_a].name, bodies->material[material_b].name);
    const sti_body_name thing = {bodies->env, "pair", both, material_a};
    status = sti_named_check(&thing, "mu", mu, STI_FRICTION);
    if (status == STI_OK) status = sti_named_check(&thing, "restitution", restitution, STI_UP_TO_ONE);
    if (status != STI_OK) return status;
    const size_t n = (size_t)bodies->material_count, a = (size_t)material_a, b = (size_t)material_b;
    bodies->pair[a * n + b] = bodies->pair[b * n + a] = (sti_pair){mu, restitution};
    return STI_OK;
}

void sti_bodies_pair(const sti_bodies* bodies, int material_a, int material_b, double* mu, double* restitution) {
    const sti_pair* set = &bodies->pair[(size_t)material_a * (size_t)bodies->material_count + (size_t)material_b];
    const sti_material *a = &bodies->material[material_a], *b = &bodies->material[material_b];
    // equal coefficients are kept to the last bit, which the root of the square need not do
    *mu = !isnan(set->mu) ? set->mu : a->mu == b->mu ? a->mu : sqrt(a->mu) * sqrt(b->mu);
    *restitution = !isnan(set->restitution) ? set->restitution : fmax(a->restitution, b->restitution);
}

// ---- mass

// Inverse of a symmetric positive definite 3 x 3 matrix by its Cholesky factor; false where it is not definite to
// rounding.
static bool invert_definite(const double A[9], double inverse[9]) {
    double L[9] = {0};
    for (int j = 0; j < 3; j++) {
        double d = A[4 * j];
        for (int k = 0; k < j; k++) d -= L[3 * j + k] * L[3 * j + k];
        if (!(d > 1e-14 * A[4 * j]) || !isfinite(d)) return false;
        L[4 * j] = sqrt(d);
        for (int i = j + 1; i < 3; i++) {
            double s = A[3 * i + j];
            for (int k = 0; k < j; k++) s -= L[3 * i + k] * L[3 * j + k];
            L[3 * i + j] = s / L[4 * j];
        }
    }
    for (int c = 0; c < 3; c++) {
        double x[3] = {0, 0, 0};
        x[c] = 1;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < i; k++) x[i] -= L[3 * i + k] * x[k];
            x[i] /= L[4 * i];
        }
        for (int i = 2; i >= 0; i--) {
            for (int k = i + 1; k < 3; k++) x[i] -= L[3 * k + i] * x[k];
            x[i] /= L[4 * i];
        }
        for (int i = 0; i < 3; i++) inverse[3 * i + c] = x[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++)
            inverse[3 * i + k] = inverse[3 * k + i] = 0.5 * (inverse[3 * i + k] + inverse[3 * k + i]);
    }
    for (int k = 0; k < 9; k++) {
        if (!isfinite(inverse[k])) return false;
    }
    return true;
}

// Mass, centre and inertia of the description into the numbers of the motion.
static sti_status set_mass(const sti_body_name* thing, int dim, const sti_body* body, sti_body_mass* out) {
    *out = (sti_body_mass){.mass = body->mass};
    sti_status status = sti_named_check(thing, "mass", body->mass, STI_POSITIVE);
    if (status == STI_OK) status = check_all(thing, "centre", body->centre, 3, dim);
    if (status != STI_OK) return status;
    memcpy(out->centre, body->centre, sizeof out->centre);
    const double* I = body->inertia;
    if (dim == 2) {
        out->inertia[8] = I[8];
        out->inverse[8] = 1 / I[8];
        return sti_named_check(thing, "inertia", I[8], STI_POSITIVE);
    }
    status = check_all(thing, "inertia", I, 9, 9);
    const double trace = I[0] + I[4] + I[8];
    for (int i = 0; status == STI_OK && i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (fabs(I[3 * i + k] - I[3 * k + i]) > 1e-9 * trace)
                return STI_FAIL(thing->env, STI_ERR_INPUT, thing->index,
                                "%s \"%s\": inertia: %.9g at row %d, column %d, but %.9g across: not symmetric",
                                thing->kind, thing->name, I[3 * i + k], i, k, I[3 * k + i]);
            out->inertia[3 * i + k] = i == k ? I[3 * i + k] : 0.5 * (I[3 * i + k] + I[3 * k + i]);
        }
    }
    if (status == STI_OK && !invert_definite(out->inertia, out->inverse))
        return STI_FAIL(thing->env, STI_ERR_INPUT, thing->index,
                        "%s \"%s\": inertia: diagonal %g, %g, %g: not positive definite", thing->kind, thing->name,
                        I[0], I[4], I[8]);
    return status;
}

// Two bodies as one: with m = m_1 + m_2 and d from centre to centre,
//     centre c_1 + m_2 / m d,   inertia I_1 + I_2 + m_1 m_2 / m (d'd E - d d').
static void join_mass(const sti_shape_mass* more, sti_body* body) {
    const double m = body->mass + more->mass, share = more->mass / m;
    double d[3];
    sub3(more->centre, body->centre, d);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            body->inertia[3 * i + k] +=
                more->inertia[3 * i + k] + body->mass * share * ((i == k ? dot3(d, d) : 0) - d[i] * d[k]);
    }
    axpy3(share, d, body->centre);
    body->mass = m;
}

// The shape's mass properties in the body frame: R I R'.
static sti_status measure(sti_env* env, const sti_shape* shape, const sti_pose* place, double density,
                          sti_shape_mass* out) {
    sti_status status = sti_shape_measure(env, shape, density, out);
    if (status != STI_OK) return status;
    double R[9], turned[9], centre[3];
    sti_pose_rotation(place, R);
    sti_pose_apply(place, out->centre, centre);
    memcpy(out->centre, centre, sizeof centre);
    for (int i = 0; i < 3; i++) mul3(out->inertia, R + 3 * (size_t)i, turned + 3 * (size_t)i);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= i; k++)
            out->inertia[3 * i + k] = out->inertia[3 * k + i] = dot3(R + 3 * (size_t)k, turned + 3 * (size_t)i);
    }
    return STI_OK;
}

// ---- bodies

sti_body sti_body_default(void) {
    return (sti_body){.pose = {.q = {1, 0, 0, 0}}, .density = 1000};
}

static sti_status check_body(const sti_bodies* bodies, const sti_body_name* thing, const sti_body* body,
                             sti_body_mass* mass) {
    const int dim = bodies->dim;
    *mass = (sti_body_mass){.mass = 0};
    sti_status status = sti_named_check_pose(thing, "pose", dim, &body->pose);
    if (status == STI_OK) status = check_all(thing, "v", body->v, 3, dim);
    if (status == STI_OK && dim == 2) status = check_all(thing, "w", body->w, 2, 0);
    if (status == STI_OK) status = check_all(thing, "w", body->w, 3, 3);
    if (status == STI_OK) status = sti_named_check(thing, "density", body->density, STI_NOT_NEGATIVE);
    if (status == STI_OK && !body->fixed && body->density == 0) status = set_mass(thing, dim, body, mass);
    return status;
}

sti_status sti_bodies_add(sti_bodies* bodies, const sti_body* body, int* index) {
    const int number = bodies->count;
    char* name;
    sti_status status = sti_bodies_name(bodies, "body", body->name, number + 1, sti_bodies_find, &name);
    if (status != STI_OK) return status;
    const sti_body_name thing = {bodies->env, "body", name, number};
    sti_body_mass mass;
    status = check_body(bodies, &thing, body, &mass);
    const sti_growing arrays[] = {{(void**)&bodies->body, sizeof *bodies->body},
                                  {(void**)&bodies->mass, sizeof *bodies->mass}};
    if (status == STI_OK) status = sti_bodies_grow(bodies, arrays, 2, number, &bodies->capacity);
    if (status == STI_OK) status = sti_body_names_reserve(bodies);
    if (status != STI_OK) {
        sti_free(bodies->env, name);
        return status;
    }
    sti_body* new_body = &bodies->body[number];
    *new_body = *body;
    new_body->name = name;
    if (body->fixed || body->density > 0) {  // nothing yet; the shapes bring it
        new_body->mass = 0;
        memset(new_body->centre, 0, sizeof new_body->centre);
        memset(new_body->inertia, 0, sizeof new_body->inertia);
    }
    bodies->mass[number] = mass;
    bodies->count++;
    sti_name_enter(&bodies->body_names, name, number);
    if (index != NULL) *index = number;
    return STI_OK;
}

// ---- shapes

static sti_status check_shape(const sti_bodies* bodies, int body, const sti_shape* shape, const sti_pose* place,
                              int material) {
    sti_status status = sti_bodies_check_index(bodies, body, "shape");
    if (status == STI_OK) status = check_material(bodies, material, "shape");
    if (status != STI_OK) return status;
    const sti_body* of = &bodies->body[body];
    const sti_body_name thing = {bodies->env, "body", of->name, body};
    const sti_shape_kind kind = sti_shape_kind_of(shape);
    if (sti_shape_dim(shape) != bodies->dim)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, body, "body \"%s\": shape: a %s of dimension %d: %d is expected",
                        of->name, sti_shape_kind_text(kind), sti_shape_dim(shape), bodies->dim);
    if (!of->fixed && (kind == STI_SHAPE_HALFSPACE || kind == STI_SHAPE_MESH))
        return STI_FAIL(bodies->env, STI_ERR_INPUT, body, "body \"%s\": shape: a %s, and the body is not fixed",
                        of->name, sti_shape_kind_text(kind));
    return sti_named_check_pose(&thing, "shape.place", bodies->dim, place);
}

sti_status sti_bodies_add_shape(sti_bodies* bodies, int body, sti_shape* shape, const sti_pose* place, int material) {
    if (shape == NULL) return STI_FAIL(bodies->env, STI_ERR_ARGUMENT, body, "shape: missing");
    const sti_pose at = place != NULL ? *place : sti_pose_identity();
    sti_status status = check_shape(bodies, body, shape, &at, material);
    const sti_growing arrays[] = {{(void**)&bodies->collider, sizeof *bodies->collider}};
    if (status == STI_OK)
        status = sti_bodies_grow(bodies, arrays, 1, bodies->collider_count, &bodies->collider_capacity);
    if (status == STI_OK && !bodies->body[body].fixed && bodies->body[body].density > 0) {
        sti_body with = bodies->body[body];
        const sti_body_name thing = {bodies->env, "body", with.name, body};
        sti_shape_mass more;
        sti_body_mass mass;
        status = measure(bodies->env, shape, &at, with.density, &more);
        if (status == STI_OK) join_mass(&more, &with);
        for (int k = 0; bodies->dim == 2 && k < 8; k++) with.inertia[k] = 0;
        if (status == STI_OK) status = set_mass(&thing, bodies->dim, &with, &mass);
        if (status == STI_OK) {
            bodies->body[body] = with;
            bodies->mass[body] = mass;
        }
    }
    if (status != STI_OK) {
        sti_shape_destroy(shape);
        return status;
    }
    bodies->collider[bodies->collider_count++] =
        (sti_collider){.shape = shape, .body = body, .material = material, .place = at};
    return STI_OK;
}

// ---- the whole

sti_status sti_bodies_check(const sti_bodies* bodies) {
    for (int k = 0; k < bodies->dim; k++) {
        if (!isfinite(bodies->gravity[k]))
            return STI_FAIL(bodies->env, STI_ERR_INPUT, k, "gravity[%d]: %g: a finite number is expected", k,
                            bodies->gravity[k]);
    }
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->body[i].fixed && !(bodies->mass[i].mass > 0))
            return STI_FAIL(bodies->env, STI_ERR_INPUT, i,
                            "body \"%s\": density: %g, and there is no shape that it gives a mass",
                            bodies->body[i].name, bodies->body[i].density);
    }
    return STI_OK;
}

int sti_bodies_dim(const sti_bodies* bodies) {
    return bodies->dim;
}

int sti_bodies_count(const sti_bodies* bodies) {
    return bodies->count;
}

const sti_body* sti_bodies_body(const sti_bodies* bodies, int body) {
    return body >= 0 && body < bodies->count ? &bodies->body[body] : NULL;
}

int sti_bodies_shape_count(const sti_bodies* bodies) {
    return bodies->collider_count;
}

const sti_shape* sti_bodies_shape(const sti_bodies* bodies, int shape, int* body, sti_pose* place, int* material) {
    if (shape < 0 || shape >= bodies->collider_count) return NULL;
    const sti_collider* collider = &bodies->collider[shape];
    if (body != NULL) *body = collider->body;
    if (place != NULL) *place = collider->place;
    if (material != NULL) *material = collider->material;
    return collider->shape;
}

int sti_bodies_material_count(const sti_bodies* bodies) {
    return bodies->material_count;
}

const sti_material* sti_bodies_material(const sti_bodies* bodies, int material) {
    return material >= 0 && material < bodies->material_count ? &bodies->material[material] : NULL;
}
