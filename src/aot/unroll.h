// SPDX-License-Identifier: Apache-2.0
/* What dot.h says of loops; programs have a definition of their own (write.c).
 */
#ifndef SN_AOT_UNROLL_H
#define SN_AOT_UNROLL_H

#define SN_UNROLL

#endif
