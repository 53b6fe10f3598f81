// SPDX-License-Identifier: MIT
/*
 * The memory controllers of this machine, decoded from their registers (decoder/decoder.h). Boot
 * CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/mcfg.h"
#include "cpudata/cpu_kind.h"
#include "decoder/registers.h"
#include "device/pci.h"

/* What the readers of memory controllers are given, and how they read registers in memory. */

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

/* The function that has a register of configuration space. */
static inline struct pci_function controller_function(struct register_id id)
{
    return pci_function_at(id.unit >> 8, id.unit >> 3 & 0x1f, id.unit & 7);
}

struct controllers {
    struct decoded_controller decoded;
    struct register_list registers; /* that were read for it */
};

/*
 * Reads the registers, once. Those of a virtual machine are not the machine's, so that they are not
 * read; with QEMU the file opt/okram/registers of its firmware configuration device may list others
 * (decoder/registers.h), which a warning says.
 */
void controllers_read(const struct controller_source *source);

const struct controllers *controllers_get(void);

/* Completes their map, if the function that selects one of two controllers is missing; the bit that
 * is removed is its lowest if that is missing, too. opposite: its value 0 is the second. */
void controllers_set_function(uint64_t function, bool opposite);

/* Forgets what is in a channel, which nothing confirms: which of two modules has an address, ranks,
 * banks and rows. */
void controllers_keep_channels(void);

/* Replaces the reason why there is no map. */
void controllers_set_unknown(const char *unknown);

/* The machine's registers as they are now. */
struct register_source controllers_registers(void);

/*
 * The registers of the machine. All that was read is in the list of controllers_get(). Of SMN and
 * of AMD's data fabric index registers are written, which have their old values again after each
 * read. Good until the next call.
 */
struct register_source controllers_source(const struct controller_source *source);
