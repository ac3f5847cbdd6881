// aim.c: a scene whose probe is held elsewhere, or rubs otherwise, than its file says.
#include <math.h>

#include "manipulation/manipulation.h"

// Direction of the push as the file has it, (1, 0) where it has none.
static void file_direction(const sti_manipulation* m, const sti_probe* p, double out[2]) {
    out[0] = 1;
    out[1] = 0;
    if (p->angled) {
        const double angle = sti_numbers_value(&m->numbers, p->angle_number);
        out[0] = cos(angle);
        out[1] = sin(angle);
        return;
    }
    const double x = sti_numbers_value(&m->numbers, p->direction_number[0]);
    const double y = sti_numbers_value(&m->numbers, p->direction_number[1]), size = hypot(x, y);
    if (!(size > 0)) return;
    out[0] = x / size;
    out[1] = y / size;
}

sti_status sti_manipulation_aim(sti_manipulation* m, int probe, double x, double y, double angle, double speed) {
    if (probe < 0 || probe >= m->probe_count)
        return STI_FAIL(m->env, STI_ERR_ARGUMENT, probe, "probe %d: there are %d", probe, m->probe_count);
    sti_probe* p = &m->probes[probe];
    if (p->passive || p->path)
        return STI_FAIL(m->env, STI_ERR_INPUT, probe, "probes[%d]: %s, and cannot be aimed", probe,
                        p->passive ? "stands still" : "follows a path");
    if (!isfinite(x) || !isfinite(y) || !isfinite(angle) || !isfinite(speed))
        return STI_FAIL(m->env, STI_ERR_ARGUMENT, probe, "probes[%d]: aimed at what is not finite", probe);
    double d[2], middle[2] = {0, 0};
    file_direction(m, p, d);
    for (int k = 0; k < p->tip_count; k++) {
        const sti_tip* t = &m->tips[p->first_tip + k];
        for (int i = 0; i < 2; i++) middle[i] += sti_numbers_value(&m->numbers, t->number[i]) / p->tip_count;
    }
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < p->tip_count; k++) {
        sti_tip* t = &m->tips[p->first_tip + k];
        const double rx = sti_numbers_value(&m->numbers, t->number[0]) - middle[0];
        const double ry = sti_numbers_value(&m->numbers, t->number[1]) - middle[1];
        const double along = d[0] * rx + d[1] * ry, across = d[0] * ry - d[1] * rx;
        t->at[0] = x + c * along - s * across;
        t->at[1] = y + s * along + c * across;
    }
    p->velocity[0] = speed * c;
    p->velocity[1] = speed * s;
    p->begin = 0;
    p->until = INFINITY;
    return STI_OK;
}

sti_status sti_manipulation_disturb(sti_manipulation* m, int probe, const double place[2], double turn, double faster) {
    if (probe < 0 || probe >= m->probe_count)
        return STI_FAIL(m->env, STI_ERR_ARGUMENT, probe, "probe %d: there are %d", probe, m->probe_count);
    sti_probe* p = &m->probes[probe];
    if (p->path && (turn != 0 || faster != 0))
        return STI_FAIL(m->env, STI_ERR_INPUT, probe, "probes[%d]: follows a path, which cannot be turned", probe);
    double d[2];
    file_direction(m, p, d);
    for (int k = 0; k < p->tip_count; k++) {
        sti_tip* t = &m->tips[p->first_tip + k];
        for (int i = 0; i < 2; i++) t->at[i] = sti_numbers_value(&m->numbers, t->number[i]) + place[i];
    }
    if (p->passive || p->path) return STI_OK;
    const double c = cos(turn), s = sin(turn), speed = sti_numbers_value(&m->numbers, p->speed_number) * (1 + faster);
    p->velocity[0] = speed * (c * d[0] - s * d[1]);
    p->velocity[1] = speed * (s * d[0] + c * d[1]);
    return STI_OK;
}

void sti_manipulation_rub(sti_manipulation* m, int part, int thing, double mu) {
    const size_t things = (size_t)sti_manipulation_things(m);
    if (part < 0 || part >= m->part_count || thing < 0 || (size_t)thing >= things) return;
    m->friction[(size_t)part * things + (size_t)thing] = mu;
    m->friction[(size_t)thing * things + (size_t)part] = mu;
}
