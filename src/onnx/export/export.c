// SPDX-License-Identifier: Apache-2.0
/* The export of one graph: names, inputs, nodes in order, outputs, bytes. */
#include "onnx/export/export.h"

#include <inttypes.h>
#include <string.h>
#include "base/file/file.h"
#include "kernel/eval/eval.h"
#include "onnx/export/export_priv.h"
#include "sn_kind_constant.h"
#include "sn_kind_dequantize.h"
#include "sn_kind_placeholder.h"
#include "sn_kind_quantize.h"
#include "sn_kind_rescale.h"
#include "sn_kind_save.h"
#include "sn_kind_splat.h"
#include "sn_maps.h"

const char *const *
sn_onnx_forms(void)
{
    static const char *const name[] = {"qdq", "qoperator", "qdq-twin", NULL};

    return name;
}

/* ---- lines of nodes.def ---- */

static bool
by_entries(const SnOnnxDesc *e)
{
    return e->hook == NULL && e->term == NULL;
}

/* Is line e better for writing a kind than line f?  ONNX's own operators come
 * before others, lines of entries before hooks and terms; those whose hook has
 * no export need another form (QLinear operators). */
static bool
better(const SnOnnxDesc *e, const SnOnnxDesc *f)
{
    bool own = e->op.domain[0] == '\0';

    if (f == NULL)
        return own || e->hook == NULL || sn_export_read_by(e->hook) != NULL;
    if (own != (f->op.domain[0] == '\0'))
        return own;
    return !by_entries(f) && by_entries(e);
}

/* A term is written as it is read, or by the hook of its only node. */
static bool
writes_term(SnKind k, const SnOnnxTerm *t)
{
    return t->alone || (t->one && sn_export_hook(sn_desc(k)->name) != NULL);
}

bool
sn_export_has_line(const SnExport *x, const SnOnnxDesc *e)
{
    int v = sn_export_version(x, e->op.domain);

    return e->since <= v && (e->until == 0 || v <= e->until);
}

/* The line that says how a kind (or the kind it is a form of) is written: not
 * one on codes, which has scales among its inputs. */
static const SnOnnxDesc *
line_of(const SnExport *x, SnKind k)
{
    const SnOnnxDesc *best = NULL;

    if (sn_desc(k)->form_of >= 0)
        k = (SnKind)sn_desc(k)->form_of;
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        if (e->kind != k || e->ncode > 0 ||
            (e->term != NULL && !writes_term(k, e->term)))
            continue;
        if (sn_export_has_line(x, e) && better(e, best))
            best = e;
    }
    return best;
}

static void
at_node(SnExport *x, SnId id)
{
    x->id = id;
    x->n = sn_node(x->g, id);
    x->kd = sn_desc(x->n->kind);
    x->e = line_of(x, x->n->kind);
    x->attr = x->n->attr;
    x->as = SN_EXPORT_REAL;
    x->where = sn_format(x->a, "%s: node '%s' (%s)", x->file,
                         x->n->nres > 0 ? sn_name(x->g, SN_REF(id, 0)) : "",
                         x->kd->name);
}

/* ---- properties of the whole model ---- */

/* All codes are uint8 if callers see uint8, if a node's rounding is that of a
 * uint8 model, or on request. */
static void
find_codes(SnExport *x, const SnId *topo, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const SnAttrDesc *a;
        at_node(x, topo[i]);
        a = sn_attr_named(x->kd, "zp_shift");
        if (sn_export_bound_u8(x->n) ||
            (a != NULL && sn_export_rounds_after(x) &&
             *(int64_t *)sn_attr_at(x->attr, a) != 0))
            x->codes = SN_EXPORT_U8;
    }
}

