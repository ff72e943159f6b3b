// SPDX-License-Identifier: Apache-2.0
/* Passes: which rules are tried at a node of each kind, and the tables that
 * the driver walks. */
#include "gen/rule/rule_gen.h"
#include "dsl/model/arith.h"

#include <string.h>

/* Consecutive written rules of a pass, in `prefer` order. */
typedef struct Group {
    const SnDefPass *pass;
    uint32_t number; /* among the pass's groups */
    uint32_t n;
    const SnDefRule **rule;
} Group;

static bool
same_step(const SnDefStep *a, const SnDefStep *b)
{
    return a->rule && b->rule && a->rule->custom == b->rule->custom;
}

/* Does a group of written rules start at step k? */
static bool
starts(const SnDefPass *p, uint32_t k)
{
    return p->step[k].rule &&
           (k == 0 || !same_step(&p->step[k - 1], &p->step[k]));
}

/* The group that starts at step *i, which becomes the step after it. */
static Group
group_at(const SnDefs *defs, const SnDefPass *p, uint32_t *i)
{
    Group g = {.pass = p};
    uint32_t k = *i;

    for (uint32_t j = 0; j < k; j++)
        g.number += starts(p, j);
    do
        SN_PUSH(defs->arena, g.rule, g.n, p->step[k].rule);
    while (++k < p->nstep && same_step(&p->step[k - 1], &p->step[k]));
    *i = k;
    return g;
}

/* ---- dispatch ---- */

/* The rules of the group that may match a root of kind n. */
static uint32_t
rules_for(const Group *g, const SnDefNode *n, const SnDefRule **v)
{
    uint32_t c = 0;

    for (uint32_t i = 0; i < g->n; i++)
        if (sn_rule_root_has(g->rule[i], n))
            v[c++] = g->rule[i];
    return c;
}

/* Several rules, some of which require one kind of operand 0. */
static bool
splits(const SnDefRule *const *v, uint32_t n)
{
    for (uint32_t i = 0; n > 1 && i < n; i++)
        if (sn_rule_operand0(v[i]))
            return true;
    return false;
}

bool
sn_rule_dispatched(const SnDefs *defs, const SnDefRule *r)
{
    const SnDefPass *p = r->pass;
    const SnDefRule **v =
        SN_NEW_N(defs->arena, const SnDefRule *, p->nrule + 1);

    if (!sn_rule_operand0(r))
        return false;
    for (uint32_t i = 0; i < p->nstep;) {
        if (!p->step[i].rule) {
            i++;
            continue;
        }
        Group g = group_at(defs, p, &i);
        bool here = false;
        for (uint32_t k = 0; k < g.n; k++)
            here |= g.rule[k] == r;
        for (uint32_t k = 0; here && k < defs->nnode; k++)
            if (sn_rule_root_has(r, defs->node[k]) &&
                !splits(v, rules_for(&g, defs->node[k], v)))
                return false;
    }
    return true;
}

static const char *
call(const SnDefs *defs, const SnDefRule *r)
{
    return sn_format(defs->arena, "%s(g, rw, id)", sn_rule_fn(defs, r));
}

/* return a(..) || b(..); of the rules that may match operand 0 of kind k
 * (NULL: none of the required kinds). */
static void
put_return(const SnDefs *defs, SnBuf *b, int indent, const SnDefRule *const *v,
           uint32_t n, const SnDefNode *k, bool all)
{
    bool any = false;

    sn_putf(b, "%*sreturn ", indent, "");
    for (uint32_t i = 0; i < n; i++) {
        const SnDefNode *o = sn_rule_operand0(v[i]);
        if (!all && o && o != k)
            continue;
        sn_putf(b, "%s%s", any ? " || " : "", call(defs, v[i]));
        any = true;
    }
    sn_puts(b, any ? ";\n" : "false;\n");
}

