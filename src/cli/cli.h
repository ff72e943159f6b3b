// SPDX-License-Identifier: Apache-2.0
/* The command line: one table of options feeds parsing and --help; one file
 * per verb. */
#ifndef SN_CLI_H
#define SN_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/diag.h"

struct SnBackendDesc;
struct SnControl;
struct SnData;
struct SnExec;
struct SnGraph;
struct SnIslands;
struct SnOnnxExport;
struct SnPixels;
struct SnProfile;
struct SnReason;
struct SnRewriteOpts;
struct SnRewriter;
struct SnSamples;
struct SnTune;
struct SnWhy;

typedef struct SnStrs { /* a NULL-terminated list */
    uint32_t n;
    const char **v;
} SnStrs;

typedef struct SnSizes {
    uint32_t n;
    uint64_t *v;
} SnSizes;

typedef struct SnFloats {
    uint32_t n;
    float *v;
} SnFloats;

typedef struct SnArgs {
    SnStrs pos; /* positional arguments */
    const char *output;
    SnStrs input, calib, eval;
    const char *plugin;
    const char *labels, *load_profile, *dump_profile, *shard;
    const char *backend, *target; /* target is backend's other name */
    const char *passes, *pipeline, *print_after, *compare, *dump, *node;
    const char *check_vectors;
    const char *layout, *format, *codes, *log;
    const char *preset, *resize, *crop, *channels, *mean, *std; /* pictures */
    const char *classes;
    const char *page; /* quantize --report */
    bool untimed;
    const char *completion; /* help */
    bool man;
    const char *name, *compile_target, *io, *weights; /* compile */
    SnSizes arenas;
    uint64_t max_ram, max_flash;
    bool report;
    const struct SnAotTarget *as_c; /* run --backend c */
    SnStrs shape, dim;
    SnStrs disable, enable;
    SnStrs schema, range, precision, keep_float;
    SnFloats mul, add;
    long nsample, skip, eval_n, eval_skip, njob, nthread, opt_limit, seed;
    long batch, opset;
    bool verify, trace, stats, time_passes, check_passes, strict;
    bool channelwise, rowwise, per_tensor, unify, require_int8, json, help;
    bool elide, check_kernels, check_twin, names;
    const char *threshold, *average, *bias;
    bool overview; /* draw */
    const char *heat, *title, *link;
    long nrun; /* bench */
    long top;  /* 0: all */
    bool pack_cache, tune;
    const char *tune_file;
    bool per_node;
    SnLimits limits;
} SnArgs;

typedef struct SnCli {
    SnBudget *budget; /* of all that the command does */
    SnArena *a;
    SnDiag *d;
    SnArgs args;
    SnBuf out;           /* what goes to standard output */
    const char *printed; /* the option that was given as "-", or NULL */
    bool late; /* the next model is loaded with late weights: it is run by
                  sn_cli_prepare, not written */
} SnCli;

/* Writes c->out to f, with control characters escaped: names come from files.
 * JSON and graphs have none.  False: f could not be written. */
bool sn_cli_put(const SnCli *c, FILE *f);
/* Moves c->out to standard error if an option writes to standard output. */
void sn_cli_aside(SnCli *c);

typedef struct SnVerb {
    const char *name, *usage, *help;
    uint32_t bit;
    SnStatus (*run)(SnCli *c);
} SnVerb;
extern const SnVerb sn_verbs[]; /* ends with a NULL name */
enum { SN_MOST_VERBS = 32 };

/* Parses argv[1..) after the verb.  Messages name the option and, where one is
 * close, what was meant. */
SnStatus sn_args_parse(SnCli *c, const SnVerb *v, int argc, char **argv);
/* Options may stand before the verb: the index of the first argument that is
 * none, in argv[0..argc). */
int sn_args_verb(int argc, char **argv);
/* The text of --help: of the program (v NULL) or of one verb. */
void sn_args_help(SnBuf *b, const SnVerb *v);
/* The same as a manual page. */
void sn_args_man(SnBuf *b, const SnVerb *v);
/* Completion for a shell: bash, zsh or fish; false for another. */
bool sn_args_complete(SnBuf *b, const char *shell);
/* The verb of that name, or NULL. */
const SnVerb *sn_verb_named(const char *name);
/* Refuses a name that no verb has. */
SnStatus sn_unknown_verb(SnCli *c, const char *name);

/* What signals do (signals.c): a file that is being written is removed. */
void sn_cli_signals(void);
/* Ends the process soon after so many seconds (0: never), if nothing that
 * looks at the time has done so. */
void sn_cli_alarm(double seconds);

/* ---- shared by verbs (load.c) ---- */

