// run_world_report.c: what a run of bodies reports: the summary as text and as JSON.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_check.h"
#include "run_measure.h"
#include "run_world.h"

static const char* const end_text[] = {[STI_RUN_END_TIME] = "time", [STI_RUN_END_STOPPED] = "stopped"};

static int count_moving(const sti_bodies* b) {
    int count = 0;
    for (int k = 0; k < sti_bodies_count(b); k++) count += !sti_bodies_body(b, k)->fixed;
    return count;
}

// ---- JSON

static void put_settings(cli_json* j, const cli_world_run* run) {
    const sti_world_scene* s = run->of->scene;
    cli_json_integer(j, "dimension", sti_bodies_dim(s->bodies));
    cli_json_integer(j, "body_count", sti_bodies_count(s->bodies));
    cli_json_integer(j, "moving", count_moving(s->bodies));
    cli_json_integer(j, "joint_count", sti_bodies_joint_count(s->bodies));
    cli_json_number(j, "h", s->step.h);
    cli_json_number(j, "alpha", s->step.alpha);
    cli_json_integer(j, "index", s->step.index);
    cli_json_number(j, "tol", s->step.tol);
    cli_json_text(j, "solver", sti_contact_solver_text(s->step.solver));
    cli_json_text(j, "impact", sti_impact_law_text(s->step.law));
    cli_json_object(j, "parameters");
    for (int k = 0; k < s->parameter_count; k++) cli_json_number(j, s->parameter_names[k], s->parameters[k]);
    cli_json_end(j);
}

