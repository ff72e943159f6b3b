// SPDX-License-Identifier: Apache-2.0
/* What the files of the interface share: objects, and calls under a guard. */
#ifndef SN_API_H
#define SN_API_H

#include <pthread.h>

#include "base/budget.h"
#include "base/diag.h"
#include "run/exec.h"
#include "sinter.h"

/* What an object has of its caller.  All memory of the object is of its
 * budget. */
typedef struct SnApiHost {
    SnBudget *budget;
    SnLimits limits;
    SnMemory memory; /* alloc NULL: the system's */
    SinterLogFn *log;
    void *log_ctx;
} SnApiHost;

/* The inputs and outputs of a graph as the caller sees them. */
typedef struct SnApiPorts {
    uint32_t ninput, noutput;
    SinterPort *input, *output;
    bool *u8_in, *u8_out; /* [n] the caller's codes are the graph's + 128 */
} SnApiPorts;

struct SinterModel {
    SnApiHost host;
    SnArena *a; /* the graph, its ports and the report */
    SnGraph *g; /* NULL after a change that failed */
    SnApiPorts ports;
    bool imported; /* from ONNX, as it was written: pictures between
                      Transposes */
    const char *report;
};

/* ---- calls ---- */

/* Whether c, which may be NULL, is one of this library or an older one; its
 * values, with defaults for what it does not have, go to h, which gets a new
 * budget. */
SinterStatus sn_api_host(const SinterConfig *c, SnApiHost *h, SinterError *err);
/* The same host again, for a further object, with a budget of its own. */
SinterStatus sn_api_host_copy(const SnApiHost *from, SnApiHost *h,
                              SinterError *err);
/* Frees the budget, and with it all arenas made under it. */
void sn_api_host_end(SnApiHost *h);

/* The body of a call: a and d last until it returns. */
typedef SnStatus SnApiFn(SnArena *a, SnDiag *d, void *ctx);
/* Runs fn under h's budget and a guard; messages go to h's log, the first error
 * to err.  Where memory ran out arenas that fn made stay in the budget. */
SinterStatus sn_api_call(const SnApiHost *h, SnApiFn *fn, void *ctx,
                         SinterError *err);
/* Fills err, which may be NULL; returns s. */
SinterStatus sn_api_error(SinterError *err, SinterStatus s, const char *where,
                          const char *message);
/* The same, and tells h's log, of a call that is not sn_api_call's. */
SinterStatus sn_api_failed(const SnApiHost *h, SinterStatus s,
                           const char *where, const char *message,
                           SinterError *err);
/* The same where memory ran out; allocates nothing. */
SinterStatus sn_api_tripped(const SnApiHost *h, SinterError *err);
/* Copies the members that both sides have of a struct that begins with its
 * size, and zeroes the rest; false where from is larger than n and has a
 * member that is not 0 there, or is too small to be one. */
bool sn_api_options(void *to, size_t n, const void *from);

/* ---- ports ---- */

/* In a, which must live as long as the ports are used.  SN_EUNSUPPORTED names
 * one of a type that the interface does not support. */
SnStatus sn_api_ports(SnArena *a, const SnGraph *g, SnDiag *d, SnApiPorts *out);

#endif
