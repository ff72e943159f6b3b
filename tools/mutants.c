// SPDX-License-Identifier: Apache-2.0
/* mutants [-v] [-t] [-d CODE] [-m N] [-o NAME] DEFS...: damages every rule of
 * the declarations, written or derived, in each of the ways below, one at a
 * time, and counts what the checkers (resolve, order, prove) refuse.
 *
 *   guard N   conjunct N of the condition is dropped
 *   worth N   conjunct N of the `worth` clause is dropped
 *   implicit N
 *             an implicit condition of a derived family is dropped
 *   once N    the N-th :1 is dropped
 *   type N    the N-th type on the right side is that of another value
 *   regrid N  regrid(b) becomes b
 *   claim N   the claim is strengthened: exact, one lsb less, refines for lossy
 *   clamp N   a clamp given on the right side is dropped
 *   under N   a claim of its own under rounding N (1 single, 2 double) is
 *             that of the rule
 *   attr N    an attribute given on the right side is dropped
 *   like N    an attribute that `like` copies is its default
 *   number N  a whole number of the condition, of a pattern's or of the right
 *             side's attributes is one more, a truth value the other one
 *
 * Mutants that the checkers accept as a build runs them, and then with N (-m,
 * default 10) times the cases, must be right.  Nothing that was drawn says so,
 * but
 *
 *   worth     a `worth` clause says when a rule pays, not whether it holds
 *   proved    the calculi prove the mutant as they do the rule, for all types,
 *             shapes and values, and the checker takes the certificate; of a
 *             :1, the pass ends as well, and nothing is copied
 *   rows      every arithmetic computes both sides by the same rows, so that a
 *             claim under one is that under float, which is proved
 *
 * With -t, what is left of the written rules is generated, compiled and run on
 * the cases of the tree's own rules (tests/cases/against.sh; the environment's
 * BUILD is a built tree).  Those that a case notices are killed by tests.
 *
 * Anything else survives and fails the run.
 *
 * -v prints every mutant, -d plants a checker that does not report SNxxx, -o
 * takes the rules whose name begins with NAME.  The last line is the score. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/buf.h"
#include "dsl/order/order.h"
#include "dsl/prove/prove.h"
#include "dsl/resolve/resolver.h"
#include "gen/text/emit.h"

/* Times the cases that a build draws, without -m. */
enum { MORE = 10 };

typedef enum Way {
    W_GUARD,
    W_WORTH,
    W_IMPLICIT,
    W_ONCE,
    W_TYPE,
    W_REGRID,
    W_CLAIM,
    W_CLAMP,
    W_UNDER,
    W_ATTR,
    W_LIKE,
    W_NUMBER,
    NWAY
} Way;

static const char *const way_name[] = {"guard", "worth",  "implicit", "once",
                                       "type",  "regrid", "claim",    "clamp",
                                       "under", "attr",   "like",     "number"};

typedef struct Mutation {
    uint32_t at;   /* the one to make */
    uint32_t left; /* mutations to pass over before it */
    bool done;
    Way way;
    uint32_t number;
    const char *detail; /* the previous value */
    SnArena *a;
} Mutation;

/* Is it the turn of this mutation? */
static bool
turn(Mutation *m, Way way, uint32_t n, const char *detail)
{
    if (m->done || m->left-- > 0)
        return false;
    m->done = true;
    m->way = way;
    m->number = n;
    m->detail = detail;
    return true;
}

/* ---- conditions ---- */

/* e without its k-th conjunct, which goes to *was; NULL if none is left. */
static SnExpr *
without(SnExpr *e, uint32_t *k, SnExpr **was)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        SnExpr *x = without(e->kid[0], k, was);
        SnExpr *y = without(e->kid[1], k, was);
        if (!x || !y)
            return x ? x : y;
        e->kid[0] = x;
        e->kid[1] = y;
        return e;
    }
    if ((*k)-- > 0)
        return e;
    *was = e;
    return NULL;
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
conjuncts(Mutation *m, SnDefRule *r, SnExpr **e, Way way)
{
    uint32_t n = nconjunct(*e);

    for (uint32_t i = 0; i < n; i++)
        if (turn(m, way, i + 1, "")) {
            SnExpr *was = NULL;
            uint32_t k = i;
            *e = without(*e, &k, &was);
            m->detail = was ? sn_expr_str(m->a, was) : "";
            sn_rule_when(m->a, r);
            return;
        }
}

