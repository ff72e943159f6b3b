/* The loops of point_f32_avx2.c and point_f32_avx512.c, one text for both
 * widths.  The includer defines
 *     TARGET, INLINE  attributes;
 *     N, V            lanes to a register, its type;
 *     load(p), load_n(p, n), put(p, v), put_n(p, n, v)  n < N lanes;
 *     set(f), vadd, vsub, vmul, vdiv, vsqrt;
 *     vmax(a, b), vmin(a, b)  b where they are equal or one is NaN;
 *     pick_nan(v, r)  v where it is NaN, else r;
 *     W, NW           the type of half as many doubles in a register, lanes;
 *     widen(p, n), narrow(p, n, w)  n <= NW floats; wset, wadd, wsub, wmul,
 *     wmin, wmax (b where one is NaN), wpow2(k)  2^k for whole doubles k,
 *     wtrunc, wzero_below(x, lim, v)  0 where x < lim, else v.
 * No include guard: it makes functions. */

TARGET INLINE V
clamped(V v, V lo, V hi)
{
    return vmin(hi, vmax(lo, v));
}

TARGET static void
clamp(float lo, float hi, const float *x, int64_t n, float *y)
{
    V l = set(lo), h = set(hi);
    int64_t i = 0;

    for (; i + N <= n; i += N)
        put(y + i, clamped(load(x + i), l, h));
    if (i < n)
        put_n(y + i, n - i, clamped(load_n(x + i, n - i), l, h));
}

TARGET INLINE V
apply(SnPairOp op, V a, V b)
{
    return op == SN_PAIR_ADD   ? vadd(a, b)
           : op == SN_PAIR_SUB ? vsub(a, b)
                               : vmul(a, b);
}

TARGET INLINE void
pair_op(SnPairOp op, const SnPairF32 *p, const float *a, const float *b,
        int64_t n, float *y)
{
    V l = set(p->lo), h = set(p->hi);
    int64_t i = 0;

    for (; i + N <= n; i += N)
        put(y + i, clamped(apply(op, load(a + i), load(b + i)), l, h));
    if (i < n) {
        V v = apply(op, load_n(a + i, n - i), load_n(b + i, n - i));
        put_n(y + i, n - i, clamped(v, l, h));
    }
}

TARGET static void
pair(const SnPairF32 *p, const float *a, const float *b, int64_t n, float *y)
{
    if (p->op == SN_PAIR_ADD)
        pair_op(SN_PAIR_ADD, p, a, b, n, y);
    else if (p->op == SN_PAIR_SUB)
        pair_op(SN_PAIR_SUB, p, a, b, n, y);
    else
        pair_op(SN_PAIR_MUL, p, a, b, n, y);
}

TARGET static void
norm(const SnNormF32 *p, const float *x, int64_t n, float *y)
{
    int64_t i = 0;

    for (; i + N <= n; i += N) {
        V v = vdiv(vsub(load(x + i), load(p->mean + i)), load(p->dev + i));
        put(y + i, vadd(vmul(v, load(p->gamma + i)), load(p->beta + i)));
    }
    if (i < n) {
        int64_t k = n - i;
        V v = vsub(load_n(x + i, k), load_n(p->mean + i, k));
        v = vmul(vdiv(v, load_n(p->dev + i, k)), load_n(p->gamma + i, k));
        put_n(y + i, k, vadd(v, load_n(p->beta + i, k)));
    }
}

/* ---- pools: four registers of channels at a time ---- */

/* The larger, the first of equal ones; NaN wins. */
TARGET INLINE V
larger(V r, V v)
{
    return pick_nan(v, vmax(v, r));
}

TARGET static void
max(const float *x, const int64_t *tap, int64_t ntap, int64_t c, float *y)
{
    int64_t i = 0;

    for (; i + 2 * N <= c; i += 2 * N) {
        const float *p = x + tap[0] + i;
        V a = load(p), b = load(p + N);
        for (int64_t t = 1; t < ntap; t++) {
            p = x + tap[t] + i;
            a = larger(a, load(p));
            b = larger(b, load(p + N));
        }
        put(y + i, a);
        put(y + i + N, b);
    }
    for (; i < c; i += N) {
        int64_t n = c - i < N ? c - i : N;
        V a = load_n(x + tap[0] + i, n);
        for (int64_t t = 1; t < ntap; t++)
            a = larger(a, load_n(x + tap[t] + i, n));
        put_n(y + i, n, a);
    }
}

