// SPDX-License-Identifier: Apache-2.0
/* A program that embeds sinter: reads a model, runs it on 0, 1, 2, ... and
 * prints the outputs.  tests/sh/install.sh builds it as C and as C++ with what
 * an installed sinter.pc says. */
#include <stdio.h>
#include <stdlib.h>
#include "backend/plugin.h"
#include "graph/text/text.h"
#include "run/exec.h"

static SnStatus
run(SnArena *a, const char *path, SnDiag *d)
{
    const SnExec *x;
    SnGraph *g;

    SN_TRY(sn_text_load(a, path, d, &g));
    SN_TRY(sn_launch(&sn_rewrite_defaults, a, g, d));
    SN_TRY(sn_exec_prepare(a, g, sn_backend_named("CPU"), d, &x));
    SnRun *r = sn_run_team(a, x, 2);
    float *in = (float *)sn_run_input(r, 0);
    for (int64_t i = 0; i < sn_shape_count(x->input[0].shape); i++)
        in[i] = (float)i;
    SnStatus st = sn_run(r);
    const float *out = (const float *)sn_run_output(r, 0);
    for (int64_t i = 0; i < sn_shape_count(x->output[0].shape); i++)
        printf("%s%g", i ? " " : "", (double)out[i]);
    printf("\n");
    sn_run_free(r);
    return st;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnStatus st = argc == 2 ? run(a, argv[1], d) : SN_EUSAGE;

    sn_diag_print(d, stderr);
    sn_arena_free(a);
    return (int)st;
}
