// SPDX-License-Identifier: Apache-2.0
/* LSTM, GRU and RNN, unrolled: one set of nodes for each step.  Every gate has
 * products and a sum of its own, so that each is a value with its own range:
 * a Slice of one wide product would hold its gates to one scale. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>
#include "base/budget.h"

enum { MAX_STEPS = 4096 };

typedef struct Rnn {
    int64_t steps, batch, in, hidden; /* X is [steps, batch, in] */
    int gates;                        /* 4, 3 or 1 */
    int ndir;
    bool backward_first, batch_first;
    int64_t before_reset, coupled;
    float clip;         /* bounds what gates' activations read; 0: none */
    const int64_t *len; /* [batch], 1 to steps; NULL: all are steps */
    const char *act[6]; /* of each direction */
    int nact;
    SnRef x;  /* [steps * batch, in] */
    SnRef *y; /* [steps * ndir] each [batch, hidden] */
    SnRef last_h[2], last_c[2];
} Rnn;

typedef struct Dir { /* one direction under way */
    const Rnn *r;
    int d;
    const char *name;
    SnRef from_x[4];   /* of each gate: [steps * batch, hidden], biased */
    SnRef gate_w[4];   /* [hidden, hidden] */
    SnRef hidden_bias; /* of GRU's third gate, or 0 */
    SnRef peep[3];     /* of LSTM: i, o, f, or 0 */
    SnRef h, c, one;
} Dir;

static const char *
part(SnImport *x, const Dir *d, const char *what, int64_t t)
{
    return sn_format(x->a, "%s.%s%" PRId64, d->name, what, t);
}

/* ---- what the node says ---- */

static SnStatus
activations(SnImport *x, Rnn *r)
{
    static const char *const usual[] = {"Sigmoid", "Tanh", "Tanh"};
    int per = r->gates == 4 ? 3 : r->gates == 3 ? 2 : 1;

    r->nact = per;
    for (int i = 0; i < per * r->ndir; i++)
        r->act[i] = r->gates == 1 ? "Tanh" : usual[i % per];
    for (size_t i = 0; i < x->n->n_attribute; i++) {
        const Onnx__AttributeProto *a = x->n->attribute[i];
        if (strcmp(a->name, "activations") != 0)
            continue;
        sn_import_ignore(x, "activations");
        if (a->n_strings != (size_t)(per * r->ndir))
            return sn_import_fail(x, SN_EINPUT,
                                  "attribute 'activations' has %zu names, %d "
                                  "expected",
                                  a->n_strings, per * r->ndir);
        for (int k = 0; k < per * r->ndir; k++) {
            const char *s = sn_strndup(x->a, (const char *)a->strings[k].data,
                                       a->strings[k].len);
            if (strcmp(s, "Sigmoid") != 0 && strcmp(s, "Tanh") != 0 &&
                strcmp(s, "Relu") != 0)
                return sn_import_fail(
                    x, SN_EUNSUPPORTED,
                    "activation %s is not supported; Sigmoid, "
                    "Tanh and Relu are",
                    s);
            r->act[k] = s;
        }
    }
    return SN_OK;
}

static SnStatus
lengths(SnImport *x, Rnn *r)
{
    SnInts n;

    SN_TRY(sn_import_ints_in(x, 4, "the sequence lengths", &n));
    if (n.v == NULL)
        return SN_OK;
    if (n.n != r->batch)
        return sn_import_fail(x, SN_EINPUT,
                              "%" PRIu32 " sequence lengths for a batch of "
                              "%" PRId64,
                              n.n, r->batch);
    for (uint32_t i = 0; i < n.n; i++) {
        if (n.v[i] < 1 || n.v[i] > r->steps)
            return sn_import_fail(x, SN_EINPUT,
                                  "a sequence of length %" PRId64
                                  ", expected 1 "
                                  "to %" PRId64,
                                  n.v[i], r->steps);
        if (n.v[i] != r->steps)
            r->len = n.v;
    }
    return SN_OK;
}

