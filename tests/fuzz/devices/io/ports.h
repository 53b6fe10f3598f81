// SPDX-License-Identifier: MIT
/* The ports of PCI configuration space, played by a target: stands in for kernel/io/ports.h. */
#pragma once

#include <stdint.h>

uint32_t io_in32(uint16_t port);
void io_out32(uint16_t port, uint32_t value);
