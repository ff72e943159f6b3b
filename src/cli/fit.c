// SPDX-License-Identifier: Apache-2.0
/* Tables for people: on a terminal their lines are not longer than it is wide;
 * elsewhere nothing is cut. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

enum { NARROWEST = 40 };

unsigned
sn_cli_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize w = {0};
    char *end;

    if (!isatty(1))
        return UINT32_MAX;
    long n = columns && *columns ? strtol(columns, &end, 10) : 0;
    if (n <= 0 || *end != '\0')
        n = ioctl(1, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
    if (n <= 0 || n > INT16_MAX)
        return UINT32_MAX;
    return n < NARROWEST ? NARROWEST : (unsigned)n;
}

/* Bytes that do not start a character take no column. */
static bool
starts(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t
columns_of(const char *s, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += starts(s[i]);
    return k;
}

const char *
sn_fit_name(SnArena *a, const char *s, unsigned width)
{
    size_t n = columns_of(s, strlen(s));

    if (n <= width)
        return s;
    for (size_t drop = n - width + 3; drop > 0 || !starts(*s); s++)
        drop -= starts(*s);
    return sn_format(a, "...%s", s);
}

void
sn_fit_line(SnBuf *b, size_t from, unsigned width)
{
    size_t k = 0, i = from;

    if (columns_of(b->s + from, b->n - from) <= width)
        return;
    while (k < width - 2)
        k += starts(b->s[i++]);
    b->n = i - 1;
    sn_puts(b, "...");
}
