// SPDX-License-Identifier: MIT
#include "lib/crc32c.h"

uint32_t crc32c_by_nibbles(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    uint32_t table[16];

    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? CRC32C_POLYNOMIAL : 0);
    }
    for (; n; n--, at++) {
        crc ^= *at;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return crc;
}

uint32_t crc32c(const void *bytes, size_t n)
{
    return ~crc32c_by_nibbles(~UINT32_C(0), bytes, n);
}
