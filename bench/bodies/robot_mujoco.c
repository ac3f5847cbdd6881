// robot_mujoco.c: a URDF file in MuJoCo, as bench/robots.py prepares it; one line: milliseconds a step and the deepest
// penetration.
//
//     robot_mujoco FILE STEP TIME FRICTION
//
// MuJoCo's own solver, cones and softness, as they are without being asked. Joints start where ours do, and bodies that
// overlap at the start never touch, as in ours: the model goes through a file of MuJoCo's own that leaves them out,
// beside FILE. Exit code 1: not loaded, or its state ran away; why, on stdout.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int refuse(char* error) {
    error[strcspn(error, "\n")] = '\0';
    printf("%.60s\n", error);
    return 1;
}

// Every joint at 0, or at the limit next to it.
static void start(const mjModel* m, mjData* d) {
    for (int k = 0; k < m->njnt; k++) {
        if (m->jnt_type[k] < mjJNT_SLIDE || !m->jnt_limited[k]) continue;
        double* q = &d->qpos[m->jnt_qposadr[k]];
        *q = fmin(fmax(*q, m->jnt_range[2 * k]), m->jnt_range[2 * k + 1]);
    }
}

// The model again, without contact of the bodies that overlap in d; what was saved ends with </mujoco>.
static mjModel* leave_out_overlaps(const mjModel* m, mjData* d, const char* path, char* error, int size) {
    static const char end[] = "</mujoco>\n";
    if (!mj_saveLastXML(path, m, error, size)) return NULL;
    FILE* file = fopen(path, "r+");
    if (file == NULL || fseek(file, -(long)(sizeof end - 1), SEEK_END) != 0) return NULL;
    fprintf(file, "<contact>");
    for (int k = 0; k < d->ncon; k++) {
        const int a = m->geom_bodyid[d->contact[k].geom1], b = m->geom_bodyid[d->contact[k].geom2];
        bool first = d->contact[k].dist < 0 && a > 0 && b > 0;
        for (int i = 0; i < k && first; i++) {
            const int c = m->geom_bodyid[d->contact[i].geom1], e = m->geom_bodyid[d->contact[i].geom2];
            first = !(d->contact[i].dist < 0 && ((a == c && b == e) || (a == e && b == c)));
        }
        if (first)
            fprintf(file, "<exclude body1='%s' body2='%s'/>", mj_id2name(m, mjOBJ_BODY, a),
                    mj_id2name(m, mjOBJ_BODY, b));
    }
    fprintf(file, "</contact>%s", end);
    return fclose(file) == 0 ? mj_loadXML(path, NULL, error, size) : NULL;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static mjModel* load(char** word, char* error, int size) {
    char path[1000];
    snprintf(path, sizeof path, "%.990s.xml", word[1]);
    mjModel* given = mj_loadXML(word[1], NULL, error, size);
    mjData* d = given != NULL ? mj_makeData(given) : NULL;
    if (d == NULL) return NULL;
    start(given, d);
    mj_forward(given, d);
    mjModel* m = leave_out_overlaps(given, d, path, error, size);
    mj_deleteData(d);
    mj_deleteModel(given);
    for (int k = 0; m != NULL && k < m->ngeom; k++) m->geom_friction[3 * k] = atof(word[4]);
    if (m != NULL) m->opt.timestep = atof(word[2]);
    return m;
}

int main(int count, char** word) {
    char error[400] = "no memory, or no file";
    if (count != 5) return 2;
    mjModel* m = load(word, error, sizeof error);
    if (m == NULL) return refuse(error);
    mjData* d = mj_makeData(m);
    if (d == NULL) return 3;
    start(m, d);
    const int steps = (int)lround(atof(word[3]) / m->opt.timestep);
    double deepest = 0, spent = 0;
    for (int step = 0; step < steps; step++) {
        const double begin = seconds();
        mj_step(m, d);
        spent += seconds() - begin;
        for (int k = 0; k < d->ncon; k++) deepest = fmax(deepest, -d->contact[k].dist);
    }
    const bool lost = d->warning[mjWARN_BADQACC].number > 0 || d->warning[mjWARN_BADQPOS].number > 0;
    if (lost)
        printf("runs away\n");
    else
        printf("%.3f %.0e\n", 1e3 * spent / steps, deepest);
    mj_deleteData(d);
    mj_deleteModel(m);
    return lost ? 1 : 0;
}
