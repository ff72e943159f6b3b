// SPDX-License-Identifier: Apache-2.0
/* A float model and its int8 form, compared, measured and explained: as JSON
 * (docs/report.schema.json) and as one HTML file that shows it. */
#ifndef SN_REPORT_PAGE_H
#define SN_REPORT_PAGE_H

#include "quant/compare.h"
#include "quant/island.h"
#include "quant/profile/profile.h"
#include "quant/reasons.h"
#include "run/bench/bench.h"

typedef struct SnReportScore { /* rows whose largest output is their label */
    int64_t right_float, right_int8;
    int64_t n; /* 0: no labels */
} SnReportScore;

typedef struct SnReport {
    const char *float_path, *int8_path; /* NULL: not a file */
    const SnGraph *flt;                 /* as types were chosen for it */
    const SnGraph *quant;               /* as it is written */
    const SnComparison *comparison;
    const SnProfile *profile; /* of flt */
    const SnWhy *why;         /* of the Rescales in quant */
    const SnIslands *floats;  /* of quant */
    const SnBench *bench;     /* NULL: not timed */
    SnReportScore score;
    const char *settings; /* lines of text; NULL: not known */
    bool fired;           /* the rewrites are known: */
    uint32_t nsite;
    const SnSite *site;
} SnReport;

/* One JSON object and a line end. */
void sn_report_json(const SnReport *r, SnBuf *out);
/* The page around it. */
void sn_report_html(const SnReport *r, SnBuf *out);

#endif