static SnStatus
read_rnn(SnImport *x, Rnn *r)
{
    const char *dir;
    int64_t layout, hidden;
    SnImportVal *v, *w;
    SnRef in;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_need(x, 1, &w));
    SN_TRY(sn_import_str(x, "direction", "forward", &dir));
    SN_TRY(sn_import_int(x, "layout", 0, &layout));
    SN_TRY(sn_import_int(x, "hidden_size", 0, &hidden));
    SN_TRY(sn_import_int(x, "linear_before_reset", 0, &r->before_reset));
    SN_TRY(sn_import_int(x, "input_forget", 0, &r->coupled));
    SN_TRY(sn_import_real(x, "clip", 0, &r->clip));
    if (!(r->clip > 0 || (r->clip == 0 && !sn_import_has_attr(x, "clip"))))
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'clip' is %g, expected more than 0",
                              (double)r->clip);
    if (strcmp(dir, "forward") != 0 && strcmp(dir, "reverse") != 0 &&
        strcmp(dir, "bidirectional") != 0)
        return sn_import_fail(
            x, SN_EINPUT,
            "attribute 'direction' = \"%s\", expected forward, "
            "reverse or bidirectional",
            dir);
    if (v->rank != 3 || w->rank != 3)
        return sn_import_fail(x, SN_EINPUT, "X and W must have 3 dimensions");
    r->batch_first = layout != 0;
    r->steps = v->dim[r->batch_first];
    r->batch = v->dim[!r->batch_first];
    r->in = v->dim[2];
    r->hidden = w->dim[1] / r->gates;
    r->ndir = strcmp(dir, "bidirectional") == 0 ? 2 : 1;
    r->backward_first = strcmp(dir, "reverse") == 0;
    if (w->dim[0] != r->ndir || w->dim[2] != r->in || r->hidden < 1 ||
        w->dim[1] % r->gates != 0 || (hidden != 0 && hidden != r->hidden))
        return sn_import_fail(x, SN_EINPUT,
                              "W, hidden_size and direction do not fit");
    if (r->steps < 1 || r->steps * r->ndir > MAX_STEPS)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "%" PRId64 " steps; 1 to %d are supported",
                              r->steps, MAX_STEPS);
    SN_TRY(lengths(x, r));
    SN_TRY(activations(x, r));
    SN_TRY(sn_import_plain(x, v, &in));
    if (r->batch_first) {
        static const int perm[] = {1, 0, 2};
        SN_TRY(
            sn_import_permute(x, sn_import_part(x, "steps"), in, 3, perm, &in));
    }
    int64_t flat[2] = {r->steps * r->batch, r->in};
    return sn_import_reshaped(x, sn_import_part(x, "x"), in, 2, flat, &r->x);
}

/* Slice d of input i, in this shape; 0 when it is not given. */
static SnStatus
slice_of(SnImport *x, uint32_t i, int d, int axis, int rank, const int64_t *dim,
         SnRef *out)
{
    SnImportVal *v = sn_import_in(x, i);

    *out = 0;
    if (v == NULL)
        return SN_OK;
    SN_TRY(sn_import_need(x, i, &v));
    if (v->rank <= axis || v->dim[axis] <= d)
        return sn_import_fail(x, SN_EINPUT, "'%s' does not fit", v->name);
    SN_TRY(sn_import_plain(x, v, out));
    SN_TRY(sn_import_box(x, sn_format(x->a, "%s.dir%d", v->name, d), *out, axis,
                         d, 1, out));
    return sn_import_reshaped(x, sn_format(x->a, "%s.of%d", v->name, d), *out,
                              rank, dim, out);
}

