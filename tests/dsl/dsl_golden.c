// SPDX-License-Identifier: Apache-2.0
/* Messages of the front end against golden files: dsl_golden [--bless]
 * FILE.def...  The messages for FILE.def must equal FILE.err, which is missing
 * where none is expected.  Files under a directory parse/ are only parsed;
 * others are resolved as well, those under order/ checked by sn_def_order,
 * those under prove/ or corpus/ proved, those under gen/ both.  Includes are
 * also looked for in the current directory. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/file/file.h"
#include "dsl/order/order.h"
#include "dsl/prove/prove.h"
#include "dsl/prove/vectors.h"

static const char *
messages(SnArena *a, const char *path)
{
    static const char *const dirs[] = {"."};
    SnDiag *d = sn_diag_new(a);
    SnDefs *defs = sn_defs_new(a);

    sn_def_parse(defs, d, path, dirs, 1);
    if (!strstr(path, "/parse/") && sn_diag_nerror(d))
        sn_def_resolve_rest(defs, d);
    else if (!strstr(path, "/parse/"))
        sn_def_resolve(defs, d);
    bool gen = strstr(path, "/gen/") != NULL, ok = !sn_diag_nerror(d);
    if ((strstr(path, "/order/") || gen) && ok)
        sn_def_order(defs, d);
    if ((strstr(path, "/prove/") || strstr(path, "/corpus/") || gen) && ok)
        sn_def_prove(defs, d, NULL);
    if (strstr(path, "/prove/") && ok) {
        SnBuf b;
        sn_buf_init(&b, a);
        sn_prove_check_vectors(defs, d, &b);
    }
    return sn_diag_text(d, a);
}

static const char *
golden_path(SnArena *a, const char *path)
{
    size_t n = strlen(path);

    if (n > 4 && !strcmp(path + n - 4, ".def"))
        n -= 4;
    return sn_format(a, "%.*s.err", (int)n, path);
}

static void
bless(SnArena *a, SnDiag *d, const char *path, const char *text)
{
    const char *err = golden_path(a, path);

    if (*text)
        sn_file_update(d, err, text, strlen(text));
    else
        unlink(err);
}

static bool
check(SnArena *a, SnDiag *d, const char *path, const char *text)
{
    const char *err = golden_path(a, path);
    char *want = sn_strdup(a, "");
    size_t n;

    if (sn_file_exists(err) && sn_file_read(a, d, err, 0, &want, &n)) {
        printf("not ok %s\n", path);
        return false;
    }
    if (!strcmp(want, text)) {
        printf("ok %s\n", path);
        return true;
    }
    printf("not ok %s\n---- expected\n%s---- got\n%s----\n", path, want, text);
    return false;
}

int
main(int argc, char **argv)
{
    bool blessing = argc > 1 && !strcmp(argv[1], "--bless");
    unsigned nbad = 0;

    for (int i = blessing ? 2 : 1; i < argc; i++) {
        SnArena *a = sn_arena_new();
        SnDiag *d = sn_diag_new(a);
        const char *text = messages(a, argv[i]);

        if (blessing)
            bless(a, d, argv[i], text);
        else
            nbad += !check(a, d, argv[i], text);
        sn_diag_print(d, stderr);
        sn_arena_free(a);
    }
    return nbad > 0;
}
