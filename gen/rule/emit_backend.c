// SPDX-License-Identifier: Apache-2.0
/* Backends: what they support and keep, their hooks and kernels. */
#include "gen/rule/rule_gen.h"

#include <string.h>

typedef struct Line { /* one for each tuple that a kernel line covers */
    const SnDefNode *node;
    const SnDefKernel *k;
    uint32_t tuple;
} Line;
typedef struct Kernels {
    uint32_t n;
    Line *line;
    uint32_t nfn, nprep; /* distinct functions */
    const char **fn, **prep;
} Kernels;

static const char *
lower(const SnDefs *defs, const SnDefBackend *k)
{
    return sn_lower(defs->arena, k->name);
}

static void
add_name(SnArena *a, const char ***v, uint32_t *n, const char *name)
{
    if (sn_name_among(*v, *n, name))
        return;
    SN_PUSH(a, *v, *n, name);
}

static void
add_lines(const SnDefs *defs, Kernels *v, const SnDefNode *n,
          SnDefKernel *const *k, uint32_t nk)
{
    for (uint32_t j = 0; j < nk; j++) {
        add_name(defs->arena, &v->fn, &v->nfn, k[j]->fn);
        if (k[j]->prepare)
            add_name(defs->arena, &v->prep, &v->nprep, k[j]->prepare);
        for (uint32_t t = 0; t < k[j]->ntuple; t++) {
            Line l = {n, k[j], k[j]->tuple[t]};
            SN_PUSH(defs->arena, v->line, v->n, l);
        }
    }
}

/* The kernels of the backend's own nodes, then those for other nodes. */
static Kernels
kernels(const SnDefs *defs, const SnDefBackend *k)
{
    Kernels v = {.n = 0};

    for (uint32_t i = 0; i < defs->nnode; i++)
        if (defs->node[i]->backend == k)
            add_lines(defs, &v, defs->node[i], defs->node[i]->kernel,
                      defs->node[i]->nkernel);
    for (uint32_t i = 0; i < k->nkernels; i++)
        add_lines(defs, &v, k->kernels[i]->node, k->kernels[i]->kernel,
                  k->kernels[i]->nkernel);
    return v;
}

const char *
sn_emit_kernels_name(const SnDefs *defs, const SnDefBackend *k)
{
    return k->kernels_h
               ? k->kernels_h
               : sn_format(defs->arena, "%s_kernels.h", lower(defs, k));
}

/* The header for kernels, their prepare functions and hooks, in the tree and
 * outside it. */
static void
emit_header(const SnDefs *defs, const SnDefBackend *k, const Kernels *v,
            const char *outdir, SnDiag *d)
{
    SnArena *a = defs->arena;
    const char *lines =
        sn_emit_core(defs, k->nhook ? "#include \"graph/desc.h\"\n"
                                      "#include \"rewrite/rewrite.h\"\n"
                                    : "#include \"graph/desc.h\"\n");
    SnBuf b;

    /* In the tree, a kernel that uses no attribute is not recompiled for a new
     * node. */
    if (defs->is_plugin)
        lines = sn_format(a, "%s#include \"%s\"\n", lines,
                          sn_emit_name(defs, "kinds.h"));
    sn_emit_header(&b, a, sn_format(a, "The kernels of backend %s.", k->name),
                   sn_format(a, "SN_%s_KERNELS_H", sn_upper(a, k->name)),
                   lines);
    for (uint32_t i = 0; i < v->nfn; i++)
        sn_putf(&b, "SnEvalFn %s;\n", v->fn[i]);
    for (uint32_t i = 0; i < v->nprep; i++)
        sn_putf(&b, "%sSnPrepareFn %s;\n", i ? "" : "\n", v->prep[i]);
    for (uint32_t i = 0; i < k->nhook; i++)
        sn_putf(&b, "%sSnLowerFn %s;\n", i ? "" : "\n", k->hook_fn[i]);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_emit_kernels_name(defs, k), d);
}