/* x . w^T + b */
static SnStatus
connect(SnImport *x, const char *name, SnRef a, SnRef w, SnRef b, SnRef *out)
{
    SnRef in[3] = {a, w, b};

    return sn_import_node(x, "FullyConnected", name, 3, in, NULL, NULL, out);
}

static SnStatus
zeros(SnImport *x, const Rnn *r, const char *name, SnRef *out)
{
    int64_t dim[2] = {r->batch, r->hidden};
    float *v;

    SN_TRY(sn_import_reals_room(x, 2, dim, &v));
    return sn_import_reals_const(x, name, 2, dim, v, out);
}

/* Gate i's rows of W, R and the bias; its product with all of X. */
static SnStatus
open_gate(SnImport *x, Dir *s, int i, SnRef w, SnRef rec, SnRef bias)
{
    int64_t n = s->r->hidden;
    SnRef wi, bi = 0;

    SN_TRY(sn_import_box(x, part(x, s, "w", i), w, 0, i * n, n, &wi));
    SN_TRY(
        sn_import_box(x, part(x, s, "r", i), rec, 0, i * n, n, &s->gate_w[i]));
    if (bias != 0)
        SN_TRY(sn_import_box(x, part(x, s, "b_of", i), bias, 0, i * n, n, &bi));
    return connect(x, part(x, s, "from_x", i), s->r->x, wi, bi, &s->from_x[i]);
}

/* Weights, biases and first state of a direction. */
static SnStatus
open_dir(SnImport *x, const Rnn *r, Dir *s)
{
    int64_t rows = r->gates * r->hidden, wx[2] = {rows, r->in};
    int64_t wh[2] = {rows, r->hidden}, both[1] = {2 * rows};
    int64_t state[2] = {r->batch, r->hidden}, p[1] = {3 * r->hidden};
    int axis = r->batch_first ? 1 : 0;
    SnRef w, rec, b, bx = 0, bh = 0;

    SN_TRY(slice_of(x, 1, s->d, 0, 2, wx, &w));
    SN_TRY(slice_of(x, 2, s->d, 0, 2, wh, &rec));
    if (rec == 0)
        return sn_import_fail(x, SN_EINPUT, "R is missing");
    SN_TRY(slice_of(x, 3, s->d, 0, 1, both, &b));
    if (b != 0) {
        SN_TRY(sn_import_box(x, part(x, s, "bx", 0), b, 0, 0, rows, &bx));
        SN_TRY(sn_import_box(x, part(x, s, "bh", 0), b, 0, rows, rows, &bh));
        if (r->gates != 3 || r->before_reset == 0)
            SN_TRY(sn_import_binary(x, "Add", part(x, s, "b", 0), bx, bh, &bx));
    }
    if (r->gates == 3 && r->before_reset != 0)
        s->hidden_bias = bh;
    for (int i = 0; i < r->gates; i++)
        SN_TRY(open_gate(x, s, i, w, rec, bx));
    SN_TRY(slice_of(x, 5, s->d, axis, 2, state, &s->h));
    if (s->h == 0)
        SN_TRY(zeros(x, r, part(x, s, "h", 0), &s->h));
    if (r->gates != 4)
        return sn_import_scalar(x, part(x, s, "one", 0), 1, &s->one);
    SN_TRY(slice_of(x, 6, s->d, axis, 2, state, &s->c));
    if (s->c == 0)
        SN_TRY(zeros(x, r, part(x, s, "c", 0), &s->c));
    SN_TRY(slice_of(x, 7, s->d, 0, 1, p, &b));
    for (int i = 0; b != 0 && i < 3; i++)
        SN_TRY(sn_import_box(x, part(x, s, "p", i), b, 0, i * r->hidden,
                             r->hidden, &s->peep[i]));
    return sn_import_scalar(x, part(x, s, "one", 0), 1, &s->one);
}

/* ---- one step ---- */

