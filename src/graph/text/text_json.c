// SPDX-License-Identifier: Apache-2.0
/* Attributes and types as JSON: numbers, lists and words. */
#include "graph/graph_priv.h"
#include "graph/text/text.h"

static void
put_bound(SnJson *j, bool has, double v)
{
    if (has)
        sn_json_num(j, NULL, v);
    else
        sn_json_str(j, NULL, NULL);
}

void
sn_json_type(SnJson *j, const char *key, const SnType *t)
{
    sn_json_open(j, key, '{');
    sn_json_str(j, "elem", sn_elem_name(t->elem));
    if (t->axis >= 0)
        sn_json_int(j, "axis", t->axis);
    if (t->nq) {
        sn_json_open(j, "scale", '[');
        for (uint32_t i = 0; i < t->nq; i++)
            sn_json_f32(j, NULL, t->scale[i]);
        sn_json_close(j, ']');
        sn_json_open(j, "zero_point", '[');
        for (uint32_t i = 0; i < t->nq; i++)
            sn_json_int(j, NULL, t->zp[i]);
        sn_json_close(j, ']');
    }
    sn_json_close(j, '}');
}

void
sn_json_shape(SnJson *j, const char *key, const SnShape *s)
{
    sn_json_open(j, key, '[');
    for (int i = 0; i < s->rank; i++)
        sn_json_int(j, NULL, s->dim[i]);
    sn_json_close(j, ']');
}

void
sn_json_attr(SnJson *j, const char *key, const SnAttrDesc *at, const void *attr)
{
    const void *p = sn_attr_at(attr, at);

    switch (at->kind) {
    case SN_A_INT:
        sn_json_int(j, key, *(const int64_t *)p);
        break;
    case SN_A_REAL:
        sn_json_f32(j, key, *(const float *)p);
        break;
    case SN_A_BOOL:
        sn_json_bool(j, key, *(const bool *)p);
        break;
    case SN_A_STR:
        sn_json_str(j, key, *(const char *const *)p);
        break;
    case SN_A_ENUM:
        sn_json_str(j, key, at->words[*(const int32_t *)p]);
        break;
    case SN_A_INTS: {
        const SnInts *v = p;
        sn_json_open(j, key, '[');
        for (uint32_t i = 0; i < v->n; i++)
            sn_json_int(j, NULL, v->v[i]);
        sn_json_close(j, ']');
        break;
    }
    case SN_A_REALS: {
        const SnReals *v = p;
        sn_json_open(j, key, '[');
        for (uint32_t i = 0; i < v->n; i++)
            sn_json_f32(j, NULL, v->v[i]);
        sn_json_close(j, ']');
        break;
    }
    case SN_A_TYPE:
        sn_json_type(j, key, *(const SnType *const *)p);
        break;
    case SN_A_RANGE: {
        const SnRange *r = p;
        sn_json_open(j, key, '[');
        put_bound(j, r->has_lo, r->lo);
        put_bound(j, r->has_hi, r->hi);
        sn_json_close(j, ']');
        break;
    }
    }
}

void
sn_json_attrs(SnJson *j, const char *key, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(n->kind);

    sn_json_open(j, key, '{');
    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        if (!at->has_default || !sn_attr_equal(at, n->attr, d->defaults))
            sn_json_attr(j, at->name, at, n->attr);
    }
    if (n->calibrated)
        sn_json_bool(j, "calibrated", true);
    sn_json_close(j, '}');
}
