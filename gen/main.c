// SPDX-License-Identifier: Apache-2.0
/* sinter-gen: reads declarations, checks them, writes generated files. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/diag_format.h"
#include "base/version.h"
#include "dsl/model/codes.h"
#include "dsl/order/order.h"
#include "dsl/prove/prove.h"
#include "dsl/prove/vectors.h"
#include "gen/case/cases.h"
#include "gen/text/explain.h"

typedef enum Format { TEXT, JSON, SARIF } Format;

typedef struct Args {
    bool check, explain, report, no_prove, cases;
    const char *vectors; /* of that arithmetic */
    uint32_t count;
    const char *smt2;
    Format format;
    const char *nodes, *passes, *outdir;
    uint32_t nbackend, ndir;
    const char *backend[32];
    const char *dir[33];
    const char *core, *plugin;
    uint32_t nsource;
    const char *source[256];
} Args;

static const char usage[] =
    "usage: sinter-gen [--check] [--explain] [--report] [--nodes F]\n"
    "                  [--passes F] [--backend F]... [-I DIR]... [-o DIR]\n"
    "                  [--cases] [--vectors NAME] [--format text|json|sarif]\n"
    "       sinter-gen explain CODE...\n"
    "       sinter-gen --version\n"
    "\n"
    "Reads node, pass and backend declarations and writes C and the reference\n"
    "manual into DIR (default '.').  --check, --explain and --report without\n"
    "declarations take those of the tree they are called in: nodes.def,\n"
    "passes.def and src/backend/*/*.def.\n"
    "  --check      parse and check only; with -o, take proofs from DIR and\n"
    "               leave them there\n"
    "  --explain    print which rewrite families each node joins, and why:\n"
    "               the claim, guard and proof of each instance\n"
    "  --report     print why each pass ends, where the order matters, and\n"
    "               for each rule and instance what proves it\n"
    "  --no-prove   take rules as they are: no proofs, no order\n"
    "  --cases      write only DIR/sn_cases.c: graphs on which each rule must\n"
    "               and must not fire (docs/random-tests.md)\n"
    "  --vectors NAME   print what rows of that arithmetic give for values, "
    "for\n"
    "               a machine's simulator; nothing is proved or written\n"
    "  --count N    so many for each row (1000)\n"
    "  --emit-smt2 DIR  write what a solver may check\n"
    "  --nodes F    node declarations\n"
    "  --passes F   pass declarations\n"
    "  --backend F  a backend's declarations; may be repeated\n"
    "  --core DIR   all declarations of an installed sinter\n"
    "  --plugin F   write only what this backend's file adds to the others\n"
    "  --sources F  C files that define its kernels and hooks: check their\n"
    "               prototypes; may be repeated\n"
    "  -I DIR       look here for included files too\n"
    "  -o DIR       write here\n"
    "  --format F   messages as text (the default), json or sarif\n"
    "  explain      print what message codes mean (SN310)\n"
    "Exit status: 0, 1 when the declarations have errors, 2 for wrong usage,\n"
    "3 when a named file cannot be read, 5 when one cannot be written,\n"
    "70 for a defect, such as a certificate that is refused.\n";

static int
bad_usage(const char *what, const char *arg)
{
    fprintf(stderr, "sinter-gen: %s '%s'\n%s", what, arg, usage);
    return SN_EUSAGE;
}

/* The value of an option that takes one: `-oDIR`, `--nodes=F` or the next
 * argument; an empty one is missing.  NULL when this is another option. */
static const char *
value_of(int argc, char **argv, int *i, const char *opt, bool *missing)
{
    const char *s = argv[*i];
    size_t n = strlen(opt);

    if (strncmp(s, opt, n))
        return NULL;
    if (opt[1] != '-' && s[n])
        return s + n;
    const char *v = s + n + 1;
    if (opt[1] != '-' || s[n] != '=') {
        if (s[n])
            return NULL;
        v = *i + 1 < argc ? argv[++*i] : "";
    }
    *missing = !*v;
    return v;
}

