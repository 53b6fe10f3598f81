// SPDX-License-Identifier: MIT
/* What findings are derived from: firmware's tables and the figures that were measured. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/hmat.h"
#include "findings/unseen.h"
#include "firmware/memory_ecc.h"
#include "firmware/smbios_memory.h"

struct findings_node {
    uint32_t domain; /* the number that firmware gave the node */
    uint64_t ram_bytes;
    uint32_t cpus; /* that run */

    /*
     * What all of them read together, in MB (10^6 bytes) a second, of the node's own memory and of
     * the other node's from which they get most. 0: not measured.
     */
    double local_mb_s, best_remote_mb_s;

    /* What one of them waits for a load from the node's own memory, all else idle. 0: unknown. */
    double local_ns;

    uint64_t array_bytes; /* the largest array that was read of the node's memory; 0: none was */
};

struct findings_input {
    uint64_t usable_bytes; /* RAM that firmware's memory map lists */
    struct unseen unseen;
    const struct smbios_memory *slots; /* NULL: SMBIOS lists none */
    struct memory_ecc ecc;
    uint32_t sockets; /* cpudata/cpu_kind.h; 0: unknown */
    uint32_t nodes;   /* elements of node */
    bool has_srat;
    const struct findings_node *node; /* without a domain twice */
    const struct hmat *hmat;          /* NULL: none */
};
