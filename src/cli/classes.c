// SPDX-License-Identifier: Apache-2.0
/* Classes: their names, and the folders that samples lie in. */
#include "cli/score.h"

#include <string.h>

#include "base/file/file.h"
#include "base/json.h"

SnStatus
sn_cli_classes(SnCli *c, int64_t want, SnStrs *out)
{
    char *text;
    size_t n;

    *out = (SnStrs){0};
    if (!c->args.classes)
        return SN_OK;
    SN_TRY(sn_file_read(c->a, c->d, c->args.classes, 1 << 24, &text, &n));
    for (char *p = text, *end = text + n; p < end;) {
        char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((nl ? nl : end) - p);
        while (len && (p[len - 1] == '\r' || p[len - 1] == ' '))
            len--;
        SN_PUSH(c->a, out->v, out->n, sn_strndup(c->a, p, len));
        p = nl ? nl + 1 : end;
    }
    return out->n == want
               ? SN_OK
               : sn_fail(c->d, SN_EINPUT, c->args.classes,
                         "has %u lines, but the output has %lld classes",
                         out->n, (long long)want);
}

/* The class that folder k is of: the line with its name, if all folders have
 * one, else its place among them. */
static SnStatus
number_folders(SnCli *c, const SnPictures *p, const char *path,
               const SnStrs *classes, int64_t nclass, int64_t *to)
{
    const char *other = NULL; /* the first folder that no class is named as */
    uint32_t found = 0;

    for (uint32_t k = 0; k < p->nclass; k++) {
        to[k] = -1;
        for (uint32_t i = 0; i < classes->n && to[k] < 0; i++)
            if (!strcmp(classes->v[i], p->name[k]))
                to[k] = i;
        found += to[k] >= 0;
        if (to[k] < 0 && !other)
            other = p->name[k];
    }
    if (found == p->nclass)
        return SN_OK;
    if (found)
        return sn_fail(c->d, SN_EINPUT, path,
                       "its folder '%s' is not a class of %s, but %u of %u "
                       "folders are: expected all of them",
                       sn_shown(c->a, other), c->args.classes, found,
                       p->nclass);
    if (p->nclass != (uint64_t)nclass)
        return sn_fail(c->d, SN_EINPUT, path,
                       "has %u folders for %lld classes: expected one for "
                       "each class, sorted by name, or folders that are named "
                       "as in --classes",
                       p->nclass, (long long)nclass);
    for (uint32_t k = 0; k < p->nclass; k++)
        to[k] = k;
    return SN_OK;
}

bool
sn_cli_has_classes(const SnSamples *s)
{
    if (s->ninput == 0 || s->feed[0].nfile == 0)
        return false;
    for (uint32_t k = 0; k < s->feed[0].nfile; k++)
        if (!s->feed[0].file[k].pictures || !s->feed[0].file[k].pictures->of)
            return false;
    return true;
}

SnStatus
sn_cli_folder_labels(SnCli *c, const SnSamples *s, int64_t nclass, SnData *out)
{
    const SnFeed *f = &s->feed[0];
    SnStrs classes;
    int64_t n = 0, at = 0, *v;

    SN_TRY(sn_cli_classes(c, nclass, &classes));
    for (uint32_t k = 0; k < f->nfile; k++)
        n += f->file[k].pictures->n;
    v = SN_NEW_N(c->a, int64_t, n);
    for (uint32_t k = 0; k < f->nfile; k++) {
        const SnPictures *p = f->file[k].pictures;
        int64_t *to = SN_NEW_N(c->a, int64_t, p->nclass);
        SN_TRY(
            number_folders(c, p, f->file[k].file.path, &classes, nclass, to));
        for (int64_t i = 0; i < p->n; i++)
            v[at++] = to[p->of[i]];
    }
    *out = (SnData){.dtype = SN_D_I64, .rank = 1, .dim = {n}, .data = v};
    return SN_OK;
}

/* ---- what a model says ---- */

enum { SHOWN = 5 };

/* The largest first, and of equal ones the first. */
static int64_t
next_largest(const float *v, int64_t n, int64_t before)
{
    int64_t best = -1;

    for (int64_t i = 0; i < n; i++)
        if ((before < 0 || v[i] < v[before] ||
             (v[i] == v[before] && i > before)) &&
            (best < 0 || v[i] > v[best]))
            best = i;
    return best;
}

/* The file of the first input's sample i; NULL if that is not a picture. */
static const char *
file_of(const SnSamples *s, int64_t i, SnArena *a)
{
    const SnFileData *f = s->ninput ? s->feed[0].file : NULL;

    i += s->skip;
    while (f && i >= f->first + f->n)
        f++;
    if (!f || !f->pictures || f->rows != 1)
        return NULL;
    return sn_shown(a, f->pictures->path[i - f->first]);
}

static void
put_classes(SnCli *c, const SnResults *r, const SnStrs *classes, int64_t i,
            int64_t most)
{
    const float *v = r->value[0] + i * r->count[0];
    const char *file = file_of(r->samples, i, c->a);
    SnBuf *b = &c->out;
    int64_t k = -1;

    if (file)
        sn_putf(b, "%s:", file);
    else
        sn_putf(b, "sample %lld:", (long long)(r->samples->skip + i));
    for (int64_t n = 0; n < most; n++) {
        k = next_largest(v, r->count[0], k);
        if (k < 0)
            break;
        sn_puts(b, most > 1 ? "\n  " : " ");
        sn_put_f32(b, v[k]);
        sn_putf(b, " %s", sn_shown(c->a, classes->v[k]));
    }
    sn_puts(b, "\n");
}

static void
put_classes_json(SnCli *c, const SnResults *r, const SnStrs *classes, int64_t i)
{
    const float *v = r->value[0] + i * r->count[0];
    const char *file = file_of(r->samples, i, c->a);
    int64_t k = sn_argmax(v, r->count[0]);
    SnBuf *b = &c->out;

    sn_putf(b,
            "{\"sample\": %lld, \"file\": ", (long long)(r->samples->skip + i));
    if (file)
        sn_put_json(b, file);
    else
        sn_puts(b, "null");
    sn_putf(b, ", \"argmax\": %lld, \"class\": ", (long long)k);
    if (k >= 0)
        sn_put_json(b, classes->v[k]);
    else
        sn_puts(b, "null");
    sn_puts(b, ", \"value\": ");
    sn_put_json_f64(b, k >= 0 ? (double)v[k] : 0);
    sn_puts(b, "}\n");
}

SnStatus
sn_results_classes(SnCli *c, const SnResults *r)
{
    SnStrs classes;

    if (r->x->noutput == 0)
        return sn_fail(c->d, SN_EINPUT, "--classes", "the model has no output");
    if (sn_results_rows(r, 0) != 1)
        return sn_fail(c->d, SN_EUSAGE, "--classes",
                       "requires one row of classes per sample: --batch 1");
    SN_TRY(sn_cli_classes(c, r->count[0], &classes));
    for (int64_t i = 0; i < r->samples->n; i++)
        if (c->args.json)
            put_classes_json(c, r, &classes, i);
        else
            put_classes(c, r, &classes, i, r->samples->n > 1 ? 1 : SHOWN);
    return SN_OK;
}
