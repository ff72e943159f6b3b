// SPDX-License-Identifier: Apache-2.0
/* ONNX models built in memory (unit/onnx_build.h), and the graphs that their
 * import gives as text. */
#ifndef SN_TEST_ONNX_TEXT_H
#define SN_TEST_ONNX_TEXT_H

#include "base/buf.h"
#include "graph/text/text.h"
#include "onnx/import.h"
#include "onnx/proto/tensor_pb.h"
#include "unit/onnx_build.h"
/* Last: it names things at file scope. */
#include "unit/arena.h"

static OnnxBuild *b;

static inline SnStatus
import_as(const SnOnnxOpts *o, SnGraph **g)
{
    size_t n;
    uint8_t *packed = ob_pack(b, &n);
    /* A limit may jump past this function. */
    const uint8_t *p = sn_memdup(a, packed, n);

    free(packed);
    d = sn_diag_new(a);
    return sn_onnx_parse(a, "m.onnx", NULL, p, n, o, d, g);
}

/* The graph of the model that was built, as text without its frame, or what
 * is wrong with it. */
static inline const char *
text_of(const SnOnnxOpts *o)
{
    SnGraph *g;
    SnBuf t;
    char *from, *to;

    if (import_as(o, &g) != SN_OK)
        return sn_diag_text(d, a);
    assert_int_equal(sn_verify(g, d), SN_OK);
    sn_buf_init(&t, a);
    sn_print(g, &t, NULL, NULL);
    from = strchr(strchr(t.s, '{'), '\n');
    to = strrchr(t.s, '}');
    assert_non_null(from);
    assert_non_null(to);
    *to = '\0';
    return from + 1;
}

static inline void
gives(const char *want)
{
    assert_string_equal(text_of(NULL), want);
}

static inline void
refused(SnStatus want, const char *text)
{
    SnGraph *g;

    assert_int_equal(import_as(NULL, &g), want);
    assert_string_equal(sn_diag_text(d, a), text);
}

#endif
