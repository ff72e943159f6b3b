// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.h"

#include <dlfcn.h>
#include <string.h>

static SnStatus
check_version(SnDiag *d, const char *where, const SnPluginDesc *p)
{
    if (p->abi != SN_PLUGIN_ABI)
        return sn_fail(d, SN_EINPUT, where,
                       "was built for plugin interface %u, and this sinter has "
                       "interface %u: build it against the headers installed "
                       "with this sinter",
                       p->abi, SN_PLUGIN_ABI);
    if (p->core_hash != sn_core_hash || p->nkind_at != sn_core_nkind)
        return sn_fail(d, SN_EINPUT, where,
                       "was generated from other core declarations (%016llx, "
                       "this sinter's are %016llx): run sinter-gen --plugin "
                       "with those installed with this sinter, and build it "
                       "again",
                       (unsigned long long)p->core_hash,
                       (unsigned long long)sn_core_hash);
    return SN_OK;
}

/* Names are one space: text files, --backend and messages go by them. */
static SnStatus
check_names(SnDiag *d, const char *where, const SnPluginDesc *p)
{
    for (uint32_t i = 0; i < p->kinds.nkind; i++) {
        SnKind k = sn_kind_named(p->kinds.kind[i].name);
        if (k)
            return sn_fail(d, SN_EINPUT, where,
                           "declares node '%s' (%s), which the core has "
                           "already (%s)",
                           p->kinds.kind[i].name, p->kinds.kind[i].where,
                           sn_desc(k)->where);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(p->kinds.kind[i].name, p->kinds.kind[j].name))
                return sn_fail(d, SN_EINPUT, where, "declares node '%s' twice",
                               p->kinds.kind[i].name);
        if (p->kinds.kind[i].kind != sn_core_nkind + i)
            return sn_fail(d, SN_EINPUT, where,
                           "gives node '%s' number %u, not %u",
                           p->kinds.kind[i].name, p->kinds.kind[i].kind,
                           sn_core_nkind + i);
    }
    for (uint32_t i = 0; i < p->rules.nbackend; i++)
        if (sn_backend_named(p->rules.backend[i].name))
            return sn_fail(d, SN_EINPUT, where,
                           "declares backend '%s', which the core has already",
                           p->rules.backend[i].name);
    return SN_OK;
}

SnStatus
sn_plugin_add(SnDiag *d, const char *where, const SnPluginDesc *p)
{
    if (sn_more_rules.nbackend || sn_more_kinds.nkind)
        return sn_fail(d, SN_EUSAGE, where,
                       "is a second plugin; only one can be loaded");
    SN_TRY(check_version(d, where, p));
    SN_TRY(check_names(d, where, p));
    sn_more_kinds = p->kinds;
    sn_more_rules = p->rules;
    return SN_OK;
}

SnStatus
sn_plugin_load(SnDiag *d, const char *path)
{
    SnArena *a = sn_arena_new();
    /* Without a slash dlopen looks in the system's directories. */
    const char *file = strchr(path, '/') ? path : sn_format(a, "./%s", path);
    void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    SnStatus st;

    if (!so) {
        const char *why = dlerror();
        size_t n = strlen(file);
        if (why && !strncmp(why, file, n) && !strncmp(why + n, ": ", 2))
            why += n + 2;
        st = sn_fail(d, SN_EINPUT, path, "cannot be loaded as a plugin: %s",
                     why ? why : "unknown reason");
    } else {
        const SnPluginDesc *p = dlsym(so, "sn_plugin");
        st = p ? sn_plugin_add(d, path, p)
               : sn_fail(d, SN_EINPUT, path,
                         "is not a plugin of sinter: it has no symbol "
                         "'sn_plugin'");
        if (st != SN_OK)
            dlclose(so); /* else it stays for the rest of the process */
    }
    sn_arena_free(a);
    return st;
}