/* ---- patterns ---- */

static void
uses(Mutation *m, SnPat *p, uint32_t *n)
{
    if (p->nuse && turn(m, W_ONCE, ++*n, p->name))
        p->nuse = 0;
    for (uint32_t i = 0; i < p->narg; i++)
        uses(m, p->arg[i], n);
}

/* A value of the left side whose name is not `but`. */
static const char *
another(const SnPat *p, const char *but)
{
    const char *s = p->capture          ? p->capture
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
    const SnDefs *defs;
    uint32_t ntype, nclamp, nregrid, nattr, nlike;
} Right;

static bool
is_given(const SnTerm *t, const char *attr)
{
    for (uint32_t i = 0; i < t->nasg; i++)
        if (!strcmp(t->asg[i].name, attr))
            return true;
    return false;
}

/* Each attribute that `like` copies is its default instead. */
static void
forgotten(Right *w, SnTerm *t)
{
    const SnDefNode *n =
        t->like && t->tk == SN_T_CALL ? sn_def_node(w->defs, t->name) : NULL;

    for (uint32_t i = 0; n && i < n->nall; i++) {
        const SnDefAttr *a = n->all[i];
        if (!a->def || is_given(t, a->name) ||
            !turn(w->m, W_LIKE, ++w->nlike,
                  sn_format(w->m->a, "%s of %s", a->name, n->name)))
            continue;
        SnAsg *v = SN_NEW_N(w->m->a, SnAsg, t->nasg + 1);
        memcpy(v, t->asg, t->nasg * sizeof *v);
        v[t->nasg] = (SnAsg){.name = a->name, .pos = t->pos, .e = a->def};
        t->asg = v;
        t->nasg++;
        return;
    }
}

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
        if (v && turn(w->m, W_TYPE, ++w->ntype,
                      sn_format(w->m->a, "%s.type becomes %s.type",
                                t->type->kid[0]->s, v)))
            t->type->kid[0]->s = v;
    }
    for (uint32_t i = 0; i < t->nasg; i++) {
        bool clamp = !strcmp(t->asg[i].name, "clamp");
        if (!turn(w->m, clamp ? W_CLAMP : W_ATTR,
                  clamp ? ++w->nclamp : ++w->nattr, t->asg[i].name))
            continue;
        memmove(&t->asg[i], &t->asg[i + 1], (t->nasg - i - 1) * sizeof *t->asg);
        t->nasg--;
        return;
    }
    forgotten(w, t);
    if (t->tk == SN_T_FUNC && !strcmp(t->name, "regrid") &&
        t->arg[0]->tk == SN_T_VAR &&
        turn(w->m, W_REGRID, ++w->nregrid, "regrid")) {
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

    if (c->kind == SN_CLAIM_EXACT || c->kind == SN_CLAIM_NONE)
        return;
    if (c->kind == SN_CLAIM_LOSSY) {
        if (turn(m, W_CLAIM, 1, "lossy becomes refines"))
            c->kind = SN_CLAIM_REFINES;
        return;
    }
    if (turn(m, W_CLAIM, 1, "it becomes exact"))
        c->kind = SN_CLAIM_EXACT;
    if (c->kind == SN_CLAIM_WITHIN && c->bound->ek == SN_E_INT &&
        c->bound->i > 1 && turn(m, W_CLAIM, 2, "one lsb less"))
        c->bound->i--;
}

static void
under(Mutation *m, SnDefRule *r)
{
    for (uint32_t i = 0; i < r->nunder; i++)
        if (turn(m, W_UNDER, i, r->under[i].name))
            r->under[i].claim = r->claim;
    if (r->other.kind != SN_CLAIM_NONE && turn(m, W_UNDER, r->nunder, "else"))
        r->other = r->claim;
}

/* ---- numbers ---- */

