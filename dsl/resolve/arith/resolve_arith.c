// SPDX-License-Identifier: Apache-2.0
/* Arithmetics: inheritance, the nodes that rows are for, and where rows
 * apply. */
#include "dsl/resolve/arith/resolve_arith.h"

#include <math.h>
#include <xxhash.h>

static void
fault(SnDefArith *a)
{
    a->bad = true;
}

/* ---- ratio ---- */

static void
ratio(SnResolver *rs, SnDefArith *a)
{
    SnDefRatio *r = &a->ratio;
    static const char *const formed[] = {"f64", "f32"};
    static const char *const outside[] = {"zero", "refuse"};

    if (!r->pos.src) {
        if (a->nscale) {
            sn_error(rs->d, a->scale[0]->pos, "SN190",
                     "arithmetic %s has no 'ratio' that gives %s its q and s",
                     a->name, a->scale[0]->name);
            sn_diag_help(rs->d, "ratio q 31 bits, s 1..62, formed f64;");
            fault(a);
        }
        return;
    }
    if (r->bits < 1 || r->bits > 62) {
        sn_error(rs->d, r->pos, "SN190",
                 "a multiplier has 1 to 62 bits, not %lld", (long long)r->bits);
        fault(a);
    }
    if (r->s_lo > r->s_hi || r->s_lo < -62 || r->s_hi > 126) {
        sn_error(
            rs->d, r->pos, "SN190",
            "%lld..%lld is not a range of shifts: expected one within -62..126",
            (long long)r->s_lo, (long long)r->s_hi);
        fault(a);
    }
    uint32_t at = r->formed ? sn_name_at(formed, 2, r->formed) : 0;
    r->f32 = at == 1;
    if (at == 2) {
        sn_error(rs->d, r->formed_pos, "SN190",
                 "a ratio is formed in f64 or f32, not in '%s'", r->formed);
        fault(a);
    }
    at = r->outside ? sn_name_at(outside, 2, r->outside) : 0;
    r->refuse = at == 1;
    if (at == 2) {
        sn_error(rs->d, r->outside_pos, "SN190",
                 "a ratio outside the shifts is 'zero' or 'refuse', not '%s'",
                 r->outside);
        fault(a);
    }
}

/* Shifts that a scale declares lie within those of its arithmetic. */
static void
own_shifts(SnResolver *rs, SnDefArith *a, SnDefScale *s)
{
    SnDefRatio own = a->ratio;

    if (!s->own.pos.src)
        return;
    if (s->own.s_lo > s->own.s_hi || s->own.s_lo < own.s_lo ||
        s->own.s_hi > own.s_hi) {
        sn_error(rs->d, s->own.pos, "SN190",
                 "scale %s shifts by %lld..%lld: expected a range within "
                 "%lld..%lld, the ratio's",
                 s->name, (long long)s->own.s_lo, (long long)s->own.s_hi,
                 (long long)own.s_lo, (long long)own.s_hi);
        fault(a);
    }
    own.pos = s->own.pos;
    own.s_lo = s->own.s_lo;
    own.s_hi = s->own.s_hi;
    s->own = own;
}

/* ---- which nodes ---- */

/* The form and map of kind n's first result, -1: no row is for it. */
static int
form_of_node(const SnDefNode *n, const SnDefSem **sem)
{
    const SnExpr *e;
    bool codes = false;

    *sem = n->nout ? n->rsem[0] : NULL;
    if (!*sem || !(*sem)->formula)
        return -1;
    for (uint32_t t = 0; t < n->ntuple; t++)
        codes |= sn_conc_quant(n->tuple[t].out[0]) && n->nin &&
                 sn_conc_quant(n->tuple[t].in[0]);
    e = (*sem)->formula;
    if (!codes || e->fn != SN_FN_Q || e->nkid != 1)
        return -1;
    SnForm f = sn_form_of(*sem, e->kid[0]);
    if (f == SN_FORM_POINT)
        return sn_is_function(n) ? SN_FORM_FUNCTION : -1;
    return (int)f;
}

static bool
by_map(SnForm f)
{
    return f == SN_FORM_CONTRACT || f == SN_FORM_MEAN;
}

/* The names of operands in rows for nodes that do not name them. */
static void
plain_ports(SnRowScope *sc)
{
    static const char *const x[] = {"x", "w"}, *const ab[] = {"a", "b"};
    SnForm f = sc->of->form;
    bool two = f >= SN_FORM_SUM && f <= SN_FORM_PRODUCT;

    sc->nport = two || f == SN_FORM_CONTRACT                  ? 2
                : f == SN_FORM_POINT || f == SN_FORM_FUNCTION ? 0
                                                              : 1;
    sc->port[0] = two ? ab[0] : x[0];
    sc->port[1] = two ? ab[1] : x[1];
    sc->result = "y";
}

