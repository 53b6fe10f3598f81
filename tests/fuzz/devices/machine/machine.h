// SPDX-License-Identifier: MIT
/* Stands in for kernel/hw/machine/machine.h: where there is memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool machine_has_memory_at(uint64_t phys, uint64_t bytes);
