// SPDX-License-Identifier: MIT
/* What the readers of memory controllers are given, and how they read registers in memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/mcfg.h"
#include "cpudata/cpu_kind.h"

/* A 32-bit register that no hardware answers for. */
#define CONTROLLER_NO_ANSWER UINT32_MAX

/* Makes registers at a physical address readable; NULL: there cannot be any. */
typedef volatile void *controller_map(uint64_t phys, uint64_t bytes);

struct controller_source {
    struct cpu_model cpu;
    bool is_virtual;  /* a hypervisor says so (CPUID 1 ECX[31]): its registers are not the machine's
                       */
    struct mcfg mcfg; /* all zero: there is none */
    controller_map *map;
};

/* False: there cannot be a register, or nothing answers. address: of a whole 32-bit word. */
static inline bool controller_read(const struct controller_source *source, uint64_t address,
                                   uint32_t *ret_value)
{
    const volatile uint32_t *word = source->map(address, sizeof(*word));

    if (!word)
        return false;
    *ret_value = *word;
    return *ret_value != CONTROLLER_NO_ANSWER;
}
