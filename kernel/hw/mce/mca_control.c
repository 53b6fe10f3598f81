// SPDX-License-Identifier: MIT
#include "mce/mca_control.h"

#define INTEL_FAMILY      6
#define INTEL_BANK0_MODEL 0x1a /* Nehalem */
#define AMD_K8            0x0f
#define AMD_10H           0x10
#define GART_WALK         (UINT64_C(1) << 10)

bool mca_may_control(const struct mca_cpu *cpu, uint32_t bank)
{
    return cpu->amd || bank != 0 || cpu->family != INTEL_FAMILY || cpu->model >= INTEL_BANK0_MODEL;
}

static bool has_gart(const struct mca_cpu *cpu, uint32_t bank)
{
    return cpu->amd && bank == MCA_NORTH_BRIDGE_BANK &&
           (cpu->family == AMD_K8 || cpu->family == AMD_10H);
}

uint64_t mca_control(const struct mca_cpu *cpu, uint32_t bank)
{
    return has_gart(cpu, bank) ? ~GART_WALK : UINT64_MAX;
}

uint64_t mca_control_mask(const struct mca_cpu *cpu, uint32_t bank)
{
    return has_gart(cpu, bank) && !cpu->hypervisor ? GART_WALK : 0;
}
