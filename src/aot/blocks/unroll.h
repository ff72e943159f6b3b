// SPDX-License-Identifier: Apache-2.0
/* What dot.h says about loops and functions; programs have their own definition
 * (write.c). */
#ifndef SN_AOT_UNROLL_H
#define SN_AOT_UNROLL_H

#define SN_UNROLL
#define SN_APART
#define SN_INLINE inline

#endif
