// SPDX-License-Identifier: Apache-2.0
/* Calls of sinter.h in any order that it allows.  The first line of the input
 * is what is done, a letter and a number each ("m0q1s1r1"); the rest is the
 * text of a model.  Inputs and outputs have exactly the bytes that ports state,
 * so that the address sanitizer sees what lies beside them; the allocator fails
 * when it is told to, and has everything back in the end. */
#include "fuzz.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "sinter.h"

enum { NSLOT = 3, NCALL = 40, NPORT = 64, MOST = 1 << 20 };

typedef struct Api {
    SinterConfig config;
    const uint8_t *text;
    size_t ntext;
    SinterModel *model[NSLOT];
    bool broken[NSLOT]; /* is only good for being freed */
    SinterSession *session[NSLOT];
    uint64_t ceiling; /* calls of the allocator until it fails; 0: it doesn't */
    atomic_uint_least64_t given; /* blocks that have not come back */
} Api;

static void *
give(void *ctx, size_t n)
{
    Api *f = ctx;

    if (f->ceiling && --f->ceiling == 0)
        return NULL;
    void *p = aligned_alloc(16, (n + 15) / 16 * 16);
    f->given += p != NULL;
    return p;
}

static void
take_back(void *ctx, void *p, size_t n)
{
    Api *f = ctx;

    (void)n;
    f->given--;
    free(p);
}

static void
must(bool is)
{
    if (!is)
        abort();
}

/* What an error is: its number, and a sentence. */
static bool
right(SinterStatus s, const SinterError *e)
{
    must(s >= SINTER_OK && s <= SINTER_ENOMEM);
    if (s != SINTER_OK) {
        must(e->status == s && e->message[0]);
        must(memchr(e->message, 0, sizeof e->message) != NULL);
    }
    return s == SINTER_OK;
}

/* ---- buffers ---- */

typedef struct Ports {
    uint32_t n;
    void *p[NPORT];
    size_t nbyte[NPORT];
} Ports;

/* One buffer of `times` samples for each; false: too large to try. */
static bool
buffers(Ports *b, uint32_t n, size_t times,
        const SinterPort *(*port)(const void *of, uint32_t i), const void *of)
{
    size_t sum = 0;

    b->n = 0;
    if (n > NPORT)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const SinterPort *q = port(of, i);
        must(q != NULL && q->name && q->rank >= 0 && q->rank <= SINTER_MAXRANK);
        if (q->nbyte > MOST || (sum += q->nbyte * times) > MOST)
            return false;
        b->nbyte[i] = q->nbyte * times;
    }
    for (; b->n < n; b->n++) {
        b->p[b->n] = malloc(b->nbyte[b->n]);
        for (size_t k = 0; k < b->nbyte[b->n]; k++)
            ((uint8_t *)b->p[b->n])[k] = (uint8_t)(k * 37 + b->n);
    }
    return true;
}

static void
let_go(Ports *b)
{
    while (b->n > 0)
        free(b->p[--b->n]);
}

static const SinterPort *
session_in(const void *s, uint32_t i)
{
    return sinter_session_input(s, i);
}

static const SinterPort *
session_out(const void *s, uint32_t i)
{
    return sinter_session_output(s, i);
}

/* ---- calls ---- */

static void
put_model(Api *f, unsigned i, SinterModel *m, SinterStatus s)
{
    must((s == SINTER_OK) == (m != NULL));
    sinter_model_free(f->model[i]);
    f->model[i] = m;
    f->broken[i] = false;
}

static void
parse(Api *f, unsigned i)
{
    SinterError e = {0};
    SinterModel *m = (SinterModel *)f; /* is overwritten */
    SinterStatus s =
        sinter_model_parse(&f->config, SINTER_FORMAT_SN, f->text, f->ntext,
                           "fuzz.sn", NULL, NULL, &m, &e);

    right(s, &e);
    put_model(f, i, m, s);
}

static int
fill(void *ctx, int64_t sample, void *const *input)
{
    SinterModel *m = ctx;

    for (uint32_t i = 0; i < sinter_model_ninput(m); i++)
        memset(input[i], (int)(sample * 5 + i) & 63,
               sinter_model_input(m, i)->nbyte);
    return sample == 2 ? 1 : 0;
}

static int
refuse(void *ctx, int64_t sample, void *const *input)
{
    (void)ctx;
    (void)input;
    return sample == 1 ? -7 : 0;
}

static void
quantize(Api *f, unsigned i)
{
    SinterError e = {0};
    SinterModel *m = f->model[i], *out = (SinterModel *)f;
    SinterQuantize q = {
        .size = sizeof q, .fill = i == 2 ? refuse : fill, .fill_ctx = m};
    SinterStatus s = sinter_model_quantize(m, &q, &out, &e);

    if (right(s, &e))
        must(sinter_model_report(out)[0] == '{');
    put_model(f, (i + 1) % NSLOT, out, s);
}

/* What is packed is read again, with the same ports. */
static void
pack(Api *f, unsigned i)
{
    SinterError e = {0};
    SinterModel *m = f->model[i], *again = NULL;
    void *p = NULL;
    size_t n;

    if (!right(sinter_model_pack(m, SINTER_FORMAT_SN, NULL, &p, &n, &e), &e))
        return;
    if (right(sinter_model_parse(&f->config, SINTER_FORMAT_SN, p, n, NULL, NULL,
                                 NULL, &again, &e),
              &e)) {
        must(sinter_model_ninput(again) == sinter_model_ninput(m));
        for (uint32_t k = 0; k < sinter_model_noutput(m); k++)
            must(sinter_model_output(again, k)->nbyte ==
                 sinter_model_output(m, k)->nbyte);
        sinter_model_free(again);
    } else {
        must(e.status == SINTER_ENOMEM);
    }
    sinter_free(p);
}

