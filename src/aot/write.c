// SPDX-License-Identifier: Apache-2.0
/* The files of a program. */
#include <ctype.h>
#include <string.h>

#include "aot/node/aot_node.h"
#include "aot/blocks/pick.h"
#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "aot/node/word_set.h"
#include "base/version.h"

/* ---- files ---- */

static bool
is_tuned(const SnProgram *p)
{
    bool any = p->use.plan;

    for (int i = 0; i < SN_TUNED_PARTS; i++)
        any = any || p->use.part[i];
    return any;
}

typedef struct Files {
    SnProgram *p;
    SnAot *out;
} Files;

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

/* A C string in ASCII; an octal escape ends after three digits. */
static void
put_string(SnBuf *b, const char *s)
{
    sn_putc(b, '"');
    for (; *s; s++)
        if (isalnum((unsigned char)*s) || strchr(" _./:-", *s))
            sn_putc(b, *s);
        else
            sn_putf(b, "\\%03o", (unsigned)(unsigned char)*s);
    sn_putc(b, '"');
}

static void
put_port(SnBuf *b, const SnProgram *p, const SnPort *x, const char *dir,
         uint32_t i)
{
    const char *up = upper(p->a, p->name);

    sn_putf(b, "\n/* %s %u: %s, ", dir, i, sn_aot_comment(p->a, x->name));
    put_dims(b, x->shape);
    sn_putf(b, " of %s%s */\n", sn_type_str(p->a, x->type),
            x->u8 ? ": the model's uint8 less 128" : "");
    const char *n =
        sn_format(p->a, "%s_%s%u", up, strcmp(dir, "input") ? "OUT" : "IN", i);
    sn_putf(b, "#define %s_NAME ", n);
    put_string(b, x->name);
    sn_putf(b, "\n#define %s_RANK %d\n", n, x->shape->rank);
    if (x->shape->rank > 0)
        sn_putf(b, "#define %s_SHAPE {", n);
    for (int k = 0; k < x->shape->rank; k++)
        sn_putf(b, "%s%lld", k ? ", " : "", (long long)x->shape->dim[k]);
    sn_putf(b, "%s#define %s_COUNT %lld\n", x->shape->rank > 0 ? "}\n" : "", n,
            (long long)sn_aot_count_of(x->type, x->shape));
    if (x->type->nq == 1) {
        sn_putf(b, "#define %s_SCALE %s\n", n,
                sn_aot_float(p->a, x->type->scale[0]));
        sn_putf(b, "#define %s_ZERO (%d)\n", n, (int)x->type->zp[0]);
    }
}

/* Of NAME_suffix. */
static const char *
signature(const SnProgram *p, const char *suffix)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_putf(&b, "int %s_%s(%s", p->name, suffix,
            p->o->binary ? "const void *weights, " : "");
    for (uint32_t r = 0; r < p->nregion; r++)
        sn_putf(&b, "%svoid *%s", r ? ", " : "", sn_aot_arena(p, r));
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

const char *
sn_aot_arena(const SnProgram *p, uint32_t r)
{
    return p->nregion == 1 ? "arena" : sn_format(p->a, "arena%u", r);
}

const char *
sn_aot_base(const SnProgram *p, uint32_t r)
{
    return p->nregion == 1 ? "base" : sn_format(p->a, "base%u", r);
}

/* Macros of region r. */
static void
put_arena(SnBuf *b, const SnProgram *p, uint32_t r)
{
    const char *name = sn_aot_arena(p, r), *up = upper(p->a, p->name);
    const char *cap = upper(p->a, name);

    sn_putf(b,
            "#define %s_%s %lu\n#ifdef %s_%s_MAX\n"
            "typedef char %s_%s_fits[%s_%s <= (%s_%s_MAX) ? 1 : -1];\n#endif\n",
            up, cap, (unsigned long)p->size[r], up, cap, p->name, name, up, cap,
            up, cap);
}

