// SPDX-License-Identifier: Apache-2.0
#include "rewrite/witness/witness_form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "rewrite/rule.h"

enum { MAX_ARG = 12, MAX_PAT = 40, MAX_BIND = 40 };

/* A word of the text; n 0: none. */
typedef struct Word {
    const char *s;
    size_t n;
} Word;

typedef enum PatKind {
    P_ANY,  /* _, and what is not a form of a single value */
    P_VAR,  /* x */
    P_REST, /* x... */
    P_NODE, /* Kind(...) */
    P_KINDS /* any CLASS: a node of any kind */
} PatKind;

typedef struct Pat {
    PatKind k;
    Word name, at, attrs; /* attrs: what stands in the braces */
    bool forms;
    struct Pat *arg[MAX_ARG];
    uint32_t narg;
} Pat;

typedef struct Form {
    const SnGraph *g;
    const char *s; /* what is still to be read */
    Pat pat[MAX_PAT];
    uint32_t npat;
    struct {
        Word name;
        SnRef ref;
    } bind[MAX_BIND];
    uint32_t nbind;
    bool bad; /* the text has more than this reads */
} Form;

/* ---- reading the left side ---- */

static void
skip(Form *f)
{
    for (;;) {
        f->s += strspn(f->s, " \t\n");
        if (strncmp(f->s, "//", 2) != 0)
            return;
        f->s += strcspn(f->s, "\n");
    }
}

static bool
take(Form *f, const char *what)
{
    size_t n = strlen(what);

    skip(f);
    if (strncmp(f->s, what, n) != 0)
        return false;
    f->s += n;
    return true;
}

static Word
word(Form *f)
{
    Word w;

    skip(f);
    w.s = f->s;
    while (isalnum((unsigned char)*f->s) || *f->s == '_')
        f->s++;
    w.n = (size_t)(f->s - w.s);
    return w;
}

static bool
is(Word w, const char *what)
{
    return w.n == strlen(what) && !strncmp(w.s, what, w.n);
}

static bool
same(Word x, Word y)
{
    return x.n == y.n && !strncmp(x.s, y.s, x.n);
}

/* What stands between braces. */
static Word
braces(Form *f)
{
    const char *from = f->s;

    f->s += strcspn(f->s, "}");
    Word w = {from, (size_t)(f->s - from)};
    f->bad = f->bad || !take(f, "}");
    return w;
}

/* {a = 1}, @name, :1, :{f32}, in any order. */
static void
suffixes(Form *f, Pat *p)
{
    for (;;) {
        if (take(f, "{")) {
            p->attrs = braces(f);
        } else if (take(f, "@")) {
            p->at = word(f);
        } else if (take(f, ":")) {
            if (take(f, "{"))
                (void)braces(f);
            else
                (void)word(f);
        } else {
            return;
        }
    }
}

static Pat *pattern(Form *f);

static void
arguments(Form *f, Pat *p)
{
    while (!f->bad && !take(f, ")")) {
        Pat *a = pattern(f);
        if (p->narg == MAX_ARG || !a) {
            f->bad = true;
            return;
        }
        p->arg[p->narg++] = a;
        (void)take(f, ",");
    }
}

static Pat *
pattern(Form *f)
{
    if (f->npat == MAX_PAT)
        return NULL;
    Pat *p = &f->pat[f->npat++];
    Word w = word(f);

    if (is(w, "any")) {
        p->k = P_KINDS;
        (void)word(f);
        suffixes(f, p);
        return p;
    }
    p->forms = is(w, "forms");
    p->name = p->forms ? word(f) : w;
    if (p->name.n == 0 || is(w, "each"))
        f->bad = true;
    if (take(f, "(")) {
        p->k = P_NODE;
        arguments(f, p);
    } else {
        p->k = is(w, "_") ? P_ANY : take(f, "...") ? P_REST : P_VAR;
    }
    suffixes(f, p);
    return p;
}

/* ---- matching ---- */

static bool
bind(Form *f, Word name, SnRef v)
{
    if (name.n == 0)
        return true;
    for (uint32_t i = 0; i < f->nbind; i++)
        if (same(f->bind[i].name, name))
            return f->bind[i].ref == v;
    if (f->nbind == MAX_BIND)
        return false;
    f->bind[f->nbind].name = name;
    f->bind[f->nbind++].ref = v;
    return true;
}

/* A number, a flag or `full` that the pattern gives; others say nothing here.
 */
static bool
value_is(const SnAttrDesc *a, const void *at, const char *s)
{
    char *end;
    double v = strtod(s, &end);

    switch (a->kind) {
    case SN_A_BOOL:
        return *(const bool *)at == (strncmp(s, "true", 4) == 0);
    case SN_A_INT:
        return end == s || (double)*(const int64_t *)at == v;
    case SN_A_REAL:
        return end == s || *(const float *)at == (float)v;
    case SN_A_RANGE:
        return strncmp(s, "full", 4) != 0 ||
               sn_range_full(*(const SnRange *)at);
    default:
        return true;
    }
}

static bool
attrs_fit(const SnNode *n, Word attrs)
{
    const SnKindDesc *d = sn_desc(n->kind);
    Form in = {.s = attrs.s};

    if (attrs.n == 0)
        return true;
    for (const char *end = attrs.s + attrs.n; in.s < end;) {
        Word name = word(&in);
        if (name.n == 0 || !take(&in, "="))
            return false;
        skip(&in);
        for (unsigned i = 0; i < d->nattr; i++)
            if (is(name, d->attr[i].name) &&
                !value_is(&d->attr[i], sn_attr_at(n->attr, &d->attr[i]), in.s))
                return false;
        /* On to the next one: a list has commas of its own. */
        if (*in.s == '[')
            in.s += strcspn(in.s, "]");
        in.s += strcspn(in.s, ",}");
        if (in.s < end)
            in.s++;
    }
    return true;
}

