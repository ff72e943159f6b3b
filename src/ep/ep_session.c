// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_session.h"

#include <stdio.h>
#include <string.h>

#include "api/api_message.h"
#include "base/budget.h"

/* ---- errors and messages ---- */

OrtStatus *
sn_ep_failed(const OrtTable *api, const char *text)
{
    return ORT_AT(api, ORT_CREATE_STATUS, OrtNewStatus)(ORT_EP_FAIL, text);
}

OrtStatus *
sn_ep_failed_by(const OrtTable *api, const SinterError *e)
{
    char text[sizeof e->where + sizeof e->message + 16];

    snprintf(text, sizeof text, "sinter: %s: %s", e->where, e->message);
    return sn_ep_failed(api, text);
}

void
sn_ep_say(const SnEp *ep, int severity, const char *where, const char *text)
{
    const OrtTable *api = ep->factory->api;
    char line[1400];

    snprintf(line, sizeof line, "sinter: %s%s%s", where, *where ? ": " : "",
             text);
    OrtStatus *s = ORT_AT(api, ORT_LOG, OrtLog)(ep->logger, severity, line,
                                                "sinter", 0, "");
    if (s)
        ORT_AT(api, ORT_RELEASE_STATUS, OrtRelease)(s);
}

/* What is an error for sinter may be none here: a graph that is not claimed. */
static void
note(void *ctx, SinterSeverity severity, const char *where, const char *text)
{
    sn_ep_say(ctx,
              severity == SINTER_LOG_WARNING ? ORT_LOG_WARNING : ORT_LOG_INFO,
              where, text);
}

OrtStatus *
sn_ep_no_memory(const OrtTable *api)
{
    return sn_ep_failed(api, "sinter: out of memory");
}

/* ---- sessions ---- */

static SinterModel *
model_of(const SnEpSource *src, const SinterConfig *c, SinterError *e)
{
    SinterImport io = {.size = sizeof io, .shapes = src->shape};
    const SinterImport *given = src->shape ? &io : NULL;
    SinterModel *m = NULL;

    if (src->message)
        sn_api_message(c, src->message, "graph", given, &m, e);
    else
        sinter_model_parse(c, SINTER_FORMAT_ONNX, src->p, src->n, "graph", NULL,
                           given, &m, e);
    return m;
}

/* "name=1x3x32x32" for each input but scalars, as shapes of SinterImport. */
const char **
sn_ep_shapes(SnArena *a, size_t n, const SnEpPort *p)
{
    const char **v = SN_NEW_N(a, const char *, n + 1);
    size_t nv = 0;

    for (size_t i = 0; i < n; i++) {
        const char *s = sn_format(a, "%s=", p[i].name);
        for (size_t k = 0; k < p[i].rank; k++)
            s = sn_format(a, "%s%s%lld", s, k ? "x" : "",
                          (long long)p[i].dim[k]);
        if (p[i].rank)
            v[nv++] = s;
    }
    return v;
}

SinterConfig
sn_ep_config(const SnEp *ep, SnEpLog log)
{
    return (SinterConfig){.size = sizeof(SinterConfig),
                          .log = log.fn ? log.fn : note,
                          .log_ctx = log.fn ? log.ctx : (void *)(uintptr_t)ep};
}

SinterModel *
sn_ep_model(const SnEp *ep, const SnEpSource *src, bool kept, SnEpLog log,
            SinterError *e)
{
    SinterConfig c = sn_ep_config(ep, log);
    SinterQuantize q = {.size = sizeof q, .profile = ep->quantize};
    SinterModel *m = model_of(src, &c, e), *z = NULL;
    bool good = true;

    if (!m)
        return NULL;
    if (!ep->contract)
        good = sinter_model_optimize_exact(m, e) == SINTER_OK;
    else if (src->codes)
        good = sinter_model_optimize(m, NULL, e) == SINTER_OK;
    else if (ep->quantize[0])
        good = sinter_model_quantize(m, &q, &z, e) == SINTER_OK;
    else if (kept) /* what a session does with an ONNX model first */
        good = sinter_model_optimize(m, "profile", e) == SINTER_OK;
    if (!good || z) {
        sinter_model_free(m);
        return z;
    }
    return m;
}