static bool
read_format(Args *o, const char *s)
{
    static const char *const name[] = {"text", "json", "sarif"};

    uint32_t k = sn_name_at(name, 3, s);

    if (k < 3)
        o->format = (Format)k;
    return k == 3;
}

static bool
read_count(Args *o, const char *s)
{
    char *end;
    unsigned long n = strtoul(s, &end, 10);

    o->count = n <= 1000000 ? (uint32_t)n : 0;
    return *end || !o->count;
}

/* Only options that print: a run that writes must name its inputs. */
static int
take_tree(Args *o, SnArena *a)
{
    glob_t g;

    if (!o->check && !o->explain && !o->report && !o->vectors)
        return bad_usage("no declarations: give", "--nodes F");
    if (access("nodes.def", R_OK) || access("passes.def", R_OK)) {
        fputs("sinter-gen: no declarations are given, and there are no "
              "nodes.def and passes.def in this directory; expected it to be "
              "the root of a sinter tree, or --core DIR (of an installed one: "
              "PREFIX/share/sinter), or --nodes F --passes F\n",
              stderr);
        return SN_EUSAGE;
    }
    o->nodes = "nodes.def";
    o->passes = "passes.def";
    if (o->ndir < 32)
        o->dir[o->ndir++] = ".";
    if (glob("src/backend/*/*.def", 0, NULL, &g))
        return 0;
    for (size_t i = 0; i < g.gl_pathc && o->nbackend < 32; i++)
        o->backend[o->nbackend++] = sn_strdup(a, g.gl_pathv[i]);
    globfree(&g);
    return 0;
}

/* Options of which one leaves the other without effect. */
static int
check_args(const Args *o)
{
    const struct {
        bool bad;
        const char *what, *option;
    } pair[] = {
        {o->count && !o->vectors, "requires --vectors:", "--count"},
        {o->smt2 && o->cases,
         "cannot be combined with --cases:", "--emit-smt2"},
        {o->smt2 && o->no_prove,
         "cannot be combined with --no-prove:", "--emit-smt2"},
        {o->check && o->cases, "cannot be combined with --cases:", "--check"},
        {o->explain && o->cases,
         "cannot be combined with --cases:", "--explain"},
        {o->report && o->cases, "cannot be combined with --cases:", "--report"},
        {o->vectors && o->cases,
         "cannot be combined with --vectors:", "--cases"},
        {o->vectors && o->smt2,
         "cannot be combined with --vectors:", "--emit-smt2"},
        {o->vectors && o->outdir, "cannot be combined with --vectors:", "-o"},
    };

    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (pair[i].bad)
            return bad_usage(pair[i].what, pair[i].option);
    return 0;
}

