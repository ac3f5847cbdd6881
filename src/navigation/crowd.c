// crowd.c: the step of a large island: augmented Lagrangians and Newton's method on a sparse matrix of vehicles.
//
// A crowd that jams is one problem of thousands of contacts; Lemke's method walks through its bases one after the
// other, on a dense matrix. Here the unknowns are the velocities v of the m vehicles, two each:
//
//     B (v - v_free) = N c,      0 <= u = Phi/h + N'v  _|_  c >= 0,      B = M - h k_v  (blocks of 2 x 2)
//
// With multipliers c^k and weights rho, the next velocities are where
//
//     r(v) = B (v - v_free) - N max(0, c^k - rho u(v)) = 0,                     c^{k+1} = max(0, c^k - rho u(v))
//
// (Hestenes 1969, Powell 1969, Rockafellar 1976: the method of multipliers, which converges wherever there is a
// solution, also where contacts are redundant). r is piecewise linear; Newton's matrix B + sum rho n n' over the
// contacts with c - rho u > 0 has the pattern of who is near whom, so it is factored in time that grows little faster
// than m. With symmetric B it is the gradient of a convex function, which decides how long a step is. rho is `stiff`
// over the compliance n'B^-1 n of a contact.
//
// Mostly the contacts that press are those of the step before, and their set settles in a few rounds (guess). Where it
// does not, soft weights come first: they find the set of a crowd that is a little elastic, in few steps; then stiffer
// ones.
//
// Laws hold to STI_CROWD_KEEP of a cage, which is why cages keep a margin of that: what is missed is at most half of
// it.
//
// Wherever this does not converge (no solution, a B that is not positive definite) the caller asks Lemke's method.
#include <math.h>
#include <string.h>

#include "navigation/navigation.h"

#define SOFT 10.0
#define STIFF 1e4
#define LOOSE 1e-6
#define LOST 100
enum { SWEEPS = 40, MOST_GUESSES = 8, MOST_OUTER = 40, MOST_INNER = 400 };

typedef struct crowd {
    sti_navigation* nav;
    sti_blocks* f;
    const int* order;  // contacts                                                      (count)
    int count, m;
    int* member;                         // vehicles                                              (m)
    int *a, *b;                          // members of each contact; b = -1: a thing that stands still   (count)
    int *at_aa, *at_ab, *at_ba, *at_bb;  // places of its blocks in f->value             (count each)
    unsigned char *active, *factored;    // (count each)
    double *v, *trial, *free, *r, *dv;   // (2 m each)
    double *u, *c, *rho, *d, *kept;      // (count each)
    bool symmetric, has_factor;
    double stiff;
} crowd;

static const sti_cage_contact* contact(const crowd* w, int p) {
    return &w->nav->contacts[w->order[p]];
}

// ---- room

static sti_status reserve(crowd* w, int vehicles) {
    const size_t n = (size_t)w->count, m = (size_t)vehicles;
    sti_crowd* room = &w->nav->crowd;
    const size_t ints = 6 * n + 4 * m + 4 * n + 2, doubles = 10 * m + 5 * n, bytes = 2 * n;
    if (ints > room->int_room) {
        int* more = sti_realloc_array(w->nav->env, room->ints, ints + ints / 2, sizeof *more);
        if (more == NULL) return STI_ERR_MEMORY;
        room->ints = more;
        room->int_room = ints + ints / 2;
    }
    if (doubles > room->double_room) {
        double* more = sti_realloc_array(w->nav->env, room->doubles, doubles + doubles / 2, sizeof *more);
        if (more == NULL) return STI_ERR_MEMORY;
        room->doubles = more;
        room->double_room = doubles + doubles / 2;
    }
    if (bytes > room->byte_room) {
        unsigned char* more = sti_realloc_array(w->nav->env, room->bytes, bytes + bytes / 2, sizeof *more);
        if (more == NULL) return STI_ERR_MEMORY;
        room->bytes = more;
        room->byte_room = bytes + bytes / 2;
    }
    w->a = room->ints;
    w->b = w->a + n;
    w->at_aa = w->b + n;
    w->at_ab = w->at_aa + n;
    w->at_ba = w->at_ab + n;
    w->at_bb = w->at_ba + n;
    w->member = w->at_bb + n;
    w->v = room->doubles;
    w->trial = w->v + 2 * m;
    w->free = w->trial + 2 * m;
    w->r = w->free + 2 * m;
    w->dv = w->r + 2 * m;
    w->u = w->dv + 2 * m;
    w->c = w->u + n;
    w->rho = w->c + n;
    w->d = w->rho + n;
    w->kept = w->d + n;
    w->active = room->bytes;
    w->factored = w->active + n;
    return STI_OK;
}

