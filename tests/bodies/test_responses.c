// test_responses.c: what linked bodies do under a force of one contact, found for a body once and for its contacts from
// that; and what is linked and at rest is not solved again.
#include "bodies/motion.h"
#include "scene_tools.h"

// Three boxes in a row, hinged to each other; the outer ones stand on the ground, a fourth lies on the middle one.
static sti_bodies* open_bridge(sti_env* env, int dim) {
    sti_bodies* bodies = open_scene(env, dim);
    add_ground(env, bodies, 0);
    const double s = dim == 3;  // heights are along z in space, along y in the plane
    int box[4];
    for (int k = 0; k < 3; k++) box[k] = add_box(env, bodies, 0.5, 0.5, 0.5, at(1.1 * k, 0.5 * (1 - s), 0.5 * s));
    box[3] = add_box(env, bodies, 0.4, 0.2, 0.4, at(1.1, (1 - s) * 1.2, s * 1.4));
    for (int k = 0; k < 2; k++) {
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, box[k], box[k + 1]);
        joint.axis[0].friction = 0.1;
        add_joint(bodies, &joint, 0.55 + 1.1 * k, (1 - s) * 0.8, s * 0.8);
    }
    return bodies;
}

// H_i' A^-1 H_j by a response to each row of j.
static double direct(sti_world* world, const sti_row* ri, const sti_row* rj) {
    const sti_links* links = &world->solve->links;
    const int nv = world->nv, sides[2] = {rj->a, rj->b};
    double z[6 * 8], sum = 0;
    int last = -1;
    for (int side = 0; side < 2; side++) {
        const int slot = sti_slot_of(world, sides[side]), node = slot < 0 ? -1 : links->assembly_of[slot];
        if (node < 0 || node == last) continue;
        last = node;
        sti_links_respond(world, node, rj, z);
        for (int end = 0; end < 2; end++) {
            const int at = sti_slot_of(world, end == 0 ? ri->a : ri->b);
            if (at < 0 || links->assembly_of[at] != node) continue;
            for (int e = 0; e < nv; e++) sum += (end == 0 ? ri->ja : ri->jb)[e] * z[nv * links->place_in[at] + e];
        }
    }
    return sum;
}

static void blocks_of_contacts_are_those_of_their_own_responses(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bridge(env, dim);
        sti_world* world = open_world(env, bodies, NULL);
        sti_world_step(world, NULL);
        struct sti_world_solve* s = world->solve;
        sti_island_room* room = &s->room;
        assert_int_equal(sti_links_collect(world, world->v), STI_OK);
        sti_links_factor(world, 1, world->options.h);
        assert_int_equal(sti_acts_of_step(world), STI_OK);
        assert_int_equal(sti_islands_find(world, &s->acts), STI_OK);
        const sti_island_way way = {.solver = STI_CONTACT_AUTO, .tol = 1e-8, .limit = 100};
        sti_solve_report report;
        assert_int_equal(sti_islands_solve(world, &s->acts, s->v_free, &way, &report), STI_OK);
        for (int i = 0; i < s->acts.count; i++) {  // every act once more, whatever was left out
            int slot[2];
            sti_act_slots(world, &s->acts.act[i], slot);
            room->list[i] = i;
            for (int side = 0; side < 2; side++)
                room->node[2 * i + side] = slot[side] < 0 ? -1 : s->links.assembly_of[slot[side]];
            if (room->node[2 * i] == room->node[2 * i + 1]) room->node[2 * i + 1] = -1;
        }
        assert_int_equal(sti_island_respond(world, &s->acts, s->acts.count), STI_OK);
        int units = 0, numbers = 0;
        for (int i = 0; i < world->moving; i++) units += room->rows_on[i] > world->nv && room->unit[i] != NULL;
        for (int i = 0; i < s->acts.count; i++) {
            for (int j = 0; j < s->acts.count; j++) {
                double B[9];
                sti_island_block(world, &s->acts, i, j, B);
                const sti_act *p = &s->acts.act[i], *q = &s->acts.act[j];
                for (int a = 0; a < dim; a++) {
                    for (int b = 0; b < dim; b++) {
                        if (p->row[a] == NULL || q->row[b] == NULL) continue;
                        const double size =
                            sqrt(sti_row_mass(world, p->row[a], p->row[a]) * sti_row_mass(world, q->row[b], q->row[b]));
                        assert_near(B[a * dim + b], direct(world, p->row[a], q->row[b]), 1e-13 * size);
                        numbers += B[a * dim + b] != 0;
                    }
                }
            }
        }
        assert_true(units >= 2 && numbers > 50);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// The multipliers of joints that a step ends with prove rest in the next one.
static void linked_bodies_at_rest_are_not_solved_again(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bridge(env, dim);
        sti_world* world = open_world(env, bodies, NULL);
        sti_world_report report = {0};
        for (int i = 0; i < 20 && !report.at_rest; i++) report = step(env, world);
        assert_true(report.at_rest);
        for (int i = 0; i < 5; i++) {
            int count = -1;
            report = step(env, world);
            sti_world_attempts(world, &count);
            assert_true(report.at_rest && report.iterations == 0);
            assert_int_equal(count, 0);
            assert_verified(env, world, 1e-10);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_contacts_are_those_of_their_own_responses),
        cmocka_unit_test(linked_bodies_at_rest_are_not_solved_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
