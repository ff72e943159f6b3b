// SPDX-License-Identifier: Apache-2.0
#include "quant/reasons.h"

#include <stdlib.h>
#include <string.h>
#include "sn_kind_rescale.h"

uint32_t
sn_count_rescales(const SnGraph *g)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += g->node[id] && !g->node[id]->dead &&
             g->node[id]->kind == SN_K_RESCALE;
    return n;
}

static int
ascending(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

/* What was declined at the Rescale, at what makes its operand and at what
 * reads it: numbers in v, ascending. */
static uint32_t
about(SnArena *a, const SnGraph *g, const SnRewriter *rw, SnId id, uint32_t **v)
{
    const SnDeclined *dec = sn_declines(rw);
    uint32_t n = 0, m = 0, nnode = 0;
    uint32_t *node = SN_NEW_N(a, uint32_t, sn_nuse(g, SN_REF(id, 0)) + 2u);

    node[nnode++] = id;
    node[nnode++] = SN_NODE(sn_in(g, id, 0));
    for (const SnUse *u = sn_node(g, id)->res[0].uses; u; u = u->next)
        node[nnode++] = u->user;
    qsort(node, nnode, sizeof *node, ascending);
    for (uint32_t i = 0; i < nnode; i++)
        if (i == 0 || node[i] != node[i - 1])
            for (uint32_t k = sn_declines_of(rw, node[i]); k; k = dec[k].before)
                n++;
    *v = SN_NEW_N(a, uint32_t, n + 1u);
    for (uint32_t i = 0; i < nnode; i++)
        if (i == 0 || node[i] != node[i - 1])
            for (uint32_t k = sn_declines_of(rw, node[i]); k; k = dec[k].before)
                (*v)[m++] = k;
    qsort(*v, n, sizeof **v, ascending);
    return n;
}

static bool
concerns(const SnGraph *g, SnId rescale, SnId node)
{
    if (node == rescale || SN_NODE(sn_in(g, rescale, 0)) == node)
        return true;
    for (const SnUse *u = sn_node(g, rescale)->res[0].uses; u; u = u->next)
        if (u->user == node)
            return true;
    return false;
}

static bool
is_wanted(const SnGraph *g, SnId rescale, SnRef node)
{
    return !node || SN_NODE(node) == rescale ||
           concerns(g, rescale, SN_NODE(node));
}

static bool
is_listed(const SnWhyRescale *w, const SnReason *r)
{
    for (uint32_t i = 0; i < w->nreason; i++)
        if (w->reason[i].rule == r->rule &&
            !strcmp(w->reason[i].node, r->node) &&
            !strcmp(w->reason[i].text, r->text))
            return true;
    return false;
}

static void
collect(SnArena *a, const SnGraph *g, const SnRewriter *rw, SnId id,
        SnWhyRescale *w)
{
    uint32_t *v, n = about(a, g, rw, id, &v);

    w->name = sn_strdup(a, sn_name(g, SN_REF(id, 0)));
    w->from = sn_type_str(a, sn_type(g, sn_in(g, id, 0)));
    w->to = sn_type_str(a, sn_type(g, SN_REF(id, 0)));
    w->producer = sn_label(g, SN_NODE(sn_in(g, id, 0)), a);
    for (uint32_t i = 0; i < n; i++) {
        const SnDeclined *dec = &sn_declines(rw)[v[i]];
        SnFamilyId f = sn_rule(dec->rule)->family;
        /* A guard of a written rule is about its own node, and moves of data
         * are not about this Rescale. */
        if (f == SN_FAM_LAYOUT || f == SN_FAM_REGROUP || f == SN_FAM_DEQUANT ||
            (f == SN_FAM_WRITTEN && dec->node != id))
            continue;
        SnReason r = {dec->rule, sn_label(g, dec->node, a),
                      sn_strdup(a, dec->text)};
        if (!is_listed(w, &r))
            SN_PUSH(a, w->reason, w->nreason, r);
    }
}

/* ---- rules that do not even match ---- */

/* The pattern of "rule NAME: PATTERN let .. => ..", as written. */
static const char *
pattern_of(SnArena *a, const char *text)
{
    const char *s = strchr(text, ':'), *end = s ? strstr(s, "=>") : NULL;
    const char *let = s ? strstr(s, " let ") : NULL;

    if (!end)
        return NULL;
    for (s++; *s == ' ' || *s == '\n';)
        s++;
    end = let && let < end ? let : end;
    while (end > s && (end[-1] == ' ' || end[-1] == '\n'))
        end--;
    return sn_strndup(a, s, (size_t)(end - s));
}

static bool
starts_with_kind(const char *pattern, const char *kind)
{
    size_t n = strlen(kind);

    return !strncmp(pattern, kind, n) && pattern[n] == '(';
}

static bool
in_list(const char *names, const char *pass)
{
    size_t n = strlen(pass);

    for (const char *s = names; s; s = strchr(s, ',')) {
        s += *s == ',';
        if (!strncmp(s, pass, n) && (s[n] == ',' || !s[n]))
            return true;
    }
    return false;
}

/* Written rules of these passes that are about a Rescale and were not tried
 * at this one, as its operand is not what they ask for. */
static void
unmatched(SnArena *a, const SnGraph *g, SnId id, const char *passes,
          SnWhyRescale *w)
{
    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        const SnRuleDesc *r = sn_rule(i);
        const char *p =
            r->family == SN_FAM_WRITTEN && r->text && in_list(passes, r->pass)
                ? pattern_of(a, r->text)
                : NULL;
        bool said = false;
        if (!p || !starts_with_kind(p, sn_desc(sn_node(g, id)->kind)->name))
            continue;
        for (uint32_t k = 0; k < w->nreason; k++)
            said |= w->reason[k].rule == i;
        if (said)
            continue;
        SnReason x = {(uint16_t)i, sn_label(g, id, a),
                      sn_format(a, "%s: %s does not match, the operand is %s",
                                r->name, p, w->producer)};
        SN_PUSH(a, w->reason, w->nreason, x);
    }
}

SnStatus
sn_why_rescales(SnArena *a, const SnGraph *g, const SnRewriteOpts *o,
                const char *passes, const char *node, SnDiag *d, SnWhy *out)
{
    SnGraph *c = sn_graph_clone(g, a);
    SnRewriter *first = sn_rewriter_new(a, o, d);
    SnRewriter *second = sn_rewriter_new(a, o, d);
    SnRef at = 0;
    uint32_t n;

    memset(out, 0, sizeof *out);
    if (node && !(at = sn_find(c, node)))
        return sn_fail(d, SN_EUSAGE, node, "no value has this name");
    SN_TRY(sn_rewrite(first, c, passes));
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        out->nfire += sn_rule_count(first, (uint16_t)i);
    if (node)
        at = sn_find(c, node);
    sn_record_declined(second, true);
    SN_TRY(sn_rewrite(second, c, passes));
    SnId *topo = sn_topo(c, a, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (sn_node(c, topo[i])->kind != SN_K_RESCALE || (node && !at) ||
            !is_wanted(c, topo[i], at))
            continue;
        SnWhyRescale w = {0};
        collect(a, c, second, topo[i], &w);
        unmatched(a, c, topo[i], passes, &w);
        SN_PUSH(a, out->rescale, out->n, w);
    }
    return SN_OK;
}
