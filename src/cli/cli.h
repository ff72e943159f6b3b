// SPDX-License-Identifier: Apache-2.0
/* The command line: one table of options feeds parsing and --help; one file
 * per verb. */
#ifndef SN_CLI_H
#define SN_CLI_H

#include "graph/graph.h"
#include "onnx/export/export.h"
#include "quant/quantize.h"
#include "run/samples.h"

typedef struct SnStrs { /* a NULL-terminated list */
    uint32_t n;
    const char **v;
} SnStrs;

typedef struct SnNums {
    uint32_t n;
    float *v;
} SnNums;

typedef struct SnArgs {
    SnStrs pos; /* positional arguments */
    const char *output;
    SnStrs input, calib, eval;
    const char *plugin;
    const char *labels, *load_profile, *dump_profile, *shard;
    const char *backend, *target; /* target is backend's other name */
    const char *passes, *pipeline, *print_after, *compare, *dump, *node;
    const char *layout, *format, *codes;
    SnStrs shape, dim;
    SnStrs disable, enable;
    SnStrs schema, range, precision, keep_float;
    SnNums mul, add;
    long nsample, skip, eval_n, eval_skip, njob, nthread, opt_limit, seed;
    long batch, opset;
    bool verify, trace, stats, time_passes, check_passes, strict;
    bool channelwise, rowwise, per_tensor, unify, require_int8, json, help;
    bool elide, check_kernels, names;
    const char *threshold, *average, *bias;
    long nrun; /* bench */
    bool pack_cache, tune;
    const char *tuned;
    bool per_node;
} SnArgs;

typedef struct SnCli {
    SnArena *a;
    SnDiag *d;
    SnArgs args;
    SnBuf out; /* what goes to standard output */
} SnCli;

typedef struct SnVerb {
    const char *name, *usage, *help;
    uint32_t bit;
    SnStatus (*run)(SnCli *c);
} SnVerb;
extern const SnVerb sn_verbs[]; /* ends with a NULL name */

/* Parses argv[1..) after the verb.  Messages name the option and, where one is
 * close, what was meant. */
SnStatus sn_args_parse(SnCli *c, const SnVerb *v, int argc, char **argv);
/* Options may stand before the verb: the index of the first argument that is
 * none, in argv[0..argc). */
int sn_args_verb(int argc, char **argv);
/* The text of --help: of the program (v NULL) or of one verb. */
void sn_args_help(SnBuf *b, const SnVerb *v);

/* ---- shared by verbs (load.c) ---- */

/* The positional argument, required; refuses more than `most`. */
SnStatus sn_cli_model(SnCli *c, uint32_t most, const char **path);
/* Reads .onnx or .sn ("-": .sn from standard input) and verifies it. */
SnStatus sn_cli_load(SnCli *c, const char *path, SnGraph **out);
bool sn_is_onnx(const char *path);
/* Some value of g that is no constant has a quantized type. */
bool sn_cli_quantized(SnCli *c, const SnGraph *g);
/* Writes g as an ONNX model by --format, --codes and --opset. */
SnStatus sn_cli_export(SnCli *c, const SnGraph *g, const char *path);
/* The same options, looked at before any work. */
SnStatus sn_cli_export_opts(SnCli *c, SnOnnxExport *o);
/* Refuses them where path, which is written, is no ONNX model. */
SnStatus sn_cli_no_export_opts(SnCli *c, const char *path);
/* What runs nodes: --backend, or the CPU's kernels, whose bits are those of
 * the evaluators. */
SnStatus sn_cli_engine(SnCli *c, const SnBackendDesc **out);
SnStatus sn_cli_rewrite_opts(SnCli *c, SnRewriteOpts *o);
/* --threads: 1 to SN_MAXTHREAD. */
SnStatus sn_cli_threads(SnCli *c, unsigned *out);
/* --precision, --scheme, --range, --keep-float (quant_options.c). */
SnStatus sn_cli_control(SnCli *c, SnControl *out);
/* Their globs against g as it was loaded and as it is lowered. */
SnStatus sn_cli_resolve(SnCli *c, const SnGraph *g, SnControl *control);
typedef struct SnShard { /* part `index` of the data, cut in `count` */
    int64_t index, count;
} SnShard;
/* --shard I/N or env; without it the whole. */
SnStatus sn_cli_shard(SnCli *c, SnShard *out);
/* -o with each "{}" replaced by the number of the shard. */
SnStatus sn_cli_shard_output(SnCli *c, const char **out);
/* Prints --stats and --time-passes to stderr where asked. */
void sn_cli_rewrite_report(SnCli *c, const SnRewriter *rw);
/* Whether --pack-cache, if it is there, can be followed (pack_cache.c). */
SnStatus sn_cli_pack_check(SnCli *c, const char *path);
/* Whether b has kernels, if --pack-cache, --tune or --tuned ask for them. */
SnStatus sn_cli_need_kernels(SnCli *c, const SnBackendDesc *b);
/* Whether --tuned and --tune, if they are there, can be (tune_file.c). */
SnStatus sn_cli_tune_check(SnCli *c, const char *path);
/* bench --tune: measures g for o's backend, writes the file, reports. */
SnStatus sn_cli_tune(SnCli *c, const char *path, const SnRewriteOpts *o,
                     SnGraph *g, unsigned nthread);