SinterSession *
sn_ep_session(const SnEp *ep, const SnEpSource *src, SinterModel *m,
              SinterError *e)
{
    SinterSessionConfig o = {.size = sizeof o,
                             .threads = ep->threads,
                             .pack = src->pack,
                             .pack_save = src->pack_save};
    SinterSession *s = NULL;

    if (m)
        sinter_session_new(m, &o, &s, e);
    sinter_model_free(m);
    return s;
}

SinterSession *
sn_ep_open(const SnEp *ep, const SnEpSource *src, SnEpLog log, SinterError *e)
{
    return sn_ep_session(ep, src, sn_ep_model(ep, src, false, log, e), e);
}

/* ONNX's number of an element type. */
static int
number_of(SinterElem e)
{
    static const int number[] = {
        [SINTER_FLOAT32] = 1, [SINTER_FLOAT16] = 10, [SINTER_INT8] = 3,
        [SINTER_UINT8] = 2,   [SINTER_INT16] = 5,    [SINTER_INT32] = 6,
        [SINTER_INT64] = 7,   [SINTER_BOOL] = 9,
    };

    return number[e];
}

static bool
same_port(const SinterPort *x, const SnEpPort *p)
{
    bool same = number_of(x->elem) == p->type && (size_t)x->rank == p->rank;

    for (size_t i = 0; same && i < p->rank; i++)
        same = p->dim[i] < 0 || p->dim[i] == x->dim[i];
    return same;
}

/* The port of that name and its like among n, or n. */
uint32_t
sn_ep_port(const SinterPort *x, const SnEpPort *p, size_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(x->name, p[i].name))
            return same_port(x, &p[i]) ? i : (uint32_t)n;
    return (uint32_t)n;
}

const char *
sn_ep_misfit(const SinterSession *s, const SnEpGraph *g)
{
    uint32_t nin = sinter_session_ninput(s), nout = sinter_session_noutput(s);

    for (uint32_t i = 0; i < nin; i++) {
        const SinterPort *x = sinter_session_input(s, i);
        if (sn_ep_port(x, g->input, g->ninput) == g->ninput)
            return x->name;
    }
    for (uint32_t i = 0; i < nout; i++) {
        const SinterPort *x = sinter_session_output(s, i);
        if (sn_ep_port(x, g->output, g->noutput) == g->noutput)
            return x->name;
    }
    return nin == g->ninput && nout == g->noutput ? NULL : "";
}

SnEpSource
sn_ep_source(SnArena *a, const SnEpGraph *g)
{
    SnEpPort *p = sn_memdup(a, g->input, g->ninput * sizeof *p);

    for (size_t i = 0; i < g->ninput; i++) {
        p[i].dim = sn_memdup(a, p[i].dim, p[i].rank * sizeof *p[i].dim);
        for (size_t k = 0; k < p[i].rank; k++)
            if (p[i].dim[k] < 0)
                p[i].dim[k] = 1;
    }
    return (SnEpSource){.message = g->message,
                        .p = g->p,
                        .n = g->n,
                        .codes = g->codes,
                        .shape =
                            g->dynamic ? sn_ep_shapes(a, g->ninput, p) : NULL};
}

/* ---- under a guard ---- */

/* Arenas of fn are freed, also when memory runs out, which is a status. */
OrtStatus *
sn_ep_guarded(const OrtTable *api, SnEpBody *fn, void *ctx)
{
    const SnLimits none = {0};
    SnBudget *b = sn_budget_new(&none);
    SnBudget *was = sn_budget_use(b);
    OrtStatus *volatile s;
    SnGuard gu;

    if (!b || setjmp(gu.env)) {
        s = sn_ep_failed(api, "sinter: out of memory");
    } else {
        sn_guard_push(&gu);
        s = fn(sn_arena_new(), ctx);
        sn_guard_pop(&gu);
    }
    sn_budget_use(was);
    sn_budget_free(b);
    return s;
}
