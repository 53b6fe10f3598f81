// SPDX-License-Identifier: MIT
/*
 * Firmware's tables while the early page tables are on: those that these reach (arch/paging.h).
 * Needs machine.map. Boot CPU only.
 */
#pragma once

#include "firmware/phys.h"

extern const struct phys_reader early_reader;
