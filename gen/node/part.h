// SPDX-License-Identifier: Apache-2.0
/* Parts of the code generated for nodes: adding or changing a node recompiles
 * the evaluators of its part, not those of all nodes. */
#ifndef SN_PART_H
#define SN_PART_H

#include "gen/text/emit.h"

enum { SN_NPART = 8 };

/* The part of a node, below SN_NPART: depends only on its name. */
unsigned sn_part(const SnDefNode *n);
/* sn_attr_N.h and sn_eval_N.h: attribute structs and evaluators of part N.
 * Not for a plugin, which is one part. */
void sn_emit_parts(const SnDefs *s, const char *outdir, SnDiag *d);
/* The table of the texts of tuple t; NULL: all results are moves. */
const char *sn_text_name(SnArena *a, const SnDefNode *n, uint32_t t);
/* The struct of a node's attributes, and the words of its enums. */
void sn_emit_struct(SnBuf *b, const SnDefNode *n);
/* Prototypes of its evaluators, except that of all moves. */
void sn_emit_eval_names(SnBuf *b, const SnDefs *s, const SnDefNode *n);

#endif
