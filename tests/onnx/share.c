// SPDX-License-Identifier: Apache-2.0
#include "onnx/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const set_name[SHARE_NSET] = {"float", "quantized"};

bool
sn_share_read(SnArena *a, const char *path, Share *s)
{
    char *text = NULL, op[64], set[16];
    size_t size = 0;
    FILE *f = fopen(path, "r");
    bool ok = true;

    *s = (Share){0};
    if (f == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    while (getline(&text, &size, f) > 0) {
        int k = 0;
        if (text[0] == '#' || text[0] == '\n')
            continue;
        if (sscanf(text, "%15s %63s", set, op) == 2)
            while (k < SHARE_NSET && strcmp(set, set_name[k]) != 0)
                k++;
        else
            k = SHARE_NSET;
        if (k == SHARE_NSET) {
            fprintf(stderr, "%s: not 'float OP' or 'quantized OP': %s", path,
                    text);
            ok = false;
            break;
        }
        SN_PUSH(a, s->op[k], s->nop[k], sn_strdup(a, op));
    }
    free(text);
    fclose(f);
    return ok;
}

static bool
in_set(const Share *s, int k, const char *op)
{
    for (uint32_t i = 0; i < s->nop[k]; i++)
        if (strcmp(s->op[k][i], op) == 0)
            return true;
    return false;
}

void
sn_share_count(Share *s, const Onnx__ModelProto *m, const char *key,
               const char *line)
{
    int k = SHARE_FLOAT;
    const Onnx__GraphProto *g = m->graph;
    bool pass = strncmp(line, "passed", 6) == 0;

    if (g == NULL || g->n_node == 0)
        return;
    for (size_t i = 0; i < g->n_node; i++) {
        const Onnx__NodeProto *n = g->node[i];
        if (in_set(s, SHARE_QUANTIZED, n->op_type))
            k = SHARE_QUANTIZED;
        else if (!in_set(s, SHARE_FLOAT, n->op_type))
            k = SHARE_NSET;
        if (k == SHARE_NSET)
            break;
    }
    if (strstr(key, "dynamicquantizelinear") != NULL)
        k = SHARE_QUANTIZED; /* expanded ones use other operators too */
    if (k == SHARE_NSET)
        return;
    s->ntest[k]++;
    s->npass[k] += pass ? 1 : 0;
    if (k == SHARE_QUANTIZED)
        printf("| quantized %s: %s\n", key, line);
    else if (!pass)
        printf("| float %s: %s\n", key, line);
}

bool
sn_share_print(const Share *s, double least)
{
    uint32_t n = 0, pass = 0;

    for (int k = 0; k < SHARE_NSET; k++) {
        printf("| node tests of %s operators: %u of %u pass\n", set_name[k],
               s->npass[k], s->ntest[k]);
        n += s->ntest[k];
        pass += s->npass[k];
    }
    printf("| node tests of both: %u of %u pass, %.1f %%, at least %g %% "
           "wanted\n",
           pass, n, n > 0 ? 100.0 * pass / n : 0, least);
    return 100.0 * pass >= least * n;
}
