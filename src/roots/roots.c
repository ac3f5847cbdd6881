// roots.c: the public entry: options, the method asked for, and the answer in one block of memory.
#include <stdio.h>

#include "roots/found.h"

const char* sti_root_method_text(sti_root_method method) {
    static const char* const text[] = {
#define STI_X(code, words) words,
        STI_ROOT_METHOD_LIST(STI_X)
#undef STI_X
    };
    return text[method];
}

const char* sti_root_proof_text(sti_root_proof proof) {
    static const char* const text[] = {
#define STI_X(code, words) words,
        STI_ROOT_PROOF_LIST(STI_X)
#undef STI_X
    };
    return text[proof];
}

sti_root_options sti_root_options_default(void) {
    return (sti_root_options){.method = STI_ROOT_SAFE,
                              .width = 1e-12,
                              .max_boxes = 200000,
                              .seed = 1,
                              .runs = 100,
                              .max_iterations = 100,
                              .tol_f = 1e-12,
                              .gamma = NAN};
}

static sti_status check(sti_env* env, const sti_root_problem* p, const sti_root_options* o) {
    if (!sti_iv_arithmetic_is_sound())
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "this thread does not round to nearest with gradual underflow: no enclosure could be proved");
    if (p->low == NULL && o->method != STI_ROOT_NEWTON_MC)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "variables: no box: needed for the method \"%s\"",
                        sti_root_method_text(o->method));
    if (p->low == NULL && p->start == NULL)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "start: missing: needed where variables have no box");
    for (int k = 0; p->start != NULL && k < p->variable_count; k++) {
        if (!isfinite(p->start[k]))
            return STI_FAIL(env, STI_ERR_INPUT, k, "start[%d]: %g: a finite number is expected", k, p->start[k]);
    }
    if (o->runs < 1 || o->max_iterations < 1 || o->max_boxes < 1)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "runs, max_iterations, max_boxes: at least 1 is expected");
    if (o->runs > 10000000 || o->max_iterations > 1000000)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "runs, max_iterations: at most 10000000 and 1000000 are done");
    if (!(o->tol_f >= 0) || !(o->width >= 0))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "tol_f, width: numbers of at least 0 are expected");
    if (!isnan(o->gamma) && !(o->gamma >= 0 && o->gamma <= 1))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "gamma: %g: 0 to 1 is expected", o->gamma);
    if (o->digits < 0 || o->digits > 10000)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "digits: %ld: 0 to 10000 is expected", o->digits);
    return STI_OK;
}

static void find_start(const sti_equations* q, const sti_root_problem* p, double* start) {
    for (int k = 0; k < q->n; k++) start[k] = p->start != NULL ? p->start[k] : iv_mid(q->box[k]);
}

// ---- methods

static sti_status solve_safe(sti_equations* q, const sti_root_options* o, const double* start, sti_found* f,
                             sti_root_answer* a) {
    double c[MOST];
    sti_interval F[MOST];
    sti_proved root;
    int at;
    bool empty = false;  // at first sight
    sti_equations_over(q, q->box, F, NULL);
    for (int i = 0; i < q->n; i++) empty = empty || !iv_has(F[i], 0);
    if (!empty && sti_quick_root(q, start, c) && sti_prove_near(q, c, o->width, &root)) {
        bool meets = true;
        for (int k = 0; k < q->n; k++) meets = meets && iv_meets(root.x[k], q->box[k]);
        if (meets) {
            a->outcome = STI_SOLVED;
            return sti_found_add(f, q, &root, &at);
        }
    }
    return sti_search_all(q, o, start, true, f, a);
}

static sti_status solve_runs(sti_equations* q, const sti_root_options* o, const double* start, sti_found* f,
                             sti_root_answer* a) {
    const sti_status status = sti_newton_mc(q, o, start, f, &a->runs);
    a->outcome = a->runs.successes > 0 ? STI_SOLVED : STI_UNKNOWN;
    if (a->outcome == STI_UNKNOWN)
        snprintf(a->reason, sizeof a->reason,
                 "no run ended at a root: that proves nothing; the method \"safe\" decides");
    return status;
}

// ---- the answer

typedef struct memory {
    sti_found found;
    sti_root* roots;     // (root_count)
    sti_interval* open;  // (leaf_count x n at most)
    double* orders;      // iterates, log10 errors, orders
    sti_interval box[MOST];
} memory;

