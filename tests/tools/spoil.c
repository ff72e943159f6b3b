// SPDX-License-Identifier: Apache-2.0
/* spoil FILE.onnx...: models, each with one thing changed, for every possible
 * change: an operand left out, an attribute of another kind or value, a
 * dimension, an element type, a constant that is an input, the operator set.
 *
 * Imported models must verify, and be read again from their text and from the
 * exported model.  Others must be refused with status 3, 4 or 6 and a message
 * that names the file and, in quotes, its subject.  SPOIL=N: only the change
 * with this number.  Called by tests/sh/spoil.sh. */
#include <math.h>
#include <stdio.h>
#include "base/budget.h"
#include "base/diag.h"
#include "base/file/file.h"
#include "graph/graph.h"
#include "graph/text/text.h"
#include "onnx/export/export.h"
#include "onnx/import.h"
#include "onnx/proto/tensor_pb.h"
#include "random/graph_check.h"
#include "unit/onnx_build.h"

enum { FLOAT = 1, INT = 2, STRING = 3, TENSOR = 4, FLOATS = 6, INTS = 7 };
enum { MOST_ELEMENTS = 8, MEMORY = 1 << 28 };

static const int elem_types[] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 16, 21, 22};

typedef struct Spoil {
    SnArena *a;
    Onnx__ModelProto *m;
    char *x;          /* the first input's name */
    uint32_t want, n; /* the change to make; the number of changes passed */
} Spoil;

/* Is this the change to make? */
static bool
here(Spoil *s)
{
    return s->n++ == s->want;
}

/* A list with room for one more element. */
static void *
wider(Spoil *s, const void *v, size_t n, size_t size)
{
    char *p = sn_alloc_n(s->a, n + 1, size);

    if (n)
        memcpy(p, v, n * size);
    return p;
}

static bool
change_int(Spoil *s, int64_t *v)
{
    static const int64_t to[] = {-1, 0, 1, 2, 3, INT64_C(1) << 40, INT64_MIN};

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        if (here(s)) {
            *v = to[i];
            return true;
        }
    return false;
}

static bool
change_real(Spoil *s, float *v)
{
    static const float to[] = {0, -1, 1e30F, INFINITY, NAN};

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        if (here(s)) {
            *v = to[i];
            return true;
        }
    return false;
}

/* ---- tensors ---- */

