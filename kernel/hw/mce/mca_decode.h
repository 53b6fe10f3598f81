// SPDX-License-Identifier: MIT
/*
 * Decodes machine-check banks, in Intel's layout and in AMD's two (Intel SDM vol. 3B, 15; AMD
 * APM vol. 2, 9; PPR for family 17h, 3.1 MCA). Touches no register: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mce/mca_bank.h"

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
    struct mca_channel channel;
    bool from_before; /* was in the bank before okram started */
};

/*
 * Whether the bank holds an error that counts: AMD's failed walks of the GART's table do not
 * (mce/mca_control.h). ret is written only then; from_before is false.
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
