// SPDX-License-Identifier: Apache-2.0
/* The profile file: one JSON object, values in graph order, one per line.
 *
 *   {"format": "sinter-profile", "version": 1, "model": "lenet",
 *    "graph": "0123456789abcdef", "samples": 500,
 *    "values": [
 *     {"name": "conv1", "min": -1.5, "max": 3, "count": 392000,
 *      "nonfinite": 0, "exp": -9, "first": -768, "bins": [1, 0, 4]},
 *     ...]}
 *
 * A profile with moving averages has "moving_average": 0.01 after "samples",
 * and in each value "average": [-1.4, 2.9].
 *
 * One of a part of the samples has "shards": 4, "parts": [0, 2] there: it
 * holds the first and third shard of four.
 *
 * exp is e, first the number of the first bin (profile.h). */
#include "quant/profile/profile.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/file.h"
#include "base/json.h"

enum { VERSION = 1, FILE_MAX = 512 << 20 };
static const int64_t count_max = INT64_C(1) << 53; /* JSON's exact integers */

static void
put_hist(SnBuf *b, const SnHist *h)
{
    uint64_t room[SN_HIST_MAX];

    sn_puts(b, "  {\"name\": ");
    sn_put_json(b, h->name);
    if (h->count == 0) {
        sn_putf(b, ", \"count\": 0, \"nonfinite\": %" PRIu64 "}", h->nonfinite);
        return;
    }
    sn_puts(b, ", \"min\": ");
    sn_put_f32(b, h->min);
    sn_puts(b, ", \"max\": ");
    sn_put_f32(b, h->max);
    sn_putf(b,
            ", \"count\": %" PRIu64 ", \"nonfinite\": %" PRIu64
            ",\n   \"exp\": %d, \"first\": %" PRId64 ", \"bins\": [",
            h->count, h->nonfinite, h->exp, h->first);
    const uint64_t *bin = sn_hist_bins(h, room);
    for (uint32_t i = 0; i < h->nbin; i++)
        sn_putf(b, "%s%" PRIu64, i ? ", " : "", bin[i]);
    sn_puts(b, "]");
    if (h->averaged) {
        sn_puts(b, ", \"average\": [");
        sn_put_f32(b, h->avg_min);
        sn_puts(b, ", ");
        sn_put_f32(b, h->avg_max);
        sn_puts(b, "]");
    }
    sn_puts(b, "}");
}

void
sn_profile_put(const SnProfile *p, SnBuf *b)
{
    sn_putf(b,
            "{\"format\": \"sinter-profile\", \"version\": %d,\n"
            " \"model\": ",
            VERSION);
    sn_put_json(b, p->model);
    sn_putf(b, ", \"graph\": \"%016" PRIx64 "\", \"samples\": %" PRIu64 ",\n",
            p->hash, p->nsample);
    if (p->average > 0) {
        sn_puts(b, " \"moving_average\": ");
        sn_put_f32(b, (float)p->average);
        sn_puts(b, ",\n");
    }
    if (p->nshard) {
        sn_putf(b, " \"shards\": %" PRId64 ", \"parts\": [", p->nshard);
        for (uint32_t i = 0; i < p->npart; i++)
            sn_putf(b, "%s%" PRId64, i ? ", " : "", p->part[i]);
        sn_puts(b, "],\n");
    }
    sn_puts(b, " \"values\": [\n");
    for (uint32_t i = 0; i < p->n; i++) {
        put_hist(b, &p->hist[i]);
        sn_puts(b, i + 1 < p->n ? ",\n" : "\n");
    }
    sn_puts(b, " ]}\n");
}

SnStatus
sn_profile_save(const SnProfile *p, const char *path, SnDiag *d)
{
    SnArena *a = sn_arena_new();
    SnBuf b;

    sn_buf_init(&b, a);
    sn_profile_put(p, &b);
    SnStatus st = sn_file_write_text(d, path, b.s, b.n);
    sn_arena_free(a);
    return st;
}

/* ---- reading ---- */

typedef struct Reader {
    SnArena *a;
    SnDiag *d;
    const char *path;
    const char *entry; /* the value being read, for messages */
} Reader;

