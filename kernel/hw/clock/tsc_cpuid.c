// SPDX-License-Identifier: MIT
#include "clock/tsc_cpuid.h"

#include "arch/tsc.h"

#define LEAF_CRYSTAL    0x15u
#define LEAF_BASE       0x16u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_INTERFACE  0x40000001u
#define LEAF_HYPER_V    0x40000003u
#define LEAF_TIMING     0x40000010u
#define LEAF_PAST       0x40010000u /* more leaves than any hypervisor has: not a hypervisor's answer */

#define HYPERVISOR        (1u << 31)  /* leaf 1, ECX */
#define HYPER_V_INTERFACE 0x31237648u /* "Hv#1" */
#define HYPER_V_MAY_READ  (1u << 11)  /* EAX */
#define HYPER_V_HAS_MSRS  (1u << 8)   /* EDX */

#define HZ_MIN UINT64_C(1000000)

enum { EAX, EBX, ECX, EDX };

struct source {
    cpuid_fn *cpuid;
    void *ctx;
};

struct answer {
    uint32_t regs[4];
};

static struct answer ask(const struct source *a, uint32_t leaf)
{
    struct answer answer;

    a->cpuid(a->ctx, leaf, 0, answer.regs);
    return answer;
}

uint64_t tsc_cpuid_possible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= TSC_HZ_MAX ? hz : 0;
}

static uint64_t crystal_hz(const struct source *a)
{
    struct answer r = ask(a, LEAF_CRYSTAL);

    if (!r.regs[EAX])
        return 0;
    return tsc_cpuid_possible((uint64_t)r.regs[ECX] * r.regs[EBX] / r.regs[EAX]);
}

static void ask_hypervisor(const struct source *a, struct tsc_cpuid *ret)
{
    uint32_t top = ask(a, LEAF_HYPERVISOR).regs[EAX];

    if (top >= LEAF_PAST)
        return;
    if (top >= LEAF_TIMING)
        ret->hypervisor_hz = tsc_cpuid_possible((uint64_t)ask(a, LEAF_TIMING).regs[EAX] * 1000);
    if (top >= LEAF_HYPER_V && ask(a, LEAF_INTERFACE).regs[EAX] == HYPER_V_INTERFACE) {
        struct answer r = ask(a, LEAF_HYPER_V);

        ret->has_hyper_v_msr = r.regs[EAX] & HYPER_V_MAY_READ && r.regs[EDX] & HYPER_V_HAS_MSRS;
    }
}

struct tsc_cpuid tsc_cpuid_read(cpuid_fn *cpuid, void *ctx)
{
    struct source a = { cpuid, ctx };
    struct tsc_cpuid found = { 0 };
    uint32_t top = ask(&a, 0).regs[EAX];

    if (top >= LEAF_CRYSTAL)
        found.crystal_hz = crystal_hz(&a);
    if (top >= LEAF_BASE)
        found.base_hz =
            tsc_cpuid_possible((ask(&a, LEAF_BASE).regs[EAX] & 0xffff) * UINT64_C(1000000));
    if (ask(&a, 1).regs[ECX] & HYPERVISOR)
        ask_hypervisor(&a, &found);
    return found;
}
