// documents.c: what the command does with each kind of document. Kinds that are not here have a verb of their own.
#include "documents.h"

enum {
    AVI_OPTIONS = CLI_TAKES_ALL | CLI_TAKES_OMEGA | CLI_TAKES_CROSS_CHECK,
    LCP_OPTIONS = AVI_OPTIONS | CLI_TAKES_COVERING
};

// clang-format off
const cli_document cli_documents[STI_KIND_COUNT] = {
    [STI_KIND_LCP]     = {cli_lcp_solve, cli_lcp_verify, cli_lcp_inspect, LCP_OPTIONS},
    [STI_KIND_MLCP]    = {cli_lcp_solve, cli_lcp_verify, cli_lcp_inspect, LCP_OPTIONS},
    [STI_KIND_AVI]     = {cli_lcp_solve, cli_lcp_verify, cli_lcp_inspect, AVI_OPTIONS},
    [STI_KIND_RELAY]   = {cli_lcp_solve, cli_lcp_verify, cli_lcp_inspect, AVI_OPTIONS},
    [STI_KIND_NCP]     = {cli_vi_solve, cli_vi_verify, cli_vi_inspect, 0},
    [STI_KIND_VI]      = {cli_vi_solve, cli_vi_verify, cli_vi_inspect, 0},
    [STI_KIND_QP]      = {cli_qp_solve, cli_qp_verify, NULL, 0},
    [STI_KIND_L1]      = {cli_l1_solve, cli_l1_verify, cli_l1_inspect, CLI_TAKES_NEWTON | CLI_TAKES_NORM},
    [STI_KIND_STOCHASTIC] = {cli_stochastic_solve, cli_stochastic_verify, cli_stochastic_inspect,
                             CLI_TAKES_NEWTON | CLI_TAKES_SAMPLES | CLI_TAKES_START | CLI_TAKES_RANKS},
    [STI_KIND_CONTACT] = {cli_contact_solve, cli_contact_verify, cli_contact_inspect,
                             CLI_TAKES_OMEGA | CLI_TAKES_MINIMUM_NORM | CLI_TAKES_CROSS_CHECK},
    [STI_KIND_INSTANT] = {NULL, cli_instant_verify, cli_instant_inspect, 0},
    [STI_KIND_GRASP]   = {NULL, NULL, cli_instant_inspect, 0},
    [STI_KIND_SYSTEM]  = {NULL, cli_instant_verify, cli_system_inspect, 0},
    [STI_KIND_SCENE]   = {NULL, NULL, cli_scene_inspect, 0},
    [STI_KIND_MANIPULATION] = {NULL, cli_push_verify, cli_push_inspect, 0},
    [STI_KIND_NAVIGATION] = {NULL, NULL, cli_nav_inspect, 0},
};
// clang-format on
