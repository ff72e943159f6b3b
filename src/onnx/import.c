// SPDX-License-Identifier: Apache-2.0
#include "onnx/import.h"

#include <inttypes.h>
#include <string.h>
#include "base/budget.h"
#include "base/file/file.h"
#include "kernel/eval/eval.h"
#include "onnx/hooks/hooks_all.h"
#include "onnx/import_op.h"
#include "onnx/import/import_shape.h"
#include "onnx/proto/onnx_read.h"
#include "onnx/proto/tensor_pb.h"
#include "sn_kind_placeholder.h"
#include "sn_kind_save.h"

enum {
    OPSET_MIN = 1,
    OPSET_MAX = 25, /* the newest whose operators were looked at */
    MAX_REPORTED = 20,
    MAX_INPUTS = 1024,
    MAX_ATTRIBUTES = 256
};

static SnStatus
fail(SnImport *x, SnStatus s, const char *what, const char *name,
     const char *why)
{
    return sn_fail(x->d, s, sn_format(x->a, "%s: %s '%s'", x->file, what, name),
                   "%s", why);
}

static const char *
node_name(const Onnx__NodeProto *n)
{
    const char *name = n->name != NULL ? n->name : "";

    return name[0] == '\0' && n->n_output > 0 ? n->output[0] : name;
}

static const char *
node_where(SnImport *x, const Onnx__NodeProto *n)
{
    return sn_format(x->a, "%s: node '%s' (%s)", x->file, node_name(n),
                     n->op_type != NULL ? n->op_type : "");
}

/* ---- opsets ---- */

static int64_t
opset_of(const SnImport *x, const char *domain)
{
    for (size_t i = 0; i < x->model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = x->model->opset_import[i];
        const char *d = o->domain == NULL ? "" : o->domain;
        d = strcmp(d, "ai.onnx") == 0 ? "" : d;
        if (strcmp(d, domain) == 0 && o->has_version)
            return o->version;
    }
    return 0;
}

static SnStatus
check_model(SnImport *x)
{
    int64_t v = opset_of(x, "");

    if (x->model->graph == NULL)
        return sn_fail(x->d, SN_EINPUT, x->file, "the model has no graph");
    if (v == 0)
        return sn_fail(
            x->d, x->model->n_opset_import == 0 ? SN_EINPUT : SN_EUNSUPPORTED,
            x->file, "the model imports no operator set of ONNX");
    if (v < OPSET_MIN || v > OPSET_MAX)
        return sn_fail(x->d, SN_EUNSUPPORTED, x->file,
                       "operator set %" PRId64 "; %d to %d are supported", v,
                       OPSET_MIN, OPSET_MAX);
    if (x->model->graph->n_sparse_initializer > 0)
        return sn_fail(x->d, SN_EUNSUPPORTED, x->file,
                       "sparse initializers are not supported");
    return SN_OK;
}

/* ---- names ---- */

static size_t
count_names(const Onnx__GraphProto *g)
{
    size_t n = g->n_initializer + g->n_input;

    for (size_t i = 0; i < g->n_node; i++)
        n += g->node[i]->n_output;
    return n;
}

static SnStatus
declare_initializer(SnImport *x, const Onnx__TensorProto *t)
{
    SnImportVal *v;
    SnData *data;
    const char *name = t->name != NULL ? t->name : "";

    if (name[0] == '\0')
        return sn_fail(x->d, SN_EINPUT, x->file, "an initializer has no name");
    if (sn_import_val(x, name) != NULL)
        return fail(x, SN_EINPUT, "initializer", name,
                    "there are two of this name, expected one");
    v = sn_import_new_val(x, name);
    v->made = true;
    if (t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__UNDEFINED &&
        sn_onnx_unpacked(t->data_type) == SN_D_NONE) {
        v->unread = t;
        return SN_OK;
    }
    data = SN_NEW(x->a, SnData);
    x->where = sn_format(x->a, "%s: initializer '%s'", x->file, name);
    SN_TRY(sn_import_tensor_pb(x, t, x->where, data));
    v->data = data;
    v->rank = data->rank;
    memcpy(v->dim, data->dim, sizeof v->dim);
    return SN_OK;
}

