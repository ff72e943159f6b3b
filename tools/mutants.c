/* mutants [-v] KNOWN DEFS...: damages every written rule of the declarations
 * in each of the ways below, one at a time, and counts what the checkers
 * (resolve, order, prove) refuse.
 *
 *   guard N   conjunct N of the condition is dropped
 *   once N    the N-th :1 is dropped
 *   type N    the N-th type on the right side is that of another value
 *   regrid N  regrid(b) becomes b
 *   claim     the claim is strengthened
 *   clamp N   a clamp given on the right side is dropped
 *
 * What survives must stand in KNOWN, a line "pass.rule MUTATION: why it is
 * equivalent" each; anything else, and a line there that is not needed, fails.
 * The last line is "N made, N refused, N equivalent, N survived". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/file.h"
#include "dsl/order.h"
#include "dsl/prove.h"

typedef struct Mutation {
    uint32_t left;      /* mutations to pass over before the one to make */
    bool done;
    const char *what;   /* "guard 2" */
    const char *detail; /* what was there */
    SnArena *a;
} Mutation;

/* Is it this one's turn? */
static bool
turn(Mutation *m, const char *way, uint32_t n, const char *detail)
{
    if (m->done || m->left-- > 0)
        return false;
    m->done = true;
    m->what = n ? sn_format(m->a, "%s %u", way, n) : way;
    m->detail = detail;
    return true;
}

/* ---- guards ---- */

/* e without its k-th conjunct; NULL when nothing is left. */
static SnExpr *
without(SnExpr *e, uint32_t *k)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        SnExpr *x = without(e->kid[0], k);
        SnExpr *y = without(e->kid[1], k);
        if (!x || !y)
            return x ? x : y;
        e->kid[0] = x;
        e->kid[1] = y;
        return e;
    }
    return (*k)-- == 0 ? NULL : e;
}

static uint32_t
nconjunct(const SnExpr *e)
{
    if (!e)
        return 0;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return nconjunct(e->kid[0]) + nconjunct(e->kid[1]);
    return 1;
}

static void
guards(Mutation *m, SnDefRule *r)
{
    uint32_t n = nconjunct(r->when);

    for (uint32_t i = 0; i < n; i++)
        if (turn(m, "guard", i + 1, "a condition")) {
            uint32_t k = i;
            r->when = without(r->when, &k);
            return;
        }
}

/* ---- patterns ---- */

static void
uses(Mutation *m, SnPat *p, uint32_t *n)
{
    if (p->nuse && turn(m, "once", ++*n, p->name))
        p->nuse = 0;
    for (uint32_t i = 0; i < p->narg; i++)
        uses(m, p->arg[i], n);
}

/* A value of the left side whose name is not `but`. */
static const char *
another(const SnPat *p, const char *but)
{
    const char *s = p->capture ? p->capture
                    : p->pk == SN_P_VAR ? p->name
                                        : NULL;

    if (s && strcmp(s, but))
        return s;
    for (uint32_t i = 0; i < p->narg; i++)
        if ((s = another(p->arg[i], but)))
            return s;
    return NULL;
}

/* ---- right sides ---- */

typedef struct Right {
    Mutation *m;
    const SnDefRule *r;
    uint32_t ntype, nclamp, nregrid;
} Right;

static bool
is_type(const SnExpr *e)
{
    return e && e->ek == SN_E_MEMBER && !strcmp(e->s, "type") &&
           e->kid[0]->ek == SN_E_NAME;
}

static void
right(Right *w, SnTerm *t)
{
    if (is_type(t->type)) {
        const char *v = another(w->r->pat, t->type->kid[0]->s);
        if (v && turn(w->m, "type", ++w->ntype,
                      sn_format(w->m->a, "%s.type becomes %s.type",
                                t->type->kid[0]->s, v)))
            t->type->kid[0]->s = v;
    }
    for (uint32_t i = 0; i < t->nasg; i++)
        if (!strcmp(t->asg[i].name, "clamp") &&
            turn(w->m, "clamp", ++w->nclamp, "a clamp")) {
            memmove(&t->asg[i], &t->asg[i + 1],
                    (t->nasg - i - 1) * sizeof *t->asg);
            t->nasg--;
            return;
        }
    if (t->tk == SN_T_FUNC && !strcmp(t->name, "regrid") &&
        t->arg[0]->tk == SN_T_VAR &&
        turn(w->m, "regrid", ++w->nregrid, "regrid")) {
        *t = *t->arg[0];
        return;
    }
    for (uint32_t i = 0; i < t->narg; i++)
        right(w, t->arg[i]);
}

static void
claim(Mutation *m, SnDefRule *r)
{
    SnDefClaim *c = &r->claim;

    if (c->kind == SN_CL_EXACT || c->kind == SN_CL_NONE)
        return;
    if (turn(m, "claim", 0, "the claim"))
        c->kind = SN_CL_EXACT;
}

