// SPDX-License-Identifier: Apache-2.0
/* One node of the graph as operators of ONNX: order of axes, attributes,
 * operands, what follows the operator.  The lines of nodes.def, read the other
 * way round. */
#include "onnx/export/export_priv.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/num.h"
#include "graph/axes.h"
#include "sn_kind_splat.h"
#include "sn_maps.h"

SnStatus
sn_export_refuse(SnExport *x, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = sn_vformat(x->a, fmt, ap);
    va_end(ap);
    return sn_fail(x->d, SN_EUNSUPPORTED, x->where, "%s", text);
}

/* ---- lines of nodes.def ---- */

/* Attributes that an operator has only from a later opset on; before that they
 * stand at their default. */
static const struct {
    const char *op, *attr;
    int since;
} late[] = {
    {"AveragePool", "dilations", 19},
    {"com.microsoft:QLinearAveragePool", "dilations", INT32_MAX},
};

/* The opset of the model; for other domains the newest that a line names.
 */
int
sn_export_version(const SnExport *x, const char *domain)
{
    int v = 1;

    if (domain[0] == '\0')
        return x->opset;
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        if (e->since > v && strcmp(e->op.domain, domain) == 0)
            v = e->since;
    }
    return v;
}

static const SnOnnxMap *
entry_for(const SnOnnxDesc *e, SnOnnxEntry kind, const char *name)
{
    for (uint32_t i = 0; e != NULL && i < e->nmap; i++)
        if (e->map[i].entry == kind && strcmp(e->map[i].name, name) == 0)
            return &e->map[i];
    return NULL;
}

bool
sn_export_layout(const SnExport *x, const char *port, int rank, int *perm)
{
    const SnOnnxMap *l = entry_for(x->e, SN_IMPORT_LAYOUT, port);
    static const int iohw_of_ohwi[] = {3, 0, 1, 2};

    memcpy(perm, sn_export_identity, sizeof sn_export_identity);
    if (l == NULL)
        return false;
    if (strcmp(l->value, "iohw") == 0 && rank == 4) {
        memcpy(perm, iohw_of_ohwi, sizeof iohw_of_ohwi);
        return true;
    }
    for (int i = 1; rank > 2 && i < rank; i++)
        perm[i] = i == 1 ? rank - 1 : i - 1;
    return true;
}

/* ---- attributes ---- */

const void *
sn_export_attr(const SnExport *x, const char *attr, SnAttrKind kind)
{
    const SnAttrDesc *a = sn_attr_named(x->kd, attr);

    if (a == NULL || a->kind != kind)
        sn_bug("export: %s has no attribute '%s' so declared", x->kd->name,
               attr);
    return sn_attr_at(x->attr, a);
}

bool
sn_export_is_default(const SnExport *x, const char *attr)
{
    const SnAttrDesc *a = sn_attr_named(x->kd, attr);

    return a == NULL ||
           (a->has_default && sn_attr_equal(a, x->attr, x->kd->defaults));
}

bool
sn_export_rounds_after(const SnExport *x)
{
    const SnAttrDesc *a = sn_attr_named(x->kd, "round");

    return a != NULL && a->kind == SN_A_ENUM &&
           strcmp(a->words[*(const int32_t *)sn_attr_at(x->attr, a)],
                  "after") == 0;
}

static void
put_attr(SnExport *x, Onnx__NodeProto *n, const SnAttrDesc *a, const char *onnx)
{
    const void *p = sn_attr_at(x->attr, a);

    switch (a->kind) {
    case SN_A_INT:
        sn_export_attr_int(x, n, onnx, *(const int64_t *)p);
        break;
    case SN_A_BOOL:
        sn_export_attr_int(x, n, onnx, *(const bool *)p);
        break;
    case SN_A_REAL:
        sn_export_attr_real(x, n, onnx, *(const float *)p);
        break;
    case SN_A_STR:
        sn_export_attr_str(x, n, onnx, *(const char *const *)p);
        break;
    case SN_A_ENUM:
        sn_export_attr_str(x, n, onnx, a->words[*(const int32_t *)p]);
        break;
    case SN_A_INTS:
        sn_export_attr_ints(x, n, onnx, *(const SnInts *)p);
        break;
    case SN_A_REALS:
        sn_export_attr_reals(x, n, onnx, *(const SnReals *)p);
        break;
    default:
        sn_bug("export: attribute '%s' has no form in a model", a->name);
    }
}

