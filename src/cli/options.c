// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSPECT = 1,
    OPT = 2,
    PROFILE = 4,
    QUANTIZE = 8,
    RUN = 16,
    DRAW = 32,
    WHY = 64,
    EXPORT = 128,
    COMPARE = 256,
    OPS = 512,
    BENCH = 1024,
    BISECT = 2048,
    COMPILE = 4096,
    VERIFY = 8192,
    REPORT = 16384,
    ALL = 32767
};

const SnVerb sn_verbs[] = {
    {"inspect", "MODEL", "nodes, types, inputs and outputs of a model", INSPECT,
     sn_verb_inspect},
    {"opt", "[FILE.sn|-]", "run passes and print the graph", OPT, sn_verb_opt},
    {"profile", "MODEL --calib FILE... [-o PROFILE] | merge PROFILE... -o F",
     "run a float model on data and record the range of each value", PROFILE,
     sn_verb_profile},
    {"quantize", "MODEL (--calib FILE... | --load-profile F) -o OUT",
     "make an int8 model", QUANTIZE, sn_verb_quantize},
    {"run", "MODEL --input FILE...", "run a model, score or compare it", RUN,
     sn_verb_run},
    {"compare", "FLOAT INT8 --input FILE... [--threshold DB]",
     "say which nodes of an int8 model lose what", COMPARE, sn_verb_compare},
    {"report", "FLOAT INT8 --input FILE... -o F.html",
     "write a page about an int8 model: graphs, errors, ranges, memory, times",
     REPORT, sn_verb_report},
    {"bisect", "MODEL --input FILE... [--threshold DB]",
     "name the rewrite after which the outputs differ", BISECT, sn_verb_bisect},
    {"verify", "BEFORE AFTER --log FILE",
     "check that AFTER is what the rewrites in the log make of BEFORE", VERIFY,
     sn_verb_verify},
    {"bench", "MODEL [--per-node | --tune] [-o ROOFLINE.svg]",
     "time a model on this machine, beside what the machine can do", BENCH,
     sn_verb_bench},
    {"draw", "MODEL [-o F.dot|F.svg|F.png|F.pdf]", "draw the graph", DRAW,
     sn_verb_draw},
    {"why", "MODEL [--node NAME]", "say why each Rescale is still there", WHY,
     sn_verb_why},
    {"export", "MODEL --format qdq|qoperator -o OUT.onnx",
     "write an ONNX model", EXPORT, sn_verb_export},
    {"compile", "MODEL -o DIR [--name NAME] [--report]",
     "write a model as a program in C", COMPILE, sn_verb_compile},
    {"ops", "[OPERATOR...]", "list the ONNX operators that are imported", OPS,
     sn_verb_ops},
    {0},
};

typedef enum OptKind {
    O_FLAG,
    O_STR,
    O_LONG,  /* zero or more */
    O_COUNT, /* one or more */
    O_SIZE,  /* the same with k, M, G or T behind it */
    O_REAL,  /* above zero */
    O_EACH,  /* may be repeated */
    O_LIST,  /* comma-separated, may be repeated */
    O_SIZES, /* sizes, comma-separated */
    O_NUMS   /* comma-separated numbers */
} OptKind;

typedef struct Option {
    const char *name;    /* with its dashes */
    const char *metavar; /* NULL for a flag */
    OptKind kind;
    size_t offset;
    uint32_t verbs;
    const char *help; /* NULL: another name for the option above */
} Option;

#define AT(field) offsetof(SnArgs, field)
#define TARGETS (ALL & ~(uint32_t)(PROFILE | OPS | COMPILE))
#define RUNS_PASSES (OPT | PROFILE | QUANTIZE | WHY | BISECT)
#define WRITES \
    (OPT | PROFILE | QUANTIZE | DRAW | EXPORT | BENCH | COMPILE | REPORT)
#define READS_DATA \
    (PROFILE | QUANTIZE | RUN | COMPARE | BISECT | COMPILE | REPORT)
#define IMPORTS \
    (INSPECT | OPT | DRAW | WHY | EXPORT | BENCH | VERIFY | READS_DATA)