static SnStatus
bad(const Reader *r, const char *field, const char *want)
{
    if (r->entry)
        return sn_fail(r->d, SN_EINPUT, r->path,
                       "value '%s': \"%s\" must be %s", r->entry, field, want);
    return sn_fail(r->d, SN_EINPUT, r->path, "\"%s\" must be %s", field, want);
}

static SnStatus
get_int(const Reader *r, const json_t *o, const char *field, int64_t lo,
        int64_t hi, int64_t *out)
{
    const json_t *v = json_object_get(o, field);

    if (!json_is_integer(v) || json_integer_value(v) < lo ||
        json_integer_value(v) > hi)
        return bad(
            r, field,
            sn_format(r->a, "an integer from %" PRId64 " to %" PRId64, lo, hi));
    *out = json_integer_value(v);
    return SN_OK;
}

static SnStatus
get_f32(const Reader *r, const json_t *o, const char *field, float *out)
{
    const json_t *v = json_object_get(o, field);
    double x = json_number_value(v);

    if (!json_is_number(v) || !(fabs(x) <= 3.4028234663852886e38))
        return bad(r, field, "a finite 32-bit number");
    *out = (float)x;
    return SN_OK;
}

static SnStatus
get_string(const Reader *r, const json_t *o, const char *field,
           const char **out)
{
    const json_t *v = json_object_get(o, field);

    if (!json_is_string(v) ||
        strlen(json_string_value(v)) != json_string_length(v))
        return bad(r, field, "a string without NUL");
    *out = sn_strdup(r->a, json_string_value(v));
    return SN_OK;
}

static SnStatus
get_bins(const Reader *r, const json_t *o, SnHist *h)
{
    const json_t *v = json_object_get(o, "bins");
    uint64_t sum = 0;

    if (!json_is_array(v) || json_array_size(v) != h->nbin)
        return bad(r, "bins",
                   sn_format(r->a,
                             "an array of %u counts, as min, max and "
                             "exp say",
                             h->nbin));
    for (uint32_t i = 0; i < h->nbin; i++) {
        const json_t *c = json_array_get(v, i);
        if (!json_is_integer(c) || json_integer_value(c) < 0 ||
            json_integer_value(c) > count_max)
            return bad(r, "bins", "counts of zero or more");
        uint64_t k = (uint64_t)json_integer_value(c);
        if (k)
            sn_hist_put(h, i, k);
        sum += k;
    }
    if (sum != h->count)
        return bad(r, "bins", "counts whose sum is \"count\"");
    return SN_OK;
}

/* exp and first follow from min and max; a file that says otherwise was not
 * written by us and would break merging. */
static SnStatus
get_geometry(const Reader *r, const json_t *o, SnHist *h)
{
    SnArena *t = sn_arena_new();
    int64_t e, first;
    SnStatus st = get_int(r, o, "exp", -149, 200, &e);

    if (st == SN_OK)
        st = get_int(r, o, "first", -(INT64_C(1) << 40), INT64_C(1) << 40,
                     &first);
    if (st == SN_OK) {
        float ends[2] = {h->min, h->max};
        SnHist want;
        sn_hist_init(&want, t, h->name);
        sn_hist_add(&want, ends, 2);
        h->exp = want.exp;
        h->first = want.first;
        h->nbin = want.nbin;
        if (e != want.exp)
            st = bad(r, "exp", sn_format(r->a, "%d for this range", want.exp));
        else if (first != want.first)
            st = bad(r, "first",
                     sn_format(r->a, "%" PRId64 " for this range", want.first));
    }
    sn_arena_free(t);
    return st;
}

static SnStatus
get_average(const Reader *r, const json_t *o, SnHist *h)
{
    const json_t *v = json_object_get(o, "average");
    double end[2] = {json_number_value(json_array_get(v, 0)),
                     json_number_value(json_array_get(v, 1))};

    if (!v)
        return SN_OK;
    h->avg_min = (float)end[0];
    h->avg_max = (float)end[1];
    if (json_array_size(v) != 2 || !json_is_number(json_array_get(v, 0)) ||
        !json_is_number(json_array_get(v, 1)) || !(end[0] <= end[1]) ||
        h->avg_min < h->min || h->avg_max > h->max)
        return bad(r, "average", "two numbers between \"min\" and \"max\"");
    h->averaged = true;
    return SN_OK;
}

