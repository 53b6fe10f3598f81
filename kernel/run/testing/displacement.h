// SPDX-License-Identifier: MIT
/*
 * Between two elements of a march, what a small part of memory holds has to leave a memory-side
 * cache (cpudata/cache_info.h), or the second one does not reach DRAM. No instruction flushes such
 * a cache, so other memory takes the place: twice as much as it holds is read. Elements over all
 * memory do that by themselves.
 */
#pragma once

#include "lib/spans.h"
#include "run/run.h"

/*
 * After an element over `swept`, on the boot CPU, all others idle. Does nothing where no such cache
 * is known, it is larger than 512 MiB (reading as much after each element would take too long),
 * `swept` is at least twice as large, or there is not as much other tested memory in one piece.
 */
void displacement_run(const struct run *run, const struct spans *swept);

/*
 * Before a pause of a march over `swept`: what was written last has to wait in memory, not in such
 * a cache. The same as displacement_run, but whatever the size of `swept`.
 */
void displacement_before_pause(const struct run *run, const struct spans *swept);
