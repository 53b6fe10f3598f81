// SPDX-License-Identifier: MIT
/* I/O ports that a fuzz target plays: stands in for kernel/io/ports.h. */
#pragma once

#include <stdint.h>

uint8_t io_in8(uint16_t port);
void io_out16(uint16_t port, uint16_t value);