static int
comes_with(const Onnx__NodeProto *n, const char *attr)
{
    SnOnnxOp op = {n->domain != NULL ? n->domain : "", n->op_type};

    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++)
        if (sn_onnx_is(op, late[i].op) && strcmp(late[i].attr, attr) == 0)
            return late[i].since;
    return 0;
}

SnStatus
sn_export_attrs(SnExport *x, Onnx__NodeProto *n)
{
    for (uint16_t i = 0; x->e != NULL && i < x->e->nmap; i++) {
        const SnOnnxMap *m = &x->e->map[i];
        const SnAttrDesc *a = sn_attr_named(x->kd, m->name);
        if (m->entry != SN_IMPORT_ATTR)
            continue;
        if (a == NULL)
            sn_bug("export: %s has no attribute '%s'", x->kd->name, m->name);
        if (comes_with(n, m->value) <= x->opset)
            put_attr(x, n, a, m->value);
        else if (!sn_export_is_default(x, a->name))
            return sn_export_refuse(x,
                                    "%s has '%s' from opset %d on; the model "
                                    "is written at %d",
                                    n->op_type, m->value,
                                    comes_with(n, m->value), x->opset);
    }
    return SN_OK;
}

/* Attributes that no entry mentions must stand at their defaults.  A clamp
 * follows as an operator; round and zp_shift say how codes are computed. */
static SnStatus
check_rest(SnExport *x)
{
    for (uint16_t i = 0; i < x->kd->nattr; i++) {
        const SnAttrDesc *a = &x->kd->attr[i];
        if ((int)i == x->kd->clamp || strcmp(a->name, "round") == 0 ||
            strcmp(a->name, "zp_shift") == 0 ||
            entry_for(x->e, SN_IMPORT_ATTR, a->name) != NULL ||
            entry_for(x->e, SN_IMPORT_INPUT, a->name) != NULL ||
            sn_export_is_default(x, a->name))
            continue;
        return sn_export_refuse(x, "attribute '%s' has no form in ONNX",
                                a->name);
    }
    return SN_OK;
}

/* ---- order of axes ---- */

/* The attributes in the given order of axes. */
static bool
renumber(SnExport *x, int rank, const int *perm)
{
    int64_t inv[SN_MAXRANK] = {0};

    for (int i = 0; i < rank; i++)
        inv[perm[i]] = i;
    x->attr = x->kd->nattr > 0 ? sn_attr_copy(x->a, x->kd, x->n->attr) : NULL;
    return sn_axes_renumber(x->a, x->kd, x->attr,
                            (SnInts){(uint32_t)rank, inv});
}

/* The number of operands that have no tensor in this order yet; -1:
 * impossible. */
static int
missing(const SnExport *x, int rank, const int *perm)
{
    int n = 0;

    for (uint32_t s = 0; s < x->n->nin; s++) {
        SnRef r = x->n->in[s].ref;
        int p[SN_MAXRANK];
        bool have = false;
        if (r == 0 || sn_export_constant(x, r) ||
            sn_shape_count(sn_shape_of(x->g, r)) == 1)
            continue;
        if (sn_shape_of(x->g, r)->rank != rank) {
            if (!sn_export_same(rank, perm, sn_export_identity))
                return -1;
            continue;
        }
        memcpy(p, perm, (size_t)rank * sizeof *perm);
        r = sn_export_root(x, r, rank, p);
        for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
            have |= f->rank == rank && sn_export_same(rank, f->perm, p);
        n += !have;
    }
    return n;
}