static void
mutate(Mutation *m, SnDefRule *r)
{
    Right w = {.m = m, .r = r};
    uint32_t n = 0;

    guards(m, r);
    if (r->pat)
        uses(m, r->pat, &n);
    for (uint32_t i = 0; i < r->nlet; i++)
        right(&w, r->let[i]);
    if (r->rhs && r->pat)
        right(&w, r->rhs);
    claim(m, r);
}

/* ---- one run ---- */

typedef struct Run {
    bool made;        /* there was such a mutation */
    unsigned nerror;
    const char *name, *what, *detail, *code;
} Run;

static SnDefs *
parse(SnArena *a, SnDiag *d, int n, char **file)
{
    static const char *const dirs[] = {"."};
    SnDefs *s = sn_defs_new(a);

    for (int i = 0; i < n; i++)
        sn_def_parse(s, d, file[i], dirs, 1);
    return s;
}

/* rule: its number; number: of the mutation; rule UINT32_MAX: as written. */
static Run
run(SnArena *a, int n, char **file, uint32_t rule, uint32_t number)
{
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = parse(a, d, n, file);
    Mutation m = {.left = number, .a = a};
    Run r = {0};

    if (rule < s->nrule) {
        mutate(&m, s->rule[rule]);
        if (!m.done)
            return r;
        r.name = sn_format(a, "%s.%s", s->rule[rule]->pass->name,
                           s->rule[rule]->name);
    }
    r.made = true;
    r.what = m.what;
    r.detail = m.detail;
    if (!sn_diag_nerror(d))
        sn_def_resolve(s, d);
    if (!sn_diag_nerror(d))
        sn_def_order(s, d);
    if (rule < s->nrule) { /* the others are as they were */
        s->rule[0] = s->rule[rule];
        s->rule[0]->id = 0;
        s->nrule = 1;
        s->nderive = 0;
    }
    if (!sn_diag_nerror(d))
        sn_def_prove(s, d, NULL);
    r.nerror = sn_diag_nerror(d);
    size_t k;
    const SnDiagMsg *v = sn_diag_messages(d, a, &k);
    for (size_t i = 0; i < k && !r.code; i++)
        if (v[i].severity == SN_ERROR)
            r.code = v[i].code;
    return r;
}

/* ---- what is known ---- */

typedef struct Known {
    uint32_t n;
    const char **line; /* "pass.rule guard 2: why" */
    bool *used;
} Known;

static bool
read_known(SnArena *a, const char *path, Known *k)
{
    SnDiag *d = sn_diag_new(a);
    char *text;
    size_t n;

    if (sn_file_read(a, d, path, 0, &text, &n)) {
        sn_diag_print(d, stderr);
        return false;
    }
    for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n"))
        if (*s && *s != '#')
            SN_PUSH(a, k->line, k->n, s);
    k->used = SN_NEW_N(a, bool, k->n + 1);
    return true;
}

static bool
is_known(Known *k, const char *name, const char *what)
{
    size_t n = strlen(name), w = strlen(what);

    for (uint32_t i = 0; i < k->n; i++) {
        const char *s = k->line[i];
        if (!strncmp(s, name, n) && s[n] == ' ' &&
            !strncmp(s + n + 1, what, w) && s[n + 1 + w] == ':') {
            k->used[i] = true;
            return true;
        }
    }
    return false;
}

int
main(int argc, char **argv)
{
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    int first = verbose ? 2 : 1;
    uint32_t made = 0, refused = 0, equivalent = 0, survived = 0, nrule;
    Known known = {0};

    if (argc < first + 2) {
        fputs("usage: mutants [-v] KNOWN DEFS...\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    SnArena *a = sn_arena_new();
    if (!read_known(a, argv[first], &known))
        return 2;
    int n = argc - first - 1;
    char **file = argv + first + 1;
    nrule = parse(a, sn_diag_new(a), n, file)->nrule;
    if (run(a, n, file, UINT32_MAX, 0).nerror) {
        fputs("mutants: the declarations have errors as they stand\n",
              stderr);
        return 2;
    }
    for (uint32_t i = 0; i < nrule; i++)
        for (uint32_t k = 0;; k++) {
            SnArena *b = sn_arena_new();
            Run r = run(b, n, file, i, k);
            if (r.made) {
                bool eq = !r.nerror && is_known(&known, r.name, r.what);
                made++;
                refused += r.nerror > 0;
                equivalent += eq;
                survived += !r.nerror && !eq;
                if (verbose || (!r.nerror && !eq))
                    printf("%-9s %s %s (%s)%s%s\n",
                           r.nerror ? "refused" : eq ? "same" : "SURVIVED",
                           r.name, r.what, r.detail, r.code ? " by " : "",
                           r.code ? r.code : "");
            }
            sn_arena_free(b);
            if (!r.made)
                break;
        }
    bool stale = false;
    for (uint32_t i = 0; i < known.n; i++)
        if (!known.used[i]) {
            printf("not needed: %s\n", known.line[i]);
            stale = true;
        }
    printf("%u made, %u refused by a checker, %u equivalent, %u survived\n",
           made, refused, equivalent, survived);
    sn_arena_free(a);
    return survived > 0 || stale;
}
