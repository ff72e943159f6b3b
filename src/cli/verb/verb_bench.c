// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>

#include "base/file/file.h"
#include "base/json.h"
#include "run/bench/bench.h"
#include "base/team/team.h"

/* Share of v in most, in per cent; 0 when there is no ceiling. */
static double
share(double v, double most)
{
    return most > 0 ? 100 * v / most : 0;
}

/* Of the time of the whole run, what the ceilings leave. */
static double
floor_of(const SnBench *b)
{
    double s = 0;

    for (uint32_t i = 0; i < b->nnode; i++)
        s += sn_bench_floor(b, &b->node[i]);
    return s;
}

static void
put_text(SnCli *c, const SnBench *b)
{
    double bps = b->bytes / b->median;

    sn_putf(&c->out,
            "%.4f ms a run (median of %u; least %.4f), %u thread%s, "
            "%s\n",
            b->median * 1e3, b->nrun, b->least * 1e3, b->nthread,
            b->nthread == 1 ? "" : "s", sn_isa_name(sn_isa()));
    if (b->roundtrip >= SN_NEAR_NS)
        sn_putf(&c->out,
                "FAR: a cache line takes %.0f ns from one processor "
                "to another and back, near ones %.0f at most; timed %u times\n",
                b->roundtrip, SN_NEAR_NS, b->repeated + 1);
    sn_putf(&c->out,
            "%.1f Mop (%.0f %% int8), %.1f GOPS; ceilings %.0f int8, "
            "%.0f f32\n",
            b->ops * 1e-6, share(b->ops8, b->ops), b->ops / b->median * 1e-9,
            b->peak.ops8 * 1e-9, b->peak.ops32 * 1e-9);
    sn_putf(&c->out, "%s moved, %.1f GB/s; memory reads %.1f GB/s\n",
            sn_bytes_str(c->a, (size_t)b->bytes), bps * 1e-9,
            b->peak.read * 1e-9);
    sn_putf(&c->out,
            "at these ceilings a run would take %.4f ms, %.1f %% of "
            "the median%s\n",
            floor_of(b) * 1e3, share(floor_of(b), b->median),
            floor_of(b) > b->median
                ? ": its data comes from caches and not from memory"
                : "");
    sn_putf(&c->out, "memory: weights %s,", sn_bytes_str(c->a, b->weights));
    sn_putf(&c->out, " plan %s; nodes without a kernel: %u of %u%s%s\n",
            sn_bytes_str(c->a, b->arena), b->x->nfallback, b->nnode,
            b->x->nfallback ? ": " : "", sn_cli_fallback(c, b->x));
}

static const char *
memory_share(SnCli *c, double v, double most)
{
    double p = share(v, most);

    return p > 100 ? "cache" : sn_format(c->a, "%.0f%%", p);
}

/* Legend: time a run, its share; GOPS and their share of the ceiling for its
 * type; bytes, their rate and its share of what memory reads; the share of the
 * time that the ceilings ask for.  Of what is faster than memory there is no
 * share: "cache". */
static void
put_nodes(SnCli *c, const SnBench *b)
{
    double all = 0;

    for (uint32_t i = 0; i < b->nnode; i++)
        all += b->node[i].s;
    sn_puts(&c->out, "\n       us  time    GOPS  peak      KiB    GB/s   mem  "
                     "roof  node\n");
    for (uint32_t i = 0; i < b->nnode; i++) {
        const SnNodeTime *n = &b->node[i];
        double s = n->s > 0 ? n->s : 1e-9;
        sn_putf(&c->out,
                "%9.1f %4.1f%% %7.1f %4.0f%% %8.1f %7.1f %5s "
                "%5s  %s, %s\n",
                n->s * 1e6, share(n->s, all), n->ops / s * 1e-9,
                share(n->ops / s, n->codes ? b->peak.ops8 : b->peak.ops32),
                n->bytes / 1024, n->bytes / s * 1e-9,
                memory_share(c, n->bytes / s, b->peak.read),
                memory_share(c, sn_bench_floor(b, n), s),
                sn_label(b->x->g, n->node, c->a),
                n->kernel ? n->kernel : "(evaluator)");
    }
    sn_puts(&c->out, "peak, mem: share of the ceilings above; roof: of a "
                     "node's time, what they ask for;\ncache: faster than "
                     "memory, the data was in a cache\n");
}

