// stiction.cpp: our bed as an engine of the settle test in ../shared/bench/granular (its driver and its measures).
//
//     tol=1e-4 threads=1 erp=0.2 iters=0 warm=1        options, as name=value
#include <stiction/granular.h>

#include "scenario.h"

struct Stiction : Engine {
    Scenario sc;
    sti_env* env = nullptr;
    sti_bed* bed = nullptr;
    sti_bed_report report{};

    static void must(sti_env* env, sti_status status) {
        if (status == STI_OK) return;
        fprintf(stderr, "stiction: %s\n", sti_env_error(env)->text);
        exit(1);
    }
    void init(const Scenario& c, const State& s, const Opt& op) override {
        sc = c;
        sti_env_def def = sti_env_def_default();
        def.workers = (int)op.num("threads", 1);
        if (sti_env_create(&def, &env) != STI_OK) exit(1);
        sti_grains g;
        must(env, sti_grains_settle(env, sc.N, sc.seed, &g));
        for (int i = 0; i < sc.N; i++) {
            const double x[] = {s.x[i].x, s.x[i].y, s.x[i].z}, v[] = {s.v[i].x, s.v[i].y, s.v[i].z},
                         w[] = {s.w[i].x, s.w[i].y, s.w[i].z};
            for (int j = 0; j < 3; j++) g.x[3 * i + j] = x[j], g.v[3 * i + j] = v[j], g.w[3 * i + j] = w[j];
        }
        sti_bed_options o = sti_bed_options_default();
        o.h = sc.h;
        o.tol = op.num("tol", 1e-4);
        o.recover = op.num("erp", 0.2);
        o.max_iterations = (long)op.num("iters", 0);
        o.warm = op.num("warm", 1) != 0;
        must(env, sti_bed_create(env, &g, &o, &bed));
        sti_grains_clear(env, &g);
    }
    ~Stiction() override {
        sti_bed_destroy(bed);
        if (env != nullptr) sti_env_destroy(env);
    }
    void step() override { must(env, sti_bed_step(bed, &report)); }
    void state(State& o) override {
        std::vector<double> x(3 * sc.N), v(3 * sc.N), w(3 * sc.N);
        sti_bed_get(bed, x.data(), v.data(), w.data());
        o.resize(sc.N);
        for (int i = 0; i < sc.N; i++) {
            o.x[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
            o.v[i] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
            o.w[i] = {w[3 * i], w[3 * i + 1], w[3 * i + 2]};
        }
    }
    void contacts(std::vector<Contact>& o) override {
        std::vector<sti_bed_contact> c(sti_bed_contact_count(bed));
        sti_bed_contacts(bed, c.data());
        o.clear();
        for (const auto& k : c) {
            Contact t;
            t.a = k.a;
            t.b = k.b < 0 ? -1 : k.b;
            t.n = {k.n[0], k.n[1], k.n[2]};
            t.ra = -sc.R * t.n;
            t.rb = sc.R * t.n;
            t.imp = {k.r[0], k.r[1], k.r[2]};
            t.off = k.offset * t.n;
            t.gap = k.gap;
            o.push_back(t);
        }
    }
    int iterations() override { return (int)report.iterations; }
};

Engine* make_engine() {
    return new Stiction;
}
const char* engine_name() {
    return "stiction";
}
