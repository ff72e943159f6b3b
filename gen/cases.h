/* Graphs for tests of each rule instance, from the declarations alone. */
#ifndef SN_GEN_CASES_H
#define SN_GEN_CASES_H

#include "dsl/prove_priv.h"
#include "gen/rule_gen.h"

/* Writes sn_cases.c: the table sn_cases[] of tests/cases/cases.h. */
void sn_emit_cases(SnDefs *defs, const char *outdir, SnDiag *d);

#endif
