// SPDX-License-Identifier: Apache-2.0
/* Shrinking.  A change is tried, and kept when the smaller graph still has a
 * fault, perhaps another one; then all changes are tried again. */
#include "random/graph_shrink.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/text/text.h"
#include "run/exec.h"
#include "run/npy.h"
#include "sn_kinds.h"

/* ---- asking for the fault ---- */

/* Seconds of processor time after which a check does not end. */
enum { CPU_SECONDS = 3, WHY_MAX = 4000 };

/* In the child; its last words go through the pipe. */
static void
answer(const SnFault *f, const SnGraph *g, int to)
{
    struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 1}; /* SIGXCPU */
    SnArena *a = sn_arena_new();

    setrlimit(RLIMIT_CPU, &cpu);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    if (!freopen("/dev/null", "w", stderr))
        _exit(2);
    const char *why = f->fn(f->ctx, a, g);
    size_t n = why ? strlen(why) : 0;
    if (n && write(to, why, n < WHY_MAX ? n : WHY_MAX) < 0)
        _exit(2);
    _exit(0);
}

static const char *
ask_apart(const SnFault *f, SnArena *a, const SnGraph *g)
{
    char *why = sn_alloc(a, WHY_MAX + 1);
    size_t n = 0;
    ssize_t got;
    int end[2], st = 0;

    fflush(NULL);
    if (pipe(end))
        return NULL;
    pid_t pid = fork();
    if (pid == 0)
        answer(f, g, end[1]);
    close(end[1]);
    while (pid > 0 && (got = read(end[0], why + n, WHY_MAX - n)) > 0)
        n += (size_t)got;
    close(end[0]);
    if (pid < 0 || waitpid(pid, &st, 0) != pid)
        return NULL;
    if (WIFSIGNALED(st))
        return sn_format(a, "the run was ended by signal %d (%s)", WTERMSIG(st),
                         strsignal(WTERMSIG(st)));
    if (WEXITSTATUS(st))
        return sn_format(a, "the run ended with exit code %d", WEXITSTATUS(st));
    return n ? why : NULL;
}

const char *
sn_graph_fault(const SnFault *f, SnArena *a, const SnGraph *g)
{
    return f->apart ? ask_apart(f, a, g) : f->fn(f->ctx, a, g);
}

/* ---- values that become inputs ---- */

typedef struct Known { /* of the best graph so far */
    SnArena *a;
    const void **value; /* [nnode << SN_RESBITS], NULL: not computed */
} Known;

static void
remember(void *ctx, SnRef ref, const SnTensor *t)
{
    Known *k = ctx;

    k->value[ref] =
        sn_memdup(k->a, t->data, sn_tensor_nbyte(t->type, t->shape));
}

static Known
evaluated(SnArena *a, const SnGraph *g, const SnGivens *in)
{
    Known k = {a, SN_NEW_N(a, const void *, (size_t)g->nnode << SN_RESBITS)};
    const SnExec *x;

    if (!in || sn_exec_prepare(a, g, NULL, sn_diag_new(a), &x) != SN_OK)
        return k;
    SnRun *r = sn_run_new(a, x);
    r->hook = remember;
    r->hook_ctx = &k;
    for (uint32_t i = 0; i < x->ninput; i++)
        if (sn_tensor_nbyte(x->input[i].type, x->input[i].shape))
            sn_givens_fill(in, x->input[i].name, x->input[i].type,
                           x->input[i].shape, sn_run_input(r, i));
    (void)sn_run(r);
    sn_run_free(r);
    return k;
}

/* ---- changes ---- */

typedef struct Change {
    SnGraph *g;
    const SnGraph *best; /* of which g is a copy: ids are the same */
    const SnFault *f;
    const Known *known;
    uint32_t left; /* changes to skip */
    bool made;
} Change;

/* Is it this change's turn? */
static bool
turn(Change *c)
{
    return c->left-- == 0;
}

