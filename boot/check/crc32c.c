#include "boot/check/crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41, bits reversed */

uint32_t crc32c(const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    uint32_t table[16], crc = ~UINT32_C(0);

    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
    }
    for (; n; n--, at++) {
        crc ^= *at;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
