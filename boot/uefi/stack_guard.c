// SPDX-License-Identifier: MIT
#include "stack_guard.h"

#include "io/cpu_random.h"
#include "lib/panic.h"
#include "lib/splitmix.h"

/* The lowest byte is 0, which a string that is copied too far cannot restore. */
#define STRING_END UINT64_C(0xff)

uintptr_t __stack_chk_guard = (uintptr_t)(SPLITMIX_STEP & ~STRING_END);

void __stack_chk_fail(void)
{
    panic("stack smashing detected");
}

#ifdef __i386__
/* Position-independent code for i386 calls it. */
__attribute__((visibility("hidden"))) _Noreturn void __stack_chk_fail_local(void);

void __stack_chk_fail_local(void)
{
    __stack_chk_fail();
}
#endif

STACK_GUARD_NONE static uint64_t ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

STACK_GUARD_NONE void stack_guard_seed(void)
{
    uint64_t value = ticks();

    if (cpu_has_rdrand())
        value ^= (uint64_t)cpu_rdrand() << 1;
    __stack_chk_guard = (uintptr_t)(splitmix_mix(value) & ~STRING_END);
}
