// driver.cpp: one engine, one scene, one phase; measures, and prints a line of CSV.
//
//     race_<engine> scene=pile n=100 phase=dynamic|settled setting=NAME [budget=S] [start=FILE] [save=FILE] ...
//
//     dynamic    from the start of the scene to its end
//     settled    the scene as it stands at last (start=FILE, saved by a dynamic run; the wall needs none): 0.25 s to
//     find
//                its rest, 0.25 s measured
//
// Time is CPU time of the thread in step() alone. Every tenth step (settled: fifth) is looked at, from outside:
// positions and velocities before and after it, and the impulses that the engine reports. With rho = 1 / (largest
// diagonal entry of W_cc):
//
//     ncp          |r - P_K(r - rho (u + own + mu |u_t| n))| / |r| over all contacts, u from the velocities after the
//     step hard         the same with max(gap, 0) / h n in place of the engine's own term: softness and stabilization
//     count dyn          rms over bodies of |M dv - h f - sum of impulses| / (m g h): do the impulses explain the
//     motion? (no joints) penetration  deepest overlap of two shapes, from the exact geometry of libstiction's shapes,
//     in metres drift        largest distance of two points that a joint should keep together
//     creep        largest displacement of a body while settled, metres a second
//
// ncp, hard and dyn are medians over the looks that saw contacts, ncp_max is the worst; penetration and drift are the
// worst. A run stops at `budget` seconds of CPU time: `cut` is 1 then, and its time is the mean up to there.
#include <stiction/shapes.h>
#include <time.h>

#include <algorithm>

#include "race.h"

namespace {

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "race: %s\n", sti_env_error(env)->text);
    exit(3);
}

// ---- geometry: penetration

struct Geometry {
    const Scene& scene;
    sti_env* env = nullptr;
    std::vector<sti_shape*> shape;  // bodies, then planes
    sti_broadphase* broad = nullptr;
    explicit Geometry(const Scene& s) : scene(s) {
        if (sti_env_create(nullptr, &env) != STI_OK) exit(3);
        for (const Body& b : s.body) {
            sti_shape* one = nullptr;
            const double half[3] = {b.size.x, b.size.y, b.size.z};
            must(env, b.shape == Shape::sphere ? sti_shape_create_sphere(env, 3, b.size.x, &one)
                      : b.shape == Shape::box  ? sti_shape_create_box(env, 3, half, &one)
                                               : sti_shape_create_capsule(env, 3, b.size.y, b.size.x, &one));
            shape.push_back(one);
        }
        for (const Plane& p : s.plane) {
            sti_shape* one = nullptr;
            const double n[3] = {p.n.x, p.n.y, p.n.z};
            must(env, sti_shape_create_halfspace(env, 3, n, p.offset, &one));
            shape.push_back(one);
        }
        must(env, sti_broadphase_create(env, &broad));
    }
    ~Geometry() {
        sti_broadphase_destroy(broad);
        for (sti_shape* one : shape) sti_shape_destroy(one);
        sti_env_destroy(env);
    }
    bool jointed(int a, int b) const {
        for (const Joint& j : scene.joint) {
            if (j.a == a && j.b == b) return true;
        }
        return false;
    }
    double penetration(const State& s) {
        const size_t n = scene.body.size(), all = shape.size();
        std::vector<sti_pose> pose(all, sti_pose_identity());
        std::vector<sti_aabb> box(all);
        std::vector<char> still(all, 0);
        for (size_t i = 0; i < all; i++) {
            if (i < n) pose[i] = {{s.x[i].x, s.x[i].y, s.x[i].z}, {s.q[i].w, s.q[i].x, s.q[i].y, s.q[i].z}};
            if (sti_shape_bounds(shape[i], &pose[i], 0, &box[i]) != STI_OK) return INFINITY;
            still[i] = i >= n;
        }
        const sti_box_pair* pair = nullptr;
        int count = 0;
        must(env, sti_broadphase_update(broad, (int)all, box.data(), (const bool*)still.data(), &pair, &count));
        double worst = 0;
        for (int k = 0; k < count; k++) {
            const int a = pair[k].a, b = pair[k].b;
            if (!scene.joint.empty() && (jointed(a, b) || jointed(b, a))) continue;
            sti_shape_contact at[8];
            int found = 0;
            if (sti_shape_contacts(shape[a], &pose[a], shape[b], &pose[b], 0, 8, at, &found) != STI_OK) return INFINITY;
            for (int i = 0; i < found; i++) worst = std::max(worst, -at[i].gap);
        }
        return worst;
    }
};