static void
numbers(Mutation *m, SnExpr *e, uint32_t *n)
{
    if (!e)
        return;
    if ((e->ek == SN_E_INT || e->ek == SN_E_BOOL) &&
        turn(m, W_NUMBER, ++*n, sn_format(m->a, "%lld", (long long)e->i)))
        e->i = e->ek == SN_E_BOOL ? !e->i : e->i + 1;
    for (uint32_t i = 0; i < e->nkid; i++)
        numbers(m, e->kid[i], n);
}

static void
pattern_numbers(Mutation *m, SnPat *p, uint32_t *n)
{
    for (uint32_t i = 0; i < p->nasg; i++)
        numbers(m, p->asg[i].e, n);
    for (uint32_t i = 0; i < p->narg; i++)
        pattern_numbers(m, p->arg[i], n);
}

static void
term_numbers(Mutation *m, SnTerm *t, uint32_t *n)
{
    for (uint32_t i = 0; i < t->nasg; i++)
        numbers(m, t->asg[i].e, n);
    for (uint32_t i = 0; i < t->narg; i++)
        term_numbers(m, t->arg[i], n);
}

typedef struct Change {
    Mutation *m;
    const SnDefs *defs;
    bool claims; /* the claim is the rule's own */
} Change;

static void
mutate(void *arg, SnDefRule *r)
{
    Change *change = arg;
    Mutation *m = change->m;
    Right w = {.m = m, .r = r, .defs = change->defs};
    uint32_t n = 0, k = 0;

    m->left = m->at;
    m->done = false;
    conjuncts(m, r, &r->need, W_GUARD);
    conjuncts(m, r, &r->worth, W_WORTH);
    if (r->pat)
        uses(m, r->pat, &n);
    for (uint32_t i = 0; i < r->nlet; i++)
        right(&w, r->let[i]);
    if (r->rhs && r->pat)
        right(&w, r->rhs);
    numbers(m, r->need, &k);
    if (r->pat)
        pattern_numbers(m, r->pat, &k);
    for (uint32_t i = 0; i < r->nlet; i++)
        term_numbers(m, r->let[i], &k);
    if (r->rhs)
        term_numbers(m, r->rhs, &k);
    if (change->claims) {
        claim(m, r);
        under(m, r);
    }
}

/* ---- one run ---- */

typedef enum Verdict {
    V_REFUSED,
    V_MORE,
    V_WORTH,
    V_PROVED,
    V_ROWS,
    V_KILLED,
    V_SURVIVED,
    NVERDICT
} Verdict;

static const char *const verdict_name[] = {
    "refused", "more", "worth", "proved", "rows", "killed", "SURVIVED"};

typedef struct Run {
    SnDefs *defs;
    SnSubjects *s;
    const char *deaf; /* a code that the planted checker does not report */
    bool tests;       /* run the cases on what the checkers let through */
    uint32_t times;   /* the cases of a build, for what it accepts; not 0 */
} Run;

/* The code of the first reported error, or NULL. */
static const char *
first_code(const Run *r, SnArena *a, SnDiag *d)
{
    size_t n;
    const SnDiagMsg *v = sn_diag_messages(d, a, &n);

    for (size_t i = 0; i < n; i++)
        if (v[i].severity == SN_ERROR &&
            (!r->deaf || strcmp(r->deaf, v[i].code)))
            return v[i].code;
    return NULL;
}

/* The rule's pass with the rule replaced by r. */
static SnDefPass
with_rule(SnArena *a, const SnDefRule *was, SnDefRule *r)
{
    SnDefPass pass = *r->pass;

    pass.step = SN_NEW_N(a, SnDefStep, pass.nstep + 1);
    for (uint32_t i = 0; i < pass.nstep; i++) {
        pass.step[i] = r->pass->step[i];
        if (pass.step[i].rule == was)
            pass.step[i].rule = r;
    }
    return pass;
}

/* Ending, copies and overlap, of the rule's pass with the rule changed; for a
 * derived instance, of the instance only. */
static void
order(const Run *run, const SnSubject *sub, SnDefRule *r, SnDiag *d)
{
    SnDefs defs = *run->defs;
    SnDefPass pass = with_rule(defs.arena, sub->rule, r), *one = &pass;

    if (sub->derive) {
        pass.step[0] = (SnDefStep){.rule = r};
        pass.nstep = 1;
    }
    defs.pass = &one;
    defs.npass = 1;
    sn_def_order(&defs, d);
}