static void
put_kernels(const SnDefs *defs, SnBuf *b, const SnDefBackend *k,
            const Kernels *v)
{
    SnArena *a = defs->arena;

    sn_putf(b, "static const SnKernelDesc %s_kernels[] = {\n", lower(defs, k));
    for (uint32_t i = 0; i < v->n; i++) {
        const Line *l = &v->line[i];
        sn_putf(b, "    { SN_K_%s, %u, \"%s\", %s, %s, %s },\n",
                sn_upper(a, l->node->name), l->tuple, l->k->fn, l->k->fn,
                l->k->prepare ? l->k->prepare : "NULL",
                l->k->late ? "true" : "false");
    }
    sn_puts(b, "};\n");
}

static void
put_keep(const SnDefs *defs, SnDiag *d, SnBuf *b, const SnDefBackend *k)
{
    SnArena *a = defs->arena;
    const char *lo = lower(defs, k);
    SnRuleGen cx;

    for (uint32_t i = 0; i < k->nkeep; i++) {
        if (!k->keep_when[i])
            continue;
        sn_rule_init(&cx, defs, d);
        cx.self = sn_def_node(defs, k->keep[i]);
        const char *cond = sn_rule_cond(&cx, k->keep_when[i], false);
        sn_putf(b,
                "static bool\n%s_keeps_%s(const SnGraph *g, SnId id)\n"
                "{\n%s    return %s;\n}\n\n",
                lo, sn_lower(a, k->keep[i]),
                cx.w.calculates ? "    bool fits = true;\n\n" : "", cond);
    }
    sn_putf(b, "static const SnKeep %s_keep[] = {\n", lo);
    for (uint32_t i = 0; i < k->nkeep; i++)
        sn_putf(b, "    { SN_K_%s, %s },\n", sn_upper(a, k->keep[i]),
                k->keep_when[i]
                    ? sn_format(a, "%s_keeps_%s", lo, sn_lower(a, k->keep[i]))
                    : "NULL");
    sn_puts(b, "};\n");
}

/* The nodes that k refines: new ports, families and joins. */
static void
put_refines(const SnDefs *defs, SnBuf *b, const SnDefBackend *k)
{
    SnArena *a = defs->arena;
    SnBuf row;

    sn_buf_init(&row, a);
    for (uint32_t i = 0; i < defs->nrefined; i++) {
        const SnDefRefined *r = defs->refined[i];
        const char *lo =
            sn_format(a, "%s_%s", lower(defs, k), sn_lower(a, r->as->name));
        if (r->backend != k)
            continue;
        sn_emit_ports(b, r->as->in, r->as->nin, lo, "in");
        sn_emit_ports(b, r->as->out, r->as->nout, lo, "out");
        sn_putf(&row, "    { .kind = SN_K_%s", sn_upper(a, r->as->name));
        if (r->as->nin)
            sn_putf(&row, ", .in = %s_in", lo);
        if (r->as->nout)
            sn_putf(&row, ", .out = %s_out", lo);
        sn_puts(&row, ",\n");
        sn_emit_family(&row, &r->as->family);
        sn_emit_joins(&row, defs->nderive + defs->nclass, r->joins);
        sn_puts(&row, "    },\n");
    }
    if (row.n)
        sn_putf(b, "static const SnRefineDesc %s_refine[] = {\n%s};\n",
                lower(defs, k), sn_buf_str(&row));
}

static uint32_t
count_refines(const SnDefs *defs, const SnDefBackend *k)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < defs->nrefined; i++)
        n += defs->refined[i]->backend == k;
    return n;
}

