// SPDX-License-Identifier: Apache-2.0
/* sinter inside other programs: load a float or int8 model, quantize it, run
 * it, write it.  docs/howto/embedding.md is the guide.
 *
 * Errors are values: every function that can fail returns a SinterStatus and
 * fills the SinterError that the caller gives (NULL: not wanted).  Running out
 * of memory, or of a limit of SinterConfig, is SINTER_ENOMEM like any other.
 * The library never ends the process, installs no signal handler and writes to
 * no standard stream; a defect of sinter itself is the exception, which aborts.
 * A path, data, settings or an input that is NULL where nothing says that it
 * may be is SINTER_EUSAGE; models, sessions and what results are written to
 * (out, p, n) must be there.
 *
 * Threads: a SinterModel belongs to one thread at a time.  A SinterSession may
 * be run by any number of threads at once and does not need its model any more.
 * Different objects are independent.  Callbacks are called on a thread of the
 * library's caller, or where it is said, on several at once.
 *
 * Structs that begin with `size` grow at their end: the caller sets it to
 * sizeof of what it was compiled with, and members that are 0 are defaults. */
#ifndef SINTER_H
#define SINTER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SINTER_API __attribute__((visibility("default")))
#else
#define SINTER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; sinter_version() says the library's. */
#define SINTER_VERSION "0.3.0"
#define SINTER_MAXRANK 8

/* ---- errors ---- */

/* The numbers are the exit codes of the command. */
typedef enum SinterStatus {
    SINTER_OK = 0,
    SINTER_ECHECK = 1,       /* a check that was asked for failed */
    SINTER_EUSAGE = 2,       /* an argument or option makes no sense */
    SINTER_EINPUT = 3,       /* a model or data is malformed */
    SINTER_EUNSUPPORTED = 4, /* well-formed, but beyond what sinter does */
    SINTER_EOUTPUT = 5,      /* a file could not be written */
    SINTER_ENOMEM = 6        /* out of memory, or a limit was met */
} SinterStatus;

/* What went wrong, as NUL-terminated text that is cut where it is too long. */
typedef struct SinterError {
    SinterStatus status;
    uint32_t line, column; /* of a text model, from 1; 0: none */
    char code[16];         /* "SN203" and the like, or "" */
    char where[256];       /* the file, node or option; may be "" */
    char message[1024];    /* one sentence */
    char help[512];        /* what to do; may be "" */
} SinterError;

typedef enum SinterSeverity {
    SINTER_LOG_ERROR,
    SINTER_LOG_WARNING,
    SINTER_LOG_NOTE
} SinterSeverity;

/* Sees every message of a call before that call returns, the error too, on the
 * caller's thread; but arguments that are refused at once (SINTER_EUSAGE) may
 * be in the SinterError alone.  Runs of a session call it on several threads at
 * once.  where and text live until it returns; where may be "". */
typedef void SinterLogFn(void *ctx, SinterSeverity severity, const char *where,
                         const char *text);

/* ---- what a model and its sessions may take ---- */

typedef struct SinterConfig {
    size_t size;         /* sizeof(SinterConfig) */
    SinterLogFn *log;    /* NULL: messages that are no errors are dropped */
    void *log_ctx;       /* for log */
    uint64_t max_memory; /* bytes, of the model and of each session; 0: 4e9 */
    uint64_t max_ops;    /* operations of one sample; 0: 4e12 */
    uint64_t max_nodes;  /* of a graph; 0: 1e6 */
    double max_seconds;  /* of one call about a model; 0: no limit */
    /* Where tensors and graphs lie: both NULL for the system's memory, or both
     * given.  alloc returns n bytes aligned to 16, of any content, or NULL;
     * release gets what alloc returned, with the same n.  They may be called
     * on several threads at once. */
    void *(*alloc)(void *ctx, size_t n);
    void (*release)(void *ctx, void *p, size_t n);
    void *alloc_ctx; /* for alloc and release */
} SinterConfig;

