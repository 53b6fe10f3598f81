// SPDX-License-Identifier: MIT
/*
 * The machine as found: its memory map, firmware's tables, CPUs, nodes, modules, clocks and power.
 * Filled by the boot CPU before the tests (here, in tables.h, inventory.h and cpus/start.h), then
 * only read, but for `online`, from which plan/lost_cpus.h takes CPUs that have failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/hmat.h"
#include "acpi/madt.h"
#include "acpi/non_ram_ranges.h"
#include "acpi/slit.h"
#include "acpi/srat.h"
#include "arch/cpuid.h"
#include "arch/percpu.h"
#include "boot/boot_info.h"
#include "clock/clock.h"
#include "cpudata/cache_info.h"
#include "cpudata/encryption.h"
#include "dma/dma.h"
#include "findings/findings.h"
#include "findings/unseen.h"
#include "firmware/memory_ecc.h"
#include "firmware/memory_map.h"
#include "firmware/ipmi.h"
#include "firmware/smbios_memory.h"
#include "firmware/smbios_names.h"
#include "guardlist/fingerprint.h"
#include "machine/power.h"
#include "memory/arena.h"
#include "memory/nodes.h"

struct machine {
    int64_t started; /* seconds since 1970 by the clock of date and time; 0: unknown */
    struct cpu_features cpu;
    struct memory_map map;
    uint64_t hole_pages; /* by BIOS: missing within usable memory (firmware/hidden.h) */
    uint64_t ram_bytes;
    uint64_t installed_bytes;          /* SMBIOS; 0: unknown */
    const struct smbios_memory *slots; /* NULL: SMBIOS lists none */
    struct unseen unseen;              /* machine/inventory.h */
    struct memory_ecc ecc;
    unsigned repair; /* bits: firmware/memory_ecc.h */
    char board[64];  /* SMBIOS: maker and product, or "" */
    struct smbios_names names;
    struct smbios_ipmi ipmi;
    struct guard_fingerprint fingerprint; /* how the guard recognises this machine */

    struct percpu **cpus; /* by number; 0 is the boot CPU */
    uint32_t n_cpus;      /* that firmware lists, the absent ones too */
    uint32_t *online;     /* the numbers of those that run */
    uint32_t n_online;
    uint32_t *cpu_node; /* by number: index into nodes.node */
    uint64_t uefi_page; /* what UEFI's runtime services read and write; 0: none */
    uint64_t park_page; /* where unused CPUs wait (arch/park.h); 0: there is none */

    uint32_t sockets; /* that those CPUs sit in; 0: unknown */

    const struct madt *madt; /* of no CPUs without one */
    const struct cedt *cedt; /* NULL: none usable; so for srat */
    const struct srat *srat;
    struct node_map nodes;
    struct slit slit;
    struct hmat hmat;
    struct side_cache side_cache;
    struct machine_power power;
    struct power_button power_button;
    struct bus_masters bus_masters; /* that were left on */
    bool no_8042; /* firmware says, perhaps wrongly, that there is no keyboard controller */
    struct clock_firmware clocks;
    bool secure_boot; /* is on */
    bool is_locked;   /* it is, or may be: options, which are not signed, may not name addresses */
    bool has_guard;   /* firmware is 64-bit UEFI, for which there is the guard */
    enum encryption encryption; /* of memory, by the boot CPU's word (cpus/survey.h) */
};

extern struct machine machine;

static inline struct memory_tables machine_memory_tables(void)
{
    return (struct memory_tables){ &machine.map, machine.cedt, machine.srat };
}

/* Cleans up the memory map, and keeps what else the loader has found out. */
void machine_read_map(const struct boot_info *boot);

/* Whether any of it is RAM or persistent memory by that map: no registers are there. */
bool machine_has_memory_at(uint64_t phys, uint64_t bytes);

/*
 * No device may write to memory that okram is about to use: stops bus masters, notes in
 * machine.bus_masters which are still on, and turns IOMMUs off, before any memory is written. The
 * early page tables are on: tables_read() turns off IOMMUs whose registers they do not reach. After
 * machine_read_map.
 */
void machine_stop_dma(const struct boot_info *boot);

/*
 * Begins the arena in memory that passes `check`, and loads okram's own page tables. Warns when the
 * machine has less than 32 MiB. tested: that of range=; the arena takes what is outside of it
 * first, so that okram need not move. It takes none of firmware's tables: wherever they are, they
 * are intact until the tests begin.
 */
void machine_take_memory(const struct boot_info *boot, const struct spans *tested,
                         arena_check check);

/*
 * Which CPUs and which memory belong to which node, once all CPUs run; without a usable SRAT all is
 * one node. Sends the findings that need no measurement as warnings.
 */
void machine_make_nodes(void);

/*
 * What is to be said of the machine, as far as it is known without measuring: node has room for
 * NODES_MAX, and ret_input refers to it.
 */
void machine_findings(struct findings_node *node, struct findings_input *ret_input);
