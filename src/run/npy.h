/* NumPy's .npy files, versions 1 to 3: one tensor each. */
#ifndef SN_NPY_H
#define SN_NPY_H

#include "base/arena.h"
#include "base/data.h"
#include "base/diag.h"

/* Reads uint8, int8, int16, int32, int64, float32, float64 and bool, in C or
 * Fortran order (elements are put into C order), little-endian. */
SnStatus sn_npy_read(SnArena *a, const char *path, SnDiag *d, SnData *out);
/* The same from memory; name is for messages. */
SnStatus sn_npy_parse(SnArena *a, const char *name, const void *p, size_t n,
                      SnDiag *d, SnData *out);
/* Writes version 1.0; the same types.  a is for the file's image. */
SnStatus sn_npy_write(SnArena *a, SnDiag *d, const char *path,
                      const SnData *t);

#endif
