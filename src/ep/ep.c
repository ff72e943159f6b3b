// SPDX-License-Identifier: Apache-2.0
/* The execution provider: what ONNX Runtime calls first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ep/ep_claim.h"
#include "ep/ep_compute.h"

const char sn_ep_name[] = "sinter";

enum { NTHREAD = 64, NSHAPED = 1024 }; /* as options may have them */

/* ---- providers ---- */

/* Option ep.KEY of the session into out; "" where there is none.  One that is
 * longer than n is no value of any option: "?". */
static void
option(const OrtTable *api, const OrtOptions *o, const char *key, char *out,
       size_t n)
{
    char full[64];

    snprintf(full, sizeof full, "ep.%s", key);
    out[0] = '\0';
    size_t need = n;
    OrtStatus *s =
        ORT_AT(api, ORT_CONFIG_ENTRY, OrtGetConfig)(o, full, out, &need);
    if (s) {
        ORT_AT(api, ORT_RELEASE_STATUS, OrtRelease)(s);
        snprintf(out, n, "%s", need > n ? "?" : "");
    }
}

/* Whether an option is a number from 1 to most, or "", which is `other`. */
static bool
read_number(const OrtTable *api, const OrtOptions *o, const char *key,
            uint32_t most, uint32_t other, uint32_t *out)
{
    char text[16], *stop;

    option(api, o, key, text, sizeof text);
    *out = other;
    if (!*text)
        return true;
    unsigned long n = strtoul(text, &stop, 10);
    *out = (uint32_t)n;
    return *text >= '0' && *text <= '9' && !*stop && n >= 1 && n <= most;
}

/* Whether an option is `yes` and not `no` or "". */
static bool
read_word(const OrtTable *api, const OrtOptions *o, const char *key,
          const char *yes, const char *no, bool *out)
{
    char text[16];

    option(api, o, key, text, sizeof text);
    *out = !strcmp(text, yes);
    return *out || !*text || !strcmp(text, no);
}

/* "1", and not "0". */
static bool
read_flag(const OrtTable *api, const OrtOptions *o, const char *key, bool *out)
{
    return read_word(api, o, key, "1", "0", out);
}

/* Those of ONNX Runtime for contexts. */
static OrtStatus *
read_context(const OrtTable *api, const OrtOptions *o, SnEp *ep)
{
    if (!read_flag(api, o, "context_enable", &ep->keep))
        return sn_ep_failed(api, "sinter: ep.context_enable is neither '0' nor "
                                 "'1'");
    if (!read_flag(api, o, "context_embed_mode", &ep->embed))
        return sn_ep_failed(api, "sinter: ep.context_embed_mode is neither '0' "
                                 "nor '1'");
    option(api, o, "context_file_path", ep->kept, sizeof ep->kept);
    if (!strcmp(ep->kept, "?"))
        return sn_ep_failed(api, "sinter: ep.context_file_path is longer than "
                                 "2047 characters");
    option(api, o, "context_node_name_prefix", ep->prefix, sizeof ep->prefix);
    if (!strcmp(ep->prefix, "?") || strchr(ep->prefix, '/'))
        return sn_ep_failed(api, "sinter: ep.context_node_name_prefix is "
                                 "longer than 127 characters, or holds a '/'");
    return NULL;
}

/* How many parts ONNX Runtime's threads get of a step, where nothing is said:
 * how many threads it has is not known here. */
static uint32_t
nprocessor(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > NTHREAD ? NTHREAD : (uint32_t)n;
}

/* The options of a session; a status that names one that is wrong. */
static OrtStatus *
read_options(const OrtTable *api, const OrtOptions *o, SnEp *ep)
{
    if (!read_word(api, o, "sinter.bits", "contract", "same", &ep->contract))
        return sn_ep_failed(api, "sinter: option bits is neither 'same' nor "
                                 "'contract'");
    if (!read_word(api, o, "sinter.pool", "onnxruntime", "sinter", &ep->lent))
        return sn_ep_failed(api, "sinter: option pool is neither 'sinter' nor "
                                 "'onnxruntime'");
    if (!read_number(api, o, "sinter.threads", NTHREAD,
                     ep->lent ? nprocessor() : 1, &ep->threads))
        return sn_ep_failed(api,
                            "sinter: option threads is not a number from 1 to "
                            "64");
    if (!read_number(api, o, "sinter.shapes", NSHAPED, 16, &ep->nshaped))
        return sn_ep_failed(api,
                            "sinter: option shapes is not a number from 1 to "
                            "1024");
    option(api, o, "sinter.leave", ep->leave, sizeof ep->leave);
    if (!read_flag(api, o, "sinter.small", &ep->small))
        return sn_ep_failed(api, "sinter: option small is neither '0' nor '1'");
    option(api, o, "sinter.quantize", ep->quantize, sizeof ep->quantize);
    if (!strcmp(ep->quantize, "?"))
        return sn_ep_failed(api, "sinter: option quantize is longer than 2047 "
                                 "characters");
    if (ep->quantize[0] && access(ep->quantize, R_OK) != 0)
        return sn_ep_failed(api, "sinter: option quantize is not the path of a "
                                 "file that can be read");
    if (ep->quantize[0] && !ep->contract)
        return sn_ep_failed(api, "sinter: option quantize requires bits = "
                                 "contract");
    if (!strcmp(ep->leave, "?"))
        return sn_ep_failed(api, "sinter: option leave is longer than 2047 "
                                 "characters");
    return read_context(api, o, ep);
}

