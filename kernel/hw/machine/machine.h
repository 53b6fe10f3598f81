// SPDX-License-Identifier: MIT
/*
 * The machine as found: its memory, CPUs and nodes. machine/platform.h has what ACPI's tables say
 * how it is driven, machine/board.h what it is made of. All three are filled by the boot CPU before
 * the tests (here, in tables.h, inventory.h and by smp_start()), then only read, except `online`,
 * from which plan/lost_cpus.h takes CPUs that have failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/srat.h"
#include "arch/cpuid.h"
#include "arch/percpu.h"
#include "cpudata/encryption.h"
#include "findings/findings.h"
#include "firmware/memory_map.h"
#include "memory/arena.h"
#include "memory/nodes.h"

struct boot_info;

struct machine {
    struct cpu_features cpu;
    struct memory_map map;
    uint64_t hole_pages; /* by BIOS: missing within usable memory (hidden_next()) */
    uint64_t ram_bytes;

    struct percpu **cpus; /* by number; 0 is the boot CPU */
    uint32_t n_cpus;      /* that firmware lists, the absent ones too */
    uint32_t *online;     /* the numbers of those that run */
    uint32_t n_online;
    uint32_t *cpu_node; /* by number: index into nodes.node */
    uint32_t sockets;   /* that those CPUs sit in; 0: unknown */
    uint64_t uefi_page; /* what UEFI's runtime services read and write; 0: none */
    uint64_t park_page; /* where unused CPUs wait (arch/park.h); 0: there is none */

    struct node_map nodes;
    struct slit slit;
    enum encryption encryption; /* of memory, by the boot CPU's word (cpus/survey.h) */
};

extern struct machine machine;

/* Cleans up the memory map, and keeps what else the loader has found out. */
void machine_read_map(const struct boot_info *boot);

/* Whether any of it is RAM or persistent memory by that map: no registers are there. */
bool machine_has_memory_at(uint64_t phys, uint64_t bytes);

/*
 * No device may write to memory that okram is about to use: stops bus masters, notes in
 * board.bus_masters which are still on, and turns IOMMUs off, before any memory is written. The
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