static SnStatus
declare_input(SnImport *x, const Onnx__ValueInfoProto *vi, size_t i)
{
    SnImportVal *v;

    if (vi->name == NULL || vi->name[0] == '\0')
        return sn_fail(x->d, SN_EINPUT, x->file, "input %zu has no name", i);
    v = sn_import_val(x, vi->name);
    if (v != NULL && v->info != NULL)
        return fail(x, SN_EINPUT, "input", vi->name,
                    "there are two of this name, expected one");
    if (v == NULL)
        v = sn_import_new_val(x, vi->name);
    else if (v->data != NULL && /* an initializer's value */
             !sn_import_elem_agrees(x, v->data, vi))
        return fail(x, SN_EINPUT, "input", vi->name,
                    "its initializer has another element type");
    v->info = vi;
    return SN_OK;
}

static SnStatus
declare_node(SnImport *x, size_t i)
{
    const Onnx__NodeProto *n = x->pb->node[i];
    const char *where = node_where(x, n);

    if (n->op_type == NULL || n->op_type[0] == '\0')
        return sn_fail(x->d, SN_EINPUT, where,
                       "has no operator, expected its name");
    for (size_t k = 0; k < n->n_output; k++) {
        const char *name = n->output[k];
        SnImportVal *v;
        if (name[0] == '\0')
            continue;
        v = sn_import_val(x, name);
        if (v != NULL && v->maker == 0)
            return sn_fail(x->d, SN_EINPUT, where,
                           "makes '%s', which is an input or initializer",
                           name);
        if (v != NULL)
            return sn_fail(x->d, SN_EINPUT, where,
                           "makes '%s', which another node makes too", name);
        v = sn_import_new_val(x, name);
        v->maker = (uint32_t)i + 1;
    }
    if (n->n_attribute > MAX_ATTRIBUTES)
        return sn_fail(x->d, SN_EINPUT, where, "has %zu attributes",
                       n->n_attribute);
    for (size_t k = 0; k < n->n_attribute; k++) {
        const char *a = n->attribute[k]->name;
        if (a == NULL || a[0] == '\0')
            return sn_fail(x->d, SN_EINPUT, where, "attribute %zu has no name",
                           k);
        for (size_t j = 0; j < k; j++)
            if (strcmp(n->attribute[j]->name, a) == 0)
                return sn_fail(x->d, SN_EINPUT, where,
                               "attribute '%s' is given twice", a);
    }
    return SN_OK;
}

static SnStatus
declare(SnImport *x)
{
    size_t n = count_names(x->pb);

    for (x->nbucket = 64; x->nbucket < n; x->nbucket *= 2)
        ;
    x->bucket = SN_NEW_N(x->a, SnImportVal *, x->nbucket);
    for (size_t i = 0; i < x->pb->n_initializer; i++)
        SN_TRY(declare_initializer(x, x->pb->initializer[i]));
    for (size_t i = 0; i < x->pb->n_input; i++)
        SN_TRY(declare_input(x, x->pb->input[i], i));
    for (size_t i = 0; i < x->pb->n_node; i++)
        SN_TRY(declare_node(x, i));
    for (size_t i = 0; i < x->pb->n_value_info; i++) {
        const Onnx__ValueInfoProto *vi = x->pb->value_info[i];
        SnImportVal *v = vi->name != NULL ? sn_import_val(x, vi->name) : NULL;
        if (v != NULL && v->maker != 0)
            v->info = vi;
    }
    if (x->pb->n_output == 0)
        return sn_fail(x->d, SN_EINPUT, x->file, "the graph has no output");
    for (size_t i = 0; i < x->pb->n_output; i++) {
        const Onnx__ValueInfoProto *vi = x->pb->output[i];
        const char *name = vi->name != NULL ? vi->name : "";
        SnImportVal *v = sn_import_val(x, name);
        if (v == NULL)
            return fail(x, SN_EINPUT, "output", name, "nothing makes it");
        if (v->is_output)
            return fail(x, SN_EINPUT, "output", name,
                        "there are two of this name, expected one");
        v->is_output = true;
        v->info = vi;
    }
    return SN_OK;
}

/* ---- order ---- */

typedef struct Walk {
    uint8_t *state; /* 0: new, 1: on the stack, 2: done */
    uint32_t *next; /* the input to look at next */
    uint32_t *stack, *order;
    size_t nstack, norder;
} Walk;

