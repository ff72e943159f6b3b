// SPDX-License-Identifier: Apache-2.0
/* What the files of the step `place` share.  Not for others. */
#ifndef SN_PLACE_PRIV_H
#define SN_PLACE_PRIV_H

#include "quant/place/place.h"

/* One run of the step.  Types are decided for the whole graph, in topological
 * order, before anything is inserted. */
typedef struct SnPlacing {
    SnGraph *g;
    SnRewriter *rw;
    SnPlace *p;
    SnArena *a;              /* scratch */
    uint32_t nnode;          /* nodes there were at the start */
    const SnType **type8;    /* [ref] as 8 bits, where decided, else NULL */
    const SnType **type16;   /* [ref] as 16 bits */
    const SnTuple **tuple;   /* [id] the quantized tuple, NULL: stays float */
    const SnKindDesc **form; /* [id] the kind or form that has it */
    SnSettings *want;        /* [id] */
    /* where the arithmetic restricts pairs of types, else NULL: */
    double **weight; /* [id] least scale of each slice of its constant, NULL:
                        any; where the arithmetic restricts nothing NULL */
    bool planning;   /* types may change: nothing is reported */
} SnPlacing;

/* A value known at compile time: a Constant, or one number everywhere. */
bool sn_place_constant(const SnPlacing *pl, SnRef r);
const SnPortDesc *sn_place_port(const SnKindDesc *d, uint32_t nin,
                                uint32_t slot, uint32_t *port);
/* The kind of the codes that node id, which is quantized, writes. */
SnElem sn_place_elem(const SnPlacing *pl, SnId id);
/* The type of value r in codes of kind e: the one decided, or from the
 * profile; NULL when there is no range. */
const SnType *sn_place_type(SnPlacing *pl, SnRef r, SnElem e);
/* The operand whose codes result `res` keeps: its slot, or -1. */
int sn_place_kept(const SnKindDesc *d, const SnNode *n, unsigned res);
/* Decides tuple and types of the nodes, in this order (place_decide.c). */
void sn_place_decide(SnPlacing *pl, const SnId *topo, uint32_t n);
/* Gives values that meet in one node one type (place_unify.c). */
void sn_place_unify(SnPlacing *pl, const SnId *topo, uint32_t n);
/* What an arithmetic has constants in this port for. */
SnRole sn_place_role(const SnKindDesc *f, uint32_t port);
/* Is a constant in this port quantized to the type of the result when its node
 * is integerized?  So it is for selections, which choose one operand's code
 * element by element, and in `same` ports. */
bool sn_place_takes_result_type(const SnKindDesc *d, const SnPortDesc *p);
/* Where the type of value r in codes of kind e is kept. */
const SnType **sn_place_slot(const SnPlacing *pl, SnRef r, SnElem e);
/* The type of the constant in operand `slot` of id (place_const.c). */
const SnType *sn_place_const_type(SnPlacing *pl, SnId id, uint32_t slot);
/* Scale and zero point of a value of the role, as the arithmetic has them. */
SnParam sn_place_choose(const SnPlacing *pl, SnRole role, SnSchema s, SnElem e,
                        double lo, double hi, double floor);
/* Raises scales until every pair of types is admitted (place_admit.c); an error
 * names the node that makes it impossible. */
SnStatus sn_place_admit(SnPlacing *pl, const SnId *topo, uint32_t n);
/* Why a constant of f32 stays one, or NULL: it is larger than what is worked
 * out at compile time, or not finite. */
const char *sn_place_const_why(SnPlacing *pl, SnRef r);
/* The numbers of a constant for which that is NULL. */
const float *sn_place_elements(SnPlacing *pl, SnRef r);

#endif