// Vehicles of the island in the order of their contacts. False: B is not positive definite.
static bool number(crowd* w) {
    const sti_navigation* nav = w->nav;
    bool good = true;
    w->m = 0;
    w->symmetric = true;
    for (int p = 0; p < w->count; p++) {
        for (int side = 0; side < 2; side++) {
            const int i = side == 0 ? contact(w, p)->vehicle : contact(w, p)->other;
            int* local = side == 0 ? &w->a[p] : &w->b[p];
            *local = -1;
            if (i < 0) continue;
            if (nav->local[i] < 0) {
                const double *B = nav->B + 4 * (size_t)i, mean = (B[1] + B[2]) / 2;
                good = good && B[0] > 0 && B[0] * B[3] - mean * mean > 1e-12 * B[0] * fabs(B[3]);
                w->symmetric = w->symmetric && fabs(B[1] - B[2]) <= 1e-14 * (B[0] + fabs(B[3]));
                nav->local[i] = w->m;
                w->member[w->m++] = i;
            }
            *local = nav->local[i];
        }
    }
    return good;
}

// ---- pattern: who is near whom

static void insert(int* list, int count, int x) {
    int k = count;
    for (; k > 0 && list[k - 1] > x; k--) list[k] = list[k - 1];
    list[k] = x;
}

