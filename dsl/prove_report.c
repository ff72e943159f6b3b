/* Reports, the cache of proofs, counterexamples as graphs. */
#include "dsl/prove_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/data.h"
#include "base/file.h"
#include "dsl/resolve.h"

/* ---- the report ---- */

static const char *
layer_str(SnLayer l)
{
    static const char *const v[] = {"lemma",      "enumerated", "sampled",
                                    "definition", "trusted",    "interface",
                                    "refused"};

    return v[l];
}

static const char *
guard_str(const Pv *pv, const SnProof *p, const PvRule *pr)
{
    SnBuf b;

    sn_buf_init(&b, pv->a);
    if (pr && pr->guard)
        sn_puts(&b, pr->guard);
    if (p->rule->when) {
        sn_puts(&b, b.n ? "; " : "");
        sn_put_expr(&b, p->rule->when);
    }
    return sn_buf_str(&b);
}

static const char *
at(const Pv *pv, SnPos pos)
{
    return pos.src ? sn_format(pv->a, "%s:%u", sn_path_base(pos.src->name),
                               pos.line)
                   : "-";
}

static void
put_line(const Pv *pv, SnBuf *b, const SnProof *p)
{
    sn_putf(b, "%-38s %-16s %-10s", p->name, at(pv, p->pos),
            layer_str(p->layer));
    sn_putf(b, " %-13s", p->claim);
    if (*p->best && strcmp(p->best, p->claim))
        sn_putf(b, " best: %s;", p->best);
    if (*p->lemmas)
        sn_putf(b, " by %s;", p->lemmas);
    if (p->ndraw)
        sn_putf(b, " %u type draws, %llu values", p->ndraw,
                (unsigned long long)p->nvalue);
    if (p->diff > 0)
        sn_putf(b, ", differing by up to %.0f", p->diff);
    if (p->why)
        sn_putf(b, "%s%s", p->ndraw ? "; " : " ", p->why);
    sn_putc(b, '\n');
    if (p->guard && *p->guard)
        sn_putf(b, "    when %s\n", p->guard);
}

void
sn_pv_report(const Pv *pv, SnBuf *b)
{
    uint32_t count[7] = {0}, ndraw = 0;
    uint64_t nvalue = 0;

    sn_puts(b, "# rule or instance, source, layer, claim, evidence; guard\n"
               "# lemma: for all shapes and scales; enumerated: all 256 codes "
               "over the types drawn;\n"
               "# sampled: values drawn; definition, trusted, interface: with "
               "the reason\n");
    for (uint32_t i = 0; i < pv->out->n; i++) {
        SnProof *p = &pv->out->v[i];
        count[p->layer]++;
        ndraw += p->ndraw;
        nvalue += p->nvalue;
        put_line(pv, b, p);
    }
    sn_puts(b, "\n# trusted\n");
    for (uint32_t i = 0; i < pv->out->n; i++)
        if (pv->out->v[i].layer == SN_LAYER_TRUSTED)
            sn_putf(b, "%s (%s): %s\n", pv->out->v[i].name,
                    at(pv, pv->out->v[i].pos), pv->out->v[i].why);
    if (!count[SN_LAYER_TRUSTED])
        sn_puts(b, "none\n");
    sn_putf(b, "\n# %u proofs: ", pv->out->n);
    for (uint32_t i = 0; i < 7; i++)
        if (count[i])
            sn_putf(b, "%u %s, ", count[i], layer_str((SnLayer)i));
    sn_putf(b, "%u type draws, %llu values\n", ndraw,
            (unsigned long long)nvalue);
}

const char *
sn_pv_guard_text(const Pv *pv, const SnProof *p, const PvRule *pr)
{
    return guard_str(pv, p, pr);
}

/* ---- the cache ---- */

static uint64_t
mix(uint64_t h, const void *p, size_t n)
{
    const unsigned char *s = p;

    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 29);
}

