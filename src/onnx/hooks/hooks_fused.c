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
activated(SnOx *x, const char *word, SnReals param, SnRef *y)
{
    size_t i = 0, n = sizeof activations / sizeof activations[0];
    uint32_t want;
    SnKind k;
    void *attr;

    while (i < n && strcmp(activations[i].word, word) != 0)
        i++;
    if (i == n)
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "activation \"%s\" is not supported", word);
    want = (activations[i].param[0] != NULL ? 1u : 0u) +
           (activations[i].param[1] != NULL ? 1u : 0u);
    if (param.n != want)
        return sn_ox_fail(x, SN_EINPUT,
                          "attribute 'activation_params' has %" PRIu32
                          " values, %s has %" PRIu32,
                          param.n, word, want);
    SN_TRY(sn_ox_kind(x, activations[i].kind, &k));
    attr = sn_desc(k)->nattr > 0 ? sn_ox_attr(x, k) : NULL;
    for (uint32_t p = 0; p < want; p++)
        sn_ox_set_real(k, attr, activations[i].param[p], param.v[p]);
    return sn_ox_node(x, sn_desc(k)->name, sn_ox_name(x, 0), 1, y, attr, NULL,
                      y);
}

/* act(conv(X, W) + B + Z) */
SnStatus
sn_onnx_fused_conv(SnOx *x, const SnOxCall *c)
{
    const SnOnnxDesc *e = sn_ox_entries(c->desc->kind, "Conv");
    SnOxVal *v, *w, *b = sn_ox_in(x, 2), *z = sn_ox_in(x, 3);
    const char *word, *name = sn_ox_name(x, 0);
    SnReals param;
    SnRef in[3] = {0}, y;
    void *attr;

    SN_TRY(sn_ox_need(x, 0, &v));
    SN_TRY(sn_ox_need(x, 1, &w));
    if (v->rank != 4 || w->rank != 4)
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "only two-dimensional pictures are supported");
    SN_TRY(sn_ox_str(x, "activation", "", &word));
    SN_TRY(sn_ox_reals(x, "activation_params", &param));
    SN_TRY(sn_ox_last(x, v, &in[0]));
    SN_TRY(sn_ox_last(x, w, &in[1]));
    if (b != NULL)
        SN_TRY(sn_ox_plain(x, b, &in[2]));
    SN_TRY(sn_ox_entry_attrs(x, e, c->desc->kind, 3, in, &attr));
    SN_TRY(
        sn_ox_node(x, sn_desc(c->desc->kind)->name,
                   z == NULL && word[0] == '\0' ? name : sn_ox_part(x, "conv"),
                   3, in, attr, NULL, &y));
    if (z != NULL) {
        SN_TRY(sn_ox_need(x, 3, &z));
        SN_TRY(sn_ox_last(x, z, &in[2]));
        SN_TRY(sn_ox_binary(x, "Add",
                            word[0] == '\0' ? name : sn_ox_part(x, "sum"), y,
                            in[2], &y));
    }
    if (word[0] != '\0')
        SN_TRY(activated(x, word, param, &y));
    return sn_ox_put_last(x, 0, y);
}
