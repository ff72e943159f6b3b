// SPDX-License-Identifier: Apache-2.0
/* The roofline of a bench as SVG: both axes logarithmic, decades ruled.  The
 * slowest nodes have numbers and are listed below. */
#include <math.h>

#include "run/bench/bench.h"

enum {
    WIDTH = 860,
    HEIGHT = 520, /* of the plot; the list comes below */
    LEFT = 70,
    RIGHT = 20,
    TOP = 46,
    FOOT = 50,
    LINE = 17,
    NUMBERED = 8
};

typedef struct Axes { /* decades */
    double x0, x1, y0, y1;
} Axes;

static double
px(const Axes *a, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - a->x0) / (a->x1 - a->x0);
}

static double
py(const Axes *a, double y)
{
    return HEIGHT - FOOT -
           (HEIGHT - TOP - FOOT) * (log10(y) - a->y0) / (a->y1 - a->y0);
}

static double
intensity(const SnNodeTime *n)
{
    return n->ops / n->bytes;
}

static double
gops(const SnNodeTime *n)
{
    return n->ops / n->s * 1e-9;
}

static bool
has_dot(const SnNodeTime *n)
{
    return n->ops > 0 && n->bytes > 0 && n->s > 0;
}

static Axes
choose_axes(const SnBench *b)
{
    double top = fmax(b->peak.ops8, b->peak.ops32) * 1e-9;
    Axes a = {-1, 1, 0, top > 10 ? log10(top) + 0.25 : 1};

    for (uint32_t i = 0; i < b->nnode; i++) {
        if (!has_dot(&b->node[i]))
            continue;
        a.x0 = fmin(a.x0, floor(log10(intensity(&b->node[i]))));
        a.x1 = fmax(a.x1, ceil(log10(intensity(&b->node[i]))));
        a.y0 = fmin(a.y0, floor(log10(gops(&b->node[i]))));
        a.y1 = fmax(a.y1, log10(gops(&b->node[i])) + 0.25);
    }
    return a;
}

static void
put_grid(const Axes *a, SnBuf *out)
{
    for (double d = a->x0; d <= a->x1; d++) {
        double x = px(a, pow(10, d));
        sn_putf(out,
                "<line class=\"g\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                "y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%g</text>\n",
                x, TOP, x, HEIGHT - FOOT, x, HEIGHT - FOOT + 16, pow(10, d));
    }
    for (double d = a->y0; d <= a->y1; d++) {
        double y = py(a, pow(10, d));
        sn_putf(out,
                "<line class=\"g\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, pow(10, d));
    }
    sn_putf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations a "
            "byte</text>\n<text x=\"16\" y=\"%d\" text-anchor=\"middle\" "
            "transform=\"rotate(-90 16 %d)\">GOPS</text>\n",
            WIDTH / 2, HEIGHT - 12, HEIGHT / 2, HEIGHT / 2);
}

/* intensity * bandwidth, up to the highest ceiling or the edge. */
static void
put_slope(const Axes *a, const SnBench *b, SnBuf *out)
{
    double gbs = b->peak.read * 1e-9;
    double top = fmax(b->peak.ops8, b->peak.ops32) * 1e-9;

    if (!(gbs > 0) || !(top > 0))
        return;
    double x0 = fmax(pow(10, a->x0), pow(10, a->y0) / gbs);
    double x1 = fmin(pow(10, a->x1), top / gbs);
    if (x0 >= x1)
        return;
    sn_putf(out,
            "<polyline fill=\"none\" stroke=\"#777\" stroke-width=\"2\" "
            "points=\"%.1f,%.1f %.1f,%.1f\"/>\n",
            px(a, x0), py(a, x0 * gbs), px(a, x1), py(a, x1 * gbs));
}

/* From the point where memory keeps up with it to the right edge. */
static void
put_ceiling(const Axes *a, const SnBench *b, double peak, const char *colour,
            const char *name, SnBuf *out)
{
    double gbs = b->peak.read * 1e-9, y = peak * 1e-9;

    if (!(gbs > 0) || !(y > 0))
        return;
    double x = fmin(fmax(y / gbs, pow(10, a->x0)), pow(10, a->x1));
    sn_putf(out,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
            "points=\"%.1f,%.1f %d,%.1f\"/>\n",
            colour, px(a, x), py(a, y), WIDTH - RIGHT, py(a, y));
    sn_putf(out,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" "
            "fill=\"%s\">%s %.0f GOPS</text>\n",
            WIDTH - RIGHT - 4, py(a, y) - 5, colour, name, y);
}

