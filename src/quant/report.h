// SPDX-License-Identifier: Apache-2.0
/* What the quantizer did, as JSON (docs/quantization.md): for the command and
 * for programs. */
#ifndef SN_REPORT_H
#define SN_REPORT_H

#include "quant/quantize.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calibrated saturations that were dropped. */
uint32_t sn_quant_waived(const SnQuantReport *r);
/* One JSON object and a line end.  plan: of the graph that was made; more:
 * further members as text that begins with a comma, or "". */
void sn_put_quant_json(SnBuf *b, const SnQuantReport *r, const SnPlan *plan,
                       const SnProfile *p, const char *more);
/* The Rescales of w and their reasons as a JSON array. */
void sn_put_why_json(SnBuf *b, const SnWhy *w);

#ifdef __cplusplus
}
#endif

#endif