static const char *
ep_name(const OrtEp *ep)
{
    (void)ep;
    return sn_ep_name;
}

static OrtStatus *
create(OrtFactory *base, const OrtDevice *const *d,
       const OrtPairs *const *metadata, size_t n, const OrtOptions *o,
       const OrtLogger *l, OrtEp **out)
{
    SnEpFactory *f = (SnEpFactory *)base;
    SnEp *ep = calloc(1, sizeof *ep);

    (void)d;
    (void)metadata;
    (void)n;
    *out = NULL;
    if (!ep)
        return sn_ep_no_memory(f->api);
    ep->base = (OrtEp){.version = ORT_API,
                       .name = ep_name,
                       .capability = sn_ep_capability,
                       .compile = sn_ep_compile,
                       .release_computes = sn_ep_release_computes};
    ep->factory = f;
    ep->logger = l;
    OrtStatus *s = read_options(f->api, o, ep);
    if (s) {
        free(ep);
        return s;
    }
    *out = &ep->base;
    return NULL;
}

static void
release(OrtFactory *f, OrtEp *ep)
{
    (void)f;
    sn_ep_forget((SnEp *)ep);
    free((SnEp *)ep);
}

/* ---- factories ---- */

static const char *
factory_name(const OrtFactory *f)
{
    (void)f;
    return sn_ep_name;
}

static const char *
release_of(const OrtFactory *f)
{
    (void)f;
    return sinter_version();
}

static uint32_t
vendor_id(const OrtFactory *f)
{
    (void)f;
    return 0;
}

static OrtStatus *
devices(OrtFactory *base, const OrtDevice *const *d, size_t n,
        OrtEpDevice **out, size_t most, size_t *nout)
{
    SnEpFactory *f = (SnEpFactory *)base;
    OrtStatus *s = NULL;

    *nout = 0;
    for (size_t i = 0; i < n && *nout < most && !s; i++) {
        if (ORT_AT(f->api, ORT_DEVICE_TYPE, OrtDeviceType)(d[i]) != 0)
            continue;
        s = ORT_AT(f->ep_api, ORT_EP_NEW_DEVICE,
                   OrtNewDevice)(base, d[i], NULL, NULL, &out[*nout]);
        *nout += s == NULL;
    }
    return s;
}

/* Values lie in the memory of the CPU provider. */
static OrtStatus *
allocator(OrtFactory *f, const void *memory, const OrtPairs *o, void **out)
{
    (void)f;
    (void)memory;
    (void)o;
    *out = NULL;
    return NULL;
}

static void
release_allocator(OrtFactory *f, void *a)
{
    (void)f;
    (void)a;
}

static OrtStatus *
transfer(OrtFactory *f, void **out)
{
    (void)f;
    *out = NULL;
    return NULL;
}

static bool
stream_aware(const OrtFactory *f)
{
    (void)f;
    return false;
}

OrtStatus *CreateEpFactories(const char *name, const OrtBase *base,
                             const OrtLogger *l, OrtFactory **out, size_t most,
                             size_t *n);
OrtStatus *ReleaseEpFactory(OrtFactory *f);

OrtStatus *
CreateEpFactories(const char *name, const OrtBase *base, const OrtLogger *l,
                  OrtFactory **out, size_t most, size_t *n)
{
    const OrtTable *api = base->get_api(ORT_API);
    SnEpFactory *f;

    (void)name;
    (void)l;
    *n = 0;
    if (!api)
        return sn_ep_failed(base->get_api(1),
                            "sinter: requires ONNX Runtime 1.23 or later");
    if (most < 1)
        return sn_ep_failed(api, "sinter: expected room for one factory");
    const OrtTable *ep_api = ORT_AT(api, ORT_EP_API, OrtGetTable)();
    if (!ep_api)
        return sn_ep_failed(
            api,
            "sinter: this build of ONNX Runtime does not support providers");
    f = calloc(1, sizeof *f);
    if (!f)
        return sn_ep_no_memory(api);
    f->base = (OrtFactory){.version = ORT_API,
                           .name = factory_name,
                           .vendor = factory_name,
                           .devices = devices,
                           .create = create,
                           .release = release,
                           .vendor_id = vendor_id,
                           .release_of = release_of,
                           .allocator = allocator,
                           .release_allocator = release_allocator,
                           .transfer = transfer,
                           .stream_aware = stream_aware};
    f->api = api;
    f->ep_api = ep_api;
    out[0] = &f->base;
    *n = 1;
    return NULL;
}

OrtStatus *
ReleaseEpFactory(OrtFactory *f)
{
    free((SnEpFactory *)f);
    return NULL;
}
