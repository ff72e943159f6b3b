// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/file/file.h"

enum { MAX_TRIES = 600 };

typedef struct Shrink {
    Gen *g;
    CkRule rule;
    CkWay way;
    int ntry;
    SnData want; /* of the smallest so far */
    CkRun got;
} Shrink;

/* Does the model as it stands still disagree? */
static bool
still(Shrink *s)
{
    Dm *m = s->g->m;
    OrtIo in[DM_MAXVAL], out = {.name = m->val[m->out].name};
    uint32_t nin = dm_inputs(m, in);
    const char *why = "";
    CkRun r;
    void *p;
    size_t n;

    if (s->ntry++ > MAX_TRIES || m->val[m->out].from != DM_MADE)
        return false;
    dm_pack(m, m->a, &p, &n);
    if (!ort_run(s->g->ort, m->a, p, n, nin, in, 1, &out, &why))
        return false;
    r = ck_run(m->a, s->g->form, s->g->nop > 1, s->way, p, n, nin, in, out.name,
               &out.data);
    if (r.status == SN_EUNSUPPORTED ||
        (r.status == SN_OK &&
         ck_agrees(s->rule, gen_steps(s->g), &out.data, &r.diff)))
        return false;
    s->want = out.data;
    s->got = r;
    return true;
}

/* The shortest prefix: an earlier value as the output. */
static void
cut_end(Shrink *s)
{
    Dm *m = s->g->m;
    int out = m->out;

    for (uint32_t i = 0; i < m->nnode && m->node[i].out != out; i++) {
        if (s->g->form != GEN_FLOAT &&
            m->val[m->node[i].out].data.dtype == SN_D_F32)
            continue;
        m->out = m->node[i].out;
        if (still(s))
            return;
    }
    m->out = out;
}

/* Computed codes (or floats of a float model) become inputs. */
static void
cut_start(Shrink *s)
{
    Dm *m = s->g->m;

    for (uint32_t i = m->nval; i-- > 0;) {
        DmVal *v = &m->val[i];
        if (v->from != DM_MADE || (int)i == m->out || v->data.data == NULL ||
            (v->data.dtype == SN_D_F32) != (s->g->form == GEN_FLOAT))
            continue;
        v->from = DM_INPUT;
        if (!still(s))
            v->from = DM_MADE;
    }
}

/* Pieces of the inputs become what stands for zero. */
static void
clear(Shrink *s)
{
    Dm *m = s->g->m;
    OrtIo in[DM_MAXVAL];

    (void)dm_inputs(m, in);
    for (uint32_t i = 0; i < m->nval; i++) {
        DmVal *v = &m->val[i];
        size_t size = sn_dtype_size(v->data.dtype);
        size_t n = sn_data_nbyte(&v->data) / (size > 0 ? size : 1);
        int zero = v->scale > 0 ? (uint8_t)v->zp : 0;
        if (v->from != DM_INPUT)
            continue;
        for (size_t step = n; step > 0; step /= 2)
            for (size_t at = 0; at < n; at += step) {
                const void *was = v->data.data;
                uint8_t *p = sn_memdup(m->a, was, n * size);
                size_t len = (at + step > n ? n - at : step) * size;
                memset(p + at * size, zero, len);
                if (memcmp(p, was, n * size) == 0)
                    continue;
                v->data.data = p;
                if (!still(s))
                    v->data.data = was;
            }
    }
}

static void
show(const Shrink *s)
{
    const Dm *m = s->g->m;
    const CkDiff *d = &s->got.diff;

    for (uint32_t i = 0; i < m->nnode; i++)
        if (dm_needs(m, i))
            printf("  %s\n", dm_show(m, m->a, i));
    if (s->got.status != SN_OK)
        printf("  sinter: status %d: %s", (int)s->got.status, s->got.why);
    else if (d->shape)
        printf("  sinter gives %s, rank %d, ONNX Runtime %s, rank %d\n",
               sn_dtype_name(s->got.out.dtype), s->got.out.rank,
               sn_dtype_name(s->want.dtype), s->want.rank);
    else
        printf("  element %" PRId64 ": sinter %.9g, ONNX Runtime %.9g; "
               "%" PRId64 " of %" PRId64 " differ, at most by %g\n",
               d->at, sn_data_real(&s->got.out, d->at),
               sn_data_real(&s->want, d->at), d->ndiff, d->n, d->most);
}

void
shrink(Gen *g, CkRule rule, CkWay way, const char *dir)
{
    Shrink s = {.g = g, .rule = rule, .way = way};

    /* Parts of a whole are judged by the step, where they are codes. */
    if (rule == CK_WHOLE)
        s.rule = CK_STEP;
    if (!still(&s)) {
        printf("  does not fail again\n");
        return;
    }
    cut_end(&s);
    cut_start(&s);
    clear(&s);
    s.ntry = 0;
    still(&s);
    show(&s);
    if (vector_write(g->m, dir, &s.want))
        printf("  saved as %s\n", dir);
}

/* ---- files ---- */

static bool
write_tensor(SnArena *a, const char *path, const char *name, const SnData *t)
{
    void *p;
    size_t n;

    dm_pack_tensor(a, name, t, &p, &n);
    return sn_file_write(sn_diag_new(a), path, p, n) == SN_OK;
}

bool
vector_write(const Dm *m, const char *dir, const SnData *out)
{
    SnArena *a = sn_arena_new();
    const char *set = sn_path_join(a, dir, "test_data_set_0");
    SnDiag *d = sn_diag_new(a);
    OrtIo in[DM_MAXVAL];
    uint32_t nin = dm_inputs(m, in);
    void *p;
    size_t n;
    bool ok;

    dm_pack(m, a, &p, &n);
    ok = sn_file_mkdirs(d, set) == SN_OK &&
         sn_file_write(d, sn_path_join(a, dir, "model.onnx"), p, n) == SN_OK;
    for (uint32_t i = 0; ok && i < nin; i++)
        ok = write_tensor(a, sn_format(a, "%s/input_%u.pb", set, i), in[i].name,
                          &in[i].data);
    ok = ok && write_tensor(a, sn_format(a, "%s/output_0.pb", set),
                            m->val[m->out].name, out);
    if (!ok)
        sn_diag_print(d, stderr);
    sn_arena_free(a);
    return ok;
}