static SnStatus
enter(SnImport *x, Walk *w, uint32_t i)
{
    if (w->state[i] == 2)
        return SN_OK;
    if (w->state[i] == 1)
        return sn_fail(x->d, SN_EINPUT, node_where(x, x->pb->node[i]),
                       "is on a cycle: its inputs depend on its results");
    w->state[i] = 1;
    w->stack[w->nstack++] = i;
    return SN_OK;
}

/* Nodes after what they read; file order where that is such an order.  Every
 * name that is read must be made. */
static SnStatus
order_from(SnImport *x, Walk *w, uint32_t start)
{
    SN_TRY(enter(x, w, start));
    while (w->nstack > 0) {
        uint32_t i = w->stack[w->nstack - 1];
        const Onnx__NodeProto *n = x->pb->node[i];
        const SnImportVal *v;
        if (w->next[i] == n->n_input) {
            w->state[i] = 2;
            w->order[w->norder++] = i;
            w->nstack--;
            continue;
        }
        const char *name = n->input[w->next[i]++];
        if (name[0] == '\0')
            continue;
        v = sn_import_val(x, name);
        if (v == NULL)
            return sn_fail(x->d, SN_EINPUT, node_where(x, n),
                           "reads '%s', which nothing makes", name);
        if (v->maker != 0)
            SN_TRY(enter(x, w, v->maker - 1));
    }
    return SN_OK;
}

static SnStatus
order(SnImport *x, uint32_t **out)
{
    size_t n = x->pb->n_node;
    Walk w = {
        .state = SN_NEW_N(x->a, uint8_t, n),
        .next = SN_NEW_N(x->a, uint32_t, n),
        .stack = SN_NEW_N(x->a, uint32_t, n),
        .order = SN_NEW_N(x->a, uint32_t, n),
    };

    for (size_t i = 0; i < n; i++)
        if (w.state[i] == 0)
            SN_TRY(order_from(x, &w, (uint32_t)i));
    *out = w.order;
    for (size_t i = 0; i < n; i++)
        if (w.order[i] != i && x->unsorted == NULL)
            x->unsorted = node_name(x->pb->node[i]);
    return SN_OK;
}

/* Counts uses from outputs backwards: what reaches no output has none. */
static void
count_uses(SnImport *x, const uint32_t *ord)
{
    for (size_t i = 0; i < x->pb->n_output; i++)
        sn_import_val(x, x->pb->output[i]->name)->nuse++;
    for (size_t i = x->pb->n_node; i-- > 0;) {
        const Onnx__NodeProto *n = x->pb->node[ord[i]];
        bool used = false;
        for (size_t k = 0; k < n->n_output; k++)
            if (n->output[k][0] != '\0')
                used |= sn_import_val(x, n->output[k])->nuse > 0;
        for (size_t k = 0; used && k < n->n_input; k++) {
            SnImportVal *v;
            uint32_t scale, zp;
            if (n->input[k][0] == '\0')
                continue;
            v = sn_import_val(x, n->input[k]);
            v->nuse++;
            if (sn_import_code_slot(n, (uint32_t)k, &scale, &zp)) {
                v->ncode++;
                v->reader = ord[i];
                v->reader_in = (uint32_t)k;
            }
        }
    }
}

/* Initializers of other elements do no harm where nothing reads them. */
static SnStatus
check_unread(SnImport *x)
{
    for (size_t i = 0; i < x->pb->n_initializer; i++) {
        SnImportVal *v = sn_import_val(x, x->pb->initializer[i]->name);
        SnData data;
        if (v->unread == NULL || v->nuse == 0)
            continue;
        x->where = sn_format(x->a, "%s: initializer '%s'", x->file, v->name);
        return sn_import_tensor_pb(x, v->unread, x->where, &data);
    }
    return SN_OK;
}

static bool
matters(SnImport *x, const Onnx__NodeProto *n)
{
    for (size_t k = 0; k < n->n_output; k++)
        if (n->output[k][0] != '\0' && sn_import_val(x, n->output[k])->nuse > 0)
            return true;
    return false;
}

/* ---- inputs and outputs ---- */

static void
start_node(SnImport *x, const Onnx__NodeProto *n)
{
    x->n = n;
    x->where = node_where(x, n);
    x->op = sn_import_op_of(n);
    x->version = opset_of(x, x->op.domain);
    x->used = SN_NEW_N(x->a, bool, n->n_attribute);
    x->sign = SN_IMPORT_AS_INPUTS;
}