static void
become_input(Change *c, SnRef v)
{
    SnResult *res = sn_res(c->g, v);
    const void *value = c->known->value[v];
    SnSpec s = {.kind = SN_K_PLACEHOLDER,
                .name = "in",
                .type = &res->type,
                .shape = res->shape};

    if (!res->nuse || !res->type)
        return;
    SnId p = sn_add(c->g, &s, NULL);
    if (c->f->in && value)
        sn_givens_put(c->f->in, sn_name(c->g, SN_REF(p, 0)), value,
                      sn_tensor_nbyte(res->type, res->shape));
    sn_replace_uses(c->g, v, SN_REF(p, 0));
    c->made = true;
}

static bool
become_default(Change *c, SnNode *n)
{
    const SnKindDesc *d = sn_desc(n->kind);

    for (uint16_t k = 0; k < d->nattr; k++) {
        const SnAttrDesc *at = &d->attr[k];
        void *v = sn_attr_at(n->attr, at), *w = sn_attr_at(d->defaults, at);
        SnAttrKind kind = at->kind;
        if ((kind != SN_A_RANGE && !at->has_default) || kind == SN_A_INTS ||
            kind == SN_A_REALS || kind == SN_A_STR || kind == SN_A_TYPE ||
            sn_attr_equal(at, n->attr, d->defaults) || !turn(c))
            continue;
        memcpy(v, w,
               kind == SN_A_RANGE  ? sizeof(SnRange)
               : kind == SN_A_BOOL ? sizeof(bool)
               : kind == SN_A_INT  ? sizeof(int64_t)
                                   : sizeof(int32_t));
        c->made = true;
        return true;
    }
    return false;
}

static bool
change_node(Change *c, SnId id)
{
    SnNode *x = sn_node(c->g, id);

    for (unsigned k = 0; k < x->nres; k++)
        if (turn(c)) {
            become_input(c, SN_REF(id, k));
            return true;
        }
    for (uint32_t s = 0; s < x->nin; s++) {
        SnRef v = x->in[s].ref;
        if (!v || !x->nres || sn_type(c->g, v) != x->res[0].type ||
            sn_shape_of(c->g, v) != x->res[0].shape || !turn(c))
            continue;
        c->made = x->res[0].nuse != 0;
        sn_replace_uses(c->g, SN_REF(id, 0), v);
        return true;
    }
    return become_default(c, x);
}

/* The output goes, or is what its value was computed of. */
static bool
change_output(Change *c, SnId id, bool others)
{
    SnRef v = sn_in(c->g, id, 0);
    const SnNode *n = sn_def(c->g, v);

    if (turn(c)) {
        if (others)
            sn_remove(c->g, id);
        c->made = others;
        return true;
    }
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef w = n->in[s].ref;
        if (!w || !sn_type(c->g, w) || sn_def(c->g, w)->data || !turn(c))
            continue;
        sn_set_in(c->g, id, 0, w);
        c->made = true;
        return true;
    }
    return false;
}

/* Does the next change: an output goes or moves up, a value becomes an input, a
 * node gives way to an operand, an attribute becomes its default.  False: none
 * is left. */
static bool
change(Change *c)
{
    uint32_t live = 0;

    for (SnId id = 1; id < c->g->nnode; id++)
        live +=
            sn_node(c->g, id)->kind == SN_K_SAVE && !sn_node(c->g, id)->dead;
    for (SnId id = 1; id < c->g->nnode; id++) {
        SnNode *x = sn_node(c->g, id);
        if (x->dead)
            continue;
        if (x->kind == SN_K_SAVE) {
            if (change_output(c, id, live > 1))
                return true;
            continue;
        }
        if (!x->data && !sn_desc(x->kind)->effect && change_node(c, id))
            return true;
    }
    return false;
}