/* The order of a tensor of root r, as an order of operand v. */
static void
order_of(const SnExport *x, SnRef v, const SnExportForm *f, int *perm)
{
    int through[SN_MAXRANK];

    memcpy(through, sn_export_identity, sizeof through);
    sn_export_root(x, v, f->rank, through);
    for (int i = 0; i < f->rank; i++)
        for (int k = 0; k < f->rank; k++)
            if (through[k] == f->perm[i])
                perm[i] = k;
}

void
sn_export_choose(SnExport *x, int *perm)
{
    int rank = x->n->res[0].shape->rank, best, cost;
    int p[SN_MAXRANK];

    memcpy(perm, sn_export_identity, sizeof sn_export_identity);
    best = missing(x, rank, perm);
    for (uint32_t s = 0; s < x->n->nin && best > 0; s++) {
        SnRef r = x->n->in[s].ref;
        if (r == 0 || sn_shape_of(x->g, r)->rank != rank)
            continue;
        memcpy(p, sn_export_identity, sizeof p);
        r = sn_export_root(x, r, rank, p);
        for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next) {
            if (f->rank != rank)
                continue;
            order_of(x, x->n->in[s].ref, f, p);
            cost = missing(x, rank, p);
            if (cost < 0 || cost >= best || !renumber(x, rank, p))
                continue;
            best = cost;
            memcpy(perm, p, sizeof p);
        }
    }
    renumber(x, rank, perm);
}

void
sn_export_available_order(SnExport *x, uint32_t slot, int *perm)
{
    SnRef v = sn_in(x->g, x->id, slot), r;
    int rank = sn_shape_of(x->g, v)->rank;
    bool any = false;

    memcpy(perm, sn_export_identity, sizeof sn_export_identity);
    r = sn_export_root(x, v, rank, perm);
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        any |= f->rank == rank && sn_export_same(rank, f->perm, perm);
    memcpy(perm, sn_export_identity, sizeof sn_export_identity);
    for (const SnExportForm *f = x->value[r]; !any && f != NULL; f = f->next)
        if (f->rank == rank && !sn_export_constant(x, r)) {
            order_of(x, v, f, perm);
            any = true;
        }
}

/* A Splat is one element where another operand gives the shape. */
static bool
one_does(const SnExport *x, SnRef r)
{
    if (sn_kind(x->g, r) != SN_K_SPLAT ||
        x->kd->sem[0].decl != &sn_map_decl_broadcast)
        return false;
    for (uint32_t s = 0; s < x->n->nin; s++) {
        SnRef v = x->n->in[s].ref;
        if (v != 0 && v != r && sn_shape_of(x->g, v) == x->n->res[0].shape)
            return true;
    }
    return false;
}

const char *
sn_export_operand(SnExport *x, uint32_t slot, const int *perm, SnExportAs as)
{
    SnRef r = sn_in(x->g, x->id, slot);
    int rank = x->n->res[0].shape->rank;

    if (one_does(x, r))
        return sn_export_get(x, r, 0, perm, as);
    if (sn_shape_of(x->g, r)->rank == rank)
        return sn_export_get(x, r, rank, perm, as);
    if (sn_export_constant(x, r) && sn_shape_of(x->g, r)->rank < rank &&
        sn_shape_count(sn_shape_of(x->g, r)) != 1 &&
        !sn_export_same(rank, perm, sn_export_identity))
        return sn_export_get(x, r, rank, perm, as);
    return sn_export_plain(x, r, as);
}

/* ---- results ---- */

/* What a clamp cuts off beyond the storage.  A lower bound at real 0 is a Relu
 * even if the storage would cut the same. */
static SnRange
open_sides(const SnExport *x, uint32_t k)
{
    const SnType *t = x->n->res[k].type;
    SnRange c = {0};

    /* Plain integers are not clamped by evaluators. */
    if (k == 0 && x->kd->clamp >= 0 &&
        (t->elem == SN_F32 || sn_elem_quant(t->elem)))
        c = *(const SnRange *)sn_attr_at(x->n->attr,
                                         &x->kd->attr[x->kd->clamp]);
    if (!sn_elem_quant(t->elem) || sn_range_full(c))
        return c;
    c.has_lo &= c.lo > (double)sn_elem_lo(t->elem) ||
                (x->as == SN_EXPORT_REAL && c.lo == (double)t->zp[0]);
    c.has_hi &= c.hi < (double)sn_elem_hi(t->elem);
    return c;
}

