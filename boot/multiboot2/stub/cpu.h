// SPDX-License-Identifier: MIT
/* What okram needs of the CPU, checked first. */
#pragma once

#include <stdint.h>

/*
 * Stops with a message without long mode and SSE2; turns SSE on (Intel SDM vol. 3A, 9.6). info: the
 * Multiboot2 information.
 */
void cpu_prepare(const uint32_t *info);
