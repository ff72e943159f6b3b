// SPDX-License-Identifier: Apache-2.0
/* Steps as comments: one line of JSON each. */
#include <jansson.h>
#include <string.h>
#include "base/file/file.h"
#include "base/json.h"
#include "rewrite/witness/witness_priv.h"

static const char lead[] = "; {";

static void
put_ids(SnBuf *b, const char *key, const SnId *v, uint32_t n)
{
    if (!n)
        return;
    sn_putf(b, ", \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(b, "%s%u", i ? ", " : "", v[i]);
    sn_puts(b, "]");
}

static void
put_step(SnBuf *b, const SnWitnessStep *s)
{
    sn_putf(b, "; {\"by\": ");
    sn_put_json(b, s->by);
    if (s->waived)
        sn_puts(b, ", \"waived\": true");
    put_ids(b, "add", s->add, s->nadd);
    for (uint32_t i = 0; i < s->nuse; i++)
        sn_putf(b, "%s[%u, %u, %u, %u]", i ? ", " : ", \"use\": [",
                s->use[i].user, s->use[i].slot, SN_NODE(s->use[i].now),
                SN_RES(s->use[i].now));
    sn_puts(b, s->nuse ? "]" : "");
    put_ids(b, "drop", s->drop, s->ndrop);
    sn_puts(b, "}\n");
}

void
sn_witness_put(SnBuf *b, const SnSteps *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        put_step(b, &s->v[i]);
    for (uint32_t i = 0; i < s->ncalled; i++) {
        const SnCalled *c = &s->called[i];
        sn_putf(b,
                "; {\"node\": %u, \"result\": %u, \"name\": ", SN_NODE(c->ref),
                SN_RES(c->ref));
        sn_put_json(b, c->name);
        sn_puts(b, "}\n");
    }
}

/* ---- reading ---- */

typedef struct Reader {
    SnArena *a;
    SnDiag *d;
    const char *path;
    unsigned line;
} Reader;

static SnStatus
bad(const Reader *r, const char *what)
{
    return sn_fail(r->d, SN_EINPUT, r->path, "line %u: %s", r->line, what);
}

/* A whole number below 2^28: a node, a slot, a result. */
static bool
number(const json_t *v, uint32_t *out)
{
    json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;

    *out = n >= 0 && n < 1 << 28 ? (uint32_t)n : 0;
    return n >= 0 && n < 1 << 28;
}

static SnStatus
ids(const Reader *r, const json_t *l, SnId **out, uint32_t *n)
{
    *n = (uint32_t)json_array_size(l);
    *out = SN_NEW_N(r->a, SnId, *n + 1);
    if (l && !json_is_array(l))
        return bad(r, "expected a list of nodes");
    for (uint32_t i = 0; i < *n; i++)
        if (!number(json_array_get(l, i), &(*out)[i]))
            return bad(r, "expected the number of a node");
    return SN_OK;
}

static SnStatus
uses(const Reader *r, const json_t *l, SnWitnessStep *s)
{
    s->nuse = (uint32_t)json_array_size(l);
    s->use = SN_NEW_N(r->a, SnRedirect, s->nuse + 1);
    if (l && !json_is_array(l))
        return bad(r, "expected a list of operands");
    for (uint32_t i = 0; i < s->nuse; i++) {
        const json_t *u = json_array_get(l, i);
        uint32_t v[4];
        bool ok = json_array_size(u) == 4;
        for (uint32_t k = 0; ok && k < 4; k++)
            ok = number(json_array_get(u, k), &v[k]);
        if (!ok || v[3] >= SN_MAXRES)
            return bad(r, "expected [node, operand, node, result]");
        s->use[i] = (SnRedirect){v[0], v[1], SN_REF(v[2], v[3])};
    }
    return SN_OK;
}

static SnStatus
entry(const Reader *r, const json_t *o, SnSteps *out)
{
    const char *by = json_string_value(json_object_get(o, "by"));
    const char *name = json_string_value(json_object_get(o, "name"));
    SnWitnessStep s = {0};
    uint32_t node, res;

    if (name) {
        if (!number(json_object_get(o, "node"), &node) ||
            !number(json_object_get(o, "result"), &res) || res >= SN_MAXRES)
            return bad(r, "expected 'node' and 'result' with 'name'");
        SnCalled c = {SN_REF(node, res), sn_strdup(r->a, name)};
        SN_PUSH(r->a, out->called, out->ncalled, c);
        return SN_OK;
    }
    if (!by)
        return bad(r, "expected 'by' or 'name'");
    s.by = sn_strdup(r->a, by);
    s.waived = json_is_true(json_object_get(o, "waived"));
    SN_TRY(ids(r, json_object_get(o, "add"), &s.add, &s.nadd));
    SN_TRY(ids(r, json_object_get(o, "drop"), &s.drop, &s.ndrop));
    SN_TRY(uses(r, json_object_get(o, "use"), &s));
    SN_PUSH(r->a, out->v, out->n, s);
    return SN_OK;
}

SnStatus
sn_witness_read(SnArena *a, const char *path, SnDiag *d, SnSteps *out)
{
    Reader r = {a, d, path, 1};
    char *text;
    size_t n;

    *out = (SnSteps){0};
    SN_TRY(sn_file_read(a, d, path, 0, &text, &n));
    for (const char *s = text, *end = text + n; s < end; r.line++) {
        const char *eol = memchr(s, '\n', (size_t)(end - s));
        size_t len = (size_t)((eol ? eol : end) - s);
        if (*s != ';')
            break; /* the graph */
        if (len > sizeof lead && !memcmp(s, lead, sizeof lead - 1)) {
            json_t *o = json_loadb(s + 2, len - 2, 0, NULL);
            SnStatus st = o ? entry(&r, o, out) : bad(&r, "is not JSON");
            json_decref(o);
            SN_TRY(st);
        }
        s += len + 1;
    }
    return SN_OK;
}