static int
read_args(Args *o, SnArena *a, int argc, char **argv)
{
    static const char *const help[] = {"--help", "-h"};
    static const char *const flag[] = {"--check", "--explain", "--report",
                                       "--no-prove", "--cases"};
    enum { NFLAG = sizeof flag / sizeof *flag };
    bool *const set[NFLAG] = {&o->check, &o->explain, &o->report, &o->no_prove,
                              &o->cases};

    for (int i = 1; i < argc; i++) {
        const char *s = argv[i], *v;
        bool missing = false;

        if (sn_name_among(help, 2, s)) {
            fputs(usage, stdout);
            return -1;
        }
        if (!strcmp(s, "--version")) {
            fputs("sinter-gen " SN_VERSION "\n", stdout);
            return -1;
        }
        uint32_t k = sn_name_at(flag, NFLAG, s);
        if (k < NFLAG) {
            *set[k] = true;
        } else if ((v = value_of(argc, argv, &i, "--emit-smt2", &missing))) {
            o->smt2 = v;
        } else if ((v = value_of(argc, argv, &i, "--vectors", &missing))) {
            o->vectors = v;
        } else if ((v = value_of(argc, argv, &i, "--count", &missing))) {
            if (!missing && read_count(o, v))
                return bad_usage("expected a number from 1 to 1000000, not", v);
        } else if ((v = value_of(argc, argv, &i, "--format", &missing))) {
            if (!missing && read_format(o, v))
                return bad_usage("no format is named", v);
        } else if ((v = value_of(argc, argv, &i, "--nodes", &missing))) {
            o->nodes = v;
        } else if ((v = value_of(argc, argv, &i, "--passes", &missing))) {
            o->passes = v;
        } else if ((v = value_of(argc, argv, &i, "--backend", &missing))) {
            if (o->nbackend == 32)
                return bad_usage("more than 32 options", s);
            o->backend[o->nbackend++] = v;
        } else if ((v = value_of(argc, argv, &i, "--core", &missing))) {
            o->core = v;
        } else if ((v = value_of(argc, argv, &i, "--plugin", &missing))) {
            o->plugin = v;
        } else if ((v = value_of(argc, argv, &i, "--sources", &missing))) {
            if (o->nsource == 256)
                return bad_usage("more than 256 options", s);
            o->source[o->nsource++] = v;
        } else if ((v = value_of(argc, argv, &i, "-I", &missing))) {
            if (o->ndir == 32)
                return bad_usage("more than 32 options", s);
            o->dir[o->ndir++] = v;
        } else if ((v = value_of(argc, argv, &i, "-o", &missing))) {
            o->outdir = v;
        } else if (i == 1 && !strcmp(s, "explain")) {
            return bad_usage("expected codes of messages after", s);
        } else {
            return bad_usage("unknown argument", s);
        }
        if (missing)
            return bad_usage("a value is missing after", s);
    }
    int r = check_args(o);
    if (r == 0 && !o->nodes && !o->passes && !o->nbackend && !o->core)
        r = take_tree(o, a);
    return r;
}

static const char *
title(const char *code)
{
    const SnCode *c = sn_code_named(code);

    return c ? c->title : NULL;
}

/* The messages: text goes to stderr, what programs read to stdout.  The status
 * is that of the first error: a file that cannot be read or written is not an
 * error in the declarations. */
static int
finish(const Args *o, SnArena *a, SnDiag *d)
{
    if (o->format == JSON)
        fputs(sn_diag_json(d, a), stdout);
    else if (o->format == SARIF)
        fputs(sn_diag_sarif(d, a, "sinter-gen", title), stdout);
    else
        sn_diag_print(d, stderr);
    return sn_diag_nerror(d) ? (int)sn_diag_status(d) : SN_OK;
}

/* The bytes of the program's file from its first up to the last one that is
 * loaded: behind these is what debuggers read.  The first object is the
 * program. */
static int
loaded(struct dl_phdr_info *o, size_t size, void *n)
{
    (void)size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        size_t end = o->dlpi_phdr[i].p_offset + o->dlpi_phdr[i].p_filesz;
        if (o->dlpi_phdr[i].p_type == PT_LOAD && end > *(size_t *)n)
            *(size_t *)n = end;
    }
    return 1;
}

/* A hash of this program, different for another version; NULL if the system
 * cannot provide it. */
static const char *
program_id(SnArena *a)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const void *p = NULL;
    size_t n = 0;

    dl_iterate_phdr(loaded, &n);
    if (fd >= 0) {
        p = n ? sn_arena_map(a, fd, n) : NULL;
        close(fd);
    }
    return p ? sn_format(a, "%016llx", (unsigned long long)XXH3_64bits(p, n))
             : NULL;
}

