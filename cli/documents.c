// documents.c: what the command does with each kind of document. Kinds that are not here have a verb of their own.
#include "documents.h"

const cli_document cli_documents[STI_KIND_COUNT] = {
    [STI_KIND_LCP] = {.solve = cli_lcp_solve, .verify = cli_lcp_verify, .inspect = cli_lcp_inspect},
    [STI_KIND_MLCP] = {.solve = cli_lcp_solve, .verify = cli_lcp_verify, .inspect = cli_lcp_inspect},
    [STI_KIND_QP] = {.solve = cli_qp_solve, .verify = cli_qp_verify},
    [STI_KIND_CONTACT] = {.solve = cli_contact_solve, .verify = cli_contact_verify, .inspect = cli_contact_inspect},
    [STI_KIND_INSTANT] = {.verify = cli_instant_verify, .inspect = cli_instant_inspect},
    [STI_KIND_GRASP] = {.inspect = cli_instant_inspect},
    [STI_KIND_SYSTEM] = {.verify = cli_instant_verify, .inspect = cli_system_inspect},
    [STI_KIND_SCENE] = {.inspect = cli_scene_inspect},
};
