// SPDX-License-Identifier: MIT
/*
 * Which errors a bank reports: what is written to its control registers, and the CPUs that need
 * something other than all bits set. Touches no register: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mce/mca_decode.h"

/*
 * False: the bank's control register belongs to firmware. On Intel's family 6 before Nehalem
 * writing that of bank 0 turns parts of the CPU off (SDM vol. 3B, 15.3.2.1).
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