/* Proves the rules; verdicts for unchanged rules come from DIR/proofs.txt. */
static bool
prove(const Args *o, SnDefs *s, SnArena *a, SnDiag *d, const SnProofs **out)
{
    SnProveOpts po = {.smt2 = o->smt2};
    bool quiet = o->no_prove;

    if (quiet)
        return false;
    if (o->smt2 && sn_file_mkdirs(d, o->smt2))
        return true;
    if (o->outdir && !o->smt2) {
        if (sn_file_mkdirs(d, o->outdir))
            return true;
        po.cache = sn_path_join(a, o->outdir, "proofs.txt");
        po.certificates = sn_path_join(a, o->outdir, "certificates.txt");
        po.prover = program_id(a);
    }
    *out = sn_prove(s, d, &po);
    return sn_diag_nerror(d) > 0;
}

/* Reports the proofs this run made, if others were made before. */
static void
put_proved_now(SnBuf *b, const SnProofs *v)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < v->n; i++)
        n += v->v[i].recalled;
    if (!n)
        return;
    sn_putf(b, "# %u of %u verdicts are those of an earlier run\n", n, v->n);
    for (uint32_t i = 0; i < v->n; i++)
        if (!v->v[i].recalled && v->v[i].layer < SN_LAYER_DEFINITION)
            sn_putf(b, "# proved in this run: %s\n", v->v[i].name);
}

/* DIR/core.list names the files, one a line, in the order of the build. */
static void
parse_core(Args *o, SnDefs *s, SnArena *a, SnDiag *d)
{
    char *text;
    size_t n;

    if (sn_file_read(a, d, sn_path_join(a, o->core, "core.list"), 1 << 16,
                     &text, &n) != SN_OK)
        return;
    o->dir[o->ndir++] = o->core;
    for (char *p = text; *p;) {
        size_t k = strcspn(p, "\n");
        if (k)
            sn_def_parse(s, d, sn_path_join(a, o->core, sn_strndup(a, p, k)),
                         o->dir, o->ndir);
        p += k + (p[k] == '\n');
    }
}

/* --vectors NAME */
static int
put_vectors(const Args *o, const SnDefs *s, SnArena *a, SnDiag *d)
{
    SnBuf b;

    for (uint32_t i = 0; i < s->narith; i++)
        if (sn_name_same(s->arith[i]->name, o->vectors)) {
            sn_buf_init(&b, a);
            sn_prove_vectors(s, s->arith[i], o->count ? o->count : 1000, &b);
            fputs(sn_buf_str(&b), stdout);
            return finish(o, a, d);
        }
    return bad_usage("no arithmetic is named", o->vectors);
}

static void
parse(Args *o, SnDefs *s, SnArena *a, SnDiag *d)
{
    if (o->core)
        parse_core(o, s, a, d);
    if (o->nodes)
        sn_def_parse(s, d, o->nodes, o->dir, o->ndir);
    if (o->passes)
        sn_def_parse(s, d, o->passes, o->dir, o->ndir);
    for (uint32_t i = 0; i < o->nbackend; i++)
        sn_def_parse(s, d, o->backend[i], o->dir, o->ndir);
    if (o->plugin) {
        sn_defs_plugin(s);
        sn_def_parse(s, d, o->plugin, o->dir, o->ndir);
    }
}

/* --explain and --report, before the notes if both go to the same place. */
static void
put_texts(const Args *o, SnDefs *s, const SnProofs *proofs, SnBuf *vectors,
          SnArena *a, SnDiag *d)
{
    SnBuf b;

    sn_buf_init(&b, a);
    if (o->explain)
        sn_explain(s, proofs, &b);
    if (o->report) {
        sn_order_report(s, d, &b);
        sn_puts(&b, sn_buf_str(vectors));
        sn_puts(&b, proofs ? proofs->report : "");
        if (proofs)
            put_proved_now(&b, proofs);
    }
    fputs(sn_buf_str(&b), o->format == TEXT ? stdout : stderr);
    fflush(stdout);
}

