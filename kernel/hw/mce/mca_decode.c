// SPDX-License-Identifier: MIT
#include "mce/mca_decode.h"

#include "mce/mca_memory.h"

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
#define CODE_CACHE_MASK  0xef00
#define CODE_CACHE       0x0100 /* 000F 0001 RRRR TTLL */
#define CODE_LEVEL_MASK  0xeffc
#define CODE_LEVEL       0x000c /* 000F 0000 0000 11LL */
#define CODE_TLB_MASK    0xeff0
#define CODE_TLB         0x0010 /* 000F 0000 0001 TTLL */

/* IA32_MCi_MISC (SDM vol. 3B, 15.3.2.4). */
#define MISC_LSB(misc)  ((misc)&0x3f)
#define MISC_MODE(misc) ((misc) >> 6 & 7)
#define MODE_PHYSICAL   2

/* AMD: the north bridge's codes (BKDG family 10h, MSR0000_0411). */
#define NORTH_BRIDGE_XEC(status) ((status) >> 16 & 0x1f)
#define NORTH_BRIDGE_XEC_GART    5
#define NORTH_BRIDGE_XEC_DRAM    8

/* AMD, scalable: where the least significant valid bit of the address is reported. */
#define CONFIG_LSB_IN_STATUS    (UINT64_C(1) << 8)
#define SCALABLE_STATUS_LSB(s)  ((s) >> 24 & 0x3f)
#define SCALABLE_ADDRESS_LSB(a) ((a) >> 56 & 0x3f)
#define SCALABLE_ADDRESS_BITS   56

#define PAGE_LSB 12

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
    r.of_memory = r.is_memory || mca_is_of_memory(cpu, bank);
    r.channel = mca_channel_of(cpu, bank);
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
