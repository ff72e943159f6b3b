// SPDX-License-Identifier: Apache-2.0
/* Messages to the user.  A message is about a place in a text (file, line,
 * column), or about a named thing in a file that has no lines (a node of an
 * ONNX model).  Messages are collected, sorted by position and printed once.
 * Mistakes of sinter itself go to sn_bug, never here. */
#ifndef SN_DIAG_H
#define SN_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One text being read.  text is NUL-terminated; order is the order in which
 * files were opened and sorts messages of different files. */
typedef struct SnSrc {
    const char *name;
    const char *text;
    size_t nbyte;
    uint32_t order;
} SnSrc;

typedef struct SnPos {
    const SnSrc *src;        /* NULL: no place */
    uint32_t line, col, len; /* 1-based; len in bytes, at least 1 */
} SnPos;

typedef enum { SN_ERROR, SN_WARNING, SN_NOTE } SnSeverity;

typedef struct SnDiag SnDiag;

SnDiag *sn_diag_new(SnArena *a);

/* code is "SN101" and the like, or NULL.  A message is one line; whatever
 * isn't printable in it is escaped.  at.src must live until the message is
 * printed; with src NULL or line 0 no place, or no line, is shown.  A message
 * with the place, code and text of one not yet printed is dropped, with what
 * is added to it, and isn't counted. */
void sn_error(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void sn_warn(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void sn_note(SnDiag *d, SnPos at, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* These three add to the message given last: a further source line with a
 * caret and a remark (which may be ""); a line printed under "| "; a help
 * line.  They print in the order given. */
void sn_diag_span(SnDiag *d, SnPos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void sn_diag_line(SnDiag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sn_diag_help(SnDiag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An error about a file without lines: prints as "where: message" where
 * `where` is for instance "m.onnx: node 'conv1' (Conv)".  Returns s, so that
 * `return sn_fail(d, SN_EINPUT, ...)` works. */
SnStatus sn_fail(SnDiag *d, SnStatus s, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* What ran out (budget.h), with the option that allows more.  Returns
 * SN_ENOMEM. */
struct SnTrip;
SnStatus sn_fail_trip(SnDiag *d, const struct SnTrip *t);

unsigned sn_diag_nerror(const SnDiag *d);
unsigned sn_diag_nwarning(const SnDiag *d);
unsigned sn_diag_nnote(const SnDiag *d);
/* What the first error was: the status given to sn_fail, SN_ECHECK for
 * sn_error; SN_OK without errors. */
SnStatus sn_diag_status(const SnDiag *d);
/* The error given last is a defect of the program: whatever the first one was,
 * the status is SN_EINTERNAL. */
void sn_diag_defect(SnDiag *d);
/* Prints everything not yet printed, by position (file order, line, column;
 * errors first where it is the same), then what has no position in order of
 * arrival; then forgets it; error counts stay. */
void sn_diag_print(SnDiag *d, FILE *out);
/* The same text in a string (tests, generated messages); forgets nothing. */
const char *sn_diag_text(SnDiag *d, SnArena *a);

/* The pending messages in the order they print, for other formats
 * (diag_format.h). */
typedef struct SnDiagExtra {
    enum { SN_EXTRA_SPAN, SN_EXTRA_LINE, SN_EXTRA_HELP } kind;
    SnPos at; /* of a span */
    const char *text;
} SnDiagExtra;
typedef struct SnDiagMsg {
    SnSeverity severity;
    SnPos at;
    const char *code, *where, *text; /* code, where may be NULL */
    size_t nextra;
    const SnDiagExtra *extra;
} SnDiagMsg;
const SnDiagMsg *sn_diag_messages(const SnDiag *d, SnArena *a, size_t *n);

/* A defect of sinter: prints the message and aborts. */
void sn_bug(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* The name of cand[0..n) closest to word (Damerau-Levenshtein without regard to
 * case, at most max(1, strlen / 3)), the first of those; or NULL. */
const char *sn_closest(const char *word, const char *const *cand, size_t n);

#ifdef __cplusplus
}
#endif

#endif
