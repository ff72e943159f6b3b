// SPDX-License-Identifier: Apache-2.0
/* Backends outside the tree: a shared object that adds kinds, rules, one
 * backend with its kernels, and nothing else.  sinter-gen --plugin writes the
 * description below; every derived family, verb and evaluator reads the added
 * rows as it reads the program's own. */
#ifndef SN_PLUGIN_H
#define SN_PLUGIN_H

#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the structs in the installed headers.  It changes with every change of a
 * struct, or of what a function or a table means, that a plugin could see. */
#ifndef SN_PLUGIN_ABI
#define SN_PLUGIN_ABI 18
#endif

/* What a plugin exports under the name sn_plugin. */
typedef struct SnPluginDesc {
    uint32_t abi;       /* SN_PLUGIN_ABI when it was compiled */
    uint32_t nkind_at;  /* the number of its first kind */
    uint64_t core_hash; /* sn_core_hash of the declarations it goes with */
    const char *name;
    SnMoreKinds kinds;
    SnMoreRules rules;
} SnPluginDesc;
extern const SnPluginDesc sn_plugin;

/* Loads the shared object at path and adds what it describes, for the rest of
 * the process. A process can load one plugin, before any graph is made.
 * SN_EINPUT, and nothing is added, for a file that is not a plugin or was built
 * for another sinter. */
SnStatus sn_plugin_load(SnDiag *d, const char *path);
/* The checks of sn_plugin_load, then the adding; where is for messages. */
SnStatus sn_plugin_add(SnDiag *d, const char *where, const SnPluginDesc *p);

#ifdef __cplusplus
}
#endif

#endif
