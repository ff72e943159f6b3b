#include "quant/control.h"

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
        return sn_fail(d, SN_EUSAGE, option, "no %s is named '%s'; did you "
                       "mean '%s'?", what, word, near);
    sn_buf_init(&b, a);
    for (size_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ",
                names[i]);
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

    if (eq && ask == SN_ASK_RANGE && (size_t)(eq - text) == 10
        && !strncmp(text, "percentile", 10))
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
    SnWish w = {.option = option, .glob = glob, .ask = SN_ASK_PRECISION,
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

bool
sn_glob_match(const SnGraph *g, const char *glob, SnId id)
{
    const SnNode *n = sn_node(g, id);

    if (glob[0] == '@')
        return fnmatch(glob + 1, sn_desc(n->kind)->name, 0) == 0;
    for (unsigned r = 0; r < n->nres; r++)
        if (n->res[r].name && fnmatch(glob, n->res[r].name, 0) == 0)
            return true;
    return false;
}

static SnStatus
no_match(const SnWish *w, const SnGraph *g, SnArena *a, SnDiag *d)
{
    const char **cand = SN_NEW_N(a, const char *, 2 * g->nnode + 1u);
    size_t n = 0;
    bool kinds = w->glob[0] == '@';

    for (SnId id = 1; id < g->nnode; id++)
        if (has_settings(g, id))
            cand[n++] = kinds
                ? sn_format(a, "@%s", sn_desc(sn_node(g, id)->kind)->name)
                : sn_node(g, id)->res[0].name;
    const char *near = sn_closest(w->glob, cand, n);
    return sn_fail(d, SN_EUSAGE, w->option, "no node matches '%s'%s%s%s",
                   w->glob, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

SnStatus
sn_control_check(const SnControl *c, const SnGraph *g, SnArena *a, SnDiag *d)
{
    SnStatus st = SN_OK;

    for (uint32_t i = 0; i < c->n; i++) {
        bool any = false;
        for (SnId id = 1; id < g->nnode && !any; id++)
            any = has_settings(g, id) && sn_glob_match(g, c->wish[i].glob, id);
        if (!any)
            st = no_match(&c->wish[i], g, a, d);
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
        if (!sn_glob_match(g, c->wish[i].glob, id))
            continue;
        set(&s, c->wish[i].ask, &c->wish[i].to);
        if (option && c->wish[i].ask == SN_ASK_PRECISION)
            *option = sn_format(g->arena, "%s '%s'", c->wish[i].option,
                                c->wish[i].glob);
    }
    return s;
}
