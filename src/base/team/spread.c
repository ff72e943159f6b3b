// SPDX-License-Identifier: Apache-2.0
#include "base/team/spread.h"

#include <stdbool.h>

#include "base/team/team.h"

/* A part is worth waking a thread from these bytes on.  Each thread has two
 * parts, so that one that loses its processor does not keep half of the work
 * waiting. */
enum { PART_NBYTE = 1 << 18, PARTS_EACH = 2 };

struct SnSpread {
    unsigned n;
    bool started;
    SnTeam *team; /* once started; NULL: no thread could be had */
};

static _Thread_local SnSpread *current;

static void
end(void *spread)
{
    SnSpread *s = spread;

    if (current == s)
        current = NULL;
    sn_team_free(s->team);
}

SnSpread *
sn_spread_new(SnArena *a, unsigned n)
{
    SnSpread *s = SN_NEW(a, SnSpread);

    s->n = n;
    sn_arena_at_free(a, end, s);
    return s;
}

SnSpread *
sn_spread_use(SnSpread *s)
{
    SnSpread *was = current;

    current = s;
    return was;
}

unsigned
sn_spread_parts(int64_t n, size_t nbyte)
{
    size_t most =
        current && current->n > 1 ? (size_t)current->n * PARTS_EACH : 1;

    if (most > SN_TEAM_MAX)
        most = SN_TEAM_MAX;
    if (most > nbyte / PART_NBYTE)
        most = nbyte / PART_NBYTE;
    if (n < (int64_t)most)
        most = n < 1 ? 1 : (size_t)n;
    return most < 1 ? 1 : (unsigned)most;
}

typedef struct Work {
    int64_t n;
    unsigned nparts;
    SnSpreadFn *fn;
    void *ctx;
} Work;

/* Where part k begins. */
static int64_t
begin(const Work *w, int64_t k)
{
    return w->n / w->nparts * k + w->n % w->nparts * k / w->nparts;
}

static void
do_part(void *ctx, unsigned k)
{
    const Work *w = ctx;

    w->fn(w->ctx, k, begin(w, k), begin(w, (int64_t)k + 1));
}

static SnTeam *
team_of(SnSpread *s)
{
    if (!s->started)
        s->team = sn_team_new(s->n);
    s->started = true;
    return s->team;
}

void
sn_spread(int64_t n, unsigned nparts, SnSpreadFn *fn, void *ctx)
{
    Work w = {n, nparts, fn, ctx};
    SnSpread *s = sn_spread_use(NULL); /* parts on this thread share nothing */
    SnTeam *t = s && nparts > 1 ? team_of(s) : NULL;

    if (t)
        sn_team_do(t, nparts, do_part, &w);
    else
        for (unsigned k = 0; k < nparts; k++)
            do_part(&w, k);
    sn_spread_use(s);
}
