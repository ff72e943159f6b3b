// SPDX-License-Identifier: Apache-2.0
/* Parsing the command line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args/option.h"

static void *
field(SnArgs *args, const SnOption *o)
{
    return (char *)args + o->offset;
}

static void
push_str(SnArena *a, SnStrs *l, const char *s)
{
    SN_PUSH(a, l->v, l->n, s);
    l->v = sn_grow(a, l->v, l->n, sizeof *l->v);
    l->v[l->n] = NULL;
}

static const SnOption *
option_named(const char *name, size_t n, const SnVerb *v)
{
    for (const SnOption *o = sn_options; o->name; o++)
        if ((o->verbs & v->bit) && strlen(o->name) == n &&
            strncmp(o->name, name, n) == 0)
            return o;
    return NULL;
}

int
sn_args_verb(int argc, char **argv)
{
    int i = 0;

    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *eq = strchr(argv[i], '=');
        size_t n = eq ? (size_t)(eq - argv[i]) : strlen(argv[i]);
        for (const SnOption *o = sn_options; o->name; o++)
            if (strlen(o->name) == n && o->metavar && !eq &&
                strncmp(o->name, argv[i], n) == 0) {
                i++; /* its value */
                break;
            }
    }
    return i;
}

static SnStatus
unknown_option(SnCli *c, const SnVerb *v, const char *name)
{
    const char *cand[SN_MOST_OPTIONS];
    size_t n = 0;

    for (const SnOption *o = sn_options; o->name && n < SN_MOST_OPTIONS; o++)
        if (o->verbs & v->bit)
            cand[n++] = o->name;
    /* Any two letters are close. */
    const char *near = strlen(name) > 2 ? sn_closest(name, cand, n) : NULL;
    if (near)
        return sn_fail(c->d, SN_EUSAGE, name,
                       "'sinter %s' has no such "
                       "option; did you mean '%s'?",
                       v->name, near);
    return sn_fail(c->d, SN_EUSAGE, name,
                   "'sinter %s' has no such option; "
                   "see 'sinter %s --help'",
                   v->name, v->name);
}

static SnStatus
take_long(SnCli *c, const SnOption *o, const char *s, long *out)
{
    char *end;

    errno = 0;
    long v = strtol(s, &end, 10);
    long least = o->kind == O_COUNT ? 1 : 0;
    if (end == s || *end || errno || v < least)
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is not a number of %s "
                       "or more",
                       s, least ? "one" : "zero");
    if (least && v > INT32_MAX)
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is too large: expected at most %" PRId32, s,
                       INT32_MAX);
    *out = v;
    return SN_OK;
}

static SnStatus
take_size(SnCli *c, const SnOption *o, const char *s, uint64_t *out)
{
    static const char unit[] = "kMGT";
    char *end;
    double v = strtod(s, &end);
    const char *u = end != s && *end ? strchr(unit, *end) : NULL;

    for (ptrdiff_t i = 0; u && i <= u - unit; i++)
        v *= 1000;
    if (end == s || end[u != NULL] || !(v >= 1) || !(v < 1e18))
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is not a size: expected a number of one or more, "
                       "optionally with a suffix k, M, G or T",
                       s);
    *out = (uint64_t)v;
    return SN_OK;
}

static SnStatus
take_real(SnCli *c, const SnOption *o, const char *s, double *out)
{
    char *end;

    *out = strtod(s, &end);
    if (end == s || *end || !(*out > 0) || !(*out < 1e9))
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is not a number above zero", s);
    return SN_OK;
}

static SnStatus
take_sizes(SnCli *c, const SnOption *o, const char *s, SnSizes *out)
{
    *out = (SnSizes){0};
    for (;;) {
        size_t n = strcspn(s, ",");
        uint64_t v;
        SN_TRY(take_size(c, o, sn_strndup(c->a, s, n), &v));
        SN_PUSH(c->a, out->v, out->n, v);
        if (!s[n])
            return SN_OK;
        s += n + 1;
    }
}

static SnStatus
take_nums(SnCli *c, const SnOption *o, const char *s, SnFloats *out)
{
    const char *p = s;

    *out = (SnFloats){0};
    for (;;) {
        char *end;
        float v = strtof(p, &end);
        if (end == p || (*end && *end != ',') || !(v - v == 0))
            return sn_fail(c->d, SN_EUSAGE, o->name,
                           "'%s' is not a list of "
                           "numbers separated by commas",
                           s);
        SN_PUSH(c->a, out->v, out->n, v);
        if (!*end)
            return SN_OK;
        p = end + 1;
    }
}

static SnStatus
take_value(SnCli *c, const SnOption *o, const char *s)
{
    void *f = field(&c->args, o);

    if (s && !*s && strncmp(o->metavar, "FILE", 4) == 0)
        return sn_fail(c->d, SN_EUSAGE, o->name, "requires %s, got ''",
                       o->metavar);
    switch (o->kind) {
    case O_FLAG:
        *(bool *)f = true;
        return SN_OK;
    case O_STR:
        *(const char **)f = s;
        return SN_OK;
    case O_LONG:
    case O_COUNT:
        return take_long(c, o, s, f);
    case O_SIZE:
        return take_size(c, o, s, f);
    case O_REAL:
        return take_real(c, o, s, f);
    case O_EACH:
        push_str(c->a, f, s);
        return SN_OK;
    case O_LIST:
        for (const char *p = s; *p;) {
            size_t n = strcspn(p, ",");
            if (n)
                push_str(c->a, f, sn_strndup(c->a, p, n));
            p += n + (p[n] == ',');
        }
        return SN_OK;
    case O_SIZES:
        return take_sizes(c, o, s, f);
    case O_NUMS:
        return take_nums(c, o, s, f);
    }
    return SN_OK;
}

static SnStatus
parse_option(SnCli *c, const SnVerb *v, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *eq = strchr(arg, '=');
    size_t n = eq ? (size_t)(eq - arg) : strlen(arg);
    const SnOption *o = option_named(arg, n, v);

    if (!o && arg[1] != '-' && n > 2) { /* -n3 */
        o = option_named(arg, 2, v);
        if (o && o->metavar)
            return take_value(c, o, arg + 2);
        o = NULL;
    }
    if (!o)
        return unknown_option(c, v, sn_strndup(c->a, arg, n));
    if (!o->metavar && eq)
        return sn_fail(c->d, SN_EUSAGE, o->name, "takes no value");
    if (!o->metavar)
        return take_value(c, o, NULL);
    if (eq)
        return take_value(c, o, eq + 1);
    if (*i + 1 >= argc)
        return sn_fail(c->d, SN_EUSAGE, o->name, "requires %s", o->metavar);
    ++*i;
    return take_value(c, o, argv[*i]);
}

SnStatus
sn_args_parse(SnCli *c, const SnVerb *v, int argc, char **argv)
{
    SnStatus st = SN_OK;
    bool literal = false;

    c->args.nsample = -1;
    c->args.eval_n = -1;
    c->args.opt_limit = -1;
    c->args.batch = -1;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (!literal && strcmp(arg, "--") == 0) {
            literal = true;
        } else if (!*arg) {
            st = sn_fail(c->d, SN_EUSAGE, v->name,
                         "argument %d is empty: expected %s", i + 1, v->usage);
        } else if (literal || arg[0] != '-' || !arg[1]) {
            push_str(c->a, &c->args.pos, arg);
        } else {
            SnStatus s = parse_option(c, v, argc, argv, &i);
            if (s != SN_OK)
                st = s;
        }
    }
    if (c->args.target)
        c->args.backend = c->args.target;
    return st;
}
