// SPDX-License-Identifier: Apache-2.0
/* A growing string in an arena. */
#ifndef SN_BUF_H
#define SN_BUF_H

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnBuf {
    SnArena *a;
    char *s; /* always NUL-terminated once anything was added, else NULL */
    size_t n, cap;
} SnBuf;

void sn_buf_init(SnBuf *b, SnArena *a);
void sn_putc(SnBuf *b, char c);
void sn_puts(SnBuf *b, const char *s);
void sn_putn(SnBuf *b, const char *s, size_t n);
void sn_put_spaces(SnBuf *b, size_t n);
void sn_putf(SnBuf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sn_vputf(SnBuf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* As vsnprintf, whose result is the length; an encoding error is a defect. */
size_t sn_vprint(char *s, size_t room, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
/* The shortest decimal that reads back as the same binary32; "inf", "-inf",
 * "nan" for those.  Whole numbers have no point ("1", "-0"), an exponent is
 * written for values below 1e-5 or from 1e9 ("1e-7"): C literals need more. */
void sn_put_f32(SnBuf *b, float v);
void sn_put_f64(SnBuf *b, double v); /* the same, binary64; from 1e17 */
/* Bytes of the character at s[0..n) if it may be shown to a user as it is
 * (printable ASCII, or well-formed UTF-8 that is no control or direction
 * mark), else 0. */
size_t sn_printable(const char *s, size_t n);
/* s[0..n) with \n, \t, and \xNN for each other byte that isn't printable.
 * Quotes and backslashes are left alone. */
void sn_put_escaped(SnBuf *b, const char *s, size_t n);
/* s so escaped, for a table; s itself where nothing needs to be. */
const char *sn_shown(SnArena *a, const char *s);
/* s in double quotes, with \" \\ \n \t and \xNN escapes.  \xNN has exactly
 * two digits, so the result is not in general a C literal. */
void sn_put_quoted(SnBuf *b, const char *s);
const char *sn_buf_str(SnBuf *b); /* never NULL */

#ifdef __cplusplus
}
#endif

#endif
