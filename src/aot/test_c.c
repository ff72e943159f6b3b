// SPDX-License-Identifier: Apache-2.0
/* The self-test of a program: one drawn sample and the evaluators' results for
 * it; or, with files, any samples. */
#include <string.h>

#include "aot/node/aot_node.h"
#include "aot/program.h"
#include "run/samples.h"

/* xorshift32; never 0. */
static uint32_t
draw(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

/* Any code; reals in [-4, 4) with steps of 2^-6; integers, which may be
 * indices, 0 or 1. */
static void
fill(const SnType *t, const SnShape *s, void *to, uint32_t *seed, bool zero)
{
    int64_t n = sn_aot_count_of(t, s);

    for (int64_t i = 0; i < n; i++) {
        uint32_t v = zero ? 0 : draw(seed);
        switch (t->elem) {
        case SN_F32:
            ((float *)to)[i] = (float)((int)(v >> 8 & 511) - 256) / 64.0f;
            break;
        case SN_QI16:
            ((int16_t *)to)[i] = (int16_t)(v >> 8);
            break;
        case SN_QI32:
        case SN_I32:
            ((int32_t *)to)[i] = (int32_t)(v >> 8 & 1);
            break;
        case SN_I64:
            ((int64_t *)to)[i] = (int64_t)(v >> 8 & 1);
            break;
        case SN_BOOL:
            ((bool *)to)[i] = v >> 8 & 1;
            break;
        default:
            ((int8_t *)to)[i] = (int8_t)(v >> 8);
            break;
        }
    }
}

static void
put_stored(const SnProgram *p, SnRun *r, SnBuf *b)
{
    for (uint32_t i = 0; i < p->x->ninput; i++) {
        const SnPort *x = &p->x->input[i];
        sn_putf(b,
                "static const %s stored_in%u[] = ", sn_aot_elem(x->type->elem),
                i);
        sn_aot_array(b, x->type, x->shape, sn_run_input(r, i));
        sn_puts(b, ";\n");
    }
}

/* The caller's sample, or a drawn one. */
static SnStatus
fill_all(const SnProgram *p, SnRun *r, bool zero)
{
    uint32_t seed = 1;

    if (p->o->samples)
        return sn_samples_fill(p->o->samples, 0, r);
    for (uint32_t i = 0; i < p->x->ninput; i++)
        fill(p->x->input[i].type, p->x->input[i].shape, sn_run_input(r, i),
             &seed, zero);
    return SN_OK;
}

/* Runs the evaluators on a sample, which a run may overwrite, and stores it;
 * uses zeros if a drawn sample is refused. */
static SnStatus
sample(const SnProgram *p, SnRun *r, SnBuf *b)
{
    SnStatus s = SN_OK;

    for (int zero = 0; zero < 2; zero++) {
        SnBuf in;
        sn_buf_init(&in, p->a);
        SN_TRY(fill_all(p, r, zero));
        put_stored(p, r, &in);
        if ((s = sn_run(r)) != SN_OK)
            continue;
        sn_puts(b, sn_buf_str(&in));
        return s;
    }
    return sn_fail(p->d, s, r->where, "the self-test: %s", r->why);
}

static void
put_wanted(const SnProgram *p, SnRun *r, SnBuf *b)
{
    for (uint32_t i = 0; i < p->x->noutput; i++) {
        const SnPort *x = &p->x->output[i];
        sn_putf(b,
                "static const %s wanted_out%u[] = ", sn_aot_elem(x->type->elem),
                i);
        sn_aot_array(b, x->type, x->shape, sn_run_output(r, i));
        sn_puts(b, ";\n");
    }
}

static int64_t
count(const SnPort *x)
{
    int64_t n = sn_aot_count_of(x->type, x->shape);

    return n ? n : 1;
}

static void
put_memory(const SnProgram *p, uint32_t r, SnBuf *b)
{
    const char *name = sn_aot_arena(p, r);

    sn_putf(
        b,
        "/* The arena may begin anywhere that is aligned: here as little as "
        "it may be. */\nstatic union {\n    unsigned char byte[%lu];\n"
        "    double real;\n    int64_t whole;\n} %s_memory;\n\n",
        (unsigned long)p->size[r] + 2 * SN_AOT_ALIGN, name);
    sn_putf(b,
            "static void *\n%s(void)\n{\n"
            "    uintptr_t at = (uintptr_t)%s_memory.byte;\n\n"
            "    return %s_memory.byte + (%d - at %% %d) %% %d;\n}\n\n",
            name, name, name, SN_AOT_ALIGN, SN_AOT_ALIGN, SN_AOT_ALIGN);
}

/* Reads them from the directory of the program. */
static void
put_weights(const SnProgram *p, SnBuf *b)
{
    int align = sn_aot_const_align(p);

    sn_putf(b,
            "static unsigned char weights_memory[%lu];\n\n"
            "static void *\nweights(void)\n{\n"
            "    uintptr_t at = (uintptr_t)weights_memory;\n\n"
            "    return weights_memory + (%d - at %% %d) %% %d;\n}\n\n"
            "static int\nread_weights(const char *program)\n{\n"
            "    static char path[4096] = \"\";\n"
            "    const char *slash = strrchr(program, '/');\n"
            "    const unsigned long n =\n"
            "        slash ? (unsigned long)(slash + 1 - program) : 0;\n\n"
            "    if (n < sizeof path - 64)\n"
            "        memcpy(path, program, n);\n"
            "    strcat(path, \"%s_weights.bin\");\n"
            "    FILE *f = fopen(path, \"rb\");\n"
            "    if (f == NULL || fread(weights(), %lu, 1, f) != 1) {\n"
            "        perror(path);\n        return 0;\n    }\n"
            "    fclose(f);\n    return 1;\n}\n\n",
            (unsigned long)p->nbinary + (unsigned long)align, align, align,
            align, p->name, (unsigned long)p->nbinary);
}

static void
put_buffers(const SnProgram *p, SnBuf *b)
{
    for (uint32_t i = 0; i < p->x->ninput; i++)
        sn_putf(b, "static %s in%u[%lld];\n",
                sn_aot_elem(p->x->input[i].type->elem), i,
                (long long)count(&p->x->input[i]));
    for (uint32_t i = 0; i < p->x->noutput; i++)
        sn_putf(b, "static %s out%u[%lld];\n",
                sn_aot_elem(p->x->output[i].type->elem), i,
                (long long)count(&p->x->output[i]));
    for (uint32_t r = 0; r < p->nregion; r++)
        put_memory(p, r, b);
    if (p->o->binary)
        put_weights(p, b);
}

static void
put_call(const SnProgram *p, SnBuf *b, const char *in)
{
    sn_putf(b, "%s_run(%s", p->name, p->o->binary ? "weights(), " : "");
    for (uint32_t r = 0; r < p->nregion; r++)
        sn_putf(b, "%s%s()", r ? ", " : "", sn_aot_arena(p, r));
    for (uint32_t i = 0; i < p->x->ninput; i++)
        sn_putf(b, ", %sin%u", in, i);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        sn_putf(b, ", out%u", i);
    sn_puts(b, ")");
}

/* With files: the samples of each input in one file, one after the other, and
 * likewise the outputs. */
static void
put_files(const SnProgram *p, SnBuf *b)
{
    uint32_t ni = p->x->ninput, no = p->x->noutput;

    sn_putf(b,
            "/* argv: a file of each input, then one of each output; samples "
            "lie one after the\n * other, bytes as in memory. */\n"
            "static int\nrun_files(char **argv)\n{\n    FILE *f[%u];\n"
            "    int status = 0;\n\n"
            "    for (int i = 0; i < %u; i++)\n"
            "        if ((f[i] = fopen(argv[i], i < %u ? \"rb\" : \"wb\")) == "
            "NULL) {\n            perror(argv[i]);\n            return 3;\n"
            "        }\n    for (;;) {\n",
            ni + no, ni + no, ni);
    for (uint32_t i = 0; i < ni; i++)
        sn_putf(b,
                "        if (fread(in%u, sizeof in%u, 1, f[%u]) != 1)\n"
                "            break;\n",
                i, i, i);
    sn_puts(b, "        status |= ");
    put_call(p, b, "");
    sn_puts(b, ";\n");
    for (uint32_t i = 0; i < no; i++)
        sn_putf(b,
                "        if (fwrite(out%u, sizeof out%u, 1, f[%u]) != 1)\n"
                "            status |= 2;\n",
                i, i, ni + i);
    if (ni == 0)
        sn_puts(b, "        break;\n");
    sn_putf(b,
            "    }\n    for (int i = 0; i < %u; i++)\n"
            "        status |= fclose(f[i]) ? 2 : 0;\n"
            "    return status;\n}\n\n",
            ni + no);
}

/* How a value of an output is printed. */
static const char *
format_of(SnElem e)
{
    return e == SN_F32 ? "%.9g" : e == SN_I64 ? "%lld" : "%d";
}

static const char *
cast_of(SnElem e)
{
    return e == SN_F32 ? "(double)" : e == SN_I64 ? "(long long)" : "(int)";
}

/* What compares outputs of one element.  The processor decides which NaN an
 * operation gives. */
static void
put_compare(SnElem e, SnBuf *b)
{
    const char *type = sn_aot_elem(e), *fmt = format_of(e), *as = cast_of(e);
    bool real = e == SN_F32;

    sn_putf(b,
            "/* Prints how many values differ%s, and the first. */\n"
            "static int\ncompare_%s(const char *name, const %s *got, "
            "const %s *want, long n)\n{\n    long count = 0, first = 0;\n\n"
            "    for (long i = n; i-- > 0;)\n",
            real ? " bit for bit, but for NaN, of which there are\n * many"
                 : "",
            type, type, type);
    if (real)
        sn_puts(b, "        if (memcmp(&got[i], &want[i], sizeof *got) != 0 "
                   "&&\n            (got[i] == got[i] || want[i] == want[i])) "
                   "{\n");
    else
        sn_puts(b, "        if (got[i] != want[i]) {\n");
    sn_putf(b,
            "            count++;\n            first = i;\n        }\n"
            "    if (count)\n        printf(\"%%s: %%ld of %%ld values differ, "
            "the first is number %%ld: %s, \"\n               "
            "\"expected %s\\n\",\n               name, count, n, first, "
            "%sgot[first], %swant[first]);\n    return count > 0;\n}\n\n",
            fmt, fmt, as, as);
}

static void
put_compares(const SnProgram *p, SnBuf *b)
{
    for (uint32_t i = 0; i < p->x->noutput; i++) {
        SnElem e = p->x->output[i].type->elem;
        const char *type = sn_aot_elem(e);
        bool any = false;
        for (uint32_t k = 0; k < i; k++)
            any = any || !strcmp(type, sn_aot_elem(p->x->output[k].type->elem));
        if (!any)
            put_compare(e, b);
    }
}

static void
put_main(const SnProgram *p, SnBuf *b)
{
    uint32_t ni = p->x->ninput, no = p->x->noutput;

    sn_putf(b,
            "int\nmain(int argc, char **argv)\n{\n    int wrong = 0;\n\n"
            "%s    if (argc == %u)\n        return run_files(argv + 1);\n"
            "    if (argc > 1) {\n"
            "        fprintf(stderr, \"%s_test [%u files of inputs and %u of "
            "outputs]\\n\");\n        return 2;\n    }\n    if (",
            p->o->binary ? "    if (!read_weights(argv[0]))\n"
                           "        return 3;\n"
                         : "",
            1 + ni + no, p->name, ni, no);
    put_call(p, b, "stored_");
    sn_puts(b, " != 0) {\n        puts(\"the network fails\");\n"
               "        return 1;\n    }\n");
    for (uint32_t i = 0; i < no; i++) {
        const SnPort *x = &p->x->output[i];
        sn_putf(b,
                "    wrong |= compare_%s(\"output %u\", out%u, wanted_out%u, "
                "%lld);\n",
                sn_aot_elem(x->type->elem), i, i, i,
                (long long)sn_aot_count_of(x->type, x->shape));
    }
    sn_puts(b, "    puts(wrong ? \"wrong\" : \"right\");\n"
               "    return wrong;\n}\n");
}

SnStatus
sn_aot_test(const SnProgram *p, const char **out)
{
    SnArena *t = sn_arena_new();
    SnRun *r = sn_run_new(t, p->x);
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_putf(&b,
            "/* Runs the network on a stored sample; exits 1 where an output "
            "is not what it\n * should be, bit for bit. */\n"
            "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n"
            "#include \"%s.h\"\n\n",
            p->name);
    SnStatus s = sample(p, r, &b);
    if (s == SN_OK) {
        put_wanted(p, r, &b);
        put_buffers(p, &b);
        put_files(p, &b);
        put_compares(p, &b);
        put_main(p, &b);
    }
    sn_run_free(r);
    sn_arena_free(t);
    *out = sn_buf_str(&b);
    return s;
}
