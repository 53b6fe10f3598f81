// SPDX-License-Identifier: MIT
/* Whether ECC is on, by the registers of this machine's memory controllers. Boot CPU only. */
#pragma once

#include "controller/source.h"
#include "firmware/memory_ecc.h"

/*
 * The result is empty (all zero) where no family (controller/family.h) knows the controllers. Under
 * a hypervisor no register is read.
 */
struct ecc_control controller_ecc(const struct controller_source *source);