static void put_state(cli_json* j, const cli_world_run* run) {
    const sti_bodies* b = run->of->scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    cli_json_array(j, "bodies");
    for (int k = 0; k < sti_bodies_count(b); k++) {
        sti_pose pose;
        double v[3], w[3];
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_pose(run->of->world, k, &pose);
        sti_world_velocity(run->of->world, k, v, w);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_bodies_body(b, k)->name);
        cli_json_numbers(j, "position", pose.x, plane ? 2 : 3);
        cli_json_numbers(j, "rotation", pose.q, 4);
        cli_json_numbers(j, "velocity", v, plane ? 2 : 3);
        if (plane)
            cli_json_number(j, "angular_velocity", w[2]);
        else
            cli_json_numbers(j, "angular_velocity", w, 3);
        cli_json_number(j, "angle", plane ? 2 * atan2(pose.q[3], pose.q[0]) : NAN);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_array(j, "joints");
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), joint->kind);
        sti_world_joint state;
        sti_world_joint_state(run->of->world, k, &state);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", joint->name);
        cli_json_text(j, "type", sti_joint_kind_text(joint->kind));
        cli_json_numbers(j, "coordinate", state.coordinate, (size_t)axes);
        cli_json_numbers(j, "speed", state.speed, (size_t)axes);
        cli_json_number(j, "defect", state.defect);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_contacts(cli_json* j, const cli_world_run* run) {
    const sti_bodies* b = run->of->scene->bodies;
    int count = 0;
    const sti_world_contact* list = sti_world_contacts(run->of->world, &count);
    cli_json_array(j, "contacts");
    for (int k = 0; k < count; k++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "a", sti_bodies_body(b, list[k].a)->name);
        cli_json_text(j, "b", sti_bodies_body(b, list[k].b)->name);
        cli_json_text(j, "mode", sti_contact_mode_text((sti_contact_mode)list[k].mode));
        cli_json_number(j, "gap", list[k].gap);
        const size_t d = (size_t)sti_bodies_dim(b);
        cli_json_numbers(j, "point", list[k].point, d);
        cli_json_numbers(j, "normal", list[k].n, d);
        cli_json_numbers(j, "tangent", list[k].t1, d);
        cli_json_numbers(j, "tangent2", d == 3 ? list[k].t2 : NULL, d);
        cli_json_numbers(j, "impulse", list[k].r, d);
        cli_json_number(j, "opening", list[k].u[0]);
        cli_json_numbers(j, "slip", list[k].u + 1, d - 1);
        cli_json_number(j, "hit", list[k].hit);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_quality(cli_json* j, const sti_world_run* t) {
    cli_json_object(j, "energy");
    cli_json_number(j, "start", t->first_energy);
    cli_json_number(j, "end", t->last.kinetic + t->last.potential);
    cli_json_number(j, "kinetic", t->last.kinetic);
    cli_json_number(j, "potential", t->last.potential);
    cli_json_number(j, "peak_kinetic", t->peak_kinetic);
    cli_json_number(j, "work", t->work);
    cli_json_number(j, "impacts", t->impact_energy + t->landing_energy);
    cli_json_number(j, "drawn_back", t->impact_gain);
    cli_json_number(j, "mended", t->mended);
    cli_json_number(j, "gain", t->gain);
    cli_json_number(j, "largest_gain", t->worst_gain);
    cli_json_end(j);
    cli_json_number(j, "residual", t->worst_residual);
    cli_json_integer(j, "unsolved_steps", t->unsolved);
    cli_json_count(j, "first_unsolved", t->unsolved > 0 ? t->first_unsolved : -1);
    cli_json_text(j, "why", t->unsolved > 0 ? t->why : NULL);
    cli_json_integer(j, "accepted_steps", t->accepted);
    cli_json_count(j, "first_accepted", t->accepted > 0 ? t->first_accepted : -1);
    cli_json_number(j, "accepted_residual", t->accepted > 0 ? t->accepted_residual : NAN);
    cli_json_integer(j, "steps_at_rest", t->at_rest);
    cli_json_number(j, "penetration", t->worst_penetration);
    cli_json_number(j, "drift", t->worst_drift);
    cli_json_number(j, "drift_rate", t->worst_drift_rate);
    cli_json_number(j, "correction", t->worst_corrected);
    cli_json_integer(j, "impacts", t->impacts + t->landings);
    cli_json_integer(j, "bounces", t->impacts);
    cli_json_integer(j, "iterations", t->iterations);
    cli_json_integer(j, "most_iterations", t->most_iterations);
    cli_json_integer(j, "most_contacts", t->most_contacts);
    cli_json_integer(j, "most_touching", t->most_touching);
}

// What was done to the start before it could go.
static void put_start(cli_json* j, const cli_world_run* run) {
    const sti_world_fit fit = sti_world_start_fit(run->of->world);
    const sti_world_run* t = run->of;
    const sti_bodies* b = run->of->scene->bodies;
    cli_json_object(j, "start");
    cli_json_number(j, "joints_moved", fit.moved);
    cli_json_number(j, "joints_speed", fit.speed);
    cli_json_number(j, "joints_energy", fit.energy);
    cli_json_number(j, "overlap", t->start_overlap);
    cli_json_text(j, "a", t->start_steps > 0 ? sti_bodies_body(b, t->start_a)->name : NULL);
    cli_json_text(j, "b", t->start_steps > 0 ? sti_bodies_body(b, t->start_b)->name : NULL);
    cli_json_integer(j, "overlap_steps", t->start_steps);
    cli_json_number(j, "overlap_moved", t->start_moved);
    cli_json_number(j, "overlap_energy", t->start_energy);
    cli_json_number(j, "overlap_left", t->start_left);
    cli_json_end(j);
}

static void put_check(cli_json* j, const cli_world_run* run) {
    sti_run_verification v;
    if (run->of->checker == NULL) {
        cli_json_null(j, "check");
        return;
    }
    sti_run_checker_result(run->of->checker, &v);
    cli_json_object(j, "check");
    cli_json_bool(j, "accepted", v.accepted);
    cli_checks_json(j, run->of->scene->bodies, &v);
    cli_json_end(j);
}

static void fill_json(cli_json* j, const cli_world_run* run) {
    const sti_world_run* t = run->of;
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "bodies");
    cli_json_text(j, "scene", run->request->scene);
    cli_json_text(j, "description", run->of->scene->description);
    cli_json_text(j, "outcome", end_text[run->state.end]);
    put_settings(j, run);
    cli_json_integer(j, "steps", t->steps);
    cli_json_number(j, "time", sti_world_time(run->of->world));
    put_state(j, run);
    put_contacts(j, run);
    cli_world_robots_json(j, run->problem != NULL ? sti_world_scene_of(run->problem) : run->of->scene);
    put_start(j, run);
    put_quality(j, t);
    cli_measure_json(j, t->measure, CLI_MEASURED_BODIES);
    put_check(j, run);
    cli_json_number(j, "time_s", run->state.time_s);
    cli_json_object(j, "time_parts_s");
    cli_json_number(j, "detect", t->time_detect_s);
    cli_json_number(j, "solve", t->time_solve_s);
    cli_json_number(j, "rest", t->time_rest_s);
    cli_json_number(j, "check", t->time_check_s);
    cli_json_number(j, "files", run->state.time_files_s);
    cli_json_end(j);
    cli_json_number(j, "peak_memory_bytes", cli_run_peak_memory());
    cli_json_integer(j, "frames", t->frames);
    cli_json_text(j, "problem", run->request->problem);
    cli_json_text(j, "folder", run->dir);
}

