// SPDX-License-Identifier: MIT
/*
 * okram's own memory copied to another place while it runs, and the page tables switched to it.
 *
 * All other CPUs wait in move_park(): there they write to no memory, and read only `go` and the
 * page of code. Copy and original are the same when the boot CPU switches, so each CPU continues
 * with the same stack at the same address.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Adjoining memory, at both ends: addresses in the direct map, whole pages. */
struct move_run {
    void *to;
    const void *from;
    uint64_t bytes;
    uint64_t is_unsteady; /* the original changes by itself: what was copied is not compared */
};

/* A word that does not hold what it should: in the copy, and what the original held by then. */
struct move_difference {
    const uint64_t *copy; /* NULL: there is none */
    uint64_t original;
};

/*
 * Counts the calling CPU in `parked`, waits until *go is not 0, and loads CR3 with it. Interrupts
 * are off. go: in okram's own memory, at its usual address.
 */
void move_park(uint32_t *parked, const volatile uint64_t *go);

/*
 * On the boot CPU, interrupts off, all other CPUs parked: copies n runs, reads them back from
 * memory, loads CR3 with boot_root and releases the others with other_root by *old_go, which is
 * `go` in the old place: an address in the direct map. If there is a difference, nothing has
 * changed, and no CPU is released.
 */
struct move_difference move_copy(const struct move_run *run, size_t n, uint64_t boot_root,
                                 uint64_t other_root, volatile uint64_t *old_go);
