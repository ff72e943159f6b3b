// SPDX-License-Identifier: Apache-2.0
/* Reports: what proves each rule and instance. */
#include "dsl/prove/trial/case.h"
#include "dsl/prove/trial/prove_arith.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/data.h"
#include "base/file/file.h"
#include "dsl/resolve/resolver.h"

/* ---- the report ---- */

const char *
sn_prove_layer_word(SnLayer l)
{
    static const char *const v[] = {"lemma",   "index", "definition",
                                    "trusted", "lossy", "refused"};

    return v[l];
}

static const char *
guard_str(const SnProver *pv, const SnProof *p, const SnInstance *pr)
{
    SnBuf b;

    sn_buf_init(&b, pv->a);
    if (pr && pr->guard)
        sn_puts(&b, pr->guard);
    if (p->rule->need) {
        sn_puts(&b, b.n ? "; " : "");
        sn_put_expr(&b, p->rule->need);
    }
    if (p->rule->worth) {
        sn_puts(&b, b.n ? "; worth " : "worth ");
        sn_put_expr(&b, p->rule->worth);
    }
    return sn_buf_str(&b);
}

static const char *
at(const SnProver *pv, SnPos pos)
{
    return pos.src ? sn_format(pv->a, "%s:%u", sn_path_base(pos.src->name),
                               pos.line)
                   : "-";
}

static void
put_line(const SnProver *pv, SnBuf *b, const SnProof *p)
{
    sn_putf(b, "%-38s %-16s %-10s", p->name, at(pv, p->pos),
            sn_prove_layer_word(p->layer));
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
    if (*p->under)
        sn_putf(b, "; %s", p->under);
    if (p->why)
        sn_putf(b, "%s%s", p->ndraw ? "; " : " ", p->why);
    sn_putc(b, '\n');
    if (p->guard && *p->guard)
        sn_putf(b, "    %s%s\n", strncmp(p->guard, "worth ", 6) ? "when " : "",
                p->guard);
}

void
sn_prove_report(const SnProver *pv, SnBuf *b)
{
    uint32_t count[SN_LAYER_REFUSED + 1] = {0}, ndraw = 0;
    uint64_t nvalue = 0;

    sn_puts(b, "# rule or instance, source, layer, claim, evidence; guard\n"
               "# lemma, index: proved for all shapes, types and values, and "
               "not refuted by what was drawn;\n"
               "# definition, trusted, lossy: with the reason\n");
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
    sn_puts(b, "\n# rows of arithmetics; what lemmas say of q and d, of them: "
               "derived from the formula, run\n# for all codes on some grids, "
               "or not so, with codes that show it\n");
    sn_row_properties(pv->a, pv->defs, b);
    sn_putf(b, "\n# %u proofs: ", pv->out->n);
    for (uint32_t i = 0; i <= SN_LAYER_REFUSED; i++)
        if (count[i])
            sn_putf(b, "%u %s, ", count[i], sn_prove_layer_word((SnLayer)i));
    sn_putf(b, "%u type draws, %llu values\n", ndraw,
            (unsigned long long)nvalue);
    sn_certificates_report(pv, b);
}

const char *
sn_prove_guard_text(const SnProver *pv, const SnProof *p, const SnInstance *pr)
{
    return guard_str(pv, p, pr);
}
