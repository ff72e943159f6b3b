// SPDX-License-Identifier: Apache-2.0
/* The files of a program. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "aot/aot_node.h"
#include "aot/pick.h"
#include "aot/program.h"
#include "aot/tile.h"
#include "base/file/file.h"
#include "base/json.h"
#include "base/version.h"
#include "kernel/eval/eval.h"

/* ---- targets ---- */

static const SnAotTarget targets[] = {
    {"portable", "any machine", false},
    {"armv7em", "Cortex-M4, M7 and others with DSP instructions", true},
};

const SnAotTarget *
sn_aot_target(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!name || !strcmp(name, targets[i].name))
            return &targets[i];
    return NULL;
}

const char *
sn_aot_targets(SnArena *a)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        sn_putf(&b, "%s%s (%s)", i ? ", " : "", targets[i].name,
                targets[i].what);
    return sn_buf_str(&b);
}

/* ---- constants ---- */

int64_t
sn_aot_count_of(const SnType *t, const SnShape *s)
{
    return (int64_t)(sn_tensor_nbyte(t, s) / sn_elem_size(t->elem));
}

static const char *
element(SnArena *a, const SnType *t, const void *p, int64_t i)
{
    switch (t->elem) {
    case SN_F32:
        return sn_aot_float(a, ((const float *)p)[i]);
    case SN_QI16:
        return sn_aot_int(a, ((const int16_t *)p)[i]);
    case SN_QI32:
    case SN_I32:
        return sn_aot_int(a, ((const int32_t *)p)[i]);
    case SN_I64:
        return sn_aot_int(a, ((const int64_t *)p)[i]);
    case SN_BOOL:
        return ((const bool *)p)[i] ? "true" : "false";
    case SN_ROW8:
        return sn_aot_int(a, ((const uint8_t *)p)[i]);
    default:
        return sn_aot_int(a, ((const int8_t *)p)[i]);
    }
}

void
sn_aot_array(SnBuf *b, const SnType *t, const SnShape *s, const void *data)
{
    int64_t n = sn_aot_count_of(t, s);
    size_t col = 80;
    SnArena *tmp = sn_arena_new();

    sn_puts(b, "{");
    for (int64_t i = 0; i < n; i++) {
        const char *e = element(tmp, t, data, i);
        size_t len = strlen(e) + 2;
        if (col + len > 78) {
            sn_puts(b, "\n   ");
            col = 3;
        }
        sn_putf(b, " %s,", e);
        col += len;
        if (i % 4096 == 4095) {
            sn_arena_free(tmp);
            tmp = sn_arena_new();
        }
    }
    sn_arena_free(tmp);
    sn_puts(b, n ? "\n}" : "0}");
}

static const char *
const_head(const SnProgram *p, SnId id)
{
    const SnNode *n = sn_node(p->g, id);
    int64_t k = sn_aot_count_of(n->res[0].type, n->res[0].shape);

    return sn_format(p->a, "const %s %s_c%u[%lld]",
                     sn_aot_elem(n->res[0].type->elem), p->name, id,
                     (long long)(k ? k : 1));
}

/* Constants that the program's functions name. */
static bool
is_read(const SnProgram *p, SnId id, const char *code)
{
    const char *name = sn_format(p->a, "%s_c%u", p->name, id);
    size_t n = strlen(name);

    for (const char *s = code; (s = strstr(s, name)) != NULL; s++)
        if (!isdigit((unsigned char)s[n]))
            return true;
    return false;
}

typedef struct Files {
    SnProgram *p;
    SnAot *out;
    SnBuf weights, extern_;
} Files;

static void
put_weights(Files *f, const char *code)
{
    SnProgram *p = f->p;

    sn_buf_init(&f->weights, p->a);
    sn_buf_init(&f->extern_, p->a);
    sn_puts(&f->extern_, sn_buf_str(&p->extern_));
    sn_puts(&f->weights, sn_buf_str(&p->packed));
    f->out->weights += p->npacked;
    for (SnId id = 1; id < p->g->nnode; id++) {
        const SnNode *n = sn_node(p->g, id);
        if (n->dead || !n->data || !is_read(p, id, code))
            continue;
        const char *head = const_head(p, id);
        sn_putf(&f->extern_, "extern %s;\n", head);
        sn_putf(&f->weights, "\n/* %s */\n%s = ", sn_name(p->g, SN_REF(id, 0)),
                head);
        sn_aot_array(&f->weights, n->res[0].type, n->res[0].shape, n->data);
        sn_puts(&f->weights, ";\n");
        f->out->weights += sn_tensor_nbyte(n->res[0].type, n->res[0].shape);
    }
}

