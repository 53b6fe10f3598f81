// SPDX-License-Identifier: MIT
/* What the readers of ECC's registers know of the machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/mcfg.h"
#include "cpudata/cpu_model.h"

/* Makes registers at a physical address readable; NULL: there cannot be any. */
typedef volatile void *ecc_map(uint64_t phys, uint64_t bytes);

struct ecc_source {
    struct cpu_model cpu;
    bool is_virtual;  /* a hypervisor says so (CPUID 1 ECX[31]): its registers are not the machine's
                       */
    struct mcfg mcfg; /* all zero: there is none */
    ecc_map *map;
};

/* False: there cannot be a register, or nothing answers. address: of a whole 32-bit word. */
static inline bool ecc_read_word(const struct ecc_source *source, uint64_t address,
                                 uint32_t *ret_value)
{
    const volatile uint32_t *word = source->map(address, sizeof(*word));

    if (!word)
        return false;
    *ret_value = *word;
    return *ret_value != UINT32_MAX;
}
