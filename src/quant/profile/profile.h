// SPDX-License-Identifier: Apache-2.0
/* Profiles: what values a graph computes on calibration data.  A profile is
 * keyed by value names and is independent of scheme, order of samples and
 * number of threads: every field is a minimum, a maximum or a sum.
 *
 * A histogram has bins [k * 2^e, (k + 1) * 2^e) for k = first, first + 1, ...
 * with e the smallest integer for which [min, max] needs at most SN_HIST_MAX
 * bins (and 2^e is at least 2^-30 of the largest magnitude).  When the range
 * grows, pairs of bins are added: integers only, nothing is resampled.
 *
 * A histogram with few occupied bins lists them: 16 KB of counts for each of
 * 10^5 small values would be more than the rest of quantizing takes. */
#ifndef SN_PROFILE_H
#define SN_PROFILE_H

#include "run/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_HIST_MAX = 2048 };

typedef struct SnBin { /* an occupied bin */
    uint32_t at, n;
} SnBin;

typedef struct SnHist {
    const char *name;
    float min, max;     /* of the finite values; min > max: none yet */
    uint64_t count;     /* finite values */
    uint64_t nonfinite; /* NaN and infinities, in nothing else */
    int exp;            /* e */
    int64_t first;      /* k of bin 0; bins reach to floor(max / 2^e) */
    uint32_t nbin;
    uint64_t *bin; /* [SN_HIST_MAX]; NULL: the counts are in few, */
    SnBin *few;    /* by place; all others are 0 */
    uint32_t nfew;
    SnArena *arena; /* of bin and few */
    bool averaged;  /* the moving averages of each sample's ends exist */
    float avg_min, avg_max;
} SnHist;

typedef struct SnProfile {
    const char *model; /* the graph's name */
    uint64_t hash;     /* of the graph as imported */
    uint64_t nsample;
    double average; /* a sample's weight in the moving averages; 0: none */
    int64_t nshard; /* the samples' number of shards, and those that */
    uint32_t npart; /* are in here, in order; 0: all, or not split */
    int64_t *part;
    uint32_t n;
    SnHist *hist;           /* in the order of the profiled graph */
    const SnHist **by_name; /* sorted, once n is final */
} SnProfile;

void sn_hist_init(SnHist *h, SnArena *a, const char *name);
void sn_hist_add(SnHist *h, const float *v, int64_t n);
/* Takes one sample of a value into its moving averages: each end moves by c,
 * 0 < c <= 1, of its distance to the sample's; the first sample sets them. */
void sn_hist_average(SnHist *h, const float *v, int64_t n, double c);
/* h += o: the result is that of adding o's values to h. */
void sn_hist_merge(SnHist *h, const SnHist *o);
/* n more values in bin `at`: the rest of h is not touched. */
void sn_hist_put(SnHist *h, uint32_t at, uint64_t n);
/* The counts of all bins: h's own, or written to room. */
uint64_t *sn_hist_bins(const SnHist *h, uint64_t room[SN_HIST_MAX]);

/* One entry for each f32 value of g that is not a Constant. */
SnProfile *sn_profile_new(SnArena *a, const SnGraph *g, uint64_t hash);
/* Sorts by_name; returns a name that appears twice, or NULL. */
const char *sn_profile_index(SnArena *a, SnProfile *p);
/* The entry of a value, or NULL. */
const SnHist *sn_profile_find(const SnProfile *p, const char *name);
/* The entry that holds the range of value v of g: its own, else that of a
 * value with the same elements, which moves that drop and repeat none lead to
 * (a Reshape's result has the range of what it reads).  NULL: there is none. */
const SnHist *sn_profile_of(const SnProfile *p, const SnGraph *g, SnRef v);
/* Adds the counts of o, which must be of the same graph (same names); p is
 * from sn_profile_new. */
void sn_profile_merge(SnProfile *p, const SnProfile *o);

/* One profile from profiles of disjoint samples, in the order of the first.
 * Merging is associative and commutative: what comes out depends on the
 * samples alone.  All must be of one graph, and no shard may be in two of
 * them. */
SnStatus sn_profile_join(SnArena *a, uint32_t n, const char *const *path,
                         SnDiag *d, SnProfile **out);
/* p has the samples of shard `index` of `count` only. */
void sn_profile_shard(SnArena *a, SnProfile *p, int64_t index, int64_t count);
/* Warns where some of the shards are missing. */
void sn_profile_warn_parts(SnArena *a, const SnProfile *p, const char *path,
                           SnDiag *d);
/* How p matches a model: values of `placed`, the graph whose types are to be
 * chosen, that p has no range for, and entries of p that no value of `lowered`
 * has, the same graph lowered all the way as for profiling. */
typedef struct SnProfileFit {
    uint32_t nmissing, nstale;
    const char **missing, **stale;
} SnProfileFit;
SnProfileFit sn_profile_fit(SnArena *a, const SnProfile *p,
                            const SnGraph *placed, const SnGraph *lowered);

/* The JSON text; the same profile gives the same bytes. */
void sn_profile_put(const SnProfile *p, SnBuf *out);
SnStatus sn_profile_save(const SnProfile *p, const char *path, SnDiag *d);
/* The file is not trusted: every field is checked. */
SnStatus sn_profile_load(SnArena *a, const char *path, SnDiag *d,
                         SnProfile **out);

/* Profiles x over the samples that fill() gives (run/batch.h). */
SnStatus sn_profile_run(SnArena *a, const SnExec *x, int64_t nsample,
                        unsigned njob,
                        SnStatus (*fill)(void *, int64_t, SnRun *), void *ctx,
                        uint64_t hash, SnDiag *d, SnProfile **out);
/* The same, on one thread, of samples of which nobody knows the number: more
 * is asked before each; it returns false after the last.  Nothing is written to
 * a terminal.  average: the weight of moving averages, 0: none. */
SnStatus sn_profile_run_stream(SnArena *a, const SnExec *x, double average,
                               bool (*more)(void *, int64_t),
                               SnStatus (*fill)(void *, int64_t, SnRun *),
                               void *ctx, uint64_t hash, SnDiag *d,
                               SnProfile **out);
/* The same, on one thread in the order of the samples, with moving averages of
 * weight c.  Such a profile depends on the order, and cannot be merged. */
SnStatus sn_profile_run_averaged(SnArena *a, const SnExec *x, int64_t nsample,
                                 double c,
                                 SnStatus (*fill)(void *, int64_t, SnRun *),
                                 void *ctx, uint64_t hash, SnDiag *d,
                                 SnProfile **out);

#ifdef __cplusplus
}
#endif

#endif
