// SPDX-License-Identifier: Apache-2.0
/* Verdicts of earlier runs, each under a hash of all that it depends on.
 *
 * A verdict reads the instance and what can be reached from it: the rule, the
 * nodes that it names, their types, maps and base nodes.  Of the declarations
 * as a whole the engine looks up only the conversions by role, to find what a
 * code represents (sn_prove_dequantize).  It reads no number of a node and no
 * position, and each instance draws from the same seed.  So a key covers
 *
 *   - the prover: the bytes of the program's file that are loaded, draws for
 *     each rule, the seed;
 *   - the fields of SnInstance, with the backend whose facts are in force;
 *   - the tokens of the rule: as written, or as the family writes it out;
 *   - the tokens of every declaration whose name is a word among these tokens,
 *     or among those of a declaration reached so: types, nodes, refine blocks
 *     of any backend, classes and maps.
 *
 * A name reaches everything with this name, whether or not it refers to it (an
 * attribute `pad` reaches the map `pad`): so anything that a later version of
 * the engine reads of a named declaration is already covered.  Other lookups
 * must be added in key_of.  The set of instances is computed in every run, as
 * is the report's text about place and guard.
 *
 * Not covered, since no verdict reads them: comments, the doc strings of nodes
 * and maps, and the ONNX lines of nodes.
 *
 * An entry is trusted, like the other files of a build; lines that are not
 * entries are ignored.  Verdicts that came with a message are not entered, so
 * that it is given in every run. */
#include "dsl/prove/prover.h"
#include "dsl/prove/trial/prove_arith.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "base/file/file.h"
#include "base/hashes.h"

typedef struct Decl {
    const char *name, *text;
    bool has_doc, is_node;
    XXH128_hash_t hash;
    uint32_t nuse;
    uint32_t *use; /* declarations that its words name */
    uint32_t mark; /* the instance that reached it last */
} Decl;

typedef struct Entry {
    const char *key;
    SnProof proof;
} Entry;

struct SnProofCache {
    uint32_t ndecl;
    Decl *decl;
    SnHashes name; /* of decl */
    uint32_t mark;
    uint32_t nentry;
    Entry *entry;
    SnHashes key; /* of entry */
    SnBuf kept;
};

/* ---- tokens ---- */

typedef struct Scan {
    const char *p;
    int brace, paren;
    bool begins; /* the next token begins a statement */
} Scan;

static bool
word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static size_t
string_size(const char *s)
{
    size_t n = 1;

    while (s[n] && s[n] != '"' && s[n] != '\n')
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return n + (s[n] == '"');
}

/* The next token, of *n bytes; NULL at the end.  Numbers with a point and marks
 * of two bytes are several. */
static const char *
next(Scan *s, size_t *n)
{
    const char *p = s->p;

    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] != '/' || p[1] != '/')
            break;
        p += strcspn(p, "\n");
    }
    if (!*p)
        return NULL;
    *n = *p == '"' ? string_size(p) : 1;
    while (word_byte(*p) && word_byte(p[*n]))
        ++*n;
    s->p = p + *n;
    s->brace += (*p == '{') - (*p == '}');
    s->paren += (*p == '(') - (*p == ')');
    s->begins = *p == '{' || *p == '}' || *p == ';';
    return p;
}

static bool
is(const char *p, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(p, word, n);
}

/* The same without the text that no verdict reads. */
static const char *
next_read(Scan *s, const Decl *of, size_t *n)
{
    for (;;) {
        bool begins = s->begins;
        const char *p = next(s, n);

        if (!p)
            return NULL;
        if (of->has_doc && *p == '"' && !s->brace && !s->paren)
            continue;
        if (!of->is_node || s->brace != 1 || !begins || !is(p, *n, "onnx"))
            return p;
        do
            p = next(s, n);
        while (p && (s->brace > 1 || (*p != ';' && *p != '}')));
    }
}

/* ---- declarations ---- */

static uint64_t
hash_word(const char *p, size_t n)
{
    return XXH64(p, n, 0);
}

static void
add_decl(SnProver *pv, SnProofCache *c, Decl d)
{
    if (!d.name || !d.text)
        return;
    sn_hashes_add(&c->name, hash_word(d.name, strlen(d.name)), c->ndecl);
    SN_PUSH(pv->a, c->decl, c->ndecl, d);
}

/* The next declaration of this name from *probe on, or NULL. */
static Decl *
named(SnProofCache *c, const char *p, size_t n, size_t *probe)
{
    for (;;) {
        uint32_t i = sn_hashes_next(&c->name, hash_word(p, n), probe);
        if (i == SN_HASHES_END)
            return NULL;
        if (is(p, n, c->decl[i].name))
            return &c->decl[i];
    }
}

static void
read_decl(SnProver *pv, SnProofCache *c, Decl *d)
{
    Scan s = {.p = d->text};
    size_t n;
    SnBuf b;

    sn_buf_init(&b, pv->a);
    for (const char *p; (p = next_read(&s, d, &n));) {
        size_t probe = 0;
        sn_putn(&b, p, n);
        sn_putc(&b, '\n');
        for (const Decl *o; (o = named(c, p, n, &probe));)
            SN_PUSH(pv->a, d->use, d->nuse, (uint32_t)(o - c->decl));
    }
    d->hash = XXH3_128bits(sn_buf_str(&b), b.n);
}