double drift(const Scene& scene, const State& s) {
    double worst = 0;
    for (const Joint& j : scene.joint) {
        const V3 pa = j.a < 0 ? j.p_a : s.x[j.a] + rotate(s.q[j.a], j.p_a), pb = s.x[j.b] + rotate(s.q[j.b], j.p_b);
        worst = std::max(worst, norm(pa - pb));
    }
    return worst;
}

// ---- the natural map

struct Mat {
    double a[3][3] = {};
};

V3 inertia_solve(const Body& b, Quat q, V3 t) {
    const V3 l = rotate(conj(q), t);
    return rotate(q, {l.x / b.inertia.x, l.y / b.inertia.y, l.z / b.inertia.z});
}

// One body's share of W_cc at the arm r.
void add_block(const Body& b, Quat q, V3 r, Mat& W) {
    const V3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; j++) {
        const V3 column = 1 / b.mass * e[j] + cross(inertia_solve(b, q, cross(r, e[j])), r);
        W.a[0][j] += column.x, W.a[1][j] += column.y, W.a[2][j] += column.z;
    }
}

V3 cone_project(double mu, V3 n, V3 x) {
    const double xn = dot(x, n);
    const V3 t = x - xn * n;
    const double xt = norm(t);
    if (xt <= mu * xn) return x;
    if (mu * xt <= -xn) return {};
    const double pn = (xn + mu * xt) / (1 + mu * mu);
    return pn * n + (mu * pn / xt) * t;
}

struct Look {
    double ncp = NAN, hard = NAN, dyn = NAN;
};

Look look(const Scene& s, const State& before, const State& after, const std::vector<Contact>& contacts) {
    double force = 0, own = 0, hard = 0;
    std::vector<V3> dp(s.body.size()), dl(s.body.size());
    for (const Contact& c : contacts) {
        const V3 ra = c.point_a - before.x[c.a];
        Mat W;
        add_block(s.body[c.a], before.q[c.a], ra, W);
        V3 u = after.v[c.a] + cross(after.w[c.a], ra);
        dp[c.a] = dp[c.a] + c.impulse, dl[c.a] = dl[c.a] + cross(ra, c.impulse);
        if (c.b >= 0) {
            const V3 rb = c.point_b - before.x[c.b];
            add_block(s.body[c.b], before.q[c.b], rb, W);
            u = u - after.v[c.b] - cross(after.w[c.b], rb);
            dp[c.b] = dp[c.b] - c.impulse, dl[c.b] = dl[c.b] - cross(rb, c.impulse);
        }
        const double rho = 1 / std::max({W.a[0][0], W.a[1][1], W.a[2][2]});
        for (int kind = 0; kind < 2; kind++) {
            const V3 shifted = u + (kind == 0 ? c.own : std::max(c.gap, 0.0) / s.h * c.n);
            const V3 t = shifted - dot(shifted, c.n) * c.n;
            const V3 e = c.impulse - cone_project(s.mu, c.n, c.impulse - rho * (shifted + s.mu * norm(t) * c.n));
            (kind == 0 ? own : hard) += dot(e, e);
        }
        force += dot(c.impulse, c.impulse);
    }
    Look out;
    if (force > 0) out.ncp = std::sqrt(own / force), out.hard = std::sqrt(hard / force);
    double miss = 0;
    for (size_t i = 0; i < s.body.size(); i++) {
        const V3 e = s.body[i].mass * (after.v[i] - before.v[i]) - V3{0, 0, -s.body[i].mass * s.g * s.h} - dp[i];
        miss += dot(e, e) / std::pow(s.body[i].mass * s.g * s.h, 2);
    }
    if (s.joint.empty()) out.dyn = std::sqrt(miss / (double)s.body.size());
    return out;
}

double median(std::vector<double> x) {
    x.erase(std::remove_if(x.begin(), x.end(), [](double v) { return std::isnan(v); }), x.end());
    if (x.empty()) return NAN;
    std::nth_element(x.begin(), x.begin() + (long)x.size() / 2, x.end());
    return x[x.size() / 2];
}

// ---- states

State start_of(const Scene& s) {
    State out;
    out.resize(s.body.size());
    for (size_t i = 0; i < s.body.size(); i++) {
        out.x[i] = s.body[i].x, out.v[i] = s.body[i].v, out.w[i] = s.body[i].w, out.q[i] = s.body[i].q;
    }
    return out;
}

