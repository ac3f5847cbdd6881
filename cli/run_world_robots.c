// run_world_robots.c: what was not taken from URDF files as it stands there, as lines on stderr and in the summary.
#include "run_world.h"

enum { MOST_LINES = 12 };  // of one robot, unless --verbose

// A remark, and for how many of its kind it stands.
static void show(const sti_urdf_report* robot, const sti_urdf_remark* r, int alike) {
    fprintf(stderr, "%s: line %d: %s: %s: %s", robot->file, r->line, sti_urdf_what_text(r->what), r->element, r->text);
    if (alike > r->count)
        fprintf(stderr, " (one of %d)", alike);
    else if (r->count > 1)
        fprintf(stderr, " (%d times)", r->count);
    fputc('\n', stderr);
}

// Is it the first of its kind? alike: how many elements that kind stands for.
static bool leads(const sti_urdf_report* robot, int index, int* alike) {
    const uint64_t kind = robot->remarks[index].kind;
    *alike = 0;
    for (int k = 0; k < robot->remark_count; k++) {
        if (robot->remarks[k].kind != kind) continue;
        if (k < index) return false;
        *alike += robot->remarks[k].count;
    }
    return true;
}

// One line for each kind, with an example: what was assumed first, then what was approximated and ignored.
static void show_kinds(const sti_urdf_report* robot) {
    static const sti_urdf_what order[] = {STI_URDF_ASSUMED, STI_URDF_APPROXIMATED, STI_URDF_IGNORED};
    int kinds = 0, shown = 0, alike;
    for (int i = 0; i < robot->remark_count; i++) kinds += leads(robot, i, &alike);
    const int most = kinds > MOST_LINES ? MOST_LINES - 1 : kinds;
    for (int o = 0; o < 3; o++) {
        for (int i = 0; i < robot->remark_count && shown < most; i++) {
            if (robot->remarks[i].what != order[o] || !leads(robot, i, &alike)) continue;
            show(robot, &robot->remarks[i], alike);
            shown++;
        }
    }
    if (shown < kinds)
        fprintf(stderr, "%s: %d more kinds of remarks; --verbose shows all %d remarks\n", robot->file, kinds - shown,
                robot->remark_count);
}

void cli_world_robots_say(const cli* c, const sti_world_scene* scene) {
    if (c->quiet) return;
    for (int k = 0; k < scene->robot_count; k++) {
        const sti_urdf_report* robot = &scene->robots[k];
        if (!c->verbose) show_kinds(robot);
        for (int i = 0; i < robot->remark_count && c->verbose; i++)
            show(robot, &robot->remarks[i], robot->remarks[i].count);
    }
}

static void put_remark(cli_json* j, const sti_urdf_remark* r) {
    cli_json_object(j, NULL);
    cli_json_text(j, "what", sti_urdf_what_text(r->what));
    cli_json_text(j, "element", r->element);
    cli_json_text(j, "text", r->text);
    cli_json_integer(j, "line", r->line);
    cli_json_integer(j, "count", r->count);
    cli_json_end(j);
}

void cli_world_robots_json(cli_json* j, const sti_world_scene* scene) {
    cli_json_array(j, "robots");
    for (int k = 0; k < scene->robot_count; k++) {
        const sti_urdf_report* robot = &scene->robots[k];
        cli_json_object(j, NULL);
        cli_json_text(j, "name", robot->robot);
        cli_json_text(j, "file", robot->file);
        cli_json_integer(j, "link_count", robot->link_count);
        cli_json_number(j, "mass", robot->mass);
        cli_json_integer(j, "body_count", robot->body_count);
        cli_json_integer(j, "joint_count", robot->joint_count);
        cli_json_array(j, "remarks");
        for (int i = 0; i < robot->remark_count; i++) put_remark(j, &robot->remarks[i]);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}