/* "0.3.0".  Any thread. */
SINTER_API const char *sinter_version(void);

/* ---- models ---- */

typedef struct SinterModel SinterModel;

/* How an ONNX model with free dimensions is bound; nothing of it may be given
 * for a .sn model, whose shapes are fixed. */
typedef struct SinterImport {
    size_t size;               /* sizeof(SinterImport) */
    const char *const *dims;   /* "N=4", ends with NULL; NULL: none */
    const char *const *shapes; /* "x=1x3x32x32", ends with NULL; NULL: none */
    int64_t batch;             /* a free leading dimension; 0: 1 */
} SinterImport;

typedef enum SinterFormat {
    SINTER_FORMAT_ONNX, /* a ModelProto */
    SINTER_FORMAT_SN    /* sinter's text form */
} SinterFormat;

/* Reads a model from a file: ONNX where its name ends in .onnx, else .sn.  The
 * graph is verified.  c and io may be NULL.  *out is the caller's, for
 * sinter_model_free; it is NULL after an error.  SINTER_EINPUT: the file cannot
 * be read, is malformed or contradicts itself; SINTER_EUNSUPPORTED: it is
 * beyond sinter.  Files are mapped: do not cut one short while its model
 * lives.  Any thread. */
SINTER_API SinterStatus sinter_model_load(const SinterConfig *c,
                                          const char *path,
                                          const SinterImport *io,
                                          SinterModel **out, SinterError *err);
/* The same from n bytes in memory, which are copied.  name is for messages
 * (NULL: "memory").  dir: where data that the model refers to is looked for;
 * NULL refuses such a model (SINTER_EINPUT).  Any thread. */
SINTER_API SinterStatus sinter_model_parse(const SinterConfig *c,
                                           SinterFormat f, const void *p,
                                           size_t n, const char *name,
                                           const char *dir,
                                           const SinterImport *io,
                                           SinterModel **out, SinterError *err);
/* NULL is allowed. */
SINTER_API void sinter_model_free(SinterModel *m);

/* ---- inputs and outputs ---- */

typedef enum SinterElem {
    SINTER_FLOAT32 = 1,
    SINTER_FLOAT16, /* the bits */
    SINTER_INT8,
    SINTER_UINT8,
    SINTER_INT16,
    SINTER_INT32,
    SINTER_INT64,
    SINTER_BOOL /* one byte, 0 or 1 */
} SinterElem;

/* One input or output: row-major elements without gaps, in the shape that the
 * model states (ONNX pictures keep channels first).  A quantized one has
 * nscale > 0: real = scale * (code - zero), one pair in all (axis -1) or one
 * for each slice along axis.  Element types are those of the ONNX model, but
 * that its float16, bfloat16 and double are SINTER_FLOAT32. */
typedef struct SinterPort {
    const char *name; /* lives as long as the model or session */
    SinterElem elem;
    int32_t rank;
    int64_t dim[SINTER_MAXRANK];
    size_t nbyte; /* of the whole tensor */
    int32_t axis;
    uint32_t nscale;
    const float *scale;  /* [nscale], lives as name does */
    const int32_t *zero; /* [nscale], the same */
} SinterPort;

/* The number of inputs and of outputs.  Between calls that change m, any
 * thread. */
SINTER_API uint32_t sinter_model_ninput(const SinterModel *m);
SINTER_API uint32_t sinter_model_noutput(const SinterModel *m);
/* Input or output i, which is below that number; valid until m is changed or
 * freed. */
SINTER_API const SinterPort *sinter_model_input(const SinterModel *m,
                                                uint32_t i);
SINTER_API const SinterPort *sinter_model_output(const SinterModel *m,
                                                 uint32_t i);

/* ---- changing and writing models ---- */

/* Runs passes by name ("optimize" with NULL; "a,b" runs a list), then verifies.
 * SINTER_EUSAGE: there is no such pass.  After an error m is only good for
 * sinter_model_free. */
SINTER_API SinterStatus sinter_model_optimize(SinterModel *m,
                                              const char *passes,
                                              SinterError *err);
