// SPDX-License-Identifier: Apache-2.0
/* The report of `sinter report` and `quantize --report`. */
#ifndef SN_PAGE_H
#define SN_PAGE_H

#include "cli/pair.h"
#include "report/report.h"

/* Fills what r does not have yet from p, which has been run: reasons, float
 * nodes, and unless --untimed, times. */
SnStatus sn_cli_report_fill(SnCli *c, const SnTwoModels *p, SnReport *r);

#endif
