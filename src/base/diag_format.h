// SPDX-License-Identifier: Apache-2.0
/* The messages of an SnDiag for programs: docs/diagnostics.md. */
#ifndef SN_DIAG_FORMAT_H
#define SN_DIAG_FORMAT_H

#include "base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All pending messages, in the order they print, as one JSON object. */
const char *sn_diag_json(const SnDiag *d, SnArena *a);
/* The same as a SARIF 2.1.0 log with one run of the program `tool`.  title
 * gives a few words for a code, or NULL; it may be NULL itself. */
const char *sn_diag_sarif(const SnDiag *d, SnArena *a, const char *tool,
                          const char *(*title)(const char *code));

#ifdef __cplusplus
}
#endif

#endif