/* The usual passes, of which only those changes are made that are exact:
 * results keep their bits, but for which NaN one is.  A convolution or product
 * becomes one of codes where reals hold each of its sums, so that their order
 * means nothing; of any other, a note ("sum 'NAME'") tells the log.  An ONNX
 * model is not rewritten further when a session is made of it. */
SINTER_API SinterStatus sinter_model_optimize_exact(SinterModel *m,
                                                    SinterError *err);
/* Every declared fact of every node holds, or SINTER_EINPUT. */
SINTER_API SinterStatus sinter_model_verify(SinterModel *m, SinterError *err);

typedef enum SinterForm {
    SINTER_QDQ,      /* float operators between codes and reals */
    SINTER_QOPERATOR /* operators on codes where ONNX has them */
} SinterForm;

typedef struct SinterExport {
    size_t size; /* sizeof(SinterExport) */
    SinterForm form;
    int32_t opset; /* 13 to 25; 0: 17 */
    int32_t uint8; /* 1: 8-bit values as uint8 instead of int8 */
} SinterExport;

/* Writes m to path at once or not at all: as ONNX where its name ends in .onnx
 * (e may be NULL), else as .sn (e must be NULL), with large constants in a file
 * beside it.  SINTER_EOUTPUT: it cannot be written; SINTER_EUNSUPPORTED: a node
 * has no form in ONNX. */
SINTER_API SinterStatus sinter_model_save(SinterModel *m, const char *path,
                                          const SinterExport *e,
                                          SinterError *err);
/* The same bytes in memory, a .sn with all constants inside: *p is the
 * caller's, for sinter_free; a .sn text ends with a NUL beyond *n. */
SINTER_API SinterStatus sinter_model_pack(SinterModel *m, SinterFormat f,
                                          const SinterExport *e, void **p,
                                          size_t *n, SinterError *err);
/* Gives back what sinter_model_pack made; NULL is allowed. */
SINTER_API void sinter_free(void *p);

/* ---- quantization ---- */

/* Writes one sample of calibration data: input[i] points at the bytes of input
 * i in the form of its SinterPort.  Returns 0; 1: there is no such sample, the
 * data is at its end; any other number: an error, which ends the call with
 * SINTER_EINPUT.  sample counts from 0.  Called on one thread, in order. */
typedef int SinterFillFn(void *ctx, int64_t sample, void *const *input);

typedef struct SinterQuantize {
    size_t size; /* sizeof(SinterQuantize) */
    SinterFillFn *fill;
    void *fill_ctx;
    int64_t nsample; /* at most so many; 0: until fill returns 1 */
    /* Settings as the options of `sinter quantize` take them: "WORD" for all
     * nodes, "GLOB=WORD" for some; lists end with NULL, NULL: none. */
    const char *const *precision;  /* int8, int16, float */
    const char *const *scheme;     /* asymmetric, symmetric, ... */
    const char *const *range;      /* minmax, percentile=99.9, mse, ... */
    const char *const *keep_float; /* globs of nodes that stay float */
    int32_t per_tensor;            /* 1: one scale for all channels and rows */
    int32_t bias8;                 /* 1: biases of 8 bits and a shift */
    int32_t require_int8;          /* 1: a node that stays float is an error */
    const char *profile; /* instead of fill: the file of ranges that `sinter
                            profile` wrote */
} SinterQuantize;

/* Makes an int8 model of the float model m, which is left as it is.  *out is
 * the caller's.  SINTER_EINPUT: m is quantized already, or the data has no
 * finite value, or fill failed, or the profile cannot be read or lacks a value
 * of m; SINTER_EUSAGE: a setting; SINTER_ECHECK:
 * require_int8. */
SINTER_API SinterStatus sinter_model_quantize(SinterModel *m,
                                              const SinterQuantize *q,
                                              SinterModel **out,
                                              SinterError *err);
/* What the quantizer did, as one JSON object (docs/quantization.md), or "" for
 * a model that it did not make.  Lives as long as m. */
