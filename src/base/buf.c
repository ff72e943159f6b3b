// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
grow(SnBuf *b, size_t n)
{
    size_t cap = b->cap ? b->cap : 32;

    while (cap <= b->n || cap - b->n <= n) {
        if (cap > SIZE_MAX / 2) {
            cap = SIZE_MAX; /* refused by sn_alloc */
            break;
        }
        cap *= 2;
    }
    char *s = sn_alloc(b->a, cap);
    if (b->n)
        memcpy(s, b->s, b->n);
    b->s = s;
    b->cap = cap;
}

/* Room for n more bytes and the NUL. */
static inline void
reserve(SnBuf *b, size_t n)
{
    if (n >= b->cap - b->n || !b->s)
        grow(b, n);
}

void
sn_buf_init(SnBuf *b, SnArena *a)
{
    *b = (SnBuf){.a = a};
}

void
sn_putc(SnBuf *b, char c)
{
    reserve(b, 1);
    b->s[b->n++] = c;
    b->s[b->n] = 0;
}

void
sn_putn(SnBuf *b, const char *s, size_t n)
{
    reserve(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

void
sn_put_spaces(SnBuf *b, size_t n)
{
    reserve(b, n);
    memset(b->s + b->n, ' ', n);
    b->n += n;
    b->s[b->n] = 0;
}

void
sn_puts(SnBuf *b, const char *s)
{
    sn_putn(b, s, strlen(s));
}

/* ---- formats ---- */

typedef struct Out {
    char *s;
    size_t n, room; /* n: of all that there is, also where it does not fit */
} Out;

static void
put(Out *o, const char *s, size_t n)
{
    if (o->n < o->room) {
        size_t left = o->room - o->n;
        memcpy(o->s + o->n, s, n < left ? n : left);
    }
    o->n += n;
}

static void
put_number(Out *o, bool minus, unsigned v)
{
    char s[16], *p = s + sizeof s;

    do
        *--p = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    if (minus)
        *--p = '-';
    put(o, p, (size_t)(s + sizeof s - p));
}

static void
put_string(Out *o, const char *s, int most)
{
    s = s ? s : "(null)";
    put(o, s, most < 0 ? strlen(s) : strnlen(s, (size_t)most));
}

/* A format of nothing but %s, %.*s, %d, %u, %c and %%, or false: nearly all of
 * a generator's are, and the C library takes several times as long for them. */
static bool
put_plain(Out *o, const char *fmt, va_list ap)
{
    for (;;) {
        const char *next = strchr(fmt, '%');
        put(o, fmt, next ? (size_t)(next - fmt) : strlen(fmt));
        if (!next)
            return true;
        bool part = next[1] == '.' && next[2] == '*' && next[3] == 's';
        int most = part ? va_arg(ap, int) : -1, v;
        next += part ? 3 : 1;
        switch (*next) {
        case 's':
            put_string(o, va_arg(ap, const char *), most);
            break;
        case 'd':
            v = va_arg(ap, int);
            put_number(o, v < 0, v < 0 ? 0u - (unsigned)v : (unsigned)v);
            break;
        case 'u':
            put_number(o, false, va_arg(ap, unsigned));
            break;
        case 'c':
            put(o, &(char){(char)va_arg(ap, int)}, 1);
            break;
        case '%':
            put(o, "%", 1);
            break;
        default:
            return false;
        }
        fmt = next + 1;
    }
}

size_t
sn_vprint(char *s, size_t room, const char *fmt, va_list ap)
{
    Out o = {.s = s, .room = room};
    va_list ap2;
    int n;

    va_copy(ap2, ap);
    if (put_plain(&o, fmt, ap2)) {
        n = -1;
        if (room)
            s[o.n < room ? o.n : room - 1] = 0;
    } else {
        n = vsnprintf(s, room, fmt, ap);
        assert(n >= 0);
    }
    va_end(ap2);
    return n < 0 ? o.n : (size_t)n;
}

void
sn_vputf(SnBuf *b, const char *fmt, va_list ap)
{
    va_list ap2;

    reserve(b, 0);
    va_copy(ap2, ap);
    size_t n = sn_vprint(b->s + b->n, b->cap - b->n, fmt, ap2);
    va_end(ap2);
    if (n >= b->cap - b->n) {
        reserve(b, n);
        sn_vprint(b->s + b->n, n + 1, fmt, ap);
    }
    b->n += n;
}

void
sn_putf(SnBuf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    sn_vputf(b, fmt, ap);
    va_end(ap);
}

/* A decimal d.ddd * 10^exp10 of n digits. */
typedef struct Decimal {
    char digit[24];
    int n, exp10;
} Decimal;

/* The n-digit decimal nearest to v > 0.  The byte after the first digit is
 * skipped unread: it is the decimal point of whatever locale is set. */
static Decimal
nearest(double v, int n)
{
    char s[48];
    Decimal r = {.n = n};

    snprintf(s, sizeof s, "%.*e", n - 1, v);
    r.digit[0] = s[0];
    if (n > 1)
        memcpy(r.digit + 1, s + 2, (size_t)(n - 1));
    r.exp10 = atoi(strchr(s, 'e') + 1);
    return r;
}

/* d plus one unit in its last digit; false when that carries out (then a
 * shorter decimal says the same). */
static bool
bump(Decimal *d)
{
    int i = d->n - 1;

    while (i >= 0 && d->digit[i] == '9')
        d->digit[i--] = '0';
    if (i < 0)
        return false;
    d->digit[i]++;
    return true;
}

/* Written without a point, so that strtod's result is the same in every
 * locale. */
static bool
reads_back(const Decimal *d, double v, bool single)
{
    char s[64];

    snprintf(s, sizeof s, "%.*se%d", d->n, d->digit, d->exp10 - (d->n - 1));
    if (single)
        return (double)strtof(s, NULL) == v;
    return strtod(s, NULL) == v;
}

/* The nearest n-digit decimal may miss although its upper neighbour would do:
 * just above a power of two the values lie twice as far apart as below. */
static Decimal
shortest(double v, bool single)
{
    int max = single ? 9 : 17;

    for (int n = 1; n < max; n++) {
        Decimal d = nearest(v, n);
        if (reads_back(&d, v, single))
            return d;
        if (bump(&d) && reads_back(&d, v, single))
            return d;
    }
    return nearest(v, max);
}

static void
put_float(SnBuf *b, double v, bool single)
{
    if (isnan(v)) {
        sn_puts(b, "nan");
        return;
    }
    if (signbit(v))
        sn_putc(b, '-');
    v = fabs(v);
    if (isinf(v)) {
        sn_puts(b, "inf");
        return;
    }
    if (v == 0) {
        sn_putc(b, '0');
        return;
    }
    Decimal d = shortest(v, single);
    while (d.n > 1 && d.digit[d.n - 1] == '0')
        d.n--;
    if (d.exp10 < -5 || d.exp10 >= (single ? 9 : 17)) {
        sn_putc(b, d.digit[0]);
        if (d.n > 1) {
            sn_putc(b, '.');
            sn_putn(b, d.digit + 1, (size_t)(d.n - 1));
        }
        sn_putf(b, "e%d", d.exp10);
        return;
    }
    if (d.exp10 < 0)
        sn_puts(b, "0.");
    for (int i = d.exp10; i < -1; i++)
        sn_putc(b, '0');
    for (int i = 0; i < d.n || i <= d.exp10; i++) {
        if (i > 0 && i == d.exp10 + 1)
            sn_putc(b, '.');
        sn_putc(b, i < d.n ? d.digit[i] : '0');
    }
}

void
sn_put_f32(SnBuf *b, float v)
{
    put_float(b, (double)v, true);
}

void
sn_put_f64(SnBuf *b, double v)
{
    put_float(b, v, false);
}

size_t
sn_printable(const char *s, size_t n)
{
    uint32_t c, min;
    size_t len;

    if (n == 0)
        return 0;
    c = (unsigned char)s[0];
    if (c < 0x80)
        return c >= 0x20 && c != 0x7f;
    if (c >= 0xc2 && c <= 0xdf)
        len = 2, min = 0x80, c &= 0x1f;
    else if (c >= 0xe0 && c <= 0xef)
        len = 3, min = 0x800, c &= 0x0f;
    else if (c >= 0xf0 && c <= 0xf4)
        len = 4, min = 0x10000, c &= 0x07;
    else
        return 0;
    if (n < len)
        return 0;
    for (size_t i = 1; i < len; i++) {
        unsigned char k = (unsigned char)s[i];
        if ((k & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (k & 0x3f);
    }
    if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    if (c < 0xa0 || c == 0xfeff)
        return 0;
    /* Marks that change the direction or the lines of what follows. */
    if ((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
        (c >= 0x2060 && c <= 0x206f))
        return 0;
    return len;
}

void
sn_put_escaped(SnBuf *b, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t len = sn_printable(s + i, n - i);
        if (len) {
            sn_putn(b, s + i, len);
            i += len;
            continue;
        }
        if (s[i] == '\n')
            sn_puts(b, "\\n");
        else if (s[i] == '\t')
            sn_puts(b, "\\t");
        else
            sn_putf(b, "\\x%02x", (unsigned)(unsigned char)s[i]);
        i++;
    }
}

const char *
sn_shown(SnArena *a, const char *s)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_escaped(&b, s, strlen(s));
    return strcmp(s, sn_buf_str(&b)) == 0 ? s : sn_buf_str(&b);
}

void
sn_put_quoted(SnBuf *b, const char *s)
{
    sn_putc(b, '"');
    while (*s) {
        size_t n = strcspn(s, "\"\\");
        sn_put_escaped(b, s, n);
        s += n;
        if (*s) {
            sn_putc(b, '\\');
            sn_putc(b, *s++);
        }
    }
    sn_putc(b, '"');
}

const char *
sn_buf_str(SnBuf *b)
{
    return b->s ? b->s : "";
}
