// stiction.h: everything. Each header also stands alone. NULL for options means the defaults in every call.
#ifndef STICTION_H
#define STICTION_H

#include <stiction/base.h>
#include <stiction/bodies.h>
#include <stiction/bounds.h>
#include <stiction/classes.h>
#include <stiction/cone.h>
#include <stiction/conic.h>
#include <stiction/contact.h>
#include <stiction/document.h>
#include <stiction/draw.h>
#include <stiction/fit.h>
#include <stiction/flow.h>
#include <stiction/granular.h>
#include <stiction/grasp.h>
#include <stiction/impact.h>
#include <stiction/instant.h>
#include <stiction/interval.h>
#include <stiction/io.h>
#include <stiction/l1.h>
#include <stiction/linalg.h>
#include <stiction/manipulation.h>
#include <stiction/modes.h>
#include <stiction/navigation.h>
#include <stiction/norms.h>
#include <stiction/painleve.h>
#include <stiction/path.h>
#include <stiction/plan.h>
#include <stiction/pointed.h>
#include <stiction/problem.h>
#include <stiction/qp.h>
#include <stiction/roots.h>
#include <stiction/run.h>
#include <stiction/scene.h>
#include <stiction/shapes.h>
#include <stiction/simulation.h>
#include <stiction/step.h>
#include <stiction/sticking.h>
#include <stiction/stochastic.h>
#include <stiction/system.h>
#include <stiction/urdf.h>
#include <stiction/velocities.h>
#include <stiction/verify.h>
#include <stiction/vi.h>

#endif
