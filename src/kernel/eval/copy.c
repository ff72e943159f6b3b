// SPDX-License-Identifier: Apache-2.0
/* Copies by tables. */
#include "kernel/eval/copy.h"

#include <stdbool.h>
#include <string.h>

void
sn_copy_one(char *y, const char *x, size_t size)
{
    switch (size) {
    case 1:
        *y = *x;
        break;
    case 2:
        memcpy(y, x, 2);
        break;
    case 4:
        memcpy(y, x, 4);
        break;
    case 8:
        memcpy(y, x, 8);
        break;
    default:
        memcpy(y, x, size);
        break;
    }
}

/* One run by moves of W bytes, the last of which may overlap the one before:
 * memcpy of a length that is not known takes as long as some of them. */
#define LINES(W)                                       \
    for (int64_t i = 0; i < n; i++) {                  \
        const char *from = x + (size_t)i * step;       \
        char *to = y + (size_t)i * pitch;              \
        for (size_t k = 0; k + (W) < run; k += (W))    \
            memcpy(to + k, from + k, (W));             \
        memcpy(to + run - (W), from + run - (W), (W)); \
    }
void
sn_copy_lines(const char *x, size_t step, char *y, size_t pitch, size_t run,
              int64_t n)
{
    enum { MANY = 256 };

    if (run == 0)
        return;
    if (run > MANY)
        for (int64_t i = 0; i < n; i++)
            memcpy(y + (size_t)i * pitch, x + (size_t)i * step, run);
    else if (run >= 16)
        LINES(16)
    else if (run >= 8)
        LINES(8)
    else if (run >= 4)
        LINES(4)
    else
        LINES(1)
}
#undef LINES

/* Elements that are copied as one run: those of the trailing axes, from axis
 * *rest on, where source and result go on alike. */
static int64_t
inner_run(const SnCopyTable *t, int *rest)
{
    int64_t run = 1;
    int k = t->n - 1;

    for (; k >= 0; k--) {
        for (int64_t i = 0; i < t->dim[k]; i++)
            if (t->off[k][i] != i * run) {
                *rest = k + 1;
                return run;
            }
        run *= t->dim[k];
    }
    *rest = 0;
    return run;
}

int64_t
sn_copy_run(const SnCopyTable *t)
{
    int rest;
    int64_t run = inner_run(t, &rest);

    return rest == 0 ? run : 0;
}

/* n runs of `run` bytes, from the offsets in off, or fill where one is
 * negative. */
typedef struct Row {
    const int64_t *off; /* elements, or negative */
    int64_t n;
    size_t size, run;
    const char *fill;
} Row;

static char *
fill_run(const Row *r, size_t nbyte, char *y)
{
    if (r->size == 1) {
        memset(y, *r->fill, nbyte);
        return y + nbyte;
    }
    for (char *end = y + nbyte; y < end; y += r->size)
        sn_copy_one(y, r->fill, r->size);
    return y;
}

/* Runs of a size that is a compile-time constant. */
#define COPY(N)                                  \
    for (int64_t i = 0; i < r->n; i++, y += (N)) \
        memcpy(y, x + r->off[i] * size, N);      \
    return y

/* All of them are inside. */
static char *
copy_whole(const Row *r, const char *x, char *y)
{
    const int64_t size = (int64_t)r->size;

    switch (r->run) {
    case 1:
        COPY(1);
    case 2:
        COPY(2);
    case 4:
        COPY(4);
    case 8:
        COPY(8);
    case 16:
        COPY(16);
    case 32:
        COPY(32);
    default:
        COPY(r->run);
    }
}
#undef COPY

static char *
copy_holes(const Row *r, const char *x, char *y)
{
    for (int64_t i = 0; i < r->n; i++) {
        if (r->off[i] < 0) {
            y = fill_run(r, r->run, y);
            continue;
        }
        memcpy(y, x + r->off[i] * (int64_t)r->size, r->run);
        y += r->run;
    }
    return y;
}

static bool
has_holes(const Row *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (r->off[i] < 0)
            return true;
    return false;
}

int64_t
sn_copy_rows(const SnCopyTable *t)
{
    int64_t count = 1;
    int rest;

    inner_run(t, &rest);
    for (int i = 0; i < rest - 1; i++)
        count *= t->dim[i];
    return count;
}

/* Where row o lies: its place along each axis before, and whether one of them
 * is outside. */
static bool
row_at(const SnCopyTable *t, int rest, const int64_t *idx, int64_t *off)
{
    bool pad = false;

    *off = 0;
    for (int i = 0; i < rest; i++) {
        int64_t v = t->off[i][idx[i]];
        pad = pad || v < 0;
        *off += v;
    }
    return !pad;
}

/* Along the last axis that is not a run, for each place of the axes before
 * it. */
void
sn_copy_some(const SnCopyTable *t, const char *x, char *y, size_t size,
             const char *fill, int64_t from, int64_t to)
{
    int64_t idx[32] = {0}, off;
    int rest;
    size_t run = (size_t)inner_run(t, &rest) * size;

    x += t->base * (int64_t)size;
    if (rest == 0) {
        if (from < to)
            memcpy(y, x, run);
        return;
    }
    rest--;
    Row r = {t->off[rest], t->dim[rest], size, run, fill};
    bool holes = has_holes(&r);
    y += from * r.n * (int64_t)run;
    for (int64_t i = rest - 1, o = from; i >= 0; o /= t->dim[i--])
        idx[i] = o % t->dim[i];
    for (int64_t o = from; o < to; o++) {
        bool inside = row_at(t, rest, idx, &off);
        const char *at = x + off * (int64_t)size;
        if (!inside)
            y = fill_run(&r, (size_t)r.n * run, y);
        else
            y = holes ? copy_holes(&r, at, y) : copy_whole(&r, at, y);
        for (int i = rest - 1; i >= 0; i--) {
            if (++idx[i] < t->dim[i])
                break;
            idx[i] = 0;
        }
    }
}

void
sn_copy_table(const SnCopyTable *t, const char *x, char *y, size_t size,
              const char *fill)
{
    sn_copy_some(t, x, y, size, fill, 0, sn_copy_rows(t));
}