static void
put_operand0(const SnDefs *defs, SnBuf *b, const SnDefRule *const *v,
             uint32_t n)
{
    sn_puts(b, "        switch (sn_operand_kind(g, id)) {\n");
    for (uint32_t i = 0; i < n; i++) {
        const SnDefNode *k = sn_rule_operand0(v[i]);
        bool first = k != NULL;
        for (uint32_t j = 0; j < i; j++)
            first &= sn_rule_operand0(v[j]) != k;
        if (!first)
            continue;
        sn_putf(b, "        case SN_K_%s:\n", sn_upper(defs->arena, k->name));
        put_return(defs, b, 12, v, n, k, false);
    }
    sn_puts(b, "        default:\n");
    put_return(defs, b, 12, v, n, NULL, false);
    sn_puts(b, "        }\n");
}

static bool
same_rules(const SnDefRule *const *a, uint32_t na, const SnDefRule *const *b,
           uint32_t nb)
{
    return na == nb && !memcmp(a, b, na * sizeof *a);
}

static const char *
visit_name(const SnDefs *defs, const Group *g)
{
    const char *s = g->pass->name;

    if (g->pass->backend)
        s = sn_format(defs->arena, "%s_%s", s,
                      sn_lower(defs->arena, g->pass->backend->name));
    return g->number ? sn_format(defs->arena, "visit_%s_%u", s, g->number + 1)
                     : sn_format(defs->arena, "visit_%s", s);
}

/* A root of a kind that is declared later, in a plugin: `any CLASS` and `forms
 * KIND` check its descriptor. */
static void
put_later(const SnDefs *defs, SnBuf *b, const Group *g)
{
    SnArena *a = defs->arena;
    SnBuf t;

    sn_buf_init(&t, a);
    for (uint32_t i = 0; i < g->n; i++) {
        const SnDefRule *r = g->rule[i];
        const SnDefNode *o =
            sn_rule_dispatched(defs, r) ? sn_rule_operand0(r) : NULL;
        if (r->pat->pk == SN_P_CALL)
            continue;
        sn_puts(&t, t.n ? " || (" : "return (");
        if (r->pat->pk == SN_P_FORMS)
            sn_putf(&t, "sn_is_form(sn_node(g, id)->kind, SN_K_%s)",
                    sn_upper(a, r->pat->node->name));
        else
            sn_putf(&t, "sn_joins(sn_desc_in(g, sn_node(g, id)->kind), %u)",
                    sn_rule_join(defs, r->pat->cls));
        if (o)
            sn_putf(&t, " && sn_operand_kind(g, id) == SN_K_%s",
                    sn_upper(a, o->name));
        sn_putf(&t, " && %s)", call(defs, r));
    }
    sn_puts(b, "    default:\n");
    if (t.n) {
        sn_putf(b,
                "        if (sn_node(g, id)->kind < SN_K_END)\n"
                "            return false;\n        %s;\n",
                sn_buf_str(&t));
    } else {
        sn_puts(b, "        return false;\n");
    }
}

static void
put_visit(const SnDefs *defs, SnBuf *b, const Group *g)
{
    SnArena *a = defs->arena;
    const SnDefRule **v = SN_NEW_N(a, const SnDefRule *, g->n);
    const SnDefRule **w = SN_NEW_N(a, const SnDefRule *, g->n);
    bool *done = SN_NEW_N(a, bool, defs->nnode + 1);

    sn_putf(b, "\n/* %s: written rules, by the kind of the root. */\n",
            g->pass->name);
    sn_putf(b,
            "static bool\n%s(SnGraph *g, SnRewriter *rw, SnId id)\n{\n"
            "    switch (sn_node(g, id)->kind) {\n",
            visit_name(defs, g));
    for (uint32_t i = 0; i < defs->nnode; i++) {
        uint32_t n = done[i] ? 0 : rules_for(g, defs->node[i], v);
        if (n == 0)
            continue;
        for (uint32_t k = i; k < defs->nnode; k++) {
            if (done[k] || !same_rules(v, n, w, rules_for(g, defs->node[k], w)))
                continue;
            done[k] = true;
            sn_putf(b, "    case SN_K_%s:\n", sn_upper(a, defs->node[k]->name));
        }
        if (splits(v, n))
            put_operand0(defs, b, v, n);
        else
            put_return(defs, b, 8, v, n, NULL, true);
    }
    put_later(defs, b, g);
    sn_puts(b, "    }\n}\n");
}

/* ---- sets of kinds ---- */

