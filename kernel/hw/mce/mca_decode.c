// SPDX-License-Identifier: MIT
#include "mce/mca_decode.h"

#include <stddef.h>

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

/* Compound error codes (SDM vol. 3B, "Machine-Check Architecture"). */
#define CODE_MEMORY_MASK 0xef80
#define CODE_MEMORY      0x0080 /* 000F 0000 1MMM CCCC */
#define CODE_AS_CACHE    0x0280 /* 000F 0010 1MMM CCCC: of memory that is used as a cache */
#define CODE_CACHE_MASK  0xef00
#define CODE_CACHE       0x0100 /* 000F 0001 RRRR TTLL */
#define CODE_LEVEL_MASK  0xeffc
#define CODE_LEVEL       0x000c /* 000F 0000 0000 11LL */
#define CODE_TLB_MASK    0xeff0
#define CODE_TLB         0x0010 /* 000F 0000 0001 TTLL */
#define CODE_BUS_MASK    0xe800
#define CODE_BUS         0x0800 /* 000F 1PPT RRRR IILL */
#define CODE_LL(status)  ((status)&3)
#define LL_LEVEL2        2

/* Simple ones: parity in the microcode's ROM or elsewhere inside, timer, others inside. */
#define CODE_ROM           0x0002
#define CODE_PARITY        0x0005
#define CODE_TIMER         0x0400
#define CODE_INTERNAL_MASK 0xfc00
#define CODE_INTERNAL      0x0400

/*
 * Banks that belong to a core since Sandy Bridge (data sheet of the Xeon E5-2600, volume one,
 * PECI). Numbers mean nothing across models: Nehalem reports links in banks 0 and 1, by bus codes.
 */
#define INTEL_CORE_BANKS 4

/* Before scalable banks: data and instruction cache, level 2, load-store; 5: execution; 6: FPU. */
#define AMD_CORE_BANKS     7
#define AMD_LEVEL2_BANK    2
#define AMD_EXECUTION_BANK 5
#define XEC_WATCHDOG       0 /* no instruction has been completed for long */

#define CODE_CHANNEL(status) ((uint32_t)(status)&0xf)
#define CHANNEL_UNSPECIFIED  0xf

/* IA32_MCi_MISC (SDM vol. 3B, "Machine-Check Architecture"). */
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

#define HARDWARE_CORE 0xb0

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
 *     errors, and those of memory that is used as a cache (SDM vol. 3B)
 *   AMD's scalable banks: DRAM ECC, address or command parity, and write data CRC of a unified
 *     memory controller (PPR family 17h model 01h, MCA::UMC::MCA_STATUS_UMC)
 *   AMD before: ECC and parity of DRAM in bank 4, the north bridge (BKDG family 10h, MSR0000_0411)
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
 * The types of a core's units (PPR, MCA_IPID; 7 is the L3 cache, which cores share), and which of
 * their extended codes report something that came from outside the core, or may have.
 */
static const struct {
    uint64_t type, from_outside;
} core_units[] = {
    { 0, UINT64_C(1) << 9 | 1 << 10 | 1 << 25 }, /* LS: errors of data that the system sent */
    { 1, UINT64_C(1) << 12 | 1 << 13 },          /* IF: poison; as above */
    { 2, UINT64_C(1) << 4 },                     /* L2: parity of the fabric's response */
    { 3, 0 },                                    /* DE */
    { 5, UINT64_C(1) << XEC_WATCHDOG },          /* EX */
    { 6, 0 },                                    /* FP */
    { 0x10, UINT64_C(1) << 18 | 7 << 19 },       /* LS since Zen 3: poison; as above */
};

static bool is_of_core_unit(const struct mca_bank *b)
{
    if (ID_HARDWARE(b->id) != HARDWARE_CORE)
        return false;
    for (size_t i = 0; i < sizeof(core_units) / sizeof(core_units[0]); i++) {
        if (core_units[i].type == ID_TYPE(b->id))
            return !(core_units[i].from_outside >> SCALABLE_XEC(b->status) & 1);
    }
    return false;
}

static bool is_of_amd_core(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    if (cpu->scalable || cpu->hypervisor || b->number >= AMD_CORE_BANKS)
        return false;
    switch (b->number) {
    case MCA_NORTH_BRIDGE_BANK: return false;
    case AMD_LEVEL2_BANK: return !cpu->shares_level2;
    case AMD_EXECUTION_BANK: return NORTH_BRIDGE_XEC(b->status) != XEC_WATCHDOG;
    default: return true;
    }
}

static bool is_of_intel_core(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    uint64_t s = b->status;

    if (b->number >= INTEL_CORE_BANKS)
        return false;
    if (is_code(s, CODE_TLB_MASK, CODE_TLB) || is_code(s, UINT16_MAX, CODE_ROM) ||
        is_code(s, UINT16_MAX, CODE_PARITY))
        return true;
    if (is_code(s, CODE_CACHE_MASK, CODE_CACHE) || is_code(s, CODE_LEVEL_MASK, CODE_LEVEL))
        return CODE_LL(s) < LL_LEVEL2 || !cpu->shares_level2;
    return is_code(s, CODE_INTERNAL_MASK, CODE_INTERNAL) && !is_code(s, UINT16_MAX, CODE_TIMER);
}

/* Bad data that the CPU was sent: Intel's recoverable errors, and AMD's poison. */
static bool is_poison(const struct mca_cpu *cpu, uint64_t status)
{
    if (cpu->amd)
        return status & STATUS_POISON;
    return cpu->recovers && status & STATUS_UC && status & STATUS_SIGNALLED;
}

/*
 * Errors of the core itself, which speak against that core; those of the L3 cache, of fabrics, of
 * buses and devices do not, nor timeouts, nor poison, nor data that came bad. AMD's scalable banks
 * say which unit they belong to, older ones have fixed numbers (BKDGs of families 10h to 16h), and
 * Intel's have codes as well.
 */
static bool is_of_core(const struct mca_cpu *cpu, const struct mca_bank *b)
{
    if (is_code(b->status, CODE_BUS_MASK, CODE_BUS) || is_poison(cpu, b->status))
        return false;
    if (cpu->scalable && b->id)
        return is_of_core_unit(b);
    return cpu->amd ? is_of_amd_core(cpu, b) : is_of_intel_core(cpu, b);
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

/* SDM vol. 3B, and APM vol. 2: both "Machine-Check Architecture". */
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