static float
bound(const SnType *t, double code)
{
    return t->elem == SN_F32 ? (float)code
                             : sn_dequant((int32_t)code, t->scale[0], t->zp[0]);
}

static void
put_clamp(SnExport *x, SnRange c, const SnType *t, SnExportAs as,
          const char *from, const char *to)
{
    const char *in[3] = {from, NULL, NULL};
    bool codes = sn_elem_quant(t->elem) && as != SN_EXPORT_REAL;

    if (!codes && c.has_lo && bound(t, c.lo) == 0 && !c.has_hi) {
        sn_export_node(x, "", "Relu", 1, in, to);
        return;
    }
    if (c.has_lo)
        in[1] = codes ? sn_export_one_code(x, "min", t, as, (int64_t)c.lo)
                      : sn_export_real(x, "min", bound(t, c.lo));
    if (c.has_hi)
        in[2] = codes ? sn_export_one_code(x, "max", t, as, (int64_t)c.hi)
                      : sn_export_real(x, "max", bound(t, c.hi));
    sn_export_node(x, "", "Clip", 3, in, to);
}

static const char *
real_name(SnExport *x, SnRef r)
{
    const char *name = sn_name(x->g, r), *own = sn_export_own(x, name, r);

    return own != NULL ? own
                       : sn_export_fresh(x, sn_format(x->a, "%s.f", name));
}

/* The form of result k once everything is written. */
static SnExportAs
final_as(const SnExport *x, const SnType *t)
{
    return sn_export_as(t, x->as == SN_EXPORT_REAL && sn_elem_quant(t->elem)
                               ? x->codes
                               : x->as);
}

const char *
sn_export_open(SnExport *x, uint32_t k, const int *perm)
{
    SnRef r = SN_REF(x->id, k);
    const SnType *t = sn_type(x->g, r);

    if (!sn_range_full(open_sides(x, k)))
        return sn_export_part(x, "c");
    if (sn_elem_quant(t->elem) && x->as == SN_EXPORT_REAL)
        return real_name(x, r);
    return sn_export_name(x, r, sn_shape_of(x->g, r)->rank, perm,
                          final_as(x, t));
}

void
sn_export_close(SnExport *x, uint32_t k, const int *perm, const char *got)
{
    SnRef r = SN_REF(x->id, k);
    const SnType *t = sn_type(x->g, r);
    int rank = sn_shape_of(x->g, r)->rank;
    SnExportAs as = final_as(x, t);
    SnRange c = open_sides(x, k);
    bool real = sn_elem_quant(t->elem) && x->as == SN_EXPORT_REAL;
    const char *to;

    if (!sn_range_full(c)) {
        if (real && x->kd->sem[0].cls == SN_C_CONVERT)
            to = sn_export_part(x, "c");
        else if (real)
            to = real_name(x, r);
        else
            to = sn_export_name(x, r, rank, perm, as);
        put_clamp(x, c, t, real ? SN_EXPORT_REAL : as, got, to);
        got = to;
    }
    if (real) {
        to = sn_export_name(x, r, rank, perm, as);
        sn_export_convert(x, "QuantizeLinear", r, rank, perm, as, got, to);
        got = to;
    }
    sn_export_add(x, r, rank, perm, as, got);
}

/* ---- a node by its line ---- */

/* Hooks of single entries: values that import computes are stated
 * explicitly. */
static SnStatus
entry_hooks(SnExport *x)
{
    for (uint32_t k = 1; k < x->n->nres; k++) {
        const SnOnnxMap *m =
            entry_for(x->e, SN_IMPORT_HOOK, x->kd->out[k].name);
        if (x->n->res[k].nuse > 0 && m != NULL)
            return sn_export_refuse(x,
                                    "its result '%s' has no form in ONNX: it "
                                    "counts elements with channels last",
                                    x->kd->out[k].name);
    }
    return SN_OK;
}