/* What gate i takes from x in step t. */
static SnStatus
gate(SnImport *x, const Dir *s, int i, int64_t t, SnRef *out)
{
    return sn_import_box(x, part(x, s, sn_format(x->a, "g%d_", i), t),
                         s->from_x[i], 0, t * s->r->batch, s->r->batch, out);
}

/* Gate i before its activation: x part + h . R_i^T (+ the hidden bias). */
static SnStatus
gate_sum(SnImport *x, const Dir *s, int i, SnRef h, int64_t t, SnRef *out)
{
    SnRef g, r, b = 0;

    SN_TRY(gate(x, s, i, t, &g));
    if (s->hidden_bias != 0)
        SN_TRY(sn_import_box(x, part(x, s, sn_format(x->a, "hb%d_", i), t),
                             s->hidden_bias, 0, i * s->r->hidden, s->r->hidden,
                             &b));
    SN_TRY(connect(x, part(x, s, sn_format(x->a, "h%d_", i), t), h,
                   s->gate_w[i], b, &r));
    return sn_import_binary(x, "Add", part(x, s, sn_format(x->a, "s%d_", i), t),
                            g, r, out);
}

/* The activation of what is bounded by clip.  Clip is for gates: ONNX Runtime
 * leaves the cell of an LSTM as it is where the hidden state reads it. */
static SnStatus
activate(SnImport *x, const Rnn *r, const char *act, const char *name, SnRef v,
         SnRef *out)
{
    SnKind k;
    void *attr;

    if (r->clip > 0) {
        SN_TRY(sn_import_kind(x, "Clip", &k));
        attr = sn_import_attr(x, k);
        sn_import_set_real(k, attr, "low", -r->clip);
        sn_import_set_real(k, attr, "high", r->clip);
        SN_TRY(sn_import_node(x, "Clip", NULL, 1, &v, attr, NULL, &v));
    }
    return sn_import_unary(x, act, name, v, out);
}

/* *v + c * peephole i, then the activation. */
static SnStatus
opened(SnImport *x, const Dir *s, const char *act, int peep, SnRef c, int64_t t,
       SnRef *v)
{
    const char *what = sn_format(x->a, "a%d_", peep);
    SnRef m;

    if (peep >= 0 && s->peep[peep] != 0) {
        SN_TRY(sn_import_binary(x, "Mul",
                                part(x, s, sn_format(x->a, "m%d_", peep), t), c,
                                s->peep[peep], &m));
        SN_TRY(sn_import_binary(x, "Add", part(x, s, what, t), *v, m, v));
    }
    return activate(x, s->r, act, NULL, *v, v);
}

/* Gates in the order i, o, f, c. */
static SnStatus
lstm_step(SnImport *x, Dir *s, int64_t t)
{
    const char *const *act = &s->r->act[s->d * s->r->nact];
    SnRef i, o, f = 0, c, a, b;

    SN_TRY(gate_sum(x, s, 0, s->h, t, &i));
    SN_TRY(gate_sum(x, s, 1, s->h, t, &o));
    if (s->r->coupled == 0)
        SN_TRY(gate_sum(x, s, 2, s->h, t, &f));
    SN_TRY(gate_sum(x, s, 3, s->h, t, &c));
    SN_TRY(opened(x, s, act[0], 0, s->c, t, &i));
    if (s->r->coupled != 0)
        SN_TRY(sn_import_binary(x, "Sub", part(x, s, "f", t), s->one, i, &f));
    else
        SN_TRY(opened(x, s, act[0], 2, s->c, t, &f));
    SN_TRY(activate(x, s->r, act[1], part(x, s, "new", t), c, &c));
    SN_TRY(sn_import_binary(x, "Mul", part(x, s, "kept", t), f, s->c, &a));
    SN_TRY(sn_import_binary(x, "Mul", part(x, s, "added", t), i, c, &b));
    SN_TRY(sn_import_binary(x, "Add", part(x, s, "cell", t), a, b, &s->c));
    SN_TRY(opened(x, s, act[0], 1, s->c, t, &o));
    SN_TRY(sn_import_unary(x, act[2], part(x, s, "shown", t), s->c, &a));
    return sn_import_binary(x, "Mul", part(x, s, "hidden", t), o, a, &s->h);
}

