/* The roofline of a bench as SVG: both axes logarithmic, decades ruled. */
#include <math.h>

#include "run/bench.h"

enum { WIDTH = 860, HEIGHT = 520, LEFT = 70, RIGHT = 20, TOP = 30, FOOT = 50 };

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
    Axes a = {-1, 1, 0, top > 1 ? ceil(log10(top) + 0.1) : 1};

    for (uint32_t i = 0; i < b->nnode; i++) {
        if (!has_dot(&b->node[i]))
            continue;
        a.x0 = fmin(a.x0, floor(log10(intensity(&b->node[i]))));
        a.x1 = fmax(a.x1, ceil(log10(intensity(&b->node[i]))));
        a.y0 = fmin(a.y0, floor(log10(gops(&b->node[i]))));
        a.y1 = fmax(a.y1, ceil(log10(gops(&b->node[i]))));
    }
    return a;
}

static void
put_grid(const Axes *a, SnBuf *out)
{
    for (double d = a->x0; d <= a->x1; d++) {
        double x = px(a, pow(10, d));
        sn_putf(out, "<line class=\"g\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                "y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%g</text>\n",
                x, TOP, x, HEIGHT - FOOT, x, HEIGHT - FOOT + 16, pow(10, d));
    }
    for (double d = a->y0; d <= a->y1; d++) {
        double y = py(a, pow(10, d));
        sn_putf(out, "<line class=\"g\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, pow(10, d));
    }
    sn_putf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations a "
            "byte</text>\n<text x=\"16\" y=\"%d\" text-anchor=\"middle\" "
            "transform=\"rotate(-90 16 %d)\">GOPS</text>\n",
            WIDTH / 2, HEIGHT - 12, HEIGHT / 2, HEIGHT / 2);
}

/* min(peak, intensity * bandwidth), from edge to edge. */
static void
put_roof(const Axes *a, const SnBench *b, double peak, const char *colour,
         const char *name, SnBuf *out)
{
    double gbs = b->peak.read * 1e-9, y = peak * 1e-9;
    double x0 = pow(10, a->x0), y0 = pow(10, a->y0), x1 = pow(10, a->x1);

    if (!(gbs > 0) || !(y > 0))
        return;
    if (x0 * gbs < y0)
        x0 = y0 / gbs;
    sn_putf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
            "points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
            colour, px(a, x0), py(a, fmin(x0 * gbs, y)),
            px(a, fmin(fmax(y / gbs, x0), x1)),
            py(a, fmin(y, fmin(y / gbs, x1) * gbs)), px(a, x1),
            py(a, fmin(y, x1 * gbs)));
    sn_putf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" "
            "fill=\"%s\">%s %.0f GOPS</text>\n",
            WIDTH - RIGHT - 4, py(a, y) - 5, colour, name, y);
}

static void
put_xml(SnBuf *out, const char *s)
{
    for (; *s; s++)
        if (*s == '<')
            sn_puts(out, "&lt;");
        else if (*s == '>')
            sn_puts(out, "&gt;");
        else if (*s == '&')
            sn_puts(out, "&amp;");
        else
            sn_putc(out, *s);
}

void
sn_bench_roofline(const SnBench *b, SnBuf *out)
{
    Axes a = choose_axes(b);
    SnArena *tmp = sn_arena_new();
    double all = 0;

    for (uint32_t i = 0; i < b->nnode; i++)
        all += b->node[i].s;
    sn_putf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.g{stroke:#ddd}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"18\">%u thread%s, %.1f GB/s from memory"
            "</text>\n", WIDTH, HEIGHT, LEFT, b->nthread,
            b->nthread == 1 ? "" : "s", b->peak.read * 1e-9);
    put_grid(&a, out);
    put_roof(&a, b, b->peak.ops8, "#c33", "int8", out);
    put_roof(&a, b, b->peak.ops32, "#36c", "f32", out);
    for (uint32_t i = 0; i < b->nnode; i++) {
        const SnNodeTime *n = &b->node[i];
        if (!has_dot(n))
            continue;
        sn_putf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" "
                "fill-opacity=\"0.5\"><title>",
                px(&a, intensity(n)), py(&a, gops(n)),
                2.5 + 30 * sqrt(n->s / all), n->codes ? "#c33" : "#36c");
        put_xml(out, sn_label(b->x->g, n->node, tmp));
        sn_putf(out, ": %.1f GOPS, %.1f op/B, %.1f us</title></circle>\n",
                gops(n), intensity(n), n->s * 1e6);
    }
    sn_puts(out, "</svg>\n");
    sn_arena_free(tmp);
}
