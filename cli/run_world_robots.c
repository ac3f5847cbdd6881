// run_world_robots.c: what was not taken from URDF files as it stands there, as lines on stderr and in the summary.
#include "run_world.h"

static void show(const sti_urdf_report* robot, const sti_urdf_remark* r) {
    fprintf(stderr, "%s%sline %d: %s: %s: %s", robot->robot, robot->robot[0] != '\0' ? ": " : "", r->line,
            sti_urdf_what_text(r->what), r->element, r->text);
    if (r->count > 1) fprintf(stderr, " (%d times)", r->count);
    fputc('\n', stderr);
}

void cli_world_robots_say(const cli* c, const sti_world_scene* scene) {
    if (c->quiet) return;
    for (int k = 0; k < scene->robot_count; k++) {
        const sti_urdf_report* robot = &scene->robots[k];
        for (int i = 0; i < robot->remark_count; i++) show(robot, &robot->remarks[i]);
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
        cli_json_integer(j, "link_count", robot->link_count);
        cli_json_integer(j, "body_count", robot->body_count);
        cli_json_integer(j, "joint_count", robot->joint_count);
        cli_json_array(j, "remarks");
        for (int i = 0; i < robot->remark_count; i++) put_remark(j, &robot->remarks[i]);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}
