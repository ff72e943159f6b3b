// SPDX-License-Identifier: Apache-2.0
/* The table of options: parsing (args.c) and --help, manual pages and
 * completion (help.c) read it. */
#ifndef SN_OPTION_H
#define SN_OPTION_H

#include <stddef.h>

#include "cli/cli.h"

typedef enum SnOptKind {
    O_FLAG,
    O_STR,
    O_LONG,  /* zero or more */
    O_COUNT, /* one or more */
    O_SIZE,  /* the same with k, M, G or T behind it */
    O_REAL,  /* above zero */
    O_EACH,  /* may be repeated */
    O_LIST,  /* comma-separated, may be repeated */
    O_SIZES, /* sizes, comma-separated */
    O_NUMS   /* comma-separated numbers */
} SnOptKind;

typedef struct SnOption {
    const char *name;    /* with its dashes */
    const char *metavar; /* NULL for a flag; "a|b": one of these */
    SnOptKind kind;
    size_t offset;
    uint32_t verbs;
    const char *help; /* NULL: another name for the option above */
} SnOption;

extern const SnOption sn_options[]; /* ends with a NULL name */
enum { SN_MOST_OPTIONS = 256 };

#endif
