// SPDX-License-Identifier: MIT
#include "options/conf_text.h"

#include <stdbool.h>
#include <stdint.h>

#define MARK 0xfeff

/* Surrogates are half a character: the second is left out. */
static bool is_second_half(unsigned unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

static unsigned unit_at(const char *text, size_t i, unsigned low)
{
    return (uint8_t)text[i + low] | (unsigned)(uint8_t)text[i + 1 - low] << 8;
}

/* Which byte of a unit is its low one. False: it is not UTF-16. */
static bool find_order(const char *text, size_t n, unsigned *ret_low)
{
    for (*ret_low = 0; n >= 2 && *ret_low < 2; ++*ret_low) {
        unsigned first = unit_at(text, 0, *ret_low);

        if (first == MARK || (first && first < 0x80))
            return true;
    }
    return false;
}

/* A byte at the end that is half a unit is dropped. */
size_t conf_text_make(char *text, size_t n)
{
    size_t length = 0;
    unsigned low;

    if (!find_order(text, n, &low))
        return n;
    for (size_t i = 0; i + 1 < n; i += 2) {
        unsigned unit = unit_at(text, i, low);

        if (unit != MARK && !is_second_half(unit))
            text[length++] = unit < 0x80 ? (char)unit : '?';
    }
    return length;
}