static void
put_json(SnCli *c, const SnBench *b, const char *path)
{
    sn_puts(&c->out, "{\"model\": ");
    sn_put_json(&c->out, path);
    sn_putf(&c->out,
            ", \"cpu\": \"%s\", \"threads\": %u, \"runs\": %u, "
            "\"median_ms\": %.5f, \"least_ms\": %.5f, \"ops\": %.0f, "
            "\"ops_int8\": %.0f, \"bytes\": %.0f, \"weights\": %zu, "
            "\"plan\": %zu, \"fallback\": %u, \"peak_int8\": %.4g, "
            "\"peak_f32\": %.4g, \"peak_read\": %.4g, "
            "\"roundtrip_ns\": %.0f, \"far\": %s",
            sn_isa_name(sn_isa()), b->nthread, b->nrun, b->median * 1e3,
            b->least * 1e3, b->ops, b->ops8, b->bytes, b->weights, b->arena,
            b->x->nfallback, b->peak.ops8, b->peak.ops32, b->peak.read,
            b->roundtrip, b->roundtrip < SN_NEAR_NS ? "false" : "true");
    for (uint32_t i = 0; c->args.per_node && i < b->nnode; i++) {
        const SnNodeTime *n = &b->node[i];
        sn_puts(&c->out, i ? ",\n  {\"node\": "
                           : ", \"nodes\": [\n"
                             "  {\"node\": ");
        sn_put_json(&c->out, sn_label(b->x->g, n->node, c->a));
        sn_puts(&c->out, ", \"kernel\": ");
        sn_put_json(&c->out, n->kernel ? n->kernel : "");
        sn_putf(&c->out,
                ", \"us\": %.3f, \"ops\": %.0f, \"bytes\": %.0f, "
                "\"int8\": %s}",
                n->s * 1e6, n->ops, n->bytes, n->codes ? "true" : "false");
    }
    sn_puts(&c->out, c->args.per_node && b->nnode ? "]}\n" : "}\n");
}

/* An ONNX model is optimized for the backend first; a .sn runs as it
 * stands. */
static SnStatus
load(SnCli *c, const char *path, SnRewriteOpts *o, SnGraph **g)
{
    SN_TRY(sn_cli_rewrite_opts(c, o));
    if (!c->args.backend)
        o->backend = sn_backend_named("CPU");
    SN_TRY(sn_cli_load(c, path, g));
    if (!sn_is_onnx(path))
        return SN_OK;
    SnRewriter *rw = sn_rewriter_new(c->a, o, c->d);
    SN_TRY(sn_rewrite(rw, *g, "optimize"));
    return sn_verify(*g, c->d);
}

SnStatus
sn_verb_bench(SnCli *c)
{
    static const char *const suffix[] = {".svg", NULL};
    const char *path;
    const SnExec *x;
    SnRewriteOpts o;
    SnBench *b;
    SnGraph *g;
    unsigned nthread;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){.option = "--json", .path = c->args.json ? "-" : NULL}));
    SN_TRY(sn_cli_writable(c, &(SnOutput){"-o", c->args.output, suffix,
                                          "a picture", .text = true}));
    SN_TRY(sn_cli_threads(c, &nthread));
    SN_TRY(sn_cli_pack_check(c, path));
    SN_TRY(sn_cli_tune_check(c, path));
    SN_TRY(load(c, path, &o, &g));
    SN_TRY(sn_cli_need_kernels(c, o.backend));
    if (c->args.tune)
        return sn_cli_tune(c, path, &o, g, nthread);
    SN_TRY(sn_cli_prepare(c, path, &o, g, &x));
    SN_TRY(sn_bench(c->a, x, nthread, (uint32_t)c->args.nrun, c->d, &b));
    if (c->args.json)
        put_json(c, b, path);
    else
        put_text(c, b);
    if (c->args.per_node && !c->args.json)
        put_nodes(c, b);
    if (!c->args.output)
        return SN_OK;
    if (!c->args.json)
        sn_cli_aside(c);
    SnBuf svg;
    sn_buf_init(&svg, c->a);
    sn_bench_roofline(b, &svg);
    const char *text = sn_buf_str(&svg);
    return sn_file_write_text(c->d, c->args.output, text, strlen(text));
}
