// SPDX-License-Identifier: MIT
/* The modules of SMBIOS (firmware/smbios_memory.h) as what a diagnosis looks at. */
#pragma once

#include "diagnosis/diagnosis.h"
#include "firmware/smbios_memory.h"

/*
 * Slots of ordinary memory, in firmware's order; of more than DIAGNOSIS_SLOTS_MAX those with a
 * module. A name that several slots have gets that of the bank before it. The JEDEC speed is 0:
 * SMBIOS does not have it. NULL, and chips that are soldered: there are no slots.
 */
void diagnosis_from_smbios(const struct smbios_memory *memory,
                           struct diagnosis_machine *ret_machine);
