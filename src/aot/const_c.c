// SPDX-License-Identifier: Apache-2.0
/* A program's constants: as C, a section each, or as a binary that the caller
 * passes. */
#include <string.h>
#include <xxhash.h>

#include "aot/node/aot_node.h"
#include "aot/node/word_set.h"
#include "aot/program.h"

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

/* ---- which ---- */

/* A vector of a host's filters does not cross a line of its cache. */
int
sn_aot_const_align(const SnProgram *p)
{
    return p->o->target->isa != SN_ISA_PORTABLE ? SN_AOT_LINE : SN_AOT_TAG;
}

static size_t
up(const SnProgram *p, size_t n)
{
    size_t align = (size_t)sn_aot_const_align(p);

    return (n + align - 1) / align * align;
}

void
sn_aot_constant(SnProgram *p, SnAotConst c)
{
    c.nbyte = sn_tensor_nbyte(c.type, c.shape);
    c.offset = up(p, p->nconst ? p->constant[p->nconst - 1].offset +
                                     p->constant[p->nconst - 1].nbyte
                               : SN_AOT_TAG);
    SN_PUSH(p->a, p->constant, p->nconst, c);
    p->weights += c.nbyte;
}

void
sn_aot_constants(SnProgram *p, const char *code)
{
    SnAotWords words = sn_aot_words(p->a, code);

    for (SnId id = 1; id < p->g->nnode; id++) {
        const SnNode *n = sn_node(p->g, id);
        const char *name = sn_format(p->a, "%s_c%u", p->name, id);
        if (!n->dead && n->data && sn_aot_has_word(&words, name))
            sn_aot_constant(p,
                            (SnAotConst){.name = name,
                                         .label = sn_name(p->g, SN_REF(id, 0)),
                                         .type = n->res[0].type,
                                         .shape = n->res[0].shape,
                                         .data = n->data});
    }
}

/* ---- as C ---- */

static const char *
head(const SnProgram *p, const SnAotConst *c)
{
    int64_t k = sn_aot_count_of(c->type, c->shape);

    return sn_format(p->a, "const %s %s[%lld]", sn_aot_elem(c->type->elem),
                     c->name, (long long)(k ? k : 1));
}

void
sn_aot_const_extern(const SnProgram *p, SnBuf *b)
{
    for (uint32_t i = 0; i < p->nconst && !p->o->binary; i++)
        sn_putf(b, "extern %s;\n", head(p, &p->constant[i]));
}

const char *
sn_aot_comment(SnArena *a, const char *name)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (const char *s = sn_shown(a, name); *s; s++) {
        sn_putc(&b, *s);
        if ((*s == '*' && s[1] == '/') || (*s == '/' && s[1] == '*'))
            sn_putc(&b, ' ');
    }
    return sn_buf_str(&b);
}

void
sn_aot_const_text(const SnProgram *p, const char *up, SnBuf *b)
{
    int align = sn_aot_const_align(p);

    align = align < SN_AOT_ALIGN ? SN_AOT_ALIGN : align;
    sn_putf(
        b,
        "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "/* A section each, by name: a linker script may place them, as "
        "may a definition\n * of one's own.  Compilers may count on %d bytes "
        "where they see an array. */\n#ifndef %s_SECTION\n"
        "#if defined(__GNUC__) && defined(__ELF__)\n"
        "#define %s_SECTION(name) \\\n"
        "    __attribute__((section(\".rodata.\" name), aligned(%d)))\n"
        "#else\n#define %s_SECTION(name)\n#endif\n#endif\n\n",
        align, up, up, align, up);
    sn_aot_const_extern(p, b);
    for (uint32_t i = 0; i < p->nconst; i++) {
        const SnAotConst *c = &p->constant[i];
        sn_putf(b, "\n/* %s */\n%s %s_SECTION(\"%s\") = ",
                sn_aot_comment(p->a, c->label), head(p, c), up, c->name);
        sn_aot_array(b, c->type, c->shape, c->data);
        sn_puts(b, ";\n");
    }
}

/* ---- as a binary ---- */

/* The first bytes identify the program: a hash of the others. */
const uint8_t *
sn_aot_const_bytes(const SnProgram *p, size_t *nbyte)
{
    const SnAotConst *last = p->nconst ? &p->constant[p->nconst - 1] : NULL;
    size_t n = up(p, last ? last->offset + last->nbyte : SN_AOT_TAG);
    uint8_t *all = SN_NEW_N(p->a, uint8_t, n);

    for (uint32_t i = 0; i < p->nconst; i++)
        if (p->constant[i].nbyte)
            memcpy(all + p->constant[i].offset, p->constant[i].data,
                   p->constant[i].nbyte);
    uint64_t tag = XXH64(all + SN_AOT_TAG, n - SN_AOT_TAG, 0);
    for (int i = 0; i < SN_AOT_TAG; i++)
        all[i] = (uint8_t)(tag >> 8 * i);
    *nbyte = n;
    return all;
}

void
sn_aot_const_bind(const SnProgram *p, SnBuf *b)
{
    size_t n;
    const uint8_t *all = sn_aot_const_bytes(p, &n);

    sn_puts(b, "    static const unsigned char tag[] = {");
    for (int i = 0; i < SN_AOT_TAG; i++)
        sn_putf(b, "%s%d", i ? ", " : "", all[i]);
    sn_puts(b, "};\n    const unsigned char *const w = "
               "(const unsigned char *)weights;\n");
    for (uint32_t i = 0; i < p->nconst; i++) {
        const SnAotConst *c = &p->constant[i];
        const char *t = sn_aot_elem(c->type->elem);
        sn_putf(b,
                "    const %s *const %s = (const %s *)(const void *)(w + "
                "%lu);\n",
                t, c->name, t, (unsigned long)c->offset);
    }
}
