// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <math.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at s, or 0. */
static size_t
utf8_len(const unsigned char *s)
{
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xc2 ? 0
               : s[0] < 0xe0 ? 2
               : s[0] < 0xf0 ? 3
               : s[0] < 0xf5 ? 4
                             : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void
sn_put_json(SnBuf *b, const char *s)
{
    sn_putc(b, '"');
    while (*s) {
        unsigned char c = (unsigned char)*s;
        size_t n = utf8_len((const unsigned char *)s);
        if (c == '"' || c == '\\')
            sn_putf(b, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            sn_putf(b, "\\u%04x", c);
        else if (n)
            sn_putn(b, s, n);
        else
            sn_puts(b, "\\ufffd");
        s += n ? n : 1;
    }
    sn_putc(b, '"');
}

void
sn_put_json_f64(SnBuf *b, double v)
{
    if (isfinite(v))
        sn_put_f64(b, v);
    else
        sn_puts(b, "null");
}

static void
member(SnJson *j, const char *key)
{
    if (j->more)
        sn_putc(j->b, ',');
    j->more = true;
    if (!key)
        return;
    sn_put_json(j->b, key);
    sn_putc(j->b, ':');
}

void
sn_json_open(SnJson *j, const char *key, char bracket)
{
    member(j, key);
    sn_putc(j->b, bracket);
    j->more = false;
}

void
sn_json_close(SnJson *j, char bracket)
{
    sn_putc(j->b, bracket);
    j->more = true;
}

void
sn_json_str(SnJson *j, const char *key, const char *s)
{
    member(j, key);
    if (s)
        sn_put_json(j->b, s);
    else
        sn_puts(j->b, "null");
}

void
sn_json_int(SnJson *j, const char *key, long long v)
{
    member(j, key);
    sn_putf(j->b, "%lld", v);
}

void
sn_json_num(SnJson *j, const char *key, double v)
{
    member(j, key);
    sn_put_json_f64(j->b, v);
}

void
sn_json_f32(SnJson *j, const char *key, float v)
{
    member(j, key);
    if (isfinite(v))
        sn_put_f32(j->b, v);
    else
        sn_puts(j->b, "null");
}

void
sn_json_bool(SnJson *j, const char *key, bool v)
{
    member(j, key);
    sn_puts(j->b, v ? "true" : "false");
}
