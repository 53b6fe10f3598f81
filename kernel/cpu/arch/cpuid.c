// SPDX-License-Identifier: MIT
#include "arch/cpuid.h"

#include "arch/cpu.h"
#include "lib/string.h"

void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    struct cpuid_regs r = cpuid(leaf, subleaf);

    memcpy(regs, &r, sizeof(r));
}

static void read_brand(char brand[49])
{
    char text[49] = { 0 };
    size_t start = 0, end;

    if (cpuid(0x80000000, 0).eax < 0x80000004) {
        string_copy(brand, "unknown CPU", 49);
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        struct cpuid_regs r = cpuid(0x80000002 + i, 0);

        memcpy(text + 16 * i, &r, 16);
    }
    end = strlen(text);
    while (text[start] == ' ')
        start++;
    while (end > start && text[end - 1] == ' ')
        end--;
    text[end] = 0;
    string_copy(brand, text + start, 49);
}

/* Whether XCR0 supports the bits for opmask and ZMM registers. avx2 implies leaf 0xD. */
static bool has_avx512_state(void)
{
    return (cpuid(0xd, 0).eax & XCR0_AVX512) == XCR0_AVX512;
}

struct cpu_features cpu_features_read(void)
{
    struct cpuid_regs basic = cpuid(1, 0), extended = { 0 }, structured = { 0 };
    uint32_t top = cpuid(0, 0).eax, top_extended = cpuid(0x80000000, 0).eax;
    struct cpu_features f = { .physical_bits = 36 };

    if (top >= 7)
        structured = cpuid(7, 0);
    if (top_extended >= 0x80000001)
        extended = cpuid(0x80000001, 0);
    if (top_extended >= 0x80000007)
        f.invariant_tsc = cpuid(0x80000007, 0).edx & 1u << 8;
    if (top_extended >= 0x80000008)
        f.physical_bits = cpuid(0x80000008, 0).eax & 0xff;
    read_brand(f.brand);
    f.x2apic = basic.ecx & 1u << 21;
    f.hypervisor = basic.ecx & 1u << 31;
    f.nx = extended.edx & 1u << 20;
    f.pages_1g = extended.edx & 1u << 26;
    f.clflushopt = structured.ebx & 1u << 23;
    f.avx2 = structured.ebx & 1u << 5 && basic.ecx & 1u << 28 && basic.ecx & 1u << 26;
    f.avx512 = f.avx2 && structured.ebx & 1u << 16 && has_avx512_state();
    return f;
}
