// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "graph/desc.h"
#include "onnx/import.h"

typedef struct Op {         /* one line: an operator of some opsets */
    const char *name;       /* "com.microsoft:QLinearAdd" */
    int32_t since, until;   /* 0: open */
    const SnKindDesc *kind; /* NULL: it makes no node of its own */
    bool quant;             /* some tuple is quantized */
    const char *note;
} Op;

static bool
has_quant(SnKind k)
{
    for (SnKind f = 1; f < sn_kind_end(); f++) {
        const SnKindDesc *d = sn_desc(f);
        if (f != k && d->form_of != (int32_t)k)
            continue;
        for (uint16_t i = 0; i < d->ntuple; i++)
            if (d->tuple[i].quant)
                return true;
    }
    return false;
}

/* What the entries of a line restrict: counts and words of attributes. */
static const char *
entry_note(SnArena *a, const SnOnnxDesc *e)
{
    const SnKindDesc *d = sn_desc(e->kind);
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < e->nmap; i++) {
        const SnAttrDesc *at = sn_attr_named(d, e->map[i].name);
        if (at == NULL)
            continue;
        if (e->map[i].entry == SN_IMPORT_INPUT)
            sn_putf(&b, "%s%s must be constant", b.n ? "; " : "", at->name);
        if (e->map[i].entry == SN_IMPORT_ATTR && at->fixed == 2 &&
            strcmp(at->name, "kernel") == 0)
            sn_putf(&b, "%s1 or 2 spatial dimensions", b.n ? "; " : "");
    }
    if (e->ncode > 0)
        sn_putf(&b, "%sscales constant", b.n ? "; " : "");
    for (uint32_t i = 0; i < e->ncode; i++)
        if (e->code[i].port >= 0 && d->in[e->code[i].port].fact == SN_PIN)
            sn_putf(&b, ", and so is %s", d->in[e->code[i].port].name);
    return b.n ? sn_buf_str(&b) : NULL;
}

static int
by_name(const void *x, const void *y)
{
    const Op *a = x, *b = y;
    int c = strcmp(a->name, b->name);

    return c != 0 ? c : (a->since > b->since) - (a->since < b->since);
}

static Op *
collect(SnArena *a, size_t *n)
{
    size_t most = sn_onnx_end();
    Op *ops;

    while (sn_onnx_structural(most - sn_onnx_end()) != NULL)
        most++;
    ops = SN_NEW_N(a, Op, most);
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        ops[i] = (Op){
            .name = e->op.domain[0] != '\0'
                        ? sn_format(a, "%s:%s", e->op.domain, e->op.name)
                        : e->op.name,
            .since = e->since,
            .until = e->until,
            .kind = e->kind != 0 ? sn_desc(e->kind) : NULL,
            .quant = e->kind != 0 && has_quant(e->kind),
            .note =
                e->hook != NULL || e->term != NULL ? e->note : entry_note(a, e),
        };
    }
    for (size_t i = sn_onnx_end(); i < most; i++)
        ops[i] = (Op){.name = sn_onnx_structural(i - sn_onnx_end()),
                      .since = 1,
                      .note = sn_onnx_structural_note(i - sn_onnx_end())};
    qsort(ops, most, sizeof *ops, by_name);
    *n = most;
    return ops;
}

static void
put_json_op(SnBuf *b, const Op *o)
{
    sn_puts(b, "  {\"op\": ");
    sn_put_json(b, o->name);
    sn_putf(b, ", \"since\": %d, \"until\": ", (int)o->since);
    if (o->until != 0)
        sn_putf(b, "%d", (int)o->until);
    else
        sn_puts(b, "null");
    sn_puts(b, ", \"node\": ");
    if (o->kind != NULL)
        sn_put_json(b, o->kind->name);
    else
        sn_puts(b, "null");
    sn_putf(b, ", \"quantized\": %s, \"restriction\": ",
            o->quant ? "true" : "false");
    if (o->note != NULL)
        sn_put_json(b, o->note);
    else
        sn_puts(b, "null");
    sn_puts(b, "}");
}

static void
put_op(SnCli *c, const Op *o)
{
    const char *opsets =
        o->until != 0 ? sn_format(c->a, "%d-%d", (int)o->since, (int)o->until)
                      : sn_format(c->a, "%d-", (int)o->since);
    size_t n;

    sn_putf(&c->out, "%-38s %-6s %-22s %-5s %s", o->name, opsets,
            o->kind != NULL ? o->kind->name : "", o->quant ? "int8" : "",
            o->note != NULL ? o->note : "");
    for (n = c->out.n; n > 0 && c->out.s[n - 1] == ' '; n--)
        ;
    c->out.n = n;
    sn_putc(&c->out, '\n');
}

/* Is the operator asked for?  A name without its domain will do. */
static bool
wanted(const SnArgs *args, const Op *o)
{
    const char *colon = strchr(o->name, ':');

    for (uint32_t i = 0; i < args->pos.n; i++)
        if (strcmp(args->pos.v[i], o->name) == 0 ||
            (colon != NULL && strcmp(args->pos.v[i], colon + 1) == 0))
            return true;
    return args->pos.n == 0;
}

static SnStatus
unknown(SnCli *c, const Op *ops, size_t n)
{
    const char **name = SN_NEW_N(c->a, const char *, n);
    const char *near;

    for (size_t i = 0; i < n; i++)
        name[i] = ops[i].name;
    near = sn_closest(c->args.pos.v[0], name, n);
    return sn_fail(c->d, SN_EUNSUPPORTED, c->args.pos.v[0],
                   "no such operator is supported%s%s%s",
                   near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

SnStatus
sn_verb_ops(SnCli *c)
{
    size_t n, shown = 0;
    const Op *ops = collect(c->a, &n);

    for (size_t i = 0; i < n; i++)
        shown += wanted(&c->args, &ops[i]);
    if (shown == 0)
        return unknown(c, ops, n);
    if (c->args.json)
        sn_puts(&c->out, "{\"operators\": [\n");
    else
        sn_putf(&c->out, "%-38s %-6s %-22s %-5s %s\n", "operator", "opsets",
                "node", "types", "restrictions");
    for (size_t i = 0, k = 0; i < n; i++) {
        if (!wanted(&c->args, &ops[i]))
            continue;
        if (c->args.json) {
            put_json_op(&c->out, &ops[i]);
            sn_puts(&c->out, ++k < shown ? ",\n" : "\n");
        } else {
            put_op(c, &ops[i]);
        }
    }
    if (c->args.json)
        sn_puts(&c->out, "]}\n");
    return SN_OK;
}
