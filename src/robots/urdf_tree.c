// urdf_tree.c: URDF: the tree of links. One root, no link twice, no cycle; every mistake with its lines.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/file.h"
#include "robots/urdf.h"

// ---- names

static int compare(const void* a, const void* b) {
    const sti_urdf_name *s = a, *t = b;
    const int order = strcmp(s->name, t->name);
    return order != 0 ? order : s->index < t->index ? -1 : s->index > t->index;
}

int sti_urdf_find(const sti_urdf_name* names, int count, const char* name) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(names[low].name, name) == 0 ? names[low].index : -1;
}

// Sorted; *twice: the second of two with one name, -1: none.
static void sort_names(sti_urdf_name* names, int count, int* first, int* twice) {
    if (count > 1) qsort(names, (size_t)count, sizeof *names, compare);
    *twice = -1;
    for (int k = 1; k < count && *twice < 0; k++) {
        if (strcmp(names[k].name, names[k - 1].name) != 0) continue;
        *first = names[k - 1].index;
        *twice = names[k].index;
    }
}

static sti_status name_all(sti_urdf_model* m) {
    int first = -1, twice;
    m->link_name = sti_alloc_array(m->env, (size_t)m->link_count, sizeof *m->link_name);
    m->joint_name = sti_alloc_array(m->env, (size_t)m->joint_count, sizeof *m->joint_name);
    if (m->link_name == NULL || m->joint_name == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < m->link_count; k++) m->link_name[k] = (sti_urdf_name){m->link[k].name, k};
    sort_names(m->link_name, m->link_count, &first, &twice);
    if (twice >= 0)
        return sti_urdf_fail(m, m->link[twice].node, "name", "a link of this name stands in line %d",
                             m->link[first].node->line);
    for (int k = 0; k < m->joint_count; k++) m->joint_name[k] = (sti_urdf_name){m->joint[k].name, k};
    sort_names(m->joint_name, m->joint_count, &first, &twice);
    if (twice >= 0)
        return sti_urdf_fail(m, m->joint[twice].node, "name", "a joint of this name stands in line %d",
                             m->joint[first].node->line);
    return STI_OK;
}

// ---- who hangs on whom

static sti_status find_link(const sti_urdf_model* m, const sti_urdf_joint* joint, const char* end, const char* name,
                            int* out) {
    *out = sti_urdf_find(m->link_name, m->link_count, name);
    if (*out >= 0) return STI_OK;
    return sti_urdf_fail(m, sti_xml_find(joint->node, end), "link", "no such link");
}

static sti_status connect(sti_urdf_model* m, int index) {
    sti_urdf_joint* joint = &m->joint[index];
    sti_status status = find_link(m, joint, "parent", joint->parent_name, &joint->parent);
    if (status == STI_OK) status = find_link(m, joint, "child", joint->child_name, &joint->child);
    if (status != STI_OK) return status;
    if (joint->parent == joint->child)
        return sti_urdf_fail(m, sti_xml_find(joint->node, "child"), "link", "parent and child are the same link");
    sti_urdf_link* child = &m->link[joint->child];
    if (child->joint >= 0)
        return sti_urdf_fail(m, sti_xml_find(joint->node, "child"), "link",
                             "already the child of joint \"%.60s\" in line %d: the links have to form a tree",
                             m->joint[child->joint].name, m->joint[child->joint].node->line);
    child->joint = index;
    if (joint->mimic_name == NULL) return STI_OK;
    const sti_xml_node* mimic = sti_xml_find(joint->node, "mimic");
    joint->mimic = sti_urdf_find(m->joint_name, m->joint_count, joint->mimic_name);
    if (joint->mimic < 0) return sti_urdf_mend(m, mimic, "joint", "no such joint", "no such joint: moves on its own");
    if (sti_urdf_has_coordinate(m->joint[joint->mimic].type)) return STI_OK;
    joint->mimic = -1;
    return sti_urdf_mend(m, mimic, "joint", "that joint has no position to be mimicked",
                         "that joint has no position to be mimicked: moves on its own");
}

