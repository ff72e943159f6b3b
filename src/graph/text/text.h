// SPDX-License-Identifier: Apache-2.0
/* The text form, .sn: reads and writes every graph (docs/graph.md).
 * print(parse(print(g))) equals print(g) byte for byte. */
#ifndef SN_TEXT_H
#define SN_TEXT_H

#include "base/json.h"
#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Constants above this many bytes go to the sidecar when there is one. */
enum { SN_INLINE_MAX = 256, SN_BRIEF_MAX = 64 };

/* side_name NULL: everything inline.  Otherwise large constants are appended
 * to *side (64-byte aligned) and referred to as "side_name"@offset. */
void sn_print(const SnGraph *g, SnBuf *out, const char *side_name, SnBuf *side);
/* The same for a person: constants above SN_BRIEF_MAX bytes are written as
 * `data = elided`, which the reader refuses. */
void sn_print_brief(const SnGraph *g, SnBuf *out);
/* Writes path (.sn) and, when a constant is large, a sidecar file beside it,
 * STEM.HASH.snw, whose name says what it holds: whenever the process ends, path
 * and what it names are the old model or the new one.  The sidecar file that
 * the old text named is removed. */
SnStatus sn_text_save(const SnGraph *g, const char *path, SnDiag *d);
/* The same, with lines of comments before the graph: each begins with ';'. */
SnStatus sn_text_save_noted(const SnGraph *g, const char *notes,
                            const char *path, SnDiag *d);

/* The attributes that differ from their defaults, "{stride = [2,2]}"; nothing
 * when there are none.  Data of a Constant is left out. */
void sn_put_attrs(const SnNode *n, SnBuf *out);

/* The element at p: a code, or a value. */
void sn_put_elem(SnBuf *b, SnElem e, const void *p);

/* Attributes as JSON, an object of numbers, lists, words and types; a range is
 * a list of two, null where it is open, and so is a real that is not finite. */
void sn_json_attrs(SnJson *j, const char *key, const SnNode *n);
void sn_json_attr(SnJson *j, const char *key, const SnAttrDesc *at,
                  const void *attr);
void sn_json_type(SnJson *j, const char *key, const SnType *t);
void sn_json_shape(SnJson *j, const char *key, const SnShape *s);

/* dir is where sidecar files are looked for (never outside it); NULL refuses
 * them.  Comments are skipped.  Errors carry file:line:col. */
SnStatus sn_parse(SnArena *a, const SnSrc *src, const char *dir, SnDiag *d,
                  SnGraph **out);
SnStatus sn_text_load(SnArena *a, const char *path, SnDiag *d, SnGraph **out);
/* The same without looking at data in sidecar files: for callers that may not
 * need it (sn_exec_prepare_packed) and compare the rest with its hash, or
 * call sn_text_check on what they read. */
SnStatus sn_text_load_lazy(SnArena *a, const char *path, SnDiag *d,
                           SnGraph **out);
/* Compares the data of a Constant with its hash, if that was not done. */
SnStatus sn_text_check(const SnGraph *g, SnId id, SnDiag *d);

typedef struct SnDrawOpts {
    const char *title;   /* NULL: the graph's name */
    const char *page;    /* of links to nodes, page#node=NAME; NULL: none */
    const double *heat;  /* [nnode] what colours show; NULL: kinds of nodes */
    const char *heat_of; /* its name: "time" */
} SnDrawOpts;

/* Graphviz DOT: a box for each node; Rescales and other conversions stand out.
 */
void sn_draw_dot(const SnGraph *g, const SnDrawOpts *o, SnBuf *out);
/* The same with a box for nodes whose names begin alike, and without
 * permutations of axes. */
void sn_draw_blocks(const SnGraph *g, const SnDrawOpts *o, SnBuf *out);

#ifdef __cplusplus
}
#endif

#endif