/* ---- the header ---- */

static const char *
upper(SnArena *a, const char *s)
{
    char *u = sn_memdup(a, s, strlen(s) + 1);

    for (char *c = u; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return u;
}

static void
put_dims(SnBuf *b, const SnShape *s)
{
    for (int i = 0; i < s->rank; i++)
        sn_putf(b, "%s%lld", i ? " x " : "", (long long)s->dim[i]);
    if (s->rank == 0)
        sn_puts(b, "one");
}

static void
put_port(SnBuf *b, const SnProgram *p, const SnPort *x, const char *dir,
         uint32_t i)
{
    const char *up = upper(p->a, p->name);

    sn_putf(b, "\n/* %s %u: %s, ", dir, i, sn_shown(p->a, x->name));
    put_dims(b, x->shape);
    sn_putf(b, " of %s%s */\n", sn_type_str(p->a, x->type),
            x->u8 ? ": the model's uint8 less 128" : "");
    const char *n =
        sn_format(p->a, "%s_%s%u", up, strcmp(dir, "input") ? "OUT" : "IN", i);
    sn_putf(b, "#define %s_COUNT %lld\n", n,
            (long long)sn_aot_count_of(x->type, x->shape));
    if (x->type->nq == 1) {
        sn_putf(b, "#define %s_SCALE %s\n", n,
                sn_aot_float(p->a, x->type->scale[0]));
        sn_putf(b, "#define %s_ZERO (%d)\n", n, (int)x->type->zp[0]);
    }
}

static const char *
signature(const SnProgram *p)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_putf(&b, "int %s_run(void *arena", p->name);
    for (uint32_t i = 0; i < p->x->ninput; i++)
        sn_putf(&b, ", const %s *in%u", sn_aot_elem(p->x->input[i].type->elem),
                i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        sn_putf(&b, ", %s *out%u", sn_aot_elem(p->x->output[i].type->elem), i);
    sn_puts(&b, ")");
    return sn_buf_str(&b);
}

static void
put_made(SnBuf *b, const char *what)
{
    sn_putf(b, "/* %s  Written by sinter %s. */\n", what, SN_VERSION);
}

static const char *
header(const SnProgram *p)
{
    const char *up = upper(p->a, p->name);
    SnBuf b;

    sn_buf_init(&b, p->a);
    put_made(&b, "A network that runs by itself.");
    sn_putf(&b,
            "#ifndef %s_H\n#define %s_H\n\n#include <stdbool.h>\n"
            "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
            "#endif\n\n"
            "/* Bytes of working memory, and their alignment.  Nothing has to "
            "be kept in\n * it from one run to the next. */\n"
            "#define %s_ARENA %lu\n#define %s_ALIGN %d\n",
            up, up, up, (unsigned long)p->arena, up, SN_AOT_ALIGN);
    for (uint32_t i = 0; i < p->x->ninput; i++)
        put_port(&b, p, &p->x->input[i], "input", i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        put_port(&b, p, &p->x->output[i], "output", i);
    sn_putf(
        &b,
        "\n/* Runs the network: reads the inputs, writes the outputs; none "
        "of them may\n * overlap each other or the arena (NULL where it has "
        "0 bytes).  0, or 1 where\n * an index that the inputs hold is out "
        "of range; outputs are then undefined.\n * It keeps nothing between "
        "calls: several may run at once, each with an arena\n * of its "
        "own.  Reals are rounded to nearest even, and subnormal ones are "
        "kept:\n * other modes of the processor change results. */\n%s;\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
        signature(p));
    return sn_buf_str(&b);
}

/* ---- the program ---- */

static void
put_values(const SnProgram *p, SnBuf *b, const char *calls)
{
    for (SnRef r = 0; r < (SnRef)p->g->nnode << SN_RESBITS; r++) {
        const SnAotValue *v = &p->value[r];
        const char *name, *type;
        if (v->home != SN_HOME_ARENA || v->alias)
            continue;
        name = sn_aot_arg(p, r);
        if (!strstr(calls, name))
            continue;
        type = sn_aot_elem(sn_type(p->g, r)->elem);
        sn_putf(b, "    %s *const %s = (%s *)(void *)(base + %lu);\n", type,
                name, type, (unsigned long)p->block[v->i].offset);
    }
}

/* Outputs that are inputs, constants or another output. */
static void
put_copies(SnProgram *p)
{
    for (uint32_t i = 0; i < p->x->noutput; i++) {
        SnRef r = p->x->output[i].ref;
        const char *from = sn_aot_arg(p, r), *to = sn_format(p->a, "out%u", i);
        int64_t n = sn_aot_count_of(sn_type(p->g, r), sn_shape_of(p->g, r));
        if (!strcmp(from, to) || n == 0)
            continue;
        sn_putf(&p->calls,
                "    for (int i = 0; i < %lld; i++)\n        %s[i] = %s[i];\n",
                (long long)n, to, from);
    }
}

static const char *
run_function(const SnProgram *p)
{
    SnBuf b, v;
    SnBuf calls = p->calls;
    const char *code = sn_buf_str(&calls);

    sn_buf_init(&b, p->a);
    sn_buf_init(&v, p->a);
    put_values(p, &v, code);
    sn_putf(&b, "\n%s\n{\n", signature(p));
    bool base = v.n || strstr(code, "(base + ");
    if (base)
        sn_puts(&b,
                "    unsigned char *const base = (unsigned char *)arena;\n");
    sn_puts(&b, sn_buf_str(&v));
    if (!base)
        sn_puts(&b, "    (void)arena;\n");
    for (uint32_t i = 0; i < p->x->ninput; i++)
        if (!strstr(code, sn_format(p->a, "in%u", i)))
            sn_putf(&b, "    (void)in%u;\n", i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        if (!strstr(code, sn_format(p->a, "out%u", i)))
            sn_putf(&b, "    (void)out%u;\n", i);
    sn_puts(&b, code);
    sn_puts(&b, "    return 0;\n}\n");
    return sn_buf_str(&b);
}

static const char *
kernels(const SnProgram *p, const char *code)
{
    const char *up = upper(p->a, p->name);
    const char *defs = sn_pick(p->a, code, p->o->target->dsp);
    SnBuf b;

    sn_buf_init(&b, p->a);
    put_made(&b, "What the network's functions call.");
    sn_putf(&b,
            "#ifndef %s_KERNELS_H\n#define %s_KERNELS_H\n\n"
            "#include <float.h>\n#include <limits.h>\n#include <math.h> /* "
            "constants only */\n"
            "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
            "#include <string.h>\n\n"
            "/* 16: half floats have their own type, too */\n"
            "#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16\n"
            "#error \"float expressions must be evaluated in their own type\"\n"
            "#endif\n#if INT_MAX < 2147483647\n"
            "#error \"int must have 32 bits\"\n#endif\n\n"
            "/* Sums of products are not fused: results would differ.  clang "
            "obeys unless\n * -ffp-contract=fast is given; -ffp-contract=off "
            "makes sure. */\n"
            "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
            "#elif defined(__GNUC__)\n"
            "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n",
            up, up);
    sn_puts(&b, sn_pick_rename(p->a, defs, p->name, p->o->target->dsp));
    sn_puts(&b, "#endif\n");
    return sn_buf_str(&b);
}

static void
add(Files *f, const char *suffix, const char *text)
{
    uint32_t n = f->out->nfile;
    const char *name = *suffix == '/'
                           ? suffix + 1
                           : sn_format(f->p->a, "%s%s", f->p->name, suffix);

    SN_PUSH(f->p->a, f->out->file, n, name);
    SN_PUSH(f->p->a, f->out->text, f->out->nfile, text);
}

static const char *
makefile(const SnProgram *p)
{
    return sn_format(
        p->a,
        "# Builds %s_test, which exits 0 where the network gives the outputs "
        "that it\n# should, and 1 where it does not.\nCC ?= cc\n"
        "CFLAGS ?= -O2\n\n"
        "OBJ = %s.o %s_weights.o\n\n%s_test: %s_test.o $(OBJ)\n"
        "\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ %s_test.o $(OBJ)\n\n"
        "%%.o: %%.c %s.h\n\t$(CC) $(CFLAGS) -ffp-contract=off -c -o $@ $<\n\n"
        "%s.o: %s_kernels.h\n\ntest: %s_test\n\t./%s_test\n\nclean:\n"
        "\trm -f *.o %s_test\n\n.PHONY: test clean\n",
        p->name, p->name, p->name, p->name, p->name, p->name, p->name, p->name,
        p->name, p->name, p->name, p->name);
}

/* ---- the memory map ---- */

static void
put_json_port(SnBuf *b, const SnProgram *p, const SnPort *x, bool last)
{
    sn_puts(b, "    {\"name\": ");
    sn_put_json(b, x->name);
    sn_puts(b, ", \"type\": ");
    sn_put_json(b, sn_type_str(p->a, x->type));
    sn_puts(b, ", \"shape\": [");
    for (int i = 0; i < x->shape->rank; i++)
        sn_putf(b, "%s%lld", i ? ", " : "", (long long)x->shape->dim[i]);
    sn_putf(b, "], \"bytes\": %lu}%s\n",
            (unsigned long)sn_tensor_nbyte(x->type, x->shape), last ? "" : ",");
}

static void
put_json_values(SnBuf *b, const SnProgram *p)
{
    bool any = false;

    for (SnRef r = 0; r < (SnRef)p->g->nnode << SN_RESBITS; r++) {
        const SnAotValue *v = &p->value[r];
        if (v->home != SN_HOME_ARENA || v->alias)
            continue;
        const SnBlock *k = &p->block[v->i];
        sn_puts(b, any ? ",\n    {\"name\": " : "    {\"name\": ");
        sn_put_json(b, sn_name(p->g, r));
        sn_putf(b,
                ", \"offset\": %lu, \"bytes\": %lu, \"first\": %u, "
                "\"last\": %u}",
                (unsigned long)k->offset,
                (unsigned long)sn_tensor_nbyte(sn_type(p->g, r),
                                               sn_shape_of(p->g, r)),
                k->first, k->last);
        any = true;
    }
    sn_puts(b, any ? "\n" : "");
}

static const char *
json(const SnProgram *p, const SnAot *o)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_puts(&b, "{\n  \"name\": ");
    sn_put_json(&b, p->name);
    sn_putf(&b,
            ",\n  \"target\": \"%s\",\n  \"arena\": %lu,\n"
            "  \"arena_bound\": %lu,\n  \"alignment\": %d,\n"
            "  \"weights\": %lu,\n  \"tables\": %lu,\n  \"inputs\": [\n",
            p->o->target->name, (unsigned long)o->arena,
            (unsigned long)o->bound, SN_AOT_ALIGN, (unsigned long)o->weights,
            (unsigned long)o->tables);
    for (uint32_t i = 0; i < p->x->ninput; i++)
        put_json_port(&b, p, &p->x->input[i], i + 1 == p->x->ninput);
    sn_puts(&b, "  ],\n  \"outputs\": [\n");
    for (uint32_t i = 0; i < p->x->noutput; i++)
        put_json_port(&b, p, &p->x->output[i], i + 1 == p->x->noutput);
    sn_puts(&b, "  ],\n  \"nodes\": [\n");
    for (uint32_t i = 0; i < o->ncost; i++) {
        sn_puts(&b, "    {\"name\": ");
        sn_put_json(&b, o->cost[i].label);
        sn_putf(&b, ", \"flash\": %lu, \"ram\": %lu, \"operations\": %.0f}%s\n",
                (unsigned long)o->cost[i].flash, (unsigned long)o->cost[i].live,
                o->cost[i].ops, i + 1 == o->ncost ? "" : ",");
    }
    sn_puts(&b, "  ],\n  \"values\": [\n");
    put_json_values(&b, p);
    sn_puts(&b, "  ]\n}\n");
    return sn_buf_str(&b);
}

static void
put_costs(const SnProgram *p, SnAot *o)
{
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        SnId id = p->x->step[s].node;
        const SnNode *n = sn_node(p->g, id);
        SnAotCost c = {.node = id,
                       .label = sn_label(p->g, id, p->a),
                       .flash = p->tables[s]};
        o->tables += p->tables[s];
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].ref && p->tile[s] && p->tile[s]->w == i &&
                p->tile[s]->pack)
                c.flash += p->tile[s]->npack;
            else if (n->in[i].ref && sn_def(p->g, n->in[i].ref)->data)
                c.flash += sn_tensor_nbyte(sn_type(p->g, n->in[i].ref),
                                           sn_shape_of(p->g, n->in[i].ref));
        for (uint32_t i = 0; i < p->nblock; i++)
            if (p->block[i].first <= s && s <= p->block[i].last)
                c.live += p->block[i].nbyte;
        c.ops = p->skipped[s] ? 0 : sn_node_ops(p->g, id);
        SN_PUSH(p->a, o->cost, o->ncost, c);
    }
}

