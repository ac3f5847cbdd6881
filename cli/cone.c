// cone.c: stiction cone: both forms of a polyhedral cone, pointed or not, where a point lies; sums, intersections,
// images.
//
// Operations follow one another in a fixed order: A, A + B, (A + B) n C, its image, the polar of that.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct request {
    const char* path;
    bool polar;
    const char *sum, *intersect, *image;  // files
    double tol;
    long max_rays;
    cli_list contains, project;
} request;

// What is told about one cone.
typedef struct report {
    sti_polycone* cone;
    bool worked;    // something was done to the cone of the file
    bool as_given;  // pointedness is that of the generators in the file, not of the set
    bool pointed;
    sti_pointedness p;   // margin and x, or the witness
    sti_cone_point at;   // of --contains
    double* projection;  // of --project       (dimension)
    double distance;
} report;

enum { SHOWN_ROWS = 24, SHOWN_ENTRIES = 12 };

// ---- JSON

// Exact numbers as numbers when a double holds them, as text otherwise.
static void put_exact(cli_json* j, const cli* c, const sti_rationals* r, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        if (sti_rationals_is_double(r, i))
            cli_json_number(j, NULL, sti_rationals_double(r, i));
        else
            cli_json_rational(j, c, NULL, r, i);
    }
}

