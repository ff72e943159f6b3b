// SPDX-License-Identifier: Apache-2.0
/* Overviews: nodes whose names begin alike are one box.  Blocks are opened, the
 * largest first, until there are enough boxes to see what a graph is made of.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/text/draw.h"

enum { ENOUGH = 12, MOST = 40, MAX_DEPTH = 12, NKIND_SHOWN = 3, NTIP = 12 };

typedef struct Part { /* a node that is drawn */
    SnId id;
    uint32_t npath;
    uint32_t path[MAX_DEPTH]; /* blocks, the outermost first */
    uint32_t box;
} Part;

typedef struct Block {
    const char *name;
    uint32_t n; /* its nodes */
    bool open;
} Block;

typedef struct Boxes {
    const SnGraph *g;
    SnArena *a;
    uint32_t npart, nblock, nbox;
    Part *part;
    Block *block;
    uint32_t *part_of;  /* [nnode] + 1; 0: not drawn */
    uint32_t *first;    /* [nbox] its first part */
    const char **group; /* [nnode] */
    SnRef *of_hidden;   /* [nnode] what a hidden node shows; 0: it is drawn */
    bool *leaves;       /* [nnode << SN_RESBITS] another box reads it */
} Boxes;

/* ---- blocks ---- */

/* A permutation of axes comes with the layouts of ONNX. */
static bool
hidden(const SnGraph *g, SnId id)
{
    const SnKindDesc *d = sn_desc(sn_node(g, id)->kind);

    return d->nout == 1 && d->nin == 1 && d->sem[0].decl &&
           !strcmp(d->sem[0].decl->name, "permute");
}

/* What r is of, past what is hidden. */
static SnRef
shown(const Boxes *k, SnRef r)
{
    return k->of_hidden[SN_NODE(r)] ? k->of_hidden[SN_NODE(r)] : r;
}

/* What says in which blocks a node is: its name in the model; what was put in
 * between, and outputs, belong where their first operand does. */
static const char *
group(const Boxes *k, SnId id)
{
    const SnNode *n = sn_node(k->g, id);
    SnRef r = n->nin ? n->in[0].ref : 0;

    if (n->source)
        return n->source;
    if (r && (n->nres == 0 || n->origin) && !sn_def(k->g, r)->data)
        return k->group[SN_NODE(r)];
    return n->nres ? n->res[0].name : "";
}

static bool
is_number(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return n > 0;
}

/* Lengths of the beginnings of a name that are blocks: "a/b.c/d.1" is in a and
 * in a/b.c.  Dots divide where there is no slash; a number at the end is part
 * of the name before it. */
static uint32_t
paths(const char *name, size_t *len)
{
    char sep = strchr(name, '/') ? '/' : '.';
    uint32_t n = 0;
    size_t from = 0, i = 0, last;

    while (name[i] == sep)
        i++;
    for (from = i; name[i]; i++)
        if (name[i] == sep && i > from) {
            if (n < MAX_DEPTH)
                len[n++] = i;
            from = i + 1;
        }
    last = i;
    while (n > 0 && is_number(name + len[n - 1] + 1, last - len[n - 1] - 1))
        last = len[--n];
    return n;
}

typedef struct Named {
    const char *s;
    uint32_t part, depth;
} Named;

static int
by_name(const void *p, const void *q)
{
    return strcmp(((const Named *)p)->s, ((const Named *)q)->s);
}

/* A block with one node, or with all that the one around it has, is none. */
static void
keep_blocks(Boxes *k, Part *p)
{
    uint32_t around = k->npart, n = 0;

    for (uint32_t i = 0; i < p->npath; i++) {
        uint32_t count = k->block[p->path[i]].n;
        if (count < 2 || count >= around)
            continue;
        p->path[n++] = p->path[i];
        around = count;
    }
    p->npath = n;
}

static void
find_blocks(Boxes *k)
{
    Named *v = NULL;
    size_t nv = 0, len[MAX_DEPTH];

    for (uint32_t i = 0; i < k->npart; i++) {
        const char *s = k->group[k->part[i].id];
        uint32_t n = paths(s, len);
        k->part[i].npath = n;
        for (uint32_t d = 0; d < n; d++)
            SN_PUSH(k->a, v, nv,
                    ((Named){sn_format(k->a, "%.*s", (int)len[d], s), i, d}));
    }
    if (nv)
        qsort(v, nv, sizeof *v, by_name);
    k->block = SN_NEW_N(k->a, Block, nv + 1);
    for (size_t i = 0; i < nv; i++) {
        if (i == 0 || strcmp(v[i].s, v[i - 1].s) != 0)
            k->block[k->nblock++].name = v[i].s;
        k->block[k->nblock - 1].n++;
        k->part[v[i].part].path[v[i].depth] = k->nblock - 1;
    }
    for (uint32_t i = 0; i < k->npart; i++)
        keep_blocks(k, &k->part[i]);
}

/* ---- boxes ---- */