static SnStatus
add_input(SnImport *x, const Onnx__ValueInfoProto *vi)
{
    SnImportVal *v = sn_import_val(x, vi->name);
    const Onnx__TypeProto__Tensor *t;
    const char *name;
    const SnType *type;
    SnImportForm *f;
    SnPlaceholderAttr attr = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    SnSpec s = {.kind = SN_K_PLACEHOLDER,
                .name = vi->name,
                .type = &type,
                .attr = &attr};
    SnDtype dt;

    SN_TRY(sn_import_input_shape(x, vi, v));
    x->where = sn_format(x->a, "%s: input '%s'", x->file, vi->name);
    t = vi->type->tensor_type;
    dt = sn_import_dtype(x, t->has_elem_type ? t->elem_type : 0, &name);
    if ((dt == SN_D_U8 || dt == SN_D_I8) && v->nuse > 0 &&
        v->ncode == v->nuse) {
        v->waits = true; /* for its scale */
        v->u8 = dt == SN_D_U8;
        start_node(x, x->pb->node[v->reader]);
        return sn_import_code_input(x, v);
    }
    type = sn_import_plain_type(x, dt);
    if (type == NULL)
        return sn_import_fail(
            x, SN_EUNSUPPORTED,
            "elements %s are not supported: expected FLOAT, FLOAT16, BFLOAT16, "
            "DOUBLE, INT8, UINT8, INT32, INT64 or BOOL",
            name);
    v->u8 = dt == SN_D_U8;
    attr.boundary = v->u8 ? SN_PLACEHOLDER_BOUNDARY_U8 : sn_import_boundary(vi);
    s.shape = sn_shape(x->g->pool, v->rank, v->dim);
    f = SN_NEW(x->a, SnImportForm);
    SN_TRY(sn_import_add(x, &s, &f->ref));
    for (int i = 0; i < v->rank; i++)
        f->perm[i] = i;
    v->form = f;
    v->made = true;
    return SN_OK;
}

static SnStatus
add_output(SnImport *x, const Onnx__ValueInfoProto *vi)
{
    SnImportVal *v = sn_import_val(x, vi->name);
    SnSaveAttr attr = {.name = vi->name, .boundary = sn_import_boundary(vi)};
    SnRef in, none;
    SnSpec s = {.kind = SN_K_SAVE, .nin = 1, .in = &in, .attr = &attr};

    x->where = sn_format(x->a, "%s: output '%s'", x->file, vi->name);
    if (v->waits)
        return sn_import_fail(x, SN_EUNSUPPORTED, "is an 8-bit input");
    SN_TRY(sn_import_plain(x, v, &in));
    if (v->u8 && sn_type(x->g, in)->elem == SN_QI16)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "codes of uint16 are not supported as an output");
    if (v->u8 &&
        (sn_type(x->g, in)->elem == SN_QI8 || sn_type(x->g, in)->elem == SN_I8))
        attr.boundary = SN_SAVE_BOUNDARY_U8;
    return sn_import_add(x, &s, &none);
}

/* ---- nodes ---- */

/* The name of an operator that is supported and reads alike. */
static const char *
similar(SnImport *x, const char *op)
{
    const char **name = SN_NEW_N(x->a, const char *, sn_onnx_end() + 64);
    size_t n = 0;

    for (uint32_t i = 0; i < sn_onnx_end(); i++)
        name[n++] = sn_onnx_at(i)->op.name;
    for (size_t i = 0; i < 64 && sn_onnx_structural(i) != NULL; i++)
        name[n++] = sn_onnx_structural(i);
    return sn_closest(op, name, n);
}

/* Says whether something could be advised. */
static bool
report_unsupported(SnImport *x, const Onnx__NodeProto *n)
{
    const SnOnnxDesc *other;
    SnOnnxOp op = sn_import_op_of(n);
    const char *near;
    int64_t v = opset_of(x, op.domain);

    sn_import_desc(op, v, &other);
    sn_fail(x->d, SN_EUNSUPPORTED, node_where(x, n),
            "operator %s%s%s (opset %" PRId64 ") is not supported", op.domain,
            op.domain[0] != '\0' ? ":" : "", op.name, v);
    if (other != NULL) {
        sn_diag_help(x->d, "it is from opset %d%s", (int)other->since,
                     other->until != 0
                         ? sn_format(x->a, " to %d", (int)other->until)
                         : " on");
        return true;
    }
    near = similar(x, op.name);
    if (near != NULL)
        sn_diag_help(x->d, "did you mean '%s'?", near);
    return near != NULL;
}

