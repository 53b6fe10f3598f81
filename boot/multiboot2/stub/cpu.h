// SPDX-License-Identifier: MIT
/* What okram needs of the CPU, looked at before anything else is done. */
#pragma once

#include <stdint.h>

/*
 * Refuses to go on without long mode and SSE2; turns SSE on (Intel SDM vol. 3A, 9.6). info: what
 * GRUB handed over.
 */
void cpu_prepare(const uint32_t *info);
