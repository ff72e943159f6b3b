// SPDX-License-Identifier: Apache-2.0
/* Pictures as data: the options for preprocessing, and the steps that are
 * stored with a model. */
#include "cli/cli.h"

#include <string.h>

#include "graph/desc.h"
#include "image/folder.h"
#include "image/steps.h"
#include "run/samples.h"
#include "sn_kind_placeholder.h"

/* ---- options ---- */

static const SnImagePreset *
preset_named(const char *name)
{
    const SnImagePreset *p = sn_image_presets;

    while (p->name && strcmp(p->name, name) != 0)
        p++;
    return p;
}

/* Adds "word=value", if value is there, after a look at it. */
static SnStatus
add_step(SnCli *c, const char *option, const char *word, const char *value,
         SnBuf *b)
{
    SnImageSteps s;

    if (!value)
        return SN_OK;
    const char *text = sn_format(c->a, "%s=%s", word, value);
    if (strchr(value, ' '))
        return sn_fail(c->d, SN_EUSAGE, option, "'%s' has a blank", value);
    const char *why = sn_image_steps(c->a, text, &s);
    if (why)
        return sn_fail(c->d, SN_EUSAGE, option, "%s", why);
    sn_putf(b, "%s%s", b->n ? " " : "", text);
    return SN_OK;
}

SnStatus
sn_cli_steps(SnCli *c, const char **out)
{
    const SnArgs *a = &c->args;
    SnBuf b;

    sn_buf_init(&b, c->a);
    if (a->preset) {
        const SnImagePreset *p = preset_named(a->preset);
        if (!p->name)
            return sn_fail(c->d, SN_EUSAGE, "--preset",
                           "'%s': expected imagenet, tf or raw", a->preset);
        sn_puts(&b, p->text);
    }
    SN_TRY(add_step(c, "--resize", "resize", a->resize, &b));
    SN_TRY(add_step(c, "--crop", "crop", a->crop, &b));
    SN_TRY(add_step(c, "--channels", "channels", a->channels, &b));
    SN_TRY(add_step(c, "--mean", "mean", a->mean, &b));
    SN_TRY(add_step(c, "--std", "std", a->std, &b));
    *out = sn_buf_str(&b);
    return SN_OK;
}

/* ---- the same for files of numbers ---- */

static void
put_numbers(SnBuf *b, const char *option, const float v[3])
{
    unsigned n = v[0] == v[1] && v[1] == v[2] ? 1 : 3;

    sn_puts(b, option);
    for (unsigned i = 0; i < n; i++) {
        sn_puts(b, i ? "," : " ");
        sn_put_f32(b, v[i] + 0.0F); /* no -0 */
    }
}

const char *
sn_cli_numbers(SnCli *c, const char *steps)
{
    SnImageSteps s;
    float mul[3], add[3];
    SnBuf b;

    if (!steps || sn_image_steps(c->a, steps, &s) ||
        !sn_image_numbers(&s, mul, add))
        return NULL;
    sn_buf_init(&b, c->a);
    put_numbers(&b, "--mul", mul);
    put_numbers(&b, " --add", add);
    return sn_buf_str(&b);
}

SnStatus
sn_cli_check_pictured(SnCli *c, const SnSamples *s, const char *option)
{
    const SnArgs *a = &c->args;
    const char *steps, *numbers;

    SN_TRY(sn_cli_steps(c, &steps));
    if (!*steps)
        return SN_OK;
    for (uint32_t i = 0; i < s->ninput; i++)
        for (uint32_t k = 0; k < s->feed[i].nfile; k++)
            if (s->feed[i].file[k].pictures)
                return SN_OK;
    sn_fail(c->d, SN_EUSAGE,
            a->preset   ? "--preset"
            : a->mean   ? "--mean"
            : a->std    ? "--std"
            : a->resize ? "--resize"
            : a->crop   ? "--crop"
                        : "--channels",
            "is for pictures, but %s gives none", option);
    numbers = sn_cli_numbers(c, steps);
    if (numbers)
        sn_diag_help(c->d, "for pixels 0 to 255 in a .npy or .pb file: %s",
                     numbers);
    return SN_EUSAGE;
}