// A joint that mimics itself, by way of others or not, moves on its own.
static sti_status open_mimics(sti_urdf_model* m) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) {
        int at = m->joint[k].mimic;
        for (int steps = 0; at >= 0 && at != k && steps < STI_URDF_LONGEST_CHAIN; steps++) at = m->joint[at].mimic;
        if (at != k) continue;
        m->joint[k].mimic = -1;
        status = sti_urdf_mend(m, sti_xml_find(m->joint[k].node, "mimic"), "joint",
                               "joints that mimic one another form a cycle",
                               "joints that mimic one another form a cycle: moves on its own");
    }
    return status;
}

static sti_status find_root(sti_urdf_model* m) {
    m->root = -1;
    for (int k = 0; k < m->link_count; k++) {
        if (m->link[k].joint >= 0) continue;
        if (m->root >= 0)
            return sti_urdf_fail(m, m->link[k].node, NULL,
                                 "no joint has it as child, and none has \"%.60s\" in line %d: a robot has one root",
                                 m->link[m->root].name, m->link[m->root].node->line);
        m->root = k;
    }
    if (m->root < 0)
        return sti_urdf_fail(m, m->link[0].node, NULL, "every link is the child of a joint: the links form a cycle");
    return STI_OK;
}

// Breadth first, children in the order of their joints in the file.
static sti_status put_in_order(sti_urdf_model* m) {
    sti_arena memory = sti_arena_make(m->env);
    int* first = sti_arena_raw(&memory, (size_t)m->link_count, sizeof *first);
    int* next = sti_arena_raw(&memory, (size_t)m->joint_count, sizeof *next);
    m->order = sti_alloc_array(m->env, (size_t)m->link_count, sizeof *m->order);
    int count = 0;
    if (memory.status == STI_OK && m->order != NULL) {
        for (int k = 0; k < m->link_count; k++) {
            first[k] = -1;
            m->order[k] = m->root;  // where a cycle is cut off, not all places are filled
        }
        for (int k = m->joint_count; k-- > 0;) {
            next[k] = first[m->joint[k].parent];
            first[m->joint[k].parent] = k;
        }
        m->order[count++] = m->root;
        for (int at = 0; at < count; at++) {
            for (int k = first[m->order[at]]; k >= 0; k = next[k]) m->order[count++] = m->joint[k].child;
        }
    }
    sti_arena_clear(&memory);
    if (count == 0) return STI_ERR_MEMORY;
    return STI_OK;
}

// Every link has one way up; those that do not end at the root go in circles.
static sti_status check_reached(sti_urdf_model* m) {
    bool* reached = sti_alloc_array_zero(m->env, (size_t)m->link_count, sizeof *reached);
    if (reached == NULL) return STI_ERR_MEMORY;
    int cut = -1;
    for (int at = 0; at < m->link_count; at++) reached[m->order[at]] = true;
    for (int k = 0; k < m->link_count && cut < 0; k++) {
        if (!reached[k]) cut = k;
    }
    sti_free(m->env, reached);
    if (cut < 0) return STI_OK;
    return sti_urdf_fail(m, m->link[cut].node, NULL, "is part of a cycle of joints, or hangs on one");
}

static void join_fixed(sti_urdf_model* m) {
    for (int at = 0; at < m->link_count; at++) {
        sti_urdf_link* link = &m->link[m->order[at]];
        link->body_link = m->order[at];
        link->in_body = sti_pose_identity();
        if (link->joint < 0 || m->joint[link->joint].type != STI_URDF_FIXED) continue;
        const sti_urdf_joint* joint = &m->joint[link->joint];
        const sti_urdf_link* parent = &m->link[joint->parent];
        link->body_link = parent->body_link;
        link->in_body = sti_pose_compose(&parent->in_body, &joint->origin);
    }
}

// ---- what the options say of joints

static void overlay(sti_urdf_setting* to, const sti_urdf_setting* from) {
    if (!isnan(from->position)) to->position = from->position;
    if (!isnan(from->motor_speed)) to->motor_speed = from->motor_speed;
    if (!isnan(from->motor_force)) to->motor_force = from->motor_force;
    if (!isnan(from->stiffness)) to->stiffness = from->stiffness;
    if (!isnan(from->rest)) to->rest = from->rest;
    if (!isnan(from->damping)) to->damping = from->damping;
    if (!isnan(from->friction)) to->friction = from->friction;
}

