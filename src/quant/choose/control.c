// SPDX-License-Identifier: Apache-2.0
#include "quant/choose/control.h"

#include <fnmatch.h>
#include <string.h>
#include "graph/desc.h"

static const char *const precision_names[] = {
    [SN_INT8] = "int8",
    [SN_INT16] = "int16",
    [SN_FLOAT] = "float",
    [SN_NPRECISION] = NULL,
};

const char *const *
sn_precision_names(void)
{
    return precision_names;
}

/* ---- reading ---- */

static SnStatus
unknown(SnDiag *d, SnArena *a, const char *option, const char *what,
        const char *word, const char *const *names)
{
    size_t n = 0;
    SnBuf b;

    while (names[n])
        n++;
    const char *near = sn_closest(word, names, n);
    if (near)
        return sn_fail(d, SN_EUSAGE, option,
                       "no %s is named '%s'; did you "
                       "mean '%s'?",
                       what, word, near);
    sn_buf_init(&b, a);
    for (size_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", names[i]);
    return sn_fail(d, SN_EUSAGE, option, "no %s is named '%s'; there are %s",
                   what, word, sn_buf_str(&b));
}

static bool
precision_named(const char *word, SnPrecision *out)
{
    for (unsigned i = 0; i < SN_NPRECISION; i++)
        if (!strcmp(precision_names[i], word)) {
            *out = (SnPrecision)i;
            return true;
        }
    return false;
}

/* Reads word into the member of *to that ask names. */
static SnStatus
read_word(SnArena *a, const char *option, SnAsk ask, const char *word,
          SnSettings *to, SnDiag *d)
{
    const char *why;

    switch (ask) {
    case SN_ASK_PRECISION:
        if (precision_named(word, &to->precision))
            return SN_OK;
        return unknown(d, a, option, "precision", word, precision_names);
    case SN_ASK_SCHEMA:
        if (sn_schema_named(word, &to->schema))
            return SN_OK;
        return unknown(d, a, option, "scheme", word, sn_schema_names());
    case SN_ASK_RANGE:
        why = sn_range_parse(word, &to->range);
        if (why)
            return sn_fail(d, SN_EUSAGE, option, "'%s' %s", word, why);
        return SN_OK;
    }
    return SN_OK;
}

static void
set(SnSettings *s, SnAsk ask, const SnSettings *to)
{
    switch (ask) {
    case SN_ASK_PRECISION:
        s->precision = to->precision;
        break;
    case SN_ASK_SCHEMA:
        s->schema = to->schema;
        break;
    case SN_ASK_RANGE:
        s->range = to->range;
        break;
    }
}

/* Where the glob of text ends; NULL: there is none.  "percentile=99.9" is a
 * word with its number. */
static const char *
glob_end(SnAsk ask, const char *text)
{
    const char *eq = strchr(text, '=');

    if (eq && ask == SN_ASK_RANGE && (size_t)(eq - text) == 10 &&
        !strncmp(text, "percentile", 10))
        return NULL;
    return eq;
}

SnStatus
sn_control_add(SnArena *a, SnControl *c, const char *option, SnAsk ask,
               const char *text, SnDiag *d)
{
    const char *eq = glob_end(ask, text);
    SnWish w = {.option = option, .ask = ask};

    if (!eq) {
        SN_TRY(read_word(a, option, ask, text, &w.to, d));
        set(&c->all, ask, &w.to);
        return SN_OK;
    }
    w.glob = sn_strndup(a, text, (size_t)(eq - text));
    SN_TRY(read_word(a, option, ask, eq + 1, &w.to, d));
    SN_PUSH(a, c->wish, c->n, w);
    return SN_OK;
}

void
sn_control_keep_float(SnArena *a, SnControl *c, const char *option,
                      const char *glob)
{
    SnWish w = {.option = option,
                .glob = glob,
                .ask = SN_ASK_PRECISION,
                .to = {.precision = SN_FLOAT}};

    SN_PUSH(a, c->wish, c->n, w);
}

/* ---- matching ---- */

/* Constants and outputs have no settings of their own. */
static bool
has_settings(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    return !n->dead && !n->data && n->nres > 0;
}

static bool
is_kind(const char *glob, SnKind kind)
{
    if (fnmatch(glob, sn_desc(kind)->name, 0) == 0)
        return true;
    for (SnKind k = 1; k < sn_kind_end(); k++)
        if (sn_desc(k)->form_of == (int32_t)kind &&
            fnmatch(glob, sn_desc(k)->name, 0) == 0)
            return true;
    return false;
}

bool
sn_glob_match(const SnGraph *g, const char *glob, SnId id)
{
    const SnNode *n = sn_node(g, id);

    if (glob[0] == '@')
        return is_kind(glob + 1, n->kind);
    for (unsigned r = 0; r < n->nres; r++)
        if (n->res[r].name && fnmatch(glob, n->res[r].name, 0) == 0)
            return true;
    return false;
}

/* Whether the wish applies to node id, by its glob or otherwise. */
static bool
means(const SnWish *w, const SnGraph *g, SnId id)
{
    const char *name =
        sn_node(g, id)->nres ? sn_node(g, id)->res[0].name : NULL;

    if (sn_glob_match(g, w->glob, id))
        return true;
    for (uint32_t i = 0; i < w->nname && name; i++)
        if (!strcmp(name, w->name[i]))
            return true;
    return false;
}

/* Adds the names that a glob of this form could have meant. */
static void
candidates(SnArena *a, const SnGraph *g, bool kinds, size_t *n,
           const char ***cand)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *node = sn_node(g, id);
        if (!has_settings(g, id))
            continue;
        const char *s = kinds ? sn_format(a, "@%s", sn_desc(node->kind)->name)
                              : node->res[0].name;
        SN_PUSH(a, *cand, *n, s);
        if (!kinds && node->source)
            SN_PUSH(a, *cand, *n, node->source);
    }
}

