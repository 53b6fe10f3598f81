// SPDX-License-Identifier: MIT
/*
 * Whether AMD's memory controllers have ECC on, by the registers that Linux's amd64_edac reads:
 * since family 17h the unified memory controllers' UMC_CFG, SDP_CTRL and UMC_CAP_HI, by the system
 * management network (SMN) of the host bridge; before, the north bridge's configuration and
 * capabilities (BKDG family 10h, F3x44 and F3xE8). Boot CPU only.
 */
#pragma once

#include "cpudata/cpu_model.h"
#include "firmware/memory_ecc.h"

/*
 * Nothing is said of models and of host bridges that are not known, when a register cannot be read,
 * and when some controllers have ECC on and others have not. Since family 17h only those of the die
 * with the first host bridge are asked. Writes SMN's index register alone, which then has its old
 * value again.
 */
struct ecc_control ecc_amd_read(const struct cpu_model *cpu);
