// SPDX-License-Identifier: MIT
/*
 * Whether a machine check is an error of memory, and which channel reports it, whatever it says of
 * the address: on AMD's scalable banks a corrected error never has a physical one. Touches no
 * register: the host tests it.
 */
#pragma once

#include <stdbool.h>

#include "mce/mca_bank.h"

/*
 * Errors that a memory controller reports:
 *   Intel, and hypervisors, which use its codes whatever CPU they emulate: memory controller
 *     errors, and those of memory that is used as a cache (SDM vol. 3B, 15.9.2)
 *   AMD's scalable banks: DRAM ECC, address or command parity, and write data CRC of a unified
 *     memory controller (PPR family 17h model 01h, MCA::UMC::MCA_STATUS_UMC)
 *   AMD before: ECC and parity of DRAM in bank 4, the north bridge (BKDG family 10h, table 74)
 */
bool mca_is_of_memory(const struct mca_cpu *cpu, const struct mca_bank *bank);

/* The controller or channel that the bank names; MCA_CHANNEL_NONE if it names none. */
struct mca_channel mca_channel_of(const struct mca_cpu *cpu, const struct mca_bank *bank);
