/* CRC-32C (Castagnoli): RFC 3720, 12.1. Any error of up to 32 neighbouring bits is seen. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Needs no table in memory, which could be faulty: its 16 entries are made on the stack. Pure; the
 * same in 32-bit and in 64-bit code.
 */
uint32_t crc32c(const void *bytes, size_t n);
