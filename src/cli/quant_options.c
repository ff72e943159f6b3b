// SPDX-License-Identifier: Apache-2.0
/* Options of single nodes for the quantizer, and --shard. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "quant/choose/control.h"

SnStatus
sn_cli_control(SnCli *c, SnControl *out)
{
    const SnArgs *a = &c->args;
    const struct {
        const char *option;
        SnAsk ask;
        const SnStrs *text;
    } v[] = {
        {"--precision", SN_ASK_PRECISION, &a->precision},
        {"--scheme", SN_ASK_SCHEMA, &a->schema},
        {"--range", SN_ASK_RANGE, &a->range},
    };

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        for (uint32_t k = 0; k < v[i].text->n; k++)
            SN_TRY(sn_control_add(c->a, out, v[i].option, v[i].ask,
                                  v[i].text->v[k], c->d));
    for (uint32_t k = 0; k < a->keep_float.n; k++)
        sn_control_keep_float(c->a, out, "--keep-float", a->keep_float.v[k]);
    return SN_OK;
}

SnStatus
sn_cli_resolve(SnCli *c, const SnGraph *g, SnControl *control)
{
    SnGraph *placed;

    if (!control->n)
        return SN_OK;
    SN_TRY(sn_cli_placed(c, g, &placed));
    return sn_control_resolve(c->a, control, g, placed, c->d);
}

/* ---- shards ---- */

/* A number of zero or more in an environment variable; -1: none. */
static int64_t
env_number(const char *name)
{
    const char *s = getenv(name);
    char *end;

    if (!s || !*s)
        return -1;
    long long v = strtoll(s, &end, 10);
    return *end || v < 0 || v > INT32_MAX ? -1 : v;
}

/* What launchers tell the processes they start: rank and number of all.
 * SLURM_STEP_NUM_TASKS and not SLURM_NTASKS, which a batch script sees too,
 * and it is one process. */
static const char *const ranks[][2] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

/* An element of a job array counts as a block of processes. */
static SnStatus
shard_of_env(SnCli *c, SnShard *s)
{
    int64_t id = env_number("SLURM_ARRAY_TASK_ID");
    int64_t count = env_number("SLURM_ARRAY_TASK_COUNT");
    int64_t min = env_number("SLURM_ARRAY_TASK_MIN");
    int64_t step = env_number("SLURM_ARRAY_TASK_STEP");
    bool found = false;

    if (id >= 0 && count > 0) {
        found = true;
        s->count = count;
        s->index = (id - (min > 0 ? min : 0)) / (step > 1 ? step : 1);
    }
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        int64_t rank = env_number(ranks[i][0]);
        int64_t size = env_number(ranks[i][1]);
        if (rank < 0 || size < 1)
            continue;
        found = true;
        s->index = s->index * size + rank;
        s->count *= size;
        break;
    }
    if (!found)
        return sn_fail(c->d, SN_EUSAGE, "--shard",
                       "env: no launcher's "
                       "variables are set (OMPI_COMM_WORLD_RANK, PMI_RANK, "
                       "SLURM_PROCID, SLURM_ARRAY_TASK_ID)");
    if (s->index < 0 || s->index >= s->count)
        return sn_fail(c->d, SN_EUSAGE, "--shard",
                       "the environment says "
                       "part %lld of %lld",
                       (long long)s->index, (long long)s->count);
    return SN_OK;
}

SnStatus
sn_cli_shard(SnCli *c, SnShard *s)
{
    const char *text = c->args.shard;
    char *end;

    *s = (SnShard){0, 1};
    if (!text)
        return SN_OK;
    if (!strcmp(text, "env"))
        return shard_of_env(c, s);
    s->index = strtol(text, &end, 10);
    if (end != text && *end == '/') {
        const char *n = end + 1;
        s->count = strtol(n, &end, 10);
        if (end != n && !*end && s->index >= 0 && s->index < s->count &&
            s->count <= INT32_MAX)
            return SN_OK;
    }
    return sn_fail(c->d, SN_EUSAGE, "--shard",
                   "'%s' is neither I/N with I "
                   "from 0 to N - 1, nor env",
                   text);
}

SnStatus
sn_cli_shard_output(SnCli *c, const char **out)
{
    const char *p = c->args.output, *at;
    bool any = false;
    SnShard s;
    SnBuf b;

    *out = p;
    SN_TRY(sn_cli_shard(c, &s));
    if (!p || !c->args.shard)
        return SN_OK;
    sn_buf_init(&b, c->a);
    while ((at = strstr(p, "{}"))) {
        sn_putn(&b, p, (size_t)(at - p));
        sn_putf(&b, "%lld", (long long)s.index);
        p = at + 2;
        any = true;
    }
    sn_puts(&b, p);
    *out = sn_buf_str(&b);
    if (!any && s.count > 1 && !strcmp(c->args.shard, "env"))
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "requires {} in its name, which becomes the number of "
                       "the part: all parts would write '%s'",
                       c->args.output);
    return SN_OK;
}
