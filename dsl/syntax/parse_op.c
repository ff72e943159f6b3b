// SPDX-License-Identifier: Apache-2.0
/* Builds operators of ONNX that are terms, for the parser. */
#include "base/buf.h"
#include "dsl/model/onnx.h"
#include "dsl/syntax/parse.h"

void
sn_parse_op(SnParser *P, SnTok op, SnTok since, SnTok until)
{
    SnDefOp *o = SN_NEW(P->a, SnDefOp);

    o->pos = op.pos;
    o->op = op.str;
    o->since = since.v.i;
    o->until = until.raw ? until.v.i : 0;
    P->op = o;
}

/* An operand that is a number or a list for the term: int, real, int[]. */
static SnDefAttr *
value(SnParser *P, const SnExpr *port, SnTok type, bool list, SnExpr *def)
{
    SnAttrKind k = (SnAttrKind)sn_attr_kind_declared(
        sn_parse_name(P, type), list ? SN_TF_LIST : SN_TF_PLAIN);
    SnDefAttr *a;

    if (!list && !def && k != SN_A_INT && k != SN_A_REAL)
        return NULL;
    a = sn_parse_attr_type(P, list ? SN_TF_LIST : SN_TF_PLAIN, type,
                           (SnTok){0});
    a->name = port->s;
    a->pos = port->pos;
    a->def = def;
    return a;
}

void
sn_parse_op_in(SnParser *P, SnExpr *port, SnTok type, bool list, SnExpr *def)
{
    SnDefOpIn in = {.name = port->s,
                    .pos = port->pos,
                    .what = port->i == 1   ? SN_OP_LIST
                            : port->i == 2 ? SN_OP_MAYBE
                                           : SN_OP_ONE};

    if (type.raw)
        in.value = value(P, port, type, list, def);
    if (type.raw && !in.value) {
        in.type = sn_parse_name(P, type);
        in.type_pos = type.pos;
    }
    SN_PUSH(P->a, P->op->in, P->op->nin, in);
}

void
sn_parse_op_layout(SnParser *P, SnTok layout)
{
    SnDefOpIn *in = &P->op->in[P->op->nin - 1];

    in->layout = sn_parse_name(P, layout);
    in->layout_pos = layout.pos;
}

void
sn_parse_op_is(SnParser *P, SnTok name, SnExpr *value, bool maybe)
{
    SnDefOpAttr a = {.name = sn_parse_name(P, name),
                     .pos = name.pos,
                     .is = value,
                     .maybe = maybe};

    SN_PUSH(P->a, P->op->attr, P->op->nattr, a);
}

void
sn_parse_op_attr(SnParser *P, SnDefAttr *t, SnTok name, SnExpr *def)
{
    SnDefOpAttr a = {
        .name = sn_parse_name(P, name), .pos = name.pos, .type = t};

    t->name = a.name;
    t->pos = a.pos;
    t->def = def;
    SN_PUSH(P->a, P->op->attr, P->op->nattr, a);
}

void
sn_parse_op_type(SnParser *P, SnTok type)
{
    SnDefOp *o = P->op;
    uint32_t n = o->ntype;

    SN_PUSH(P->a, o->type, o->ntype, sn_parse_name(P, type));
    SN_PUSH(P->a, o->type_pos, n, type.pos);
}

void
sn_parse_op_let(SnParser *P, SnTok name, SnTerm *t, SnExpr *num)
{
    SnDefOpLet l = {
        .name = sn_parse_name(P, name), .pos = name.pos, .term = t, .num = num};

    SN_PUSH(P->a, P->op->let, P->op->nlet, l);
}

/* The head as written, for messages about operators that it does not match. */
static const char *
head(SnParser *P, const char *from, const char *to)
{
    SnBuf b;
    bool blank = false;

    sn_buf_init(&b, P->a);
    for (; from < to; from++) {
        bool is_blank = *from == ' ' || *from == '\n' || *from == '\t';
        if (!is_blank && blank && b.n)
            sn_putc(&b, ' ');
        if (!is_blank)
            sn_putc(&b, *from);
        blank = is_blank;
    }
    return sn_buf_str(&b);
}

void
sn_parse_op_result(SnParser *P, SnTerm *t)
{
    SN_PUSH(P->a, P->op->result, P->op->nresult, t);
}

void
sn_parse_op_end(SnParser *P, SnTok from, SnTok end, SnTok to)
{
    P->op->text = head(P, from.raw, end.raw);
    P->op->whole = sn_strndup(P->a, from.raw, (size_t)(to.raw - from.raw) + 1);
    SN_PUSH(P->a, P->defs->op, P->defs->nop, P->op);
}
