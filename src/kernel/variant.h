// SPDX-License-Identifier: Apache-2.0
/* Families of kernels and their variants: a family is a table of functions,
 * and each instruction set that has its own version of them has a table.
 *
 * A file FAMILY_ISA.c defines sn_register_FAMILY_ISA, which adds its table; it
 * does nothing where the compiler's target lacks the instructions.  make
 * collects the names of these functions (sn_variants.c), so that a new
 * instruction set needs one file per family, and what docs/architecture.md
 * lists under "An instruction set". */
#ifndef SN_VARIANT_H
#define SN_VARIANT_H

#include "kernel/isa.h"

typedef struct SnVariants {
    const void *of[SN_NISA]; /* NULL: it has no own version */
} SnVariants;

/* For registration functions. */
void sn_variant_add(SnVariants *v, SnIsa isa, const void *table);
/* The family's table for isa, or for the nearest instruction set below that
 * has one; NULL when not even a portable one exists.  Any thread. */
const void *sn_variant(const SnVariants *v, SnIsa isa);
/* Calls every registration function; made by tools/variants.sh. */
void sn_variants_register(void);

#endif
