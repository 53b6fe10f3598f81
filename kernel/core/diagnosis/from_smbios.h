// SPDX-License-Identifier: MIT
/*
 * The modules of SMBIOS (firmware/smbios_memory.h) as what a diagnosis looks at, and their JEDEC
 * speeds, which only their SPDs have (spd/modules.h).
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "firmware/smbios_memory.h"
#include "spd/modules.h"

/*
 * Slots of ordinary memory, in firmware's order; of more than DIAGNOSIS_SLOTS_MAX those with a
 * module. A name that several slots have gets that of the bank before it. The JEDEC speed is 0:
 * SMBIOS does not have it. NULL, and chips that are soldered: there are no slots.
 */
void diagnosis_from_smbios(const struct smbios_memory *memory,
                           struct diagnosis_machine *ret_machine);

/*
 * JEDEC speeds of a machine made of this memory, where they are known and it is known which slot a
 * module is in. A module that runs at that speed but for rounding (2667 and 2666) has the speed it
 * runs at, so that it does not count as raised.
 */
void diagnosis_add_speeds(const struct smbios_memory *memory, const struct modules *modules,
                          struct diagnosis_machine *machine);