SINTER_API const char *sinter_model_report(const SinterModel *m);

/* ---- running ---- */

typedef struct SinterSession SinterSession;

typedef struct SinterSessionConfig {
    size_t size;      /* sizeof(SinterSessionConfig) */
    uint32_t threads; /* of one run, 1 to 64; 0: 1 */
    /* Packed weights are read from a file of this name and what belongs to the
     * processor: "model.snw" has them in "model.snw.pack-vnni", as
     * `sinter run --pack-cache` does.  One that is missing, damaged, or of
     * another build or other weights is not used.  It is mapped while the
     * session lives. NULL: none is read. */
    const char *pack;
    int32_t pack_save; /* 1: and writes that file, unless it holds just them */
} SinterSessionConfig;

/* Prepares m for this processor.  The session takes the limits, log and
 * allocator of m, and nothing else of it: m may be changed or freed.  o may be
 * NULL.  Results have the same bits for every number of threads and every
 * processor.  SINTER_EOUTPUT: packed weights cannot be written. */
SINTER_API SinterStatus sinter_session_new(SinterModel *m,
                                           const SinterSessionConfig *o,
                                           SinterSession **out,
                                           SinterError *err);
/* NULL is allowed.  No run may be under way. */
SINTER_API void sinter_session_free(SinterSession *s);

/* As for models; any thread. */
SINTER_API uint32_t sinter_session_ninput(const SinterSession *s);
SINTER_API uint32_t sinter_session_noutput(const SinterSession *s);
SINTER_API const SinterPort *sinter_session_input(const SinterSession *s,
                                                  uint32_t i);
SINTER_API const SinterPort *sinter_session_output(const SinterSession *s,
                                                   uint32_t i);

/* Runs one sample: in[i] has the bytes of input i, out[i] gets those of output
 * i, or is NULL where it is not wanted.  Inputs are not written, and may not
 * overlap outputs.  Any number of threads at once; the first run of a thread
 * more than before allocates what it needs, further ones allocate nothing.
 * Buffers that are aligned as malloc aligns are used in place; others, uint8
 * codes, and outputs that are an input, a constant, a part of another value or
 * there twice are copied.  SINTER_EINPUT: values that the model refuses (an
 * index out of range); out is undefined after an error. */
SINTER_API SinterStatus sinter_session_run(SinterSession *s,
                                           const void *const *in,
                                           void *const *out, SinterError *err);
/* Threads of the caller's, in place of the session's own: run calls part(arg,
 * i) once for each i from 0 to n - 1, on any threads, in any order, at once or
 * not, and returns 0 when all calls have returned; what the thread that called
 * run wrote they must see, and it what they wrote.  Any other number is an
 * error; then none of them may be under way any more. */
typedef void SinterPartFn(void *arg, size_t i);
typedef struct SinterPool {
    size_t size; /* sizeof(SinterPool) */
    int (*run)(void *ctx, size_t n, SinterPartFn *part, void *arg);
    void *ctx; /* for run */
} SinterPool;

/* sinter_session_run with such threads: pool->run is called for each step that
 * is worth it, on the thread of this call, with n up to `threads` of the
 * session.  The same bits.  Any number of threads at once, of which each has
 * its own pool, or one whose run may be called by all.  SINTER_EUSAGE: the pool
 * failed, or called other parts than those n. */
SINTER_API SinterStatus sinter_session_run_on(SinterSession *s,
                                              const SinterPool *pool,
                                              const void *const *in,
                                              void *const *out,
                                              SinterError *err);
/* n samples, one after the other in each buffer, on `jobs` threads at once (0:
 * as many as there are processors, at most 16).  The first sample that fails
 * decides the error. */
SINTER_API SinterStatus sinter_session_run_batch(SinterSession *s, int64_t n,
                                                 uint32_t jobs,
                                                 const void *const *in,
                                                 void *const *out,
                                                 SinterError *err);

#ifdef __cplusplus
}
#endif

#endif
