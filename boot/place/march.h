/*
 * A quick test of a few MiB before the kernel lives in them: March C- (van de Goor, "Testing
 * Semiconductor Memories", 1991) over two backgrounds, all bits alike and 0101…, and over data made
 * of each line's address, so that lines which reach the same cells are seen. Each line is flushed
 * from the caches after each turn, so all operations reach DRAM.
 *
 * The sweep engine's little sister: small enough for the stub that runs before anything is known
 * to be sound, and the same in 32-bit and in 64-bit code. Needs SSE2. Pure.
 */
#pragma once

#include "boot/place/bad_pages.h"

/*
 * Tests whole pages, whose content is lost; physical addresses are pointers. Returns 0 when all are
 * sound; otherwise where the highest bad page ends, with the bad pages added to the list.
 */
uint64_t march_pages(uint8_t *pages, uint64_t bytes, struct bad_pages *bad);

/* Takes the bytes out of all caches: what is read next comes from DRAM. */
void march_flush(const void *pages, uint64_t bytes);
