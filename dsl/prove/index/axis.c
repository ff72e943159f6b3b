// SPDX-License-Identifier: Apache-2.0
/* Axes: the arbitrary one, one that an attribute names, and these under
 * permutations. */
#include "dsl/prove/index/side.h"

#include <string.h>

SnAxis
sn_axis_apply(SnIndex *cx, SnAxis t, int g)
{
    unsigned number = (unsigned)(g < 0 ? -g : g) - 1;
    int rep = cx->same_gen[number % SN_INDEX_NGEN] + 1;
    int8_t w = (int8_t)(g < 0 ? -rep : rep);

    for (uint32_t i = 0; i < cx->ngen; i++)
        if (cx->same_gen[i] == rep - 1 && cx->identity[i])
            return t;
    if (t.n && t.word[0] == -w) {
        memmove(t.word, t.word + 1, --t.n);
        return t;
    }
    if (t.n == SN_AXIS_WORD) {
        sn_path_stop(&cx->path, SN_PATH_OUT, "too many permutations");
        return t;
    }
    memmove(t.word + 1, t.word, t.n++);
    t.word[0] = w;
    return t;
}

bool
sn_axis_same(SnAxis a, SnAxis b)
{
    return a.base == b.base && a.n == b.n && !memcmp(a.word, b.word, a.n);
}

const char *
sn_axis_text(const SnIndex *cx, SnAxis t)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (unsigned i = 0; i < t.n; i++)
        sn_putf(&b, "%s%s ",
                cx->gen[(t.word[i] < 0 ? -t.word[i] : t.word[i]) - 1],
                t.word[i] < 0 ? "^-1" : "");
    sn_puts(&b, t.base ? cx->base[t.base - 1] : "any");
    return sn_buf_str(&b);
}

/* w(a) = b as a = w^-1(b), so that one axis has one name: words go to the side
 * of the attribute. */
bool
sn_axis_decide(SnIndex *cx, SnAxis a, SnAxis b)
{
    if (sn_axis_same(a, b))
        return true;
    if (b.base == 0 && a.base != 0) {
        SnAxis t = a;
        a = b;
        b = t;
    }
    for (unsigned i = 0; i < a.n && !sn_path_stopped(&cx->path); i++)
        b = sn_axis_apply(cx, b, -a.word[i]);
    a.n = 0;
    if (sn_axis_same(a, b))
        return true;
    return sn_path_decide_name(&cx->path, sn_format(cx->a, "{%s is %s}",
                                                    sn_axis_text(cx, a),
                                                    sn_axis_text(cx, b)));
}