static void put_rows(cli_json* j, const cli* c, const char* key, sti_rows rows) {
    const size_t d = (size_t)rows.dimension;
    cli_json_array(j, key);
    for (int i = 0; i < rows.count; i++) {
        cli_json_array(j, NULL);
        if (rows.exact != NULL) {
            put_exact(j, c, rows.exact, (size_t)i * d, d);
        } else {
            for (size_t k = 0; k < d; k++) cli_json_number(j, NULL, rows.value[(size_t)i * d + k]);
        }
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_witness(cli_json* j, const cli* c, const report* r, size_t count) {
    if (r->p.c == NULL) {
        cli_json_null(j, "witness");
    } else if (r->p.c_exact != NULL) {
        cli_json_array(j, "witness");
        put_exact(j, c, r->p.c_exact, 0, count);
        cli_json_end(j);
    } else {
        cli_json_numbers(j, "witness", r->p.c, count);
    }
}

static void put_point(cli_json* j, const request* q, const report* r) {
    const size_t d = (size_t)sti_polycone_dimension_space(r->cone);
    if (q->contains.count == 0) {
        cli_json_null(j, "contains");
    } else {
        cli_json_object(j, "contains");
        cli_json_numbers(j, "x", q->contains.value, d);
        cli_json_bool(j, "inside", r->at.inside);
        cli_json_number(j, "distance", r->at.distance);
        cli_json_number(j, "slack", r->at.slack);
        if (r->at.inside)
            cli_json_null(j, "violated");
        else
            cli_json_text(j, "violated", r->at.face >= 0 ? "inequality" : "equation");
        if (r->at.inside)
            cli_json_null(j, "index");
        else
            cli_json_integer(j, "index", r->at.face >= 0 ? r->at.face : -1 - r->at.face);
        cli_json_end(j);
    }
    if (q->project.count == 0) {
        cli_json_null(j, "projection");
    } else {
        cli_json_object(j, "projection");
        cli_json_numbers(j, "x", q->project.value, d);
        cli_json_numbers(j, "p", r->projection, d);
        cli_json_number(j, "distance", r->distance);
        cli_json_end(j);
    }
}

static int print_json(const cli* c, const request* q, const report* r, size_t generators, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "cone");
    cli_json_bool(&j, "exact", sti_polycone_is_exact(r->cone));
    cli_json_bool(&j, "polar", q->polar);
    cli_json_text(&j, "sum", q->sum);
    cli_json_text(&j, "intersect", q->intersect);
    cli_json_text(&j, "image", q->image);
    cli_json_text(&j, "face_convention", "F x <= 0");
    cli_json_integer(&j, "dimension_space", sti_polycone_dimension_space(r->cone));
    cli_json_integer(&j, "dimension", sti_polycone_dimension(r->cone));
    cli_json_integer(&j, "lineality", sti_polycone_lineality(r->cone));
    cli_json_bool(&j, "pointed", r->pointed);
    cli_json_text(&j, "pointed_of", r->as_given ? "generators as given" : "set");
    cli_json_number(&j, "margin", r->p.margin);
    put_witness(&j, c, r, generators);
    put_rows(&j, c, "rays", sti_polycone_rays(r->cone));
    put_rows(&j, c, "lines", sti_polycone_lines(r->cone));
    put_rows(&j, c, "inequalities", sti_polycone_inequalities(r->cone));
    put_rows(&j, c, "equations", sti_polycone_equations(r->cone));
    put_point(&j, q, r);
    return cli_json_print(&j, c, code);
}

// ---- summary

static void say_rows(const cli* c, const char* name, sti_rows rows) {
    char text[400];
    if (rows.count == 0) return;
    cli_say(c, "  %s (%d)\n", name, rows.count);
    for (int i = 0; i < rows.count && i < SHOWN_ROWS; i++) {
        const size_t first = (size_t)i * (size_t)rows.dimension;
        if (rows.exact != NULL)
            cli_text_rationals(c, text, sizeof text, rows.exact, first, rows.dimension, SHOWN_ENTRIES);
        else
            cli_text_numbers(text, sizeof text, rows.value + first, rows.dimension, SHOWN_ENTRIES);
        cli_say(c, "    %s\n", text);
    }
    if (rows.count > SHOWN_ROWS) cli_say(c, "    ... and %d more (--json lists all)\n", rows.count - SHOWN_ROWS);
}

static void say_pointed(const cli* c, const report* r, int generators) {
    char text[400];
    const char* color = r->pointed ? cli_good(c) : cli_unsure(c);
    cli_say(c, "  %s%s%s", color, r->pointed ? "pointed" : "not pointed", cli_plain(c));
    if (r->pointed && sti_polycone_lineality(r->cone) > 0) cli_say(c, " apart from the lines");
    if (r->pointed && isinf(r->p.margin)) {
        cli_say(c, ": there are no rays\n");
    } else if (r->pointed) {
        cli_text_numbers(text, sizeof text, r->p.x, sti_polycone_dimension_space(r->cone), SHOWN_ENTRIES);
        cli_say(c, ", margin %.7g at x = %s\n", r->p.margin, text);
    } else if (r->p.c != NULL) {
        if (r->p.c_exact != NULL)
            cli_text_rationals(c, text, sizeof text, r->p.c_exact, 0, generators, SHOWN_ENTRIES);
        else
            cli_text_numbers(text, sizeof text, r->p.c, generators, SHOWN_ENTRIES);
        cli_say(c, ": the given rays, then lines, times c = %s add up to zero\n", text);
    } else {
        cli_say(c, ": it contains the lines below\n");
    }
}

static void say_points(const cli* c, const request* q, const report* r) {
    char from[400], to[400];
    const int d = sti_polycone_dimension_space(r->cone);
    if (q->contains.count > 0) {
        cli_text_numbers(from, sizeof from, q->contains.value, d, SHOWN_ENTRIES);
        if (r->at.inside)
            cli_say(c, "  %s is %sinside%s, slack %.7g\n", from, cli_good(c), cli_plain(c), r->at.slack);
        else
            cli_say(c, "  %s is %soutside%s, distance %.7g, against %s %d\n", from, cli_bad(c), cli_plain(c),
                    r->at.distance, r->at.face >= 0 ? "inequality" : "equation",
                    r->at.face >= 0 ? r->at.face : -1 - r->at.face);
    }
    if (q->project.count > 0) {
        cli_text_numbers(from, sizeof from, q->project.value, d, SHOWN_ENTRIES);
        cli_text_numbers(to, sizeof to, r->projection, d, SHOWN_ENTRIES);
        cli_say(c, "  %s projects to %s, distance %.7g\n", from, to, r->distance);
    }
}

static void say(const cli* c, const request* q, const report* r, int generators) {
    const int terms = 1 + (q->sum != NULL) + (q->intersect != NULL) + (q->image != NULL);
    cli_say(c, "%s%s%s", q->polar ? "polar of " : "", q->polar && terms > 1 ? "the " : "",
            q->image != NULL ? "image of " : "");
    cli_say(c, "%s", q->path);
    if (q->sum != NULL) cli_say(c, " plus %s", q->sum);
    if (q->intersect != NULL) cli_say(c, "%s within %s", q->sum != NULL ? "," : "", q->intersect);
    if (q->image != NULL) cli_say(c, " by T of %s", q->image);
    cli_say(c, ": cone in R^%d, dimension %d, lineality %d, %s\n", sti_polycone_dimension_space(r->cone),
            sti_polycone_dimension(r->cone), sti_polycone_lineality(r->cone),
            sti_polycone_is_exact(r->cone) ? "exact" : "floating");
    say_pointed(c, r, generators);
    say_rows(c, "rays", sti_polycone_rays(r->cone));
    say_rows(c, "lines", sti_polycone_lines(r->cone));
    say_rows(c, "inequalities F, F x <= 0", sti_polycone_inequalities(r->cone));
    say_rows(c, "equations E, E x = 0", sti_polycone_equations(r->cone));
    say_points(c, q, r);
}

// ---- work

static sti_status pose(const cli* c, const sti_cone_input* in, const sti_polycone_options* o, sti_polycone** out) {
    return in->span ? sti_polycone_create_span(c->env, in->dimension, &in->first, &in->second, o, out)
                    : sti_polycone_create_face(c->env, in->dimension, &in->first, &in->second, o, out);
}

// The cone of r replaced by what became of it; the exit code.
static int replace(const cli* c, const char* path, sti_status status, sti_polycone** made, report* r) {
    if (status != STI_OK) return cli_fail_about(c, path);
    sti_polycone_destroy(r->cone);
    r->cone = *made;
    r->worked = true;
    return CLI_DONE;
}

static int wrong_kind(const cli* c, const char* option, const char* path, const sti_document* p, const char* expected) {
    return cli_fail_usage(c, "%s: %s: kind: %s: %s expected", option, path, sti_kind_text(sti_document_kind(p)),
                          expected);
}

typedef sti_status operation(const sti_polycone* a, const sti_polycone* b, sti_polycone** out);

static int join(const cli* c, const char* option, const char* path, operation* with, const sti_polycone_options* o,
                report* r) {
    sti_document* problem = NULL;
    sti_polycone *other = NULL, *made = NULL;
    if (path == NULL) return CLI_DONE;
    int code = cli_load_any(c, path, &problem);
    const sti_cone_input* in = code == CLI_DONE ? sti_cone_input_of(problem) : NULL;
    const int d = sti_polycone_dimension_space(r->cone);
    if (code == CLI_DONE && in == NULL) {
        code = wrong_kind(c, option, path, problem, "\"cone\"");
    } else if (code == CLI_DONE && in->dimension != d) {
        code = cli_fail_usage(c, "%s: %s: a cone in dimension %d, and the other lives in dimension %d", option, path,
                              in->dimension, d);
    } else if (code == CLI_DONE) {
        sti_status status = pose(c, in, o, &other);
        if (status == STI_OK) status = with(r->cone, other, &made);
        code = replace(c, path, status, &made, r);
    }
    sti_polycone_destroy(other);
    sti_document_destroy(problem);
    return code;
}

// T of a file of kind "matrices", or a matrix in Matrix Market format. *market is the caller's to clear.
static int load_map(const cli* c, const char* path, sti_document** problem, sti_matrix* market, sti_rows* T) {
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".mtx") == 0) {
        sti_matrix sparse = {0};
        sti_status status = sti_matrix_load(c->env, path, &sparse);
        if (status == STI_OK) status = sti_matrix_to_dense(c->env, &sparse, market);
        sti_matrix_clear(c->env, &sparse);
        if (status != STI_OK) return cli_fail_about(c, path);
        *T = (sti_rows){.count = market->rows, .dimension = market->cols, .value = market->dense};
        return CLI_DONE;
    }
    const int code = cli_load_any(c, path, problem);
    if (code != CLI_DONE) return code;
    const sti_matrices* m = sti_matrices_of(*problem);
    if (m == NULL) return wrong_kind(c, "--image", path, *problem, "\"matrices\" with T, or a .mtx file,");
    if (m->T == NULL) return cli_fail_usage(c, "--image: %s: T: missing: the matrix of the map is expected", path);
    *T = (sti_rows){.count = m->rows, .dimension = m->cols, .value = m->T, .exact = m->exact};
    return CLI_DONE;
}