/* Of the declarations' text, the options and the prover itself. */
const char *
sn_pv_hash(const Pv *pv)
{
    static const char version[] = "proofs 1";
    uint64_t h = mix(UINT64_C(0xcbf29ce484222325), version, sizeof version);
    uint32_t nd = pv->o ? pv->o->ndraw : 0;
    uint64_t seed = pv->o ? pv->o->seed : 0;

    for (uint32_t i = 0; i < pv->defs->nsrc; i++)
        h = mix(h, pv->defs->src[i]->text, pv->defs->src[i]->nbyte);
    h = mix(h, &nd, sizeof nd);
    h = mix(h, &seed, sizeof seed);
    return sn_format(pv->a, "# hash %016llx\n", (unsigned long long)h);
}

bool
sn_pv_cached(Pv *pv, const char *hash)
{
    SnDiag *quiet = sn_diag_new(pv->a);
    char *text;
    size_t n, k = strlen(hash);

    if (!sn_file_exists(pv->o->cache) ||
        sn_file_read(pv->a, quiet, pv->o->cache, 1 << 24, &text, &n) ||
        n < k || strncmp(text, hash, k))
        return false;
    pv->out->cached = true;
    pv->out->report = text + k;
    return true;
}

void
sn_pv_store(Pv *pv, const char *hash)
{
    const char *s = sn_format(pv->a, "%s%s", hash, pv->out->report);

    sn_file_update(pv->d, pv->o->cache, s, strlen(s));
}

/* ---- a case as a graph ---- */

typedef struct Out {
    SnBuf b;
    PvCase *c;
    const PvNode *node[64];
    const PvT *leaf[32];
    uint32_t nnode, nleaf;
} Out;

static const char *const elem_name[] = {"f32",  "f16", "qi8", "qi16", "qi32",
                                        "row8", "i8",  "i32", "i64",  "bool"};

static void
put_type(Out *o, const PvT *t)
{
    const PvType *k = &t->type;

    sn_puts(&o->b, elem_name[(int)k->elem]);
    if (k->nq == 1 && k->axis < 0) {
        sn_putc(&o->b, '<');
        sn_put_f32(&o->b, k->scale[0]);
        sn_putf(&o->b, ", %d>", k->zp[0]);
    } else if (k->nq) {
        sn_puts(&o->b, "<axis=0, [");
        for (uint32_t i = 0; i < k->nq; i++) {
            sn_puts(&o->b, i ? ", " : "");
            sn_put_f32(&o->b, k->scale[i]);
        }
        sn_puts(&o->b, "], [");
        for (uint32_t i = 0; i < k->nq; i++)
            sn_putf(&o->b, "%s%d", i ? ", " : "", k->zp[i]);
        sn_puts(&o->b, "]>");
    }
    sn_putc(&o->b, '[');
    for (int i = 0; i < t->rank; i++)
        sn_putf(&o->b, "%s%lld", i ? ", " : "", (long long)t->dim[i]);
    sn_putc(&o->b, ']');
}

static void put_value(Out *o, const PvT *t);

static void
put_leaf_node(Out *o, const PvT *t)
{
    for (uint32_t i = 0; i < o->nleaf; i++)
        if (o->leaf[i] == t)
            return;
    if (o->nleaf == 32)
        return;
    o->leaf[o->nleaf] = t;
    sn_putf(&o->b, "  %%x%u = Constant() {data = [", o->nleaf++);
    for (int64_t i = 0; i < t->n; i++) {
        sn_puts(&o->b, i ? ", " : "");
        if (t->type.elem == SN_DE_F32)
            sn_put_f32(&o->b, (float)t->v[i]);
        else
            sn_putf(&o->b, "%.0f", t->v[i]);
    }
    sn_puts(&o->b, "]} : ");
    put_type(o, t);
    sn_putc(&o->b, '\n');
}