static const Option options[] = {
    {"-o", "FILE", O_STR, AT(output), WRITES,
     "where the result goes (standard output when it can)"},
    {"--output", "FILE", O_STR, AT(output), WRITES, NULL},
    {"--format", "NAME", O_STR, AT(format), QUANTIZE | EXPORT,
     "of an ONNX model: qdq (quantize's default) or qoperator"},
    {"--codes", "NAME", O_STR, AT(codes), QUANTIZE | EXPORT,
     "of an ONNX model's values: int8 (default) or uint8"},
    {"--opset", "N", O_COUNT, AT(opset), QUANTIZE | EXPORT,
     "operator set of an ONNX model (default: 17)"},
    {"--calib", "FILE", O_EACH, AT(calib), PROFILE | QUANTIZE,
     "calibration data: .npy, .pb, .png or .jpg, or a folder of pictures; "
     "INPUT=FILE for one of several inputs"},
    {"--input", "FILE", O_EACH, AT(input), RUN | COMPARE | BISECT | REPORT,
     "data to run on: .npy, .pb, .png or .jpg, or a folder of pictures; "
     "INPUT=FILE for one of several inputs"},
    {"--input", "FILE", O_EACH, AT(input), COMPILE,
     "a sample for the self-test (default: drawn): .npy, .pb, .png or .jpg"},
    {"--eval", "FILE", O_EACH, AT(input), COMPARE, NULL},
    {"--eval", "FILE", O_EACH, AT(eval), QUANTIZE,
     "data that gives no ranges: both models run on it and are compared"},
    {"--eval-n", "N", O_LONG, AT(eval_n), QUANTIZE,
     "use the first N samples of --eval"},
    {"--eval-skip", "N", O_LONG, AT(eval_skip), QUANTIZE,
     "leave out the first N samples of --eval"},
    {"--labels", "FILE", O_STR, AT(labels), RUN | QUANTIZE | REPORT,
     "a .npy of class numbers of --input or --eval: prints top-1 (and top-5)"},
    {"--compare", "MODEL", O_STR, AT(compare), RUN,
     "also run MODEL and print the SQNR of each output against it"},
    {"--check-kernels", NULL, O_FLAG, AT(check_kernels), RUN,
     "compare every value of --backend with the reference evaluators, bit for "
     "bit"},
    {"--dump", "FILE", O_STR, AT(dump), RUN,
     "write the first output of all samples as an f32 .npy"},
    {"-n", "N", O_LONG, AT(nsample), READS_DATA,
     "use the first N samples (of a model with --batch B: N times B)"},
    {"--skip", "N", O_LONG, AT(skip), READS_DATA,
     "leave out the first N samples, and then take -n of them"},
    {"--mul", "X,...", O_NUMS, AT(mul), READS_DATA,
     "multiply pixels, one number or one per channel"},
    {"--add", "X,...", O_NUMS, AT(add), READS_DATA,
     "then add, one number or one per channel"},
    {"--preset", "NAME", O_STR, AT(preset), READS_DATA,
     "how pictures become inputs: imagenet, tf (-1 to 1) or raw (0 to 255)"},
    {"--resize", "N|WxH", O_STR, AT(resize), READS_DATA,
     "resize pictures: their shorter side, or both (default: the least that "
     "covers the input)"},
    {"--crop", "N|WxH", O_STR, AT(crop), READS_DATA,
     "cut this out of the middle of pictures (default: the input's size)"},
    {"--channels", "NAME", O_STR, AT(channels), READS_DATA,
     "of pictures: rgb (default), bgr or gray"},
    {"--mean", "X,...", O_STR, AT(mean), READS_DATA,
     "pixels of pictures become (v / 255 - mean) / std: one number or three"},
    {"--std", "X,...", O_STR, AT(std), READS_DATA, "see --mean"},
    {"--classes", "FILE", O_STR, AT(classes), RUN | QUANTIZE,
     "names of the classes, one a line: printed, and those of folders"},
    {"--layout", "nhwc|nchw", O_STR, AT(layout), READS_DATA,
     "channel order of the model's input (default: what fits)"},
    {"--shape", "[X=]1x3x32x32", O_EACH, AT(shape), IMPORTS,
     "shape of an ONNX model's input: sizes that the file leaves open"},
    {"--dim", "N=4", O_EACH, AT(dim), IMPORTS,
     "value of a symbolic dimension of an ONNX model"},
    {"--batch", "N", O_LONG, AT(batch), IMPORTS,
     "value of a free leading dimension (default: 1)"},
    {"--jobs", "N", O_COUNT, AT(njob), READS_DATA,
     "threads (default: one per processor); results do not depend on it"},
    {"-j", "N", O_COUNT, AT(njob), READS_DATA, NULL},
    {"--names", NULL, O_FLAG, AT(names), INSPECT,
     "list the nodes as quantize sees them: names for its GLOBs"},
    {"--per-node", NULL, O_FLAG, AT(per_node), BENCH,
     "also what each node takes, computes and moves, slowest first"},
    {"--runs", "N", O_COUNT, AT(nrun), BENCH | REPORT,
     "run this often (default: for half a second, at least 5 times)"},
    {"--threads", "N", O_COUNT, AT(nthread),
     RUN | COMPARE | BENCH | BISECT | REPORT,
     "threads of each run of a sample (default: 1); results do not depend on "
     "it"},
    {"--pack-cache", NULL, O_FLAG, AT(pack_cache), RUN | BENCH,
     "keep packed weights of a .sn in a file beside it, for a fast start"},
    {"--tune", NULL, O_FLAG, AT(tune), BENCH,
     "measure how each convolution is best computed here, say what the cost "
     "rules lose, and keep it in MODEL.tune-CPU-THREADS"},
    {"--tuned", "FILE", O_STR, AT(tune_file), RUN | BENCH,
     "compute convolutions as such a file says; results are the same"},
    {"--load-profile", "FILE", O_STR, AT(load_profile), QUANTIZE | REPORT,
     "take ranges from a profile file"},
    {"--dump-profile", "FILE", O_STR, AT(dump_profile), QUANTIZE,
     "also write the profile made from --calib"},
    {"--moving-average", "C", O_STR, AT(average), PROFILE | QUANTIZE,
     "record moving averages too; a sample moves them by C of the way (0.01)"},
    {"--shard", "I/N|env", O_STR, AT(shard), PROFILE,
     "profile part I (from 0) of N; env: as mpirun, srun or a Slurm array "
     "say"},
    {"--scheme", "[GLOB=]NAME", O_EACH, AT(schema), QUANTIZE,
     "asymmetric (default), symmetric, symmetric-uint8, power-of-two"},
    {"--schema", "NAME", O_EACH, AT(schema), QUANTIZE, NULL},
    {"--quantization-schema", "NAME", O_EACH, AT(schema), QUANTIZE, NULL},
    {"--range", "[GLOB=]RULE", O_EACH, AT(range), QUANTIZE,
     "minmax (default), percentile[=P], entropy, mse or moving-average"},
    {"--precision", "[GLOB=]NAME", O_EACH, AT(precision), QUANTIZE,
     "int8 (default), int16 or float"},
    {"--quantization-precision", "NAME", O_EACH, AT(precision), QUANTIZE, NULL},
    {"--keep-float", "GLOB,...", O_LIST, AT(keep_float), QUANTIZE,
     "nodes that stay float, by name, or by kind as @KIND"},
    {"--bias", "NAME", O_STR, AT(bias), QUANTIZE,
     "int32 (default), or int8: 8 bits and a shift"},
    {"--quantization-precision-bias", "NAME", O_STR, AT(bias), QUANTIZE, NULL},
    {"--unify-ranges", NULL, O_FLAG, AT(unify), QUANTIZE,
     "one type for the operands of Concat and of residual Add"},
    {"--require-int8", NULL, O_FLAG, AT(require_int8), QUANTIZE | OPT,
     "exit 1, naming them, when nodes stay float"},
    {"--assert-all-nodes-quantized", NULL, O_FLAG, AT(require_int8), QUANTIZE,
     NULL},
    {"--threshold", "DB", O_STR, AT(threshold), COMPARE | BISECT,
     "exit 1 when an output's SQNR is below (bisect: 20 when not given)"},
    {"--per-tensor", NULL, O_FLAG, AT(per_tensor), QUANTIZE,
     "one scale for all weights of a node (default: per channel and row)"},
    {"--channelwise", NULL, O_FLAG, AT(channelwise), QUANTIZE,
     "one per output channel of convolutions: also with --per-tensor"},
    {"--enable-channelwise", NULL, O_FLAG, AT(channelwise), QUANTIZE, NULL},
    {"--rowwise", NULL, O_FLAG, AT(rowwise), QUANTIZE,
     "one per row of matrix products and tables: also with --per-tensor"},
    {"--enable-rowwise", NULL, O_FLAG, AT(rowwise), QUANTIZE, NULL},
    {"--name", "NAME", O_STR, AT(name), COMPILE,
     "of the program's files and functions (default: net)"},
    {"--target", "NAME", O_STR, AT(compile_target), COMPILE,
     "what the program is for: portable (default), any machine, or a processor "
     "of docs/compile.md"},
    {"--io", "NAME", O_STR, AT(io), COMPILE,
     "of inputs and outputs: model (default), their types in the model, or "
     "int8, codes where it converts them"},
    {"--weights", "NAME", O_STR, AT(weights), COMPILE,
     "c (default), or binary: a file that the caller passes"},
    {"--arenas", "BYTES,...", O_SIZES, AT(arenas), COMPILE,
     "sizes of the memories that values lie in, the fastest first (default: "
     "one)"},
    {"--report", NULL, O_FLAG, AT(report), COMPILE,
     "print what each node takes; -o may then be left out"},
    {"--report", "FILE", O_STR, AT(page), QUANTIZE,
     "also write what `sinter report` does, of --eval or --calib, as a page"},
    {"--untimed", NULL, O_FLAG, AT(untimed), QUANTIZE | REPORT,
     "of a report: measure no times, so that it is the same each time"},
    {"--max-ram", "BYTES", O_SIZE, AT(max_ram), COMPILE,
     "exit 1 where the arena takes more, naming the largest nodes"},
    {"--max-flash", "BYTES", O_SIZE, AT(max_flash), COMPILE,
     "exit 1 where constants and tables take more"},
    {"--backend", "NAME", O_STR, AT(backend), TARGETS,
     "CPU, interp (the reference evaluators) or another declared backend; run: "
     "c or c:TARGET, a program in C, compiled and run here"},
    {"--target", "NAME", O_STR, AT(target), TARGETS,
     "the backend to make a model for; the same as --backend"},
    {"--backend-plugin", "FILE", O_STR, AT(plugin), ALL,
     "a shared object with a backend of its own; may stand before the verb"},
    {"--passes", "A,B", O_STR, AT(passes), OPT | WHY | BISECT,
     "run these passes or pipelines in order"},
    {"--pipeline", "NAME", O_STR, AT(pipeline), OPT | BISECT,
     "run this pipeline (default: optimize)"},
    {"--node", "NAME", O_STR, AT(node), WHY,
     "only Rescales at, above or below this value"},
    {"--print-after", "PASS", O_STR, AT(print_after), RUNS_PASSES,
     "print the graph after this pass, or after all"},
    {"--elide", NULL, O_FLAG, AT(elide), RUNS_PASSES,
     "print no values of constants above 64 bytes (such text cannot be read)"},
    {"--verify", NULL, O_FLAG, AT(verify), RUNS_PASSES,
     "verify the graph after every pass"},
    {"--trace", NULL, O_FLAG, AT(trace), RUNS_PASSES,
     "print a line for every rewrite"},
    {"--stats", NULL, O_FLAG, AT(stats), RUNS_PASSES,
     "print how often each rule applied; opt: and which nodes stay float"},
    {"--time-passes", NULL, O_FLAG, AT(time_passes), RUNS_PASSES,
     "print the time of each pass"},
    {"--disable", "P[.R],...", O_LIST, AT(disable), RUNS_PASSES,
     "switch off passes or rules"},
    {"--enable", "NAME,...", O_LIST, AT(enable), RUNS_PASSES | VERIFY,
     "switch on opt-in rules"},
    {"--opt-limit", "N", O_LONG, AT(opt_limit), RUNS_PASSES,
     "allow only the first N rewrites (to bisect)"},
    {"--check-passes", NULL, O_FLAG, AT(check_passes), RUNS_PASSES,
     "run what each rewrite replaces before and after, and compare"},
    {"--seed", "N", O_LONG, AT(seed), RUNS_PASSES | VERIFY,
     "of the values --check-passes draws"},
    {"--log", "FILE", O_STR, AT(log), OPT | VERIFY,
     "opt: write every rewrite to this file (.sn); verify: check these"},
    {"--strict-saturation", NULL, O_FLAG, AT(strict), RUNS_PASSES | VERIFY,
     "never drop the saturation of a calibrated Rescale"},
    {"--max-memory", "BYTES", O_SIZE, AT(limits.memory), ALL,
     "exit 6 beyond so much memory (default: 4G)"},
    {"--max-ops", "N", O_SIZE, AT(limits.ops), ALL,
     "exit 6 where a sample takes more operations (default: 4T), or folding "
     "does (default: by the size of the model's file)"},
    {"--max-nodes", "N", O_SIZE, AT(limits.nodes), ALL,
     "exit 6 where a graph has more nodes (default: 1M), or loops unroll to "
     "more (default: by the size of the model's file)"},
    {"--timeout", "SECONDS", O_REAL, AT(limits.seconds), ALL,
     "exit 6 after so much time (default: none)"},
    {"--json", NULL, O_FLAG, AT(json),
     INSPECT | OPT | QUANTIZE | RUN | WHY | COMPARE | OPS | BENCH | BISECT |
         VERIFY | REPORT,
     "print the report as JSON (opt: that of --stats)"},
    {"--help", NULL, O_FLAG, AT(help), ALL, "print this text"},
    {"-h", NULL, O_FLAG, AT(help), ALL, NULL},
};
enum { NOPTION = sizeof options / sizeof options[0] };