/* The outermost block of a node that is not open; nblock: none. */
static uint32_t
closed(const Boxes *k, const Part *p)
{
    for (uint32_t i = 0; i < p->npath; i++)
        if (!k->block[p->path[i]].open)
            return p->path[i];
    return k->nblock;
}

static void
make_boxes(Boxes *k)
{
    uint32_t *box = SN_NEW_N(k->a, uint32_t, k->nblock + 1); /* + 1 */

    k->nbox = 0;
    for (uint32_t i = 0; i < k->npart; i++) {
        uint32_t b = closed(k, &k->part[i]);
        if (b == k->nblock || !box[b]) {
            k->first[k->nbox++] = i;
            box[b] = k->nbox;
        }
        k->part[i].box = box[b] - 1;
    }
}

/* The largest block that is seen, or nblock. */
static uint32_t
largest(const Boxes *k)
{
    uint32_t best = k->nblock;

    for (uint32_t i = 0; i < k->nbox; i++) {
        uint32_t b = closed(k, &k->part[k->first[i]]);
        if (b < k->nblock &&
            (best == k->nblock || k->block[b].n > k->block[best].n))
            best = b;
    }
    return best;
}

static void
open_blocks(Boxes *k)
{
    make_boxes(k);
    while (k->nbox < ENOUGH) {
        uint32_t b = largest(k);
        if (b == k->nblock)
            return;
        k->block[b].open = true;
        make_boxes(k);
        if (k->nbox <= MOST)
            continue;
        k->block[b].open = false; /* too much at once */
        make_boxes(k);
        return;
    }
}

/* ---- what is drawn ---- */

typedef struct Count {
    const char *name;
    uint32_t n, at;
} Count;

static int
by_count(const void *p, const void *q)
{
    const Count *x = p, *y = q;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* "3 Conv2D, Concat, 2 more kinds" */
static void
put_kinds(Boxes *k, SnBuf *b, const uint32_t *part, uint32_t n)
{
    Count *c = SN_NEW_N(k->a, Count, n);
    uint32_t nc = 0;

    for (uint32_t i = 0; i < n; i++) {
        const char *s = sn_desc(sn_node(k->g, k->part[part[i]].id)->kind)->name;
        uint32_t at = 0;
        while (at < nc && strcmp(c[at].name, s) != 0)
            at++;
        if (at == nc)
            c[nc++] = (Count){s, 0, at};
        c[at].n++;
    }
    qsort(c, nc, sizeof *c, by_count);
    for (uint32_t i = 0; i < nc && i < NKIND_SHOWN; i++) {
        sn_puts(b, i ? ", " : "");
        if (c[i].n > 1)
            sn_putf(b, "%u ", c[i].n);
        sn_draw_text(b, c[i].name);
    }
    if (nc > NKIND_SHOWN)
        sn_putf(b, ", %u more kind%s", nc - NKIND_SHOWN,
                nc - NKIND_SHOWN > 1 ? "s" : "");
}

/* The one value of a box that others read, or how many there are. */
static void
put_values(const Boxes *k, SnBuf *b, const uint32_t *part, uint32_t n)
{
    const SnResult *one = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(k->g, k->part[part[i]].id);
        for (unsigned r = 0; r < d->nres; r++) {
            if (!k->leaves[SN_REF(k->part[part[i]].id, r)])
                continue;
            one = &d->res[r];
            count++;
        }
    }
    if (count == 0)
        return;
    sn_puts(b, "\\n");
    if (count == 1)
        sn_draw_value(b, one);
    else
        sn_putf(b, "%u values", count);
}

static void
put_tip(const Boxes *k, SnBuf *b, const uint32_t *part, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < NTIP; i++) {
        sn_puts(b, i ? "\\n" : "");
        sn_draw_text(b, sn_label(k->g, k->part[part[i]].id, k->a));
    }
    if (n > NTIP)
        sn_putf(b, "\\n%u more", n - NTIP);
}

typedef struct Heat {
    double all, most; /* over boxes */
    double *box;      /* [nbox] */
} Heat;

static SnLook
look_of(const Boxes *k, const uint32_t *part, uint32_t n)
{
    SnLook look = SN_LOOK_OTHER;

    for (uint32_t i = 0; i < n; i++) {
        SnId id = k->part[part[i]].id;
        SnLook l = sn_draw_look(sn_desc(sn_node(k->g, id)->kind));
        look = l < look && (l != SN_LOOK_END || n == 1) ? l : look;
    }
    return look;
}

