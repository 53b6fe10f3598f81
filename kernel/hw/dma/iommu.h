// SPDX-License-Identifier: MIT
/*
 * IOMMUs that firmware has left on. Their tables are in memory that is free after ExitBootServices,
 * and would be overwritten by tests: devices then reach memory at random, or nothing. AMD's write
 * their logs to such memory, too.
 */
#pragma once

#include "acpi/acpi.h"
#include "dma/registers.h"
#include "lib/warn.h"

/*
 * Turns off DMA translation, interrupt remapping, queues and logs of all units that DMAR and IVRS
 * list. A unit that map() cannot reach is left alone; one that stays on gives a warning. May be
 * called again.
 */
void iommus_turn_off(const struct acpi *acpi, dma_map map, const struct warnings *warnings);
