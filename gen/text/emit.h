// SPDX-License-Identifier: Apache-2.0
/* The emitters of sinter-gen: each writes the generated files it names from
 * resolved, error-free declarations.  Output depends only on the declarations:
 * no dates, no host paths, file order.  A file whose bytes are the same keeps
 * its modification time. */
#ifndef SN_EMIT_H
#define SN_EMIT_H

#include "base/buf.h"
#include "base/file/file.h"
#include "dsl/model/expr_tree.h"
#include "dsl/model/model.h"

/* sn_kind_NAME.h, sn_kinds.h, sn_kinds.c, sn_gen.h (prototypes between
 * generated files), and their parts sn_attr_N.h and sn_eval_N.h. */
void sn_emit_kinds(const SnDefs *s, const char *outdir, SnDiag *d);
/* For sn_kinds.c (emit_onnx.c): the entries of a node's operators; then the
 * table of all operators. */
void sn_emit_onnx_maps(SnBuf *b, const SnDefNode *n);
/* Operators that are terms (emit_op.c): their tables; rows of the table of all
 * operators, b NULL: only counts them. */
void sn_emit_ops(SnBuf *b, const SnDefs *s);
/* The table of rules that are off under arithmetics; returns how many. b NULL:
 * only counts. */
uint32_t sn_emit_off(SnBuf *b, const SnDefs *defs);
uint32_t sn_emit_op_rows(SnBuf *b, const SnDefs *s);
/* The file sn_hooks.h. */
void sn_emit_hooks(const SnDefs *s, const char *outdir, SnDiag *d);
void sn_emit_onnx(SnBuf *b, const SnDefs *s);
/* The start of a row: the operator of this full name. */
void sn_emit_operator(SnBuf *b, const char *op);
/* sn_maps.h and sn_maps.c; the index maps for the table of a plugin's kinds,
 * and their names for its header (emit_maps.c). */
void sn_emit_maps(const SnDefs *s, const char *outdir, SnDiag *d);
void sn_emit_plugin_maps(SnBuf *b, const SnDefs *s);
void sn_emit_map_names(SnBuf *b, const SnDefs *s);
const char *sn_emit_map_symbol(const SnDefs *s, const SnDefMap *m);
/* sn_arith.h and sn_arith.c. */
void sn_emit_ariths(const SnDefs *s, const char *outdir, SnDiag *d);
/* sn_inv.c: where constraints and invariants. */
void sn_emit_inv(const SnDefs *s, const char *outdir, SnDiag *d);
/* sn_eval_N.c: one evaluator per node and tuple.  A quantized tuple without an
 * arithmetic row is an error (SN115). */
void sn_emit_eval(const SnDefs *s, const char *outdir, SnDiag *d);
/* reference.md */
void sn_emit_ref(const SnDefs *s, const char *outdir, SnDiag *d);
/* sn_rules.h, sn_rules.c; sn_tests.c */
void sn_emit_rules(const SnDefs *s, const char *outdir, SnDiag *d);

/* Do the functions that the plugin's declarations (without a plugin, those of
 * any backend) name have the prototypes they need, in these C files?
 * SN701, SN703 (sources.c). */
void sn_check_sources(const SnDefs *s, SnDiag *d, uint32_t n,
                      const char *const *path);

/* ---- names ---- */

/* "sn_kinds.h"; for a plugin "npu_kinds.h". */
const char *sn_emit_name(const SnDefs *s, const char *what);
/* The header of a backend's kernels and hooks: "npu_kernels.h", or the one it
 * declares. */
const char *sn_emit_kernels_name(const SnDefs *s, const SnDefBackend *k);
/* "SN_KINDS_H", "NPU_KINDS_H" */
const char *sn_emit_guard(const SnDefs *s, const char *what);
const char *sn_lower(SnArena *a, const char *s);
const char *sn_upper(SnArena *a, const char *s);
/* s, or s with '_' appended when it is a word of C or a name that emitted
 * functions use themselves. */
const char *sn_field(SnArena *a, const char *s); /* struct fields */
const char *sn_local(SnArena *a, const char *s); /* variables */
/* "nodes.def:46"; absolute paths are cut to their last part. */
const char *sn_where(SnArena *a, SnPos at);

