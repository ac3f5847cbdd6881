// robot.h: a robot's file as a scene: on the ground, floating, in a pose, with packages found as ROS finds them.
#ifndef STICTION_CLI_ROBOT_H
#define STICTION_CLI_ROBOT_H

#include "cli.h"

typedef struct cli_robot_request {
    bool ground, floating, strict;
    const char* height;   // "auto" or a number; NULL: not given
    const char* mu;       // a number; NULL: not given
    const char* pose;     // zero, middle, home
    const char* collide;  // collision, visual
    const char* show;     // collision, visual
    bool pictured;        // a picture is wanted
    const char* joints;   // NAME=VALUE, a line each
    const char* folders;  // a line each
    double decompose;     // 0: not given
} cli_robot_request;

// Without the folders, for a verb that names some of its own.
#define CLI_ROBOT_OPTIONS_BUT_FOLDERS(r)                                                                            \
    {"--ground", CLI_FLAG, NULL, "of a robot: a plane at z = 0 below it", &(r).ground},                             \
        {"--floating", CLI_FLAG, NULL, "of a robot: its root link moves", &(r).floating},                           \
        {"--height", CLI_TEXT, "Z", "of a robot: of its root link; auto: it touches z = 0", &(r).height},           \
        {"--mu", CLI_TEXT, "MU", "of a robot: friction of its surfaces and of the ground (0.5)", &(r).mu},          \
        {"--pose", CLI_TEXT, "POSE", "of a robot: joints at zero, middle or home (docs/urdf.md)", &(r).pose},       \
        {"--collide", CLI_TEXT, "WITH", "of a robot: collision; visual: also links that can only be seen",          \
         &(r).collide},                                                                                             \
        {"--decompose", CLI_POSITIVE, "E",                                                                          \
         "of a robot: meshes that move as convex parts, within E of their size (one hull)", &(r).decompose},        \
        {"--joint", CLI_LINES, "NAME=X", "of a robot: where a joint starts; * stands for any text", &(r).joints}, { \
        "--strict", CLI_FLAG, NULL, "of a robot: what URDF does not allow is an error, nothing is repaired",        \
            &(r).strict                                                                                             \
    }

#define CLI_ROBOT_OPTIONS(r)                                                                               \
    CLI_ROBOT_OPTIONS_BUT_FOLDERS(r), {                                                                    \
        "--folder", CLI_LINES, "DIR", "of a robot: where meshes and packages are looked for", &(r).folders \
    }

// Like cli_scene_load, with these options where the file is a robot's; ROS_PACKAGE_PATH and AMENT_PREFIX_PATH are
// looked at.
int cli_robot_load(const cli* c, const char* name, const cli_robot_request* request, sti_document** out);
// Folders below those of the list that are packages which the text of the robot names, into an array of names. false:
// no memory.
bool cli_robot_put_packages(cli_json* j, const char* text, const char* list, char between);
// The option that was given, NULL: none.
const char* cli_robot_option(const cli_robot_request* request);

#endif