/* All operators that are not supported, each once, before any work. */
static SnStatus
check_ops(SnImport *x, const uint32_t *ord)
{
    SnOnnxOp seen[MAX_REPORTED];
    size_t nseen = 0;
    bool advised = true, foreign = false; /* of a domain that plugins have */

    for (size_t i = 0; i < x->pb->n_node; i++) {
        const Onnx__NodeProto *n = x->pb->node[ord[i]];
        const SnOnnxDesc *other;
        SnOnnxOp op = sn_import_op_of(n);
        bool again = false;
        if (!matters(x, n) || sn_import_structural(op) != NULL ||
            sn_import_desc(op, opset_of(x, op.domain), &other) != NULL)
            continue;
        for (size_t k = 0; k < nseen; k++)
            again |= sn_onnx_same(seen[k], op);
        if (again || nseen == MAX_REPORTED)
            continue;
        seen[nseen++] = op;
        advised = report_unsupported(x, n);
        foreign |= !advised && op.domain[0] != '\0';
    }
    if (foreign && !sn_more_kinds.nkind)
        sn_diag_help(x->d, "if a plugin declares it, load the plugin: "
                           "--backend-plugin FILE");
    if (nseen > 0 && !advised)
        sn_diag_help(x->d, "'sinter ops' lists the supported operators");
    return nseen > 0 ? SN_EUNSUPPORTED : SN_OK;
}

/* A node, or several where its operands have types that it does not take. */
static SnStatus
map_plain(SnImport *x, const SnOnnxDesc *e)
{
    bool done;

    SN_TRY(sn_import_other_types(x, e, &done));
    return done ? SN_OK : sn_import_map(x, e);
}

static SnStatus
map_node(SnImport *x)
{
    const SnOnnxDesc *e, *other;
    SnImportOp *op = sn_import_structural(x->op);
    SnImportCall c = {0};
    bool done;

    if (op != NULL)
        return op(x);
    SN_TRY(sn_import_fold(x, map_plain, &done));
    if (done)
        return SN_OK;
    e = sn_import_desc(x->op, x->version, &other);
    if (e == NULL) {
        report_unsupported(x, x->n);
        return SN_EUNSUPPORTED;
    }
    SN_TRY(sn_import_lift(x, e, &done));
    if (done)
        return SN_OK;
    SN_TRY(sn_import_other_types(x, e, &done));
    if (done)
        return SN_OK;
    if (e->term != NULL)
        return sn_import_term(x, e);
    if (e->hook == NULL)
        return sn_import_map(x, e);
    c.desc = e;
    return e->hook(x, &c);
}

static SnStatus
import_node(SnImport *x, const Onnx__NodeProto *n)
{
    if (!matters(x, n))
        return SN_OK;
    start_node(x, n);
    sn_budget_at("import", x->where);
    SN_TRY(map_node(x));
    SN_TRY(sn_import_attrs_done(x));
    for (uint32_t k = 0; k < n->n_output; k++)
        if (sn_import_out(x, k) != NULL && !sn_import_out(x, k)->made)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "its result %" PRIu32
                                  " ('%s') is not supported",
                                  k, n->output[k]);
    return SN_OK;
}

/* ---- the model ---- */

/* What was done although the file doesn't say so. */
static void
warnings(SnImport *x)
{
    if (x->unsorted != NULL)
        sn_warn(
            x->d, (SnPos){0}, NULL,
            "%s: nodes precede what they read, such as '%s'; they are sorted",
            x->file, x->unsorted);
    if (x->stale != NULL)
        sn_warn(x->d, (SnPos){0}, NULL,
                "%s: %s%s; the shape computed from its operands is used",
                x->file, x->stale,
                x->nstale > 1
                    ? sn_format(x->a, " (and of %" PRIu32 " more value%s)",
                                x->nstale - 1, x->nstale > 2 ? "s" : "")
                    : "");
    if (x->other_real != NULL)
        sn_warn(x->d, (SnPos){0}, NULL,
                "%s: elements of type %s are computed as f32; an exported "
                "model has the types of this file",
                x->file, x->other_real);
}