static void
put_xml(SnBuf *out, const char *s)
{
    for (s = sn_shown(out->a, s); *s; s++)
        if (*s == '<')
            sn_puts(out, "&lt;");
        else if (*s == '>')
            sn_puts(out, "&gt;");
        else if (*s == '&')
            sn_puts(out, "&amp;");
        else
            sn_putc(out, *s);
}

static const char *
colour_of(const SnNodeTime *n)
{
    return n->codes ? "#c33" : "#36c";
}

/* number 0: none. */
static void
put_dot(const Axes *a, const SnBench *b, const SnNodeTime *n, double all,
        uint32_t number, SnArena *tmp, SnBuf *out)
{
    double x = px(a, intensity(n)), y = py(a, gops(n));

    sn_putf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" "
            "fill-opacity=\"0.4\"><title>",
            x, y, 2.5 + 30 * sqrt(n->s / all), colour_of(n));
    put_xml(out, sn_label(b->x->g, n->node, tmp));
    sn_putf(out, ": %.1f GOPS, %.1f op/B, %.1f us</title></circle>\n", gops(n),
            intensity(n), n->s * 1e6);
    if (number)
        sn_putf(out,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">"
                "%u</text>\n",
                x, y + 4, number);
}

static void
put_head(const SnBench *b, uint32_t nlisted, SnBuf *out)
{
    sn_putf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.g{stroke:#ddd}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT + (int)nlisted * LINE + (nlisted ? 10 : 0));
    sn_putf(out, "<text x=\"%d\" y=\"18\" font-size=\"14\">", LEFT);
    put_xml(out, b->x->g->name ? b->x->g->name : "");
    sn_putf(out,
            ": %.3f ms a run, %u thread%s, %s; memory reads %.1f GB/s"
            "</text>\n",
            b->median * 1e3, b->nthread, b->nthread == 1 ? "" : "s",
            sn_isa_name(sn_isa()), b->peak.read * 1e-9);
    sn_putf(out,
            "<text x=\"%d\" y=\"36\" fill=\"#555\">a dot is a node, its "
            "area the share of the time; above the slope its data came from a "
            "cache</text>\n",
            LEFT);
}

static void
put_line(const SnBench *b, const SnNodeTime *n, double all, uint32_t number,
         SnArena *tmp, SnBuf *out)
{
    sn_putf(out,
            "<text x=\"%d\" y=\"%d\"><tspan fill=\"%s\">%u</tspan>"
            "<tspan x=\"%d\" text-anchor=\"end\">%.1f us</tspan>"
            "<tspan x=\"%d\" text-anchor=\"end\">%.1f %%</tspan>"
            "<tspan x=\"%d\">",
            LEFT, HEIGHT + (int)number * LINE - 5, colour_of(n), number,
            LEFT + 90, n->s * 1e6, LEFT + 145, 100 * n->s / all, LEFT + 160);
    put_xml(out, sn_label(b->x->g, n->node, tmp));
    sn_puts(out, "</tspan></text>\n");
}

void
sn_bench_roofline(const SnBench *b, SnBuf *out)
{
    const SnNodeTime *listed[NUMBERED];
    uint32_t nlisted = 0;
    Axes a = choose_axes(b);
    SnArena *tmp = sn_arena_new();
    double all = 0;

    for (uint32_t i = 0; i < b->nnode; i++) {
        all += b->node[i].s;
        if (nlisted < NUMBERED && has_dot(&b->node[i]))
            listed[nlisted++] = &b->node[i];
    }
    put_head(b, nlisted, out);
    put_grid(&a, out);
    put_slope(&a, b, out);
    put_ceiling(&a, b, b->peak.ops8, "#c33", "int8", out);
    put_ceiling(&a, b, b->peak.ops32, "#36c", "f32", out);
    for (uint32_t i = 0, k = 0; i < b->nnode; i++) {
        const SnNodeTime *n = &b->node[i];
        if (!has_dot(n))
            continue;
        put_dot(&a, b, n, all, k < nlisted ? k + 1 : 0, tmp, out);
        k++;
    }
    for (uint32_t i = 0; i < nlisted; i++)
        put_line(b, listed[i], all, i + 1, tmp, out);
    sn_puts(out, "</svg>\n");
    sn_arena_free(tmp);
}
