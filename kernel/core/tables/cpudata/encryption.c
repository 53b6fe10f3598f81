// SPDX-License-Identifier: MIT
#include "cpudata/encryption.h"

#define LEAF_FEATURES   7u
#define LEAF_ENCRYPTION 0x8000001fu

#define FEATURES_TME (1u << 13) /* leaf 7 ECX: the MSRs 0x981 to 0x984 are there */
#define HAS_SME      1u         /* leaf 0x8000001F EAX */

#define MSR_TME_ACTIVATE 0x982u
#define MSR_SYSCFG       0xc0010010u

#define TME_LOCKED UINT64_C(1) /* what is not locked is not in force */
#define TME_ON     (UINT64_C(1) << 1)
#define TME_BYPASS (UINT64_C(1) << 31) /* KeyID 0, which okram uses, is not encrypted */
#define SYSCFG_SME (UINT64_C(1) << 23) /* MemEncryptionModEn */

static bool is_tme_on(uint64_t activate)
{
    const uint64_t in_force = TME_LOCKED | TME_ON;

    return (activate & (in_force | TME_BYPASS)) == in_force;
}

enum encryption encryption_read(cpuid_fn *cpuid, void *ctx, msr_fn *msr, bool hypervisor)
{
    struct cpu_identity id;
    uint32_t r[4];

    if (hypervisor)
        return ENCRYPTION_UNKNOWN;
    id = cpu_identity_read(cpuid, ctx);
    if (id.is_intel && cpuid_ask(cpuid, ctx, LEAF_FEATURES, r) && r[2] & FEATURES_TME)
        return is_tme_on(msr(MSR_TME_ACTIVATE)) ? ENCRYPTION_TME : ENCRYPTION_OFF;
    if (id.is_amd && cpuid_ask(cpuid, ctx, LEAF_ENCRYPTION, r) && r[0] & HAS_SME)
        return msr(MSR_SYSCFG) & SYSCFG_SME ? ENCRYPTION_SME : ENCRYPTION_UNKNOWN;
    return ENCRYPTION_OFF;
}

const char *encryption_name(enum encryption encryption)
{
    static const char *const names[ENCRYPTION_KINDS] = {
        [ENCRYPTION_UNKNOWN] = "unknown",
        [ENCRYPTION_OFF] = "off",
        [ENCRYPTION_TME] = "tme",
        [ENCRYPTION_SME] = "sme",
    };

    return names[encryption];
}