static void
read_decls(SnProver *pv, SnProofCache *c)
{
    const SnDefs *f = pv->defs;

    for (uint32_t i = 0; i < f->ntype; i++)
        add_decl(pv, c,
                 (Decl){.name = f->type[i]->name, .text = f->type[i]->text});
    for (uint32_t i = 0; i < f->nmap; i++)
        add_decl(pv, c,
                 (Decl){.name = f->map[i]->name,
                        .text = f->map[i]->text,
                        .has_doc = true});
    for (uint32_t i = 0; i < f->nnode + f->nrefine; i++) {
        const SnDefNode *n =
            i < f->nnode ? f->node[i] : f->refine[i - f->nnode];
        add_decl(pv, c,
                 (Decl){.name = n->name,
                        .text = n->text,
                        .has_doc = true,
                        .is_node = true});
    }
    for (uint32_t i = 0; i < f->nclass; i++)
        add_decl(pv, c,
                 (Decl){.name = f->cls[i]->name, .text = f->cls[i]->text});
    for (uint32_t i = 0; i < c->ndecl; i++)
        read_decl(pv, c, &c->decl[i]);
}

/* ---- keys ---- */

static void
reach(SnProofCache *c, Decl *d)
{
    if (d->mark == c->mark)
        return;
    d->mark = c->mark;
    for (uint32_t i = 0; i < d->nuse; i++)
        reach(c, &c->decl[d->use[i]]);
}

static void
reach_name(SnProofCache *c, const char *p, size_t n)
{
    size_t probe = 0;

    for (Decl *d; (d = named(c, p, n, &probe));)
        reach(c, d);
}

static void
reach_node(SnProofCache *c, SnBuf *b, const SnDefNode *n)
{
    sn_putf(b, "%s\n", n ? n->name : "");
    if (n)
        reach_name(c, n->name, strlen(n->name));
}

static void
put_instance(SnBuf *b, const SnInstance *pr)
{
    bool flag[] = {pr->derive != NULL, pr->binds != NULL, pr->commutes,
                   pr->swap,           pr->renumber,      pr->given_bias,
                   pr->alike,          pr->bounded,       pr->forced,
                   pr->along};

    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        sn_putc(b, flag[i] ? '1' : '0');
    sn_putf(b, " %u %d %s %d %d\n", pr->wide, (int)pr->round,
            pr->backend ? pr->backend->name : "", pr->to ? pr->to->elem : -1,
            pr->to ? pr->to->axis : -1);
}

/* Rows decide every case. */
static void
put_arithmetics(SnBuf *b, const SnDefs *s)
{
    for (uint32_t i = 0; i < s->narith; i++)
        sn_putf(b, "%s %016llx\n", s->arith[i]->name,
                (unsigned long long)s->arith[i]->hash);
}

static const char *
key_of(SnProver *pv, const SnInstance *pr)
{
    SnProofCache *c = pv->cache;
    Scan s = {.p = pr->r->text};
    const Decl rule = {0};
    size_t n;
    SnBuf b;

    c->mark++;
    sn_buf_init(&b, pv->a);
    sn_putf(&b, "%s %u %llu\n", pv->o->prover, pv->o->ndraw,
            (unsigned long long)pv->o->seed);
    put_instance(&b, pr);
    put_arithmetics(&b, pv->defs);
    reach_node(c, &b, pr->any);
    reach_node(c, &b, pr->node);
    reach_node(c, &b, pr->comm);
    reach_node(c, &b, sn_prove_dequantize(pv));
    for (const char *p; (p = next_read(&s, &rule, &n));) {
        sn_putn(&b, p, n);
        sn_putc(&b, '\n');
        reach_name(c, p, n);
    }
    for (uint32_t i = 0; i < c->ndecl; i++)
        if (c->decl[i].mark == c->mark)
            sn_putn(&b, (const char *)&c->decl[i].hash, sizeof c->decl[i].hash);
    XXH128_hash_t h = XXH3_128bits(sn_buf_str(&b), b.n);
    return sn_format(pv->a, "%016llx%016llx", (unsigned long long)h.high64,
                     (unsigned long long)h.low64);
}

/* ---- entries ---- */

enum { NFIELD = 11 }; /* separated by tabs */

/* Is it a verdict that was expensive? */
static bool
is_kept(SnLayer l)
{
    return l == SN_LAYER_LEMMA || l == SN_LAYER_INDEX || l == SN_LAYER_LOSSY;
}