static void *
field(SnArgs *args, const Option *o)
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

static const Option *
option_named(const char *name, size_t n, const SnVerb *v)
{
    for (int i = 0; i < NOPTION; i++)
        if ((options[i].verbs & v->bit) && strlen(options[i].name) == n &&
            strncmp(options[i].name, name, n) == 0)
            return &options[i];
    return NULL;
}

int
sn_args_verb(int argc, char **argv)
{
    int i = 0;

    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *eq = strchr(argv[i], '=');
        size_t n = eq ? (size_t)(eq - argv[i]) : strlen(argv[i]);
        for (int k = 0; k < NOPTION; k++)
            if (strlen(options[k].name) == n && options[k].metavar && !eq &&
                strncmp(options[k].name, argv[i], n) == 0) {
                i++; /* its value */
                break;
            }
    }
    return i;
}

static SnStatus
unknown_option(SnCli *c, const SnVerb *v, const char *name)
{
    const char *cand[NOPTION];
    size_t n = 0;

    for (int i = 0; i < NOPTION; i++)
        if (options[i].verbs & v->bit)
            cand[n++] = options[i].name;
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
take_long(SnCli *c, const Option *o, const char *s, long *out)
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
    *out = v;
    return SN_OK;
}

static SnStatus
take_size(SnCli *c, const Option *o, const char *s, uint64_t *out)
{
    static const char unit[] = "kMGT";
    char *end;
    double v = strtod(s, &end);
    const char *u = end != s && *end ? strchr(unit, *end) : NULL;

    for (ptrdiff_t i = 0; u && i <= u - unit; i++)
        v *= 1000;
    if (end == s || end[u != NULL] || !(v >= 1) || !(v < 1e18))
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is not a number of one or more, with k, M, G or T "
                       "behind it or not",
                       s);
    *out = (uint64_t)v;
    return SN_OK;
}