static int map(const cli* c, const char* path, report* r) {
    if (path == NULL) return CLI_DONE;
    sti_document* problem = NULL;
    sti_matrix market = {0};
    sti_polycone* made = NULL;
    sti_rows T = {0};
    const int d = sti_polycone_dimension_space(r->cone);
    int code = load_map(c, path, &problem, &market, &T);
    if (code == CLI_DONE && T.dimension != d)
        code = cli_fail_usage(c, "--image: %s: T: %d x %d: %d columns are expected, the dimension of the cone", path,
                              T.count, T.dimension, d);
    else if (code == CLI_DONE)
        code = replace(c, path, sti_polycone_image(r->cone, &T, &made), &made, r);
    sti_matrix_clear(c->env, &market);
    sti_document_destroy(problem);
    return code;
}

static int make_cone(const cli* c, const request* q, const sti_cone_input* in, const sti_polycone_options* o,
                     report* r) {
    sti_polycone* polar = NULL;
    if (pose(c, in, o, &r->cone) != STI_OK) return cli_fail_about(c, q->path);
    int code = join(c, "--sum", q->sum, sti_polycone_sum, o, r);
    if (code == CLI_DONE) code = join(c, "--intersect", q->intersect, sti_polycone_intersect, o, r);
    if (code == CLI_DONE) code = map(c, q->image, r);
    if (code == CLI_DONE && q->polar) code = replace(c, q->path, sti_polycone_polar(r->cone, &polar), &polar, r);
    return code;
}

