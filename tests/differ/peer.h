// SPDX-License-Identifier: Apache-2.0
/* ONNX Runtime through dlopen, for tests and benchmarks.  Its library comes
 * with the npm package onnxruntime-node, without a header; the C API is a table
 * of functions that only grows, so the places of the few used here are
 * fixed. */
#ifndef SN_TEST_PEER_H
#define SN_TEST_PEER_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/data.h"

typedef struct Ort Ort;

/* Sessions are made with one thread and without optimizations, or: */
typedef struct OrtOpts {
    int level; /* of optimizations: 0 none, 99 all */
    int nthread;
    const char *provider; /* the path of libsinter_ep.so, or NULL */
    uint32_t nkey;        /* options of the provider */
    const char *key[6], *value[6];
    bool whole;      /* a session fails that has a node of theirs */
    uint32_t nentry; /* of the sessions' configuration */
    const char *entry[4], *entry_value[4];
    /* Sees what is logged, by all sessions of the process where it is given
     * when the library is opened first; NULL: nothing is. */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
} OrtOpts;
/* Opens the library; NULL, with *why, when that fails.  opts may be NULL. */
Ort *ort_open(SnArena *a, const char *path, const OrtOpts *opts,
              const char **why);
const char *ort_version(const Ort *o);

typedef struct OrtIo {
    const char *name;
    SnData data;
} OrtIo;

/* Runs the model p[0..n).  The data of out[0..nout), found by name, is made in
 * a.  false, with *why: refused. */
bool ort_run(Ort *o, SnArena *a, const void *p, size_t n, uint32_t nin,
             const OrtIo *in, uint32_t nout, OrtIo *out, const char **why);
/* Only makes a session from a file and drops it. */
bool ort_load(Ort *o, SnArena *a, const char *path, const char **why);

/* A session of a file and its inputs, in the model's order, for many runs.
 * The caller keeps the data of the inputs and may change it. */
typedef struct OrtHeld OrtHeld;
OrtHeld *ort_hold(Ort *o, SnArena *a, const char *path, uint32_t nin,
                  const SnData *in, const char **why);
bool ort_again(OrtHeld *h, const char **why);
void ort_drop(OrtHeld *h); /* NULL is allowed */
/* Result i of the last run; NULL: there is none. */
const void *ort_result(OrtHeld *h, uint32_t i);

#endif
