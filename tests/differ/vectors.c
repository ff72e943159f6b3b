// SPDX-License-Identifier: Apache-2.0
/* Stored vectors: what ONNX Runtime gave, to be compared without it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/file.h"
#include "onnx/proto/tensor_pb.h"
#include "shrink.h"

enum { TRIES = 400, MAX_ELEMENTS = 160, MAX_BYTES = 2200 };

static const char *const form_name[GEN_NFORM] = {"float", "qdq", "qop"};

/* Small, and of a result that agrees: a stored vector is for regressions. */
static bool
fit(Gen *g, SnData *out)
{
    Dm *m = g->m;
    OrtIo in[DM_MAXVAL], o = {.name = m->val[m->out].name};
    uint32_t nin = dm_inputs(m, in);
    const char *why;
    void *p;
    size_t n;

    dm_pack(m, m->a, &p, &n);
    if (n > MAX_BYTES * (g->nop > 1 ? 3 : 1) ||
        !ort_run(g->ort, m->a, p, n, nin, in, 1, &o, &why))
        return false;
    for (uint32_t i = 0; i < nin; i++)
        if (sn_data_count(&in[i].data) > MAX_ELEMENTS)
            return false;
    if (sn_data_count(&o.data) < 4 || sn_data_count(&o.data) > MAX_ELEMENTS)
        return false;
    for (CkWay way = CK_EVAL; way < CK_NWAY; way++) {
        CkRun r;
        if (!ck_applies(g->form, way))
            continue;
        r = ck_run(m->a, g->form, g->nop > 1, way, p, n, nin, in, o.name,
                   &o.data);
        if (r.status != SN_OK ||
            !ck_agrees(ck_rule(g->form, g->nop, g->op, way), 1, &o.data,
                       &r.diff))
            return false;
    }
    *out = o.data;
    return true;
}

static bool
store_one(Ort *ort, GenForm f, uint32_t op, uint32_t nop, uint64_t seed,
          const char *dir)
{
    SnArena *a = sn_arena_new();
    Gen *g = SN_NEW(a, Gen);
    SnData out;
    bool ok;

    g->m = SN_NEW(a, Dm);
    g->m->a = a;
    g->m->name = sn_path_base(dir);
    g->ort = ort;
    g->form = f;
    g->state = seed;
    ok = gen_model(g, op, nop) && g->nop == nop && !gen_excluded(g) &&
         (nop == 1 || ck_rule(f, g->nop, g->op, CK_EVAL) != CK_WHOLE ||
          f == GEN_QDQ) &&
         fit(g, &out) && vector_write(g->m, dir, &out);
    sn_arena_free(a);
    return ok;
}

int
vectors_store(SnArena *a, Ort *o, const char *dir)
{
    int n = 0;

    for (int f = 0; f < GEN_NFORM; f++)
        for (uint32_t op = 0; op <= gen_nop((GenForm)f); op++) {
            bool whole = op == gen_nop((GenForm)f);
            const char *name = whole ? "model" : gen_op_name((GenForm)f, op);
            int each = f == GEN_QOP || whole ? 4 : f == GEN_QDQ ? 2 : 1;
            uint64_t seed = 1;
            for (int k = 0; k < each; k++) {
                const char *to =
                    sn_format(a, "%s/%s_%s_%d", dir, form_name[f], name, k);
                bool ok = false;
                for (int i = 0; i < TRIES && !ok; i++, seed++)
                    ok = store_one(o, (GenForm)f,
                                   whole ? (uint32_t)seed % op : op,
                                   whole ? 3 : 1, seed, to);
                n += ok;
                if (!ok)
                    printf("| no vector for %s\n", to);
            }
        }
    printf("ok differ: %d vectors in %s\n", n, dir);
    return 0;
}

/* ---- replay ---- */

static int
filter(const struct dirent *e)
{
    return strchr(e->d_name, '_') != NULL && e->d_name[0] != '.';
}

/* "qop_QLinearConv_0": the form and the operator; "model": several. */
static const char *
op_of(SnArena *a, const char *name, GenForm *form)
{
    const char *op = strchr(name, '_') + 1;

    for (int f = 0; f < GEN_NFORM; f++)
        if (strncmp(name, form_name[f], strlen(form_name[f])) == 0)
            *form = (GenForm)f;
    return sn_strndup(a, op, strcspn(op, "_"));
}

static bool
read_tensor(SnArena *a, const char *path, OrtIo *io)
{
    SnDiag *d = sn_diag_new(a);
    ProtobufCMessage *m;

    if (!sn_file_exists(path) ||
        sn_pb_load(a, &onnx__tensor_proto__descriptor, path, d, &m) != SN_OK)
        return false;
    io->name = ((Onnx__TensorProto *)m)->name;
    return sn_tensor_pb(a, (Onnx__TensorProto *)m, NULL, path, d, &io->data) ==
           SN_OK;
}

static bool
replay(SnArena *a, const char *dir, const char *name)
{
    const char *set = sn_format(a, "%s/%s/test_data_set_0", dir, name);
    SnDiag *d = sn_diag_new(a);
    OrtIo in[DM_MAXIN], out;
    uint32_t nin = 0;
    GenForm form = GEN_FLOAT;
    const char *op = op_of(a, name, &form), *ops[] = {op, op};
    bool whole = strcmp(op, "model") == 0, ok = true;
    char *p;
    size_t n;

    while (nin < DM_MAXIN &&
           read_tensor(a, sn_format(a, "%s/input_%u.pb", set, nin), &in[nin]))
        nin++;
    if (!read_tensor(a, sn_format(a, "%s/output_0.pb", set), &out) ||
        sn_file_read(a, d, sn_format(a, "%s/%s/model.onnx", dir, name), 0, &p,
                     &n) != SN_OK) {
        printf("not ok oracle %s: cannot be read\n", name);
        return false;
    }
    for (CkWay way = CK_EVAL; ok && way < CK_NWAY; way++) {
        CkRun r;
        if (!ck_applies(form, way))
            continue;
        r = ck_run(a, form, whole, way, p, n, nin, in, out.name, &out.data);
        ok = r.status == SN_OK && ck_agrees(ck_rule(form, 1 + whole, ops, way),
                                            1, &out.data, &r.diff);
        if (!ok)
            printf("not ok oracle %s, %s: status %d, %lld of %lld differ, at "
                   "most by %g %s\n",
                   name, ck_way_name(way), (int)r.status,
                   (long long)r.diff.ndiff, (long long)r.diff.n, r.diff.most,
                   r.status == SN_OK ? "" : r.why);
    }
    if (ok)
        printf("ok oracle %s\n", name);
    return ok;
}

int
vectors_replay(SnArena *a, const char *dir)
{
    struct dirent **list;
    int n = scandir(dir, &list, filter, alphasort), bad = 0;

    if (n <= 0) {
        printf("not ok oracle: no vectors in %s\n", dir);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        SnArena *mem = sn_arena_new();
        bad += !replay(mem, dir, list[i]->d_name);
        sn_arena_free(mem);
        free(list[i]);
    }
    free(list);
    sn_arena_free(a);
    return bad > 0;
}
