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
};

/*
 * Counts the calling CPU in `parked`, waits until *go is not 0, and loads CR3 with it. Interrupts
 * are off. go: in okram's own memory, at its usual address.
 */
void move_park(uint32_t *parked, const volatile uint64_t *go);

/*
 * On the boot CPU, interrupts off, all other CPUs parked: copies n runs, reads them back from
 * memory, loads CR3 with boot_root and releases the others with other_root by *old_go, which is
 * `go` in the old place: an address in the direct map. Returns NULL; or, with nothing changed and
 * no CPU released, the address in the copy that does not hold what was written.
 */
void *move_copy(const struct move_run *run, size_t n, uint64_t boot_root, uint64_t other_root,
                volatile uint64_t *old_go);
