#include "sn_where.h"
#include "npu_kernels.h"

/* tests/gen/backend.def:12: backend.add_relu
 *
 *   rule add_relu: Relu(Add(a, b) @s :1) @o => NPUAddRelu(a, b) {mid =
 *       s.type, mid_clamp = s.clamp, round = s.round, zp_shift =
 *       s.zp_shift} : o.type when s.type in [q8] and o.type in [q8] and
 *       s.round == before exact;
 */
static SN_OWN_CODE bool
backend_add_relu(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId s = SN_NODE(sn_in(g, o, 0));
    if (sn_node(g, s)->kind != SN_K_ADD)
        return false;
    if (sn_nuse(g, SN_REF(s, 0)) != 1)
        return false;
    SnRef a = sn_in(g, s, 0);
    SnRef b = sn_in(g, s, 1);
    if (!sn_type_is(sn_type(g, SN_REF(s, 0)), SN_QI8, -1))
        return sn_guard_fails(rw, SN_RULE_BACKEND_ADD_RELU, g, o,
            "s.type in [q8]", 1, (const SnNamed[]){ { "s", SN_REF(s, 0) } });
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_QI8, -1))
        return sn_guard_fails(rw, SN_RULE_BACKEND_ADD_RELU, g, o,
            "o.type in [q8]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_add_attr(g, s)->round != SN_ADD_ROUND_BEFORE)
        return sn_guard_fails(rw, SN_RULE_BACKEND_ADD_RELU, g, o,
            "s.round == before", 1, (const SnNamed[]){ { "s", SN_REF(s, 0) } });

    if (!sn_fire(rw, SN_RULE_BACKEND_ADD_RELU, g, o))
        return false;
    SnNPUAddReluAttr npu_add_relu_attr =
        *(const SnNPUAddReluAttr *)sn_desc(SN_K_NPU_ADD_RELU)->defaults;
    npu_add_relu_attr.mid = sn_type(g, SN_REF(s, 0));
    npu_add_relu_attr.mid_clamp = sn_add_attr(g, s)->clamp;
    npu_add_relu_attr.round = sn_add_attr(g, s)->round;
    npu_add_relu_attr.zp_shift = sn_add_attr(g, s)->zp_shift;
    SnId npu_add_relu = sn_npu_add_relu_new(g, NULL, a, b, &npu_add_relu_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(npu_add_relu, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/backend.def:15: backend.pack
 *
 *   custom rule pack on Conv2D contract { matches Conv2D(x, w, b) @c; when
 *       const(w) and dim(x, 3) <= 4 and c.group == 1; makes Conv2D,
 *       Constant; removes Conv2D; claim exact; } builder sn_npu_pack_filter
 *       trusted "re-lays the filter";
 */
static SN_OWN_CODE bool
backend_pack(SnGraph *g, SnRewriter *rw, SnId c)
{
    SnRef x = sn_in(g, c, 0);
    SnRef w = sn_in(g, c, 1);
    if (sn_conv2d_attr(g, c)->group != 1)
        return sn_guard_fails(rw, SN_RULE_BACKEND_PACK, g, c, "c.group == 1", 1,
            (const SnNamed[]){ { "c", SN_REF(c, 0) } });
    if (sn_dim(g, x, 3) > 4)
        return sn_guard_fails(rw, SN_RULE_BACKEND_PACK, g, c, "dim(x, 3) <= 4",
            1, (const SnNamed[]){ { "x", x } });
    if (!sn_is_const(g, w))
        return sn_guard_fails(rw, SN_RULE_BACKEND_PACK, g, c, "const(w)", 1,
            (const SnNamed[]){ { "w", w } });
    return sn_npu_pack_filter(g, rw, c);
}

const uint64_t sn_core_hash = SN_CORE_HASH;

/* ---- passes ---- */

/* backend: written rules, by the kind of the root. */
static bool
visit_backend_npu(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_RELU:
        return backend_add_relu(g, rw, id);
    default:
        return false;
    }
}

/* backend: written rules, by the kind of the root. */
static bool
visit_backend_npu_2(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_CONV2D:
        return backend_pack(g, rw, id);
    default:
        return false;
    }
}

static const SnClaim allow_backend_npu[] = { { SN_CLAIM_EXACT, 0.0 } };
static const SnStep steps_backend_npu[] = {
    { .family = SN_FAM_WRITTEN, .visit = visit_backend_npu },
    { .family = SN_FAM_CUSTOM, .visit = visit_backend_npu_2 },
};

const SnRuleOff sn_core_off[1] = { { 0 } };
const uint32_t sn_core_noff = 0;

/* ---- backend NPU ---- */

static bool
npu_supports(SnKind k, const SnTuple *t)
{
    static const SnTypePat type[] = { { SN_QI8, -1 } };

    return sn_tuple_within("NPU", k, t, type, 1);
}

static bool
npu_keeps_conv2d(const SnGraph *g, SnId id)
{
    return sn_conv2d_attr(g, id)->group == 1
        && sn_int_at(sn_conv2d_attr(g, id)->kernel, 0) > 1;
}

static const SnKeep npu_keep[] = {
    { SN_K_CONV2D, npu_keeps_conv2d },
    { SN_K_ADD, NULL },
};
static const SnKernelDesc npu_kernels[] = {
    { SN_K_NPU_ADD_RELU, 0, "sn_npu_add_relu", sn_npu_add_relu, NULL, false },
    { SN_K_CONV2D, 0, "sn_npu_conv", sn_npu_conv, sn_npu_pack, false },
    { SN_K_ADD, 0, "sn_npu_two", sn_npu_two, NULL, false },
    { SN_K_ADD, 1, "sn_npu_two", sn_npu_two, NULL, false },
    { SN_K_MUL, 0, "sn_npu_two", sn_npu_two, NULL, false },
    { SN_K_MUL, 1, "sn_npu_two", sn_npu_two, NULL, false },
};
static const SnBackendHooks npu_hooks = {
    .lower = npu_lower,
};

const SnBackendDesc sn_core_backends[] = {
    { .name = "NPU", .rounding = 0,
      .fallback_reference = false, .nkeep = 2, .keep = npu_keep,
      .supports = npu_supports,
      .nkernel = 6, .kernel = npu_kernels,
      .hooks = &npu_hooks,
      .where = sn_backend_where[0] },
};
const uint32_t sn_core_nbackend = 1;
