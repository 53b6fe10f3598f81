// SPDX-License-Identifier: MIT
/*
 * Decodes machine-check banks, and says which errors they are to report, in Intel's layout and in
 * AMD's two (Intel SDM vol. 3B and AMD APM vol. 2, "Machine-Check Architecture"; PPR for family
 * 17h). Touches no register: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* AMD, except with scalable banks. */
#define MCA_NORTH_BRIDGE_BANK 4

/* How this CPU's banks are to be read. */
struct mca_cpu {
    uint32_t number;
    uint32_t physical_bits;
    uint32_t n_banks;
    uint32_t family, model;
    bool amd;
    bool hypervisor;
    bool scalable;         /* AMD's banks at 0xc0002000 */
    bool shares_level2;    /* other cores use the same level-2 cache */
    bool counts_corrected; /* MCG_CAP.CMCI_P: the status holds a count */
    bool recovers;         /* MCG_CAP.SER_P: the status says what software is to do */
    bool has_control;      /* MCG_CAP.MCG_CTL_P */
};

/* As read; config and id are 0 except in AMD's scalable banks. */
struct mca_bank {
    uint32_t number;
    uint64_t status, addr, misc, config, id;
};

/* Which part of the memory a bank names, as it names it. */
struct mca_channel {
    enum {
        MCA_CHANNEL_NONE,
        MCA_CHANNEL_UMC,  /* AMD: a unified memory controller, by its instance */
        MCA_CHANNEL_CODE, /* Intel: a channel of the bank's memory controller */
    } kind;
    uint32_t number;
};

/* IA32_MCG_STATUS: may the CPU go on where it was? Was it the instruction at RIP? In progress. */
#define MCG_STATUS_RIPV (UINT64_C(1) << 0)
#define MCG_STATUS_EIPV (UINT64_C(1) << 1)

/* One machine check, or several that a bank has counted. */
struct mca_record {
    uint32_t cpu, bank;
    uint64_t status, addr;
    uint64_t count; /* of errors, at least 1 */
    bool has_addr;
    bool corrected;
    bool is_memory; /* addr is the physical address of memory that failed */
    bool of_memory; /* memory failed, whether its address is known or not */
    bool of_core;   /* the core that reports it failed: its units, its own caches or TLBs */
    struct mca_channel channel;
    bool from_before; /* was in the bank before okram started */
};

/*
 * Whether the bank holds an error that counts: AMD's failed walks of the GART's table do not
 * (mca_control). ret is written only then; from_before is false.
 */
bool mca_decode(const struct mca_cpu *cpu, const struct mca_bank *bank, struct mca_record *ret);

/* Whether it is a corrected error of memory whose page the bank does not give. */
static inline bool mca_has_unknown_page(const struct mca_record *r)
{
    return r->of_memory && r->corrected && !r->is_memory;
}

enum mca_verdict {
    MCA_GO_ON,    /* where the CPU was interrupted */
    MCA_RETRY,    /* the same, but the instruction will read the bad line again */
    MCA_STOP_CPU, /* its work is lost, the others' is not */
    MCA_FATAL,    /* nothing that was computed or read can be trusted */
};

/*
 * What may be done after a machine-check exception, of one bank's status: the worst of all banks
 * counts. A bank that is empty, or that the exception is not about, is MCA_GO_ON.
 */
enum mca_verdict mca_judge_bank(const struct mca_cpu *cpu, uint64_t mcg_status, uint64_t status);

/*
 * What may be done, of all banks: without RIPV the CPU goes on only for a reason that a bank gives.
 */
enum mca_verdict mca_judge(uint64_t mcg_status, enum mca_verdict worst_bank);

/*
 * False: the bank's control register belongs to firmware. On Intel's family 6 before Nehalem
 * writing that of bank 0 turns parts of the CPU off (SDM vol. 3B).
 */
bool mca_may_control(const struct mca_cpu *cpu, uint32_t bank);

/*
 * The value for the control register. AMD's families 0Fh and 10h report walks of the GART's table
 * in bank 4 that have failed, and graphics drivers and firmware cause such in sound machines: bit
 * 10 stays off (BKDG family 10h, MSR0000_0410).
 */
uint64_t mca_control(const struct mca_cpu *cpu, uint32_t bank);

/*
 * The bits to be set in the control mask register, with which the error is not even logged
 * (MSRC001_0044 + bank). 0: the register is not touched; nor is it under a hypervisor, which may
 * not have it.
 */
uint64_t mca_control_mask(const struct mca_cpu *cpu, uint32_t bank);
