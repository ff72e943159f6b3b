// SPDX-License-Identifier: Apache-2.0
/* libonnxruntime_providers_shared.so: ONNX Runtime 1.23 does not register a
 * library without it, npm's package lacks it, and what it does is to hold a
 * pointer.  Used by tests/long/ep.sh. */
void Provider_SetHost(void *host);
void *Provider_GetHost(void);

static void *held;

void
Provider_SetHost(void *host)
{
    held = host;
}

void *
Provider_GetHost(void)
{
    return held;
}
