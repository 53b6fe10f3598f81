// SPDX-License-Identifier: MIT
#include "mce/mca_decode.h"

#define STATUS_VALID     (UINT64_C(1) << 63)
#define STATUS_UC        (UINT64_C(1) << 61) /* uncorrected */
#define STATUS_ENABLED   (UINT64_C(1) << 60) /* for the exception */
#define STATUS_MISC      (UINT64_C(1) << 59)
#define STATUS_ADDR      (UINT64_C(1) << 58)
#define STATUS_PCC       (UINT64_C(1) << 57) /* processor context corrupt */
#define STATUS_SIGNALLED (UINT64_C(1) << 56) /* Intel, with SER_P */
#define STATUS_ACTION    (UINT64_C(1) << 55) /* Intel, with SER_P */
#define STATUS_TCC       (UINT64_C(1) << 55) /* AMD, scalable: task context corrupt */
#define STATUS_DEFERRED  (UINT64_C(1) << 44) /* AMD: uncorrected, not yet used */
#define STATUS_POISON    (UINT64_C(1) << 43) /* AMD: such data has been used */

#define COUNT_SHIFT 38
#define COUNT_MASK  0x7fff

/* Compound error codes (SDM vol. 3B, 15.9.2). */
#define CODE_MEMORY_MASK 0xef80
#define CODE_MEMORY      0x0080 /* 000F 0000 1MMM CCCC */
#define CODE_AS_CACHE    0x0280 /* 000F 0010 1MMM CCCC: of memory that is used as a cache */
#define CODE_CACHE_MASK  0xef00
#define CODE_CACHE       0x0100 /* 000F 0001 RRRR TTLL */
#define CODE_LEVEL_MASK  0xeffc
#define CODE_LEVEL       0x000c /* 000F 0000 0000 11LL */
#define CODE_TLB_MASK    0xeff0
#define CODE_TLB         0x0010 /* 000F 0000 0001 TTLL */

/* Simple ones (15.9.1): parity in the microcode's ROM or elsewhere inside, timer, others inside. */
#define CODE_ROM           0x0002
#define CODE_PARITY        0x0005
#define CODE_INTERNAL_MASK 0xec00
#define CODE_INTERNAL      0x0400

/* Fetch, data cache, data TLB and the core's level-2 cache, since Nehalem (16.3 and later). */
#define INTEL_CORE_BANKS 4

/* Before scalable banks: data and instruction cache, level 2, load-store; 5: execution; 6: FPU. */
#define AMD_CORE_BANKS 7

#define CODE_CHANNEL(status) ((uint32_t)(status)&0xf)
#define CHANNEL_UNSPECIFIED  0xf

/* IA32_MCi_MISC (SDM vol. 3B, 15.3.2.4). */
#define MISC_LSB(misc)  ((misc)&0x3f)
#define MISC_MODE(misc) ((misc) >> 6 & 7)
#define MODE_PHYSICAL   2

/* AMD: the north bridge's codes (BKDG family 10h, MSR0000_0411). */
#define NORTH_BRIDGE_XEC(status) ((status) >> 16 & 0x1f)
#define NORTH_BRIDGE_XEC_GART    5
#define NORTH_BRIDGE_XEC_DRAM    8 /* 0, too: before family 10h */
#define NORTH_BRIDGE_XEC_PARITY  0xd
#define FAMILY_WITHOUT_ECC       0x11

/* MCA_IPID of AMD's scalable banks: which unit reports. */
#define ID_HARDWARE(id)   ((id) >> 32 & 0xfff)
#define ID_TYPE(id)       ((id) >> 48)
#define ID_CONTROLLER(id) ((uint32_t)((id) >> 20 & 0xfff))
#define HARDWARE_UMC      0x96
#define TYPE_UMC_MAX      1 /* 0: family 17h; 1: the same with more errors of its own */

/* The types of a core's units (PPR family 19h, MCA_IPID); 7 is the L3 cache, which cores share. */
#define HARDWARE_CORE 0xb0
#define CORE_UNITS    (1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6) /* LS IF L2 DE EX FP */
#define TYPE_LS_NEW   0x10

#define SCALABLE_XEC(status) ((status) >> 16 & 0x3f)
#define XEC_UMC_ECC          0
#define XEC_UMC_PARITY       4
#define XEC_UMC_WRITE_CRC    5