static const char *
header(const SnProgram *p)
{
    const char *up = upper(p->a, p->name);
    SnBuf b;

    sn_buf_init(&b, p->a);
    put_made(&b, "A network that runs by itself.");
    sn_putf(
        &b,
        "#ifndef %s_H\n#define %s_H\n\n#include <stdbool.h>\n"
        "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
        "#endif\n\n"
        "/* Bytes of working memory, and their alignment.  Nothing has to "
        "be kept in\n * it from one run to the next.  Define %s_ARENA%s_MAX "
        "to have the compiler check\n * that it fits. */\n",
        up, up, up, p->nregion > 1 ? "0" : "");
    for (uint32_t r = 0; r < p->nregion; r++)
        put_arena(&b, p, r);
    sn_putf(&b,
            "#define %s_ALIGN %d\n/* of them scratch of one node, at most */\n"
            "#define %s_SCRATCH %lu\n",
            up, SN_AOT_ALIGN, up, (unsigned long)sn_aot_scratch(p));
    if (p->o->binary)
        sn_putf(&b,
                "\n/* Bytes of the constants, %s_weights.bin, and their "
                "alignment. */\n#define %s_WEIGHTS %lu\n"
                "#define %s_WEIGHTS_ALIGN %d\n",
                p->name, up, (unsigned long)p->nbinary, up,
                sn_aot_const_align(p));
    for (uint32_t i = 0; i < p->x->ninput; i++)
        put_port(&b, p, &p->x->input[i], "input", i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        put_port(&b, p, &p->x->output[i], "output", i);
    sn_putf(
        &b,
        "\n/* Runs the network: reads the inputs, writes the outputs; none "
        "of them may\n * overlap each other or the arena (NULL where it has "
        "0 bytes).  0, or 1 where\n * an index that the inputs hold is out "
        "of range; outputs are then undefined.%s\n * It keeps nothing between "
        "calls: several may run at once, each with an arena\n * of its "
        "own.  Reals are rounded to nearest even, and subnormal ones are "
        "kept,\n * whatever the processor's modes are, which are restored "
        "(gcc and clang; elsewhere\n * other modes change results). */\n%s;\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
        p->o->binary ? "\n * 2 where the weights are not those of this program."
                     : "",
        signature(p, "run"));
    return sn_buf_str(&b);
}

/* ---- the program ---- */

static void
put_values(const SnProgram *p, SnBuf *b, SnAotWords *calls)
{
    for (SnRef r = 0; r < (SnRef)p->g->nnode << SN_RESBITS; r++) {
        const SnAotValue *v = &p->value[r];
        const char *name, *type;
        if (v->home != SN_HOME_ARENA || v->alias)
            continue;
        name = sn_aot_arg(p, r);
        if (!sn_aot_has_word(calls, name))
            continue;
        type = sn_aot_elem(sn_type(p->g, r)->elem);
        sn_putf(b, "    %s *const %s = (%s *)(void *)(%s + %lu);\n", type, name,
                type, sn_aot_base(p, p->region[v->i]),
                (unsigned long)p->block[v->i].offset);
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
                "    for (%s i = 0; i < %lld; i++)\n        %s[i] = %s[i];\n",
                sn_aot_index(n), (long long)n, to, from);
    }
}

static bool
has_base(const SnProgram *p, uint32_t r, const char *code)
{
    return strstr(code, sn_format(p->a, "(%s + ", sn_aot_base(p, r))) != NULL;
}

static bool
has_reals(const SnProgram *p, const char *nodes)
{
    SnAotWords words = sn_aot_words(p->a, nodes);

    return is_tuned(p) || sn_aot_has_word(&words, "float") ||
           sn_aot_has_word(&words, "double");
}