/* Marks what reaches a Save. */
static bool *
find_needed(const SnExport *x, const SnId *topo, uint32_t n)
{
    bool *need = SN_NEW_N(x->a, bool, x->g->nnode);

    for (uint32_t i = n; i-- > 0;) {
        const SnNode *d = sn_node(x->g, topo[i]);
        need[topo[i]] |= d->kind == SN_K_SAVE || d->kind == SN_K_PLACEHOLDER;
        SnRef v;
        if (need[topo[i]] && sn_export_reads_past(x, topo[i], &v)) {
            need[SN_NODE(v)] = true;
            continue;
        }
        for (uint32_t s = 0; need[topo[i]] && s < d->nin; s++)
            if (d->in[s].ref != 0)
                need[SN_NODE(d->in[s].ref)] = true;
    }
    return need;
}

/* Fused tables are written by the nodes that look up rows in them. */
static bool
only_summed(const SnExport *x, SnRef r)
{
    for (const SnUse *u = sn_res(x->g, r)->uses; u != NULL; u = u->next)
        if (sn_export_hook(sn_desc(sn_node(x->g, u->user)->kind)->name) !=
            sn_export_embedding_sum)
            return false;
    return true;
}

static SnStatus
check_types(SnExport *x)
{
    for (unsigned k = 0; k < x->n->nres; k++) {
        const SnType *t = x->n->res[k].type;
        if (t->elem == SN_ROW8 && only_summed(x, SN_REF(x->id, k)))
            continue;
        if (sn_export_dtype(t, SN_EXPORT_CODE) == 0)
            return sn_export_refuse(x, "values of type %s have no form in ONNX",
                                    sn_elem_name(t->elem));
        if (t->elem == SN_QI16 && x->opset < 21) {
            sn_export_refuse(
                x, "16-bit codes require opset 21; the model is written at %d",
                x->opset);
            sn_diag_help(x->d, "give --opset 21");
            return SN_EUNSUPPORTED;
        }
    }
    return SN_OK;
}

/* A splat is written out, which is done by its evaluator. */
static SnStatus
check_size(SnExport *x)
{
    if (x->n->data != NULL || !sn_export_constant(x, SN_REF(x->id, 0)) ||
        !sn_eval_too_large(x->g, x->id))
        return SN_OK;
    return sn_export_refuse(x,
                            "has more than %zu MiB, which a model cannot store",
                            SN_EVAL_MOST >> 20);
}

/* ---- outputs ---- */

static SnExportAs
output_as(const SnExport *x, const SnNode *n)
{
    const SnType *t = sn_type(x->g, n->in[0].ref);

    return sn_export_as(t,
                        sn_export_bound_u8(n) ? SN_EXPORT_U8 : SN_EXPORT_CODE);
}

/* Names of inputs and outputs are fixed; each output requests its name for the
 * tensor it reads. */
static void
keep_names(SnExport *x, const SnId *topo, uint32_t n, const bool *need)
{
    size_t nref = (size_t)x->g->nnode << SN_RESBITS;
    SnExportWish ***last = SN_NEW_N(x->a, SnExportWish **, nref);

    for (size_t r = 0; r < nref; r++)
        last[r] = &x->wish[r];
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(x->g, topo[i]);
        if (d->kind == SN_K_PLACEHOLDER)
            sn_export_keep(x, sn_name(x->g, SN_REF(topo[i], 0)),
                           SN_REF(topo[i], 0));
    }
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(x->g, topo[i]);
        SnExportWish w = {0};
        if (d->kind != SN_K_SAVE)
            continue;
        w.form.rank = sn_shape_of(x->g, d->in[0].ref)->rank;
        memcpy(w.form.perm, sn_export_identity, sizeof w.form.perm);
        w.form.as = output_as(x, d);
        w.form.name = ((const SnSaveAttr *)d->attr)->name;
        SnRef r = sn_export_root(x, d->in[0].ref, w.form.rank, w.form.perm);
        sn_export_keep(x, w.form.name, SN_REF(topo[i], 0));
        if (sn_export_constant(x, r) ||
            sn_export_bound_real(d, sn_type(x->g, r)) != 0)
            continue;
        *last[r] = sn_memdup(x->a, &w, sizeof w);
        last[r] = &(*last[r])->next;
    }
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(x->g, topo[i]);
        for (unsigned k = 0; need[topo[i]] && k < d->nres; k++)
            sn_export_keep(x, sn_name(x->g, SN_REF(topo[i], k)),
                           SN_REF(topo[i], k));
    }
}