// Generators in the file are judged as they stand; of a cone given by faces the set is judged.
static sti_status judge(const cli* c, const sti_cone_input* in, const sti_polycone_options* o, report* r) {
    r->as_given = in->span && !r->worked;
    if (r->as_given) {
        const sti_status status = sti_rows_pointedness(c->env, in->dimension, &in->first, &in->second, o, &r->p);
        r->pointed = r->p.pointed;
        return status;
    }
    r->pointed = sti_polycone_is_pointed(r->cone);
    if (!r->pointed) return STI_OK;
    const sti_rows rays = sti_polycone_rays(r->cone);
    const sti_status status = sti_rows_pointedness(c->env, rays.dimension, &rays, NULL, o, &r->p);
    if (status == STI_OK && !r->p.pointed) r->pointed = false;  // within the tolerance
    return status;
}

static sti_status locate(const request* q, int d, report* r) {
    sti_status status = STI_OK;
    if (q->contains.count > 0) status = sti_polycone_locate(r->cone, q->contains.value, &r->at);
    if (status == STI_OK && q->project.count > 0) {
        status = sti_polycone_project(r->cone, q->project.value, r->projection);
        for (int i = 0; status == STI_OK && i < d; i++)
            r->distance = hypot(r->distance, q->project.value[i] - r->projection[i]);
    }
    return status;
}

static int check_point(const cli* c, const request* q, const cli_list* point, const char* option, int d) {
    if (point->count == 0 || point->count == d) return CLI_DONE;
    return cli_fail_usage(c, "%s: %d numbers: the cone%s%s lives in dimension %d", option, point->count,
                          q->image == NULL ? " in " : " made here", q->image == NULL ? q->path : "", d);
}

