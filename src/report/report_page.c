// SPDX-License-Identifier: Apache-2.0
/* The page: page/report.html with the style, the data and the script in the
 * places that it marks with @STYLE@, @TITLE@, @DATA@ and @SCRIPT@. */
#include <string.h>

#include "report/report_priv.h"

/* A script element ends at "</", wherever that is: inside of JSON, '<' can only
 * be in a string, where it is written as an escape. */
static void
put_data(SnBuf *out, const SnBuf *json)
{
    for (size_t i = 0; i < json->n; i++)
        if (json->s[i] == '<')
            sn_puts(out, "\\u003c");
        else
            sn_putc(out, json->s[i]);
}

static void
put_text(SnBuf *out, const char *s)
{
    for (s = sn_shown(out->a, s); *s; s++)
        if (*s == '<')
            sn_puts(out, "&lt;");
        else if (*s == '&')
            sn_puts(out, "&amp;");
        else
            sn_putc(out, *s);
}

static void
put_part(const SnReport *r, SnBuf *out, const char *mark, size_t n)
{
    if (n == 5 && !memcmp(mark, "STYLE", n)) {
        sn_putn(out, (const char *)sn_report_part_css, sn_report_part_css_n);
    } else if (n == 5 && !memcmp(mark, "TITLE", n)) {
        put_text(out, r->quant->name ? r->quant->name : "model");
    } else if (n == 6 && !memcmp(mark, "SCRIPT", n)) {
        sn_putn(out, (const char *)sn_report_part_js, sn_report_part_js_n);
    } else {
        SnBuf json;
        sn_buf_init(&json, out->a);
        sn_report_json(r, &json);
        put_data(out, &json);
    }
}

void
sn_report_html(const SnReport *r, SnBuf *out)
{
    const char *p = (const char *)sn_report_part_html,
               *end = p + sn_report_part_html_n;

    while (p < end) {
        const char *at = memchr(p, '@', (size_t)(end - p));
        const char *to =
            at ? memchr(at + 1, '@', (size_t)(end - at - 1)) : NULL;
        if (!to)
            break;
        sn_putn(out, p, (size_t)(at - p));
        put_part(r, out, at + 1, (size_t)(to - at - 1));
        p = to + 1;
    }
    sn_putn(out, p, (size_t)(end - p));
}
