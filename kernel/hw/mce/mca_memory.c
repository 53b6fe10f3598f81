// SPDX-License-Identifier: MIT
#include "mce/mca_memory.h"

/* 000F 0000 1MMM CCCC and, of memory that is used as a cache, 000F 0010 1MMM CCCC. */
#define CODE_MASK           0xef80
#define CODE_MEMORY         0x0080
#define CODE_MEMORY_CACHE   0x0280
#define CODE_CHANNEL(s)     ((uint32_t)(s)&0xf)
#define CHANNEL_UNSPECIFIED 0xf

/* MCA_IPID of AMD's scalable banks: who reports. */
#define ID_HARDWARE(id)   ((id) >> 32 & 0xfff)
#define ID_TYPE(id)       ((id) >> 48)
#define ID_CONTROLLER(id) ((uint32_t)((id) >> 20 & 0xfff))
#define HARDWARE_UMC      0x96
#define TYPE_UMC_MAX      1 /* 0: family 17h; 1: the same with more errors of its own */

#define SCALABLE_XEC(s)     ((s) >> 16 & 0x3f)
#define XEC_UMC_ECC         0
#define XEC_UMC_PARITY      4
#define XEC_UMC_WRITE_CRC   5
#define NORTH_BRIDGE_XEC(s) ((s) >> 16 & 0x1f)
#define XEC_DRAM_ECC        8 /* 0, too: before family 10h */
#define XEC_DRAM_PARITY     0xd
#define FAMILY_WITHOUT_ECC  0x11

static bool is_intels_code(const struct mca_bank *b)
{
    return (b->status & CODE_MASK) == CODE_MEMORY || (b->status & CODE_MASK) == CODE_MEMORY_CACHE;
}

static bool is_umc(const struct mca_bank *b)
{
    return ID_HARDWARE(b->id) == HARDWARE_UMC && ID_TYPE(b->id) <= TYPE_UMC_MAX;
}

static bool is_umcs_error(const struct mca_bank *b)
{
    uint64_t xec = SCALABLE_XEC(b->status);

    return xec == XEC_UMC_ECC || xec == XEC_UMC_PARITY || xec == XEC_UMC_WRITE_CRC;
}

static bool is_north_bridges_error(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    uint64_t xec = NORTH_BRIDGE_XEC(b->status);

    if (b->number != MCA_NORTH_BRIDGE_BANK || cpu->family == FAMILY_WITHOUT_ECC)
        return false;
    return xec == 0 || xec == XEC_DRAM_ECC || xec == XEC_DRAM_PARITY;
}

bool mca_is_of_memory(const struct mca_cpu *cpu, const struct mca_bank *bank)
{
    if (cpu->scalable && bank->id)
        return is_umc(bank) && is_umcs_error(bank);
    if (is_intels_code(bank))
        return true;
    return cpu->amd && !cpu->scalable && is_north_bridges_error(cpu, bank);
}

struct mca_channel mca_channel_of(const struct mca_cpu *cpu, const struct mca_bank *bank)
{
    uint32_t channel = CODE_CHANNEL(bank->status);

    if (cpu->scalable && bank->id)
        return is_umc(bank) ? (struct mca_channel){ MCA_CHANNEL_UMC, ID_CONTROLLER(bank->id) }
                            : (struct mca_channel){ MCA_CHANNEL_NONE, 0 };
    if (!is_intels_code(bank) || channel == CHANNEL_UNSPECIFIED)
        return (struct mca_channel){ MCA_CHANNEL_NONE, 0 };
    return (struct mca_channel){ MCA_CHANNEL_CODE, channel };
}
