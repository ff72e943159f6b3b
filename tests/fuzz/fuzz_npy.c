// SPDX-License-Identifier: Apache-2.0
/* The reader of .npy files, and that of single tensors (.pb). */
#include "fuzz.h"

#include "onnx/proto/tensor_pb.h"
#include "run/npy.h"

static void
touch(const SnData *t)
{
    double sum = 0;

    for (int64_t i = 0; i < sn_data_count(t); i++)
        sum += sn_data_real(t, i);
    (void)sum;
}

static void
each(void *ctx, const SnData *part, int64_t i, int64_t n)
{
    SnData t = *part;

    (void)ctx;
    (void)i;
    t.rank = 1;
    t.dim[0] = n;
    touch(&t);
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    int fd;
    const char *path = fuzz_file(a, p, n, &fd);
    SnData t;
    SnNpy f;

    if (sn_npy_parse(a, "x.npy", p, n, d, &t) == SN_OK)
        touch(&t);
    if (path != NULL && sn_npy_open(a, path, d, &f) == SN_OK)
        sn_npy_part(&f, 0, sn_data_count(&f.data), each, NULL);
    if (path != NULL && sn_pb_read(a, path, d, &t) == SN_OK)
        touch(&t);
    close(fd);
    sn_arena_free(a);
}