void transfer(const std::string& path, const char* how, State& s) {
    FILE* f = fopen(path.c_str(), how);
    bool good = f != nullptr;
    const size_t n = s.x.size();
    if (good && how[0] == 'w')
        good = fwrite(s.x.data(), sizeof(V3), n, f) == n && fwrite(s.v.data(), sizeof(V3), n, f) == n &&
               fwrite(s.w.data(), sizeof(V3), n, f) == n && fwrite(s.q.data(), sizeof(Quat), n, f) == n;
    else if (good)
        good = fread(s.x.data(), sizeof(V3), n, f) == n && fread(s.v.data(), sizeof(V3), n, f) == n &&
               fread(s.w.data(), sizeof(V3), n, f) == n && fread(s.q.data(), sizeof(Quat), n, f) == n;
    if (f != nullptr && fclose(f) != 0) good = false;
    if (good) return;
    fprintf(stderr, "race: cannot transfer the state %s\n", path.c_str());
    exit(3);
}

bool finite(const State& s) {
    for (size_t i = 0; i < s.x.size(); i++) {
        if (!std::isfinite(dot(s.x[i], s.x[i]) + dot(s.v[i], s.v[i]) + dot(s.w[i], s.w[i]))) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i++) options.words.push_back(argv[i]);
    const bool settled = options.text("phase", "dynamic") == "settled";
    Scene scene = make_scene(options.text("scene", "pile"), (int)options.number("n", 100), settled);
    scene.h = options.number("h", scene.h);
    const double budget = options.number("budget", 1e9);
    State start = start_of(scene);
    if (options.has("start")) transfer(options.text("start", ""), "r", start);

    Engine* engine = make_engine();
    engine->init(scene, start, options);
    Geometry geometry(scene);
    const int quiet = settled ? (int)std::lround(0.25 / scene.h) : 0;
    const int steps = settled ? 2 * quiet : (int)std::lround(options.number("end", scene.end) / scene.h);
    const int every = settled ? 5 : 10;
    State before, after, mark;
    std::vector<Contact> contacts;
    std::vector<double> ncp, hard, dyn;
    double total = 0, counted = 0, slowest = 0, deepest = 0, apart = 0, worst = 0;
    int done = 0, measured = 0, most = 0;
    bool lost = false;
    engine->state(after);
    mark = after;
    for (; done < steps && total < budget && !lost; done++) {
        const bool see = done >= quiet && (done + 1) % every == 0;
        if (see) engine->state(before);
        const double from = cpu_seconds();
        engine->step();
        const double spent = cpu_seconds() - from;
        total += spent;
        if (done >= quiet) {
            counted += spent;
            measured++;
            slowest = std::max(slowest, spent);
        }
        if (done + 1 == quiet) engine->state(mark);
        if (!see) continue;
        engine->state(after);
        engine->contacts(contacts);
        lost = !finite(after);
        if (lost) break;
        const Look now = look(scene, before, after, contacts);
        ncp.push_back(now.ncp), hard.push_back(now.hard), dyn.push_back(now.dyn);
        if (!std::isnan(now.ncp)) worst = std::max(worst, now.ncp);
        deepest = std::max(deepest, geometry.penetration(after));
        apart = std::max(apart, drift(scene, after));
        most = std::max(most, (int)contacts.size());
    }
    engine->state(after);
    double creep = NAN;
    if (settled && measured > 0) {
        creep = 0;
        for (size_t i = 0; i < after.x.size(); i++)
            creep = std::max(creep, norm(after.x[i] - mark.x[i]) / (measured * scene.h));
    }
    if (options.has("save")) transfer(options.text("save", ""), "w", after);
    printf("%s,%s,%s,%d,%s,%d,%.4g,%d,%.5g,%.5g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%d,%s\n", engine_name(),
           options.text("setting", "").c_str(), scene.name.c_str(), (int)scene.body.size(),
           settled ? "settled" : "dynamic", done, done * scene.h,
           lost                      ? 2
           : done<steps, measured> 0 ? 1e3 * counted / measured
                                     : NAN,
           1e3 * slowest, median(ncp), worst, median(hard), median(dyn), deepest, scene.joint.empty() ? NAN : apart,
           creep, most, engine->note().c_str());
    delete engine;
    return 0;
}
