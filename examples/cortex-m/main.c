// SPDX-License-Identifier: Apache-2.0
/* Runs the network on the sample that its self-test stores, checks the bits,
 * and prints the class and how many instructions a run takes: SysTick under
 * qemu's -icount counts them.  These are not cycles. */
#include <stdint.h>

#define main self_test
#include "net_test.c"
#undef main

#define SYST_CSR (*(volatile uint32_t *)0xe000e010)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018)

static long
run(void)
{
    SYST_RVR = 0xffffff;
    SYST_CVR = 0;
    SYST_CSR = 5;
    while (SYST_CVR == 0)
        ;
    uint32_t from = SYST_CVR;
    int failed = net_run(arena(), stored_in0, out0);
    uint32_t to = SYST_CVR;
    return failed ? -1 : (long)((from - to) & 0xffffff);
}

int
main(void)
{
    char name[] = "net_test", *argv[] = {name, NULL};
    int wrong = self_test(1, argv);
    long ticks = run(), best = 0;

    for (long i = 1; i < NET_OUT0_COUNT; i++)
        if (out0[i] > out0[best])
            best = i;
    printf("class %ld, %.3f M instructions, arena %d bytes\n", best,
           (double)ticks * TICK_INSTRUCTIONS * 1e-6, NET_ARENA);
    return wrong || ticks < 0;
}
