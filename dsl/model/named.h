// SPDX-License-Identifier: Apache-2.0
/* Search for names chosen by declarations: of nodes, ports, rules. */
#ifndef SN_NAMED_H
#define SN_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The index of s among the n names; n if it is none of them. */
uint32_t sn_name_at(const char *const *v, uint32_t n, const char *s);
static inline bool
sn_name_among(const char *const *v, uint32_t n, const char *s)
{
    return sn_name_at(v, n, s) < n;
}
/* The same name, or both NULL? */
bool sn_name_same(const char *a, const char *b);
/* The same n names, in the same order? */
bool sn_names_equal(const char *const *a, const char *const *b, uint32_t n);
/* The same for n pointers to structs whose first member is their name. */
uint32_t sn_named_at(const void *v, uint32_t n, const char *name);
/* The same for n structs of that size whose first member is their name. */
uint32_t sn_entry_at(const void *v, uint32_t n, size_t size, const char *name);
/* Of n pointers to such structs the one of that name; NULL where there is none,
 * or no name. */
void *sn_named(const void *v, uint32_t n, const char *name);

#endif
