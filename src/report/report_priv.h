// SPDX-License-Identifier: Apache-2.0
#ifndef SN_REPORT_PRIV_H
#define SN_REPORT_PRIV_H

#include "base/json.h"
#include "report/report.h"

/* The nodes of g in the order in which they run, as an array. */
void sn_report_graph(SnJson *j, const char *key, const SnGraph *g);
/* Members elem, shape and scales of a value. */
void sn_report_type(SnJson *j, const SnType *t, const SnShape *s);
/* What each value of the float graph was on the profile's data and which part
 * of it its codes hold, as an array. */
void sn_report_ranges(SnJson *j, const char *key, const SnReport *r);

/* Parts of the page (tools/page.sh). */
extern const unsigned char sn_report_part_html[], sn_report_part_css[],
    sn_report_part_js[];
extern const unsigned int sn_report_part_html_n, sn_report_part_css_n,
    sn_report_part_js_n;

#endif
