// SPDX-License-Identifier: MIT
#include "lib/crc32c.h"

#include <cpuid.h>

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

/* Entry i is the register, begun with i, after eight zero bits: it is linear in i. */
static void make_table(uint32_t ret_table[256])
{
    uint32_t of_bit = CRC32C_POLYNOMIAL;

    ret_table[0] = 0;
    for (uint32_t bit = 128; bit; bit >>= 1) {
        for (uint32_t i = 0; i < 256; i += 2 * bit)
            ret_table[i + bit] = ret_table[i] ^ of_bit;
        of_bit = of_bit >> 1 ^ (of_bit & 1 ? CRC32C_POLYNOMIAL : 0);
    }
}

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    uint32_t table[256];
    uint64_t word;

    if (n < CRC32C_TABLE_PAYS)
        return crc32c_by_nibbles(crc, bytes, n);
    make_table(table);
    for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
        __builtin_memcpy(&word, at, sizeof(word));
        word ^= crc;
#pragma GCC unroll 8
        for (size_t i = 0; i < sizeof(word); i++)
            word = word >> 8 ^ table[word & 0xff];
        crc = (uint32_t)word;
    }
    return crc32c_by_nibbles(crc, at, n);
}

uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    size_t word, wide = crc; /* of 32 or 64 bits */

    for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
        __builtin_memcpy(&word, at, sizeof(word));
        __asm__("crc32%z1 %1, %0" : "+r"(wide) : "r"(word));
    }
    crc = (uint32_t)wide;
    for (; n; n--, at++)
        __asm__("crc32b %1, %0" : "+r"(crc) : "q"(*at));
    return crc;
}

bool crc32c_has_instruction(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_SSE4_2;
}

crc32c_function crc32c_best(void)
{
    return crc32c_has_instruction() ? crc32c_by_instruction : crc32c_by_table;
}

uint32_t crc32c_of(crc32c_function function, const void *bytes, size_t n)
{
    return ~function(~UINT32_C(0), bytes, n);
}

bool crc32c_vote(const uint32_t actual[2], const uint32_t kept[2], uint32_t *ret_sum)
{
    const uint32_t sum[] = { kept[0], kept[1], actual[0], actual[1] };
    const size_t n = sizeof(sum) / sizeof(sum[0]);
    unsigned most = 1;

    for (size_t i = 0; i < n; i++) {
        unsigned votes = 0;

        for (size_t k = 0; k < n; k++)
            votes += sum[k] == sum[i];
        if (votes > most) {
            most = votes;
            *ret_sum = sum[i];
        }
    }
    return most > 1;
}
