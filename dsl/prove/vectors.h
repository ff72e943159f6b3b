// SPDX-License-Identifier: Apache-2.0
/* Vectors of arithmetics, for the program (gen/main.c). */
#ifndef SN_PROVE_VECTORS_H
#define SN_PROVE_VECTORS_H

#include "base/buf.h"
#include "dsl/model/arith.h"

/* Appends n drawn vectors for each row of a that is not from float. */
void sn_prove_vectors(const SnDefs *s, const SnDefArith *a, uint32_t n,
                      SnBuf *b);
/* Compares the arithmetics that are declared here with the vectors they name;
 * appends a line on each, for --report. */
void sn_prove_check_vectors(const SnDefs *s, SnDiag *d, SnBuf *b);

#endif
