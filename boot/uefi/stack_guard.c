// SPDX-License-Identifier: MIT
#include "stack_guard.h"

#include <cpuid.h>
#include <stdbool.h>

#include "lib/panic.h"
#include "lib/splitmix.h"

#define RDRAND_TRIES 10 /* Intel SDM, volume 1, 7.3.17.1 */

/* The lowest byte is 0: no string that is copied too far can restore it. */
#define STRING_END UINT64_C(0xff)

uintptr_t __stack_chk_guard = (uintptr_t)(SPLITMIX_STEP & ~STRING_END);

void __stack_chk_fail(void)
{
    panic("stack smashing detected");
}

#ifdef __i386__
/* What gcc has position-independent code of i386 call. */
__attribute__((visibility("hidden"))) _Noreturn void __stack_chk_fail_local(void);

void __stack_chk_fail_local(void)
{
    __stack_chk_fail();
}
#endif

STACK_GUARD_NONE static bool has_rdrand(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_RDRND;
}

STACK_GUARD_NONE static uintptr_t rdrand(void)
{
    uintptr_t value = 0;
    bool is_ready = false;

    for (unsigned i = 0; i < RDRAND_TRIES && !is_ready; i++)
        __asm__ volatile("rdrand %0" : "=r"(value), "=@ccc"(is_ready));
    return value;
}

STACK_GUARD_NONE static uint64_t ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

STACK_GUARD_NONE void stack_guard_seed(void)
{
    uint64_t value = ticks();

    if (has_rdrand())
        value ^= (uint64_t)rdrand() << 1;
    __stack_chk_guard = (uintptr_t)(splitmix_mix(value) & ~STRING_END);
}
