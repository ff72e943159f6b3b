// SPDX-License-Identifier: Apache-2.0
/* Calculated integers as C: which of them may leave 64 bits. */
#include "gen/expr/cw.h"

int
sn_cw_bits(const SnExpr *e)
{
    int a = e->nkid > 0 ? sn_cw_bits(e->kid[0]) : 0;
    int b = e->nkid > 1 ? sn_cw_bits(e->kid[1]) : 0, n = 64;

    if (e->ek == SN_E_INT)
        for (n = 0; n < 63 && e->i >> n; n++)
            ;
    else if (e->ek == SN_E_NEG)
        n = a;
    else if (e->ek == SN_E_CALL && e->fn == SN_FN_RANK)
        n = 4; /* 8 at most (A3 of docs/proofs.md) */
    else if (e->ek == SN_E_CALL && e->fn == SN_FN_COUNT)
        n = 32;
    else if (e->ek == SN_E_MEMBER && e->word == SN_W_ZP && e->rk != SN_R_ATTR)
        n = 32; /* an int32, unlike an attribute of that name */
    else if (e->ek == SN_E_BIN && e->op <= SN_OP_SUB)
        n = (a > b ? a : b) + 1;
    else if (e->ek == SN_E_BIN && e->op == SN_OP_MUL)
        n = a + b;
    return n < 64 ? n : 64;
}

/* Integers of a model may have any value: C must not overflow. */
const char *
sn_cw_int(SnCw *w, const SnExpr *e, const char *fn, const char *args)
{
    if (w->place == SN_CP_FORMULA || w->modular || sn_cw_bits(e) < 64)
        return sn_format(w->a, "sn_int_%s(%s)", fn, args);
    w->calculates = true;
    return sn_format(w->a, "sn_int_%s_in(%s, &fits)", fn, args);
}
