// SPDX-License-Identifier: Apache-2.0
/* Writing JSON text piece by piece; jansson reads it. */
#ifndef SN_JSON_H
#define SN_JSON_H

#include "base/buf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* s as a JSON string.  Well-formed UTF-8 is copied, other bytes become
 * U+FFFD. */
void sn_put_json(SnBuf *b, const char *s);
/* The shortest decimal of v; null where it is not finite. */
void sn_put_json_f64(SnBuf *b, double v);

#ifdef __cplusplus
}
#endif

#endif
