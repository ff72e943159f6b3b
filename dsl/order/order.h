// SPDX-License-Identifier: Apache-2.0
/* The order of rewriting: does a pass terminate, is it clear which rule
 * applies, does the order matter, is one sweep enough?  Works on resolved
 * declarations without errors.  Derived families take part by instance: absorb
 * Conv2D.x is a rule like any other.
 *
 *   SN401 a rule that is not shown to end     SN501 two rules, no preference
 *   SN402 a rule that gives back its own left SN502 a rule that never fires
 *   SN403 a rule that would copy a node       SN504 a pair that does not join
 *   SN404 one sweep is not enough             SN505 a rule declared twice */
#ifndef SN_ORDER_H
#define SN_ORDER_H

#include "base/buf.h"
#include "dsl/model/model.h"

/* Checks every pass and sets SnDefPass.worklist.  SN504 is left to the report
 * below. */
void sn_def_order(SnDefs *defs, SnDiag *d);

/* For each pass: the measure by which each rule terminates, overlaps and what
 * decides them, critical pairs.  Pairs that do not join are noted in d
 * (SN504). */
void sn_order_report(SnDefs *defs, SnDiag *d, SnBuf *b);

#endif
