// SPDX-License-Identifier: MIT
#include "options/number.h"

#include <stddef.h>

static bool digit(char c, unsigned base, unsigned *ret_digit)
{
    char lower = (char)(c | 0x20);
    unsigned d;

    if (c >= '0' && c <= '9')
        d = (unsigned)(c - '0');
    else if (lower >= 'a' && lower <= 'f')
        d = (unsigned)(lower - 'a') + 10;
    else
        return false;
    if (d >= base)
        return false;
    *ret_digit = d;
    return true;
}

bool number_read(const char **pos, uint64_t *ret_value)
{
    const char *p = *pos;
    uint64_t value = 0;
    unsigned base = 10, d;

    if (p[0] == '0' && (p[1] | 0x20) == 'x') {
        base = 16;
        p += 2;
    }
    if (!digit(*p, base, &d))
        return false;
    for (; digit(*p, base, &d); p++) {
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, d, &value))
            return false;
    }
    *pos = p;
    *ret_value = value;
    return true;
}

struct unit {
    char letter; /* lower case */
    uint64_t factor;
};

static bool read_with_unit(const char **pos, const struct unit *unit, size_t n_units,
                           uint64_t *ret_value)
{
    const char *p = *pos;
    uint64_t value;

    if (!number_read(&p, &value))
        return false;
    for (size_t i = 0; i < n_units; i++) {
        if ((*p | 0x20) != unit[i].letter)
            continue;
        if (__builtin_mul_overflow(value, unit[i].factor, &value))
            return false;
        p++;
        break;
    }
    *pos = p;
    *ret_value = value;
    return true;
}

bool number_read_size(const char **pos, uint64_t *ret_bytes)
{
    static const struct unit units[] = { { 'k', UINT64_C(1) << 10 },
                                         { 'm', UINT64_C(1) << 20 },
                                         { 'g', UINT64_C(1) << 30 },
                                         { 't', UINT64_C(1) << 40 } };

    return read_with_unit(pos, units, sizeof(units) / sizeof(units[0]), ret_bytes);
}

bool number_read_time(const char **pos, uint64_t *ret_seconds)
{
    static const struct unit units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };

    return read_with_unit(pos, units, sizeof(units) / sizeof(units[0]), ret_seconds);
}

bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
    uint64_t value;

    if (!number_read(&text, &value) || *text || value < min || value > max)
        return false;
    *ret_value = value;
    return true;
}