/* ---- */

SnStatus
sn_aot(SnArena *a, const SnExec *x, const SnAotOpts *o, SnDiag *d,
       const SnAot **out)
{
    SnProgram p = {.a = a, .d = d, .x = x, .g = x->g, .o = o, .name = o->name};
    SnAot *r = SN_NEW(a, SnAot);
    Files f = {.p = &p, .out = r};
    const char *test;
    SnBuf c, w;

    sn_buf_init(&p.nodes, a);
    sn_buf_init(&p.calls, a);
    sn_buf_init(&p.packed, a);
    sn_buf_init(&p.extern_, a);
    SN_TRY(sn_aot_tiles(&p));
    sn_aot_place(&p);
    for (uint32_t s = 0; s < x->nstep; s++)
        SN_TRY(sn_aot_node(&p, s));
    put_copies(&p);
    *r = (SnAot){.name = o->name, .x = x, .arena = p.arena, .bound = p.bound};
    const char *nodes = sn_buf_str(&p.nodes), *run = run_function(&p);
    put_weights(&f, run);
    sn_buf_init(&c, a);
    put_made(&c, "The network.");
    sn_putf(&c, "#include \"%s.h\"\n#include \"%s_kernels.h\"\n\n%s", p.name,
            p.name, sn_buf_str(&f.extern_));
    sn_puts(&c, sn_pick_rename(a, nodes, p.name, o->target->dsp));
    sn_puts(&c, run);
    sn_buf_init(&w, a);
    put_made(&w, "The network's constants.");
    sn_puts(&w, "#include <math.h>\n#include <stdbool.h>\n"
                "#include <stdint.h>\n\n");
    sn_puts(&w, sn_buf_str(&f.extern_));
    sn_puts(&w, sn_buf_str(&f.weights));
    SN_TRY(sn_aot_test(&p, &test));
    put_costs(&p, r);
    add(&f, ".h", header(&p));
    add(&f, ".c", sn_buf_str(&c));
    add(&f, "_kernels.h", kernels(&p, nodes));
    add(&f, "_weights.c", sn_buf_str(&w));
    add(&f, "_test.c", test);
    add(&f, ".json", json(&p, r));
    add(&f, "/Makefile", makefile(&p));
    *out = r;
    return SN_OK;
}

SnStatus
sn_aot_write(const SnAot *p, const char *dir, SnDiag *d)
{
    SnArena *a = sn_arena_new();
    SnStatus s = SN_OK;

    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        s = sn_fail(d, SN_EOUTPUT, dir, "%s", strerror(errno));
    for (uint32_t i = 0; i < p->nfile && s == SN_OK; i++)
        s = sn_file_write(d, sn_format(a, "%s/%s", dir, p->file[i]), p->text[i],
                          strlen(p->text[i]));
    sn_arena_free(a);
    return s;
}
