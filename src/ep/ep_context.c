// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_context.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file/file.h"
#include "ep/ep_same.h"

#define HEAD "sinter context 1 " /* before the kind and number of bytes */

static OrtStatus *
fail(SnArena *a, const SnEp *ep, const char *what, const char *text)
{
    return sn_ep_failed(ep->factory->api,
                        sn_format(a, "sinter: %s: %s", what, text));
}

/* ---- places ---- */

/* Of the model that g is of; "" where that is from memory. */
static OrtStatus *
path_of(const SnEp *ep, const OrtGraph *g, const char **out)
{
    const void *p = NULL;
    OrtStatus *s = ORT_AT(ep->factory->api, ORT_GRAPH_PATH, OrtGet)(g, &p);

    *out = p ? p : "";
    return s;
}

static const char *
file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Without the ".onnx" at its end. */
static const char *
stem_of(SnArena *a, const char *path)
{
    size_t n = strlen(path);

    return n > 5 && !strcmp(path + n - 5, ".onnx") ? sn_strndup(a, path, n - 5)
                                                   : path;
}

OrtStatus *
sn_ep_place(SnArena *a, SnEp *ep, const OrtGraph *g, bool dynamic, bool codes,
            SnEpKept *out)
{
    const char *model = ep->kept, *stem;

    *out = (SnEpKept){.dynamic = dynamic};
    out->name =
        sn_format(a, "%ssinter_%u", ep->prefix, (unsigned)ep->ncontext++);
    if (dynamic && !codes && ep->quantize[0])
        return fail(a, ep, "ep.context_enable",
                    "a part whose shapes are known only when it runs cannot "
                    "be kept with option quantize");
    if (ep->embed)
        return NULL;
    if (!*model) {
        OrtStatus *s = path_of(ep, g, &model);
        if (s)
            return s;
        if (!*model)
            return fail(a, ep, "ep.context_enable",
                        "a model from memory has no place for files: expected "
                        "ep.context_file_path, or ep.context_embed_mode = 1");
        model = sn_format(a, "%s_ctx", stem_of(a, model));
    }
    stem = stem_of(a, model);
    out->path =
        sn_format(a, "%s_%s.%s", stem, out->name, dynamic ? "onnx" : "sn");
    out->file = file_of(out->path);
    out->pack = sn_format(a, "%sw", out->path);
    return NULL;
}

/* ---- keeping ---- */

/* Bytes of a node: a head, p[0..n), and an end, so that a NUL at the end of p
 * is not taken for that of a string. */
static void
wrap(SnArena *a, SnEpKept *k, const void *p, size_t n)
{
    const char *head =
        sn_format(a, HEAD "%s %zu\n", k->dynamic ? "onnx" : "sn", n);
    size_t nhead = strlen(head);
    char *all = sn_alloc(a, nhead + n + 1);

    memcpy(all, head, nhead);
    memcpy(all + nhead, p, n);
    all[nhead + n] = '\n';
    k->p = all;
    k->n = nhead + n + 1;
}

static OrtStatus *
write_bytes(SnArena *a, const SnEp *ep, const char *path, const void *p,
            size_t n)
{
    SnDiag *d = sn_diag_new(a);

    if (sn_file_write(d, path, p, n) == SN_OK)
        return NULL;
    return fail(a, ep, "ep.context_enable", sn_diag_text(d, a));
}

OrtStatus *
sn_ep_keep(SnArena *a, const SnEp *ep, SnEpKept *k, SinterModel *m,
           const void *p, size_t n)
{
    SinterStatus s = SINTER_OK;
    SinterError e;

    if (k->dynamic && k->path)
        return write_bytes(a, ep, k->path, p, n);
    if (!k->dynamic && k->path)
        s = sinter_model_save(m, k->path, NULL, &e);
    else if (!k->dynamic)
        s = sinter_model_pack(m, SINTER_FORMAT_SN, NULL, &k->own, &n, &e);
    if (s != SINTER_OK)
        return sn_ep_failed_by(ep->factory->api, &e);
    if (!k->path)
        wrap(a, k, k->dynamic ? p : k->own, n);
    return NULL;
}

