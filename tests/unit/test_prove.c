// SPDX-License-Identifier: Apache-2.0
/* The two layers of the prover check each other: a calculus that proves what
 * cases contradict is a defect of sinter-gen (SN399), not of the rule.  This
 * program is linked with a calculus that errs where it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dsl/syntax/parse.h"
#include "dsl/prove/trial/case.h"
#include "dsl/resolve/resolver.h"

static bool errs;
static const char *certificate; /* what it writes when it errs */

/* What the linker makes of --wrap=sn_calculus_lemma (tests.mk). */
SnLemma __real_sn_calculus_lemma(SnProver *pv, const SnInstance *pr);
SnLemma __wrap_sn_calculus_lemma(SnProver *pv, const SnInstance *pr);

SnLemma
__wrap_sn_calculus_lemma(SnProver *pv, const SnInstance *pr)
{
    return errs ? (SnLemma){.exact = true,
                            .refines = true,
                            .used = 1u << 2,
                            .certificate = certificate}
                : __real_sn_calculus_lemma(pv, pr);
}

/* The first line of what is said of a rule, without its place. */
static const char *
said_of(SnArena *a, const char *rule)
{
    static const char *const dirs[] = {"."};
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);
    const char *text =
        sn_format(a,
                  "version 2;\ninclude \"nodes.def\";\n"
                  "pass p {\n  allow exact;\n  rule r: %s exact;\n}\n",
                  rule);

    sn_def_parse_text(s, d, "r.def", text, strlen(text), dirs, 1);
    sn_def_resolve(s, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    SnProofs *p = sn_prove(s, d, NULL);
    assert_string_equal(p->v[0].name, "r"); /* what nodes claim follows */
    assert_int_equal(p->v[0].layer == SN_LAYER_REFUSED, sn_diag_nerror(d) > 0);
    const char *at = strstr(sn_diag_text(d, a), "error[");
    bool defect = at && !strncmp(at, "error[SN399]", 12);
    assert_int_equal(sn_diag_status(d), defect ? SN_EINTERNAL
                                        : at   ? SN_ECHECK
                                               : SN_OK);
    return at ? sn_strndup(a, at, strcspn(at, "\n")) : "";
}

static void
layers(void **state)
{
    static const char sound[] = "Relu(Relu(x) @i) @o => Relu(x) : o.type when "
                                "i.type == o.type";
    static const char unsound[] = "Abs(Relu(x) @i) @o => Abs(x) : o.type when "
                                  "i.type == o.type";
    SnArena *a = sn_arena_new();

    (void)state;
    errs = false;
    assert_string_equal(said_of(a, sound), "");
    assert_non_null(strstr(said_of(a, unsound),
                           "error[SN301]: rule 'r' is unsound: claimed exact"));
    /* without a certificate that carries the claim, nothing is proved */
    errs = true;
    assert_non_null(strstr(said_of(a, unsound), "error[SN301]"));
    certificate = "C e\na x\na y\nt v 0 0 -1 0 0\nt v 0 1 -1 0 0\nE 0 1\n";
    assert_non_null(strstr(said_of(a, unsound), "error[SN301]"));
    certificate = "C r\na x\nt v 0 0 -1 0 0\nE 0 0\n";
    assert_non_null(strstr(said_of(a, unsound), "error[SN301]"));
    /* one of other terms does */
    certificate = "C e\na x\nt v 0 0 -1 0 0\nE 0 0\n";
    assert_string_equal(said_of(a, sound), "");
    assert_string_equal(said_of(a, unsound),
                        "error[SN399]: internal: the calculus proves 'r' "
                        "exact (L2), and a case contradicts it");
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {cmocka_unit_test(layers)};

    return cmocka_run_group_tests(t, NULL, NULL);
}