static const char *
attr_input(SnExport *x, const SnOnnxMap *m)
{
    const SnAttrDesc *a = sn_attr_named(x->kd, m->name);
    const void *p = sn_attr_at(x->attr, a);
    int64_t one;

    switch (a->kind) {
    case SN_A_INTS:
        return sn_export_ints(x, m->name, *(const SnInts *)p);
    case SN_A_REAL:
        return sn_export_real(x, m->name, *(const float *)p);
    case SN_A_BOOL:
        one = *(const bool *)p;
        return sn_export_ints(x, m->name, (SnInts){1, &one});
    case SN_A_INT:
        return sn_export_ints(x, m->name, (SnInts){1, p});
    default:
        sn_bug("export: attribute '%s' has no form as an input", a->name);
    }
}

static const SnOnnxMap *
input_entry(const SnOnnxDesc *e, uint32_t i)
{
    for (uint16_t k = 0; k < e->nmap; k++)
        if (e->map[k].entry == SN_IMPORT_INPUT && e->map[k].input == (int32_t)i)
            return &e->map[k];
    return NULL;
}

/* ONNX's inputs in order: operands, and attributes that are inputs there. */
static uint32_t
inputs(SnExport *x, bool free, const int *perm, const char **in)
{
    uint32_t n = 0, slot = 0, rest = 0;
    int p[SN_MAXRANK];

    for (uint16_t k = 0; k < x->e->nmap; k++)
        rest += x->e->map[k].entry == SN_IMPORT_INPUT;
    for (; slot < x->n->nin || rest > 0; n++) {
        const SnOnnxMap *m = input_entry(x->e, n);
        SnRef r;
        if (m != NULL) {
            in[n] = attr_input(x, m);
            rest--;
            continue;
        }
        in[n] = NULL;
        if (slot == x->n->nin)
            continue;
        const SnPortDesc *port =
            &x->kd->in[sn_port_of_slot(x->kd, x->n->nin, slot)];
        r = x->n->in[slot].ref;
        if (r != 0 && free)
            in[n] = sn_export_operand(x, slot, perm, x->as);
        else if (r != 0) {
            int rank = sn_shape_of(x->g, r)->rank;
            sn_export_layout(x, port->name, rank, p);
            in[n] = sn_export_get(x, r, rank, p, x->as);
        }
        slot++;
    }
    return n;
}

/* Results after the first, which have the order of the first; operators give
 * them although nothing reads them. */
static void
more_results(SnExport *x, Onnx__NodeProto *node, const int *perm)
{
    for (uint32_t k = 1; k < x->n->nres; k++) {
        const char *port = x->kd->out[k].name;
        bool used = x->n->res[k].nuse > 0;
        const char *out =
            used ? sn_export_open(x, k, perm) : sn_export_part(x, port);
        if (entry_for(x->e, SN_IMPORT_HOOK, port) != NULL)
            continue; /* not used (entry_hooks) */
        node->output[node->n_output++] = sn_strdup(x->a, out);
        if (used)
            sn_export_close(x, k, perm, out);
    }
}

SnStatus
sn_export_map(SnExport *x)
{
    int perm[SN_MAXRANK];
    bool laid =
        sn_export_layout(x, x->kd->out[0].name, x->n->res[0].shape->rank, perm);
    bool free = !laid && sn_axes_free(x->kd);
    const char **in = SN_NEW_N(x->a, const char *, x->n->nin + x->e->nmap + 2u);
    uint32_t n;
    const char *out;
    Onnx__NodeProto *node;

    SN_TRY(check_rest(x));
    SN_TRY(entry_hooks(x));
    if (free)
        sn_export_choose(x, perm);
    n = inputs(x, free, perm, in);
    out = sn_export_open(x, 0, perm);
    node = sn_export_node(x, x->e->op.domain, x->e->op.name, n, in, out);
    SN_TRY(sn_export_attrs(x, node));
    sn_export_close(x, 0, perm, out);
    more_results(x, node, perm);
    return SN_OK;
}