/* "@Add, @Conv2D", each once. */
static const char *
each_once(SnArena *a, const char *const *name, size_t n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (strcmp(name[k], name[i]) != 0)
            k++;
        if (k == i)
            sn_putf(&b, "%s%s", i ? ", " : "", name[i]);
    }
    return sn_buf_str(&b);
}

/* The glob with a star at either end. */
static const char *
opened(SnArena *a, const char *glob, bool kinds)
{
    const char *s = glob + kinds;

    s += strspn(s, "*");
    size_t n = strlen(s);
    while (n > 0 && s[n - 1] == '*')
        n--;
    return sn_format(a, "%s*%.*s*", kinds ? "@" : "", (int)n, s);
}

/* model may be NULL. */
static SnStatus
no_match(const SnWish *w, const SnGraph *model, const SnGraph *g, SnArena *a,
         SnDiag *d)
{
    bool kinds = w->glob[0] == '@';
    const char **cand = NULL;
    size_t n = 0;

    candidates(a, g, kinds, &n, &cand);
    if (model && !kinds)
        candidates(a, model, kinds, &n, &cand);
    const char *near = sn_closest(w->glob, cand, n);
    const char *open = opened(a, w->glob, kinds);
    for (size_t i = 0; i < n && !near; i++)
        if (fnmatch(open, cand[i], 0) == 0)
            near = open;
    if (near)
        return sn_fail(d, SN_EUSAGE, w->option,
                       "no node matches '%s'; did "
                       "you mean '%s'?",
                       w->glob, near);
    if (kinds && n)
        return sn_fail(d, SN_EUSAGE, w->option,
                       "no node matches '%s'; the "
                       "kinds after lowering and merging are %s",
                       w->glob, each_once(a, cand, n));
    return sn_fail(
        d, SN_EUSAGE, w->option,
        "no node matches '%s'; 'sinter inspect --names' lists the names",
        w->glob);
}

static bool
matches_any(const SnWish *w, const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++)
        if (has_settings(g, id) && means(w, g, id))
            return true;
    return false;
}

SnStatus
sn_control_check(const SnControl *c, const SnGraph *g, SnArena *a, SnDiag *d)
{
    SnStatus st = SN_OK;

    for (uint32_t i = 0; i < c->n; i++)
        if (!matches_any(&c->wish[i], g))
            st = no_match(&c->wish[i], NULL, g, a, d);
    return st;
}

/* ---- names of the model ---- */

static SnId
same_name(const SnGraph *model, SnId id, const SnGraph *placed)
{
    const SnNode *n = sn_node(model, id);

    for (unsigned r = 0; r < n->nres; r++) {
        SnRef v = n->res[r].name ? sn_find(placed, n->res[r].name) : 0;
        if (v && has_settings(placed, SN_NODE(v)))
            return SN_NODE(v);
    }
    return 0;
}