/* The operands of kind n, in the order of the formula; for a contract, in that
 * of its map. */
static void
node_ports(SnRowScope *sc, const SnDefNode *n, const SnDefSem *sem)
{
    const SnExpr *e = sem->formula->kid[0];
    uint32_t count = 0;

    if (sc->of->form == SN_FORM_CONTRACT) {
        for (uint32_t i = 0; i < sem->narg && count < 2; i++)
            if (sem->arg[i]->rk == SN_R_PORT)
                sc->port[count++] = sem->arg[i]->s;
    } else if (sc->of->form == SN_FORM_MEAN) {
        sc->port[count++] = e->kid[0]->kid[0]->s;
    } else if (sc->of->form == SN_FORM_CONVERT) {
        sc->port[count++] = e->kid[0]->s;
    } else if (sc->of->form != SN_FORM_FUNCTION) {
        for (uint32_t i = 0; i < 2; i++)
            sc->port[count++] = e->kid[i]->kid[0]->s;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!sc->port[i])
            sc->port[i] = "";
    sc->nport = count;
    sc->result = n->out[0]->name;
}

/* ---- where ---- */

/* Flags that a word names, and the forms that have them. */
#define OF(form) (1u << SN_FORM_##form)
#define OF_PAIRS (OF(SUM) | OF(DIFFERENCE) | OF(PRODUCT))
#define FORMS_AFTER (OF_PAIRS | OF(MEAN) | OF(POINT))
#define FORMS_WIDE (OF_PAIRS | OF(MEAN) | OF(CONTRACT))
#define FORMS_WHOLE OF(MEAN)
#define FORMS_DEPTHWISE OF(CONTRACT)
#define FORMS_SAME (OF_PAIRS | OF(MEAN))
#define FLAG(ID, word) {word, SN_WHEN_##ID, FORMS_##ID},
static const struct {
    const char *word;
    unsigned bit, forms;
} flags[] = {SN_WHENS(FLAG)};
enum { NFLAG = sizeof flags / sizeof *flags };

/* The flag that a condition names; NFLAG: none.  *is is negated if it is the
 * opposite of the flag. */
static uint32_t
flag_of(const SnExpr *e, bool *is)
{
    uint32_t i = 1;

    if (e->ek == SN_E_BIN && (e->op == SN_OP_EQ || e->op == SN_OP_NE) &&
        e->kid[0]->word == SN_W_ROUND &&
        (e->kid[1]->word == SN_W_AFTER || e->kid[1]->word == SN_W_BEFORE)) {
        *is ^= (e->op == SN_OP_NE) != (e->kid[1]->word == SN_W_BEFORE);
        return 0;
    }
    while (i < NFLAG &&
           (e->ek != SN_E_NAME || !sn_name_same(flags[i].word, e->s)))
        i++;
    return i;
}

static bool
condition(SnResolver *rs, const SnExpr *e, bool not_, SnDefRowOf *of)
{
    bool is = !not_;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND && !not_)
        return condition(rs, e->kid[0], false, of) &&
               condition(rs, e->kid[1], false, of);
    if (e->ek == SN_E_NOT && !not_)
        return condition(rs, e->kid[0], true, of);
    uint32_t i = flag_of(e, &is);
    if (i == NFLAG || !(flags[i].forms >> of->form & 1)) {
        sn_error(rs->d, e->pos, "SN191", "'%s' is not a condition of a row%s%s",
                 sn_expr_str(rs->a, e), i < NFLAG ? " for " : "",
                 i < NFLAG ? sn_form_words[of->form].word : "");
        sn_diag_help(rs->d, "round == after, round == before, wide (16 bits), "
                            "whole (a mean over all of an image), depthwise (a "
                            "convolution by one channel a group), same_type "
                            "(operands and result), with 'not' and 'and'");
        return false;
    }
    if (of->mask & flags[i].bit && !(of->is & flags[i].bit) == is) {
        sn_error(rs->d, e->pos, "SN191",
                 "'%s' contradicts an earlier condition",
                 sn_expr_str(rs->a, e));
        return false;
    }
    of->mask |= flags[i].bit;
    of->is |= is ? flags[i].bit : 0;
    return true;
}

bool
sn_row_condition(SnResolver *rs, const SnExpr *e, SnDefRowOf *of)
{
    return condition(rs, e, false, of);
}