/* Each kind of node that sinks has its own routine. */
static const char *
family(const SnDefs *defs, const SnDefDerive *v)
{
    const SnDefNode *n = v->what ? sn_def_node(defs, v->what) : NULL;
    const SnDefSem *s = n ? n->rsem[0] : NULL;

    if (v->fam != SN_FAM_SINK || !s)
        return sn_upper(defs->arena, v->family);
    if (s->cls == SN_C_CONVERT)
        return n->tuple[0].out[0].elem == SN_F32 ? "DEQUANT" : "SINK";
    return s->over == SN_MW_RESHAPE ? "REGROUP" : "LAYOUT";
}

uint32_t
sn_rule_join(const SnDefs *defs, const void *derive_or_class)
{
    uint32_t i = 0;

    while (i < defs->nderive && defs->derive[i] != derive_or_class)
        i++;
    while (i >= defs->nderive &&
           defs->cls[i - defs->nderive] != derive_or_class)
        i++;
    return i;
}

/* The kinds that take part by the rows of sn_kinds.c, for the reader. */
static void
put_kinds(const SnDefs *defs, SnBuf *b, const SnDefPass *p,
          const SnDefDerive *v)
{
    SnBuf t;

    sn_buf_init(&t, defs->arena);
    for (uint32_t i = 0; i < defs->nnode; i++) {
        const SnDefNode *n = defs->node[i];
        if (v->member[n->kind / 64] >> n->kind % 64 & 1)
            sn_putf(&t, "%s%s", t.n ? " " : "", n->name);
    }
    sn_putf(b, "\n/* %s.%s: kinds that take part\n", p->name, v->family);
    sn_rule_quote(b, " *   ", t.n ? sn_buf_str(&t) : "none");
    sn_puts(b, " */\n");
}

/* ---- tables ---- */

static const char *
claim(SnArena *a, const SnDefClaim *c)
{
    static const char *const name[] = {
        [SN_CLAIM_NONE] = "NONE",     [SN_CLAIM_EXACT] = "EXACT",
        [SN_CLAIM_WITHIN] = "WITHIN", [SN_CLAIM_REFINES] = "REFINES",
        [SN_CLAIM_REAL] = "REAL",     [SN_CLAIM_LOSSY] = "LOSSY"};
    return sn_format(a, "{ SN_CLAIM_%s, %s }", name[c->kind],
                     sn_lit_f64(a, c->kind == SN_CLAIM_WITHIN ? c->n
                                   : c->kind == SN_CLAIM_REAL ? c->real
                                                              : 0));
}

static void
put_steps(const SnDefs *defs, SnBuf *b, const SnDefPass *p, const char *name)
{
    sn_putf(b, "static const SnStep steps_%s[] = {\n", name);
    for (uint32_t i = 0; i < p->nstep;) {
        const SnDefDerive *v = p->step[i].derive;
        if (v) {
            sn_putf(b,
                    "    { .family = SN_FAM_%s, .rule = %s,\n"
                    "      .join = %u },\n",
                    family(defs, v), sn_rule_derive_enum(defs, v),
                    sn_rule_join(defs, v));
            i++;
            continue;
        }
        const char *f = p->step[i].rule->custom ? "CUSTOM"
                        : p->lowering           ? "LOWER"
                                                : "WRITTEN";
        Group g = group_at(defs, p, &i);
        sn_putf(b, "    { .family = SN_FAM_%s, .visit = %s },\n", f,
                visit_name(defs, &g));
    }
    sn_puts(b, "};\n");
}

static const char *
pass_name(const SnDefs *defs, const SnDefPass *p)
{
    return p->backend ? sn_format(defs->arena, "%s_%s", p->name,
                                  sn_lower(defs->arena, p->backend->name))
                      : p->name;
}

static void
put_pass_parts(const SnDefs *defs, SnBuf *b, const SnDefPass *p)
{
    const char *name = pass_name(defs, p);

    for (uint32_t i = 0; i < p->nstep;) {
        if (p->step[i].derive) {
            put_kinds(defs, b, p, p->step[i++].derive);
            continue;
        }
        Group g = group_at(defs, p, &i);
        put_visit(defs, b, &g);
    }
    sn_putc(b, '\n');
    if (p->nallow)
        sn_putf(b, "static const SnClaim allow_%s[] = {", name);
    for (uint32_t i = 0; i < p->nallow; i++)
        sn_putf(b, "%s %s%s", i ? "," : "", claim(defs->arena, &p->allow[i]),
                i + 1 < p->nallow ? "" : " };\n");
    if (p->nstep)
        put_steps(defs, b, p, name);
}