/* Raw data of the size that the tensor's shape and type require. */
static void
fit(Spoil *s, Onnx__TensorProto *t)
{
    const char *name;
    SnDtype e = sn_onnx_dtype(t->data_type, &name);
    size_t n = e ? sn_dtype_size(e) : 1;

    for (size_t i = 0; i < t->n_dims; i++)
        n *= t->dims[i] > 0 && t->dims[i] < 1000 ? (size_t)t->dims[i] : 0;
    uint8_t *p = sn_alloc(s->a, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = t->raw_data.len ? t->raw_data.data[i % t->raw_data.len] : 0;
    t->raw_data.data = p;
    t->raw_data.len = n;
    t->has_raw_data = 1;
    t->n_float_data = t->n_int32_data = t->n_int64_data = 0;
    t->n_double_data = t->n_uint64_data = t->n_string_data = 0;
}

static bool
change_dims(Spoil *s, Onnx__TensorProto *t)
{
    for (size_t i = 0; i < t->n_dims; i++) {
        const int64_t to[] = {0, 1, t->dims[i] + 1, -1};
        for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
            if (here(s)) {
                t->dims[i] = to[k];
                fit(s, t);
                return true;
            }
    }
    if (t->n_dims && here(s)) {
        t->n_dims--;
        fit(s, t);
        return true;
    }
    if (here(s)) {
        t->dims = wider(s, t->dims, t->n_dims, sizeof *t->dims);
        t->dims[t->n_dims++] = 1;
        return true;
    }
    return false;
}

static bool
change_tensor(Spoil *s, Onnx__TensorProto *t)
{
    for (size_t i = 0; i < sizeof elem_types / sizeof elem_types[0]; i++)
        if (t->data_type != elem_types[i] && here(s)) {
            t->data_type = elem_types[i];
            fit(s, t);
            return true;
        }
    for (int byte = 0; byte <= 0xff; byte += 0x55)
        if (here(s)) {
            fit(s, t);
            memset(t->raw_data.data, byte, t->raw_data.len);
            return true;
        }
    if (t->raw_data.len && here(s)) {
        t->raw_data.len--;
        return true;
    }
    return change_dims(s, t);
}

/* ---- types of inputs and outputs ---- */

static bool
change_shape(Spoil *s, Onnx__TensorShapeProto *t)
{
    static const int64_t to[] = {0, 1, 2, 5, -1};

    for (size_t i = 0; i < t->n_dim; i++) {
        Onnx__TensorShapeProto__Dimension *m = t->dim[i];
        for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
            if (here(s)) {
                m->value_case =
                    ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                m->dim_value = to[k];
                return true;
            }
        if (here(s)) {
            m->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            m->dim_param = sn_strdup(s->a, "n");
            return true;
        }
    }
    if (t->n_dim && here(s)) {
        t->n_dim--;
        return true;
    }
    if (t->n_dim && here(s)) {
        t->dim = wider(s, t->dim, t->n_dim, sizeof(*t->dim));
        t->dim[t->n_dim] = t->dim[0];
        t->n_dim++;
        return true;
    }
    return false;
}

static bool
change_value(Spoil *s, Onnx__ValueInfoProto *v)
{
    Onnx__TypeProto__Tensor *t = v->type ? v->type->tensor_type : NULL;

    if (!t || v->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return false;
    for (size_t i = 0; i < sizeof elem_types / sizeof elem_types[0]; i++)
        if (t->elem_type != elem_types[i] && here(s)) {
            t->elem_type = elem_types[i];
            return true;
        }
    if (t->shape && here(s)) {
        t->shape = NULL;
        return true;
    }
    if (here(s)) {
        v->type = NULL;
        return true;
    }
    return t->shape && change_shape(s, t->shape);
}

/* ---- nodes ---- */

static bool
change_ints(Spoil *s, Onnx__AttributeProto *t)
{
    for (size_t i = 0; i < t->n_ints && i < MOST_ELEMENTS; i++)
        if (change_int(s, &t->ints[i]))
            return true;
    if (t->n_ints && here(s)) {
        t->n_ints--;
        return true;
    }
    if (here(s)) {
        t->ints = wider(s, t->ints, t->n_ints, sizeof *t->ints);
        t->ints[t->n_ints++] = 1;
        return true;
    }
    return false;
}

static bool
change_floats(Spoil *s, Onnx__AttributeProto *t)
{
    for (size_t i = 0; i < t->n_floats && i < MOST_ELEMENTS; i++)
        if (change_real(s, &t->floats[i]))
            return true;
    if (t->n_floats && here(s)) {
        t->n_floats--;
        return true;
    }
    return false;
}

static bool
change_string(Spoil *s, Onnx__AttributeProto *t)
{
    static const char *const to[] = {"",        "nonesuch", "SAME_UPPER",
                                     "reflect", "linear",   "reverse"};

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        if (here(s)) {
            t->s.data = (uint8_t *)sn_strdup(s->a, to[i]);
            t->s.len = strlen(to[i]);
            return true;
        }
    return false;
}

static bool
change_attr(Spoil *s, Onnx__NodeProto *n, size_t i)
{
    static const int types[] = {FLOAT, INT, STRING, FLOATS, INTS};
    Onnx__AttributeProto *t = n->attribute[i];

    if (here(s)) {
        n->attribute[i] = n->attribute[--n->n_attribute];
        return true;
    }
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if ((int)t->type != types[k] && here(s)) {
            t->type = (Onnx__AttributeProto__AttributeType)types[k];
            return true;
        }
    switch ((int)t->type) {
    case FLOAT:
        return change_real(s, &t->f);
    case INT:
        return change_int(s, &t->i);
    case STRING:
        return change_string(s, t);
    case TENSOR:
        return t->t && change_tensor(s, t->t);
    case FLOATS:
        return change_floats(s, t);
    default:
        return change_ints(s, t);
    }
}

static bool
change_operands(Spoil *s, Onnx__NodeProto *n)
{
    for (size_t i = 0; i < n->n_input; i++) {
        char *const to[] = {sn_strdup(s->a, ""), s->x};
        for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
            if (here(s)) {
                n->input[i] = to[k];
                return true;
            }
    }
    if (n->n_input && here(s)) {
        n->n_input--;
        return true;
    }
    if (here(s)) {
        n->input = wider(s, n->input, n->n_input, sizeof *n->input);
        n->input[n->n_input++] = s->x;
        return true;
    }
    if (here(s)) {
        n->output = wider(s, n->output, n->n_output, sizeof *n->output);
        n->output[n->n_output++] = sn_strdup(s->a, "one_more");
        return true;
    }
    return false;
}

static bool
change_node(Spoil *s, Onnx__NodeProto *n)
{
    if (change_operands(s, n))
        return true;
    for (size_t i = 0; i < n->n_attribute; i++)
        if (change_attr(s, n, i))
            return true;
    if (here(s)) {
        n->domain = sn_strdup(s->a, "com.microsoft");
        return true;
    }
    if (here(s)) {
        n->op_type = sn_strdup(s->a, "Nonesuch");
        return true;
    }
    return false;
}

/* ---- models ---- */

static char *
dims_of(Spoil *s, const Onnx__TensorProto *t)
{
    char *p = sn_strdup(s->a, "");

    for (size_t i = 0; i < t->n_dims; i++)
        p = sn_format(s->a, "%s%s%lld", p, i ? "x" : "", (long long)t->dims[i]);
    return p;
}

/* Initializer i becomes an input, unless an input already has its name. */
static void
make_input(Spoil *s, Onnx__GraphProto *g, size_t i)
{
    const Onnx__TensorProto *t = g->initializer[i];
    bool there = false;

    for (size_t k = 0; k < g->n_input; k++)
        there = there || !strcmp(g->input[k]->name, t->name);
    if (!there) {
        g->input = wider(s, g->input, g->n_input, sizeof(*g->input));
        g->input[g->n_input++] =
            ob_value(s->a, t->name, t->data_type, dims_of(s, t));
    }
    g->initializer[i] = g->initializer[--g->n_initializer];
}

static bool
change_initializer(Spoil *s, Onnx__GraphProto *g, size_t i)
{
    if (here(s)) {
        g->initializer[i] = g->initializer[--g->n_initializer];
        return true;
    }
    if (here(s)) {
        make_input(s, g, i);
        return true;
    }
    return change_tensor(s, g->initializer[i]);
}

static bool
change_version(Spoil *s, Onnx__OperatorSetIdProto *o)
{
    static const int64_t to[] = {-1, 0, 1, 6, 9, 10, 11, 13, 18, 21, 1000};

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        if (here(s)) {
            o->version = to[i];
            return true;
        }
    return false;
}

/* Makes change s->want; false: there are fewer. */
static bool
change_model(Spoil *s)
{
    Onnx__GraphProto *g = s->m->graph;

    for (size_t i = 0; i < s->m->n_opset_import; i++)
        if (change_version(s, s->m->opset_import[i]))
            return true;
    for (size_t i = 0; i < g->n_input; i++)
        if (change_value(s, g->input[i]))
            return true;
    for (size_t i = 0; i < g->n_output; i++)
        if (change_value(s, g->output[i]))
            return true;
    for (size_t i = 0; i < g->n_initializer; i++)
        if (change_initializer(s, g, i))
            return true;
    for (size_t i = 0; i < g->n_node; i++)
        if (change_node(s, g->node[i]))
            return true;
    return false;
}

/* ---- what must hold ---- */

/* Each line begins with the file, or adds to the one before. */
static const char *
judge_message(SnStatus st, const char *text)
{
    bool named = strchr(text, '\'') || strstr(text, "operator set");

    if (st != SN_EINPUT && st != SN_EUNSUPPORTED && st != SN_ENOMEM)
        return "the status is none of 3, 4 and 6";
    for (const char *s = text; *s; s += strcspn(s, "\n") + 1)
        if (strncmp(s, "m.onnx: ", 8) != 0 && (s == text || *s != ' '))
            return "a line begins without the file";
    return named ? NULL : "the message names nothing";
}

/* As it is and as a model again: in each form, by the oldest and a late
 * operator set.  What is written is read. */
static const char *
judge_export(SnArena *a, const SnGraph *g)
{
    static const int opset[] = {SN_ONNX_OPSET_MIN, 21};

    for (int form = SN_ONNX_QDQ; form <= SN_ONNX_QOPERATOR; form++)
        for (size_t i = 0; i < sizeof opset / sizeof opset[0]; i++) {
            SnOnnxExport o = {.form = (SnOnnxForm)form,
                              .opset = opset[i],
                              .u8 = form == SN_ONNX_QDQ};
            SnDiag *d = sn_diag_new(a);
            SnGraph *h;
            void *p;
            size_t n;
            SnStatus st = sn_onnx_pack(a, g, &o, "m.onnx", d, &p, &n);
            if (st != SN_OK && judge_message(st, sn_diag_text(d, a)))
                return sn_format(a, "exported: %s", sn_diag_text(d, a));
            if (st == SN_OK &&
                sn_onnx_parse(a, "m.onnx", NULL, p, n, NULL, d, &h) != SN_OK)
                return sn_format(a, "is not read again: %s",
                                 sn_diag_text(d, a));
        }
    return NULL;
}

/* The error in an imported graph, or NULL. */
static const char *
judge_graph(SnArena *a, SnGraph *g)
{
    SnDiag *d = sn_diag_new(a);
    const char *text = sn_graph_str(a, g);
    SnSrc src = {.name = "m.sn", .text = text, .nbyte = strlen(text)};
    SnGraph *h;

    if (sn_verify(g, d) != SN_OK || sn_parse(a, &src, NULL, d, &h) != SN_OK)
        return sn_diag_text(d, a);
    if (strcmp(text, sn_graph_str(a, h)) != 0)
        return "prints another text the second time";
    return judge_export(a, g);
}

typedef struct Count {
    uint32_t imported, refused, bad;
} Count;

/* Imports p[0..n) and judges it; NULL: no error.  Exceeding the memory limit
 * returns here. */
static const char *
import(SnArena *a, const void *p, size_t n, SnDiag *d, SnStatus *st)
{
    SnGraph *g;
    SnGuard gu;

    if (setjmp(gu.env)) {
        *st = sn_fail_trip(d, sn_budget_trip());
        return judge_message(*st, sn_diag_text(d, a));
    }
    sn_guard_push(&gu);
    *st = sn_onnx_parse(a, "m.onnx", NULL, p, n, NULL, d, &g);
    const char *why = *st == SN_OK ? judge_graph(a, g)
                                   : judge_message(*st, sn_diag_text(d, a));
    sn_guard_pop(&gu);
    return why;
}

static void
judge(SnArena *a, const char *path, uint32_t want, Onnx__ModelProto *m,
      Count *c)
{
    static const SnLimits limits = {.memory = MEMORY};
    size_t n = onnx__model_proto__get_packed_size(m);
    uint8_t *p = sn_alloc(a, n + 1);
    SnBudget *budget = sn_budget_new(&limits), *was = sn_budget_use(budget);
    SnDiag *d = sn_diag_new(a);
    SnStatus st = SN_OK;

    onnx__model_proto__pack(m, p);
    const char *why = import(a, p, n, d, &st);
    sn_budget_use(was);
    sn_budget_free(budget);
    c->imported += st == SN_OK;
    c->refused += st != SN_OK;
    if (why) {
        printf("not ok spoil %s, change %u: status %d, %s: %s\n", path, want,
               (int)st, why, sn_diag_text(d, a));
        c->bad++;
    }
}

static void *
take(void *ctx, size_t n)
{
    return sn_alloc(ctx, n);
}

static void
leave(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

/* Every change of a file, or the one with number `only`.  False: it cannot be
 * read. */
static bool
spoil(const char *path, long only, Count *c)
{
    SnArena *outer = sn_arena_new();
    bool more = true, ok = true;
    char *bytes;
    size_t n;

    ok = sn_file_read(outer, sn_diag_new(outer), path, 0, &bytes, &n) == SN_OK;
    for (uint32_t k = only < 0 ? 0 : (uint32_t)only; ok && more; k++) {
        SnArena *a = sn_arena_new();
        ProtobufCAllocator in_arena = {take, leave, a};
        Spoil s = {.a = a, .want = k, .x = sn_strdup(a, "x")};
        s.m = onnx__model_proto__unpack(&in_arena, n, (uint8_t *)bytes);
        ok = s.m && s.m->graph;
        if (ok && s.m->graph->n_input)
            s.x = s.m->graph->input[0]->name;
        more = ok && change_model(&s);
        if (more)
            judge(a, path, k, s.m, c);
        more = more && only < 0;
        sn_arena_free(a);
    }
    sn_arena_free(outer);
    return ok;
}

int
main(int argc, char **argv)
{
    const char *at = getenv("SPOIL");
    Count c = {0};

    for (int i = 1; i < argc; i++)
        if (!spoil(argv[i], at ? atol(at) : -1, &c)) {
            printf("not ok spoil %s: cannot be read\n", argv[i]);
            return 1;
        }
    printf("%s spoil: %d models, %u changes imported, %u refused, %u wrong\n",
           c.bad ? "not ok" : "ok", argc - 1, c.imported, c.refused, c.bad);
    return c.bad > 0;
}
