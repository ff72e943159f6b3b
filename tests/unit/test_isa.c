// SPDX-License-Identifier: Apache-2.0
/* Instruction sets: their names, and the ceilings that `sinter bench` and the
 * benchmarks measure with each that this processor has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/isa.h"
#include "kernel/peak.h"

static void
names(void **state)
{
    SnIsa isa = SN_NISA;

    (void)state;
    for (int i = 0; i < SN_NISA; i++) {
        assert_true(sn_isa_named(sn_isa_name((SnIsa)i), &isa));
        assert_int_equal(isa, i);
    }
    assert_false(sn_isa_named("vnni512", &isa));
    assert_false(sn_isa_named("", &isa));
    assert_true(sn_isa_have(SN_ISA_PORTABLE));
    assert_true(sn_isa_have(sn_isa_best()));
}

/* On one thread; on two, of which each counts. */
static void
ceilings(void **state)
{
    (void)state;
    for (int i = 0; i < SN_NISA; i++) {
        if (!sn_isa_have((SnIsa)i))
            continue;
        SnPeak one = sn_peak((SnIsa)i, 1);
        assert_true(one.ops8 > 1e6 && one.ops32 > 1e6 && one.read > 1e6);
    }
    SnPeak two = sn_peak(SN_ISA_PORTABLE, 2);
    assert_true(two.ops8 > 1e6 && two.ops32 > 1e6 && two.read > 1e6);
}

/* n bytes before a page that cannot be read. */
static void
reads_within(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
    for (int i = 0; i < SN_NISA; i++)
        for (size_t n = 128; n <= 512 && sn_isa_have((SnIsa)i); n += 128)
            sn_peak_read((SnIsa)i, p + page - n, n);
    munmap(p, 2 * page);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(reads_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
