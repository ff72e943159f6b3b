// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <math.h>

/* Data is called unlike what an input's codes are for when more than this share
 * of it saturates, or when it fills less than this part of their range.  Ranges
 * chosen by a rule clip a few in a thousand; pixels from 0 to 255 where -2 to 2
 * is expected saturate nearly all, and pixels from 0 to 1 fill a quarter.  Few
 * pictures may be dark ones.  A scale that was rounded up to a power of two may
 * be twice what the data needs, so that half as much counts as filled. */
#define SHARE_BEYOND 0.1
#define PART_FILLED 0.34
enum { PICTURES = 8 };

static bool
is_power_of_two(float x)
{
    int e;

    return frexpf(x, &e) == 0.5F;
}

SnInputs *
sn_inputs_new(SnArena *a, const SnExec *x, SnSamples *s)
{
    SnInputs *in = SN_NEW(a, SnInputs);

    in->x = x;
    in->s = s;
    in->seen = SN_NEW_N(a, SnInputSeen, x->ninput + 1);
    pthread_mutex_init(&in->lock, NULL);
    for (uint32_t i = 0; i < x->ninput; i++) {
        SnInputSeen *e = &in->seen[i];
        *e = (SnInputSeen){.lo = INFINITY, .hi = -INFINITY};
        for (uint32_t k = 0; k < x->nstep && !e->ranged; k++) {
            SnId id = x->step[k].node;
            const SnType *t = sn_type(x->g, SN_REF(id, 0));
            SnKind kind = sn_node(x->g, id)->kind;
            if (sn_desc(kind)->sem[0].cls != SN_C_CONVERT || t->nq != 1 ||
                sn_in(x->g, id, 0) != x->input[i].ref)
                continue;
            double lo = (double)sn_elem_lo(t->elem) - t->zp[0];
            double hi = (double)sn_elem_hi(t->elem) - t->zp[0];
            e->ranged = true;
            e->from = (float)((lo - 0.5) * (double)t->scale[0]);
            e->to = (float)((hi + 0.5) * (double)t->scale[0]);
            e->filled =
                is_power_of_two(t->scale[0]) ? PART_FILLED / 2 : PART_FILLED;
        }
    }
    return in;
}

static SnInputSeen
look(const SnInputSeen *at, const float *v, int64_t n)
{
    SnInputSeen s = {.lo = INFINITY, .hi = -INFINITY};
    float from = at->ranged ? at->from : -INFINITY;
    float to = at->ranged ? at->to : INFINITY;

    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(v[k]))
            continue;
        s.n++;
        s.beyond += v[k] < from || v[k] > to;
        s.lo = v[k] < s.lo ? v[k] : s.lo;
        s.hi = v[k] > s.hi ? v[k] : s.hi;
    }
    s.nonfinite = n - s.n;
    return s;
}

void
sn_inputs_see(void *ctx, int64_t sample, SnRun *r)
{
    SnInputs *in = ctx;

    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnPort *p = &in->x->input[i];
        SnInputSeen *e = &in->seen[i];
        if (p->type->elem != SN_F32)
            continue;
        SnInputSeen s = look(e, sn_run_input(r, i), sn_shape_count(p->shape));
        pthread_mutex_lock(&in->lock);
        e->lo = fminf(e->lo, s.lo);
        e->hi = fmaxf(e->hi, s.hi);
        if (s.nonfinite && (!e->nonfinite || in->s->skip + sample < e->first))
            e->first = in->s->skip + sample;
        e->n += s.n;
        e->beyond += s.beyond;
        e->nonfinite += s.nonfinite;
        pthread_mutex_unlock(&in->lock);
    }
}

SnStatus
sn_inputs_fill(void *ctx, int64_t sample, SnRun *r)
{
    SnInputs *in = ctx;

    SN_TRY(sn_samples_fill(in->s, sample, r));
    sn_inputs_see(in, sample, r);
    return SN_OK;
}

/* For numbers that are given to an input with stored steps for pictures. */
static void
help_numbers(SnCli *c, const SnInputs *in, uint32_t i)
{
    const char *numbers = sn_cli_numbers(c, in->x->input[i].pixels);

    if (numbers && in->s->feed[i].nfile && !in->s->feed[i].file[0].pictures)
        sn_diag_help(c->d,
                     "it was calibrated on pictures; for pixels 0 to "
                     "255: %s",
                     numbers);
}

void
sn_inputs_warn_range(SnCli *c, const SnInputs *in, const char *option)
{
    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnInputSeen *e = &in->seen[i];
        if (!e->ranged || e->n == 0)
            continue;
        double share = (double)e->beyond / (double)e->n;
        double part =
            ((double)e->hi - (double)e->lo) / ((double)e->to - (double)e->from);
        if (share > SHARE_BEYOND)
            sn_warn(c->d, (SnPos){0}, NULL,
                    "%.1f %% of the values that %s "
                    "gives input '%s' (%g to %g) saturate at %.4g and %.4g: "
                    "were --mul and --add forgotten?",
                    100 * share, option, in->x->input[i].name, (double)e->lo,
                    (double)e->hi, (double)e->from, (double)e->to);
        else if (part < e->filled && in->s->n >= PICTURES)
            sn_warn(c->d, (SnPos){0}, NULL,
                    "%s gives input '%s' values from "
                    "%g to %g, but it was quantized for %.4g to %.4g: were "
                    "--mul and --add forgotten?",
                    option, in->x->input[i].name, (double)e->lo, (double)e->hi,
                    (double)e->from, (double)e->to);
        else
            continue;
        help_numbers(c, in, i);
    }
}

void
sn_inputs_warn_finite(SnCli *c, const SnInputs *in, const char *option)
{
    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnInputSeen *e = &in->seen[i];
        if (e->nonfinite)
            sn_warn(c->d, (SnPos){0}, NULL,
                    "%s gives input '%s' %lld value%s "
                    "that %s not finite, first in sample %lld",
                    option, in->x->input[i].name, (long long)e->nonfinite,
                    e->nonfinite == 1 ? "" : "s",
                    e->nonfinite == 1 ? "is" : "are", (long long)e->first);
    }
}