static SnStatus
take_real(SnCli *c, const Option *o, const char *s, double *out)
{
    char *end;

    *out = strtod(s, &end);
    if (end == s || *end || !(*out > 0) || !(*out < 1e9))
        return sn_fail(c->d, SN_EUSAGE, o->name,
                       "'%s' is not a number above zero", s);
    return SN_OK;
}

static SnStatus
take_sizes(SnCli *c, const Option *o, const char *s, SnSizes *out)
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
take_nums(SnCli *c, const Option *o, const char *s, SnFloats *out)
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
take_value(SnCli *c, const Option *o, const char *s)
{
    void *f = field(&c->args, o);

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
    const Option *o = option_named(arg, n, v);

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
        return sn_fail(c->d, SN_EUSAGE, o->name, "wants %s after it",
                       o->metavar);
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

static void
help_options(SnBuf *b, const SnVerb *v)
{
    sn_puts(b, "\nOptions:\n");
    for (int i = 0; i < NOPTION; i++) {
        const Option *o = &options[i];
        if (!(o->verbs & v->bit) || !o->help)
            continue;
        size_t from = b->n;
        sn_putf(b, "  %s%s%s", o->name, o->metavar ? " " : "",
                o->metavar ? o->metavar : "");
        size_t used = b->n - from;
        if (used > 26)
            sn_putf(b, "\n%28s", "");
        else
            sn_putf(b, "%*s", (int)(28 - used), "");
        sn_putf(b, "%s\n", o->help);
    }
}

void
sn_args_help(SnBuf *b, const SnVerb *v)
{
    if (v) {
        sn_putf(b, "Usage: sinter %s %s\n\n%s: %s.\n", v->name, v->usage,
                v->name, v->help);
        help_options(b, v);
        return;
    }
    sn_puts(b, "Usage: sinter VERB ...\n\n"
               "Makes int8 models of float ones: import, profile, quantize, "
               "optimize, run.\n\nVerbs:\n");
    for (v = sn_verbs; v->name; v++)
        sn_putf(b, "  %-10s  %s\n", v->name, v->help);
    sn_puts(b, "\n'sinter VERB --help' lists the options of a verb.  Models "
               "are .onnx or .sn files.\n"
               "Exit codes: 0 ok, 1 check failed, 2 usage, 3 bad input, 4 "
               "unsupported, 5 output,\n6 resource limit, 70 internal.\n");
}
