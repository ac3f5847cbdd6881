// ode.cpp: ODE as an engine of the race.
//
//     solver=quick|step iters=20
//
// The usual way of using it: a sweep and prune space (the hash space of 0.16 misses pairs), at most four contacts for a
// pair, friction bounded by mu times the normal force (dContactApprox1), everything else as the library sets it.
#include <ode/ode.h>

#include <cstring>

#include "race.h"

namespace {

V3 from(const dReal* a) {
    return {a[0], a[1], a[2]};
}

struct Ode : Engine {
    Scene scene;
    dWorldID world = nullptr;
    dSpaceID space = nullptr;
    dJointGroupID group = nullptr;
    std::vector<dBodyID> body;
    struct Touch {
        dContactGeom geom;
        int a, b;
    };
    std::vector<Touch> touch;
    std::vector<dJointFeedback> feedback;
    bool quick = true;
    double erp = 0;

    void init(const Scene& s, const State& start, const Options& options) override {
        scene = s;
        dInitODE2(0);
        dAllocateODEDataForThread(dAllocateMaskAll);
        world = dWorldCreate();
        space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
        group = dJointGroupCreate(0);
        dWorldSetGravity(world, 0, 0, -s.g);
        erp = dWorldGetERP(world);
        quick = options.text("solver", "quick") == "quick";
        dWorldSetQuickStepNumIterations(world, (int)options.number("iters", 20));
        for (size_t i = 0; i < s.body.size(); i++) add(s.body[i], start, i);
        for (const Plane& p : s.plane) {
            dGeomID g = dCreatePlane(space, p.n.x, p.n.y, p.n.z, p.offset);
            dGeomSetData(g, (void*)(intptr_t)-1);
        }
        for (const Joint& j : s.joint) {
            dJointID joint = dJointCreateBall(world, nullptr);
            dJointAttach(joint, j.a < 0 ? nullptr : body[j.a], body[j.b]);
            const V3 at = start.x[j.b] + rotate(start.q[j.b], j.p_b);
            dJointSetBallAnchor(joint, at.x, at.y, at.z);
        }
    }
    void add(const Body& b, const State& start, size_t i) {
        dBodyID one = dBodyCreate(world);
        dMass mass;
        dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.x, b.inertia.y, b.inertia.z, 0, 0, 0);
        dBodySetMass(one, &mass);
        dBodySetPosition(one, start.x[i].x, start.x[i].y, start.x[i].z);
        const dQuaternion q = {start.q[i].w, start.q[i].x, start.q[i].y, start.q[i].z};
        dBodySetQuaternion(one, q);
        dBodySetLinearVel(one, start.v[i].x, start.v[i].y, start.v[i].z);
        dBodySetAngularVel(one, start.w[i].x, start.w[i].y, start.w[i].z);
        dGeomID g = b.shape == Shape::sphere ? dCreateSphere(space, b.size.x)
                    : b.shape == Shape::box  ? dCreateBox(space, 2 * b.size.x, 2 * b.size.y, 2 * b.size.z)
                                             : dCreateCapsule(space, b.size.x, 2 * b.size.y);
        dGeomSetBody(g, one);
        dGeomSetData(g, (void*)(intptr_t)i);
        body.push_back(one);
    }
    ~Ode() override {
        dJointGroupDestroy(group);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    }
    static void near(void* self, dGeomID g1, dGeomID g2) {
        Ode* ode = static_cast<Ode*>(self);
        dBodyID b1 = dGeomGetBody(g1), b2 = dGeomGetBody(g2);
        if (b1 == nullptr && b2 == nullptr) return;
        if (b1 != nullptr && b2 != nullptr && dAreConnectedExcluding(b1, b2, dJointTypeContact)) return;
        dContactGeom geom[4];
        const int count = dCollide(g1, g2, 4, geom, sizeof geom[0]);
        for (int k = 0; k < count; k++)
            ode->touch.push_back(
                {geom[k], (int)(intptr_t)dGeomGetData(geom[k].g1), (int)(intptr_t)dGeomGetData(geom[k].g2)});
    }
    void step() override {
        dJointGroupEmpty(group);
        touch.clear();
        dSpaceCollide(space, this, near);
        feedback.resize(touch.size());
        for (size_t k = 0; k < touch.size(); k++) {
            dContact c;
            memset(&c, 0, sizeof c);
            c.surface.mode = dContactApprox1;
            c.surface.mu = scene.mu;
            c.geom = touch[k].geom;
            dJointID j = dJointCreateContact(world, group, &c);
            dJointAttach(j, touch[k].a < 0 ? nullptr : body[touch[k].a], touch[k].b < 0 ? nullptr : body[touch[k].b]);
            dJointSetFeedback(j, &feedback[k]);
        }
        if (quick)
            dWorldQuickStep(world, scene.h);
        else
            dWorldStep(world, scene.h);
    }
    void state(State& out) override {
        out.resize(body.size());
        for (size_t i = 0; i < body.size(); i++) {
            out.x[i] = from(dBodyGetPosition(body[i]));
            out.v[i] = from(dBodyGetLinearVel(body[i]));
            out.w[i] = from(dBodyGetAngularVel(body[i]));
            const dReal* q = dBodyGetQuaternion(body[i]);
            out.q[i] = {q[0], q[1], q[2], q[3]};
        }
    }
    void contacts(std::vector<Contact>& out) override {
        out.clear();
        for (size_t k = 0; k < touch.size(); k++) {
            const Touch& t = touch[k];
            Contact c;
            const bool swap = t.a < 0;
            c.a = swap ? t.b : t.a, c.b = swap ? t.a : t.b;
            c.n = (swap ? -1.0 : 1.0) * from(t.geom.normal);  // ODE: into the first body
            c.point_a = c.point_b = from(t.geom.pos);
            c.impulse = scene.h * from(feedback[k].f1);  // ODE puts the body first where there is one only
            c.gap = -t.geom.depth;
            c.own = (-erp * t.geom.depth / scene.h) * c.n;
            out.push_back(c);
        }
    }
};

}  // namespace

Engine* make_engine() {
    return new Ode;
}
const char* engine_name() {
    return "ode";
}
