// SPDX-License-Identifier: MIT
#include "dram_fault.h"

#include "permutation.h"

static bool has_place(const struct dram_fault *f, const struct published_place *p)
{
    for (unsigned i = 0; i < DRAM_FIELDS; i++) {
        if (f->fields >> i & 1 && p->field[i] != f->at.field[i])
            return false;
    }
    return p->row - f->first_row < f->n_rows &&
           (f->any_column || p->column / DRAM_LINE_BYTES == f->at.column / DRAM_LINE_BYTES);
}

/* The pins' bits in one word: of a channel of 32 bits two beats are in it. */
static uint64_t bits_of_word(const struct dram_fault *f, unsigned word)
{
    unsigned beats = 64 / f->map->bus_bits;
    uint64_t pins = ((f->n_pins < 64 ? UINT64_C(1) << f->n_pins : 0) - 1) << f->pin, bits = 0;

    for (unsigned i = 0; i < beats; i++) {
        if (f->beat == DRAM_BEAT_ALL || f->beat == word * beats + i)
            bits |= pins << i * f->map->bus_bits;
    }
    return bits;
}

static uint64_t thin(const struct dram_fault *f, uint64_t line, unsigned word, uint64_t bits)
{
    uint64_t kept = 0;

    for (uint64_t rest = bits; f->one_in > 1 && rest; rest &= rest - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(rest);

        if (permutation_mix(f->seed ^
                            permutation_mix(line * DRAM_LINE_WORDS * 8 + word * 64 + bit)) %
                f->one_in ==
            0)
            kept |= UINT64_C(1) << bit;
    }
    return f->one_in > 1 ? kept : bits;
}

bool dram_fault_bits(const struct dram_fault *f, uint64_t line, uint64_t ret[DRAM_LINE_WORDS])
{
    struct published_place place = dram_place_of(f->map, line);
    uint64_t any = 0;

    if (!has_place(f, &place))
        return false;
    for (unsigned i = 0; i < DRAM_LINE_WORDS; i++) {
        ret[i] = thin(f, line, i, bits_of_word(f, i));
        any |= ret[i];
    }
    return any != 0;
}

static uint64_t free_values(const struct dram_fault *f, unsigned field)
{
    return f->fields >> field & 1 ? 1 : dram_field_values(f->map, field);
}

static uint64_t free_columns(const struct dram_fault *f)
{
    return f->any_column ? dram_columns(f->map) / DRAM_LINE_BYTES : 1;
}

uint64_t dram_fault_lines(const struct dram_fault *f)
{
    uint64_t n = f->n_rows * free_columns(f);

    for (unsigned i = 0; i < DRAM_FIELDS; i++)
        n *= free_values(f, i);
    return n;
}

uint64_t dram_fault_line(const struct dram_fault *f, uint64_t n)
{
    struct published_place place = f->at;

    if (f->any_column)
        place.column = (uint32_t)(n % free_columns(f)) * DRAM_LINE_BYTES;
    place.column -= place.column % DRAM_LINE_BYTES;
    n /= free_columns(f);
    for (unsigned i = 0; i < DRAM_FIELDS; i++) {
        if (free_values(f, i) > 1)
            place.field[i] = (uint32_t)(n % free_values(f, i));
        n /= free_values(f, i);
    }
    place.row = f->first_row + (uint32_t)n;
    return dram_address_of(f->map, &place);
}
