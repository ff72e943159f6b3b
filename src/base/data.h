// SPDX-License-Identifier: Apache-2.0
/* Tensors as files hold them: an element type, a shape, elements in C order.
 * Nothing here knows scales; graph/type.h has the types of a graph. */
#ifndef SN_DATA_H
#define SN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnDtype {
    SN_D_NONE,
    SN_D_F32,
    SN_D_F64,
    SN_D_F16, /* as stored: 16 bits */
    SN_D_U8,
    SN_D_I8,
    SN_D_U16,
    SN_D_I16,
    SN_D_U32,
    SN_D_I32,
    SN_D_U64,
    SN_D_I64,
    SN_D_BOOL, /* one byte, 0 or 1 */
    SN_NDTYPE
} SnDtype;

enum { SN_DATA_MAXRANK = 8 };

typedef struct SnData {
    SnDtype dtype;
    int rank;
    int64_t dim[SN_DATA_MAXRANK]; /* each >= 0 */
    const void *data;             /* aligned for its element type */
    int bits; /* 4: integers that a file holds in 4 bits; else 0 */
} SnData;

size_t sn_dtype_size(SnDtype t);
const char *sn_dtype_name(SnDtype t); /* "f32", "u8", ... */
bool sn_dtype_real(SnDtype t);        /* f16, f32, f64 */
/* Elements and bytes.  The product of the dimensions was checked when the
 * tensor was made. */
int64_t sn_data_count(const SnData *t);
size_t sn_data_nbyte(const SnData *t);
/* The product of dim[0..rank), or -1 when a dimension is negative or the
 * product is 2^40 or more. */
int64_t sn_dims_count(int rank, const int64_t *dim);
/* Element i of any type.  As an integer, reals are truncated towards 0 and
 * saturate; NaN is 0. */
double sn_data_real(const SnData *t, int64_t i);
int64_t sn_data_int(const SnData *t, int64_t i);

#ifdef __cplusplus
}
#endif

#endif
