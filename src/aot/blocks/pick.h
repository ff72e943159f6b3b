// SPDX-License-Identifier: Apache-2.0
/* The functions that a program calls, copied out of sinter's own files. */
#ifndef SN_PICK_H
#define SN_PICK_H

#include <stdbool.h>

#include "base/buf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lines of the files that functions come from, NULL-ended (tools/net_text.sh).
 * Of two definitions of a name the first is taken. */
extern const char *const sn_net_text[];

/* The definitions that `code` needs, each after those it needs itself.  more: a
 * text with further definitions, or NULL.  dsp: for processors with ARM's DSP
 * instructions. */
const char *sn_pick(SnArena *a, const char *code, const char *more, bool dsp);
/* code with sinter's names replaced by those of the program with this prefix:
 * sn_quant becomes NAME_quant, SnLim NAME_Lim, fmaf NAME_soft_fmaf. */
const char *sn_pick_rename(SnArena *a, const char *code, const char *prefix,
                           bool dsp);

#ifdef __cplusplus
}
#endif

#endif