/* Does r apply wherever s does? */
static bool
takes_all(const SnDefRowOf *r, const SnDefRowOf *s)
{
    return r->form == s->form && (r->mask & s->mask) == r->mask &&
           (s->is & r->mask) == r->is &&
           (!r->map || (s->map && sn_name_same(r->map, s->map)));
}

static const char *
row_name(SnArena *a, const SnDefRowOf *r)
{
    const char *s = sn_form_words[r->form].word;

    if (r->map)
        s = sn_format(a, "%s_%s", s, r->map);
    for (unsigned i = 0; i < NFLAG; i++)
        if (r->mask & flags[i].bit)
            s = sn_format(a, "%s_%s%s", s, r->is & flags[i].bit ? "" : "not_",
                          flags[i].word);
    return s;
}

/* ---- one row ---- */

/* May sums have 64 bits where `of` applies?  Not if a row before it takes
 * those. */
static bool
may_be_wide(const SnDefArith *a, const SnDefRowOf *of)
{
    SnDefRowOf wide = *of;

    if (of->mask & SN_WHEN_WIDE)
        return of->is & SN_WHEN_WIDE;
    wide.mask |= SN_WHEN_WIDE;
    wide.is |= SN_WHEN_WIDE;
    for (uint32_t i = 0; i < a->nof; i++)
        if (takes_all(&a->of[i], &wide))
            return false;
    return true;
}

static void
add(SnResolver *rs, SnDefArith *a, const SnDefRow *r, SnDefRowOf of,
    const SnDefNode *n, const SnDefSem *sem)
{
    SnRowVar var[16];
    SnRowScope sc = {.rs = rs, .arith = a, .of = &of, .var = var};

    of.name = row_name(rs->a, &of);
    for (uint32_t i = 0; i < a->nof; i++)
        if (takes_all(&a->of[i], &of)) {
            sn_error(rs->d, r->pos, "SN191",
                     "this row is never reached: an earlier row takes all its "
                     "nodes");
            sn_diag_span(rs->d, a->of[i].row->pos, "that one");
            fault(a);
            return;
        }
    sc.wide = may_be_wide(a, &of);
    if (n)
        node_ports(&sc, n, sem);
    else
        plain_ports(&sc);
    for (uint32_t i = 0; i < r->nlet; i++) {
        SnX *x = i < 16 ? sn_row_x(&sc, r->let[i].e) : NULL;
        if (i >= 16)
            sn_error(rs->d, r->let[i].pos, "SN191",
                     "a row has at most 16 names of its own");
        if (!x) {
            fault(a);
            return;
        }
        var[sc.nvar++] = (SnRowVar){r->let[i].name, x};
    }
    SnX *x = sn_row_x(&sc, r->e);
    if (x && x->ty != SN_TY_INT) {
        sn_error(rs->d, r->e->pos, "SN191", "'%s' is %s, expected a code",
                 sn_expr_str(rs->a, r->e), sn_ty_name(x->ty));
        if (x->ty == SN_TY_REAL)
            sn_diag_help(rs->d, "sat(rne(%s), 32)", sn_expr_str(rs->a, r->e));
        x = NULL;
    }
    if (x && of.form == SN_FORM_FUNCTION && !sc.step) {
        sn_error(rs->d, r->e->pos, "SN191",
                 "a row for functions has no table: expected lut(N, linear, "
                 "MODE)");
        x = NULL;
    }
    of.step = sc.step;
    if (!x) {
        fault(a);
        return;
    }
    const SnX *bent = sn_row_bent_wrap(x);
    if (bent) {
        sn_error(rs->d, bent->pos, "SN192",
                 "whether this wraps is not seen at the ends of what it "
                 "depends on");
        sn_diag_help(rs->d, "name each operand once in what wraps, without a "
                            "condition or a quotient by an operand");
        fault(a);
        return;
    }
    of.x = x;
    of.error = sn_row_error(x);
    SN_PUSH(rs->a, a->of, a->nof, of);
}

static bool
over(SnResolver *rs, const SnDefRow *r, SnDefRowOf *of)
{
    if (!r->over)
        return true;
    if (!sn_def_map(rs->defs, r->over)) {
        SnCands v = sn_cands(rs);
        for (uint32_t i = 0; i < rs->defs->nmap; i++)
            sn_cands_add(&v, rs->defs->map[i]->name, &rs->defs->map[i]->pos);
        sn_resolve_unknown(rs, r->over_pos, "map", r->over, NULL, &v);
        return false;
    }
    if (!by_map(of->form)) {
        sn_error(rs->d, r->over_pos, "SN191",
                 "rows of '%s' go element by element: 'over' is for contract "
                 "and mean",
                 sn_form_words[of->form].word);
        return false;
    }
    of->map = r->over;
    return true;
}

