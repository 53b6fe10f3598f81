// SPDX-License-Identifier: MIT
/* How wide a channel is, by the type of the modules that SMBIOS lists. */
#pragma once

#include <stdbool.h>

#include "firmware/smbios_memory.h"

/* 64; DDR5's subchannel 32; 0: unknown, or modules of several widths. slots: NULL: none listed. */
unsigned kind_bus_bits(const struct smbios_memory *slots);

/*
 * Whether chips have byte lanes of such a channel, as far as is known. LPDDR has channels of 16 and
 * 32 bits, and chips with several of them.
 */
bool kind_bus_has_lanes(const struct smbios_memory *slots);