static void
put_passes(const SnDefs *defs, SnBuf *b)
{
    sn_rule_table(b, defs, "SnPassDesc", "passes");
    for (uint32_t i = 0; i < defs->npass; i++) {
        const SnDefPass *p = defs->pass[i];
        if (!sn_defs_mine(defs, p->backend))
            continue;
        const char *name = pass_name(defs, p);
        sn_putf(b, "    { .name = \"%s\", .doc = %s,\n      .backend = %s",
                p->name, sn_lit_str(b->a, p->doc ? p->doc : ""),
                sn_lit_str(b->a, p->backend ? p->backend->name : NULL));
        if (p->lowering)
            sn_puts(b, ", .lowering = true");
        if (p->nallow)
            sn_putf(b, ",\n      .nallow = %u, .allow = allow_%s", p->nallow,
                    name);
        uint32_t n = 0;
        for (uint32_t k = 0; k < p->nstep; n++)
            if (p->step[k].derive)
                k++;
            else
                group_at(defs, p, &k);
        if (n)
            sn_putf(b, ",\n      .nstep = %u, .step = steps_%s", n, name);
        if (p->worklist)
            sn_puts(b, ",\n      .worklist = true");
        sn_puts(b, " },\n");
    }
    sn_rule_table_end(b, defs, "pass", defs->npass);
}

static void
put_pipelines(const SnDefs *defs, SnBuf *b)
{
    for (uint32_t i = 0; i < defs->npipeline; i++) {
        const SnDefPipeline *p = defs->pipeline[i];
        sn_putf(b, "\nstatic const char *const pipeline_%s[] = { ", p->name);
        for (uint32_t k = 0; k < p->npass; k++)
            sn_putf(b, "\"%s\", ", p->pass[k]);
        sn_puts(b, "NULL };\n");
    }
    sn_puts(b, "\nconst SnPipelineDesc sn_pipelines[] = {\n");
    for (uint32_t i = 0; i < defs->npipeline; i++)
        sn_putf(b, "    { \"%s\", pipeline_%s },\n", defs->pipeline[i]->name,
                defs->pipeline[i]->name);
    if (!defs->npipeline)
        sn_puts(b, "    { .name = NULL },\n");
    sn_putf(b, "};\nconst uint32_t sn_npipeline = %u;\n", defs->npipeline);
}

static void
put_rule(const SnDefs *defs, SnBuf *b, const SnDefRule *r)
{
    SnArena *a = defs->arena;

    sn_putf(b,
            "    [%s%s] =\n    { .pass = \"%s\", .name = \"%s\", "
            ".family = SN_FAM_%s,\n      .claim = %s",
            sn_rule_enum(defs, r), defs->is_plugin ? " - SN_RULE_END" : "",
            r->pass->name, r->name,
            r->custom  ? "CUSTOM"
            : r->lower ? "LOWER"
                       : "WRITTEN",
            claim(a, &r->claim));
    if (r->nunder) {
        sn_putf(b, ",\n      .nunder = %u, .under = (const SnUnder[]){",
                r->nunder);
        for (uint32_t i = 0; i < r->nunder; i++)
            sn_putf(b, " { %u, %s }%s", r->under[i].by,
                    claim(a, &r->under[i].claim),
                    i + 1 < r->nunder ? "," : " }");
    }
    if (r->other.kind != SN_CLAIM_NONE)
        sn_putf(b, ",\n      .other = %s", claim(a, &r->other));
    if (r->optin)
        sn_putf(b, ", .optin = %s", sn_lit_str(b->a, r->optin));
    if (r->backend)
        sn_putf(b, ", .backend = \"%s\"", r->backend->name);
    if (defs->is_plugin)
        sn_putf(b, ", .where = \"%s\"", sn_where(a, r->pos));
    else
        sn_putf(b, ", .where = sn_rule_where[%s]", sn_rule_enum(defs, r));
    sn_putf(b, ",\n      .text = %s",
            sn_lit_lines(a, r->text, "\n              "));
    if (r->requires)
        sn_putf(b, ",\n      .supported = %s_supported", sn_rule_fn(defs, r));
    sn_puts(b, " },\n");
}