static void
put_attr(Out *o, const SnDefAttr *a, const PvVal *v)
{
    sn_putf(&o->b, "%s = ", a->name);
    switch (a->ty) {
    case SN_AT_RANGE:
        sn_puts(&o->b, "[");
        if (v->rg.has_lo)
            sn_put_f32(&o->b, (float)v->rg.lo);
        else
            sn_putc(&o->b, '_');
        sn_puts(&o->b, ", ");
        if (v->rg.has_hi)
            sn_put_f32(&o->b, (float)v->rg.hi);
        else
            sn_putc(&o->b, '_');
        sn_puts(&o->b, "]");
        return;
    case SN_AT_ENUM:
        sn_puts(&o->b, v->r >= 0 && v->r < a->nword ? a->word[(int)v->r]
                                                    : "?");
        return;
    case SN_AT_BOOL:
        sn_puts(&o->b, v->r != 0 ? "true" : "false");
        return;
    case SN_AT_REAL:
        sn_put_f32(&o->b, (float)v->r);
        return;
    case SN_AT_INTS:
    case SN_AT_REALS:
        sn_putc(&o->b, '[');
        for (uint32_t i = 0; i < v->n; i++)
            sn_putf(&o->b, "%s%.9g", i ? ", " : "", v->list[i]);
        sn_putc(&o->b, ']');
        return;
    default:
        sn_putf(&o->b, "%.0f", v->r);
    }
}

/* Ranges that are open are left out: their default. */
static void
put_attrs(Out *o, const PvNode *n, const PvT *y)
{
    bool any = false;

    for (uint32_t i = 0; i < n->n->nall; i++) {
        const SnDefAttr *a = n->n->all[i];
        PvVal v = n->attr[i];
        if (a->ty == SN_AT_RANGE && !v.rg.has_lo && !v.rg.has_hi)
            continue;
        if (a->ty == SN_AT_STR || a->ty == SN_AT_TYPE)
            continue;
        if (!strcmp(a->name, "dims") && n->n->nin == 0) {
            double *d = SN_NEW_N(o->c->a, double, y->rank + 1);
            for (int k = 0; k < y->rank; k++)
                d[k] = (double)y->dim[k];
            v.n = (uint32_t)y->rank;
            v.list = d;
        }
        sn_puts(&o->b, any ? ", " : " {");
        put_attr(o, a, &v);
        any = true;
    }
    if (any)
        sn_putc(&o->b, '}');
}

static void
put_name(Out *o, const PvT *t)
{
    if (!t) {
        sn_putc(&o->b, '_');
        return;
    }
    for (uint32_t i = 0; i < o->nleaf; i++)
        if (o->leaf[i] == t) {
            sn_putf(&o->b, "%%x%u", i);
            return;
        }
    for (uint32_t i = 0; i < o->nnode; i++)
        if (o->node[i] == t->def) {
            sn_putf(&o->b, "%%n%u", i);
            if (t->res)
                sn_putf(&o->b, ":%u", t->res);
            return;
        }
}

static void
put_node(Out *o, const PvNode *n)
{
    for (uint32_t i = 0; i < o->nnode; i++)
        if (o->node[i] == n)
            return;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s])
            put_value(o, n->in[s]);
    if (o->nnode == 64)
        return;
    o->node[o->nnode] = n;
    sn_putf(&o->b, "  %%n%u = %s(", o->nnode++, n->n->name);
    for (uint32_t s = 0; s < n->nin; s++) {
        sn_puts(&o->b, s ? ", " : "");
        put_name(o, n->in[s]);
    }
    sn_putc(&o->b, ')');
    put_attrs(o, n, n->out[0]);
    sn_puts(&o->b, n->n->nout > 1 ? " : (" : " : ");
    for (uint32_t i = 0; i < n->n->nout && i < PV_MAXRES; i++) {
        sn_puts(&o->b, i ? ", " : "");
        put_type(o, n->out[i]);
    }
    sn_puts(&o->b, n->n->nout > 1 ? ")\n" : "\n");
}

static void
put_value(Out *o, const PvT *t)
{
    if (t->def && !t->leaf)
        put_node(o, t->def);
    else if (t->v)
        put_leaf_node(o, t);
}

const char *
sn_pv_case_graph(PvCase *c, PvT *l, PvT *r)
{
    Out o = {.c = c};

    sn_buf_init(&o.b, c->a);
    sn_puts(&o.b, "sinter-graph 1\ngraph \"counterexample\" {\n");
    put_value(&o, l);
    put_value(&o, r);
    sn_puts(&o.b, "  Save(");
    put_name(&o, l);
    sn_puts(&o.b, ") {name = \"left\"}\n  Save(");
    put_name(&o, r);
    sn_puts(&o.b, ") {name = \"right\"}\n}\n");
    return sn_buf_str(&o.b);
}
