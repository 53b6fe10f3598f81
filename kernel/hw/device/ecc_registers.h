// SPDX-License-Identifier: MIT
/* Whether ECC is on, by the registers of the memory controllers of this CPU. Boot CPU only. */
#pragma once

#include "device/ecc_source.h"
#include "firmware/memory_ecc.h"

/*
 * Nothing is said where ecc_amd.h, ecc_intel.h, ecc_in_band.h, ecc_xeon.h and ecc_scalable.h do not
 * know the controllers. Under a hypervisor no register is read.
 */
struct ecc_control ecc_registers_read(const struct ecc_source *source);
