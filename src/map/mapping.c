// SPDX-License-Identifier: Apache-2.0
/* A map with a node put in: what is checked, and the shape. */
#include "map/mapping.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "map/mapping_priv.h"

bool
sn_mapping_fail(SnMapping *u, const char *fmt, ...)
{
    va_list ap;

    if (!u->why)
        return false;
    va_start(ap, fmt);
    vsnprintf(u->why, SN_MAP_WHY, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- messages of conditions ---- */

typedef struct Text {
    char *s;
    size_t n;
} Text;

static void
put(Text *t, const char *s, size_t n)
{
    if (n > SN_MAP_WHY - 1 - t->n)
        n = SN_MAP_WHY - 1 - t->n;
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

static void
put_value(SnMapping *u, Text *t, int32_t e, int64_t i)
{
    SnMapVal v = sn_mapping_eval(u, e);
    SnMapNum x = v.n < 0 || i < v.n ? sn_val_at(v, i) : sn_num_undefined();
    char b[40];

    if (x.t >= 0) {
        int64_t each[SN_MAP_NVAR] = {0};
        int64_t *val = SN_NEW_N(u->a, int64_t, u->T.n);
        each[SN_MAP_EACH] = i;
        sn_terms_run(&u->T, 0, each, val);
        sn_terms_run(&u->T, UINT32_MAX, each, val);
        x = sn_num(val[x.t]);
    }
    if (x.t == SN_NUM_REAL)
        snprintf(b, sizeof b, "%g", (double)sn_num_float(x));
    else if (x.t == SN_NUM_UNDEFINED || x.v == SN_MAP_UNDEFINED)
        snprintf(b, sizeof b, "a number out of range");
    else
        snprintf(b, sizeof b, "%lld", (long long)x.v);
    put(t, b, strlen(b));
}

/* 'name' of a parameter becomes what the node calls it; the length of what is
 * replaced, or 0. */
static size_t
put_name(SnMapping *u, Text *t, const char *s)
{
    for (unsigned i = 0; i < u->decl->nparam; i++) {
        const char *p = u->decl->param[i].name;
        size_t n = strlen(p);
        if (strncmp(s + 1, p, n) == 0 && s[n + 1] == '\'') {
            put(t, "'", 1);
            put(t, u->arg[i].name, strlen(u->arg[i].name));
            put(t, "'", 1);
            return n + 2;
        }
    }
    return 0;
}

bool
sn_mapping_refuse(SnMapping *u, const SnMapStmt *s, int64_t at)
{
    Text t = {u->why, 0};
    unsigned hole = 0;

    if (!u->why)
        return false;
    u->why[0] = '\0';
    for (const char *c = s->text; *c;) {
        size_t n = *c == '\'' ? put_name(u, &t, c) : 0;
        const char *end = *c == '{' ? strchr(c, '}') : NULL;
        if (end && hole < s->nhole) {
            put_value(u, &t, s->hole[hole++], at);
            c = end + 1;
        } else if (n) {
            c += n;
        } else {
            put(&t, c++, 1);
        }
    }
    return false;
}

/* ---- opening ---- */

static bool
require(SnMapping *u, const SnMapStmt *s)
{
    SnMapVal c = sn_mapping_eval(u, s->e);

    for (int64_t i = 0; i < (c.n < 0 ? 1 : c.n); i++) {
        SnMapNum x = sn_val_at(c, i);
        if (x.t != SN_NUM_INT || x.v == 0)
            return sn_mapping_refuse(u, s, i);
    }
    return true;
}

static bool
everywhere(SnMapping *u, const SnMapStmt *s)
{
    SnMapVal c = sn_mapping_eval(u, s->e);
    bool all = true;

    for (int64_t i = 0; i < (c.n < 0 ? 1 : c.n); i++)
        all &= sn_num_is(sn_val_at(c, i), 1);
    return all;
}

static bool
known(SnMapNum x, int64_t *v)
{
    *v = x.v;
    return x.t == SN_NUM_INT;
}

static bool
add_dim(SnMapping *u, SnMapNum e, SnMapNum when)
{
    int64_t v, keep;

    if (!known(when, &keep) || !known(e, &v) || v >= SN_MAP_DIM)
        return sn_mapping_fail(u, "a dimension of the result is too large");
    if (!keep)
        return true;
    if (v < 0)
        return sn_mapping_fail(u, "a dimension of the result would be %lld",
                               (long long)v);
    u->deep = u->rank == SN_MAP_RANK;
    if (u->deep)
        return sn_mapping_fail(u,
                               "the result has too many dimensions; the limit "
                               "is %d",
                               SN_MAP_RANK);
    u->dim[u->rank++] = v;
    return true;
}

/* Bounds as lists of one kind: a number is a list of one axis. */
static bool
result(SnMapping *u, const SnMapStmt *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        const SnMapBound *b = &s->bound[k];
        SnMapVal e = sn_mapping_eval(u, b->e);
        SnMapVal c =
            b->when < 0 ? sn_val(sn_num(1)) : sn_mapping_eval(u, b->when);
        int64_t n = e.n >= 0 ? e.n : c.n >= 0 ? c.n : 1;
        for (int64_t i = 0; i < n; i++)
            if (!add_dim(u, sn_val_at(e, i), sn_val_at(c, i)))
                return false;
    }
    return true;
}

/* The number of taps of a set, where it is one number. */
static void
taps(SnMapping *u, const SnMapStmt *s)
{
    for (unsigned k = 0; k < s->n && !s->late; k++) {
        SnMapVal e = sn_mapping_eval(u, s->bound[k].e);
        for (int64_t i = 0; i < (e.n < 0 ? 1 : e.n); i++) {
            SnMapNum x = sn_val_at(e, i);
            if (e.n >= 0 && sn_num_is(x, 0) && u->none < 0)
                u->none = (int)i;
            if (x.t != SN_NUM_INT || x.v < 0 || u->ntap < 0 ||
                __builtin_mul_overflow(u->ntap, x.v, &u->ntap))
                u->ntap = -1;
        }
    }
    if (s->late)
        u->ntap = -1;
}

bool
sn_mapping_open(SnMapping *u, const SnMapDecl *d, const SnMapArg *arg,
                SnArena *a, char *why)
{
    u->decl = d;
    u->arg = arg;
    u->a = a;
    u->why = why;
    u->rank = 0;
    u->ntap = 1;
    u->none = -1;
    u->nvar = u->nread = u->ntapdim = u->nbeside = u->npool = 0;
    u->summed = NULL;
    u->T = sn_terms(a);
    u->primitive = u->whole = u->open = u->asks = u->deep = false;
    u->slot = d->nslot <= 32 ? u->slots : SN_NEW_N(a, SnMapVal, d->nslot);
    for (unsigned i = 0; i < d->nslot; i++) {
        u->slot[i] = sn_val(sn_num_undefined());
        u->length[i & 31] = -1;
    }
    if (why)
        why[0] = '\0';
    if (!sn_mapping_bind(u))
        return false;
    for (unsigned i = 0; i < d->nstmt; i++) {
        const SnMapStmt *s = &d->stmt[i];
        if (s->kind == SN_MS_TAPS)
            taps(u, s);
        if (s->late)
            continue;
        if (s->kind == SN_MS_LET)
            u->slot[s->slot] = sn_mapping_eval(u, s->e);
        else if (s->kind == SN_MS_REQUIRE && !require(u, s))
            return false;
        else if (s->kind == SN_MS_WHOLE)
            u->whole = everywhere(u, s);
        else if (s->kind == SN_MS_RESULT && !result(u, s))
            return false;
    }
    return true;
}