static int work(const cli* c, const request* q, const sti_cone_input* in) {
    sti_polycone_options o = sti_polycone_options_default();
    report r = {.p = {.margin = NAN}};
    o.tol = q->tol;
    o.max_rays = q->max_rays < 1000000000 ? (int)q->max_rays : 1000000000;
    int code = make_cone(c, q, in, &o, &r);
    const int d = r.cone != NULL ? sti_polycone_dimension_space(r.cone) : 0;
    if (code == CLI_DONE) code = check_point(c, q, &q->contains, "--contains", d);
    if (code == CLI_DONE) code = check_point(c, q, &q->project, "--project", d);
    if (code == CLI_DONE) r.projection = calloc((size_t)d, sizeof *r.projection);
    if (code == CLI_DONE && r.projection == NULL) code = cli_fail_memory(c);
    sti_status status = STI_OK;
    if (code == CLI_DONE) status = judge(c, in, &o, &r);
    if (code == CLI_DONE && status == STI_OK) status = locate(q, d, &r);
    if (code == CLI_DONE && status == STI_OK) {
        const int generators = in->first.count + in->second.count;
        code = q->contains.count > 0 && !r.at.inside ? CLI_NO : CLI_DONE;
        if (c->json)
            code = print_json(c, q, &r, (size_t)generators, code);
        else
            say(c, q, &r, generators);
    } else if (code == CLI_DONE) {
        code = cli_fail_about(c, q->path);
    }
    free(r.projection);
    sti_pointedness_clear(c->env, &r.p);
    sti_polycone_destroy(r.cone);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    const sti_polycone_options defaults = sti_polycone_options_default();
    request q = {.tol = defaults.tol, .max_rays = defaults.max_rays};
    const cli_option options[] = {
        {"--contains", CLI_LIST, "X", "is the point X = x1,x2,.. in the cone, and how far from it", &q.contains},
        {"--project", CLI_LIST, "X", "the point of the cone nearest to X", &q.project},
        {"--sum", CLI_TEXT, "FILE", "add the cone in FILE: { x + y }", &q.sum},
        {"--intersect", CLI_TEXT, "FILE", "what lies in the cone of FILE too", &q.intersect},
        {"--image", CLI_TEXT, "FILE", "{ T x } with T of a file of kind \"matrices\", or of a .mtx file", &q.image},
        {"--polar", CLI_FLAG, NULL, "take the polar cone, { y : y'x <= 0 for all x in the cone }", &q.polar},
        {"--tol", CLI_POSITIVE, "TOL", "size below which a product of directions is zero, for floating data", &q.tol},
        {"--max-rays", CLI_COUNT, "N", "give up beyond this many rays in between", &q.max_rays},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code) >= 0) {
        sti_document* document = NULL;
        q.path = positional[0];
        code = cli_load(c, q.path, &document);
        if (code == CLI_DONE) code = work(c, &q, sti_cone_input_of(document));
        sti_document_destroy(document);
    }
    free(q.contains.value);
    free(q.project.value);
    return code;
}

const cli_verb cli_verb_cone = {
    .name = "cone",
    .arguments = "FILE [options]",
    .summary = "span form and face form of a cone, pointed or not",
    .details =
        "FILE holds rays and lines, or inequalities F x <= 0 and equations E x = 0; the other form is found, and\n"
        "what is redundant is left out of both. Whole numbers and fractions \"2/3\" are worked with exactly,\n"
        "decimals with a tolerance. Rays and lines are called pointed when no nonnegative combination of the\n"
        "rays, plus lines, is zero; the margin, or that combination, is shown. A cone given by its faces, and one\n"
        "that something was done to, is pointed when it contains no line. Several operations are done in this\n"
        "order: --sum, --intersect, --image, --polar.\n"
        "Exit code 0: done; 1: the point of --contains is outside; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"cone\", \"rays\": [[1,0,2], [0,1,2], [-1,0,2], [0,-1,3], [0,0,1]]}' > c.json\n"
        "    stiction cone c.json --contains 0,1,3\n"
        "    echo '{\"kind\": \"matrices\", \"T\": [[1,0,0], [0,1,0]]}' > shadow.json\n"
        "    stiction cone c.json --image shadow.json\n",
    .use = STI_USE_CONE,
    .run = run,
};