/* ---- nodes ---- */

enum { NATTR = 8 };

/* What results depend on besides the model. */
static const char *
bits_of(const SnEp *ep)
{
    return ep->contract ? "contract" : "same";
}

/* The names in a list of a node. */
static OrtStatus *
names_of(SnArena *a, const SnEp *ep, const OrtNode *of, bool input, size_t *n,
         const char ***out)
{
    const OrtTable *api = ep->factory->api;
    OrtStatus *s = ORT_AT(api, input ? ORT_NODE_NINPUT : ORT_NODE_NOUTPUT,
                          OrtGetSize)(of, n);
    if (s)
        return s;
    const void **v = SN_NEW_N(a, const void *, *n + 1);
    *out = SN_NEW_N(a, const char *, *n + 1);
    if (*n)
        s = ORT_AT(api, input ? ORT_NODE_INPUTS : ORT_NODE_OUTPUTS,
                   OrtGetList)(of, v, *n);
    for (size_t i = 0; i < *n && !s; i++) {
        const void *name = "";
        if (v[i])
            s = ORT_AT(api, ORT_NAME, OrtGet)(v[i], &name);
        (*out)[i] = name;
    }
    return s;
}

typedef struct Attr {
    const char *name, *text; /* text NULL: a number */
    size_t n;                /* of text */
    int64_t number;
} Attr;

static Attr
text_attr(const char *name, const char *text)
{
    return (Attr){name, text, strlen(text), 0};
}

/* Allocates nothing in an arena: attributes are ONNX Runtime's to be freed. */
static OrtStatus *
make_node(const SnEp *ep, const Attr *at, const char *name, size_t nin,
          const char **in, size_t nout, const char **out, OrtNode **node)
{
    const OrtTable *api = ep->factory->api;
    const OrtTable *editor = ORT_AT(api, ORT_EDITOR, OrtGetTable)();
    OrtOpAttr *v[NATTR] = {NULL};
    OrtStatus *s = NULL;

    if (!editor)
        return sn_ep_failed(api, "sinter: ep.context_enable: this build of "
                                 "ONNX Runtime cannot make nodes");
    for (int i = 0; i < NATTR && !s; i++) {
        const void *data =
            at[i].text ? at[i].text : (const void *)&at[i].number;
        s = ORT_AT(api, ORT_NEW_ATTR,
                   OrtNewAttr)(at[i].name, data, at[i].text ? (int)at[i].n : 1,
                               at[i].text ? ORT_A_STRING : ORT_A_INT, &v[i]);
    }
    if (!s)
        s = ORT_AT(editor, ORT_EDITOR_NEW_NODE,
                   OrtNewNode)("EPContext", "com.microsoft", name, in, nin, out,
                               nout, v, NATTR, node);
    for (int i = 0; i < NATTR; i++)
        if (v[i])
            ORT_AT(api, ORT_RELEASE_ATTR, OrtRelease)(v[i]);
    return s;
}

OrtStatus *
sn_ep_context_node(SnArena *a, const SnEp *ep, const SnEpKept *k,
                   const OrtNode *fused, bool codes, OrtNode **out)
{
    const Attr at[NATTR] = {
        {"ep_cache_context", k->path ? k->file : k->p,
         k->path ? strlen(k->file) : k->n, 0},
        {.name = "main_context", .number = 1},
        {.name = "embed_mode", .number = !k->path},
        text_attr("ep_sdk_version", sinter_version()),
        text_attr("hardware_architecture", sn_ep_processor()),
        text_attr("partition_name", k->name),
        text_attr("source", sn_ep_name),
        text_attr("notes", sn_format(a, "bits=%s%s", bits_of(ep),
                                     codes ? " codes" : "")),
    };
    const char **in, **made;
    const void *name = "";
    size_t nin, nout;

    if (at[0].n > INT_MAX)
        return fail(a, ep, "ep.context_embed_mode",
                    "a part has more than 2 GiB: expected 0");
    OrtStatus *s =
        ORT_AT(ep->factory->api, ORT_NODE_NAME, OrtGet)(fused, &name);
    if (!s)
        s = names_of(a, ep, fused, true, &nin, &in);
    if (!s)
        s = names_of(a, ep, fused, false, &nout, &made);
    return s ? s : make_node(ep, at, name, nin, in, nout, made, out);
}