static int place_of(const int* first, const int* near, int column, int row) {
    int low = first[column], high = first[column + 1] - 1;
    while (low < high) {
        const int mid = (low + high) / 2;
        if (near[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static sti_status shape(crowd* w) {
    int *first = w->member + w->m, *used = first + w->m + 1, *near = used + w->m;
    for (int i = 0; i <= w->m; i++) first[i] = 0;
    for (int i = 0; i < w->m; i++) first[i + 1] = used[i] = 1;
    for (int p = 0; p < w->count; p++) {
        if (w->b[p] < 0) continue;
        first[w->a[p] + 1]++;
        first[w->b[p] + 1]++;
    }
    for (int i = 0; i < w->m; i++) first[i + 1] += first[i];
    for (int i = 0; i < w->m; i++) near[first[i]] = i;
    for (int p = 0; p < w->count; p++) {
        const int a = w->a[p], b = w->b[p];
        if (b < 0) continue;
        insert(near + first[a], used[a]++, b);
        insert(near + first[b], used[b]++, a);
    }
    const sti_status status = sti_blocks_shape(w->f, w->nav->env, w->m, 2, first, near);
    for (int p = 0; status == STI_OK && p < w->count; p++) {
        const int a = w->a[p], b = w->b[p];
        w->at_aa[p] = place_of(first, near, a, a);
        if (b < 0) continue;
        w->at_ab[p] = place_of(first, near, b, a);  // column b, row a
        w->at_ba[p] = place_of(first, near, a, b);
        w->at_bb[p] = place_of(first, near, b, b);
    }
    for (int i = 0; i < w->m; i++) used[i] = place_of(first, near, i, i);
    memcpy(first, used, (size_t)w->m * sizeof *used);  // from here on: places of the diagonal
    return status;
}

// ---- Newton's matrix

static void add_block(crowd* w, int place, double f, const double n[2]) {
    double* A = w->f->value + 4 * (size_t)place;  // by columns
    A[0] += f * n[0] * n[0];
    A[1] += f * n[1] * n[0];
    A[2] += f * n[0] * n[1];
    A[3] += f * n[1] * n[1];
}

static bool factor(crowd* w) {
    if (w->has_factor && memcmp(w->active, w->factored, (size_t)w->count) == 0) return true;
    const int* diagonal = w->member + w->m;
    memset(w->f->value, 0, 4 * (size_t)w->f->count * sizeof *w->f->value);
    for (int i = 0; i < w->m; i++) {
        const double* B = w->nav->B + 4 * (size_t)w->member[i];
        double* A = w->f->value + 4 * (size_t)diagonal[i];
        A[0] = B[0];
        A[1] = B[2];
        A[2] = B[1];
        A[3] = B[3];
    }
    for (int p = 0; p < w->count; p++) {
        if (!w->active[p]) continue;
        const double* n = contact(w, p)->n;
        add_block(w, w->at_aa[p], w->rho[p], n);
        if (w->b[p] < 0) continue;
        add_block(w, w->at_ab[p], -w->rho[p], n);
        add_block(w, w->at_ba[p], -w->rho[p], n);
        add_block(w, w->at_bb[p], w->rho[p], n);
    }
    memcpy(w->factored, w->active, (size_t)w->count);
    w->has_factor = sti_blocks_factor(w->f, w->symmetric);
    return w->has_factor;
}

// ---- where v stands

static double rate_of(const crowd* w, int p, const double* v) {
    const double* n = contact(w, p)->n;
    const int a = w->a[p], b = w->b[p];
    return b < 0 ? n[0] * v[2 * a] + n[1] * v[2 * a + 1]
                 : n[0] * (v[2 * a] - v[2 * b]) + n[1] * (v[2 * a + 1] - v[2 * b + 1]);
}

// u, and B (v - v_free) in r.
static void look_at(crowd* w, const double* v) {
    for (int i = 0; i < w->m; i++) {
        const double *B = w->nav->B + 4 * (size_t)w->member[i], x = v[2 * i] - w->free[2 * i],
                     y = v[2 * i + 1] - w->free[2 * i + 1];
        w->r[2 * i] = B[0] * x + B[1] * y;
        w->r[2 * i + 1] = B[2] * x + B[3] * y;
    }
    for (int p = 0; p < w->count; p++)
        w->u[p] = sti_navigation_room(w->nav, contact(w, p)) / w->nav->h + rate_of(w, p, v);
}

// r less N (c - rho u) of the active contacts.
static void press(crowd* w) {
    for (int p = 0; p < w->count; p++) {
        if (!w->active[p]) continue;
        const double *n = contact(w, p)->n, c = w->c[p] - w->rho[p] * w->u[p];
        const int a = w->a[p], b = w->b[p];
        w->r[2 * a] -= c * n[0];
        w->r[2 * a + 1] -= c * n[1];
        if (b < 0) continue;
        w->r[2 * b] += c * n[0];
        w->r[2 * b + 1] += c * n[1];
    }
}

// u, who is active, and r.
static void look(crowd* w, const double* v) {
    look_at(w, v);
    for (int p = 0; p < w->count; p++) w->active[p] = w->c[p] - w->rho[p] * w->u[p] > 0;
    press(w);
}

// d/dt of the convex function at v + t dv: line + t bend - sum d max(0, c - rho (u + t d)).
static double slope_at(const crowd* w, double line, double bend, double t) {
    double slope = line + t * bend;
    for (int p = 0; p < w->count; p++) slope -= w->d[p] * fmax(0, w->c[p] - w->rho[p] * (w->u[p] + t * w->d[p]));
    return slope;
}

// Where the convex function is least along dv: its slope grows with t, in straight pieces (Illinois method).
static double length_of_step(crowd* w) {
    double line = 0, bend = 0;
    for (int i = 0; i < w->m; i++) {
        const double *B = w->nav->B + 4 * (size_t)w->member[i], *d = w->dv + 2 * (size_t)i;
        const double x = B[0] * d[0] + B[1] * d[1], y = B[2] * d[0] + B[3] * d[1];
        line += x * (w->v[2 * i] - w->free[2 * i]) + y * (w->v[2 * i + 1] - w->free[2 * i + 1]);
        bend += x * d[0] + y * d[1];
    }
    for (int p = 0; p < w->count; p++) w->d[p] = rate_of(w, p, w->dv);
    double low = 0, high = 1, at_low = slope_at(w, line, bend, 0), at_high = slope_at(w, line, bend, 1);
    const double size = fabs(at_low);
    if (!(at_low < 0) || fabs(at_high) <= 1e-6 * size) return 1;
    for (int k = 0; k < 20 && at_high < 0; k++) {
        low = high;
        at_low = at_high;
        high *= 2;
        at_high = slope_at(w, line, bend, high);
    }
    for (int k = 0, side = 0; k < 60 && high - low > 1e-12 * high; k++) {
        const double t = (low * at_high - high * at_low) / (at_high - at_low), slope = slope_at(w, line, bend, t);
        if (fabs(slope) <= 1e-6 * size) return t;
        if (slope < 0) {
            low = t;
            at_low = slope;
            if (side < 0) at_high /= 2;
            side = -1;
        } else {
            high = t;
            at_high = slope;
            if (side > 0) at_low /= 2;
            side = 1;
        }
    }
    return low > 0 ? low : high;
}

// r(v) = 0 for the multipliers as they are; false: not found.
static bool descend(crowd* w) {
    const size_t n = 2 * (size_t)w->m;
    look(w, w->v);
    for (int k = 0; k < MOST_INNER; k++) {
        if (!factor(w)) return false;
        for (size_t i = 0; i < n; i++) w->dv[i] = -w->r[i];
        sti_blocks_solve(w->f, w->dv);
        const double t = w->symmetric ? length_of_step(w) : 1;
        for (size_t i = 0; i < n; i++) w->v[i] += t * w->dv[i];
        look(w, w->v);
        if (!isfinite(w->v[0])) return false;
        if (fabs(t - 1) < 1e-3 && memcmp(w->active, w->factored, (size_t)w->count) == 0)
            return true;  // r is linear there
    }
    return false;
}

// ---- the whole

// v += B^-1 n f on both sides of contact p
static void kick(crowd* w, int p, double f) {
    const double* n = contact(w, p)->n;
    for (int side = 0; side < 2; side++) {
        const int i = side == 0 ? w->a[p] : w->b[p];
        if (i < 0) continue;
        const double *A = w->nav->A + 4 * (size_t)w->member[i], x = side == 0 ? f : -f;
        w->v[2 * i] += x * (A[0] * n[0] + A[1] * n[1]);
        w->v[2 * i + 1] += x * (A[2] * n[0] + A[3] * n[1]);
    }
}

// Impulses of the step before, the velocities that follow from them, and some sweeps over the contacts (Gauss-Seidel),
// which leave to Newton's method what is far-reaching.
static void begin(crowd* w) {
    const sti_navigation* nav = w->nav;
    for (int i = 0; i < w->m; i++) {
        for (int k = 0; k < 2; k++) w->v[2 * i + k] = w->free[2 * i + k] = nav->free_v[2 * w->member[i] + k];
    }
    for (int p = 0; p < w->count; p++) {
        const sti_cage_contact* k = contact(w, p);
        w->d[p] = sti_navigation_coupling(nav, k, k);
        w->u[p] = sti_navigation_room(nav, k) / nav->h;
        w->c[p] = k->impulse;
        if (w->c[p] > 0) kick(w, p, w->c[p]);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int p = 0; p < w->count; p++) {
            const double c = fmax(0, w->c[p] - (w->u[p] + rate_of(w, p, w->v)) / w->d[p]);
            if (c != w->c[p]) kick(w, p, c - w->c[p]);
            w->c[p] = c;
        }
    }
}

static void stiffen(crowd* w, double factor) {
    if (w->stiff != factor) w->has_factor = false;
    w->stiff = factor;
    for (int p = 0; p < w->count; p++) {
        const sti_cage_contact* k = contact(w, p);
        w->rho[p] = factor / sti_navigation_coupling(w->nav, k, k);
    }
}

// By how much a law is missed, in parts of what is allowed: cages may come too near by half of the margin that they
// keep, and what presses may be apart by LOOSE of the cage.
static double missed_by(const crowd* w, int p, double way) {
    const sti_cage_contact* k = contact(w, p);
    if (way < 0) return -way / (0.5 * sti_navigation_margin(w->nav, k));
    return w->c[p] > 0 ? way / (LOOSE * w->nav->vehicles[k->vehicle].cage) : 0;
}

// New multipliers.
static double update(crowd* w) {
    double worst = 0;
    for (int p = 0; p < w->count; p++) {
        w->c[p] = fmax(0, w->c[p] - w->rho[p] * w->u[p]);
        worst = fmax(worst, missed_by(w, p, w->u[p] * w->nav->h));
    }
    return worst;
}

// Lengths by which a law is missed, in parts of the cage; the balance of forces, in parts of the largest impulse.
static double residual(crowd* w) {
    double worst = 0, largest = 0, open = 0;
    look(w, w->v);
    memset(w->trial, 0, 2 * (size_t)w->m * sizeof *w->trial);
    for (int p = 0; p < w->count; p++) {
        const sti_cage_contact* k = contact(w, p);
        const double miss = (w->c[p] > 0 ? fabs(w->u[p]) : fmax(0, -w->u[p])) * w->nav->h;
        worst = fmax(worst, miss / w->nav->vehicles[k->vehicle].cage);
        largest = fmax(largest, w->c[p]);
        for (int j = 0; j < 2; j++) {
            w->trial[2 * w->a[p] + j] -= w->c[p] * k->n[j];
            if (w->b[p] >= 0) w->trial[2 * w->b[p] + j] += w->c[p] * k->n[j];
        }
    }
    for (int i = 0; i < w->m; i++) {
        const double *B = w->nav->B + 4 * (size_t)w->member[i], x = w->v[2 * i] - w->free[2 * i],
                     y = w->v[2 * i + 1] - w->free[2 * i + 1];
        open = fmax(open, fabs(B[0] * x + B[1] * y + w->trial[2 * i]));
        open = fmax(open, fabs(B[2] * x + B[3] * y + w->trial[2 * i + 1]));
        largest = fmax(largest, fmax(fabs(B[0] * x + B[1] * y), fabs(B[2] * x + B[3] * y)));
    }
    return fmax(worst, largest > 0 ? open / largest : 0);
}

// From multipliers that are nearly right.
static bool finish(crowd* w) {
    for (int p = 0; p < w->count; p++) w->c[p] = fmax(0, w->c[p]);
    for (int k = 0; k < 3; k++) {
        if (!descend(w)) return false;
        if (update(w) <= 1) return true;
    }
    return false;
}

// Contacts that press are told by c - u/n'B^-1 n > 0, on which c and -u have equal say; v and c follow from u = 0 there
// and c = 0 elsewhere. From a good start the set settles in a few rounds; nothing says that it must (false then).
static bool guess(crowd* w) {
    const size_t n = 2 * (size_t)w->m;
    for (int k = 0; k < MOST_GUESSES; k++) {
        double largest = 0, least = 0, missed = 0;
        look_at(w, w->v);
        for (int p = 0; p < w->count; p++) w->active[p] = w->c[p] - w->u[p] * w->rho[p] / w->stiff > 0;
        press(w);
        if (!factor(w)) return false;
        for (size_t i = 0; i < n; i++) w->dv[i] = -w->r[i];
        sti_blocks_solve(w->f, w->dv);
        for (size_t i = 0; i < n; i++) w->v[i] += w->dv[i];
        look_at(w, w->v);
        for (int p = 0; p < w->count; p++) {
            const double way = w->u[p] * w->nav->h;
            w->c[p] = w->active[p] ? w->c[p] - w->rho[p] * w->u[p] : 0;
            largest = fmax(largest, w->c[p]);
            least = fmin(least, w->c[p]);
            missed = fmax(missed, missed_by(w, p, way));
        }
        if (!isfinite(largest)) return false;
        if (k >= 5 && missed > LOST) return false;
        if (missed <= 1 && least >= -1e-7 * largest) {
            for (int p = 0; p < w->count; p++) w->c[p] = fmax(0, w->c[p]);
            return true;
        }
    }
    return finish(w);
}

// A set that settles at once; else multipliers under growing weights, and the guess again from each of them.
static bool converge(crowd* w) {
    stiffen(w, STIFF);
    if (guess(w)) return true;
    begin(w);
    double stiff = SOFT;
    for (int k = 0; k < MOST_OUTER; k++) {
        stiffen(w, stiff);
        if (!descend(w)) return false;
        const double missed = update(w);
        if (missed <= 1) return true;
        if (stiff < STIFF) {
            memcpy(w->kept, w->c, (size_t)w->count * sizeof *w->c);
            stiffen(w, STIFF);
            if (guess(w)) return true;
            memcpy(w->c, w->kept, (size_t)w->count * sizeof *w->c);
        }
        stiff = fmin(stiff * 10, k < 20 ? STIFF : 1e4 * STIFF);
    }
    return false;
}

sti_status sti_crowd_solve(sti_navigation* nav, const int* order, int count, bool* solved, double* missed) {
    crowd w = {.nav = nav, .f = &nav->crowd.blocks, .order = order, .count = count};
    *solved = false;
    nav->keep = STI_CROWD_KEEP;
    sti_status status = reserve(&w, 2 * count);
    if (status != STI_OK) return status;  // keep is set anew in every step
    const bool definite = number(&w);
    if (definite) status = shape(&w);
    if (definite && status == STI_OK) {
        begin(&w);
        *solved = converge(&w);
    }
    for (int p = 0; *solved && p < count; p++) nav->contacts[order[p]].impulse = w.c[p];
    for (int i = 0; *solved && i < w.m; i++) {
        for (int k = 0; k < 2; k++) nav->v_new[2 * w.member[i] + k] = w.v[2 * i + k];
    }
    if (*solved) *missed = residual(&w);
    for (int i = 0; i < w.m; i++) nav->local[w.member[i]] = -1;
    nav->keep = STI_NAVIGATION_KEEP;
    return status;
}

void sti_crowd_clear(sti_navigation* nav) {
    sti_blocks_clear(&nav->crowd.blocks, nav->env);
    sti_free(nav->env, nav->crowd.ints);
    sti_free(nav->env, nav->crowd.doubles);
    sti_free(nav->env, nav->crowd.bytes);
}