/* Gates in the order z (update), r (reset), h. */
static SnStatus
gru_step(SnImport *x, Dir *s, int64_t t)
{
    const char *const *act = &s->r->act[s->d * s->r->nact];
    SnRef z, r, n, g, b = 0;

    SN_TRY(gate_sum(x, s, 0, s->h, t, &z));
    SN_TRY(gate_sum(x, s, 1, s->h, t, &r));
    SN_TRY(activate(x, s->r, act[0], part(x, s, "z", t), z, &z));
    SN_TRY(activate(x, s->r, act[0], part(x, s, "r", t), r, &r));
    if (s->r->before_reset != 0) {
        if (s->hidden_bias != 0)
            SN_TRY(sn_import_box(x, part(x, s, "hb", t), s->hidden_bias, 0,
                                 2 * s->r->hidden, s->r->hidden, &b));
        SN_TRY(connect(x, part(x, s, "h2_", t), s->h, s->gate_w[2], b, &n));
        SN_TRY(sn_import_binary(x, "Mul", part(x, s, "reset", t), r, n, &n));
        SN_TRY(gate(x, s, 2, t, &g));
        SN_TRY(sn_import_binary(x, "Add", part(x, s, "s2_", t), g, n, &n));
    } else {
        SN_TRY(sn_import_binary(x, "Mul", part(x, s, "reset", t), r, s->h, &n));
        SN_TRY(gate_sum(x, s, 2, n, t, &n));
    }
    SN_TRY(activate(x, s->r, act[1], part(x, s, "new", t), n, &n));
    SN_TRY(sn_import_binary(x, "Mul", part(x, s, "kept", t), z, s->h, &g));
    SN_TRY(sn_import_binary(x, "Sub", part(x, s, "rest", t), s->one, z, &z));
    SN_TRY(sn_import_binary(x, "Mul", part(x, s, "added", t), z, n, &n));
    return sn_import_binary(x, "Add", part(x, s, "hidden", t), n, g, &s->h);
}

static SnStatus
plain_step(SnImport *x, Dir *s, int64_t t)
{
    SnRef g;

    SN_TRY(gate_sum(x, s, 0, s->h, t, &g));
    return activate(x, s->r, s->r->act[s->d], part(x, s, "hidden", t), g,
                    &s->h);
}

/* now where the sequence has a step t, else before. */
static SnStatus
held(SnImport *x, const Dir *s, const char *what, int64_t t, SnRef going,
     SnRef now, SnRef before, SnRef *out)
{
    SnRef in[3] = {going, now, before};

    return sn_import_node(x, "Where", part(x, s, what, t), 3, in, NULL, NULL,
                          out);
}

/* Sequences that have ended, or not begun backwards, keep their state (h, c
 * before the step) and give zeros. */
static SnStatus
hold(SnImport *x, Dir *s, int64_t t, SnRef h, SnRef c, SnRef *y)
{
    const Rnn *r = s->r;
    int64_t dim[2] = {r->batch, 1};
    bool all = true;
    SnRef going, none;
    SnData *d;

    *y = s->h;
    for (int64_t i = 0; r->len != NULL && i < r->batch; i++)
        all = all && t < r->len[i];
    if (all)
        return SN_OK;
    SN_TRY(sn_import_new_data(x, SN_D_BOOL, 2, dim, &d));
    for (int64_t i = 0; i < r->batch; i++)
        ((uint8_t *)(uintptr_t)d->data)[i] = t < r->len[i];
    SN_TRY(sn_import_constant(x, part(x, s, "going", t),
                              sn_type_plain(x->g->pool, SN_BOOL),
                              sn_shape(x->g->pool, 2, dim), d->data, &going));
    SN_TRY(zeros(x, r, part(x, s, "none", t), &none));
    SN_TRY(held(x, s, "shown_or_none", t, going, s->h, none, y));
    SN_TRY(held(x, s, "hidden_or_held", t, going, s->h, h, &s->h));
    if (r->gates != 4)
        return SN_OK;
    return held(x, s, "cell_or_held", t, going, s->c, c, &s->c);
}