/* ---- loading ---- */

static const Onnx__AttributeProto *
attr_of(const SnEpNode *n, const char *name)
{
    for (size_t i = 0; i < n->p->n_attribute; i++)
        if (!strcmp(n->p->attribute[i]->name, name))
            return n->p->attribute[i];
    return NULL;
}

/* "" where there is none, or one of another type. */
static const char *
text_of(SnArena *a, const SnEpNode *n, const char *name)
{
    const Onnx__AttributeProto *p = attr_of(n, name);

    return p && p->has_s ? sn_strndup(a, (char *)p->s.data, p->s.len) : "";
}

bool
sn_ep_is_context(const SnEpNode *n)
{
    const Onnx__AttributeProto *p;
    size_t len = strlen(sn_ep_name);

    if (strcmp(n->p->op_type, "EPContext") != 0 ||
        strcmp(n->p->domain, "com.microsoft") != 0)
        return false;
    p = attr_of(n, "source");
    return p && p->has_s && p->s.len == len &&
           !memcmp(p->s.data, sn_ep_name, len);
}

typedef struct Load {
    SnArena *a;
    const SnEp *ep;
    const SnEpNode *node;
    SnEpKept k; /* path, or p and n */
    bool codes;
} Load;

/* Whether it was made for sessions like this one. */
static OrtStatus *
check_notes(Load *l)
{
    const SnEp *ep = l->ep;
    const char *notes = text_of(l->a, l->node, "notes");
    const char *cpu = text_of(l->a, l->node, "hardware_architecture");
    const char *want = sn_format(l->a, "bits=%s", bits_of(ep));

    l->codes = strstr(notes, " codes") != NULL;
    if (ep->keep)
        return fail(l->a, ep, "ep.context_enable",
                    "the model holds contexts already");
    if (ep->quantize[0])
        return fail(l->a, ep, "option quantize",
                    "cannot be combined with a model that holds contexts");
    if (strcspn(notes, " ") != strlen(want) ||
        strncmp(notes, want, strlen(want)) != 0)
        return fail(l->a, ep, "option bits",
                    sn_format(l->a, "is '%s', the model's contexts are of '%s'",
                              bits_of(ep), notes));
    if (!ep->contract && strcmp(cpu, sn_ep_processor()) != 0)
        return fail(l->a, ep, "context",
                    sn_format(l->a,
                              "bits are the same as ONNX Runtime's on a "
                              "processor with '%s', this one has '%s': "
                              "compile the model again",
                              cpu, sn_ep_processor()));
    return NULL;
}

static bool
ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n > k && !strcmp(s + n - k, end);
}

/* The file beside the model, by its name alone: a model must not lead to files
 * elsewhere. */
static OrtStatus *
find_file(Load *l, const OrtGraph *of)
{
    const char *name = text_of(l->a, l->node, "ep_cache_context");
    const char *model;

    l->k.dynamic = ends_in(name, ".onnx");
    if (strchr(name, '/') || (!l->k.dynamic && !ends_in(name, ".sn")))
        return fail(l->a, l->ep, "context",
                    "ep_cache_context is not the name of a .sn or .onnx file "
                    "beside the model");
    OrtStatus *s = path_of(l->ep, of, &model);
    if (s)
        return s;
    if (!*model) /* from memory: where it would be */
        model = l->ep->kept;
    if (!*model)
        return fail(l->a, l->ep, "context",
                    "is in a file beside a model that came from memory: "
                    "expected ep.context_file_path");
    l->k.path =
        sn_format(l->a, "%.*s%s", (int)(file_of(model) - model), model, name);
    l->k.pack = sn_format(l->a, "%sw", l->k.path);
    return NULL;
}

