// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/reads.h"

#include <string.h>

#include "map/facts.h"

static void
reads(const SnExpr *e, const SnDefPort *p, bool in_d, SnReads *r)
{
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT && e->ref == p) {
        if (in_d) {
            r->deq++;
        } else if (!r->raw++) {
            r->at = e;
        }
    }
    bool d = e->fn == SN_FN_D;
    for (uint32_t i = 0; i < e->nkid; i++)
        reads(e->kid[i], p, d, r);
}

SnReads
sn_formula_reads(const SnExpr *e, const SnDefPort *p)
{
    SnReads r = {0};

    if (e)
        reads(e, p, false, &r);
    return r;
}

bool
sn_sem_each(const SnDefSem *s)
{
    return sn_sem_each_repeats(s) && !sn_map_repeats(s->decl->decl);
}

bool
sn_sem_each_repeats(const SnDefSem *s)
{
    return s->decl && s->decl->decl && sn_map_in_place(s->decl->decl);
}

uint32_t
sn_sem_param_args(const SnDefSem *s, unsigned i, uint32_t *n)
{
    uint32_t at = 0;

    for (unsigned k = 0; at < s->narg; k++, at += *n) {
        *n = 1;
        while (s->decl->decl->param[k].variadic && at + *n < s->narg &&
               s->arg[at + *n]->rk == SN_R_PORT)
            ++*n;
        if (k == i)
            return at;
    }
    *n = 0;
    return s->narg;
}
