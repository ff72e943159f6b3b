/* What a person asks of single nodes: precision, scheme and range rule, for
 * all nodes or for those a glob names.
 *
 * A glob is matched with fnmatch(3), without flags, against the name of a
 * node ('/' and '.' are characters like others);
 * one that starts with '@' against the name of its kind ("@Conv*"). */
#ifndef SN_CONTROL_H
#define SN_CONTROL_H

#include "graph/graph.h"
#include "quant/range.h"

typedef enum SnPrecision {
    SN_INT8,
    SN_INT16,
    SN_FLOAT,
    SN_NPRECISION
} SnPrecision;
const char *const *sn_precision_names(void); /* NULL-terminated */

typedef struct SnSettings {
    SnPrecision precision;
    SnSchema schema;
    SnRangeRule range;
} SnSettings;

typedef enum SnAsk { SN_ASK_PRECISION, SN_ASK_SCHEMA, SN_ASK_RANGE } SnAsk;

typedef struct SnWish { /* one setting for the nodes of one glob */
    const char *option; /* for messages: "--keep-float" */
    const char *glob;
    SnAsk ask;
    SnSettings to; /* the member that ask names */
} SnWish;

typedef struct SnControl {
    SnSettings all; /* where no glob says otherwise */
    uint32_t n;
    SnWish *wish; /* a later one wins */
} SnControl;

/* Adds "[GLOB=]WORD", a setting of kind ask; without a glob it is for all.
 * A mistake is reported (SN_EUSAGE). */
SnStatus sn_control_add(SnArena *a, SnControl *c, const char *option,
                        SnAsk ask, const char *text, SnDiag *d);
/* Adds: nodes of this glob stay float. */
void sn_control_keep_float(SnArena *a, SnControl *c, const char *option,
                           const char *glob);

/* A glob that no node of g matches is reported, with the closest name. */
SnStatus sn_control_check(const SnControl *c, const SnGraph *g, SnArena *a,
                          SnDiag *d);
bool sn_glob_match(const SnGraph *g, const char *glob, SnId id);
/* option, where given: the option that asked for the precision, or NULL. */
SnSettings sn_settings_of(const SnControl *c, const SnGraph *g, SnId id,
                          const char **option);

#endif
