// SPDX-License-Identifier: Apache-2.0
/* Messages as diag.c collects them and diag_text.c prints them. */
#ifndef SN_DIAG_PRIV_H
#define SN_DIAG_PRIV_H

#include "base/diag.h"

typedef enum {
    EXTRA_SPAN = SN_EXTRA_SPAN,
    EXTRA_LINE = SN_EXTRA_LINE,
    EXTRA_HELP = SN_EXTRA_HELP
} ExtraKind;

typedef struct Extra {
    struct Extra *next;
    ExtraKind kind;
    SnPos at; /* of a span */
    const char *text;
} Extra;

typedef struct Msg {
    SnSeverity sev;
    SnPos at;
    const char *code, *where, *text; /* where: of sn_fail only */
    Extra *extra, **tail;
    size_t seq;
    uint32_t hash;
    SnStatus status;
} Msg;

/* set is an open hash table over the pending messages, nset a power of two
 * above twice their number. */
struct SnDiag {
    SnArena *a;
    Msg **v;
    size_t n;
    Msg **set;
    size_t nset;
    Msg *last; /* what spans and helps are added to; NULL: nothing */
    unsigned nerror, nwarning, nnote;
    SnStatus status; /* of the first error */
};

#endif