static bool
any_form(SnResolver *rs, const SnDefRow *r, SnDefRowOf *of)
{
    size_t f = sn_lang_named(sn_form_words, SN_NFORM, r->of.s[0]);
    SnCands v = sn_cands(rs);

    if (f < SN_NFORM) {
        of->form = (SnForm)f;
        return true;
    }
    for (uint32_t i = 0; i < SN_NFORM; i++)
        sn_cands_add(&v, sn_form_words[i].word, NULL);
    sn_resolve_unknown(rs, r->of.pos[0], "form", r->of.s[0], NULL, &v);
    return false;
}

static void
row(SnResolver *rs, SnDefArith *a, const SnDefRow *r)
{
    SnDefRowOf of = {.row = r};

    if (r->any) {
        if (any_form(rs, r, &of) && over(rs, r, &of) &&
            (!r->when || condition(rs, r->when, false, &of)))
            add(rs, a, r, of, NULL, NULL);
        else
            fault(a);
        return;
    }
    for (uint32_t i = 0; i < r->of.n; i++) {
        const SnDefNode *n = sn_resolve_node(rs, r->of.pos[i], r->of.s[i]);
        const SnDefSem *sem = NULL;
        if (sn_resolve_bad(rs, n)) {
            fault(a);
            continue;
        }
        int f = form_of_node(n, &sem);
        of = (SnDefRowOf){.row = r, .form = f < 0 ? 0 : (SnForm)f};
        if (f < 0) {
            sn_error(rs->d, r->of.pos[i], "SN191",
                     "no row is for %s: it is none of %s, %s, %s, %s, %s, %s, "
                     "%s",
                     n->name, sn_form_words[0].doc, sn_form_words[1].doc,
                     sn_form_words[2].doc, sn_form_words[3].doc,
                     sn_form_words[4].doc, sn_form_words[5].doc,
                     sn_form_words[SN_FORM_FUNCTION].doc);
            fault(a);
            continue;
        }
        if (by_map(of.form))
            of.map = sem->map;
        else if (of.form == SN_FORM_FUNCTION)
            of.map = n->name;
        if (r->over) {
            sn_error(rs->d, r->over_pos, "SN191",
                     "'over' is allowed after 'any' only: %s is over %s",
                     n->name, sem->map);
            fault(a);
        } else if (!r->when || condition(rs, r->when, false, &of)) {
            add(rs, a, r, of, n, sem);
        } else {
            fault(a);
        }
    }
}

/* ---- blocks ---- */

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* A hash of the text between the braces: words, numbers and marks, but not
 * spacing, comments, texts for people, or the places of vectors. */
static uint64_t
text_hash(SnArena *a, const char *s, uint64_t seed)
{
    bool space = false, statement = true;
    SnBuf b;

    sn_buf_init(&b, a);
    for (s = strchr(s, '{'); s && *s; s++) {
        if (statement && !strncmp(s, "vectors", 7) && !is_word(s[7])) {
            s += strcspn(s, ";");
        } else if (*s == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
            s -= !*s;
            space = true;
        } else if (*s == '"') {
            for (s++; *s && *s != '"'; s++)
                s += *s == '\\' && s[1];
            space = true;
        } else if (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r') {
            space = true;
        } else {
            const char *was = sn_buf_str(&b);
            if (space && b.n && is_word(was[b.n - 1]) && is_word(*s))
                sn_putc(&b, ' ');
            sn_putc(&b, *s);
            space = false;
            statement = *s == '{' || *s == ';';
        }
        if (!*s)
            break;
    }
    return XXH64(sn_buf_str(&b), b.n, seed);
}

/* Does it come with float, in the language's own file?  Graphs refer to it only
 * by name: the language promises that its results do not change. */
static bool
from_same_file(const SnDefs *s, const SnDefArith *a)
{
    const SnDefArith *f = sn_def_arith(s, SN_ROUNDING_FLOAT);

    return f && f->pos.src == a->pos.src;
}

/* The rows of `from` after a's own, without those that are never reached.
 * Without a row, float's applies. */