/* The positional argument, required; refuses more than `most`. */
SnStatus sn_cli_model(SnCli *c, uint32_t most, const char **path);
/* Reads .onnx or .sn ("-": .sn from standard input) and verifies it. */
SnStatus sn_cli_load(SnCli *c, const char *path, struct SnGraph **out);
bool sn_is_onnx(const char *path);
/* Whether a value of g other than a constant has a quantized type. */
bool sn_cli_quantized(SnCli *c, const struct SnGraph *g);
/* Writes g as an ONNX model by --format, --codes and --opset. */
SnStatus sn_cli_export(SnCli *c, const struct SnGraph *g, const char *path);
/* The same options, looked at before any work. */
SnStatus sn_cli_export_opts(SnCli *c, struct SnOnnxExport *o);
/* Refuses them unless path, the output, is an ONNX model. */
SnStatus sn_cli_no_export_opts(SnCli *c, const char *path);
/* What runs nodes: --backend, or the CPU's kernels, which give the same bits as
 * the evaluators. */
SnStatus sn_cli_engine(SnCli *c, const struct SnBackendDesc **out);
SnStatus sn_cli_rewrite_opts(SnCli *c, struct SnRewriteOpts *o);
/* --threads: 1 to SN_MAXTHREAD (threads.c). */
SnStatus sn_cli_threads(SnCli *c, unsigned *out);
/* The same for a run of nsample samples: without --threads, samples that are
 * fewer than --jobs get the threads that would have nothing to do. */
SnStatus sn_cli_run_threads(SnCli *c, int64_t nsample, unsigned *out);
/* Has --jobs threads share the large copies of loading. */
void sn_cli_spread(SnCli *c);
/* --precision, --scheme, --range, --keep-float (quant_options.c). */
SnStatus sn_cli_control(SnCli *c, struct SnControl *out);
/* Their globs against g as it was loaded and as it is lowered. */
SnStatus sn_cli_resolve(SnCli *c, const struct SnGraph *g,
                        struct SnControl *control);
typedef struct SnShard { /* part `index` of the data, cut in `count` */
    int64_t index, count;
} SnShard;
/* --shard I/N or env; without it the whole. */
SnStatus sn_cli_shard(SnCli *c, SnShard *out);
/* -o with each "{}" replaced by the number of the shard. */
SnStatus sn_cli_shard_output(SnCli *c, const char **out);
/* Prints fires (stats) and, where asked, --time-passes to stderr. */
void sn_cli_rewrite_report(SnCli *c, const struct SnRewriter *rw, bool stats);
/* Whether --pack-cache, if it is there, can be followed (pack_cache.c). */
SnStatus sn_cli_pack_check(SnCli *c, const char *path);
/* Whether b has kernels, if --pack-cache, --tune or --tuned ask for them. */
SnStatus sn_cli_need_kernels(SnCli *c, const struct SnBackendDesc *b);
/* Whether --tuned and --tune, if they are there, can be (tune_file.c). */
SnStatus sn_cli_tune_check(SnCli *c, const char *path);
/* bench --tune: measures g for o's backend, writes the file, reports. */
SnStatus sn_cli_tune(SnCli *c, const char *path, const struct SnRewriteOpts *o,
                     struct SnGraph *g, unsigned nthread);
/* The picks of --tuned, or NULL. */
SnStatus sn_cli_tune_load(SnCli *c, struct SnTune **out);
/* After they were asked for: whether the file knew all layers. */
SnStatus sn_cli_tune_complete(SnCli *c, const struct SnTune *t);
/* sn_launch and sn_exec_prepare_only, with the packed weights of --pack-cache
 * and the picks of --tuned; models that are no .sn are packed in memory, and
 * picks are those of the model that the command line names first. */
SnStatus sn_cli_prepare(SnCli *c, const char *path,
                        const struct SnRewriteOpts *o, struct SnGraph *g,
                        const struct SnExec **out);
/* Samples for the inputs of x from --input, --calib or what is in files. */
SnStatus sn_cli_samples(SnCli *c, const struct SnExec *x, const SnStrs *files,
                        const char *option, struct SnSamples **out);
/* The same with numbers of its own: n of them (-1: all) after `skip`. */
SnStatus sn_cli_window(SnCli *c, const struct SnExec *x, const SnStrs *files,
                       const char *option, long n, const char *skip_option,
                       long skip, struct SnSamples **out);
/* --layout of pictures and similar data; an SnLayout. */
SnStatus sn_cli_layout(SnCli *c, int *out);

/* ---- pictures (pictures.c, classes.c) ---- */

/* --preset, --resize, --crop, --channels, --mean and --std as one line of
 * steps (image/steps.h); "" without them. */
SnStatus sn_cli_steps(SnCli *c, const char **out);
/* The --mul and --add that make the same numbers of pixels; NULL: the steps
 * (or NULL) leave pixels as they are. */
const char *sn_cli_numbers(SnCli *c, const char *steps);
/* Refuses options for pictures where no file of s holds any; option: where the
 * files come from. */