/* The picks of --tuned, or NULL. */
SnStatus sn_cli_tuned(SnCli *c, struct SnTune **out);
/* After they were asked for: whether the file knew all layers. */
SnStatus sn_cli_tuned_all(SnCli *c, const struct SnTune *t);
/* sn_launch and sn_exec_prepare_fast, with the packed weights of --pack-cache
 * and the picks of --tuned; models that are no .sn are packed in memory, and
 * picks are those of the model that the command line names first. */
SnStatus sn_cli_prepare(SnCli *c, const char *path, const SnRewriteOpts *o,
                        SnGraph *g, const SnExec **out);
/* Samples for the inputs of x from --input, --calib or what is in files. */
SnStatus sn_cli_samples(SnCli *c, const SnExec *x, const SnStrs *files,
                        const char *option, SnSamples **out);
/* The same with numbers of its own: n of them (-1: all) after `skip`. */
SnStatus sn_cli_window(SnCli *c, const SnExec *x, const SnStrs *files,
                       const char *option, long n, const char *skip_option,
                       long skip, SnSamples **out);
/* A copy of g, lowered all the way as profiling wants it. */
SnStatus sn_cli_lowered(SnCli *c, const SnGraph *g, bool quiet, SnGraph **out);
/* A copy of g as it is when `quantize` chooses types. */
SnStatus sn_cli_placed(SnCli *c, const SnGraph *g, SnGraph **out);
/* Profiles a copy of g on files; hash and names as quantize wants them.
 * quiet: as a part of another verb, whose passes --trace and the like mean. */
SnStatus sn_cli_profile(SnCli *c, const SnGraph *g, const SnStrs *files,
                        bool quiet, SnProfile **out);
/* The verb run with --check-kernels (check_kernels.c): exit 1 when a node of
 * --backend gives other values than its evaluator from the same operands. */
SnStatus sn_cli_check_kernels(SnCli *c, const char *path);
/* One reason why a Rescale is left, as a clause that names its rule. */
void sn_put_reason(SnBuf *b, const SnReason *r);
/* The Rescales of w and their reasons as a JSON array. */
void sn_put_why_json(SnBuf *b, const SnWhy *w);
/* The first few nodes that no kernel of x's backend runs, for a message. */
const char *sn_cli_fallback(SnCli *c, const SnExec *x);
/* "1.25 MiB" */
const char *sn_bytes_str(SnArena *a, size_t n);

SnStatus sn_verb_inspect(SnCli *c), sn_verb_opt(SnCli *c),
    sn_verb_profile(SnCli *c), sn_verb_quantize(SnCli *c),
    sn_verb_run(SnCli *c), sn_verb_draw(SnCli *c), sn_verb_why(SnCli *c),
    sn_verb_export(SnCli *c), sn_verb_compare(SnCli *c), sn_verb_ops(SnCli *c),
    sn_verb_bench(SnCli *c);

/* A file that a verb will write. */
typedef struct SnOutput {
    const char *option, *path; /* path NULL: not asked for */
    const char *const *suffix; /* NULL-ended; NULL: any name */
    const char *what;          /* as messages say it: "a profile" */
    bool text;
    bool in_place; /* the model and further arguments may be replaced */
} SnOutput;
/* Refuses, before long work is done for it, a path that cannot be written or
 * should not be: no such directory, a name for something else, a file that the
 * command reads, and for text one that is not text. */
SnStatus sn_cli_writable(SnCli *c, const SnOutput *o);
/* The files of an option, then the positional arguments after the model. */
SnStrs sn_cli_files(SnCli *c, const SnStrs *option);

#endif
