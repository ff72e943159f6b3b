/* ONNX Runtime through dlopen, for tests.  Its library comes with the npm
 * package onnxruntime-node, without a header; the C API is a table of functions
 * that only grows, so the places of the few used here are fixed. */
#ifndef SN_TEST_PEER_H
#define SN_TEST_PEER_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/data.h"

typedef struct Ort Ort;

/* Opens the library; NULL, with *why, when that fails. */
Ort *ort_open(SnArena *a, const char *path, const char **why);
const char *ort_version(const Ort *o);

typedef struct OrtIo {
    const char *name;
    SnData data;
} OrtIo;

/* Runs the model p[0..n), optimizations off, one thread.  The data of
 * out[0..nout), found by name, is made in a.  false, with *why: refused. */
bool ort_run(Ort *o, SnArena *a, const void *p, size_t n, uint32_t nin,
             const OrtIo *in, uint32_t nout, OrtIo *out, const char **why);
/* Only makes a session from a file and drops it. */
bool ort_load(Ort *o, SnArena *a, const char *path, const char **why);

#endif