/* Calls NAME_all with the processor's modes set as required. */
static void
put_modes(const SnProgram *p, SnBuf *b)
{
    sn_putf(b,
            "\n%s\n{\n    const uint32_t modes = sn_soft_modes();\n"
            "    const int failed = %s_all(%s",
            signature(p, "run"), p->name, p->o->binary ? "weights, " : "");
    for (uint32_t r = 0; r < p->nregion; r++)
        sn_putf(b, "%s%s", r ? ", " : "", sn_aot_arena(p, r));
    for (uint32_t i = 0; i < p->x->ninput; i++)
        sn_putf(b, ", in%u", i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        sn_putf(b, ", out%u", i);
    sn_puts(b, ");\n\n    sn_soft_restore(modes);\n    return failed;\n}\n");
}

/* reals: does it compute any? */
static const char *
run_function(const SnProgram *p, bool reals)
{
    SnBuf b, v;
    SnBuf calls = p->calls;
    const char *code = sn_buf_str(&calls);
    SnAotWords words = sn_aot_words(p->a, code);

    sn_buf_init(&b, p->a);
    sn_buf_init(&v, p->a);
    put_values(p, &v, &words);
    sn_putf(&b, "\n%s%s\n{\n", reals ? "SN_APART\nstatic " : "",
            signature(p, reals ? "all" : "run"));
    const char *values = sn_buf_str(&v);
    if (p->o->binary)
        sn_aot_const_bind(p, &b);
    for (uint32_t r = 0; r < p->nregion; r++)
        if (has_base(p, r, values) || has_base(p, r, code))
            sn_putf(&b, "    unsigned char *const %s = (unsigned char *)%s;\n",
                    sn_aot_base(p, r), sn_aot_arena(p, r));
    sn_puts(&b, values);
    for (uint32_t r = 0; r < p->nregion; r++)
        if (!has_base(p, r, values) && !has_base(p, r, code))
            sn_putf(&b, "    (void)%s;\n", sn_aot_arena(p, r));
    if (p->o->binary)
        sn_puts(&b, "    if (memcmp(w, tag, sizeof tag) != 0)\n"
                    "        return 2;\n");
    for (uint32_t i = 0; i < p->x->ninput; i++)
        if (!sn_aot_has_word(&words, sn_format(p->a, "in%u", i)))
            sn_putf(&b, "    (void)in%u;\n", i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        if (!sn_aot_has_word(&words, sn_format(p->a, "out%u", i)))
            sn_putf(&b, "    (void)out%u;\n", i);
    sn_puts(&b, code);
    sn_puts(&b, "    return 0;\n}\n");
    if (reals)
        put_modes(p, &b);
    return sn_buf_str(&b);
}

static const char fused[] =
    "/* Sums of products are not fused: results would differ.  clang obeys "
    "unless\n * -ffp-contract=fast is given; -ffp-contract=off makes sure. */\n"
    "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n";

static const char *
kernels(SnProgram *p, const char *code)
{
    const char *up = upper(p->a, p->name);
    const char *defs =
        sn_pick(p->a, code, sn_buf_str(&p->rows), p->o->target->dsp);
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
            "%s"
            "#ifndef __cplusplus\n#define %s_restrict restrict\n"
            "#elif defined(__GNUC__)\n#define %s_restrict __restrict__\n"
            "#else\n#define %s_restrict\n#endif\n\n"
            "/* before a loop of a few steps, whose number is known */\n"
            "#if defined(__GNUC__) && !defined(__clang__)\n"
            "#define %s_SN_UNROLL _Pragma(\"GCC unroll 4\")\n"
            "#else\n#define %s_SN_UNROLL\n#endif\n\n"
            "/* a function that has registers of its own; a processor with "
            "instructions\n * of its own may not need one */\n"
            "#if defined(__GNUC__)\n"
            "#define %s_SN_APART __attribute__((noinline, unused))\n"
            "#define %s_SN_INLINE inline __attribute__((always_inline))\n"
            "#else\n#define %s_SN_APART\n#define %s_SN_INLINE inline\n"
            "#endif\n\n",
            up, up, fused, p->name, p->name, p->name, p->name, p->name, p->name,
            p->name, p->name, p->name);
    if (p->o->target->mve)
        sn_puts(&b,
                "#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)\n"
                "#include <arm_mve.h>\n#endif\n\n");
    sn_puts(&b, sn_pick_rename(p->a, defs, p->name, p->o->target->dsp));
    sn_puts(&b, "#endif\n");
    return sn_buf_str(&b);
}

/* Parts that have kernels of the CPU backend. */
static const char *
tuned_header(const SnProgram *p)
{
    const char *up = upper(p->a, p->name);
    SnBuf b;

    sn_buf_init(&b, p->a);
    put_made(&b, "What runs on vectors, and its types.");
    sn_putf(&b,
            "#ifndef %s_TUNED_H\n#define %s_TUNED_H\n\n#ifdef __cplusplus\n"
            "extern \"C\" {\n#endif\n\n%s\n#ifdef __cplusplus\n}\n#endif\n\n"
            "#endif\n",
            up, up,
            sn_pick_rename(p->a,
                           sn_tuned_types(p->a, p->o->target->isa, &p->use),
                           p->name, false));
    return sn_buf_str(&b);
}

static const char *
tuned_code(const SnProgram *p)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    put_made(&b, "What runs on vectors.");
    sn_putf(&b,
            "#include \"%s_tuned.h\"\n\n/* some functions serve other "
            "processors */\n#if defined(__clang__)\n"
            "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
            "#endif\n\n%s%s",
            p->name, fused,
            sn_pick_rename(p->a,
                           sn_tuned_code(p->a, p->o->target->isa, &p->use),
                           p->name, false));
    return sn_buf_str(&b);
}

