// SPDX-License-Identifier: Apache-2.0
/* What generated rule functions call beyond rewrite.h: small tests, sizes
 * that cannot overflow, and the steps that more than one rule takes. */
#ifndef SN_RULE_H
#define SN_RULE_H

#include "base/num.h"
#include "graph/list.h"
#include "rewrite/copy.h"
#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a rule's function: not inlined, so that a debugger stops where the rule
 * begins, and not on one of the ways through it. */
#define SN_OWN_CODE __attribute__((noinline))

/* ---- tests ---- */

/* k is base or a form of it, at any distance. */
static inline bool
sn_is_form(SnKind k, SnKind base)
{
    while (k != base && sn_desc(k)->form_of > 0)
        k = (SnKind)sn_desc(k)->form_of;
    return k == base;
}
/* The kind of operand 0; 0 when it is missing. */
static inline SnKind
sn_operand_kind(const SnGraph *g, SnId id)
{
    SnRef v = sn_in(g, id, 0);

    return v ? sn_kind(g, v) : 0;
}
static inline bool
sn_type_is(const SnType *t, SnElem e, int axis)
{
    return t && t->elem == e && t->axis == axis;
}
/* i < 0 counts from the end; 0 where there is no such dimension. */
static inline int64_t
sn_dim(const SnGraph *g, SnRef v, int64_t i)
{
    const SnShape *s = sn_shape_of(g, v);

    i += i < 0 ? s->rank : 0;
    return i >= 0 && i < s->rank ? s->dim[i] : 0;
}
static inline SnReach
sn_type_reach(const SnType *t)
{
    SnRange open = {0, 0, false, false};
    return sn_clamp_reach(t, open);
}
static inline bool
sn_range_equal(SnRange a, SnRange b)
{
    return a.has_lo == b.has_lo && a.has_hi == b.has_hi &&
           (!a.has_lo || a.lo == b.lo) && (!a.has_hi || a.hi == b.hi);
}
/* Results from `from` on have no user. */
bool sn_rest_unused(const SnGraph *g, SnId id, unsigned from);
/* All results together have one user. */
bool sn_used_once(const SnGraph *g, SnId id);

/* Integers that a condition or an attribute is calculated from.  A result that
 * does not fit in 64 bits clears *fits, and the rule does not apply; a / 0 is
 * 0. */
static inline int64_t
sn_int_add_in(int64_t a, int64_t b, bool *fits)
{
    int64_t r;

    *fits &= !__builtin_add_overflow(a, b, &r);
    return r;
}
static inline int64_t
sn_int_sub_in(int64_t a, int64_t b, bool *fits)
{
    int64_t r;

    *fits &= !__builtin_sub_overflow(a, b, &r);
    return r;
}
static inline int64_t
sn_int_mul_in(int64_t a, int64_t b, bool *fits)
{
    int64_t r;

    *fits &= !__builtin_mul_overflow(a, b, &r);
    return r;
}
static inline int64_t
sn_int_div_in(int64_t a, int64_t b, bool *fits)
{
    return b == -1 ? sn_int_sub_in(0, a, fits) : sn_int_div(a, b);
}
static inline int64_t
sn_int_abs_in(int64_t a, bool *fits)
{
    return a < 0 ? sn_int_sub_in(0, a, fits) : a;
}

/* A calculated zero point; one that no type has where it does not fit. */
static inline int32_t
sn_int_zp(int64_t z)
{
    return z >= INT32_MIN && z <= INT32_MAX ? (int32_t)z : INT32_MIN;
}

/* ---- lists ---- */

/* v[i], 0 past the end. */
static inline int64_t
sn_int_at(SnInts v, int64_t i)
{
    return i >= 0 && i < (int64_t)v.n ? v.v[i] : 0;
}
static inline float
sn_real_at(SnReals v, int64_t i)
{
    return i >= 0 && i < (int64_t)v.n ? v.v[i] : 0;
}

/* Is v n times k?  n may be any number; a list has at least 0. */
static inline bool
sn_ints_filled(SnInts v, int64_t n, int64_t k)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != k)
            return false;
    return (int64_t)v.n == (n < 0 ? 0 : n);
}

/* ---- nodes of more than one kind ---- */

/* The attribute of that name, or NULL. */
const void *sn_attr_of(const SnGraph *g, SnId id, const char *name);
void *sn_edit_attr(SnEdit *e, const char *name);
/* Copies from node `like` (0: none) the attributes that kind k has by the
 * same names. */
void sn_attrs_from(SnGraph *g, SnKind k, void *attr, SnId like);
/* Operands first .. first + n - 1, in the scratch arena. */
const SnRef *sn_operands(SnRewriter *rw, const SnGraph *g, SnId id,
                         uint32_t first, uint32_t n);

/* ---- steps of rules ---- */

/* The clamp r of node `from`, seen by a Rescale to type `to`.  Where the node
 * is calibrated its open sides stay open, unless saturation is strict; a fire
 * under way then says what it waived. */
SnRange sn_image_at(SnRewriter *rw, const SnGraph *g, SnRange r, SnId from,
                    const SnType *to);
/* "root/what", the name of a component of a lowered node. */
const char *sn_component(SnRewriter *rw, const SnGraph *g, SnId root,
                         const char *what);
/* v as a Constant, or v itself where it cannot be one. */
SnRef sn_try_fold(SnGraph *g, SnRef v);
/* The same for a value that already has users: they, and the name, go over
 * to the Constant, and what computed v is removed.  A large v whose operand may
 * be read by nothing else once the fire under way has ended waits until then:
 * its own node becomes the Constant. */
SnRef sn_fold_let(SnRewriter *rw, SnGraph *g, SnRef v);
/* Removes the input node `old`, which nothing reads any more, and gives its
 * name to new_. */
void sn_supersede(SnGraph *g, SnId old, SnId new_);

/* ---- guards ---- */

/* A value by the name it has in a rule. */
typedef struct SnNamed {
    const char *name;
    SnRef v; /* 0: missing */
} SnNamed;
/* Says, where somebody asks why a rule did not apply, that the conjunct
 * `guard` is false, with the types, clamps, reaches and attributes of the n
 * values it names.  Always false: what the rule's function returns. */
bool sn_guard_fails(SnRewriter *rw, uint16_t rule, const SnGraph *g, SnId root,
                    const char *guard, uint32_t n, const SnNamed *v);

/* ---- backends ---- */

/* May kind k run with tuple t on a backend that supports these types?  Plain
 * types always; a pinned operand follows the operands that pin it; a type with
 * a scale per slice where the list has one of its elements, of any axis; nodes
 * of another backend never. */
bool sn_tuple_within(const char *backend, SnKind k, const SnTuple *t,
                     const SnTypePat *type, uint32_t ntype);

#ifdef __cplusplus
}
#endif

#endif
