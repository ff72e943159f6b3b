// SPDX-License-Identifier: Apache-2.0
/* What each message code means, for `sinter-gen explain SN310`. */
#ifndef SN_CODES_H
#define SN_CODES_H

#include <stddef.h>

typedef struct SnCode {
    const char *code;  /* "SN310" */
    const char *title; /* a few words */
    const char *text;  /* one paragraph */
} SnCode;

extern const SnCode sn_code_list[]; /* ascending */
extern const size_t sn_ncode;
const SnCode *sn_code_named(const char *code); /* NULL when unknown */

#endif
