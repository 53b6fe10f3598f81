// SPDX-License-Identifier: MIT
/* Whether ECC is on, by the registers of the memory controller of this CPU. Boot CPU only. */
#pragma once

#include "cpudata/cpu_model.h"
#include "device/ecc_intel.h"
#include "firmware/memory_ecc.h"

/* Nothing is said where ecc_amd.h, ecc_intel.h and ecc_xeon.h do not know the controller. */
struct ecc_control ecc_registers_read(const struct cpu_model *cpu, ecc_map *map);