static void
begin(Api *f, unsigned i)
{
    SinterError e = {0};
    SinterSessionConfig o = {.size = sizeof o, .threads = i + 1};
    SinterSession *s = (SinterSession *)f;
    SinterStatus st = sinter_session_new(f->model[i], &o, &s, &e);

    right(st, &e);
    must((st == SINTER_OK) == (s != NULL));
    sinter_session_free(f->session[i]);
    f->session[i] = s;
}

/* Threads of the caller's: one, the last part first. */
static int
backwards(void *ctx, size_t n, SinterPartFn *part, void *arg)
{
    (void)ctx;
    while (n-- > 0)
        part(arg, n);
    return 0;
}

/* The same inputs give the same bits, one by one and in a batch. */
static void
run(Api *f, unsigned i)
{
    SinterSession *s = f->session[i];
    SinterError e = {0};
    Ports in, out = {0}, more = {0};

    if (buffers(&in, sinter_session_ninput(s), 2, session_in, s) &&
        buffers(&out, sinter_session_noutput(s), 1, session_out, s) &&
        buffers(&more, sinter_session_noutput(s), 2, session_out, s)) {
        bool ok = right(
            sinter_session_run(s, (const void *const *)in.p, out.p, &e), &e);
        ok &= right(sinter_session_run_batch(
                        s, 2, 1 + i, (const void *const *)in.p, more.p, &e),
                    &e);
        for (uint32_t k = 0; ok && k < out.n; k++)
            must(memcmp(out.p[k], more.p[k], out.nbyte[k]) == 0);
        const SinterPool pool = {sizeof pool, backwards, NULL};
        if (right(sinter_session_run_on(s, &pool, (const void *const *)in.p,
                                        more.p, &e),
                  &e))
            for (uint32_t k = 0; ok && k < out.n; k++)
                must(memcmp(out.p[k], more.p[k], out.nbyte[k]) == 0);
        if (out.n > 0) {
            free(out.p[0]);
            out.p[0] = NULL; /* is not wanted */
            right(sinter_session_run(s, (const void *const *)in.p, out.p, &e),
                  &e);
        }
    }
    let_go(&more);
    let_go(&out);
    let_go(&in);
}

/* One NaN is another. */
static bool
same_bits(const SinterPort *p, const void *x, const void *y)
{
    const float *a = x, *b = y;

    if (p->elem != SINTER_FLOAT32)
        return memcmp(x, y, p->nbyte) == 0;
    for (size_t k = 0; k < p->nbyte / sizeof *a; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 &&
            !(a[k] != a[k] && b[k] != b[k]))
            return false;
    return true;
}

/* Outputs for the inputs of the hour, or false. */
static bool
outputs(SinterModel *m, Ports *in, Ports *out)
{
    SinterError e = {0};
    SinterSession *s;

    if (!right(sinter_session_new(m, NULL, &s, &e), &e))
        return false;
    bool ok =
        buffers(in, sinter_session_ninput(s), 1, session_in, s) &&
        buffers(out, sinter_session_noutput(s), 1, session_out, s) &&
        right(sinter_session_run(s, (const void *const *)in->p, out->p, &e),
              &e);
    sinter_session_free(s);
    return ok;
}

/* Only what is exact is changed. */
static void
optimize_exact(Api *f, unsigned i)
{
    SinterModel *m = f->model[i];
    Ports in = {0}, out = {0}, in2 = {0}, out2 = {0};
    SinterError e = {0};

    bool ran = outputs(m, &in, &out);
    f->broken[i] = !right(sinter_model_optimize_exact(m, &e), &e);
    if (ran && !f->broken[i] && outputs(m, &in2, &out2))
        for (uint32_t k = 0; k < out.n; k++)
            must(same_bits(sinter_model_output(m, k), out.p[k], out2.p[k]));
    let_go(&in);
    let_go(&out);
    let_go(&in2);
    let_go(&out2);
}

static void
call(Api *f, char what, unsigned i)
{
    SinterError e = {0};
    bool usable = f->model[i] && !f->broken[i];

    switch (what) {
    case 'm':
        parse(f, i);
        break;
    case 'o':
        if (usable)
            f->broken[i] =
                !right(sinter_model_optimize(f->model[i], NULL, &e), &e);
        break;
    case 'x':
        if (usable)
            optimize_exact(f, i);
        break;
    case 'q':
        if (usable)
            quantize(f, i);
        break;
    case 'p':
        if (usable)
            pack(f, i);
        break;
    case 's':
        if (usable)
            begin(f, i);
        break;
    case 'r':
        if (f->session[i])
            run(f, i);
        break;
    case 'f':
        sinter_model_free(f->model[i]);
        f->model[i] = NULL;
        break;
    case 'd':
        sinter_session_free(f->session[i]);
        f->session[i] = NULL;
        break;
    case 'a':
        f->ceiling = 1 + 13 * i;
        break;
    default:
        f->ceiling = 0;
        break;
    }
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, '\n', n);
    Api f = {.config = {.size = sizeof f.config,
                        .max_memory = 1 << 26,
                        .max_ops = 1 << 24,
                        .max_nodes = 1000,
                        .alloc = give,
                        .release = take_back,
                        .alloc_ctx = &f}};

    if (!end)
        return;
    f.text = end + 1;
    f.ntext = n - (size_t)(end + 1 - p);
    for (int k = 0; k < NCALL && p + 1 < end; k++, p += 2)
        call(&f, (char)p[0], p[1] % NSLOT);
    for (unsigned i = 0; i < NSLOT; i++) {
        sinter_session_free(f.session[i]);
        sinter_model_free(f.model[i]);
    }
    must(f.given == 0);
}