static sti_status check_setting(const sti_urdf_model* m, const sti_urdf_setting* s) {
    const double value[] = {s->position,  s->motor_speed, s->rest,    s->motor_force,
                            s->stiffness, s->damping,     s->friction};
    static const char* const name[] = {"position",  "motor speed", "rest",    "motor force",
                                       "stiffness", "damping",     "friction"};
    for (int k = 0; k < 7; k++) {
        if (isinf(value[k]) || (k >= 3 && value[k] < 0))
            return sti_file_fail(m->env, STI_ERR_INPUT, m->file, "setting of joint \"%.60s\": %s: %g: %s is expected",
                                 s->joint, name[k], value[k], k >= 3 ? "a number from 0 on" : "a finite number");
    }
    return STI_OK;
}

// Does the name fit the pattern, in which '*' stands for any text?
static bool fits(const char* pattern, const char* name) {
    const char *star = NULL, *retry = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {  // let the last star take one character more
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static sti_status take_pattern(sti_urdf_model* m, const sti_urdf_setting* s) {
    bool any = false;
    sti_status status = check_setting(m, s);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) {
        sti_urdf_joint* joint = &m->joint[k];
        if (!sti_urdf_has_coordinate(joint->type) || joint->mimic >= 0 || !fits(s->joint, joint->name)) continue;
        overlay(&joint->setting, s);
        any = true;
    }
    if (status != STI_OK || any) return status;
    return sti_file_fail(m->env, STI_ERR_INPUT, m->file, "setting of joint \"%.60s\": fits no joint that moves",
                         s->joint);
}

static sti_status take_settings(sti_urdf_model* m) {
    for (int k = 0; k < m->options->setting_count; k++) {
        const sti_urdf_setting* s = &m->options->settings[k];
        if (s->joint != NULL && strchr(s->joint, '*') != NULL) {
            const sti_status status = take_pattern(m, s);
            if (status != STI_OK) return status;
            continue;
        }
        const int index = s->joint != NULL ? sti_urdf_find(m->joint_name, m->joint_count, s->joint) : -1;
        const char* name = s->joint != NULL ? s->joint : "";
        if (index < 0)
            return sti_file_fail(m->env, STI_ERR_INPUT, m->file, "setting of joint \"%.60s\": no such joint", name);
        if (!sti_urdf_has_coordinate(m->joint[index].type))
            return sti_file_fail(m->env, STI_ERR_INPUT, m->file,
                                 "setting of joint \"%.60s\": it is neither revolute, continuous nor prismatic", name);
        const sti_status status = check_setting(m, s);
        if (status != STI_OK) return status;
        overlay(&m->joint[index].setting, s);
    }
    return STI_OK;
}

static sti_status hold(sti_urdf_model* m, const char* why) {
    m->fixed = true;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->link[m->root].node, NULL, "%s: it stays where it is", why);
}

// A root that is nothing but a frame, with floating joints alone, is the world: what floats are its children. So is one
// with a plane, and one of a robot without any mass and surface.
static sti_status hold_root(sti_urdf_model* m) {
    bool floats = false, other = false, empty = true, plane = false;
    m->fixed = m->options->fixed;
    if (m->fixed) return STI_OK;
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        other = other || (link->body_link == m->root && (link->mass > 0 || link->touchable));
        empty = empty && !(link->mass > 0) && !link->touchable;
    }
    for (int k = 0; k < m->geometry_count; k++)
        plane = plane || (m->geometry[k].form == STI_URDF_PLANE && m->link[m->geometry[k].link].body_link == m->root);
    for (int k = 0; k < m->joint_count; k++) {
        const sti_urdf_joint* joint = &m->joint[k];
        if (m->link[joint->parent].body_link != m->root || joint->type == STI_URDF_FIXED) continue;
        floats = true;
        other = other || joint->type != STI_URDF_FLOATING;
    }
    if (floats && !other) return hold(m, "has no mass and no shape, and all other links float in it");
    if (plane) return hold(m, "has a plane");
    if (empty && !m->options->strict) return hold(m, "no link of the robot has a mass or a shape");
    return STI_OK;
}

sti_status sti_urdf_tree(sti_urdf_model* m) {
    sti_status status = name_all(m);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) status = connect(m, k);
    if (status == STI_OK) status = open_mimics(m);
    if (status == STI_OK) status = find_root(m);
    if (status == STI_OK) status = put_in_order(m);
    if (status != STI_OK) return status;
    status = check_reached(m);
    if (status != STI_OK) return status;
    join_fixed(m);
    status = hold_root(m);
    return status == STI_OK ? take_settings(m) : status;
}