static void
add_bytes(Files *f, const char *suffix, const void *text, size_t size)
{
    uint32_t n = f->out->nfile, m = n;
    const char *name = *suffix == '/'
                           ? suffix + 1
                           : sn_format(f->p->a, "%s%s", f->p->name, suffix);

    SN_PUSH(f->p->a, f->out->file, n, name);
    SN_PUSH(f->p->a, f->out->size, m, size);
    SN_PUSH(f->p->a, f->out->text, f->out->nfile, text);
}

static void
add(Files *f, const char *suffix, const char *text)
{
    add_bytes(f, suffix, text, strlen(text));
}

static const char *
makefile(const SnProgram *p)
{
    const char *n = p->name;
    const char *weights = sn_format(
        p->a, "%s%s", p->o->binary ? "" : sn_format(p->a, " %s_weights.o", n),
        is_tuned(p) ? sn_format(p->a, " %s_tuned.o", n) : "");
    const char *types = is_tuned(p) ? sn_format(p->a, " %s_tuned.h", n) : "";

    return sn_format(
        p->a,
        "# Builds %s_test, which exits 0 where the network gives the outputs "
        "that it\n# should, and 1 where it does not.\nCC ?= cc\n"
        "CFLAGS ?= -O2\n\n"
        "OBJ = %s.o%s\n\n%s_test: %s_test.o $(OBJ)\n"
        "\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ %s_test.o $(OBJ)\n\n"
        "%%.o: %%.c %s.h\n\t$(CC) $(CFLAGS) -ffp-contract=off -c -o $@ $<\n\n"
        "%s.o: %s_kernels.h%s\n\ntest: %s_test\n\t./%s_test\n\nclean:\n"
        "\trm -f *.o %s_test\n\n.PHONY: test clean\n",
        n, n, weights, n, n, n, n, n, n, types, n, n, n);
}

/* ---- */

/* Writes all nodes and finds the constants that they read. */
static SnStatus
put_all(SnProgram *p)
{
    memset(&p->use, 0, sizeof p->use);
    p->nconst = 0;
    p->constant = NULL;
    p->weights = 0;
    sn_buf_init(&p->nodes, p->a);
    sn_buf_init(&p->rows, p->a);
    sn_buf_init(&p->calls, p->a);
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        p->tables[s] = 0;
        if (p->tile[s] && p->tile[s]->plan)
            sn_tuned_use(p->tile[s]->plan, &p->use);
        SN_TRY(sn_aot_node(p, s));
        if (p->band[s].on && p->band[s].last == s)
            sn_aot_band_put(p, s);
    }
    put_copies(p);
    SnBuf calls = p->calls;
    sn_aot_constants(p, sn_buf_str(&calls));
    return SN_OK;
}

