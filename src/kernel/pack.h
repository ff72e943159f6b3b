// SPDX-License-Identifier: Apache-2.0
/* Packed weights: those of nodes that pack the same stand once, and a file may
 * keep them, so that a model is packed once and started in milliseconds
 * afterwards.
 *
 * A store holds items; an item is what a kernel packs for one node, under a
 * key that names all it depends on: the content of the weights (by hash), the
 * geometry, the instruction set.  The file holds numbers only, no places or
 * sizes that a kernel would trust, is checked against hashes before it is
 * used, and belongs to one build of the packing code: whatever does not fit
 * is packed anew.  Little is assumed of where it comes from: whoever can write
 * it can as well write the model. */
#ifndef SN_PACK_H
#define SN_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"

typedef struct SnPack SnPack;
typedef struct SnPackItem SnPackItem;

/* A store without a file, for one preparation. */
SnPack *sn_pack_new(SnArena *a);

/* The store of a file, mapped.  A file that is missing, damaged or of another
 * build gives an empty store; *why (if not NULL) is then a clause that says
 * so, else NULL.  What the file is made of is never an error. */
SnPack *sn_pack_open(SnArena *a, const char *path, const char **why);

/* Whether it has a file. */
bool sn_pack_kept(const SnPack *p);

/* The item of a key, to be read or, if there is none, to be filled; NULL for a
 * store of NULL.  A key that was asked for before gives the same pieces again,
 * ready: they must have been filled by then. */
SnPackItem *sn_pack_item(SnPack *p, const void *key, size_t nkey);

/* The next nbyte of an item, 64-aligned.  *ready: they hold what an earlier
 * run or node put there and must not be written; else they are zero, and what
 * the caller writes there is kept.  Item NULL: from a, never ready.  What is
 * not ready is in a, which must live while items are asked for.  All runs must
 * ask for the same sizes in the same order; where they do not, the item is
 * packed anew. */
void *sn_pack_piece(SnPackItem *it, SnArena *a, size_t nbyte, bool *ready);

/* Whether every piece so far was ready; false for NULL. */
bool sn_pack_ready(const SnPackItem *it);

/* How often its key was asked for before; 0 for NULL. */
uint32_t sn_pack_before(const SnPackItem *it);

/* Of a store with a file: writes the items asked for since it was opened, by a
 * temporary file and rename, unless the file holds just them.  *written (if
 * not NULL) says which. */
SnStatus sn_pack_save(const SnPack *p, SnDiag *d, bool *written);

/* Keys that were asked for, and those of them whose items were ready when they
 * first were. */
void sn_pack_count(const SnPack *p, uint32_t *nitem, uint32_t *nready);

#endif