static SnStatus
get_hist(Reader *r, const json_t *o, SnHist *h)
{
    const char *name;
    int64_t n;

    r->entry = NULL;
    if (!json_is_object(o))
        return bad(r, "values", "an array of objects");
    SN_TRY(get_string(r, o, "name", &name));
    r->entry = name;
    sn_hist_init(h, r->a, name);
    SN_TRY(get_int(r, o, "count", 0, count_max, &n));
    h->count = (uint64_t)n;
    SN_TRY(get_int(r, o, "nonfinite", 0, count_max, &n));
    h->nonfinite = (uint64_t)n;
    if (h->count == 0)
        return SN_OK;
    SN_TRY(get_f32(r, o, "min", &h->min));
    SN_TRY(get_f32(r, o, "max", &h->max));
    if (h->min > h->max)
        return bad(r, "max", "at least \"min\"");
    SN_TRY(get_geometry(r, o, h));
    SN_TRY(get_bins(r, o, h));
    return get_average(r, o, h);
}

static SnStatus
get_hash(const Reader *r, const json_t *o, uint64_t *out)
{
    const char *s;

    SN_TRY(get_string(r, o, "graph", &s));
    if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
        return bad(r, "graph", "16 hexadecimal digits");
    *out = strtoull(s, NULL, 16);
    return SN_OK;
}

static SnStatus
get_parts(const Reader *r, const json_t *o, SnProfile *p)
{
    const json_t *v = json_object_get(o, "parts");

    if (!json_object_get(o, "shards"))
        return SN_OK;
    SN_TRY(get_int(r, o, "shards", 2, INT32_MAX, &p->nshard));
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *k = json_array_get(v, i);
        int64_t part = json_is_integer(k) ? json_integer_value(k) : -1;
        if (part < 0 || part >= p->nshard ||
            (i && part <= p->part[p->npart - 1]))
            return bad(r, "parts", "numbers from 0 below \"shards\", rising");
        SN_PUSH(r->a, p->part, p->npart, part);
    }
    if (!p->npart || p->npart == p->nshard)
        return bad(r, "parts", "some of the shards, not none and not all");
    return SN_OK;
}

static SnStatus
get_profile(Reader *r, const json_t *o, SnProfile *p)
{
    const json_t *v = json_object_get(o, "values");
    const char *s;
    int64_t n;

    if (!json_is_object(o))
        return sn_fail(r->d, SN_EINPUT, r->path,
                       "is not a profile: expected a JSON object");
    SN_TRY(get_string(r, o, "format", &s));
    if (strcmp(s, "sinter-profile") != 0)
        return bad(r, "format", "\"sinter-profile\"");
    SN_TRY(get_int(r, o, "version", VERSION, VERSION, &n));
    SN_TRY(get_string(r, o, "model", &p->model));
    SN_TRY(get_hash(r, o, &p->hash));
    SN_TRY(get_int(r, o, "samples", 0, count_max, &n));
    p->nsample = (uint64_t)n;
    if (json_object_get(o, "moving_average")) {
        float c;
        SN_TRY(get_f32(r, o, "moving_average", &c));
        if (!(c > 0 && c <= 1))
            return bad(r, "moving_average", "above 0 and at most 1");
        p->average = (double)c;
    }
    SN_TRY(get_parts(r, o, p));
    if (!json_is_array(v))
        return bad(r, "values", "an array");
    for (size_t i = 0; i < json_array_size(v); i++) {
        SnHist h;
        SN_TRY(get_hist(r, json_array_get(v, i), &h));
        SN_PUSH(r->a, p->hist, p->n, h);
    }
    const char *twice = sn_profile_index(r->a, p);
    if (twice)
        return sn_fail(r->d, SN_EINPUT, r->path, "value '%s' appears twice",
                       twice);
    return SN_OK;
}

SnStatus
sn_profile_load(SnArena *a, const char *path, SnDiag *d, SnProfile **out)
{
    Reader r = {.a = a, .d = d, .path = path};
    char *text;
    size_t n;
    json_error_t err;

    SN_TRY(sn_file_read(a, d, path, FILE_MAX, &text, &n));
    json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &err);
    if (!o)
        return sn_fail(d, SN_EINPUT, path,
                       "line %d: is not a profile: expected JSON: %s", err.line,
                       err.text);
    *out = SN_NEW(a, SnProfile);
    SnStatus st = get_profile(&r, o, *out);
    json_decref(o);
    return st;
}