/* AMD, scalable: where the least significant valid bit of the address is reported. */
#define CONFIG_LSB_IN_STATUS    (UINT64_C(1) << 8)
#define SCALABLE_STATUS_LSB(s)  ((s) >> 24 & 0x3f)
#define SCALABLE_ADDRESS_LSB(a) ((a) >> 56 & 0x3f)
#define SCALABLE_ADDRESS_BITS   56

#define PAGE_LSB 12

/* For the control registers. */
#define INTEL_FAMILY      6
#define INTEL_BANK0_MODEL 0x1a /* Nehalem */
#define AMD_K8            0x0f
#define AMD_10H           0x10
#define GART_WALK         (UINT64_C(1) << 10)

static bool is_code(uint64_t status, uint64_t mask, uint64_t code)
{
    return (status & mask) == code;
}

/* An error that a CPU's own cache or TLB has corrected says nothing about memory. */
static bool is_of_cpu(uint64_t status, bool corrected)
{
    if (is_code(status, CODE_TLB_MASK, CODE_TLB))
        return true;
    return corrected && (is_code(status, CODE_CACHE_MASK, CODE_CACHE) ||
                         is_code(status, CODE_LEVEL_MASK, CODE_LEVEL));
}

/* The lowest valid bit of the address. */
static uint32_t address_lsb(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    if (cpu->scalable)
        return b->config & CONFIG_LSB_IN_STATUS ? SCALABLE_STATUS_LSB(b->status)
                                                : SCALABLE_ADDRESS_LSB(b->addr);
    if (b->status & STATUS_MISC && MISC_MODE(b->misc) == MODE_PHYSICAL)
        return MISC_LSB(b->misc);
    return 0;
}

/*
 * Whether the address is a physical one. AMD's scalable memory controllers report
 * channel addresses; only poison is reported by physical address. Intel's address mode is trusted
 * on any other CPU: hypervisors use it whatever CPU they emulate, and real AMD CPUs have zeros
 * there.
 */
static bool is_physical(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    if (cpu->scalable)
        return b->status & STATUS_POISON;
    if (b->status & STATUS_MISC && MISC_MODE(b->misc) == MODE_PHYSICAL)
        return true;
    if (cpu->amd)
        return b->number == MCA_NORTH_BRIDGE_BANK &&
               NORTH_BRIDGE_XEC(b->status) == NORTH_BRIDGE_XEC_DRAM;
    return !(b->status & STATUS_MISC) && is_code(b->status, CODE_MEMORY_MASK, CODE_MEMORY);
}

static bool is_gart_walk(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    return cpu->amd && !cpu->scalable && b->number == MCA_NORTH_BRIDGE_BANK &&
           NORTH_BRIDGE_XEC(b->status) == NORTH_BRIDGE_XEC_GART &&
           is_code(b->status, CODE_TLB_MASK, CODE_TLB);
}

static bool is_intels_code(const struct mca_bank *b)
{
    return is_code(b->status, CODE_MEMORY_MASK, CODE_MEMORY) ||
           is_code(b->status, CODE_MEMORY_MASK, CODE_AS_CACHE);
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
    return xec == 0 || xec == NORTH_BRIDGE_XEC_DRAM || xec == NORTH_BRIDGE_XEC_PARITY;
}

/*
 * Errors that a memory controller reports, whatever they say of the address: on AMD's scalable
 * banks a corrected error never has a physical one.
 *   Intel, and hypervisors, which use its codes whatever CPU they emulate: memory controller
 *     errors, and those of memory that is used as a cache (SDM vol. 3B, 15.9.2)
 *   AMD's scalable banks: DRAM ECC, address or command parity, and write data CRC of a unified
 *     memory controller (PPR family 17h model 01h, MCA::UMC::MCA_STATUS_UMC)
 *   AMD before: ECC and parity of DRAM in bank 4, the north bridge (BKDG family 10h, table 74)
 */
static bool is_of_memory(const struct mca_cpu *cpu, const struct mca_bank *bank)
{
    if (cpu->scalable && bank->id)
        return is_umc(bank) && is_umcs_error(bank);
    if (is_intels_code(bank))
        return true;
    return cpu->amd && !cpu->scalable && is_north_bridges_error(cpu, bank);
}

/*
 * Errors of the core itself, which speak against that core; those of the L3 cache, of fabrics, of
 * buses and devices do not. AMD's scalable banks say which unit they are of, older ones have fixed
 * numbers (BKDG family 10h, 2.12.1.1), and Intel's have codes as well.
 */