static bool match(Form *f, const Pat *p, SnRef v);

/* Operands in the order of the ports, or with those two exchanged that
 * commute. */
static bool
match_operands(Form *f, const Pat *p, const SnNode *n, bool swap)
{
    const SnKindDesc *d = sn_desc_in(f->g, n->kind);

    for (uint32_t i = 0; i < p->narg; i++) {
        uint32_t s = i;
        if (p->arg[i]->k == P_REST)
            return n->nin <= i || bind(f, p->arg[i]->name, n->in[i].ref);
        if (swap && (int)i == d->commutes[0])
            s = (uint32_t)d->commutes[1];
        else if (swap && (int)i == d->commutes[1])
            s = (uint32_t)d->commutes[0];
        if (!match(f, p->arg[i], s < n->nin ? n->in[s].ref : 0))
            return false;
    }
    return true;
}

static bool
match(Form *f, const Pat *p, SnRef v)
{
    const SnNode *n = v ? sn_def(f->g, v) : NULL;

    if (p->k == P_ANY)
        return true;
    if (p->k == P_VAR || p->k == P_REST)
        return bind(f, p->name, v);
    if (!n || !bind(f, p->at, SN_REF(SN_NODE(v), 0)))
        return false;
    if (p->k == P_KINDS)
        return attrs_fit(n, p->attrs);
    const SnKindDesc *d = sn_desc(n->kind);
    while (p->forms && !is(p->name, d->name) && d->form_of > 0)
        d = sn_desc((SnKind)d->form_of);
    if (!is(p->name, d->name) || !attrs_fit(n, p->attrs))
        return false;
    uint32_t nbind = f->nbind;
    if (match_operands(f, p, n, false))
        return true;
    f->nbind = nbind;
    return d->commutes[0] >= 0 && !sn_swap_off(f->g, SN_NODE(v)) &&
           match_operands(f, p, n, true);
}

/* What the right side begins with.  A term of constants may be folded. */
static bool
right(Form *f, SnRef now)
{
    Word w = word(f);
    const SnNode *n = sn_def(f->g, now);
    bool copy = is(w, "copy");

    if (copy)
        w = word(f);
    if (!copy && take(f, "("))
        return n->data || is(w, sn_desc(n->kind)->name) ||
               (is(w, "fold") && sn_is_const(f->g, now));
    for (uint32_t i = 0; i < f->nbind; i++)
        if (same(f->bind[i].name, w))
            return copy ? sn_def(f->g, f->bind[i].ref)->kind == n->kind
                        : f->bind[i].ref == now;
    return false;
}

static bool
written(const SnGraph *g, const char *text, SnRef old, SnRef now)
{
    Form f = {.g = g};

    f.s = strchr(text, ':');
    if (!f.s)
        return false;
    f.s++;
    const Pat *p = pattern(&f);
    if (!p || f.bad || !match(&f, p, SN_REF(SN_NODE(old), 0)))
        return false;
    f.s = strstr(f.s, "=>");
    if (!f.s)
        return false;
    f.s += 2;
    return right(&f, now);
}

/* ---- derived families ---- */

static bool
is_kind(const SnGraph *g, SnRef v, Word name)
{
    return v && is(name, sn_desc(sn_kind(g, v))->name);
}

static bool
reads_kind(const SnGraph *g, const SnNode *n, Word name)
{
    for (uint32_t s = 0; s < n->nin; s++)
        if (is_kind(g, n->in[s].ref, name))
            return true;
    return false;
}

/* now is what a conversion makes of a node of old's kind. */
static bool
sunk(const SnGraph *g, SnRef old, SnRef now, Word conversion)
{
    const SnNode *m = sn_def(g, old), *n = sn_def(g, now);

    return is_kind(g, now, conversion) && n->nin && n->in[0].ref &&
           sn_kind(g, n->in[0].ref) == m->kind && reads_kind(g, m, conversion);
}

/* Both are one kind, or forms of one. */
static bool
related(SnKind x, SnKind y)
{
    while (sn_desc(x)->form_of > 0)
        x = (SnKind)sn_desc(x)->form_of;
    return sn_is_form(y, x);
}

/* The text is "derive sink Rescale through ..." and the like. */
static bool
derived(const SnGraph *g, const SnRuleDesc *r, SnRef old, SnRef now)
{
    const SnNode *m = sn_def(g, old), *n = sn_def(g, now);
    Form f = {.s = r->text};

    if (r->family == SN_FAM_INTEGERIZE || r->family == SN_FAM_CUSTOM)
        return true; /* of codes, and what makes the old type of them */
    (void)word(&f);
    (void)word(&f);
    Word conversion = word(&f);
    if (r->family == SN_FAM_ABSORB)
        return related(m->kind, n->kind) && reads_kind(g, m, conversion);
    if (r->family == SN_FAM_MERGE)
        return is_kind(g, old, conversion) &&
               related(sn_kind(g, m->in[0].ref), n->kind);
    return sunk(g, old, now, conversion);
}

bool
sn_witness_formed(const SnGraph *g, const SnRuleDesc *r, SnRef old, SnRef now)
{
    if (r->family == SN_FAM_WRITTEN || r->family == SN_FAM_LOWER)
        return written(g, r->text, old, now);
    return derived(g, r, old, now);
}
