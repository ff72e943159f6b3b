// SPDX-License-Identifier: Apache-2.0
/* What the writer and the reader of the text form share, and the reader's
 * parts: tokens (text_lex.c), values (text_value.c), constants (text_data.c)
 * and statements (text_parse.c). */
#ifndef SN_TEXT_PRIV_H
#define SN_TEXT_PRIV_H

#include <sys/stat.h>

#include "graph/graph_priv.h"

enum { SN_SIDE_ALIGN = 64 };

typedef enum SnTextTokKind {
    SN_TOK_END,
    SN_TOK_BAD,  /* reported already */
    SN_TOK_NAME, /* %x, %"x" */
    SN_TOK_IDENT,
    SN_TOK_NUM, /* not yet checked further than its characters */
    SN_TOK_STR,
    SN_TOK_PUNCT /* one of (){}[]<>,:=@_ */
} SnTextTokKind;

typedef struct SnTextTok {
    SnTextTokKind kind;
    char c;         /* the punctuation */
    const char *s;  /* name, identifier or string, decoded; in tmp */
    const char *at; /* the token's bytes in the text; SnPos.len of them */
    SnPos pos;
} SnTextTok;

/* A place in the text to go back to. */
typedef struct SnMark {
    size_t i;
    uint32_t line;
    size_t line_start;
    SnTextTok t;
} SnMark;

typedef struct SnSide {
    const char *name;
    const char *data;
    size_t n;
} SnSide;

/* n bytes of one element, repeated. */
typedef struct SnSplat {
    unsigned char one[8];
    size_t size, n;
    const void *data;
} SnSplat;
enum { SN_NSPLAT = 8 };

/* The file that is read.  Who replaces it removes the sidecar files that it
 * named. */
typedef struct SnTextFile {
    const char *path;
    dev_t dev;
    ino_t ino;
    struct timespec changed;
    bool replaced; /* a sidecar file is gone since it is another one */
} SnTextFile;

typedef struct SnReader {
    SnArena *a;
    SnArena *tmp; /* what the graph does not keep */
    SnDiag *d;
    const SnSrc *src;
    const char *dir;
    SnGraph *g;
    SnMark m; /* m.t is the token to be read next */
    bool failed;
    SnPos *def; /* [nnode] where each node was defined */
    size_t ndef;
    SnSide *side;
    size_t nside;
    size_t nsplat;            /* bytes of splats so far */
    SnSplat splat[SN_NSPLAT]; /* the last ones: others share their bytes */
    unsigned isplat;
    bool lazy;        /* data in files is not compared with its hash */
    SnTextFile *file; /* NULL: the text is no file's */
    float *scale;     /* [ncap] of the type that is being read */
    int32_t *zp;
    size_t ncap;
} SnReader;

/* All reading functions return false after an error; the first error stops. */
bool sn_rd_fail(SnReader *r, SnPos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void sn_rd_next(SnReader *r);
bool sn_rd_is(const SnReader *r, char c);
bool sn_rd_take(SnReader *r, char c); /* false: not there, no error */
bool sn_rd_expect(SnReader *r, char c, const char *where);
/* "expected WHAT, found ..." about the next token. */
bool sn_rd_wanted(SnReader *r, const char *what);

/* Which file is at f->path; false: none. */
static inline bool
sn_text_file(SnTextFile *f)
{
    struct stat st;

    if (stat(f->path, &st) != 0)
        return false;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    f->changed = st.st_ctim;
    return true;
}

/* Numbers of one token. */
bool sn_rd_int(SnReader *r, int64_t lo, int64_t hi, int64_t *v);
bool sn_rd_real(SnReader *r, float *v);
bool sn_rd_double(SnReader *r, double *v);
/* The elements of a list from the next token on, at most `most`, as long as
 * they are written as the writer does and another one follows: how many.  What
 * is unusual or wrong, and the last, are left to the functions above. */
size_t sn_rd_reals(SnReader *r, float *v, size_t most);
size_t sn_rd_ints(SnReader *r, int32_t *v, size_t most);

bool sn_rd_type(SnReader *r, const SnType **t);
bool sn_rd_shape(SnReader *r, const SnShape **s);
/* The value of one attribute, stored into attr. */
bool sn_rd_attr(SnReader *r, const SnAttrDesc *at, void *attr);

/* The data of a constant as written: where it stands, read when the type is
 * known. */
typedef struct SnDataText {
    enum { SN_TEXT_NONE, SN_TEXT_LIST, SN_TEXT_SPLAT, SN_TEXT_SIDE } form;
    SnMark at;
    SnPos pos;
    uint64_t nelem; /* of the list */
    const char *file;
    int64_t offset;
    const char *hash; /* NULL: not given */
} SnDataText;
bool sn_rd_data(SnReader *r, SnDataText *t);  /* after "data =" */
bool sn_rd_splat(SnReader *r, SnDataText *t); /* after "splat =" */
/* The bytes, in the reader's arena. */
bool sn_rd_bytes(SnReader *r, const SnDataText *t, const SnType *type,
                 const SnShape *shape, const void **data);

#endif
