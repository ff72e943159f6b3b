// SPDX-License-Identifier: Apache-2.0
/* Convolutions that another tool has fused with what follows them. */
#include "onnx/hooks/hooks_all.h"

#include <inttypes.h>
#include <string.h>

/* Activations of com.microsoft's fused operators, and where the numbers of
 * activation_params go. */
static const struct {
    const char *word, *kind;
    const char *param[2];
} activations[] = {
    {"Clip", "Clip", {"low", "high"}},
    {"HardSigmoid", "HardSigmoid", {"alpha", "beta"}},
    {"HardSwish", "HardSwish", {NULL, NULL}},
    {"LeakyRelu", "LeakyRelu", {"alpha", NULL}},
    {"Relu", "Relu", {NULL, NULL}},
    {"Sigmoid", "Sigmoid", {NULL, NULL}},
    {"Tanh", "Tanh", {NULL, NULL}},
};

static SnStatus
activated(SnImport *x, const char *word, SnReals param, SnRef *y)
{
    size_t i = 0, n = sizeof activations / sizeof activations[0];
    uint32_t want;
    SnKind k;
    void *attr;

    while (i < n && strcmp(activations[i].word, word) != 0)
        i++;
    if (i == n)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "activation \"%s\" is not supported", word);
    want = (activations[i].param[0] != NULL ? 1u : 0u) +
           (activations[i].param[1] != NULL ? 1u : 0u);
    if (param.n != want)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'activation_params' has %" PRIu32
                              " values, %s has %" PRIu32,
                              param.n, word, want);
    SN_TRY(sn_import_kind(x, activations[i].kind, &k));
    attr = sn_desc(k)->nattr > 0 ? sn_import_attr(x, k) : NULL;
    for (uint32_t p = 0; p < want; p++)
        sn_import_set_real(k, attr, activations[i].param[p], param.v[p]);
    return sn_import_node(x, sn_desc(k)->name, sn_import_name(x, 0), 1, y, attr,
                          NULL, y);
}

/* act(conv(X, W) + B + Z) */
SnStatus
sn_onnx_fused_conv(SnImport *x, const SnImportCall *c)
{
    const SnOnnxDesc *e = sn_import_entries(c->desc->kind, "Conv");
    SnImportVal *v, *w, *b = sn_import_in(x, 2), *z = sn_import_in(x, 3);
    const char *word, *name = sn_import_name(x, 0);
    SnReals param;
    SnRef in[3] = {0}, y;
    void *attr;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(sn_import_need(x, 1, &w));
    if (v->rank != 4 || w->rank != 4)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "only two-dimensional pictures are supported");
    SN_TRY(sn_import_str(x, "activation", "", &word));
    SN_TRY(sn_import_reals(x, "activation_params", &param));
    SN_TRY(sn_import_last(x, v, &in[0]));
    SN_TRY(sn_import_last(x, w, &in[1]));
    if (b != NULL)
        SN_TRY(sn_import_plain(x, b, &in[2]));
    SN_TRY(sn_import_entry_attrs(x, e, c->desc->kind, 3, in, &attr));
    SN_TRY(sn_import_node(
        x, sn_desc(c->desc->kind)->name,
        z == NULL && word[0] == '\0' ? name : sn_import_part(x, "conv"), 3, in,
        attr, NULL, &y));
    if (z != NULL) {
        SN_TRY(sn_import_need(x, 3, &z));
        SN_TRY(sn_import_last(x, z, &in[2]));
        SN_TRY(sn_import_binary(
            x, "Add", word[0] == '\0' ? name : sn_import_part(x, "sum"), y,
            in[2], &y));
    }
    if (word[0] != '\0')
        SN_TRY(activated(x, word, param, &y));
    return sn_import_put_last(x, 0, y);
}
