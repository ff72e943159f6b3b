// SPDX-License-Identifier: Apache-2.0
/* Changes a protobuf message field by field, so that it stays one. */
#ifndef SN_PB_MUTATE_H
#define SN_PB_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* One change of p[0..n), which has room for `most` bytes: a field is removed,
 * doubled, moved, replaced by another of its number or gets another value.
 * Returns the new length.  Bytes that are no message are left to libFuzzer. */
size_t pb_mutate(uint8_t *p, size_t n, size_t most, unsigned seed);

/* libFuzzer's; called only where it is linked. */
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t most)
    __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t most,
                               unsigned seed);

#endif
