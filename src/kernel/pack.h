/* Packed weights, kept in a file so that a model is packed once and started
 * in milliseconds afterwards.
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

/* The store of a file, mapped.  A file that is missing, damaged or of another
 * build gives an empty store; *why (if not NULL) is then a clause that says
 * so, else NULL.  What the file is made of is never an error. */
SnPack *sn_pack_open(SnArena *a, const char *path, const char **why);

/* The item of a key, to be read or, if there is none, to be filled; NULL for a
 * store of NULL. */
SnPackItem *sn_pack_item(SnPack *p, const void *key, size_t nkey);

/* The next nbyte of an item, 64-aligned.  *ready: they hold what an earlier
 * run put there and must not be written; else they are zero, and what the
 * caller writes there is kept.  Item NULL: from a, never ready.  All runs must
 * ask for the same sizes in the same order; where they do not, the item is
 * packed anew. */
void *sn_pack_piece(SnPackItem *it, SnArena *a, size_t nbyte, bool *ready);

/* Whether every piece so far was ready; false for NULL. */
bool sn_pack_ready(const SnPackItem *it);

/* Writes the items asked for since the store was opened to its path, by a
 * temporary file and rename, unless the file holds just them.  *written (if
 * not NULL) says which. */
SnStatus sn_pack_save(const SnPack *p, SnDiag *d, bool *written);

/* Items that were asked for, and those of them that were ready. */
void sn_pack_count(const SnPack *p, uint32_t *nitem, uint32_t *nready);

#endif
