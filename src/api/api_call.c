// SPDX-License-Identifier: Apache-2.0
/* Calls under a guard: for all functions of the interface that can fail. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/version.h"

const char *
sinter_version(void)
{
    return SN_VERSION;
}

static void
put(char *to, size_t n, const char *s)
{
    snprintf(to, n, "%s", s ? s : "");
}

SinterStatus
sn_api_error(SinterError *err, SinterStatus s, const char *where,
             const char *message)
{
    if (!err)
        return s;
    *err = (SinterError){.status = s};
    put(err->where, sizeof err->where, where);
    put(err->message, sizeof err->message, message);
    return s;
}

bool
sn_api_options(void *to, size_t n, const void *from)
{
    size_t size;

    memset(to, 0, n);
    memcpy(&size, from, sizeof size);
    if (size < sizeof size)
        return false;
    for (size_t i = n; i < size; i++)
        if (((const char *)from)[i])
            return false;
    memcpy(to, from, size < n ? size : n);
    return true;
}

/* ---- hosts ---- */

static SinterStatus
start(SnApiHost *h, SinterError *err)
{
    h->budget = sn_budget_new(&h->limits);
    if (!h->budget)
        return sn_api_error(err, SINTER_ENOMEM, "sinter", "out of memory");
    if (h->memory.alloc)
        sn_budget_set_memory(h->budget, &h->memory);
    return SINTER_OK;
}

SinterStatus
sn_api_host(const SinterConfig *c, SnApiHost *h, SinterError *err)
{
    SinterConfig v = {.size = sizeof v};

    memset(h, 0, sizeof *h);
    if (c && !sn_api_options(&v, sizeof v, c))
        return sn_api_error(
            err, SINTER_EUSAGE, "SinterConfig",
            "its size is not set, or is that of a later version of sinter");
    if (!v.alloc != !v.release)
        return sn_api_error(err, SINTER_EUSAGE, "SinterConfig",
                            "alloc and release must be given together");
    if (!(v.max_seconds >= 0))
        return sn_api_error(err, SINTER_EUSAGE, "SinterConfig",
                            "max_seconds is not 0 or more");
    h->limits = (SnLimits){
        .memory = v.max_memory,
        .ops = v.max_ops,
        .nodes = v.max_nodes,
        .seconds = v.max_seconds,
    };
    h->memory = (SnMemory){v.alloc, v.release, v.alloc_ctx};
    h->log = v.log;
    h->log_ctx = v.log_ctx;
    return start(h, err);
}

SinterStatus
sn_api_host_copy(const SnApiHost *from, SnApiHost *h, SinterError *err)
{
    *h = *from;
    return start(h, err);
}

void
sn_api_host_end(SnApiHost *h)
{
    sn_budget_free(h->budget);
    h->budget = NULL;
}

/* ---- messages ---- */

static void
fill_error(SinterError *err, SnStatus st, const SnDiagMsg *m)
{
    *err = (SinterError){.status = (SinterStatus)st};
    put(err->message, sizeof err->message, m->text);
    put(err->code, sizeof err->code, m->code);
    put(err->where, sizeof err->where,
        m->where    ? m->where
        : m->at.src ? m->at.src->name
                    : NULL);
    err->line = m->at.src ? m->at.line : 0;
    err->column = m->at.src && m->at.line ? m->at.col : 0;
    for (size_t i = 0; i < m->nextra; i++)
        if (m->extra[i].kind == SN_EXTRA_HELP && !err->help[0])
            put(err->help, sizeof err->help, m->extra[i].text);
}

/* The first error goes to err, everything to the log. */
static void
tell(const SnApiHost *h, const SnDiag *d, SnArena *a, SnStatus st,
     SinterError *err)
{
    static const SinterSeverity severity[] = {
        [SN_ERROR] = SINTER_LOG_ERROR,
        [SN_WARNING] = SINTER_LOG_WARNING,
        [SN_NOTE] = SINTER_LOG_NOTE,
    };
    bool found = false;
    size_t n;
    const SnDiagMsg *m = sn_diag_messages(d, a, &n);

    for (size_t i = 0; i < n; i++) {
        const char *where = m[i].where    ? m[i].where
                            : m[i].at.src ? m[i].at.src->name
                                          : "";
        if (h->log)
            h->log(h->log_ctx, severity[m[i].severity], where, m[i].text);
        if (err && st != SN_OK && m[i].severity == SN_ERROR && !found) {
            fill_error(err, st, &m[i]);
            found = true;
        }
    }
    if (err && st != SN_OK && !found)
        sn_api_error(err, (SinterStatus)st, "sinter",
                     "failed without a message");
}

SinterStatus
sn_api_failed(const SnApiHost *h, SinterStatus s, const char *where,
              const char *message, SinterError *err)
{
    if (h->log)
        h->log(h->log_ctx, SINTER_LOG_ERROR, where, message);
    return sn_api_error(err, s, where, message);
}

SinterStatus
sn_api_tripped(const SnApiHost *h, SinterError *err)
{
    const SnTrip *t = sn_budget_trip();

    return sn_api_failed(h, SINTER_ENOMEM, t->where, t->text, err);
}

SinterStatus
sn_api_call(const SnApiHost *h, SnApiFn *fn, void *ctx, SinterError *err)
{
    SnBudget *was = sn_budget_use(h->budget);
    SnArena *volatile a = NULL;
    SnGuard gu;

    if (h->limits.seconds > 0) /* its time begins; else several threads may be
                                  here */
        sn_budget_limit(h->budget, &h->limits);
    if (setjmp(gu.env)) {
        SinterStatus out = sn_api_tripped(h, err);
        sn_arena_free(a);
        sn_budget_use(was);
        return out;
    }
    sn_guard_push(&gu);
    sn_budget_at("starting", NULL);
    a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnStatus st = fn(a, d, ctx);
    tell(h, d, a, st, err);
    sn_guard_pop(&gu);
    sn_arena_free(a);
    sn_budget_use(was);
    return (SinterStatus)st;
}
