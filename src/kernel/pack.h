// SPDX-License-Identifier: Apache-2.0
/* Packed weights: nodes that pack the same share them, and a file may
 * keep them, so that a model is packed once and started in milliseconds
 * afterwards.
 *
 * A store holds items; an item is what a kernel packs for one node, under a key
 * that names everything it depends on: the content of the weights (by hash),
 * the geometry, the instruction set.  The file holds numbers only, no places or
 * sizes that a kernel would trust, is checked against hashes before it is used,
 * and belongs to one build of the packing code: whatever does not fit is packed
 * again.  Little is assumed about its origin: whoever can write it can also
 * write the model. */
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

/* Pieces that are not ready come from memory of the store, one piece of nbyte
 * and a spare part, as long as there is some (sn_arena_reserve): they touch
 * each other, and nothing else takes their pages. */
void sn_pack_reserve(SnPack *p, size_t nbyte, size_t spare);

/* The store of a file, mapped.  A file that is missing, damaged or of another
 * build gives an empty store; *why (if not NULL) is then a clause that says
 * so, else NULL.  The content of the file never causes an error. */
SnPack *sn_pack_open(SnArena *a, const char *path, const char **why);

/* Whether it has a file. */
bool sn_pack_kept(const SnPack *p);

/* The item of a key, to be read or, if there is none, to be filled; NULL for a
 * store of NULL.  A key that was requested before gives the same pieces
 * again, ready: they must have been filled by then. */
SnPackItem *sn_pack_item(SnPack *p, const void *key, size_t nkey);

/* The next nbyte of an item, 64-aligned.  *ready: they hold what an earlier run
 * or node put there and must not be written; else they are zero, and what the
 * caller writes there is kept.  Item NULL: from a, never ready.  Pieces that
 * are not ready are in a, which must live while items are requested.  All runs
 * must request the same sizes in the same order; otherwise the item is packed
 * again. */
void *sn_pack_piece(SnPackItem *it, SnArena *a, size_t nbyte, bool *ready);

/* As sn_pack_piece, in memory p of the caller's where that is not ready, which
 * must live as long as one in a would, and is not cleared. */
void *sn_pack_take(SnPackItem *it, void *p, size_t nbyte, bool *ready);

/* Whether every piece so far was ready; false for NULL. */
bool sn_pack_ready(const SnPackItem *it);

/* How often its key was requested before; 0 for NULL. */
uint32_t sn_pack_before(const SnPackItem *it);
/* Bytes of it that are read in a nanosecond, about, where it has nbyte: from
 * memory, or, if an earlier node reads it too and it is small, from the second
 * cache level. */
int64_t sn_pack_rate(const SnPackItem *it, int64_t nbyte);

/* For a store with a file: writes the items requested since it was opened, by a
 * temporary file and rename, unless the file holds exactly these.  *written (if
 * not NULL) says which. */
SnStatus sn_pack_save(const SnPack *p, SnDiag *d, bool *written);

/* Keys that were requested, and those whose items were ready at the first
 * request. */
void sn_pack_count(const SnPack *p, uint32_t *nitem, uint32_t *nready);

#endif