/* ---- pieces of C ---- */

void sn_emit_head(SnBuf *b, const char *what);
/* Begins a header, up to its declarations, with the lines that include others;
 * ends it. */
void sn_emit_header(SnBuf *b, SnArena *a, const char *what, const char *guard,
                    const char *lines);
void sn_emit_close(SnBuf *b);
/* The lines that include headers of the core: lines in the tree, for a plugin
 * the one header that is installed. */
const char *sn_emit_core(const SnDefs *s, const char *lines);
const char *sn_lit_str(SnArena *a, const char *s); /* quoted; NULL for NULL */
/* The lines of s, each quoted, with `between` between them. */
const char *sn_lit_lines(SnArena *a, const char *s, const char *between);
const char *sn_lit_f32(SnArena *a, double v); /* 0.5f, -INFINITY */
const char *sn_lit_f64(SnArena *a, double v);
const char *sn_lit_i64(SnArena *a, int64_t v); /* INT64_C(5) past int */
/* "(const int64_t[]){ 1, 2 }": n constants as int64_t, float or double. */
const char *sn_lit_list(SnArena *a, SnExpr *const *e, uint32_t n,
                        const char *ty);
/* s as lines of a block comment, each line after `lead`. */
void sn_emit_quote(SnBuf *b, const char *lead, const char *s);
/* The lines of text as an array that ends with NULL: one literal may not be
 * longer than 4095 characters. */
void sn_emit_array(SnBuf *b, const char *name, const char *text);
/* A comment before a piece of C: text, broken at 77 columns. */
void sn_emit_comment(SnBuf *b, const char *text);
/* Tables of sn_kinds.c that a backend's refinements also have (emit_kinds.c):
 * ports as LO_SIDE[], and the fields .family and .joins. */
void sn_emit_ports(SnBuf *b, SnDefPort *const *port, uint32_t n, const char *lo,
                   const char *side);
void sn_emit_family(SnBuf *b, const SnDefFamily *f);
void sn_emit_joins(SnBuf *b, uint32_t nbit, const uint64_t *bits);
const char *sn_elem_enum(int elem);  /* "SN_QI8"; "-1" when absent */
const char *sn_elem_ctype(int elem); /* "int8_t" */
/* What evaluates a node: nothing, the program's copies, or its own
 * functions. */
typedef enum SnEvalBy { SN_EVAL_NONE, SN_EVAL_MOVE, SN_EVAL_OWN } SnEvalBy;
SnEvalBy sn_eval_by(const SnDefNode *n);
/* The evaluator of tuple t of n, or NULL if it has none. */
const char *sn_eval_name(SnArena *a, const SnDefNode *n, uint32_t t);
/* The evaluator of n with f32 instead of codes, or NULL if n has a tuple of
 * f32, reads codes directly or has no such row. */
const char *sn_real_name(const SnDefs *s, const SnDefNode *n);

/* The value of a constant: true (1), false (0), or sn_expr_number. */
bool sn_const_num(const SnExpr *e, double *v);
/* The same of an int, as C. */
const char *sn_lit_int(SnArena *a, const SnExpr *e);

/* ---- declarations as text ---- */

void sn_put_sem(SnBuf *b, const SnDefSem *m); /* "y = ... over map(...)" */
/* "(q8, q8c, q32c) -> q8" */
void sn_put_tuple(SnBuf *b, const SnDefs *s, const SnDefNode *n,
                  const SnDefTuple *t);
void sn_put_attr_decl(SnBuf *b, const SnDefAttr *at); /* without ';' */

/* The text of outdir/name, which sn_emit_write writes unless the file has it;
 * long lines of C are broken.  outdir NULL (--check): nothing is written. */
void sn_emit_file(SnBuf *b, const char *outdir, const char *name, SnDiag *d);
/* Writes these files, none where there are errors: the old ones stay until all
 * new ones are on disk.  The arenas of their texts are still there. */
void sn_emit_write(SnArena *a, SnDiag *d);

#endif
