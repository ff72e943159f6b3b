// SPDX-License-Identifier: Apache-2.0
/* Putting profiles together, and holding one against a graph. */
#include "quant/profile/profile.h"

#include <inttypes.h>
#include <string.h>

#include "graph/moved.h"

static SnStatus
same_graph(const SnProfile *p, const SnProfile *o, const char *path,
           const char *first, SnDiag *d)
{
    if (o->hash != p->hash || o->n != p->n)
        return sn_fail(d, SN_EINPUT, path,
                       "was made from another graph ('%s', hash "
                       "%016" PRIx64 ", %u values) than %s ('%s', %016" PRIx64
                       ", %u values)",
                       o->model, o->hash, o->n, first, p->model, p->hash, p->n);
    for (uint32_t i = 0; i < p->n; i++)
        if (strcmp(p->hist[i].name, o->hist[i].name) != 0)
            return sn_fail(d, SN_EINPUT, path,
                           "has value '%s' where %s has "
                           "'%s'",
                           o->hist[i].name, first, p->hist[i].name);
    return SN_OK;
}

/* Bins as an accumulator needs them. */
static SnProfile *
empty_like(SnArena *a, const SnProfile *o)
{
    SnProfile *p = SN_NEW(a, SnProfile);

    p->model = o->model;
    p->hash = o->hash;
    for (uint32_t i = 0; i < o->n; i++) {
        SnHist h;
        sn_hist_init(&h, a, o->hist[i].name);
        SN_PUSH(a, p->hist, p->n, h);
    }
    sn_profile_index(a, p);
    return p;
}

/* ---- shards ---- */

void
sn_profile_shard(SnArena *a, SnProfile *p, int64_t index, int64_t count)
{
    p->nshard = 0;
    p->npart = 0;
    if (count < 2)
        return;
    p->nshard = count;
    SN_PUSH(a, p->part, p->npart, index);
}

static bool
has_part(const SnProfile *p, int64_t part)
{
    for (uint32_t i = 0; i < p->npart; i++)
        if (p->part[i] == part)
            return true;
    return false;
}

/* The first k files, each with its parts: the one that has this part. */
static const char *
holder(SnProfile *const *p, const char *const *path, uint32_t k, int64_t part)
{
    for (uint32_t i = 0; i < k; i++)
        if (p[i]->nshard && has_part(p[i], part))
            return path[i];
    return NULL;
}

/* Adds the parts of p[k] to those of sum, in order; all of them: none. */
static SnStatus
add_parts(SnArena *a, SnProfile *sum, SnProfile *const *p,
          const char *const *path, uint32_t k, SnDiag *d)
{
    const SnProfile *o = p[k];

    if (!o->nshard)
        return SN_OK;
    for (uint32_t i = 0; i < k; i++)
        if (p[i]->nshard && p[i]->nshard != o->nshard)
            return sn_fail(d, SN_EINPUT, path[k],
                           "is of %" PRId64 " shards, "
                           "%s of %" PRId64 ": merge all shards of one split "
                           "first",
                           o->nshard, path[i], p[i]->nshard);
    for (uint32_t i = 0; i < o->npart; i++) {
        const char *by = holder(p, path, k, o->part[i]);
        if (by)
            return sn_fail(d, SN_EINPUT, path[k],
                           "has shard %" PRId64 " of %" PRId64
                           ", and so has %s: its samples would count "
                           "twice",
                           o->part[i], o->nshard, by);
        uint32_t at = sum->npart;
        SN_PUSH(a, sum->part, sum->npart, o->part[i]);
        for (; at && sum->part[at - 1] > o->part[i]; at--)
            sum->part[at] = sum->part[at - 1];
        sum->part[at] = o->part[i];
    }
    sum->nshard = o->nshard;
    return SN_OK;
}

