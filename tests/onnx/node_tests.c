// SPDX-License-Identifier: Apache-2.0
/* The ONNX backend's node tests against the committed table of what passes.
 *
 *   node_tests TABLE SET=DIR ...           compare with the table
 *   node_tests --ops OPS TABLE SET=DIR ... the same, then the share of the
 *                                          tests of these operators that pass
 *   node_tests --write TABLE SET=DIR ...   write the lines of these sets
 *   node_tests --list DIR ...              one line per model, no table
 *
 * A line of the table is "SET/NAME: passed", "passed, constant inputs" (what
 * real models hold as initializers is an input in these tests),
 * "unsupported: REASON", or "excluded: REASON" for a stored result that is not
 * what the operator's text says.  Prints "ok SET/NAME" and
 * "not ok SET/NAME: ..."; a test that does better than its line fails too, so
 * that the table stays true. */
#include <dirent.h>
#include <stdlib.h>
#include "../unit/onnx_run.h"
#include "onnx/share.h"

enum { LEAST = 90 }; /* percent of the tests of those operators */

typedef struct Lines {
    uint32_t n;
    const char **v;
} Lines;

static int nbad;
static Share *share; /* NULL: not asked for */

/* The first line of a message, without the place in the file. */
static const char *
short_why(SnArena *a, const char *why)
{
    const char *p = strstr(why, "): ");

    if (p == NULL && (p = strstr(why, "error: ")) != NULL)
        p += 4;
    p = p != NULL ? p + 3 : why;
    if (strstr(why, "input '") != NULL || strstr(why, "output '") != NULL ||
        strstr(why, "initializer '") != NULL) {
        const char *q = strstr(why, "': ");
        p = q != NULL ? q + 3 : p;
    }
    return sn_strndup(a, p, strcspn(p, "\n"));
}

static const char *
outcome(SnArena *a, const char *dir)
{
    OrResult r = or_model(a, dir, NULL, true);

    if (r.status == SN_EUNSUPPORTED)
        return sn_format(a, "unsupported: %s", short_why(a, r.why));
    if (r.status != SN_OK)
        return sn_format(a, "failed: status %d: %s", (int)r.status,
                         short_why(a, r.why));
    if (!r.close || r.nout == 0)
        return sn_format(a, "failed: off by %g, %lld of %lld differ", r.worst,
                         (long long)r.ndiff, (long long)r.n);
    return r.fixed ? "passed, constant inputs" : "passed";
}

static const char *
line_for(SnArena *a, const Lines *t, const char *key)
{
    size_t n = strlen(key);

    (void)a;
    for (uint32_t i = 0; i < t->n; i++)
        if (strncmp(t->v[i], key, n) == 0 && t->v[i][n] == ':')
            return t->v[i] + n + 2;
    return NULL;
}

static Lines
read_table(SnArena *a, const char *path)
{
    Lines t = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    ssize_t n;

    if (f == NULL)
        return t;
    while ((n = getline(&text, &size, f)) > 0)
        SN_PUSH(a, t.v, t.n,
                sn_strndup(a, text, (size_t)n - (text[n - 1] == '\n')));
    free(text);
    fclose(f);
    return t;
}

static int
filter(const struct dirent *e)
{
    return strncmp(e->d_name, "test_", 5) == 0;
}

static void
count_share(SnArena *a, const char *key, const char *dir, const char *line)
{
    ProtobufCMessage *m;

    if (sn_pb_load(a, &onnx__model_proto__descriptor,
                   sn_path_join(a, dir, "model.onnx"), sn_diag_new(a),
                   &m) == SN_OK)
        sn_share_count(share, (const Onnx__ModelProto *)m, key, line);
}

static void
one(SnArena *keep, const char *key, const char *dir, const Lines *t,
    Lines *made)
{
    SnArena *a = sn_arena_new();
    const char *now = outcome(a, dir), *was = line_for(a, t, key);

    if (was != NULL && strncmp(was, "excluded", 8) == 0 &&
        strncmp(now, "passed", 6) != 0)
        now = was;
    SN_PUSH(keep, made->v, made->n, sn_format(keep, "%s: %s", key, now));
    if (strncmp(now, "failed", 6) == 0 || was == NULL ||
        strcmp(was, now) != 0) {
        nbad++;
        printf("not ok %s: %s; the table says: %s\n", key, now,
               was != NULL ? was : "nothing");
    } else {
        printf("ok %s\n", key);
    }
    if (share != NULL)
        count_share(a, key, dir, now);
    sn_arena_free(a);
}

static int
compare_lines(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Other sets' lines stay. */
static void
write_table(SnArena *a, const char *path, const Lines *old, const Lines *made)
{
    Lines all = {0};
    FILE *f = fopen(path, "w");

    if (f == NULL)
        exit(5);
    for (uint32_t i = 0; i < old->n; i++) {
        const char *key = sn_strndup(a, old->v[i], strcspn(old->v[i], ":"));
        if (line_for(a, made, key) == NULL)
            SN_PUSH(a, all.v, all.n, old->v[i]);
    }
    for (uint32_t i = 0; i < made->n; i++)
        SN_PUSH(a, all.v, all.n, made->v[i]);
    qsort(all.v, all.n, sizeof *all.v, compare_lines);
    for (uint32_t i = 0; i < all.n; i++)
        fprintf(f, "%s\n", all.v[i]);
    fclose(f);
}

static int
list_models(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        SnArena *a = sn_arena_new();
        OrResult r = or_model(a, argv[i], NULL, false);
        const char *base = sn_path_base(argv[i]);
        if (r.status != SN_OK)
            printf("%-40s %s\n", base, short_why(a, r.why));
        else
            printf("%-40s %-5s worst %.2e, %lld of %lld differ, step %g\n",
                   base, r.close ? "ok" : "off", r.worst, (long long)r.ndiff,
                   (long long)r.n, r.step);
        sn_arena_free(a);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    bool rewrite = argc > 1 && strcmp(argv[1], "--write") == 0;
    bool ops = argc > 2 && strcmp(argv[1], "--ops") == 0;
    int first = rewrite ? 2 : ops ? 3 : 1;
    Share counts;
    Lines t, made = {0};

    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return list_models(argc - 2, argv + 2);
    if (argc < first + 2) {
        fprintf(stderr, "node_tests [--write] [--ops OPS] TABLE SET=DIR ...\n");
        return 2;
    }
    if (ops && !sn_share_read(a, argv[2], &counts))
        return 2;
    share = ops ? &counts : NULL;
    t = read_table(a, argv[first]);
    for (int i = first + 1; i < argc; i++) {
        const char *eq = strchr(argv[i], '=');
        struct dirent **list;
        int n = eq != NULL ? scandir(eq + 1, &list, filter, alphasort) : -1;
        if (n < 0) {
            printf("skip %s\n", argv[i]);
            continue;
        }
        for (int k = 0; k < n; k++) {
            one(a,
                sn_format(a, "%.*s/%s", (int)(eq - argv[i]), argv[i],
                          list[k]->d_name),
                sn_path_join(a, eq + 1, list[k]->d_name), &t, &made);
            free(list[k]);
        }
        free(list);
    }
    if (rewrite) {
        write_table(a, argv[first], &t, &made);
        nbad = 0;
    }
    if (ops && !sn_share_print(share, LEAST)) {
        printf("not ok: less than %d %% of these tests pass\n", LEAST);
        nbad++;
    }
    sn_arena_free(a);
    return nbad > 0;
}
