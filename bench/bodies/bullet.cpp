// bullet.cpp: Bullet in double precision as an engine of the race.
//
//     solver=si|nncg|dantzig iters=10 two=0|1        two: two directions of friction
//
// Everything else as the library sets it: warm starts, split impulses, erp 0.2; no deactivation.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "race.h"

namespace {

btVector3 to(V3 a) {
    return btVector3(a.x, a.y, a.z);
}
V3 from(const btVector3& a) {
    return {a.x(), a.y(), a.z()};
}

struct Bullet : Engine {
    Scene scene;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btDantzigSolver dantzig;
    std::unique_ptr<btConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> body, fixed;
    std::vector<std::unique_ptr<btTypedConstraint>> joint;
    bool pivots = false;

    void init(const Scene& s, const State& start, const Options& options) override {
        scene = s;
        const std::string name = options.text("solver", "si");
        pivots = name == "dantzig";
        if (pivots)
            solver.reset(new btMLCPSolver(&dantzig));
        else if (name == "nncg")
            solver.reset(new btNNCGConstraintSolver);
        else
            solver.reset(new btSequentialImpulseConstraintSolver);
        world.reset(new btDiscreteDynamicsWorld(&dispatcher, &broad, solver.get(), &configuration));
        world->setGravity(btVector3(0, 0, -s.g));
        btContactSolverInfo& info = world->getSolverInfo();
        info.m_numIterations = (int)options.number("iters", 10);
        if (options.number("two", 0) != 0) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
        if (pivots) info.m_minimumSolverBatchSize = 1;  // each island on its own, as in Bullet's examples
        for (size_t i = 0; i < s.body.size(); i++) add(s.body[i], start, i);
        for (const Plane& p : s.plane) {
            shape.emplace_back(new btStaticPlaneShape(to(p.n), p.offset));
            btRigidBody::btRigidBodyConstructionInfo about(0, nullptr, shape.back().get());
            about.m_friction = std::sqrt(s.mu);
            fixed.emplace_back(new btRigidBody(about));
            fixed.back()->setUserIndex(-1);
            world->addRigidBody(fixed.back().get());
        }
        for (const Joint& j : s.joint) {
            btRigidBody& b = *body[j.b];
            if (j.a < 0)
                joint.emplace_back(new btPoint2PointConstraint(b, to(j.p_b)));
            else
                joint.emplace_back(new btPoint2PointConstraint(*body[j.a], b, to(j.p_a), to(j.p_b)));
            if (j.a < 0) static_cast<btPoint2PointConstraint*>(joint.back().get())->setPivotB(to(j.p_a));
            world->addConstraint(joint.back().get(), true);
        }
    }
    void add(const Body& b, const State& start, size_t i) {
        if (b.shape == Shape::sphere)
            shape.emplace_back(new btSphereShape(b.size.x));
        else if (b.shape == Shape::box)
            shape.emplace_back(new btBoxShape(to(b.size)));
        else
            shape.emplace_back(new btCapsuleShapeZ(b.size.x, 2 * b.size.y));
        btRigidBody::btRigidBodyConstructionInfo about(b.mass, nullptr, shape.back().get(), to(b.inertia));
        about.m_startWorldTransform =
            btTransform(btQuaternion(start.q[i].x, start.q[i].y, start.q[i].z, start.q[i].w), to(start.x[i]));
        about.m_friction = std::sqrt(scene.mu);  // Bullet multiplies the two
        body.emplace_back(new btRigidBody(about));
        body.back()->setLinearVelocity(to(start.v[i]));
        body.back()->setAngularVelocity(to(start.w[i]));
        body.back()->setActivationState(DISABLE_DEACTIVATION);
        body.back()->setUserIndex((int)i);
        world->addRigidBody(body.back().get());
    }
    ~Bullet() override {
        for (auto& one : joint) world->removeConstraint(one.get());
        for (auto& one : body) world->removeRigidBody(one.get());
        for (auto& one : fixed) world->removeRigidBody(one.get());
    }
    void step() override { world->stepSimulation(scene.h, 0); }
    void state(State& out) override {
        out.resize(body.size());
        for (size_t i = 0; i < body.size(); i++) {
            const btTransform& at = body[i]->getWorldTransform();
            const btQuaternion q = at.getRotation();
            out.x[i] = from(at.getOrigin());
            out.v[i] = from(body[i]->getLinearVelocity());
            out.w[i] = from(body[i]->getAngularVelocity());
            out.q[i] = {q.w(), q.x(), q.y(), q.z()};
        }
    }
    void contacts(std::vector<Contact>& out) override {
        out.clear();
        const btContactSolverInfo& info = world->getSolverInfo();
        const bool two = (info.m_solverMode & SOLVER_USE_2_FRICTION_DIRECTIONS) != 0;
        for (int k = 0; k < dispatcher.getNumManifolds(); k++) {
            const btPersistentManifold* m = dispatcher.getManifoldByIndexInternal(k);
            const int a = m->getBody0()->getUserIndex(), b = m->getBody1()->getUserIndex();
            for (int i = 0; i < m->getNumContacts(); i++) {
                const btManifoldPoint& p = m->getContactPoint(i);
                Contact c;
                const double sign = a < 0 ? -1 : 1;
                c.a = a < 0 ? b : a, c.b = a < 0 ? a : b;
                c.n = sign * from(p.m_normalWorldOnB);
                c.point_a = from(a < 0 ? p.m_positionWorldOnB : p.m_positionWorldOnA);
                c.point_b = from(a < 0 ? p.m_positionWorldOnA : p.m_positionWorldOnB);
                c.impulse = p.m_appliedImpulse * from(p.m_normalWorldOnB) +
                            p.m_appliedImpulseLateral1 * from(p.m_lateralFrictionDir1);
                if (two) c.impulse = c.impulse + p.m_appliedImpulseLateral2 * from(p.m_lateralFrictionDir2);
                c.impulse = sign * c.impulse;
                c.gap = p.getDistance();
                const bool split = info.m_splitImpulse && c.gap <= info.m_splitImpulsePenetrationThreshold;
                c.own = (c.gap > 0 ? c.gap / scene.h : split ? 0 : info.m_erp2 * c.gap / scene.h) * c.n;
                out.push_back(c);
            }
        }
    }
    std::string note() override {
        if (!pivots) return "";
        return std::to_string(static_cast<btMLCPSolver*>(solver.get())->getNumFallbacks()) + " fallbacks";
    }
};

}  // namespace

Engine* make_engine() {
    return new Bullet;
}
const char* engine_name() {
    return "bullet";
}
