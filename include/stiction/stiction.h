// stiction.h: everything. Each header also stands alone, and has all there is of its noun: what it is, how it is solved
// or analyzed, its check, its files. One verb stands for one act:
//
//     _create, _destroy          something behind a pointer; a call that fails leaves NULL
//     _solve, _clear             the answer to a problem, written into the caller's struct by one of several methods
//     _analyze, _clear           the same of a question that has one method
//     _make, _clear              another form of something, in the caller's struct: a step as a problem, an image
//     _default                   options; NULL for options means the same, in every call
//     _of                        what a document or a run holds; NULL when it is of another kind
//     _find                      by its name
//     _text, _parse              words of an enumeration, both ways; _parse also reads things from text in memory
//     _load, _save, _json        files, by their path; the same as text
//     _load_state, _save_state   bytes with everything that goes on from there
//     sti_verify_..              a check that shares no code with what it checks
//
// The suite holds the headers against this (tests/house/names.py).
#ifndef STICTION_H
#define STICTION_H

#include <stiction/actuation.h>
#include <stiction/base.h>
#include <stiction/bodies.h>
#include <stiction/bounds.h>
#include <stiction/classes.h>
#include <stiction/cone.h>
#include <stiction/conic.h>
#include <stiction/contact.h>
#include <stiction/covering.h>
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
#include <stiction/recording.h>
#include <stiction/roots.h>
#include <stiction/scene.h>
#include <stiction/section.h>
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
