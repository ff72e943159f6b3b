// SPDX-License-Identifier: Apache-2.0
/* Writes seeded f32 test data as .npy: mkdata OUT.npy N 8x4x4 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    long n = argc == 4 ? atol(argv[2]) : 0, count = n;
    char dims[128], head[128];
    int k = snprintf(dims, sizeof dims, "%ld", n);

    if (n < 1) {
        fprintf(stderr, "usage: mkdata OUT.npy N DIMS\n");
        return 2;
    }
    for (const char *s = argv[3]; *s;) {
        char *end;
        long d = strtol(s, &end, 10);
        count *= d;
        k += snprintf(dims + k, sizeof dims - (size_t)k, ", %ld", d);
        s = *end ? end + 1 : end;
    }
    k = snprintf(head, sizeof head,
                 "{'descr': '<f4', 'fortran_order': False, "
                 "'shape': (%s), }",
                 dims);
    FILE *f = fopen(argv[1], "wb");
    if (!f) {
        perror(argv[1]);
        return 1;
    }
    int pad = 64 - (10 + k + 1) % 64, len = k + pad + 1;
    fwrite("\x93NUMPY\x01\x00", 1, 8, f);
    fputc(len & 255, f);
    fputc(len >> 8, f);
    fprintf(f, "%s%*s\n", head, pad, "");
    uint64_t z = 1;
    for (long i = 0; i < count; i++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        float v = (float)(int32_t)(z >> 32) / 1073741824.0f;
        fwrite(&v, 4, 1, f);
    }
    return fclose(f) != 0;
}
