// SPDX-License-Identifier: Apache-2.0
/* Writing JSON text piece by piece; jansson reads it. */
#ifndef SN_JSON_H
#define SN_JSON_H

#include <stdbool.h>

#include "base/buf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* s as a JSON string.  Well-formed UTF-8 is copied, other bytes become
 * U+FFFD. */
void sn_put_json(SnBuf *b, const char *s);
/* The shortest decimal of v; null where it is not finite. */
void sn_put_json_f64(SnBuf *b, double v);

/* Objects and arrays with the commas between their members.  key NULL: an
 * element of an array. */
typedef struct SnJson {
    SnBuf *b;
    bool more; /* a comma is due before what comes next */
} SnJson;
void sn_json_open(SnJson *j, const char *key, char bracket); /* '{' or '[' */
void sn_json_close(SnJson *j, char bracket);                 /* '}' or ']' */
void sn_json_str(SnJson *j, const char *key, const char *s); /* NULL: null */
void sn_json_int(SnJson *j, const char *key, long long v);
void sn_json_num(SnJson *j, const char *key, double v); /* as above */
/* The shortest decimal of a float. */
void sn_json_f32(SnJson *j, const char *key, float v);
void sn_json_bool(SnJson *j, const char *key, bool v);

#ifdef __cplusplus
}
#endif

#endif
