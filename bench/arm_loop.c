// arm_loop: a control loop over the arm of scenes/arm-grasp.json in C: all joints and contacts are read, a motor is
// driven, a step is made. bench/arm_loop.py does the same in Python and tells the price.
//
//     bench_arm_loop [SCENE [STEPS [REPEATS]]]
//
// The least CPU time of the repeats counts; each begins at the start.
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Returns the sum of all that was read, which the twin in Python must match to the last bit.
static sti_status control(sti_world* world, const sti_bodies* bodies, int yaw, int steps, double* sum) {
    int joints = sti_bodies_joint_count(bodies);
    for (int k = 0; k < steps; k++) {
        sti_world_joint state;
        for (int j = 0; j < joints; j++) {
            sti_world_joint_state(world, j, &state);
            *sum += state.coordinate[0];
        }
        sti_world_joint_state(world, yaw, &state);
        sti_status status = sti_world_drive(world, yaw, 0, -5.0 * state.coordinate[0], 100.0,
                                            sti_bodies_joint(bodies, yaw)->axis[0].rest);
        sti_world_report report;
        if (status == STI_OK) status = sti_world_step(world, &report);
        if (status != STI_OK) return status;
        int count = 0;
        const sti_world_contact* contacts = sti_world_contacts(world, &count);
        for (int i = 0; i < count; i++) *sum += contacts[i].r[0];
        *sum += report.residual;
    }
    return STI_OK;
}

int main(int argc, char** argv) {
    const char* scene_file = argc > 1 ? argv[1] : "scenes/arm-grasp.json";
    int steps = argc > 2 ? atoi(argv[2]) : 400;
    int repeats = argc > 3 ? atoi(argv[3]) : 5;
    sti_env* env = NULL;
    sti_document* document = NULL;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    if (sti_document_load(env, scene_file, &document) != STI_OK) {
        fprintf(stderr, "%s\n", sti_env_error(env)->text);
        sti_env_destroy(env);
        return 2;
    }
    const sti_world_scene* scene = sti_world_scene_of(document);
    int yaw = scene != NULL ? sti_bodies_find_joint(scene->bodies, "yaw") : -1;
    int code = yaw < 0 ? 2 : 0;
    double best = 0, sum = 0;
    for (int k = 0; k < repeats && code == 0; k++) {
        sti_world* world = NULL;
        sum = 0;
        double start = 0;
        sti_status status = sti_world_create(env, scene->bodies, &scene->step, &world);
        if (status == STI_OK) {
            start = cpu_seconds();
            status = control(world, scene->bodies, yaw, steps, &sum);
        }
        double time = cpu_seconds() - start;
        if (status != STI_OK) {
            fprintf(stderr, "%s\n", sti_env_error(env)->text);
            code = 3;
        }
        if (k == 0 || time < best) best = time;
        sti_world_destroy(world);
    }
    if (code == 0) printf("way,steps,us_per_step,sum\nc,%d,%.3f,%a\n", steps, 1e6 * best / steps, sum);
    sti_document_destroy(document);
    sti_env_destroy(env);
    return code;
}
