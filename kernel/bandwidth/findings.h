// SPDX-License-Identifier: MIT
/*
 * What a person should know of a machine's memory, in words: one sentence each, with the number
 * behind it. They are given as warnings; nothing is said of a machine that is as it should be.
 *
 * Only what is sure enough is said. Firmware keeps some 100 MiB of every machine for itself, and
 * graphics in the CPU may take a few GiB: that is no finding (see findings_slots.c). Modules are
 * named as the board names their slots.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/hmat.h"
#include "firmware/smbios_memory.h"
#include "lib/warn.h"

struct findings_node {
    uint32_t domain; /* the number that firmware gave the node */
    uint64_t ram_bytes;
    uint32_t cpus; /* that run */

    /*
     * What all of them read together, in MB (10^6 bytes) a second, of the node's own memory and of
     * the other node's from which they get most. 0: not measured.
     */
    double local_mb_s, best_remote_mb_s;

    /* What one of them waits for a load from the node's own memory, all else idle. 0: likewise. */
    double local_ns;

    uint64_t array_bytes; /* the largest array that was read of the node's memory; 0: none was */
};

struct findings_input {
    uint64_t installed_bytes;          /* of all modules; 0: unknown */
    uint64_t usable_bytes;             /* RAM that firmware's memory map lists */
    const struct smbios_memory *slots; /* NULL: SMBIOS lists none */
    uint32_t sockets;                  /* bandwidth/sockets.h; 0: unknown */
    uint32_t nodes;                    /* elements of node */
    bool has_srat;
    const struct findings_node *node; /* without a domain twice */
    const struct hmat *hmat;          /* NULL: none */
};

/*
 * What is known without measuring: memory that is installed but cannot be used, and the slots it
 * may be in; modules that run slower than rated; several sockets but one node; unequal nodes.
 */
void findings_before(const struct findings_input *in, const struct warnings *warnings);

/*
 * What only the measured numbers tell: memory that is no faster for its own node's CPUs than
 * memory of another; a node whose own memory is well slower than others'; memory far below what
 * the HMAT promises, and arrays that a memory side cache holds, if only in part.
 */
void findings_after(const struct findings_input *in, const struct warnings *warnings);