/* ---- what is kept with a model ---- */

/* Whether the input has the shape of pictures; if so, sets p's sizes to its
 * own. */
static bool
pictured(const SnShape *s, SnLayout layout, SnPictures *p)
{
    if (s->rank != 4)
        return false;
    const int64_t *d = s->dim;
    bool last = d[3] == 1 || d[3] == 3, first = d[1] == 1 || d[1] == 3;
    p->first = layout == SN_LAYOUT_AUTO ? first : layout == SN_LAYOUT_NCHW;
    p->c = p->first ? d[1] : d[3];
    p->h = p->first ? d[2] : d[1];
    p->w = p->first ? d[3] : d[2];
    return (p->first ? first : last) && d[0] > 0 && p->h > 0 && p->w > 0;
}

/* Those of the input, then those of the command line. */
static SnStatus
steps_of(SnCli *c, const char *input, const char *kept, SnImageSteps *out)
{
    const char *said;

    SN_TRY(sn_cli_steps(c, &said));
    const char *why = sn_image_steps(c->a, kept ? kept : "", out);
    if (why)
        return sn_fail(c->d, SN_EINPUT, input,
                       "its attribute 'pixels' cannot be read: %s", why);
    why = sn_image_steps(c->a, sn_format(c->a, "%s %s", kept ? kept : "", said),
                         out);
    return why ? sn_fail(c->d, SN_EUSAGE, "--preset", "%s", why) : SN_OK;
}

SnStatus
sn_cli_keep_steps(SnCli *c, SnGraph *g)
{
    const char *said;

    SN_TRY(sn_cli_steps(c, &said));
    if (!*said)
        return SN_OK;
    if (c->args.output && sn_is_onnx(c->args.output))
        sn_note(c->d, (SnPos){0}, NULL,
                "an ONNX model cannot store the steps from a picture to its "
                "input; a .sn can");
    for (SnId id = 1; id < g->nnode; id++) {
        SnNode *n = sn_node(g, id);
        SnPictures p;
        SnImageSteps s;
        if (n->dead || n->kind != SN_K_PLACEHOLDER ||
            !pictured(n->res[0].shape, SN_LAYOUT_AUTO, &p))
            continue;
        const SnPlaceholderAttr *was = n->attr;
        SnPlaceholderAttr at = *was;
        SN_TRY(steps_of(c, sn_label(g, id, c->a), at.pixels, &s));
        at.pixels = sn_image_steps_str(g->arena, &s);
        n->attr = sn_attr_copy(g->arena, sn_desc(n->kind), &at);
    }
    return SN_OK;
}

/* Those of from's input of the same name, or of its only input. */
static const char *
steps_kept(const SnGraph *from, const SnGraph *to, SnId id, SnArena *a)
{
    const char *only = NULL;
    unsigned n = 0;

    for (SnId k = 1; k < from->nnode; k++) {
        const SnNode *x = sn_node(from, k);
        if (x->dead || x->kind != SN_K_PLACEHOLDER)
            continue;
        only = ((const SnPlaceholderAttr *)x->attr)->pixels;
        if (!strcmp(sn_label(from, k, a), sn_label(to, id, a)))
            return only;
        n++;
    }
    return n == 1 ? only : NULL;
}

void
sn_cli_share_steps(SnCli *c, const SnGraph *from, SnGraph *to)
{
    for (SnId id = 1; id < to->nnode; id++) {
        SnNode *n = sn_node(to, id);
        SnPictures p;
        if (n->dead || n->kind != SN_K_PLACEHOLDER ||
            !pictured(n->res[0].shape, SN_LAYOUT_AUTO, &p))
            continue;
        const SnPlaceholderAttr *was = n->attr;
        SnPlaceholderAttr at = *was;
        const char *kept = steps_kept(from, to, id, c->a);
        if ((at.pixels && *at.pixels) || !kept || !*kept)
            continue;
        at.pixels = sn_strdup(to->arena, kept);
        n->attr = sn_attr_copy(to->arena, sn_desc(n->kind), &at);
    }
}

/* ---- opening ---- */

