// SPDX-License-Identifier: Apache-2.0
/* Guards that do not hold, in words. */
#include <string.h>
#include "base/buf.h"
#include "rewrite/rule.h"

/* Does the text read v.word, or word(v) when call is set? */
static bool
reads(const char *text, const char *name, const char *word, bool call)
{
    size_t n = strlen(name), k = strlen(word);
    const char *a = call ? word : name, *b = call ? name : word;
    size_t na = call ? k : n, nb = call ? n : k;

    for (const char *s = text; (s = strstr(s, a)); s++) {
        char mid = s[na], before = s > text ? s[-1] : ' ';
        bool whole =
            !(before >= 'a' && before <= 'z') && before != '_' && before != '.';
        const char *end = s + na + 1 + nb;
        if (whole && mid == (call ? '(' : '.') && !strncmp(s + na + 1, b, nb) &&
            !(*end >= 'a' && *end <= 'z') && *end != '_')
            return true;
    }
    return false;
}

static void
put_attrs(SnBuf *b, const SnGraph *g, const char *guard, const SnNamed *v)
{
    const SnNode *n = sn_def(g, v->v);
    const SnKindDesc *d = sn_desc(n->kind);

    for (uint16_t i = 0; i < d->nattr; i++) {
        if (!reads(guard, v->name, d->attr[i].name, false))
            continue;
        sn_putf(b, ", %s.%s = ", v->name, d->attr[i].name);
        sn_put_attr(b, &d->attr[i], n->attr);
    }
}

static void
put_value(SnBuf *b, const SnGraph *g, const char *guard, const SnNamed *v)
{
    if (!v->v) {
        sn_putf(b, "%s is missing", v->name);
        return;
    }
    const SnNode *n = sn_def(g, v->v);
    if (!n->nres) {
        sn_putf(b, "%s is a %s", v->name, sn_desc(n->kind)->name);
        return;
    }
    sn_putf(b, "%s is ", v->name);
    sn_put_type(b, sn_type(g, v->v));
    sn_put_shape(b, sn_shape_of(g, v->v));
    if (reads(guard, v->name, "const", true))
        sn_puts(b, n->data ? ", a Constant" : ", computed");
    if (reads(guard, v->name, "unused", true))
        sn_putf(b, " with %u readers", sn_nuse(g, v->v));
    if (reads(guard, v->name, "reach", true)) {
        SnReach r = sn_reach(g, v->v);
        sn_putf(b, " and reaches [%.6g, %.6g]", r.lo, r.hi);
    }
    put_attrs(b, g, guard, v);
}

bool
sn_guard_fails(SnRewriter *rw, uint16_t rule, const SnGraph *g, SnId root,
               const char *guard, uint32_t n, const SnNamed *v)
{
    SnBuf b;

    if (!sn_records_declined(rw))
        return false;
    sn_buf_init(&b, sn_scratch(rw));
    for (uint32_t i = 0; i < n; i++) {
        sn_puts(&b, i ? "; " : ": ");
        put_value(&b, g, guard, &v[i]);
    }
    sn_declined(rw, rule, g, root, "%s: %s is false%s", sn_rule(rule)->name,
                guard, n ? sn_buf_str(&b) : "");
    return false;
}