static void
inherit(SnResolver *rs, SnDefArith *a)
{
    const SnDefArith *from = a->base;
    uint32_t own = a->nof;

    if (!from && a->number != SN_ROUNDING_FLOAT)
        from = sn_def_arith(rs->defs, SN_ROUNDING_FLOAT);
    for (uint32_t i = 0; from && i < from->nof; i++) {
        bool hidden = false;
        for (uint32_t k = 0; k < own; k++)
            hidden |= takes_all(&a->of[k], &from->of[i]);
        if (!hidden)
            SN_PUSH(rs->a, a->of, a->nof, from->of[i]);
    }
    a->error = 0.5;
    for (uint32_t i = 0; i < a->nof; i++)
        a->error = fmax(a->error, a->of[i].error);
    for (uint32_t i = 0; i < a->nof; i++)
        a->pairs.some |= sn_row_wraps(a->of[i].x);
    a->hash = text_hash(rs->a, a->text, from ? from->hash : 0);
    a->shipped = from_same_file(rs->defs, a);
}

/* Lemmas take float's results as the steps of the meaning, except for sums over
 * sets and where the zero point is added before rounding. */
static void
only_known(SnResolver *rs, SnDefArith *a)
{
    for (uint32_t i = 0; i < a->nof; i++) {
        const SnDefRowOf *r = &a->of[i];
        if (by_map(r->form) || r->is & SN_WHEN_AFTER)
            continue;
        sn_error(rs->d, r->row->pos, "SN190",
                 "arithmetic float computes '%s' by the steps of its meaning; "
                 "proofs rely on that",
                 sn_form_words[r->form].word);
        sn_diag_help(rs->d, "declare another arithmetic: "
                            "arithmetic NAME from float { .. }");
        fault(a);
    }
    if (a->pairs.some) {
        sn_error(rs->d, a->pos, "SN190",
                 "arithmetic float is that of every graph: it restricts no "
                 "types");
        sn_diag_help(rs->d, "declare another arithmetic: "
                            "arithmetic NAME from float { .. }");
        fault(a);
    }
}

static void
block(SnResolver *rs, SnDefArith *a)
{
    SnDefs *s = rs->defs;
    uint32_t at = a->from ? sn_named_at(s->arith, s->narith, a->from) : 0;

    if (a->visit)
        return;
    a->visit = 1;
    if (a->from && at == s->narith) {
        SnCands v = sn_cands(rs);
        for (uint32_t i = 0; i < s->narith; i++)
            sn_cands_add(&v, s->arith[i]->name, &s->arith[i]->pos);
        sn_resolve_unknown(rs, a->from_pos, "arithmetic", a->from, NULL, &v);
        fault(a);
    } else if (a->from) {
        block(rs, s->arith[at]);
        if (s->arith[at]->visit == 1) {
            sn_error(rs->d, a->from_pos, "SN190",
                     "arithmetic %s inherits from itself", a->name);
            fault(a);
        } else {
            a->base = s->arith[at];
            a->bad |= a->base->bad;
        }
    }
    ratio(rs, a);
    sn_resolve_pairs(rs, a);
    for (uint32_t i = 0; i < a->nscale; i++) {
        own_shifts(rs, a, a->scale[i]);
        uint32_t was = sn_named_at(a->scale, i, a->scale[i]->name);
        if (was < i) {
            sn_resolve_twice(rs, a->scale[i]->pos, "scale", a->scale[i]->name,
                             a->scale[was]->pos);
            fault(a);
        }
    }
    for (uint32_t i = 0, ok = !a->bad; ok && i < a->nrow; i++)
        row(rs, a, a->row[i]);
    if (a->number == SN_ROUNDING_FLOAT)
        only_known(rs, a);
    if (!a->bad)
        inherit(rs, a);
    a->visit = 2;
}

void
sn_resolve_ariths(SnResolver *rs)
{
    SnDefs *s = rs->defs;
    SnRounding number = SN_ROUNDING_FLOAT + 1;

    for (uint32_t i = 0; i < s->narith; i++) {
        uint32_t was = sn_named_at(s->arith, i, s->arith[i]->name);
        SnDefArith *a = s->arith[i];
        a->number =
            sn_name_same(a->name, "float") ? SN_ROUNDING_FLOAT : number++;
        if (number > 63) { /* SnProof.off */
            sn_error(rs->d, a->pos, "SN190",
                     "arithmetic %s is the 64th; there may be 63", a->name);
            fault(a);
        }
        if (was < i)
            sn_resolve_twice(rs, s->arith[i]->pos, "arithmetic",
                             s->arith[i]->name, s->arith[was]->pos);
    }
    for (uint32_t i = 0; i < s->narith; i++)
        if (s->arith[i]->number == SN_ROUNDING_FLOAT)
            block(rs, s->arith[i]);
    for (uint32_t i = 0; i < s->narith; i++)
        block(rs, s->arith[i]);
}
