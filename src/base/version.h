// SPDX-License-Identifier: Apache-2.0
/* The version of sinter, as --version and sinter.pc say it. */
#ifndef SN_VERSION_H
#define SN_VERSION_H

#define SN_VERSION "0.3.0"
#define SN_VERSION_DATE "November 24, 2026" /* as manual pages have it */

#endif
