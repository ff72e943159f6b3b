/* ONNX Runtime through dlopen, without its header.  Its C API is a table of
 * function pointers to which entries are only ever appended; the positions
 * used here were checked with 1.30.0. */
#ifndef SN_BENCH_ORT_H
#define SN_BENCH_ORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Ort Ort; /* one session */

enum { ORT_MAXPORT = 8, ORT_MAXRANK = 8 };

/* An input, which the caller fills and keeps. */
typedef struct OrtInput {
    int type; /* ORT_F32 ... */
    size_t rank;
    int64_t dim[ORT_MAXRANK];
    void *data;
    size_t nbyte;
} OrtInput;
enum { ORT_F32 = 1, ORT_U8 = 2, ORT_I8 = 3, ORT_I32 = 6, ORT_I64 = 7 };

/* NULL after a message on standard error.  Inputs in the model's order. */
Ort *sn_ort_open(const char *lib, const char *model, int nthread, size_t nin,
                 const OrtInput *in);
bool sn_ort_run(Ort *o);
/* Result i of the last run. */
const void *sn_ort_output(const Ort *o, size_t i);
const char *sn_ort_version(const Ort *o);

#endif