// Open leaves, each joined with those it touches while there are few.
static int join_open(const sti_found* f, sti_interval* open) {
    const size_t n = (size_t)f->n;
    int count = 0;
    for (int i = 0; i < f->leaf_count; i++) {
        if (f->leaf[i] != STI_ROOT_LEAF_OPEN) continue;
        const sti_interval* X = f->leaf_box + (size_t)i * n;
        int at = -1;
        for (int j = 0; at < 0 && j < count && j < 1000; j++) {
            bool meets = true;
            for (size_t k = 0; k < n; k++) meets = meets && iv_meets(X[k], open[(size_t)j * n + k]);
            if (meets) at = j;
        }
        if (at < 0) {
            memcpy(open + (size_t)count++ * n, X, n * sizeof *X);
        } else {
            for (size_t k = 0; k < n; k++) open[(size_t)at * n + k] = iv_hull(open[(size_t)at * n + k], X[k]);
        }
    }
    return count;
}

static sti_status fill_answer(sti_env* env, const sti_equations* q, memory* m, sti_root_answer* a) {
    sti_found* f = &m->found;
    m->roots = sti_alloc_array_zero(env, (size_t)f->root_count, sizeof *m->roots);
    m->open = sti_alloc_array(env, (size_t)f->leaf_count * (size_t)f->n, sizeof *m->open);
    if (m->roots == NULL || m->open == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < f->root_count; i++) {
        const sti_proved* r = &f->root[i];
        m->roots[i] = (sti_root){.proof = r->proof,
                                 .x = r->x,
                                 .region = r->unique ? r->region : NULL,
                                 .width = sti_relative_width(r->x, f->n),
                                 .runs = f->runs[i]};
        for (int k = 0; q->boxed && k < f->n; k++)
            m->roots[i].edge = m->roots[i].edge || !iv_inside(r->x[k], q->box[k]);
    }
    memcpy(m->box, q->box, sizeof m->box);
    a->n = f->n;
    a->root_count = f->root_count;
    a->roots = m->roots;
    a->box = q->boxed ? m->box : NULL;
    a->leaf_count = f->leaf_count;
    a->leaf_box = f->leaf_box;
    a->leaf = f->leaf;
    a->open_count = join_open(f, m->open);
    a->open = m->open;
    a->evaluations = q->evaluations;
    return STI_OK;
}

static sti_status study_order(sti_equations* q, const sti_root_options* o, const double* start, memory* m,
                              sti_root_answer* a) {
    int count;
    const sti_status status = sti_convergence_order(q, o, start, &m->orders, &count);
    if (status != STI_OK) return status;
    a->order = (sti_root_order){.count = count,
                                .iterate = m->orders,
                                .log10_error = m->orders + count * q->n,
                                .order = m->orders + count * (q->n + 1),
                                .gamma = isnan(o->gamma) ? 0.5 : o->gamma};
    return STI_OK;
}

static sti_status solve(sti_env* env, const sti_root_problem* p, const sti_root_options* o, memory* m,
                        sti_root_answer* a) {
    sti_equations q;
    double start[MOST];
    sti_status status = sti_equations_open(&q, env, p);
    if (status != STI_OK) return status;
    m->found = (sti_found){.env = env, .n = q.n};
    find_start(&q, p, start);
    if (o->method == STI_ROOT_NEWTON_MC)
        status = solve_runs(&q, o, start, &m->found, a);
    else if (o->method == STI_ROOT_SAFE)
        status = solve_safe(&q, o, start, &m->found, a);
    else
        status = sti_search_all(&q, o, start, false, &m->found, a);
    if (status == STI_OK) status = fill_answer(env, &q, m, a);
    if (status == STI_OK && o->digits > 0) status = study_order(&q, o, start, m, a);
    sti_equations_close(&q);
    return status;
}

sti_status sti_root_solve(sti_env* env, const sti_root_problem* problem, const sti_root_options* options,
                          sti_root_answer* out) {
    const sti_root_options* o = options != NULL ? options : &problem->options;
    const double begin = sti_clock();
    *out = (sti_root_answer){.method = o->method, .outcome = STI_UNKNOWN};
    sti_status status = check(env, problem, o);
    if (status != STI_OK) return status;
    memory* m = sti_alloc_array_zero(env, 1, sizeof *m);
    if (m == NULL) return STI_ERR_MEMORY;
    out->memory = m;
    status = solve(env, problem, o, m, out);
    if (status != STI_OK) sti_root_answer_clear(env, out);
    out->time_s = sti_clock() - begin;
    return status;
}

void sti_root_answer_clear(sti_env* env, sti_root_answer* answer) {
    memory* m = answer->memory;
    if (m != NULL) {
        sti_found_clear(&m->found);
        sti_free(env, m->roots);
        sti_free(env, m->open);
        sti_free(env, m->orders);
        sti_free(env, m);
    }
    *answer = (sti_root_answer){0};
}