static void
put_derive(const SnDefs *defs, SnBuf *b, const SnDefDerive *v)
{
    SnArena *a = defs->arena;
    const char *c = v->fam == SN_FAM_SINK         ? "EXACT, 0.0"
                    : v->fam == SN_FAM_INTEGERIZE ? "WITHIN, 1.0"
                                                  : "REFINES, 0.0";

    sn_putf(b,
            "    [%s] =\n    { .pass = \"%s\", .name = \"%s\", "
            ".family = SN_FAM_%s,\n      .claim = { SN_CLAIM_%s }, "
            ".where = sn_rule_where[%s],\n      .text = %s },\n",
            sn_rule_derive_enum(defs, v), sn_rule_derive_pass(defs, v)->name,
            sn_rule_derive_name(defs, v), family(defs, v), c,
            sn_rule_derive_enum(defs, v),
            sn_lit_lines(a, sn_rule_derive_text(a, v), "\n              "));
}

static void
put_rules(const SnDefs *defs, SnBuf *b)
{
    bool any = false;

    sn_rule_table(b, defs, "SnRuleDesc", "rules");
    for (uint32_t i = 0; i < defs->nrule; i++)
        if (sn_defs_mine(defs, defs->rule[i]->backend)) {
            put_rule(defs, b, defs->rule[i]);
            any = true;
        }
    for (uint32_t i = 0; i < defs->nderive && !defs->is_plugin; i++)
        put_derive(defs, b, defs->derive[i]);
    if (defs->is_plugin && !any)
        sn_puts(b, "    { .pass = NULL },\n");
    sn_rule_table_end(b, defs, "rule", defs->nrule + defs->nderive);
}

/* Does the entry belong to the plugin: to its rule or its arithmetic? */
static bool
off_here(const SnDefs *defs, const SnDefOff *o)
{
    bool mine = o->rule && o->rule->backend && defs->is_plugin &&
                o->rule->backend == defs->plugin;

    for (uint32_t i = 0; i < defs->narith; i++)
        if (defs->arith[i]->number == o->by && defs->arith[i]->plugin)
            mine = true;
    return defs->is_plugin ? mine
                           : !o->rule || sn_defs_mine(defs, o->rule->backend);
}

uint32_t
sn_emit_off(SnBuf *b, const SnDefs *defs)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < defs->noff; i++) {
        const SnDefOff *o = &defs->off[i];
        if (!off_here(defs, o))
            continue;
        if (b && n == 0)
            sn_rule_table(b, defs, "SnRuleOff", "off");
        n++;
        if (!b)
            continue;
        sn_putf(b, "    { %s, ",
                o->rule     ? sn_rule_enum(defs, o->rule)
                : o->derive ? sn_rule_derive_enum(defs, o->derive)
                            : "SN_RULE_EXCHANGE");
        sn_putf(b, o->node ? "SN_K_%s, %u },\n" : "0%s, %u },\n",
                o->node ? sn_upper(defs->arena, o->node->name) : "", o->by);
    }
    if (b && n)
        sn_puts(b, "};\n");
    if (b && !n && !defs->is_plugin)
        sn_puts(b, "\nconst SnRuleOff sn_core_off[1] = { { 0 } };\n");
    if (b && !defs->is_plugin)
        sn_putf(b, "const uint32_t sn_core_noff = %u;\n", n);
    return n;
}

void
sn_emit_passes(const SnDefs *defs, SnBuf *b)
{
    for (uint32_t i = 0; i < defs->npass; i++)
        if (sn_defs_mine(defs, defs->pass[i]->backend))
            put_pass_parts(defs, b, defs->pass[i]);
    sn_emit_off(b, defs);
    put_passes(defs, b);
    if (!defs->is_plugin)
        put_pipelines(defs, b);
    put_rules(defs, b);
}
