// SPDX-License-Identifier: MIT
#include "machine/uefi_power.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/paging.h"
#include "arch/trap.h"

#define SYSTEM_TABLE_SIGNATURE UINT64_C(0x5453595320494249) /* "IBI SYST" */
#define RUNTIME_SIGNATURE      UINT64_C(0x56524553544e5552) /* "RUNTSERV" */
#define RESET_SHUTDOWN         2

/* UEFI 2.10, 4.2 to 4.5. */
struct efi_header {
    uint64_t signature;
    uint32_t revision, header_size, crc32, reserved;
};

struct efi_system_table {
    struct efi_header header;
    uint64_t vendor;
    uint32_t revision, pad;
    uint64_t consoles[6];
    uint64_t runtime;
};
_Static_assert(offsetof(struct efi_system_table, runtime) == 88, "UEFI 2.10, 4.3");

struct efi_runtime {
    struct efi_header header;
    uint64_t others[10];
    uint64_t reset_system;
};
_Static_assert(offsetof(struct efi_runtime, reset_system) == 104, "UEFI 2.10, 4.5");

typedef void(__attribute__((ms_abi)) * reset_system)(uint32_t type, uint64_t status, uint64_t size,
                                                     void *data);

/* Whether firmware kept all of it for run time, so that okram has not tested it. */
static bool is_kept(const struct memory_map *map, uint64_t phys, uint64_t bytes)
{
    const struct memory_region *r = memory_map_at(map, phys);

    return r && r->kind == BOOT_REGION_RUNTIME && bytes <= span_end(r->span) - phys &&
           paging_is_mapped(phys, bytes);
}

/* The address of ResetSystem; 0: none to be trusted. */
static uint64_t find_reset_system(uint64_t system_table, const struct memory_map *map)
{
    const struct efi_system_table *system = direct(system_table);
    const struct efi_runtime *runtime;

    if (!is_kept(map, system_table, sizeof(*system)) ||
        system->header.signature != SYSTEM_TABLE_SIGNATURE ||
        !is_kept(map, system->runtime, sizeof(*runtime)))
        return 0;
    runtime = direct(system->runtime);
    if (runtime->header.signature != RUNTIME_SIGNATURE || !is_kept(map, runtime->reset_system, 1))
        return 0;
    return runtime->reset_system;
}

static void (*after_exception)(void);

/* Firmware's code is not returned to. A second exception is a panic. */
static bool give_up(const struct trap_frame *frame)
{
    trap_set_give_up(NULL);
    after_exception();
    return true;
}

void uefi_power_off(uint64_t system_table, const struct memory_map *map, void (*instead)(void))
{
    uint64_t address = find_reset_system(system_table, map);

    if (!address || !paging_map_identity(address))
        return;
    after_exception = instead;
    trap_set_give_up(give_up);
    ((reset_system)address)(RESET_SHUTDOWN, 0, 0, NULL);
    trap_set_give_up(NULL);
}