static bool is_of_core(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    uint64_t s = b->status, type = ID_TYPE(b->id);

    if (cpu->scalable && b->id)
        return ID_HARDWARE(b->id) == HARDWARE_CORE &&
               (type == TYPE_LS_NEW || (type < 8 && CORE_UNITS >> type & 1));
    if (cpu->amd)
        return !cpu->scalable && !cpu->hypervisor && b->number < AMD_CORE_BANKS &&
               b->number != MCA_NORTH_BRIDGE_BANK;
    return b->number < INTEL_CORE_BANKS &&
           (is_code(s, CODE_TLB_MASK, CODE_TLB) || is_code(s, CODE_CACHE_MASK, CODE_CACHE) ||
            is_code(s, CODE_LEVEL_MASK, CODE_LEVEL) || is_code(s, UINT16_MAX, CODE_ROM) ||
            is_code(s, UINT16_MAX, CODE_PARITY) || is_code(s, CODE_INTERNAL_MASK, CODE_INTERNAL));
}

/* The controller or channel that the bank names; MCA_CHANNEL_NONE if it names none. */
static struct mca_channel channel_of(const struct mca_cpu *cpu, const struct mca_bank *bank)
{
    uint32_t channel = CODE_CHANNEL(bank->status);

    if (cpu->scalable && bank->id)
        return is_umc(bank) ? (struct mca_channel){ MCA_CHANNEL_UMC, ID_CONTROLLER(bank->id) }
                            : (struct mca_channel){ MCA_CHANNEL_NONE, 0 };
    if (!is_intels_code(bank) || channel == CHANNEL_UNSPECIFIED)
        return (struct mca_channel){ MCA_CHANNEL_NONE, 0 };
    return (struct mca_channel){ MCA_CHANNEL_CODE, channel };
}

static uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint64_t corrected_count(const struct mca_cpu *cpu, uint64_t status)
{
    uint64_t count = status >> COUNT_SHIFT & COUNT_MASK;

    return cpu->counts_corrected && count ? count : 1;
}

bool mca_decode(const struct mca_cpu *cpu, const struct mca_bank *bank, struct mca_record *ret)
{
    uint32_t lsb = address_lsb(cpu, bank);
    struct mca_record r = { .cpu = cpu->number, .bank = bank->number, .count = 1 };

    if (!(bank->status & STATUS_VALID) || is_gart_walk(cpu, bank))
        return false;
    r.status = bank->status;
    r.corrected = !(bank->status & STATUS_UC) && !(cpu->amd && bank->status & STATUS_DEFERRED);
    if (r.corrected)
        r.count = corrected_count(cpu, bank->status);
    r.has_addr = bank->status & STATUS_ADDR;
    if (r.has_addr) {
        bool physical = is_physical(cpu, bank);
        uint32_t bits = cpu->scalable ? SCALABLE_ADDRESS_BITS : 64;

        if (physical && cpu->physical_bits < bits)
            bits = cpu->physical_bits;
        r.addr = bank->addr & low_bits(bits) & ~low_bits(lsb);
        r.is_memory = physical && lsb <= PAGE_LSB && !is_of_cpu(bank->status, r.corrected);
    }
    r.of_memory = r.is_memory || is_of_memory(cpu, bank);
    r.of_core = !r.of_memory && is_of_core(cpu, bank);
    r.channel = channel_of(cpu, bank);
    *ret = r;
    return true;
}

/* SDM vol. 3B, 15.6.3 and table 15-8; APM vol. 2, 9.3.3. */
enum mca_verdict mca_judge_bank(const struct mca_cpu *cpu, uint64_t mcg_status, uint64_t status)
{
    const uint64_t cause = STATUS_VALID | STATUS_UC | STATUS_ENABLED;

    if ((status & cause) != cause)
        return MCA_GO_ON;
    if (status & STATUS_PCC)
        return MCA_FATAL;
    if (cpu->scalable && status & STATUS_TCC)
        return MCA_STOP_CPU;
    if (cpu->recovers && status & STATUS_SIGNALLED && status & STATUS_ACTION)
        return mcg_status & MCG_STATUS_RIPV ? MCA_RETRY : MCA_STOP_CPU;
    return mcg_status & MCG_STATUS_RIPV ? MCA_GO_ON : MCA_FATAL;
}

enum mca_verdict mca_judge(uint64_t mcg_status, enum mca_verdict worst_bank)
{
    if (!(mcg_status & MCG_STATUS_RIPV) && worst_bank < MCA_STOP_CPU)
        return MCA_FATAL;
    return worst_bank;
}

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
