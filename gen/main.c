/* sinter-gen: reads declarations, checks them, writes what is generated. */
#include <stdio.h>
#include <string.h>

#include "gen/emit.h"

typedef struct Args {
    bool check, explain;
    const char *nodes, *passes, *outdir;
    uint32_t nbackend, ndir;
    const char *backend[32];
    const char *dir[32];
} Args;

static const char usage[] =
    "usage: sinter-gen [--check] [--explain] [--nodes F] [--passes F]\n"
    "                  [--backend F]... [-I DIR]... [-o DIR]\n"
    "\n"
    "Reads node, pass and backend declarations and writes C and the reference\n"
    "manual into DIR (default '.').\n"
    "  --check      parse and check only\n"
    "  --explain    print which rewrite families each node joins, and why\n"
    "  --nodes F    node declarations\n"
    "  --passes F   pass declarations\n"
    "  --backend F  a backend's declarations; may be repeated\n"
    "  -I DIR       look here for included files too\n"
    "  -o DIR       write here\n"
    "Exit status: 0, 1 when the declarations have errors, 2 for wrong usage.\n";

static int
bad_usage(const char *what, const char *arg)
{
    fprintf(stderr, "sinter-gen: %s '%s'\n%s", what, arg, usage);
    return SN_EUSAGE;
}

/* The value of an option that takes one: `-oDIR`, `--nodes=F` or the next
 * argument.  NULL when this is another option. */
static const char *
value_of(int argc, char **argv, int *i, const char *opt, bool *missing)
{
    const char *s = argv[*i];
    size_t n = strlen(opt);

    if (strncmp(s, opt, n))
        return NULL;
    if (opt[1] != '-' && s[n])
        return s + n;
    if (opt[1] == '-' && s[n] == '=')
        return s + n + 1;
    if (s[n])
        return NULL;
    if (*i + 1 >= argc) {
        *missing = true;
        return "";
    }
    return argv[++*i];
}

static int
read_args(Args *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i], *v;
        bool missing = false;

        if (!strcmp(s, "--help") || !strcmp(s, "-h")) {
            fputs(usage, stdout);
            return -1;
        }
        if (!strcmp(s, "--check")) {
            o->check = true;
        } else if (!strcmp(s, "--explain")) {
            o->explain = true;
        } else if ((v = value_of(argc, argv, &i, "--nodes", &missing))) {
            o->nodes = v;
        } else if ((v = value_of(argc, argv, &i, "--passes", &missing))) {
            o->passes = v;
        } else if ((v = value_of(argc, argv, &i, "--backend", &missing))) {
            if (o->nbackend == 32)
                return bad_usage("more than 32 options", s);
            o->backend[o->nbackend++] = v;
        } else if ((v = value_of(argc, argv, &i, "-I", &missing))) {
            if (o->ndir == 32)
                return bad_usage("more than 32 options", s);
            o->dir[o->ndir++] = v;
        } else if ((v = value_of(argc, argv, &i, "-o", &missing))) {
            o->outdir = v;
        } else {
            return bad_usage("unknown argument", s);
        }
        if (missing)
            return bad_usage("a value is missing after", s);
    }
    if (!o->nodes && !o->passes && !o->nbackend)
        return bad_usage("no declarations: give", "--nodes F");
    return 0;
}

static int
finish(SnDiag *d)
{
    sn_diag_print(d, stderr);
    return sn_diag_nerror(d) ? SN_ECHECK : SN_OK;
}

static int
generate(const Args *o, SnArena *a, SnDiag *d)
{
    SnDefs *s = sn_defs_new(a);

    if (o->nodes)
        sn_def_parse(s, d, o->nodes, o->dir, o->ndir);
    if (o->passes)
        sn_def_parse(s, d, o->passes, o->dir, o->ndir);
    for (uint32_t i = 0; i < o->nbackend; i++)
        sn_def_parse(s, d, o->backend[i], o->dir, o->ndir);
    if (sn_diag_nerror(d))
        return finish(d);
    sn_def_resolve(s, d);
    if (sn_diag_nerror(d))
        return finish(d);
    if (o->explain) {
        SnBuf b;
        sn_buf_init(&b, a);
        sn_explain(s, &b);
        fputs(sn_buf_str(&b), stdout);
    }
    if (o->explain && !o->outdir && !o->check)
        return finish(d);
    const char *out = o->check ? NULL : o->outdir ? o->outdir : ".";
    if (out == NULL || sn_file_mkdirs(d, out) == SN_OK) {
        sn_emit_kinds(s, out, d);
        sn_emit_inv(s, out, d);
        sn_emit_eval(s, out, d);
        sn_emit_rules(s, out, d);
        sn_emit_ref(s, out, d);
    }
    return finish(d);
}

int
main(int argc, char **argv)
{
    Args o = { 0 };
    int r = read_args(&o, argc, argv);

    if (r)
        return r < 0 ? SN_OK : r;
    SnArena *a = sn_arena_new();
    r = generate(&o, a, sn_diag_new(a));
    sn_arena_free(a);
    return r;
}