/* A mutant that a build accepts gets more cases before it counts: does one
 * refute it?  With their larger range, none may be drawn (SN312). */
static bool
more(Run *run, uint32_t i, const Mutation *m, SnDefRule *r, uint32_t implicit,
     const char **code)
{
    SnDiag *d = sn_diag_new(m->a);

    sn_subject_prove(run->s, i, r, implicit, run->times, d);
    *code = first_code(run, m->a, d);
    return *code && strcmp(*code, "SN312");
}

/* Does a case of the rule detect it?  Writes the declarations, with the rule
 * replaced by r, to a directory, which is removed. */
static bool
killed(const Run *run, const SnSubject *sub, SnDefRule *r)
{
    SnDefs defs = *run->defs;
    SnDefPass pass = with_rule(defs.arena, sub->rule, r);
    char dir[] = "/tmp/mutantXXXXXX";
    SnDiag *d = sn_diag_new(defs.arena);

    if (sub->derive || !mkdtemp(dir))
        return false;
    defs.pass = SN_NEW_N(defs.arena, SnDefPass *, defs.npass);
    for (uint32_t i = 0; i < defs.npass; i++)
        defs.pass[i] =
            run->defs->pass[i] == r->pass ? &pass : run->defs->pass[i];
    defs.rule = SN_NEW_N(defs.arena, SnDefRule *, defs.nrule);
    for (uint32_t i = 0; i < defs.nrule; i++)
        defs.rule[i] = run->defs->rule[i] == sub->rule ? r : run->defs->rule[i];
    sn_emit_kinds(&defs, dir, d);
    sn_emit_rules(&defs, dir, d);
    int rc = -1;
    if (!sn_diag_nerror(d))
        rc = system(sn_format(defs.arena,
                              "sh tests/cases/against.sh %s %s "
                              ">/dev/null 2>&1",
                              dir, sub->rule->name));
    if (system(sn_format(defs.arena, "rm -rf %s", dir)) != 0)
        fprintf(stderr, "mutants: cannot remove %s\n", dir);
    return WIFEXITED(rc) && WEXITSTATUS(rc) == 1;
}

static Verdict
judge(Run *run, uint32_t i, const Mutation *m, SnDefRule *r, SnDiag *d,
      const char **code)
{
    SnSubject sub = sn_subject(run->s, i);
    uint32_t implicit = m->way == W_IMPLICIT ? m->number - 1 : UINT32_MAX;
    bool by_elems;

    *code = "";
    if (m->way == W_WORTH)
        return V_WORTH;
    if (r && (!sub.derive || m->way == W_ONCE))
        order(run, &sub, r, d);
    if (r && !sn_diag_nerror(d))
        sn_subject_prove(run->s, i, r, implicit, 1, d);
    if ((*code = first_code(run, m->a, d)))
        return V_REFUSED;
    *code = "";
    if (!r)
        return V_SURVIVED;
    if (sn_diag_nerror(d)) /* the error that the planted checker does not
                              report */
        return run->tests && killed(run, &sub, r) ? V_KILLED : V_SURVIVED;
    if (more(run, i, m, r, implicit, code))
        return V_MORE;
    *code = "";
    if (m->way == W_UNDER && sn_subject_same_rows(run->s, i))
        return V_ROWS;
    if (m->way != W_UNDER &&
        sn_subject_proved(run->s, i, r, implicit, &by_elems))
        return V_PROVED;
    return run->tests && killed(run, &sub, r) ? V_KILLED : V_SURVIVED;
}

/* ---- all mutations ---- */

typedef struct Score {
    uint32_t made[NWAY], n[NWAY][NVERDICT];
} Score;

typedef struct Opts {
    bool verbose;
    const char *only;
} Opts;

static void
print_verdict(const Opts *o, Score *s, const Mutation *m, Verdict v,
              const char *mutant, const char *code)
{
    s->made[m->way]++;
    s->n[m->way][v]++;
    if (o->verbose || v == V_SURVIVED)
        printf("%-9s %s (%s) %s\n", verdict_name[v], mutant, m->detail, code);
}