void
sn_profile_warn_parts(SnArena *a, const SnProfile *p, const char *path,
                      SnDiag *d)
{
    SnBuf b;
    uint32_t at = 0, said = 0;

    if (!p->nshard)
        return;
    sn_buf_init(&b, a);
    for (int64_t i = 0; i < p->nshard && said < 5; i++) {
        if (at < p->npart && p->part[at] == i)
            at++;
        else
            sn_putf(&b, "%s%" PRId64, said++ ? ", " : "", i);
    }
    if (p->nshard - p->npart > said)
        sn_putf(&b, " and %" PRId64 " more", p->nshard - p->npart - said);
    sn_warn(d, (SnPos){0}, NULL, "%s: %u of %" PRId64 " shards; missing: %s",
            path, p->npart, p->nshard, sn_buf_str(&b));
}

SnStatus
sn_profile_join(SnArena *a, uint32_t n, const char *const *path, SnDiag *d,
                SnProfile **out)
{
    SnProfile *sum = NULL, **of = SN_NEW_N(a, SnProfile *, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        SnProfile *p;
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(path[i], path[k]))
                return sn_fail(d, SN_EUSAGE, path[i],
                               "is named twice: its "
                               "samples would count twice");
        SN_TRY(sn_profile_load(a, path[i], d, &p));
        if (p->average > 0)
            return sn_fail(d, SN_EINPUT, path[i],
                           "holds moving averages, "
                           "which depend on the order of the samples: it "
                           "cannot be merged");
        if (!sum)
            sum = empty_like(a, p);
        of[i] = p;
        SN_TRY(same_graph(sum, p, path[i], path[0], d));
        SN_TRY(add_parts(a, sum, of, path, i, d));
        sn_profile_merge(sum, p);
    }
    if (sum && sum->npart == sum->nshard)
        sum->nshard = sum->npart = 0;
    *out = sum;
    return SN_OK;
}

/* How many moves away a range is looked for. */
enum { MOVES = 8 };

static const SnHist *
below(const SnProfile *p, const SnGraph *g, SnRef v, int moves)
{
    const SnHist *h = sn_profile_find(p, sn_name(g, v));

    for (const SnUse *u = sn_res(g, v)->uses; u && !h && moves; u = u->next)
        if (u->slot == 0 && sn_moved(g, u->user) != SN_MOVED_ELSE)
            h = below(p, g, SN_REF(u->user, 0), moves - 1);
    return h;
}

const SnHist *
sn_profile_of(const SnProfile *p, const SnGraph *g, SnRef v)
{
    const SnHist *h = below(p, g, v, MOVES);

    for (int i = 0; i < MOVES && !h && sn_moved(g, SN_NODE(v)) != SN_MOVED_ELSE;
         i++) {
        v = sn_def(g, v)->in[0].ref;
        h = below(p, g, v, MOVES);
    }
    return h;
}

/* Does a profile hold result r of n? */
static bool
is_value(const SnNode *n, unsigned r)
{
    return !n->dead && !n->data && n->res[r].type->elem == SN_F32 &&
           n->res[r].name;
}

SnProfileFit
sn_profile_fit(SnArena *a, const SnProfile *p, const SnGraph *placed,
               const SnGraph *lowered)
{
    SnProfile *have = SN_NEW(a, SnProfile);
    SnProfileFit f = {0};

    for (SnId id = 1; id < placed->nnode; id++) {
        const SnNode *n = sn_node(placed, id);
        for (unsigned r = 0; r < n->nres; r++)
            if (is_value(n, r) && !sn_profile_of(p, placed, SN_REF(id, r)))
                SN_PUSH(a, f.missing, f.nmissing, n->res[r].name);
    }
    for (SnId id = 1; id < lowered->nnode; id++) {
        const SnNode *n = sn_node(lowered, id);
        for (unsigned r = 0; r < n->nres; r++) {
            SnHist h = {.name = n->res[r].name};
            if (is_value(n, r))
                SN_PUSH(a, have->hist, have->n, h);
        }
    }
    sn_profile_index(a, have);
    for (uint32_t i = 0; i < p->n; i++)
        if (!sn_profile_find(have, p->hist[i].name))
            SN_PUSH(a, f.stale, f.nstale, p->hist[i].name);
    return f;
}