// ---- text

enum { MOST_SHOWN = 6 };

// Of the names that are shown; a very long one stands out.
static int name_width(const sti_bodies* b) {
    size_t width = 8;
    for (int k = 0, shown = 0; k < sti_bodies_count(b) && shown < MOST_SHOWN; k++) {
        const size_t length = strlen(sti_bodies_body(b, k)->name);
        if (sti_bodies_body(b, k)->fixed) continue;
        shown++;
        if (length > width && length <= 24) width = length;
    }
    return (int)width;
}

// Centres of mass; in the plane with the angle.
static void say_bodies(const cli* c, const cli_world_run* run) {
    const sti_bodies* b = run->of->scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    const int width = name_width(b);
    int shown = 0;
    for (int k = 0; k < sti_bodies_count(b); k++) {
        sti_pose pose;
        double v[3], w[3];
        char text[120], speed[120];
        if (sti_bodies_body(b, k)->fixed) continue;
        if (++shown > MOST_SHOWN) {
            cli_say(c, "    ..\n");
            return;
        }
        sti_world_pose(run->of->world, k, &pose);
        sti_world_velocity(run->of->world, k, v, w);
        double x[3];
        sti_pose_apply(&pose, sti_bodies_body(b, k)->centre, x);
        const double flat[3] = {x[0], x[1], 2 * atan2(pose.q[3], pose.q[0])}, flat_v[3] = {v[0], v[1], w[2]};
        cli_text_numbers(text, sizeof text, plane ? flat : x, 3, 3);
        cli_text_numbers(speed, sizeof speed, plane ? flat_v : v, 3, 3);
        cli_say(c, "    %-*s %s %s, v %s\n", width, sti_bodies_body(b, k)->name, plane ? "centre, angle" : "centre",
                text, speed);
    }
}

static void say_start(const cli* c, const cli_world_run* run) {
    const sti_world_fit fit = sti_world_start_fit(run->of->world);
    const sti_world_run* t = run->of;
    const sti_bodies* b = run->of->scene->bodies;
    if (fit.moved > 0 || fit.speed > 0)
        cli_say(c, "  %sstart:%s made to fit the joints: moved by %.3g, velocities by %.3g, energy by %+.3g\n",
                cli_unsure(c), cli_plain(c), fit.moved, fit.speed, fit.energy);
    if (t->start_steps == 0) return;
    cli_say(c, "  %sstart:%s \"%s\" and \"%s\" overlap by %.3g; ", cli_unsure(c), cli_plain(c),
            sti_bodies_body(b, t->start_a)->name, sti_bodies_body(b, t->start_b)->name, t->start_overlap);
    if (t->start_moved > 0)
        cli_say(c, "in %ld %s bodies were moved by %.3g, which changed the energy by %+.3g", t->start_steps,
                t->start_steps == 1 ? "step" : "steps", t->start_moved, t->start_energy);
    if (t->start_left > 1e-3 * t->start_overlap)
        cli_say(c, "%s%.3g of overlap is left%s", t->start_moved > 0 ? ", and " : "", t->start_left,
                run->of->scene->robot_count > 0 ? " (--height auto puts a robot on the ground)" : "");
    cli_say(c, "\n");
}

static void say_check(const cli* c, const cli_world_run* run) {
    sti_run_verification v;
    char text[120];
    if (run->of->checker == NULL) return;
    sti_run_checker_result(run->of->checker, &v);
    cli_checks_count(&v, text, sizeof text);
    cli_say(c, "  checked as it went: %s%s%s\n", v.accepted ? cli_good(c) : cli_bad(c), text, cli_plain(c));
    cli_checks_say_failed(c, run->of->scene->bodies, &v);
}

