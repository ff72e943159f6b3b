// SPDX-License-Identifier: Apache-2.0
/* Status codes.  Each value is also the exit code of the command line, so a
 * status travels from where it arose to the shell unchanged. */
#ifndef SN_STATUS_H
#define SN_STATUS_H

typedef enum SnStatus {
    SN_OK = 0,
    SN_ECHECK = 1,       /* a check the user asked for failed */
    SN_EUSAGE = 2,       /* wrong command line */
    SN_EINPUT = 3,       /* a file is malformed or inconsistent */
    SN_EUNSUPPORTED = 4, /* well-formed, but beyond what sinter does */
    SN_EOUTPUT = 5,      /* a result could not be written */
    SN_ENOMEM = 6,       /* a resource limit was met */
    SN_EINTERNAL = 70    /* a defect of sinter itself */
} SnStatus;

/* Returns from the caller when e is not SN_OK; the message was printed where
 * the status arose. */
#define SN_TRY(e)                      \
    do {                               \
        SnStatus sn_try_status_ = (e); \
        if (sn_try_status_ != SN_OK)   \
            return sn_try_status_;     \
    } while (0)

#endif