/* Every mutation of subject i. */
static void
subject(Run *run, const Opts *o, uint32_t i, Score *score)
{
    SnSubject sub = sn_subject(run->s, i);

    if (sub.rule->trusted || !sub.rule->pat ||
        (o->only && strncmp(sub.name, o->only, strlen(o->only))))
        return;
    for (uint32_t k = 0;; k++) {
        SnDiag *d = sn_diag_new(run->defs->arena);
        Mutation m = {.at = k, .a = run->defs->arena};
        Change change = {&m, run->defs, !sub.fixed_claim};
        const char *code;
        SnDefRule *r = sn_subject_mutate(run->s, i, d, mutate, &change);
        if (!m.done && m.left < sub.nimplicit) {
            m.way = W_IMPLICIT;
            m.number = m.left + 1;
            m.detail = sn_subject_implicit(run->s, i, m.left);
        } else if (!m.done) {
            return;
        }
        const char *mutant =
            sn_format(m.a, "%s %s %u", sub.name, way_name[m.way], m.number);
        Verdict v = judge(run, i, &m, r, d, &code);
        print_verdict(o, score, &m, v, mutant, code);
    }
}

/* One line for each way, and the score: the share of wrong mutants that are
 * caught. */
static bool
print_score(const Score *s, uint32_t times)
{
    uint32_t all[NVERDICT] = {0}, made = 0;

    for (uint32_t w = 0; w < NWAY; w++) {
        const uint32_t *n = s->n[w];
        for (uint32_t v = 0; v < NVERDICT; v++)
            all[v] += n[v];
        made += s->made[w];
        if (s->made[w])
            printf("%-8s %4u made, %4u refused, %2u in more cases, %2u worth, "
                   "%3u proved, %2u by equal rows, %2u killed by tests, %2u "
                   "survived\n",
                   way_name[w], s->made[w], n[V_REFUSED], n[V_MORE], n[V_WORTH],
                   n[V_PROVED], n[V_ROWS], n[V_KILLED], n[V_SURVIVED]);
    }
    uint32_t right = all[V_WORTH] + all[V_PROVED] + all[V_ROWS];
    uint32_t refused = all[V_REFUSED] + all[V_MORE];
    uint32_t caught = refused + all[V_KILLED];
    printf("%u made, %u refused by a checker (%u with %u times the cases), %u "
           "killed by tests, %u right (%u worth, %u proved, %u by equal rows), "
           "%u survived: %.1f %%\n",
           made, refused, all[V_MORE], times, all[V_KILLED], right,
           all[V_WORTH], all[V_PROVED], all[V_ROWS], all[V_SURVIVED],
           made > right ? 100.0 * caught / (made - right) : 0);
    return all[V_SURVIVED] == 0;
}

static SnDefs *
parse(SnArena *a, SnDiag *d, int n, char **file)
{
    static const char *const dirs[] = {"."};
    SnDefs *s = sn_defs_new(a);

    for (int i = 0; i < n; i++)
        sn_def_parse(s, d, file[i], dirs, 1);
    if (!sn_diag_nerror(d))
        sn_def_resolve(s, d);
    return s;
}

static int
usage(void)
{
    fputs("usage: mutants [-v] [-t] [-d CODE] [-m N] [-o NAME] DEFS...\n",
          stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    Run run = {.times = MORE};
    Opts o = {0};
    Score score = {0};
    int i = 1;

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-v"))
            o.verbose = true;
        else if (!strcmp(argv[i], "-t"))
            run.tests = true;
        else if (!strcmp(argv[i], "-d") && i + 1 < argc)
            run.deaf = argv[++i];
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            o.only = argv[++i];
        else if (!strcmp(argv[i], "-m") && i + 1 < argc)
            run.times = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            return usage();
    }
    if (argc < i + 1 || !run.times)
        return usage();
    run.defs = parse(a, d, argc - i, argv + i);
    if (sn_diag_nerror(d)) {
        fputs("mutants: the declarations have errors as they stand\n", stderr);
        return 2;
    }
    run.s = sn_subjects(run.defs, d);
    for (uint32_t k = 0; k < sn_subjects_count(run.s); k++)
        subject(&run, &o, k, &score);
    bool ok = print_score(&score, run.times);
    sn_arena_free(a);
    return !ok;
}