/* What wrap wrote. */
static OrtStatus *
unwrap(Load *l)
{
    const Onnx__AttributeProto *p = attr_of(l->node, "ep_cache_context");
    char head[64] = "", kind[8];
    size_t n = 0, nhead;

    if (p && p->has_s)
        snprintf(head, sizeof head, "%.*s",
                 (int)(p->s.len < 63 ? p->s.len : 63), (char *)p->s.data);
    nhead = strcspn(head, "\n") + 1;
    if (sscanf(head, HEAD "%7s %zu", kind, &n) != 2 || p->s.len <= nhead ||
        n > p->s.len - nhead ||
        (strcmp(kind, "sn") != 0 && strcmp(kind, "onnx") != 0))
        return fail(l->a, l->ep, "context",
                    "ep_cache_context is not one that sinter wrote, or was cut "
                    "short");
    l->k.dynamic = !strcmp(kind, "onnx");
    l->k.p = p->s.data + nhead;
    l->k.n = n;
    return NULL;
}

static OrtStatus *
find_context(Load *l, const OrtGraph *of)
{
    const Onnx__AttributeProto *embed = attr_of(l->node, "embed_mode");
    SnDiag *d = sn_diag_new(l->a);
    OrtStatus *s = embed && embed->i == 0 ? find_file(l, of) : unwrap(l);
    char *p;

    if (s || !l->k.dynamic || !l->k.path)
        return s;
    if (sn_file_read(l->a, d, l->k.path, 0, &p, &l->k.n) != SN_OK)
        return fail(l->a, l->ep, "context", sn_diag_text(d, l->a));
    l->k.p = p;
    return NULL;
}

/* The inputs and outputs that ONNX Runtime knows of the node: all must have a
 * type, as memory is given by it. */
static OrtStatus *
read_ports(Load *l, SnEpWhole *w, SnEpGraph *g)
{
    const SnEpNode *n = l->node;
    bool ok = true;

    *g = (SnEpGraph){.dynamic = l->k.dynamic, .codes = l->codes};
    for (size_t i = 0; i < n->nread && ok; i++) {
        ok = n->read[i] != SN_EP_NONE && w->value[n->read[i]].port.type;
        if (ok)
            SN_PUSH(l->a, g->input, g->ninput, w->value[n->read[i]].port);
    }
    for (size_t i = 0; i < n->nmade && ok; i++) {
        ok = n->made[i] != SN_EP_NONE && w->value[n->made[i]].port.type;
        if (ok)
            SN_PUSH(l->a, g->output, g->noutput, w->value[n->made[i]].port);
    }
    return ok ? NULL
              : fail(l->a, l->ep, "context",
                     "an input or output of its node has no type");
}

/* The session of a part whose shapes are fixed. */
static SinterSession *
open_text(const Load *l, SinterError *e)
{
    const SinterConfig c = sn_ep_config(l->ep, (SnEpLog){NULL, NULL});
    const SnEpSource src = {.pack = l->k.pack};
    SinterModel *m = NULL;

    if (l->k.path)
        sinter_model_load(&c, l->k.path, NULL, &m, e);
    else
        sinter_model_parse(&c, SINTER_FORMAT_SN, l->k.p, l->k.n, "context",
                           NULL, NULL, &m, e);
    return sn_ep_session(l->ep, &src, m, e);
}

OrtStatus *
sn_ep_load(SnArena *a, const SnEp *ep, const OrtGraph *of, SnEpWhole *w,
           SnEpGraph *g, SinterSession **out)
{
    Load l = {.a = a, .ep = ep, .node = &w->node[0]};
    SinterError e;

    *out = NULL;
    OrtStatus *s = check_notes(&l);
    if (!s)
        s = find_context(&l, of);
    if (!s)
        s = read_ports(&l, w, g);
    if (s)
        return s;
    g->p = l.k.p;
    g->n = l.k.n;
    SnEpSource src = sn_ep_source(a, g);
    src.pack = l.k.pack;
    *out = l.k.dynamic ? sn_ep_open(ep, &src, (SnEpLog){NULL, NULL}, &e)
                       : open_text(&l, &e);
    return *out ? NULL : sn_ep_failed_by(ep->factory->api, &e);
}
