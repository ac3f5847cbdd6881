// verify_motion.h: stiction verify FOLDER: recorded runs of systems by formulas, of vehicles and of grains.
#ifndef STICTION_CLI_VERIFY_MOTION_H
#define STICTION_CLI_VERIFY_MOTION_H

#include "cli.h"

// path: trajectory.h5; tol 0: the default.
int cli_verify_system_run(const cli* c, const char* path, double tol);
int cli_verify_navigation_run(const cli* c, const char* path, double tol);
int cli_verify_bed_run(const cli* c, const char* path, double tol);

#endif
