// SPDX-License-Identifier: Apache-2.0
/* What a person asks of single nodes: precision, scheme and range rule, for
 * all nodes or for those a glob names.
 *
 * A glob is matched with fnmatch(3), without flags, against the name of a
 * node ('/' and '.' are characters like others); one that starts with '@'
 * against the name of its kind ("@Conv*") or of a form of it.  Nodes are those
 * of the graph whose types are chosen; names of the model that its passes
 * merged away are found by sn_control_resolve. */
#ifndef SN_CONTROL_H
#define SN_CONTROL_H

#include "graph/graph.h"
#include "quant/choose/range.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    SnSettings to;     /* the member that ask names */
    uint32_t nname;    /* nodes that the glob stands for besides: what the */
    const char **name; /* model's nodes of that name have become */
} SnWish;

typedef struct SnControl {
    SnSettings all; /* where no glob says otherwise */
    uint32_t n;
    SnWish *wish; /* a later one wins */
} SnControl;

/* Adds "[GLOB=]WORD", a setting of kind ask; without a glob it is for all.
 * A mistake is reported (SN_EUSAGE). */
SnStatus sn_control_add(SnArena *a, SnControl *c, const char *option, SnAsk ask,
                        const char *text, SnDiag *d);
/* Adds: nodes of this glob stay float. */
void sn_control_keep_float(SnArena *a, SnControl *c, const char *option,
                           const char *glob);

/* The nodes of `placed` that hold node id of `model`, the same graph before
 * its passes: the node of its name, or, where the passes merged it away, what
 * its users have become, as far as there is a name that both have.  *n of
 * them, in a. */
SnId *sn_control_became(const SnGraph *model, SnId id, const SnGraph *placed,
                        SnArena *a, uint32_t *n);
/* The ONNX node that node id of the model was imported for, if it is the last
 * of those that were: others are on the way to it, and get NULL. */
const char *sn_control_source(const SnGraph *model, SnId id);
/* Finds what globs mean that name nodes of the model: its values, or, where a
 * glob matches no value, its ONNX nodes.  Notes what they have become; a glob
 * that matches nothing is reported (SN_EUSAGE) with the closest name. */
SnStatus sn_control_resolve(SnArena *a, SnControl *c, const SnGraph *model,
                            const SnGraph *placed, SnDiag *d);
/* A glob that no node of g matches, and that stands for nothing else, is
 * reported, with the closest name. */
SnStatus sn_control_check(const SnControl *c, const SnGraph *g, SnArena *a,
                          SnDiag *d);
bool sn_glob_match(const SnGraph *g, const char *glob, SnId id);
/* option, where given: the option that asked for the precision, or NULL. */
SnSettings sn_settings_of(const SnControl *c, const SnGraph *g, SnId id,
                          const char **option);

#ifdef __cplusplus
}
#endif

#endif
