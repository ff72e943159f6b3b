// SPDX-License-Identifier: Apache-2.0
/* ONNX models of a line: statements between semicolons.
 *
 *   x f32 2x3                an input; "." for a scalar, "-" for no shape
 *   w i64 2 = 1 -1           an initializer; the numbers start over to fill it
 *   y i = com.a:TopK x w k=2 a node: results, operator, inputs ("_": absent),
 *                            attributes of one word: an integer (2), a real
 *                            (2.0), lists of them (2,3 or 2, for one; 2.0,3.0)
 *                            or a word ('max)
 *   > y f32 2x3              an output with its type; without, each result of
 *                            the last node is one */
#ifndef SN_TEST_ONNX_LINE_H
#define SN_TEST_ONNX_LINE_H

#include <stdbool.h>
#include "unit/onnx_build.h"

enum { OL_WORDS = 64 };

typedef struct OlElem {
    const char *name;
    int number; /* of TensorProto.DataType */
    char form;  /* f or d: binary32, 64; otherwise bytes of an integer */
} OlElem;

/* NULL: none has this name. */
static inline const OlElem *
ol_elem(const char *name)
{
    static const OlElem all[] = {
        {"f32", 1, 'f'}, {"u8", 2, 1},     {"i8", 3, 1},   {"u16", 4, 2},
        {"i16", 5, 2},   {"i32", 6, 4},    {"i64", 7, 8},  {"str", 8, 0},
        {"bool", 9, 1},  {"f64", 11, 'd'}, {"u32", 12, 4}, {"u64", 13, 8},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static inline void
ol_init(OnnxBuild *b, const OlElem *e, char **word, size_t n)
{
    bool scalar = strcmp(word[2], ".") == 0;
    Onnx__TensorProto *t =
        ob_init(b, word[0], e->number, scalar ? "" : word[2], "", 0);
    size_t count = 1, size = e->form == 'f'   ? 4
                             : e->form == 'd' ? 8
                                              : (size_t)e->form;

    for (size_t i = 0; i < t->n_dims; i++)
        count *= (size_t)t->dims[i];
    t->raw_data.len = count * size;
    t->raw_data.data = sn_alloc(b->a, count * size + 1);
    for (size_t i = 0; i < count && n > 4; i++) {
        const char *s = word[4 + i % (n - 4)];
        double d = strtod(s, NULL);
        float f = (float)d;
        int64_t v = strtoll(s, NULL, 10);
        memcpy(t->raw_data.data + i * size,
               e->form == 'f'   ? (const void *)&f
               : e->form == 'd' ? (const void *)&d
                                : (const void *)&v,
               size);
    }
}

static inline void
ol_attr(OnnxBuild *b, Onnx__NodeProto *n, char *word)
{
    char *v = strchr(word, '='), *comma;
    bool real;

    *v++ = '\0';
    comma = strchr(v, ',');
    real = strchr(v, '.') != NULL || strstr(v, "inf") || strstr(v, "nan");
    if (*v == '\'') {
        ob_str(b, n, word, v + 1);
    } else if (!comma && real) {
        ob_real(b, n, word, strtof(v, NULL));
    } else if (!comma) {
        ob_int(b, n, word, strtoll(v, NULL, 10));
    } else {
        Onnx__AttributeProto *t = ob_attr(b, n, word, real ? 6 : 7);
        t->floats = SN_NEW_N(b->a, float, OL_WORDS);
        t->ints = SN_NEW_N(b->a, int64_t, OL_WORDS);
        for (char *s = v; s && *s; s = strchr(s, ',')) {
            s += *s == ',';
            if (*s && real)
                t->floats[t->n_floats++] = strtof(s, NULL);
            else if (*s)
                t->ints[t->n_ints++] = strtoll(s, NULL, 10);
        }
    }
}

/* A node whose word `at` is the operator. */
static inline void
ol_node(OnnxBuild *b, char **word, size_t at, size_t n)
{
    char *colon = strrchr(word[at], ':'), *in = own(b->a, ""), *out = in;
    size_t i = at + 1;
    Onnx__NodeProto *node;

    for (size_t k = 0; k + 1 < at; k++)
        out = own(b->a, sn_format(b->a, "%s %s", out, word[k]));
    for (; i < n && !strchr(word[i], '='); i++)
        in = own(b->a, sn_format(b->a, "%s %s", in, word[i]));
    node = ob_node(b, colon ? colon + 1 : word[at], in, out);
    if (colon) {
        *colon = '\0';
        node->domain = own(b->a, word[at]);
        ob_domain(b, word[at], 1);
    }
    for (; i < n; i++)
        ol_attr(b, node, word[i]);
}

static inline void
ol_statement(OnnxBuild *b, char *text)
{
    char *word[OL_WORDS] = {""}, *save = NULL;
    size_t n = 0, eq = 0;

    for (char *p = strtok_r(text, " ", &save); p && n < OL_WORDS;
         p = strtok_r(NULL, " ", &save)) {
        if (eq == 0 && strcmp(p, "=") == 0)
            eq = n;
        word[n++] = p;
    }
    if (strcmp(word[0], ">") == 0)
        ob_output_of(b, word[1], ol_elem(word[2])->number,
                     n > 3 ? word[3] : NULL);
    else if (eq == 3 && ol_elem(word[1]))
        ol_init(b, ol_elem(word[1]), word, n);
    else if (eq > 0)
        ol_node(b, word, eq + 1, n);
    else
        ob_input_of(b, word[0], ol_elem(word[1])->number,
                    strcmp(word[2], "-") == 0   ? NULL
                    : strcmp(word[2], ".") == 0 ? ""
                                                : word[2]);
}

/* The model that a line describes, of this opset. */
static inline OnnxBuild *
ob_line(SnArena *a, int64_t opset, const char *line)
{
    OnnxBuild *b = ob_new(a, opset);
    char *save = NULL;

    for (char *p = strtok_r(own(a, line), ";", &save); p;
         p = strtok_r(NULL, ";", &save))
        ol_statement(b, p);
    if (b->graph.n_output == 0) {
        const Onnx__NodeProto *last = b->node[b->graph.n_node - 1];
        for (size_t k = 0; k < last->n_output; k++) {
            ob_output(b, last->output[k], NULL);
            b->out[k]->type = NULL;
        }
    }
    return b;
}

#endif
