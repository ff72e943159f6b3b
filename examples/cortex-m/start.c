// SPDX-License-Identifier: Apache-2.0
/* Reset: the FPU is switched on, data copied, bss cleared; then main, whose
 * result ends the emulator.  For Cortex-M4 and M55 under qemu. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t data_from[], data_start[], data_end[], bss_start[], bss_end[];
extern uint32_t stack_top[];
extern void initialise_monitor_handles(void);
int main(void);

void reset(void);
static void fault(void);

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    stack_top,     (void *)reset, (void *)fault, (void *)fault,
    (void *)fault, (void *)fault, (void *)fault,
};

static void
fault(void)
{
    for (;;)
        exit(70);
}

void
reset(void)
{
    volatile uint32_t *cpacr = (volatile uint32_t *)0xe000ed88;
    uint32_t *to = data_start;

    *cpacr |= 0xfu << 20; /* coprocessors 10 and 11: the FPU */
    __asm__ volatile("dsb\n isb" ::: "memory");
    for (const uint32_t *from = data_from; to < data_end;)
        *to++ = *from++;
    for (to = bss_start; to < bss_end;)
        *to++ = 0;
    initialise_monitor_handles();
    exit(main());
}

/* Functions that newlib requires. */
void _init(void);
void _fini(void);

void
_init(void)
{
}

void
_fini(void)
{
}