TARGET static void
avg(const SnAvgF32 *p, const float *x, const int64_t *tap, int64_t ntap,
    int64_t c, float *y)
{
    V l = set(p->lo), h = set(p->hi), all = set(p->all);
    int64_t i = 0;

    for (; i + 4 * N <= c; i += 4 * N) {
        V s0 = set(0), s1 = s0, s2 = s0, s3 = s0;
        for (int64_t t = 0; t < ntap; t++) {
            const float *v = x + tap[t] + i;
            s0 = vadd(s0, load(v));
            s1 = vadd(s1, load(v + N));
            s2 = vadd(s2, load(v + 2 * N));
            s3 = vadd(s3, load(v + 3 * N));
        }
        put(y + i, clamped(vdiv(s0, all), l, h));
        put(y + i + N, clamped(vdiv(s1, all), l, h));
        put(y + i + 2 * N, clamped(vdiv(s2, all), l, h));
        put(y + i + 3 * N, clamped(vdiv(s3, all), l, h));
    }
    for (; i < c; i += N) {
        int64_t n = c - i < N ? c - i : N;
        V s = set(0);
        for (int64_t t = 0; t < ntap; t++)
            s = vadd(s, load_n(x + tap[t] + i, n));
        put_n(y + i, n, clamped(vdiv(s, all), l, h));
    }
}

/* ---- LRN ---- */

/* sq may be written and read up to N - 1 floats past the channels. */
TARGET static void
lrn(const SnLrnF32 *p, const float *x, float *sq, float *y)
{
    V coef = set(p->coef), k = set(p->k);
    int64_t size = p->before + p->after + 1;

    for (int64_t i = 0; i < p->c; i += N) {
        int64_t n = p->c - i < N ? p->c - i : N;
        V v = n < N ? load_n(x + i, n) : load(x + i);
        put(sq + p->before + i, vmul(v, v));
    }
    for (int64_t i = 0; i < p->c; i += N) {
        int64_t n = p->c - i < N ? p->c - i : N;
        V s = set(0);
        for (int64_t j = 0; j < size; j++)
            s = vadd(s, load(sq + i + j));
        V r = vsqrt(vadd(k, vmul(coef, s)));
        V d = vmul(r, vsqrt(r));
        if (n == N)
            put(y + i, vdiv(load(x + i), d));
        else
            put_n(y + i, n, vdiv(load_n(x + i, n), d));
    }
}

/* ---- exp: the steps of sn_exp (base/fmath.c), in double ---- */

TARGET INLINE W
wexp(W x0)
{
    static const double inverse[] = {
        1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
        1.0 / 3628800.0,    1.0 / 362880.0,    1.0 / 40320.0,
        1.0 / 5040.0,       1.0 / 720.0,       1.0 / 120.0,
        1.0 / 24.0,         1.0 / 6.0,         0.5};
    W rounder = wset(0x1.8p52), one = wset(1);
    /* From 711 and below -746 the result is inf and 0; NaN goes through. */
    W x = wmin(wset(711), wmax(wset(-747), x0));
    W kd = wsub(wadd(wmul(x, wset(0x1.71547652b82fep+0)), rounder), rounder);
    W a = wsub(x, wmul(kd, wset(0x1.62e42feep-1)));
    W b = wmul(kd, wset(0x1.a39ef35793c76p-33));
    W t = wsub(a, b);
    W c = wadd(wset(0), wsub(wsub(a, t), b));
    W r = wadd(t, c);
    W p = wset(inverse[0]);

    c = wadd(wsub(t, r), c);
    for (int i = 1; i < 12; i++)
        p = wadd(wmul(p, r), wset(inverse[i]));
    p = wadd(wmul(p, wmul(r, r)), wmul(c, wadd(one, r)));
    p = wadd(one, wadd(r, p));
    W half = wtrunc(wmul(kd, wset(0.5)));
    p = wmul(wmul(p, wpow2(half)), wpow2(wsub(kd, half)));
    return wzero_below(x0, wset(-746), p);
}

TARGET static void
expn(const float *x, float s, float m, int64_t n, float *y)
{
    float v[NW];

    for (int64_t i = 0; i < n; i += NW) {
        int64_t k = n - i < NW ? n - i : NW;
        for (int64_t j = 0; j < k; j++)
            v[j] = s < 0 ? -x[i + j] : x[i + j] - m;
        narrow(y + i, k, wexp(widen(v, k)));
    }
}

TARGET static void
over(float *y, int64_t n, float by)
{
    V b = set(by);
    int64_t i = 0;

    for (; i + N <= n; i += N)
        put(y + i, vdiv(load(y + i), b));
    if (i < n)
        put_n(y + i, n - i, vdiv(load_n(y + i, n - i), b));
}

TARGET static void
logistic(float *y, int64_t n)
{
    V one = set(1);
    int64_t i = 0;

    for (; i + N <= n; i += N)
        put(y + i, vdiv(one, vadd(one, load(y + i))));
    if (i < n)
        put_n(y + i, n - i, vdiv(one, vadd(one, load_n(y + i, n - i))));
}