static SnStatus
run_dir(SnImport *x, Rnn *r, int d)
{
    bool back = d == 1 || r->backward_first;
    Dir s = {
        .r = r, .d = d, .name = sn_import_part(x, sn_format(x->a, "d%d", d))};

    SN_TRY(open_dir(x, r, &s));
    for (int64_t k = 0; k < r->steps; k++) {
        int64_t t = back ? r->steps - 1 - k : k;
        SnRef h = s.h, c = s.c;
        uint32_t before = x->g->nnode;
        if (r->gates == 4)
            SN_TRY(lstm_step(x, &s, t));
        else if (r->gates == 3)
            SN_TRY(gru_step(x, &s, t));
        else
            SN_TRY(plain_step(x, &s, t));
        SN_TRY(hold(x, &s, t, h, c, &r->y[t * r->ndir + d]));
        sn_charge(SN_CHARGE_UNROLL, x->g->nnode - before);
    }
    r->last_h[d] = s.h;
    r->last_c[d] = s.c;
    return SN_OK;
}

/* ---- results ---- */

/* n parts [batch, hidden] as one tensor, put as result k. */
static SnStatus
put_stacked(SnImport *x, const Rnn *r, uint32_t k, const SnRef *v, int64_t n,
            int rank, const int64_t *dim, const int *perm)
{
    const char *name = sn_import_name(x, k);
    SnRef *in, y;
    SnKind concat;
    void *attr;

    if (sn_import_out(x, k) == NULL)
        return SN_OK;
    in = sn_memdup(x->a, v, (size_t)n * sizeof *v);
    SN_TRY(sn_import_kind(x, "Concat", &concat));
    attr = sn_import_attr(x, concat);
    sn_import_set_int(concat, attr, "axis", 0);
    SN_TRY(sn_import_node(x, "Concat", sn_format(x->a, "%s.all", name),
                          (uint32_t)n, in, attr, NULL, &y));
    if (!r->batch_first) {
        SN_TRY(sn_import_reshaped(x, name, y, rank, dim, &y));
        return sn_import_put(x, k, y);
    }
    SN_TRY(sn_import_reshaped(x, sn_format(x->a, "%s.steps", name), y, rank,
                              dim, &y));
    SN_TRY(sn_import_permute(x, name, y, rank, perm, &y));
    return sn_import_put(x, k, y);
}

SnStatus
sn_onnx_rnn(SnImport *x, const SnImportCall *c)
{
    static const int four[] = {2, 0, 1, 3}, three[] = {1, 0, 2};
    Rnn r = {.gates = sn_import_is(x, "LSTM")  ? 4
                      : sn_import_is(x, "GRU") ? 3
                                               : 1};

    (void)c;
    SN_TRY(read_rnn(x, &r));
    int64_t all[4] = {r.steps, r.ndir, r.batch, r.hidden};
    r.y = SN_NEW_N(x->a, SnRef, r.steps * r.ndir);
    for (int d = 0; d < r.ndir; d++)
        SN_TRY(run_dir(x, &r, d));
    SN_TRY(put_stacked(x, &r, 0, r.y, r.steps * r.ndir, 4, all, four));
    SN_TRY(put_stacked(x, &r, 1, r.last_h, r.ndir, 3, all + 1, three));
    if (r.gates != 4)
        return SN_OK;
    return put_stacked(x, &r, 2, r.last_c, r.ndir, 3, all + 1, three);
}