/* A line of the file as an entry; false if it is not one. */
static bool
read_entry(char *line, Entry *e)
{
    char *f[NFIELD], *end = line;
    uint32_t n = 0;

    for (; end && n < NFIELD; n++) {
        f[n] = end;
        end = strchr(end, '\t');
        if (end)
            *end++ = '\0';
    }
    if (n < NFIELD || end || strlen(f[0]) != 32)
        return false;
    int layer = 0;
    while (layer < SN_LAYER_REFUSED &&
           strcmp(sn_prove_layer_word((SnLayer)layer), f[1]) != 0)
        layer++;
    *e = (Entry){.key = f[0],
                 .proof = {.layer = (SnLayer)layer,
                           .ndraw = (uint32_t)strtoul(f[2], NULL, 10),
                           .nvalue = strtoull(f[3], NULL, 10),
                           .diff = strtod(f[4], NULL),
                           .best = f[5],
                           .lemmas = f[6],
                           .under = f[7],
                           .why = *f[8] ? f[8] : NULL,
                           .hash = *f[9] ? f[9] : NULL,
                           .off = strtoull(f[10], NULL, 16)}};
    return is_kept((SnLayer)layer);
}

static void
read_entries(SnProver *pv, SnProofCache *c)
{
    SnDiag *quiet = sn_diag_new(pv->a);
    char *text;
    size_t n;

    if (!sn_file_exists(pv->o->cache) ||
        sn_file_read(pv->a, quiet, pv->o->cache, 1 << 24, &text, &n))
        return;
    for (char *p = text, *nl; p; p = nl) {
        Entry e;
        nl = strchr(p, '\n');
        if (nl)
            *nl++ = '\0';
        if (!read_entry(p, &e))
            continue;
        sn_hashes_add(&c->key, hash_word(e.key, 32), c->nentry);
        SN_PUSH(pv->a, c->entry, c->nentry, e);
    }
}

static const SnProof *
entry_of(SnProofCache *c, const char *key)
{
    size_t probe = 0;

    for (uint32_t i; (i = sn_hashes_next(&c->key, hash_word(key, 32),
                                         &probe)) != SN_HASHES_END;)
        if (!strcmp(c->entry[i].key, key))
            return &c->entry[i].proof;
    return NULL;
}

static void
enter(SnProver *pv, const char *key, const SnProof *p)
{
    SnProofCache *c = pv->cache;
    const char *text[] = {p->best, p->lemmas, p->under, p->why ? p->why : ""};

    for (int i = 0; i < 4; i++)
        if (strpbrk(text[i], "\t\r\n"))
            return;
    sn_putf(&c->kept, "%s\t%s\t%u\t%llu\t%.17g", key,
            sn_prove_layer_word(p->layer), p->ndraw,
            (unsigned long long)p->nvalue, p->diff);
    for (int i = 0; i < 4; i++)
        sn_putf(&c->kept, "\t%s", text[i]);
    sn_putf(&c->kept, "\t%s\t%llx\n", sn_certificate_hash(pv, p->certificate),
            (unsigned long long)p->off);
    sn_certificate_keep(pv, key, p);
}

/* ---- functions that the judge calls ---- */

SnProofCache *
sn_prove_cache(SnProver *pv)
{
    SnProofCache *c = SN_NEW(pv->a, SnProofCache);

    sn_hashes_init(&c->name, pv->a);
    sn_hashes_init(&c->key, pv->a);
    sn_buf_init(&c->kept, pv->a);
    read_decls(pv, c);
    read_entries(pv, c);
    return c;
}

const char *
sn_prove_recall(SnProver *pv, const SnInstance *pr, SnProof *p)
{
    if (!pv->cache || !pr->r->text)
        return NULL;
    const char *key = key_of(pv, pr);
    const SnProof *e = entry_of(pv->cache, key);
    bool has = e && e->layer != SN_LAYER_LOSSY;
    const char *certificate =
        has ? sn_certificate_of(pv->certificates, key) : NULL;
    if (!e || (has && !certificate))
        return key;
    p->recalled = true;
    p->certificate = certificate;
    p->hash = e->hash;
    p->layer = e->layer;
    p->ndraw = e->ndraw;
    p->nvalue = e->nvalue;
    p->diff = e->diff;
    p->best = e->best;
    p->lemmas = e->lemmas;
    p->under = e->under;
    p->off = e->off;
    p->why = e->why;
    enter(pv, key, p);
    return key;
}

void
sn_prove_enter(SnProver *pv, const char *key, const SnProof *p)
{
    /* a map that reads outside is reported by the drawn cases, in each run */
    if (key && !p->recalled && is_kept(p->layer) && !pv->outside)
        enter(pv, key, p);
}

void
sn_prove_store(SnProver *pv)
{
    SnBuf b;

    sn_buf_init(&b, pv->a);
    if (!sn_diag_nerror(pv->d))
        sn_puts(&b, pv->out->report);
    sn_putf(&b,
            "\n# what the next run takes over: hash of all that the verdict "
            "depends on, layer, type draws,\n"
            "# values, largest difference, strongest claim, lemmas, other "
            "roundings, remark, hash of the certificate\n%s",
            sn_buf_str(&pv->cache->kept));
    sn_file_update(pv->d, pv->o->cache, sn_buf_str(&b), b.n);
    sn_certificates_store(pv);
}