static void
draw_box(Boxes *k, const SnDrawOpts *o, const Heat *h, SnBuf *b, uint32_t box,
         const uint32_t *part, uint32_t n)
{
    const Part *p = &k->part[part[0]];
    uint32_t block = closed(k, p);
    const SnLookDesc *look = &sn_looks[look_of(k, part, n)];
    const SnNode *d = sn_node(k->g, p->id);

    sn_putf(b, "  b%u [fillcolor=\"%s\"%s, tooltip=\"", box,
            o->heat
                ? sn_draw_heat(h->most > 0 ? h->box[box] / h->most : 0, k->a)
                : look->fill,
            look->style);
    put_tip(k, b, part, n);
    sn_puts(b, "\"");
    if (o->page)
        sn_draw_link(b, o->page,
                     d->nres ? sn_name(k->g, SN_REF(p->id, 0)) : "");
    sn_puts(b, ", label=\"");
    if (block < k->nblock)
        sn_draw_short(b, k->block[block].name);
    else if (d->nres)
        sn_draw_short(b, d->res[0].name);
    else
        sn_draw_short(b, sn_label(k->g, p->id, k->a));
    if (d->nres || block < k->nblock) {
        sn_puts(b, "\\n");
        put_kinds(k, b, part, n);
    }
    put_values(k, b, part, n);
    if (o->heat && h->all > 0 && h->box[box] > 0) {
        sn_putf(b, "\\n%.1f %% of ", 100 * h->box[box] / h->all);
        sn_draw_text(b, o->heat_of);
    }
    sn_puts(b, "\"];\n");
}

static int
by_number(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;

    return (x > y) - (x < y);
}

/* Edges between boxes, each once: from << 32 | to. */
static uint64_t *
find_edges(Boxes *k, size_t *nedge)
{
    uint64_t *v = NULL;
    size_t n = 0, kept = 0;

    for (uint32_t i = 0; i < k->npart; i++) {
        const SnNode *d = sn_node(k->g, k->part[i].id);
        for (uint32_t s = 0; s < d->nin; s++) {
            SnRef r = d->in[s].ref ? shown(k, d->in[s].ref) : 0;
            uint32_t p = r ? k->part_of[SN_NODE(r)] : 0;
            if (!p || k->part[p - 1].box == k->part[i].box)
                continue;
            k->leaves[r] = true;
            SN_PUSH(k->a, v, n,
                    (uint64_t)k->part[p - 1].box << 32 | k->part[i].box);
        }
    }
    if (n)
        qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || v[i] != v[kept - 1])
            v[kept++] = v[i];
    *nedge = kept;
    return v;
}

static Boxes
boxes_of(const SnGraph *g)
{
    Boxes k = {.g = g, .a = g->arena};
    uint32_t n;
    const SnId *order = sn_topo(g, k.a, &n);

    k.part = SN_NEW_N(k.a, Part, n + 1);
    k.first = SN_NEW_N(k.a, uint32_t, n + 1);
    k.part_of = SN_NEW_N(k.a, uint32_t, g->nnode);
    k.group = SN_NEW_N(k.a, const char *, g->nnode);
    k.of_hidden = SN_NEW_N(k.a, SnRef, g->nnode);
    k.leaves = SN_NEW_N(k.a, bool, (size_t)g->nnode << SN_RESBITS);
    for (uint32_t i = 0; i < n; i++) {
        if (sn_node(g, order[i])->data)
            continue;
        k.group[order[i]] = group(&k, order[i]);
        if (hidden(g, order[i])) {
            k.of_hidden[order[i]] = shown(&k, sn_in(g, order[i], 0));
            continue;
        }
        k.part[k.npart++].id = order[i];
        k.part_of[order[i]] = k.npart;
    }
    find_blocks(&k);
    open_blocks(&k);
    return k;
}

void
sn_draw_blocks(const SnGraph *g, const SnDrawOpts *o, SnBuf *out)
{
    Boxes k = boxes_of(g);
    bool looks[SN_NLOOK] = {false};
    uint32_t *count = SN_NEW_N(k.a, uint32_t, k.nbox + 1);
    uint32_t *part = SN_NEW_N(k.a, uint32_t, k.npart + 1);
    Heat h = {.box = SN_NEW_N(k.a, double, k.nbox + 1)};
    size_t nedge;
    const uint64_t *edge = find_edges(&k, &nedge);

    /* parts by box; count[b]: where those of b begin, then where they end */
    for (uint32_t i = 0; i < k.npart; i++) {
        double share = o->heat ? o->heat[k.part[i].id] : 0;
        count[k.part[i].box + 1]++;
        h.box[k.part[i].box] += share;
        h.all += share;
    }
    for (uint32_t b = 0; b < k.nbox; b++) {
        count[b + 1] += count[b];
        h.most = h.box[b] > h.most ? h.box[b] : h.most;
    }
    for (uint32_t i = 0; i < k.npart; i++)
        part[count[k.part[i].box]++] = i;
    for (uint32_t b = 0; b < k.nbox; b++) {
        uint32_t from = b ? count[b - 1] : 0;
        looks[look_of(&k, part + from, count[b] - from)] = true;
    }
    sn_draw_begin(out, g, o, looks);
    for (uint32_t b = 0; b < k.nbox; b++) {
        uint32_t from = b ? count[b - 1] : 0;
        draw_box(&k, o, &h, out, b, part + from, count[b] - from);
    }
    for (size_t i = 0; i < nedge; i++)
        sn_putf(out, "  b%u -> b%u;\n", (unsigned)(edge[i] >> 32),
                (unsigned)(edge[i] & UINT32_MAX));
    sn_puts(out, "}\n");
}
