// SPDX-License-Identifier: Apache-2.0
/* Graphs of the runtime of our own, of a line: nodes between semicolons, each
 *
 *   y:f32@1x4 = com.a:Op x:f32 w:u8=3 k=2 p=1,2 r=0.5 mode='max
 *
 * with results, operator, inputs ("_": absent) and attributes.  A value has its
 * type where it is first named, 1x4 or the dimensions behind "@" ("." for
 * none), and after "=" the number of which a constant is full. */
#ifndef SN_TEST_FAKE_LINE_H
#define SN_TEST_FAKE_LINE_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ep/fake.h"

enum { FL_VALUES = 32, FL_ATTRS = 16, FL_NUMBERS = 64 };

typedef struct FakeLine {
    OrtGraph g;
    OrtNode node[FAKE_NNODE];
    OrtValueInfo value[FL_VALUES];
    OrtOpAttr attr[FAKE_NNODE][FL_ATTRS];
    union {
        float f[FL_NUMBERS];
        int64_t i[FL_NUMBERS];
        uint8_t b[FL_NUMBERS];
    } data[FL_VALUES + FAKE_NNODE * FL_ATTRS];
    size_t nvalue, ndata;
    char text[1024];
} FakeLine;

/* ONNX's number of an element type, and its bytes. */
static inline int
fl_type(const char *name, size_t *size)
{
    static const struct {
        const char *name;
        int number;
        size_t size;
    } all[] = {{"f32", 1, 4},  {"u8", 2, 1},   {"i8", 3, 1},  {"u16", 4, 2},
               {"i16", 5, 2},  {"i32", 6, 4},  {"i64", 7, 8}, {"str", 8, 1},
               {"bool", 9, 1}, {"f64", 11, 8}, {"none", 0, 1}};
    size_t k = 0;

    while (strcmp(all[k].name, name) != 0)
        assert(++k < sizeof all / sizeof *all);
    *size = all[k].size;
    return all[k].number;
}

static inline void
fl_fill(FakeLine *l, OrtValueInfo *v, size_t size, const char *number)
{
    size_t n = 1;

    for (size_t i = 0; i < v->rank; i++)
        n *= (size_t)v->dim[i];
    assert(n * size <= sizeof *l->data);
    v->data = l->data[l->ndata].b;
    v->nbyte = n * size;
    for (size_t i = 0; i < n; i++) {
        int64_t k = strtoll(number, NULL, 10);
        if (v->type == 1)
            l->data[l->ndata].f[i] = strtof(number, NULL);
        else
            memcpy(l->data[l->ndata].b + i * size, &k, size);
    }
    l->ndata++;
}

/* The value that a word names. */
static inline const OrtValueInfo *
fl_value(FakeLine *l, char *word)
{
    char *type = strchr(word, ':'), *dims = NULL, *number = NULL;
    size_t size;

    if (type)
        *type++ = '\0';
    for (size_t i = 0; i < l->nvalue; i++)
        if (!strcmp(l->value[i].name, word))
            return &l->value[i];
    assert(type && l->nvalue < FL_VALUES);
    OrtValueInfo *v = &l->value[l->nvalue++];
    if ((number = strchr(type, '=')))
        *number++ = '\0';
    if ((dims = strchr(type, '@')))
        *dims++ = '\0';
    *v = (OrtValueInfo){.name = word, .type = fl_type(type, &size)};
    if (!dims && !number)
        dims = "1x4";
    for (char *s = dims; s && *s && *s != '.'; s += *s == 'x')
        v->dim[v->rank++] = strtoll(s, &s, 10);
    if (number)
        fl_fill(l, v, size, number);
    return v;
}

static inline void
fl_attr(FakeLine *l, OrtOpAttr *at, char *word)
{
    char *v = strchr(word, '='), *list;
    size_t n = 0;

    *v++ = '\0';
    *at = (OrtOpAttr){.name = word, .data = l->data[l->ndata].b};
    list = strchr(v, ',');
    if (*v == '\'') {
        at->type = ORT_A_STRING;
        at->data = v + 1;
        at->n = strlen(v + 1);
        return;
    }
    bool real = strchr(v, '.') != NULL;
    for (char *s = v; s && *s; s = strchr(s, ',')) {
        s += *s == ',';
        if (real)
            l->data[l->ndata].f[n++] = strtof(s, NULL);
        else
            l->data[l->ndata].i[n++] = strtoll(s, NULL, 10);
    }
    at->type = real   ? list ? ORT_A_FLOATS : ORT_A_FLOAT
               : list ? ORT_A_INTS
                      : ORT_A_INT;
    at->n = n * (real ? sizeof(float) : sizeof(int64_t));
    l->ndata++;
}

static inline void
fl_node(FakeLine *l, char *text)
{
    OrtNode *n = &l->node[l->g.nnode];
    OrtOpAttr *at = l->attr[l->g.nnode];
    char *save, *p = strtok_r(text, " ", &save), *colon;

    assert(l->g.nnode < FAKE_NNODE);
    l->g.node[l->g.nnode++] = n;
    for (; strcmp(p, "=") != 0; p = strtok_r(NULL, " ", &save))
        n->out[n->nout++] = fl_value(l, p);
    p = strtok_r(NULL, " ", &save);
    if ((colon = strrchr(p, ':'))) {
        *colon = '\0';
        n->domain = p;
        p = colon + 1;
    }
    n->op = p;
    while ((p = strtok_r(NULL, " ", &save))) {
        if (!strcmp(p, "_"))
            n->in[n->nin++] = NULL;
        else if (strchr(p, '=') && !strchr(p, ':'))
            fl_attr(l, &at[n->nattr++], p);
        else
            n->in[n->nin++] = fl_value(l, p);
    }
    n->attr = n->nattr ? at : NULL;
}

/* Results of the last node are those of the graph. */
static inline void
fake_line(FakeLine *l, const char *line)
{
    char *save;

    memset(l, 0, sizeof *l);
    snprintf(l->text, sizeof l->text, "%s", line);
    for (char *p = strtok_r(l->text, ";", &save); p;
         p = strtok_r(NULL, ";", &save))
        fl_node(l, p);
    const OrtNode *last = &l->node[l->g.nnode - 1];
    l->g.nout = last->nout;
    memcpy(l->g.out, last->out, sizeof l->g.out);
}

#endif