SnStatus sn_cli_check_pictured(SnCli *c, const struct SnSamples *s,
                               const char *option);
/* Pictures and folders of them are samples, too. */
void sn_cli_pictures(SnCli *c, struct SnPixels *px);
/* Writes the steps of the command line, if there are any, to those inputs of g
 * that have the shape of a picture. */
SnStatus sn_cli_keep_steps(SnCli *c, struct SnGraph *g);
/* Gives inputs of `to` that store no steps those of from's inputs: two models
 * that are compared get the same pictures. */
void sn_cli_share_steps(SnCli *c, const struct SnGraph *from,
                        struct SnGraph *to);
/* The lines of --classes, which are `want`; none without it. */
SnStatus sn_cli_classes(SnCli *c, int64_t want, SnStrs *out);
/* Are all samples of the first input from folders, a class each? */
bool sn_cli_has_classes(const struct SnSamples *s);
/* The class numbers of all samples, from their folders. */
SnStatus sn_cli_folder_labels(SnCli *c, const struct SnSamples *s,
                              int64_t nclass, struct SnData *out);

/* A copy of g, lowered all the way, as profiling requires. */
SnStatus sn_cli_lowered(SnCli *c, const struct SnGraph *g, bool quiet,
                        struct SnGraph **out);
/* A copy of g as it is when `quantize` chooses types. */
SnStatus sn_cli_placed(SnCli *c, const struct SnGraph *g, struct SnGraph **out);
/* Profiles a copy of g on files, with the hash and names that quantize expects.
 * quiet: runs inside another verb; --trace and the like apply to that verb
 * only. */
SnStatus sn_cli_profile(SnCli *c, const struct SnGraph *g, const SnStrs *files,
                        bool quiet, struct SnProfile **out);
/* The verb run with --check-vectors (check_vectors.c): exit 1 when a row gives
 * something else. */
SnStatus sn_cli_check_vectors(SnCli *c);
/* The verb run with --check-twin (check_twin.c): exit 1 when a node is further
 * from the rows of float than its bound says. */
SnStatus sn_cli_check_twin(SnCli *c, const char *path);
/* The verb run with --check-kernels (check_kernels.c): exit 1 when a node of
 * --backend gives other values than its evaluator from the same operands. */
SnStatus sn_cli_check_kernels(SnCli *c, const char *path);
/* One reason why a Rescale is left, as a clause that names its rule. */
void sn_put_reason(SnBuf *b, const struct SnReason *r);
/* The nodes that stay float, each with its reason: lines of text, or the
 * member "stays_float" of a JSON object. */
void sn_put_floats(SnBuf *b, const struct SnIslands *f);
void sn_put_floats_json(SnBuf *b, const struct SnIslands *f);
/* Those that `opt` would leave in g; none in a graph without codes. */
SnStatus sn_cli_floats(SnCli *c, const struct SnGraph *g,
                       struct SnIslands *out);
/* --require-int8 of the graph f is about: names them, and fails. */
SnStatus sn_cli_check_int8(SnCli *c, const struct SnGraph *g,
                           const struct SnIslands *f);
/* The first few nodes that no kernel of x's backend runs, for a message. */
const char *sn_cli_fallback(SnCli *c, const struct SnExec *x);
/* Columns of the terminal that standard output is, from COLUMNS or as it says;
 * UINT32_MAX: it is none. */
unsigned sn_cli_width(void);
/* A name with its end, after "...", in at most so many columns (4 or more). */
const char *sn_fit_name(SnArena *a, const char *s, unsigned width);
/* Cuts the line that begins at b->s[from] and ends where b does. */
void sn_fit_line(SnBuf *b, size_t from, unsigned width);
/* "1.25 MiB" */
const char *sn_bytes_str(SnArena *a, size_t n);

SnStatus sn_verb_inspect(SnCli *c), sn_verb_opt(SnCli *c),
    sn_verb_profile(SnCli *c), sn_verb_quantize(SnCli *c),
    sn_verb_run(SnCli *c), sn_verb_draw(SnCli *c), sn_verb_why(SnCli *c),
    sn_verb_export(SnCli *c), sn_verb_compare(SnCli *c), sn_verb_ops(SnCli *c),
    sn_verb_bench(SnCli *c), sn_verb_bisect(SnCli *c), sn_verb_verify(SnCli *c),
    sn_verb_compile(SnCli *c), sn_verb_report(SnCli *c), sn_verb_help(SnCli *c),
    sn_verb_diff(SnCli *c);

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
 * command reads, and for text one that is not text; of two options, that both
 * write to standard output ("-"). */
SnStatus sn_cli_writable(SnCli *c, const SnOutput *o);
/* The files of an option, then the positional arguments after the model. */
SnStrs sn_cli_files(SnCli *c, const SnStrs *option);

#endif