SnId *
sn_control_became(const SnGraph *model, SnId id, const SnGraph *placed,
                  SnArena *a, uint32_t *n)
{
    bool *seen = SN_NEW_N(a, bool, model->nnode);
    SnId *queue = SN_NEW_N(a, SnId, model->nnode), *out = NULL;
    uint32_t head = 0, tail = 0;

    *n = 0;
    queue[tail++] = id;
    seen[id] = true;
    while (head < tail) {
        SnId at = queue[head++], p = same_name(model, at, placed);
        const SnNode *node = sn_node(model, at);
        bool have = false;
        for (uint32_t i = 0; i < *n; i++)
            have |= out[i] == p;
        if (p && !have)
            SN_PUSH(a, out, *n, p);
        for (unsigned r = 0; !p && r < node->nres; r++)
            for (const SnUse *u = node->res[r].uses; u; u = u->next)
                if (!seen[u->user]) {
                    seen[u->user] = true;
                    queue[tail++] = u->user;
                }
    }
    return out;
}

const char *
sn_control_source(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    for (unsigned r = 0; r < n->nres && n->source; r++)
        for (const SnUse *u = n->res[r].uses; u; u = u->next) {
            const char *s = sn_node(g, u->user)->source;
            if (s && !strcmp(s, n->source) && sn_node(g, u->user)->nres)
                return NULL;
        }
    return n->source;
}

/* w also matches the node that replaced node id of the model. */
static void
add_names(SnArena *a, SnWish *w, const SnGraph *model, SnId id,
          const SnGraph *placed, SnBuf *said, uint32_t *nsaid)
{
    uint32_t n;
    SnId *to = sn_control_became(model, id, placed, a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const char *name = sn_node(placed, to[i])->res[0].name;
        if (means(w, placed, to[i]))
            continue;
        SN_PUSH(a, w->name, w->nname, name);
        if (++*nsaid <= 5)
            sn_putf(said, "%s'%s' is a part of '%s'", *nsaid > 1 ? ", " : "",
                    sn_node(model, id)->res[0].name, name);
    }
}

/* A Transpose or another move computes nothing: its name does not describe the
 * node that it was merged into. */
static bool
moves(const SnGraph *g, SnId id)
{
    const SnKindDesc *d = sn_desc(sn_node(g, id)->kind);

    return d->nout == 1 && d->sem[0].cls == SN_C_MOVE;
}

static void
resolve(SnArena *a, SnWish *w, const SnGraph *model, const SnGraph *placed,
        SnDiag *d)
{
    uint32_t nsaid = 0;
    bool any = false;
    SnBuf said;

    sn_buf_init(&said, a);
    for (int move = 0; move <= 1 && !any; move++)
        for (SnId id = 1; id < model->nnode; id++)
            if (has_settings(model, id) && moves(model, id) == move &&
                sn_glob_match(model, w->glob, id)) {
                any = true;
                add_names(a, w, model, id, placed, &said, &nsaid);
            }
    for (SnId id = 1; id < model->nnode && !any; id++) {
        const char *s =
            has_settings(model, id) ? sn_control_source(model, id) : NULL;
        if (s && fnmatch(w->glob, s, 0) == 0)
            add_names(a, w, model, id, placed, &said, &nsaid);
    }
    if (nsaid > 5)
        sn_putf(&said, " and %u more", nsaid - 5);
    if (nsaid)
        sn_note(d, (SnPos){0}, NULL, "%s %s: %s", w->option, w->glob,
                sn_buf_str(&said));
}

SnStatus
sn_control_resolve(SnArena *a, SnControl *c, const SnGraph *model,
                   const SnGraph *placed, SnDiag *d)
{
    SnStatus st = SN_OK;

    for (uint32_t i = 0; i < c->n; i++) {
        if (c->wish[i].glob[0] != '@')
            resolve(a, &c->wish[i], model, placed, d);
        if (!matches_any(&c->wish[i], placed))
            st = no_match(&c->wish[i], model, placed, a, d);
    }
    return st;
}

SnSettings
sn_settings_of(const SnControl *c, const SnGraph *g, SnId id,
               const char **option)
{
    SnSettings s = c->all;

    if (option)
        *option = NULL;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!means(&c->wish[i], g, id))
            continue;
        set(&s, c->wish[i].ask, &c->wish[i].to);
        if (option && c->wish[i].ask == SN_ASK_PRECISION)
            *option = sn_format(g->arena, "%s '%s'", c->wish[i].option,
                                c->wish[i].glob);
    }
    return s;
}