static Onnx__ValueInfoProto *
value_info(SnExport *x, const char *name, int dtype, const SnShape *s)
{
    Onnx__ValueInfoProto *v = SN_NEW(x->a, Onnx__ValueInfoProto);
    Onnx__TypeProto *type = SN_NEW(x->a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *tt = SN_NEW(x->a, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *sh = SN_NEW(x->a, Onnx__TensorShapeProto);

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(tt);
    onnx__tensor_shape_proto__init(sh);
    v->name = sn_strdup(x->a, name);
    v->type = type;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tt;
    tt->has_elem_type = 1;
    tt->elem_type = dtype;
    tt->shape = sh;
    sh->n_dim = (size_t)s->rank;
    sh->dim = SN_NEW_N(x->a, Onnx__TensorShapeProto__Dimension *, s->rank);
    for (int i = 0; i < s->rank; i++) {
        sh->dim[i] = SN_NEW(x->a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(sh->dim[i]);
        sh->dim[i]->value_case =
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        sh->dim[i]->dim_value = s->dim[i];
    }
    return v;
}

static void
add_input(SnExport *x, Onnx__GraphProto *pb)
{
    SnRef r = SN_REF(x->id, 0);
    const SnType *t = sn_type(x->g, r);
    const SnShape *s = sn_shape_of(x->g, r);
    SnExportAs as = sn_export_as(t, sn_export_bound_u8(x->n) ? SN_EXPORT_U8
                                                             : SN_EXPORT_CODE);
    const char *name = sn_export_own(x, sn_name(x->g, r), r), *wide;
    int real = sn_export_bound_real(x->n, t);

    pb->input = sn_grow(x->a, pb->input, pb->n_input, sizeof *pb->input);
    pb->input[pb->n_input++] =
        value_info(x, name, real != 0 ? real : sn_export_dtype(t, as), s);
    if (real != 0) {
        wide = sn_export_name(x, r, s->rank, sn_export_identity, as);
        sn_export_cast_real(x, name, wide,
                            ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT);
        name = wide;
    }
    sn_export_add(x, r, s->rank, sn_export_identity, as, name);
}

static SnStatus
add_output(SnExport *x, Onnx__GraphProto *pb)
{
    SnRef r = x->n->in[0].ref;
    const char *want = ((const SnSaveAttr *)x->n->attr)->name;
    SnExportAs as = output_as(x, x->n);
    const char *got = sn_export_plain(x, r, as);
    int real = sn_export_bound_real(x->n, sn_type(x->g, r));

    if (strcmp(got, want) != 0) {
        if (sn_export_own(x, want, SN_REF(x->id, 0)) == NULL)
            return sn_export_refuse(x,
                                    "the output '%s' has the name of another "
                                    "value of the model",
                                    want);
        if (real != 0)
            sn_export_cast_real(x, got, want, real);
        else
            sn_export_node(x, "", "Identity", 1, &got, want);
    }
    pb->output = sn_grow(x->a, pb->output, pb->n_output, sizeof *pb->output);
    pb->output[pb->n_output++] = value_info(
        x, want, real != 0 ? real : sn_export_dtype(sn_type(x->g, r), as),
        sn_shape_of(x->g, r));
    return SN_OK;
}

/* ---- nodes ---- */

static SnStatus
dequantize(SnExport *x)
{
    SnRef v = sn_in(x->g, x->id, 0), r;
    int rank = x->n->res[0].shape->rank, perm[SN_MAXRANK], p[SN_MAXRANK];
    const SnType *t = sn_type(x->g, v);
    const char *from, *to;
    SnExportAs as = SN_EXPORT_CODE;

    sn_export_choose(x, perm);
    memcpy(p, perm, sizeof p);
    r = sn_export_root(x, v, rank, p);
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        if (f->as != SN_EXPORT_REAL) {
            as = f->as;
            break;
        }
    from = sn_export_get(x, v, rank, perm, sn_export_as(t, as));
    to = sn_export_open(x, 0, perm);
    sn_export_convert(x, "DequantizeLinear", r, rank, p, as, from, to);
    sn_export_close(x, 0, perm, to);
    return SN_OK;
}

/* Quantize and Rescale: the reals, cut and quantized. */
static SnStatus
requantize(SnExport *x)
{
    int perm[SN_MAXRANK];

    if (x->n->res[0].type->elem == SN_QI32)
        return sn_export_refuse(x, "QuantizeLinear does not write int32");
    sn_export_choose(x, perm);
    sn_export_close(x, 0, perm, sn_export_operand(x, 0, perm, SN_EXPORT_REAL));
    return SN_OK;
}

/* Are the codes of a node moved unchanged, by an operator that allows it? */
static bool
moves_codes(const SnExport *x)
{
    const SnType *t = x->n->res[0].type;

    return x->form == SN_ONNX_QOPERATOR && x->e != NULL && t->elem == SN_QI8 &&
           x->kd->out[0].fact == SN_SAME && x->kd->sem[0].raw &&
           sn_export_runs_codes(x->e->op);
}

static bool
quantized(const SnExport *x)
{
    const SnTuple *t = sn_node_tuple(x->g, x->id);

    return t != NULL && t->quant;
}

static SnExportHook *
writer(const SnKindDesc *kd, const SnOnnxDesc *e)
{
    SnExportHook *fn = sn_export_hook(kd->name);

    if (fn == NULL && kd->form_of >= 0)
        fn = sn_export_hook(sn_desc((SnKind)kd->form_of)->name);
    if (fn == NULL && e != NULL)
        fn = e->hook != NULL   ? sn_export_read_by(e->hook)
             : e->term != NULL ? sn_export_term
                               : sn_export_map;
    return fn;
}

bool
sn_onnx_writes(SnKind k, int opset)
{
    SnExport x = {.opset = opset};
    const SnKindDesc *d = sn_desc(k);

    return !d->effect && d->sem != NULL && d->sem[0].cls != SN_C_SOURCE &&
           (d->sem[0].cls == SN_C_CONVERT ||
            d->sem[0].decl == &sn_map_decl_permute ||
            writer(d, line_of(&x, k)) != NULL);
}

/* ONNX Runtime loads no pool whose pads are as wide as its window. */
static SnStatus
check_window(SnExport *x)
{
    if (x->kd->sem[0].decl != &sn_map_decl_pool)
        return SN_OK;
    const SnInts *k = sn_export_attr(x, "kernel", SN_A_INTS);
    const SnInts *p = sn_export_attr(x, "pads", SN_A_INTS);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->v[i] >= k->v[i % k->n])
            return sn_export_refuse(x,
                                    "its pads are as wide as its window, which "
                                    "ONNX Runtime does not load");
    return SN_OK;
}

static SnStatus
operator(SnExport *x)
{
    SnExportHook *fn = writer(x->kd, x->e);
    bool done = false;

    if (sn_export_put_u8(x))
        return SN_OK;
    if (fn == NULL)
        return sn_export_refuse(x, "has no form in ONNX at opset %d", x->opset);
    SN_TRY(check_window(x));
    if (x->n->nres > 0 && x->n->res[0].type->elem == SN_QI32) {
        if (x->kd->sem[0].cls != SN_C_MOVE || x->kd->out[0].fact != SN_SAME)
            return sn_export_refuse(x, "QuantizeLinear does not write int32");
        x->as = SN_EXPORT_CODE; /* moved unchanged in both forms */
        return fn(x);
    }
    if (x->form == SN_ONNX_QOPERATOR && quantized(x)) {
        SnExportCodes *q = sn_export_codes_hook(x);
        x->as = x->codes;
        if (q != NULL)
            SN_TRY(q(x, &done));
        if (done)
            return SN_OK;
        x->as = moves_codes(x) ? x->codes : SN_EXPORT_REAL;
    }
    if (quantized(x) && sn_export_rounds_after(x))
        x->rounded = x->nrounded++ == 0 ? x->id : x->rounded;
    return fn(x);
}

static SnStatus
add_node(SnExport *x, Onnx__GraphProto *pb)
{
    switch (x->n->kind) {
    case SN_K_CONSTANT:
    case SN_K_SPLAT:
    case SN_K_PLACEHOLDER:
        return SN_OK;
    case SN_K_SAVE:
        return add_output(x, pb);
    case SN_K_DEQUANTIZE:
        return dequantize(x);
    case SN_K_QUANTIZE:
    case SN_K_RESCALE:
        return requantize(x);
    default:
        break;
    }
    if (x->kd->sem[0].decl == &sn_map_decl_permute)
        return SN_OK; /* its readers choose the order */
    return operator(x);
}

static SnStatus
export_graph(SnExport *x, Onnx__GraphProto *pb)
{
    uint32_t n;
    SnId *topo = sn_topo(x->g, x->a, &n);
    bool *need;

    find_codes(x, topo, n);
    sn_export_find_u8(x, topo, n);
    need = find_needed(x, topo, n);
    keep_names(x, topo, n, need);
    for (uint32_t i = 0; i < n; i++) {
        at_node(x, topo[i]);
        if (need[topo[i]])
            SN_TRY(check_types(x));
        if (need[topo[i]])
            SN_TRY(check_size(x));
        if (x->n->kind == SN_K_PLACEHOLDER)
            add_input(x, pb);
    }
    for (uint32_t i = 0; i < n; i++) {
        at_node(x, topo[i]);
        if (need[topo[i]])
            SN_TRY(add_node(x, pb));
        if (need[topo[i]] && x->form == SN_ONNX_TWIN)
            sn_export_twin(x, topo[i]);
    }
    if (x->nrounded > 0 && x->form != SN_ONNX_TWIN)
        sn_warn(x->d, (SnPos){0}, NULL,
                "%s: %" PRIu32 " node%s that round%s after the zero point is "
                "added (first '%s') %s written as float operators, which "
                "round before: results may differ by one step",
                x->file, x->nrounded, x->nrounded > 1 ? "s" : "",
                x->nrounded > 1 ? "" : "s",
                sn_name(x->g, SN_REF(x->rounded, 0)),
                x->nrounded > 1 ? "are" : "is");
    pb->name = sn_strdup(x->a, x->g->name);
    pb->n_node = x->nnode;
    pb->node = x->node;
    pb->n_initializer = x->ninit;
    pb->initializer = x->init;
    return SN_OK;
}

/* ---- the model ---- */

/* The oldest IR version that goes with an opset, from 8 on. */
static int64_t
ir_version(int opset)
{
    static const int of[] = {[0] = 8, 9, 9, 10, 10, 11, 12, 13};

    return opset < 18 ? 8 : of[opset - 18];
}

static Onnx__OperatorSetIdProto *
opset_id(SnArena *a, const char *domain, int64_t version)
{
    Onnx__OperatorSetIdProto *o = SN_NEW(a, Onnx__OperatorSetIdProto);

    onnx__operator_set_id_proto__init(o);
    o->domain = sn_strdup(a, domain);
    o->has_version = 1;
    o->version = version;
    return o;
}

static void
open_names(SnExport *x)
{
    x->nbucket = 256;
    while (x->nbucket < 4u * x->g->nnode)
        x->nbucket *= 2;
    x->bucket = SN_NEW_N(x->a, SnExportName *, x->nbucket);
    x->value =
        SN_NEW_N(x->a, SnExportForm *, (size_t)x->g->nnode << SN_RESBITS);
    x->wish = SN_NEW_N(x->a, SnExportWish *, (size_t)x->g->nnode << SN_RESBITS);
    sn_hashes_init(&x->of_param, x->a);
}

/* A .sn holds such a constant in a few bytes, an initializer does not. */
static void
warn_splats(const SnExport *x, size_t nbyte)
{
    enum { LEAST = 1 << 20 };

    if (x->nsplat > LEAST && x->nsplat > nbyte / 2)
        sn_warn(x->d, (SnPos){0}, NULL,
                "%s: %.1f of its %.1f MB are constants of one repeated "
                "element, which an ONNX model writes out",
                x->file, (double)x->nsplat * 1e-6, (double)nbyte * 1e-6);
}

SnStatus
sn_onnx_pack(SnArena *a, const SnGraph *g, const SnOnnxExport *o,
             const char *file, SnDiag *d, void **p, size_t *n)
{
    SnExport x = {.a = a,
                  .d = d,
                  .g = g,
                  .file = file,
                  .form = o->form,
                  .codes = o->u8 ? SN_EXPORT_U8 : SN_EXPORT_CODE,
                  .opset = o->opset != 0 ? o->opset : SN_ONNX_OPSET};
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto pb = ONNX__GRAPH_PROTO__INIT;
    Onnx__OperatorSetIdProto **set;

    if (x.opset < SN_ONNX_OPSET_MIN || x.opset > SN_ONNX_OPSET_MAX)
        return sn_fail(d, SN_EUNSUPPORTED, file,
                       "opset %d cannot be written: expected %d to %d", x.opset,
                       SN_ONNX_OPSET_MIN, SN_ONNX_OPSET_MAX);
    if (g->rounding != SN_ROUNDING_FLOAT && o->form != SN_ONNX_TWIN) {
        sn_fail(d, SN_EUNSUPPORTED, file,
                "the graph computes with rounding %s, which ONNX has no "
                "operators for; what is quantized for a backend of rounding "
                "float can be written",
                sn_arith_at(g->rounding)->name);
        sn_diag_help(d, "--format qdq-twin writes operators of reals, and how "
                        "far from the graph's codes they may be");
        return SN_EUNSUPPORTED;
    }
    open_names(&x);
    SN_TRY(export_graph(&x, &pb));
    set = SN_NEW_N(a, Onnx__OperatorSetIdProto *, x.ndomain + 1);
    set[0] = opset_id(a, "", x.opset);
    for (uint32_t i = 0; i < x.ndomain; i++)
        set[i + 1] =
            opset_id(a, x.domain[i], sn_export_version(&x, x.domain[i]));
    m.has_ir_version = 1;
    m.ir_version = ir_version(x.opset);
    m.producer_name = sn_strdup(a, "sinter");
    m.n_opset_import = x.ndomain + 1;
    m.opset_import = set;
    m.graph = &pb;
    if (x.form == SN_ONNX_TWIN)
        sn_export_metadata(&x, &m);
    if (o->twins != NULL)
        *o->twins = x.twins;
    *n = onnx__model_proto__get_packed_size(&m);
    warn_splats(&x, *n);
    if (*n > INT32_MAX)
        return sn_fail(d, SN_EUNSUPPORTED, file,
                       "%zu bytes: an ONNX file holds at most 2 GiB", *n);
    *p = sn_alloc(a, *n);
    onnx__model_proto__pack(&m, *p);
    return SN_OK;
}

SnStatus
sn_onnx_save(SnArena *a, const SnGraph *g, const SnOnnxExport *o,
             const char *path, SnDiag *d)
{
    void *p;
    size_t n;

    SN_TRY(sn_onnx_pack(a, g, o, path, d, &p, &n));
    return sn_file_write(d, path, p, n);
}