static const char *
make(const SnPictures *p, int64_t i, SnArena *a, uint8_t *to)
{
    const SnImageSteps *s = p->of_make;

    return sn_image_prepare(a, p->path[i], s, p->w, p->h, p->c, to);
}

/* How pixels become what the input takes. */
static SnStatus
check_numbers(SnCli *c, const SnPort *port, const SnImageSteps *s,
              SnPictures *p)
{
    const SnType *t = port->type;
    bool reals = t->elem == SN_F32 || t->nq;
    bool scaled = sn_image_numbers(s, p->mul, p->add);

    if (scaled && (c->args.mul.n || c->args.add.n))
        return sn_fail(c->d, SN_EUSAGE, c->args.mul.n ? "--mul" : "--add",
                       "cannot be combined with mean and std of pictures (%s)",
                       sn_image_steps_str(c->a, s));
    if (!reals && scaled)
        return sn_fail(c->d, SN_EUSAGE, "--mean",
                       "cannot be applied to input '%s', which is %s: "
                       "--preset raw gives it pixels as they are",
                       port->name, sn_elem_name(t->elem));
    p->numbers = scaled || (reals && s->numbers == SN_IMAGE_RAW);
    for (int i = 0; p->numbers && !scaled && i < 3; i++) {
        p->mul[i] = 1;
        p->add[i] = 0;
    }
    if (!reals || p->numbers || c->args.mul.n || c->args.add.n)
        return SN_OK;
    sn_fail(c->d, SN_EUSAGE, port->name,
            "no option says how its pixels, 0 to 255, are scaled");
    sn_diag_help(c->d, "--preset imagenet, tf or raw, or --mean and --std: "
                       "(v / 255 - mean) / std");
    return SN_EUSAGE;
}

/* A preset for pictures of another size than the input's. */
static void
help_size(SnCli *c, const SnImageSteps *s, const SnPictures *p)
{
    if (!c->args.preset || c->args.crop || !s->crop[0] ||
        (s->crop[0] == p->w && s->crop[1] == p->h))
        return;
    sn_diag_help(c->d,
                 "for the numbers of --preset %s at the input's size: "
                 "--resize %lldx%lld --crop %lldx%lld",
                 c->args.preset, (long long)p->w, (long long)p->h,
                 (long long)p->w, (long long)p->h);
}

static SnStatus
open_pictures(void *ctx, SnArena *a, const char *path, const SnPort *port,
              SnDiag *d, const SnPictures **out)
{
    SnCli *c = ctx;
    int layout;

    *out = NULL;
    bool folder = sn_image_is_folder(path);
    if (!folder && !sn_image_named(path))
        return SN_OK;
    SnPictures *p = SN_NEW(a, SnPictures);
    SnImageSteps *s = SN_NEW(a, SnImageSteps);
    SnImageFolder files = {0};
    SN_TRY(sn_cli_layout(c, &layout));
    if (!pictured(port->shape, (SnLayout)layout, p))
        return sn_fail(d, SN_EINPUT, path,
                       "holds pictures, but input '%s' is %s: expected 1 or "
                       "3 channels, [N, C, H, W] or [N, H, W, C]",
                       port->name,
                       sn_dims_str(a, port->shape->rank, port->shape->dim));
    SN_TRY(steps_of(c, port->name, port->pixels, s));
    const char *why = sn_image_steps_fit(a, s, p->w, p->h, p->c);
    if (why) {
        sn_fail(d, SN_EUSAGE, port->name, "%s", why);
        help_size(c, s, p);
        return SN_EUSAGE;
    }
    SN_TRY(check_numbers(c, port, s, p));
    if (folder)
        SN_TRY(sn_image_folder(a, path, d, &files));
    else
        SN_PUSH(a, files.path, files.n, path);
    p->n = files.n;
    p->path = files.path;
    p->of = files.of;
    p->nclass = files.nclass;
    p->name = files.name;
    p->make = make;
    p->of_make = s;
    *out = p;
    return SN_OK;
}

void
sn_cli_pictures(SnCli *c, struct SnPixels *px)
{
    px->pictures = open_pictures;
    px->pictures_ctx = c;
}