static void
drop_inputs(SnGraph *g)
{
    sn_dce(g);
    for (SnId id = 1; id < g->nnode; id++) {
        SnNode *x = sn_node(g, id);
        if (!x->dead && x->kind == SN_K_PLACEHOLDER && !x->res[0].nuse)
            sn_remove(g, id);
    }
}

SnGraph *
sn_graph_shrink(SnArena *a, const SnGraph *g, const SnFault *f,
                const char **why)
{
    /* A copy of a copy has its ids. */
    SnGraph *best = sn_graph_clone(sn_graph_clone(g, a), a);
    Known known = evaluated(a, best, f->in);

    for (uint32_t i = 0;; i++) {
        Change c = {sn_graph_clone(best, a), best, f, &known, i, false};
        if (!change(&c))
            return best;
        if (!c.made)
            continue;
        drop_inputs(c.g);
        if (sn_verify(c.g, sn_diag_new(a)) != SN_OK)
            continue;
        const char *s = sn_graph_fault(f, a, c.g);
        if (!s)
            continue;
        *why = s;
        best = sn_graph_clone(sn_graph_clone(c.g, a), a);
        known = evaluated(a, best, f->in);
        i = UINT32_MAX; /* from 0 again */
    }
}

/* ---- files ---- */

static SnDtype
dtype_of(const SnType *t)
{
    if (t->nq > 1)
        return SN_D_NONE;
    switch (t->elem) {
    case SN_QI8:
    case SN_I8:
        return SN_D_I8;
    case SN_QI16: /* as reals: integers are codes of 8 bits only */
    case SN_QI32:
    case SN_F32:
        return SN_D_F32;
    case SN_I32:
        return SN_D_I32;
    case SN_I64:
        return SN_D_I64;
    case SN_BOOL:
        return SN_D_BOOL;
    default:
        return SN_D_NONE;
    }
}

/* The input, of which a file cannot hold the values, as a Constant. */
static void
become_constant(SnGraph *g, SnId id, const void *data)
{
    SnResult *r = &sn_node(g, id)->res[0];
    SnSpec s = {.kind = SN_K_CONSTANT,
                .name = r->name,
                .type = &r->type,
                .shape = r->shape,
                .data = data};
    SnId c = sn_add(g, &s, NULL);

    sn_replace_uses(g, SN_REF(id, 0), SN_REF(c, 0));
    sn_remove(g, id);
}

SnStatus
sn_graph_keep(SnArena *a, const SnGraph *from, const SnGivens *in,
              const char *prefix, SnDiag *d, const char **args)
{
    SnGraph *g = sn_graph_clone(from, a);
    uint32_t end = g->nnode;
    SnBuf b;

    sn_buf_init(&b, a);
    for (SnId id = 1; id < end; id++) {
        SnNode *n = sn_node(g, id);
        if (n->dead || n->kind != SN_K_PLACEHOLDER)
            continue;
        const SnResult *r = &n->res[0];
        void *data = sn_alloc(a, sn_tensor_nbyte(r->type, r->shape) + 1);
        sn_givens_fill(in, r->name, r->type, r->shape, data);
        SnData t = {
            .dtype = dtype_of(r->type), .rank = r->shape->rank, .data = data};
        if (t.dtype == SN_D_NONE) {
            become_constant(g, id, data);
            continue;
        }
        for (int i = 0; i < t.rank; i++)
            t.dim[i] = r->shape->dim[i];
        if (t.dtype == SN_D_F32 && r->type->elem != SN_F32) {
            float *v = SN_NEW_N(a, float, sn_shape_count(r->shape) + 1);
            sn_to_real(r->type, r->shape, data, v);
            t.data = v;
        }
        const char *path = sn_format(a, "%s_%s.npy", prefix, r->name);
        SN_TRY(sn_npy_write(a, d, path, &t));
        sn_putf(&b, " --input %s=%s", r->name, path);
    }
    *args = sn_buf_str(&b);
    return sn_text_save(g, sn_format(a, "%s.sn", prefix), d);
}
