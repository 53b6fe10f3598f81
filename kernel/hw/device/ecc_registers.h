// SPDX-License-Identifier: MIT
/* Whether ECC is on, by the registers of the memory controllers of this CPU. Boot CPU only. */
#pragma once

#include "device/ecc_controllers.h"

/*
 * Nothing is said where the readers of ecc_controllers.h do not know the controllers. Under a
 * hypervisor no register is read.
 */
struct ecc_control ecc_registers_read(const struct ecc_source *source);