static SnStatus
import_graph(SnImport *x)
{
    uint32_t *ord;
    size_t ninput = 0;

    sn_budget_at("import", x->file);
    SN_TRY(sn_import_dims_open(x));
    SN_TRY(check_model(x));
    x->pb = x->model->graph;
    SN_TRY(declare(x));
    SN_TRY(order(x, &ord));
    count_uses(x, ord);
    SN_TRY(check_unread(x));
    SN_TRY(check_ops(x, ord));
    for (size_t i = 0; i < x->pb->n_input; i++)
        if (!sn_import_val(x, x->pb->input[i]->name)->made) {
            if (++ninput > MAX_INPUTS)
                return sn_fail(x->d, SN_EUNSUPPORTED, x->file,
                               "more than %d inputs", MAX_INPUTS);
            SN_TRY(add_input(x, x->pb->input[i]));
        }
    SN_TRY(sn_import_dims_done(x));
    for (size_t i = 0; i < x->pb->n_node; i++)
        SN_TRY(import_node(x, x->pb->node[ord[i]]));
    for (size_t i = 0; i < x->pb->n_output; i++)
        SN_TRY(add_output(x, x->pb->output[i]));
    sn_dce(x->g);
    SN_TRY(sn_verify(x->g, x->d));
    sn_graph_charge(x->g);
    warnings(x);
    return SN_OK;
}

static SnStatus
import_model(SnArena *a, const char *name, const char *dir,
             const Onnx__ModelProto *model, const SnFileMap *map,
             const SnOnnxOpts *o, SnDiag *d, SnGraph **out)
{
    const char *title = sn_path_base(name);
    SnImport x = {
        .a = a, .d = d, .file = name, .dir = dir, .opts = o, .model = model};

    if (model->graph != NULL && model->graph->name != NULL &&
        model->graph->name[0] != '\0')
        title = model->graph->name;
    x.where = name;
    if (map != NULL)
        x.map = *map;
    x.g = sn_graph_new(a, title);
    SN_TRY(import_graph(&x));
    sn_import_own(&x);
    *out = x.g;
    return SN_OK;
}

SnStatus
sn_onnx_parse(SnArena *a, const char *name, const char *dir, const void *p,
              size_t n, const SnOnnxOpts *o, SnDiag *d, SnGraph **out)
{
    ProtobufCMessage *m = NULL;

    sn_budget_model(n);
    SN_TRY(sn_pb_parse(a, &onnx__model_proto__descriptor, name, p, n, d, &m));
    return import_model(a, name, dir, (Onnx__ModelProto *)m, NULL, o, d, out);
}

SnStatus
sn_onnx_message(SnArena *a, const char *name, const Onnx__ModelProto *m,
                const SnOnnxOpts *o, SnDiag *d, SnGraph **out)
{
    sn_budget_model(onnx__model_proto__get_packed_size(m));
    return import_model(a, name, NULL, m, NULL, o, d, out);
}

static SnStatus
borrow_map(SnArena *a, const char *name, const char *dir, const SnFileMap *map,
           const SnOnnxOpts *o, SnDiag *d, SnGraph **out)
{
    ProtobufCMessage *m = NULL;

    sn_budget_model(map->n);
    SN_TRY(sn_pb_borrow(a, &onnx__model_proto__descriptor, name, map->p, map->n,
                        d, &m));
    return import_model(a, name, dir, (Onnx__ModelProto *)m, map, o, d, out);
}

SnStatus
sn_onnx_borrow(SnArena *a, const char *name, const char *dir, const void *p,
               size_t n, const SnOnnxOpts *o, SnDiag *d, SnGraph **out)
{
    SnFileMap map = {.p = p, .n = n};

    return borrow_map(a, name, dir, &map, o, d, out);
}

/* A model with late weights takes the file's size by this, at most. */
enum { LATE_SHARE = 4 };

SnStatus
sn_onnx_import(SnArena *a, const char *path, const SnOnnxOpts *o, SnDiag *d,
               SnGraph **out)
{
    SnFileMap map;

    /* Late weights are read once, as they lie. */
    bool late = o != NULL && o->late > 0;
    SN_TRY((late ? sn_file_map_whole : sn_file_map)(a, d, path, 0, &map));
    /* For weights that are brought into another order, or, if those are late,
     * all else in few pages. */
    if (map.mapped)
        sn_arena_reserve(a, late ? map.n / LATE_SHARE : map.n, 0);
    return borrow_map(a, path, sn_path_dir(a, path), &map, o, d, out);
}