static void say(const cli* c, const cli_world_run* run) {
    const sti_world_run* t = run->of;
    const sti_world_scene* s = run->of->scene;
    const int bodies = sti_bodies_count(s->bodies), joints = sti_bodies_joint_count(s->bodies);
    cli_say(c, "%s%d %s%s (%d move), %d %s, %ld steps of %g, %s at t = %g\n", cli_strong(c), bodies,
            bodies == 1 ? "body" : "bodies", cli_plain(c), count_moving(s->bodies), joints,
            joints == 1 ? "joint" : "joints", t->steps, s->step.h, cli_run_ended(run->state.end, "ended"),
            sti_world_time(run->of->world));
    cli_run_say_idle(c, run->request, t->steps - run->state.begun, sti_world_time(run->of->world));
    say_start(c, run);
    say_bodies(c, run);
    cli_say(c, "  worst residual %.1e, %s%ld of %ld steps not solved%s to %g; %ld at rest\n", t->worst_residual,
            t->unsolved > 0 ? cli_bad(c) : cli_good(c), t->unsolved, t->steps, cli_plain(c), s->step.tol, t->at_rest);
    if (t->unsolved > 0) cli_say(c, "    first step %ld: %s\n", t->first_unsolved, t->why);
    if (t->accepted > 0)
        cli_say(c, "    %ld of them accepted, first step %ld, residual at most %.2e (--accept %g)\n", t->accepted,
                t->first_accepted, t->accepted_residual, run->request->accept);
    say_check(c, run);
    cli_say(c, "  energy %.6g (kinetic %.4g), %.6g at the start; work of motors and surfaces %.4g\n",
            t->last.kinetic + t->last.potential, t->last.kinetic, t->first_energy, t->work);
    cli_say(c, "  changes of energy: %.4g in %ld impacts, %.1e by correction of positions; rise beyond work %s%.1e%s\n",
            t->impact_energy + t->landing_energy, t->impacts + t->landings, t->mended,
            t->gain > 1e-9 * (1 + fabs(t->first_energy)) ? cli_unsure(c) : "", t->gain, cli_plain(c));
    if (t->impacts > 0 && s->step.alpha > 0.5)
        cli_say(c, "  between bounces alpha = %g loses energy, by O(h); --alpha 0.5 keeps it\n", s->step.alpha);
    if (t->impact_gain > 0)
        cli_say(c, "  impacts that would have added energy, %.3g in all, were scaled back\n", t->impact_gain);
    cli_say(
        c, "  penetration at most %.1e, joint drift %.1e, correction %.1e; %d contact%s now, %d carry load, %d stick\n",
        t->worst_penetration, t->worst_drift, t->worst_corrected, t->last.contacts, t->last.contacts == 1 ? "" : "s",
        t->last.touching, t->last.sticking);
    if (sti_bodies_joint_count(s->bodies) > 0)
        cli_say(c, "  joints at the level of %s: drift of positions %.1e, of velocities %.1e\n",
                s->step.index == 3 ? "positions" : "velocities", t->worst_drift, t->worst_drift_rate);
    if (s->robot_count > 0 && t->most_touching == 0) cli_say(c, "  no contact carried load in any step\n");
    cli_measure_say(c, t->measure);
    if (run->request->problem != NULL) cli_say(c, "  %s: the last step as a contact problem\n", run->request->problem);
    cli_say(c, "  %.2f s (contacts %.2f, solve %.2f, rest %.2f, check %.2f, files %.2f), %.3g ms a step\n",
            run->state.time_s, t->time_detect_s, t->time_solve_s, t->time_rest_s, t->time_check_s,
            run->state.time_files_s, t->steps > 0 ? 1e3 * run->state.time_s / (double)t->steps : 0);
    if (run->dir != NULL)
        cli_say(c, "  %s: trajectory.h5 and .xdmf with %ld frames, summary.json, checkpoint.h5%s\n", run->dir,
                t->frames,
                !run->request->picture           ? ""
                : sti_bodies_dim(s->bodies) == 2 ? ", scene.svg, energy.svg"
                                                 : ", scene.png, energy.svg");
}

int cli_world_report(const cli* c, const cli_world_run* run) {
    cli_json j;
    fill_json(&j, run);
    const int code = cli_run_summary(c, run->dir, &j);
    if (code == CLI_DONE && !c->json) say(c, run);
    return code;
}