static SnStatus
choose_by(SnProgram *p, bool bands)
{
    for (uint32_t s = 0; s < p->x->nstep; s++)
        if (p->nform[s])
            sn_aot_use_form(p, s, 0);
    memset(p->band, 0, (p->x->nstep + 1) * sizeof *p->band);
    sn_aot_place(p);
    if (bands)
        SN_TRY(sn_aot_bands(p));
    sn_aot_fit_ram(p);
    return SN_OK;
}

/* A step in a chain has no slower form, which might take less memory: where
 * chains do not keep max_ram, forms without chains may. */
static SnStatus
choose_ram(SnProgram *p)
{
    size_t most = p->o->max_ram;

    SN_TRY(choose_by(p, true));
    size_t arena = p->arena;
    if (!most || arena <= most)
        return SN_OK;
    SN_TRY(choose_by(p, false));
    return p->arena <= most || p->arena < arena ? SN_OK : choose_by(p, true);
}

/* The program's nodes, in forms that keep the limits if any do. */
static SnStatus
choose(SnProgram *p)
{
    size_t most = p->o->max_flash;

    SN_TRY(sn_aot_tiles(p));
    p->band = SN_NEW_N(p->a, SnBand, p->x->nstep + 1);
    SN_TRY(choose_ram(p));
    for (;;) {
        SN_TRY(put_all(p));
        size_t flash = p->weights;
        for (uint32_t s = 0; s < p->x->nstep; s++)
            flash += p->tables[s];
        if (!most || flash <= most || !sn_aot_fit_flash(p, flash - most))
            return SN_OK;
    }
}

SnStatus
sn_aot(SnArena *a, const SnExec *x, const SnAotOpts *o, SnDiag *d,
       const SnAot **out)
{
    SnProgram p = {.a = a, .d = d, .x = x, .g = x->g, .o = o, .name = o->name};
    SnAot *r = SN_NEW(a, SnAot);
    Files f = {.p = &p, .out = r};
    const char *test;
    SnBuf c, w;

    SN_TRY(choose(&p));
    *r = (SnAot){.name = o->name,
                 .x = x,
                 .arena = p.arena,
                 .bound = p.bound,
                 .nregion = p.nregion,
                 .weights = p.weights,
                 .whole = p.whole,
                 .band_cost = p.band_cost};
    memcpy(r->region, p.size, sizeof r->region);
    const uint8_t *bytes = sn_aot_const_bytes(&p, &p.nbinary);
    const char *nodes = sn_buf_str(&p.nodes);
    const char *run = run_function(&p, has_reals(&p, nodes));
    sn_buf_init(&c, a);
    put_made(&c, "The network.");
    sn_putf(&c, "#include \"%s.h\"\n#include \"%s_kernels.h\"\n", p.name,
            p.name);
    if (is_tuned(&p))
        sn_putf(&c, "#include \"%s_tuned.h\"\n", p.name);
    sn_puts(&c, "\n");
    sn_aot_const_extern(&p, &c);
    nodes = sn_format(a, "%s%s", nodes, run);
    sn_puts(&c, sn_pick_rename(a, nodes, p.name, o->target->dsp));
    sn_buf_init(&w, a);
    put_made(&w, "The network's constants.");
    sn_aot_const_text(&p, upper(a, p.name), &w);
    SN_TRY(sn_aot_test(&p, &test));
    sn_aot_costs(&p, r);
    add(&f, ".h", header(&p));
    add(&f, ".c", sn_buf_str(&c));
    add(&f, "_kernels.h", kernels(&p, nodes));
    if (is_tuned(&p)) {
        add(&f, "_tuned.h", tuned_header(&p));
        add(&f, "_tuned.c", tuned_code(&p));
    }
    if (o->binary)
        add_bytes(&f, "_weights.bin", bytes, p.nbinary);
    else
        add(&f, "_weights.c", sn_buf_str(&w));
    add(&f, "_test.c", test);
    add(&f, ".json", sn_aot_json(&p, r));
    add(&f, "/Makefile", makefile(&p));
    *out = r;
    return SN_OK;
}
