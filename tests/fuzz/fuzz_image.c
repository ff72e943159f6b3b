// SPDX-License-Identifier: Apache-2.0
/* Pictures and their steps.  The first line of the input is the size and the
 * channels that a model wants and the steps ("5 7 3 resize=9 mean=0.5"), the
 * rest a file; up to three rows more are wanted, too.  What is written has
 * exactly the bytes of that size, so that the address sanitizer sees what lies
 * beside them. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "image/steps.h"

enum { SIDE = 64, RESIZED = 512, LINE = 200 };

static void
must(bool is)
{
    if (!is)
        abort();
}

/* Text of steps reads as the same steps. */
static void
again(SnArena *a, const SnImageSteps *s)
{
    const char *text = sn_image_steps_str(a, s);
    SnImageSteps t;

    must(!sn_image_steps(a, text, &t));
    must(!strcmp(text, sn_image_steps_str(a, &t)));
}

static void
close_file(void *fd)
{
    close((int)(intptr_t)fd);
}

/* Memory of exactly n bytes, that is freed also where a limit is met. */
static uint8_t *
exactly(SnArena *a, size_t n)
{
    uint8_t *p = malloc(n);

    must(p != NULL);
    sn_arena_at_free(a, free, p);
    return p;
}

static void
prepare(SnArena *a, const char *path, const SnImageSteps *s, const int *size)
{
    size_t n = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    uint8_t *out = exactly(a, n), *more = exactly(a, n);

    if (!sn_image_prepare(a, path, s, size[0], size[1], size[2], out)) {
        must(!sn_image_prepare(a, path, s, size[0], size[1], size[2], more));
        must(!memcmp(out, more, n));
    }
}

static bool
is_small(const SnImageSteps *s, const int *size)
{
    return size[0] > 0 && size[1] > 0 && size[0] <= SIDE && size[1] <= SIDE &&
           s->resize[0] <= RESIZED && s->resize[1] <= RESIZED;
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    static const SnLimits few = {.memory = 1 << 26};
    const uint8_t *end = memchr(p, '\n', n < LINE ? n : LINE);
    SnArena *a = sn_arena_new();
    SnImageSteps s;
    SnImage x;
    int size[3] = {1, 1, 3}, at = 0, fd;

    sn_budget_limit(sn_budget_now(), &few); /* a small file may be large */
    if (!end)
        return;
    char *line = sn_strndup(a, (const char *)p, (size_t)(end - p));
    n -= (size_t)(end + 1 - p);
    if (sscanf(line, "%3d %3d %1d %n", &size[0], &size[1], &size[2], &at) < 3)
        return;
    const char *path = fuzz_file(a, end + 1, n, &fd);
    sn_arena_at_free(a, close_file, (void *)(intptr_t)fd);
    (void)sn_image_decode(a, end + 1, n, &x);
    if (!sn_image_steps(a, line + at, &s)) {
        again(a, &s);
        for (int k = 0; path && k < 4; k++, size[1]++)
            if (is_small(&s, size) &&
                !sn_image_steps_fit(a, &s, size[0], size[1], size[2]))
                prepare(a, path, &s, size);
    }
    sn_arena_free(a);
}
