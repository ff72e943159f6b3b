/* --explain: for every node and rewrite family, the instance or the reason
 * why there is none. */
#include "gen/emit.h"

#include <string.h>

static void
put_absorb(SnBuf *b, const SnDefNode *n)
{
    const SnDefFamily *f = &n->family;
    bool any = false;

    for (uint32_t i = 0; i < n->nin; i++) {
        if (!(f->absorb & (1u << i)))
            continue;
        sn_putf(b, "%s%s.%s", any ? ", " : "", n->name, n->in[i]->name);
        any = true;
    }
    if (!any)
        sn_puts(b, "no");
    if (f->why_absorb)
        sn_putf(b, "%s%s", any ? "; " : ": ", f->why_absorb);
}

static void
put_yes(SnBuf *b, bool yes, const char *what, const char *why)
{
    sn_puts(b, yes ? what : "no");
    if (why)
        sn_putf(b, "%s%s", yes ? "; " : ": ", why);
}

void
sn_explain(const SnDefs *s, SnBuf *b)
{
    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        const SnDefFamily *f = &n->family;

        sn_putf(b, "%s (%s)%s%s\n", n->name, sn_where(b->a, n->pos),
                n->base ? ", form of " : "", n->base ? n->base->name : "");
        sn_puts(b, "  absorb  ");
        put_absorb(b, n);
        sn_puts(b, "\n  merge   ");
        put_yes(b, f->merge,
                n->clamp ? "yes, the producer's clamp carries the saturation"
                         : "yes, where the new type covers the old",
                f->why_merge);
        sn_puts(b, "\n  sink    ");
        put_yes(b, f->sink,
                f->sink_bounded       ? "yes, within a bound"
                : f->sink_unused_rest ? "yes, exact, while later results are "
                                        "unused"
                                      : "yes, exact",
                f->why_sink);
        sn_putc(b, '\n');
    }
}