static void
put_parts(const SnDefs *defs, SnDiag *d, SnBuf *b, const SnDefBackend *k,
          const Kernels *v)
{
    const char *lo = lower(defs, k);

    sn_putf(b, "\n/* ---- backend %s ---- */\n\n", k->name);
    if (k->nsupport) {
        sn_putf(b,
                "static bool\n%s_supports(SnKind k, const SnTuple *t)\n"
                "{\n    static const SnTypePat type[] = {",
                lo);
        for (uint32_t i = 0; i < k->nsupport; i++)
            sn_putf(b, "%s { %s, %d }", i ? "," : "",
                    sn_elem_enum(k->support[i].elem), k->support[i].axis);
        sn_putf(b,
                " };\n\n    return sn_tuple_within(\"%s\", k, t, type, "
                "%u);\n}\n\n",
                k->name, k->nsupport);
    }
    put_refines(defs, b, k);
    if (k->nkeep)
        put_keep(defs, d, b, k);
    if (v->n)
        put_kernels(defs, b, k, v);
    if (k->nhook) {
        sn_putf(b, "static const SnBackendHooks %s_hooks = {\n", lo);
        for (uint32_t i = 0; i < k->nhook; i++)
            sn_putf(b, "    .%s = %s,\n", k->hook[i], k->hook_fn[i]);
        sn_puts(b, "};\n");
    }
}

SnPos
sn_rule_backend_at(const SnDefBackend *k)
{
    return k->ncap ? k->cap[0].pos : (SnPos){.src = NULL};
}

static void
put_row(const SnDefs *defs, SnBuf *b, uint32_t i, const Kernels *v)
{
    const SnDefBackend *k = defs->backend[i];
    const char *lo = lower(defs, k);

    sn_putf(b,
            "    { .name = \"%s\", .rounding = %u,\n"
            "      .fallback_reference = %s",
            k->name, k->rounding, k->fallback_reference ? "true" : "false");
    if (k->fallback_kernels)
        sn_puts(b, ", .fallback_kernels = true");
    if (k->nenable) {
        sn_puts(b, ",\n      .optin = (const char *const[]){ ");
        for (uint32_t n = 0; n < k->nenable; n++)
            sn_putf(b, "%s, ", sn_lit_str(b->a, k->enable[n]));
        sn_puts(b, "NULL }");
    }
    if (k->nkeep)
        sn_putf(b, ", .nkeep = %u, .keep = %s_keep", k->nkeep, lo);
    if (k->nsupport)
        sn_putf(b, ",\n      .supports = %s_supports", lo);
    if (count_refines(defs, k))
        sn_putf(b, ",\n      .nrefine = %u, .refine = %s_refine",
                count_refines(defs, k), lo);
    if (v->n)
        sn_putf(b, ",\n      .nkernel = %u, .kernel = %s_kernels", v->n, lo);
    if (k->nhook)
        sn_putf(b, ",\n      .hooks = &%s_hooks", lo);
    if (defs->is_plugin)
        sn_putf(b, ",\n      .where = \"%s\" },\n",
                sn_where(defs->arena, sn_rule_backend_at(k)));
    else
        sn_putf(b, ",\n      .where = sn_backend_where[%u] },\n", i);
}

void
sn_emit_backends(const SnDefs *defs, SnDiag *d, SnBuf *b, const char *outdir)
{
    Kernels *v = SN_NEW_N(defs->arena, Kernels, defs->nbackend + 1);

    for (uint32_t i = 0; i < defs->nbackend; i++) {
        if (!sn_defs_mine(defs, defs->backend[i]))
            continue;
        v[i] = kernels(defs, defs->backend[i]);
        put_parts(defs, d, b, defs->backend[i], &v[i]);
        if (v[i].n || defs->backend[i]->nhook)
            emit_header(defs, defs->backend[i], &v[i], outdir, d);
    }
    sn_rule_table(b, defs, "SnBackendDesc", "backends");
    for (uint32_t i = 0; i < defs->nbackend; i++)
        if (sn_defs_mine(defs, defs->backend[i]))
            put_row(defs, b, i, &v[i]);
    sn_rule_table_end(b, defs, "backend", defs->nbackend);
}