static int
generate(Args *o, SnArena *a, SnDiag *d)
{
    SnDefs *s = sn_defs_new(a);

    parse(o, s, a, d);
    if (sn_diag_nerror(d)) {
        sn_def_resolve_rest(s, d);
        return finish(o, a, d);
    }
    sn_def_resolve(s, d);
    if (o->nsource && !sn_diag_nerror(d))
        sn_check_sources(s, d, o->nsource, o->source);
    if (sn_diag_nerror(d))
        return finish(o, a, d);
    if (o->vectors)
        return put_vectors(o, s, a, d);
    SnBuf vectors;
    sn_buf_init(&vectors, a);
    sn_prove_check_vectors(s, d, &vectors);
    if (sn_diag_nerror(d))
        return finish(o, a, d);
    if (o->cases) {
        if (sn_file_mkdirs(d, o->outdir ? o->outdir : ".") == SN_OK)
            sn_emit_cases(s, o->outdir ? o->outdir : ".", d);
        sn_emit_write(a, d);
        return finish(o, a, d);
    }
    if (!o->no_prove)
        sn_def_order(s, d); /* an error there must not hide an unsound rule */
    const SnProofs *proofs = NULL;
    if (prove(o, s, a, d, &proofs))
        return finish(o, a, d);
    if (o->explain || o->report)
        put_texts(o, s, proofs, &vectors, a, d);
    if ((o->explain || o->report) && !o->outdir && !o->check)
        return finish(o, a, d);
    const char *out = o->check ? NULL : o->outdir ? o->outdir : ".";
    if (out == NULL || sn_file_mkdirs(d, out) == SN_OK) {
        sn_emit_kinds(s, out, d);
        sn_emit_maps(s, out, d);
        sn_emit_ariths(s, out, d);
        sn_emit_inv(s, out, d);
        sn_emit_eval(s, out, d);
        sn_emit_rules(s, out, d);
        sn_emit_ref(s, out, d);
        sn_emit_write(a, d);
    }
    return finish(o, a, d);
}

/* The paragraph of each code, in lines of 78 columns. */
static int
explain(int n, char **code)
{
    int bad = 0;

    for (int i = 0; i < n; i++) {
        const SnCode *c = sn_code_named(code[i]);
        const char *cand[1024], *near = NULL;
        size_t col = 0;
        if (!c) {
            for (size_t k = 0; k < sn_ncode && k < 1024; k++)
                cand[k] = sn_code_list[k].code;
            near = sn_closest(code[i], cand, sn_ncode);
            fprintf(stderr,
                    near ? "sinter-gen: no message has the code '%s'; "
                           "did you mean '%s'?\n"
                         : "sinter-gen: no message has the code "
                           "'%s'\n",
                    code[i], near);
            bad = 1;
            continue;
        }
        printf("%s%s: %s\n", i ? "\n" : "", c->code, c->title);
        for (const char *s = c->text; *s;) {
            size_t w = strcspn(s, " ");
            if (w && col && col + w + 1 > 78)
                col = 0, putchar('\n');
            if (w)
                col += (size_t)printf("%s%.*s", col ? " " : "", (int)w, s);
            s += w + (s[w] == ' ');
        }
        putchar('\n');
    }
    return bad ? SN_EUSAGE : SN_OK;
}

/* Checks that everything was written. */
static int
flushed(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "sinter-gen: standard output: cannot write: %s\n",
            strerror(errno));
    return code != SN_OK ? code : SN_EOUTPUT;
}

int
main(int argc, char **argv)
{
    Args o = {0};

    sn_file_signals();
    if (argc > 2 && !strcmp(argv[1], "explain"))
        return flushed(explain(argc - 2, argv + 2));
    SnArena *a = sn_arena_new();
    int r = read_args(&o, a, argc, argv);
    if (r == 0)
        r = generate(&o, a, sn_diag_new(a));
    sn_arena_free(a);
    return flushed(r < 0 ? SN_OK : r);
}
