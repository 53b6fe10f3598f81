// SPDX-License-Identifier: MIT
#include "tests/coverage/dram.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"
#include "tools/plugin/permutation.h"

#define NO_FAULT UINT32_MAX

static void *zeroed(size_t n, size_t size)
{
    void *p = NULL;

    ASSERT(posix_memalign(&p, sizeof(struct line), n * size + 1) == 0);
    return memset(p, 0, n * size);
}

void dram_make(struct dram *d, uint32_t n_lines, uint32_t max_faults)
{
    *d = (struct dram){
        .n_lines = n_lines,
        .max_faults = max_faults,
        .cell = zeroed(n_lines, sizeof(*d->cell)),
        .reach = zeroed(n_lines, sizeof(*d->reach)),
        .first_of_victim = zeroed(n_lines, sizeof(uint32_t)),
        .first_of_aggressor = zeroed(n_lines, sizeof(uint32_t)),
        .fault = zeroed(max_faults, sizeof(*d->fault)),
    };
    for (uint32_t i = 0; i < n_lines; i++) {
        d->reach[i] = (struct reach){ .n_cells = 1, .cell = { i } };
        d->first_of_victim[i] = d->first_of_aggressor[i] = NO_FAULT;
    }
}

void dram_free(struct dram *d)
{
    free(d->cell);
    free(d->reach);
    free(d->first_of_victim);
    free(d->first_of_aggressor);
    free(d->fault);
}

uint32_t dram_add(struct dram *d, struct fault fault)
{
    uint32_t number = d->n_faults++, *first = &d->first_of_victim[fault.victim.line];

    ASSERT(number < d->max_faults);
    fault.next_of_victim = *first;
    *first = number;
    if (fault.primitive.aggressor != EVENT_NONE) {
        first = &d->first_of_aggressor[fault.aggressor.line];
        fault.next_of_aggressor = *first;
        *first = number;
    }
    d->fault[number] = fault;
    return number;
}

static bool bit_at(const struct dram *d, struct bit_place p)
{
    return line_bit(&d->cell[p.line], p.bit);
}

/* Whether the aggressor's state is the one that the primitive needs. */
static bool aggressor_fits(const struct dram *d, const struct fault *f)
{
    return f->primitive.aggressor == EVENT_NONE ||
           f->primitive.aggressor == event_state(bit_at(d, f->aggressor));
}

static bool victim_fits(const struct dram *d, const struct fault *f)
{
    return f->primitive.victim == EVENT_ANY ||
           f->primitive.victim == event_state(bit_at(d, f->victim));
}

static void corrupt(struct dram *d, const struct fault *f)
{
    bool value = f->primitive.inverts ? !bit_at(d, f->victim) : f->primitive.faulty;

    line_set_bit(&d->cell[f->victim.line], f->victim.bit, value);
}

/* Faults that need no operation, only the cells' states. */
static void settle_fault(struct dram *d, const struct fault *f)
{
    if (f->kind == FAULT_PRIMITIVE && event_is_state(f->primitive.victim) && victim_fits(d, f) &&
        aggressor_fits(d, f))
        corrupt(d, f);
}

static void settle_line(struct dram *d, uint32_t cell)
{
    for (uint32_t i = d->first_of_victim[cell]; i != NO_FAULT; i = d->fault[i].next_of_victim)
        settle_fault(d, &d->fault[i]);
    for (uint32_t i = d->first_of_aggressor[cell]; i != NO_FAULT; i = d->fault[i].next_of_aggressor)
        settle_fault(d, &d->fault[i]);
}

void dram_preset(struct dram *d, struct bit_place place, bool value)
{
    line_set_bit(&d->cell[place.line], place.bit, value);
}

void dram_settle(struct dram *d)
{
    for (uint32_t i = 0; i < d->n_faults; i++)
        settle_fault(d, &d->fault[i]);
}

/*
 * What is done to the bits of a line disturbs victims. Linked faults with one aggressor: only one
 * of them begins, by what the victim holds before.
 */
static void disturb(struct dram *d, uint32_t cell, const struct line *before,
                    const struct line *written)
{
    const uint32_t first = d->first_of_aggressor[cell];

    for (uint32_t i = first; i != NO_FAULT; i = d->fault[i].next_of_aggressor) {
        struct fault *f = &d->fault[i];
        bool was = line_bit(before, f->aggressor.bit);
        enum event e =
            written ? event_write(was, line_bit(written, f->aggressor.bit)) : event_read(was);

        f->begins = f->primitive.aggressor == e && victim_fits(d, f);
    }
    for (uint32_t i = first; i != NO_FAULT; i = d->fault[i].next_of_aggressor) {
        if (d->fault[i].begins)
            corrupt(d, &d->fault[i]);
    }
}

static void write_cell(struct dram *d, uint32_t cell, const struct line *data)
{
    struct line before = d->cell[cell], stored = *data;

    for (uint32_t i = d->first_of_victim[cell]; i != NO_FAULT; i = d->fault[i].next_of_victim) {
        const struct fault *f = &d->fault[i];
        uint32_t bit = f->victim.bit;
        enum event e = event_write(line_bit(&before, bit), line_bit(data, bit));

        if (f->kind == FAULT_PRIMITIVE && f->primitive.victim == e && aggressor_fits(d, f))
            line_set_bit(&stored, bit, f->primitive.faulty);
    }
    d->cell[cell] = stored;
    disturb(d, cell, &before, data);
    settle_line(d, cell);
}

static struct line read_cell(struct dram *d, uint32_t cell)
{
    struct line before = d->cell[cell], value = before;

    for (uint32_t i = d->first_of_victim[cell]; i != NO_FAULT; i = d->fault[i].next_of_victim) {
        const struct fault *f = &d->fault[i];
        uint32_t bit = f->victim.bit;

        if (f->kind == FAULT_STUCK_OPEN)
            line_set_bit(&value, bit, line_bit(&d->sense, bit));
        if (f->kind == FAULT_PRIMITIVE &&
            f->primitive.victim == event_read(line_bit(&before, bit)) && aggressor_fits(d, f)) {
            line_set_bit(&value, bit, f->primitive.read);
            corrupt(d, f);
        }
    }
    disturb(d, cell, &before, NULL);
    settle_line(d, cell);
    return value;
}

static struct line scramble(uint32_t line, const struct line *data)
{
    struct line coded;

    for (uint64_t i = 0; i < 8; i++)
        coded.word[i] = data->word[i] ^ permutation_mix(line * UINT64_C(8) + i + 1);
    return coded;
}

static struct line permute(uint32_t line, const struct line *data, bool load)
{
    struct line coded;

    for (uint64_t i = 0; i < 8; i += 2) {
        uint64_t address = (line * UINT64_C(8) + i) * sizeof(uint64_t);
        struct permuted block = { { data->word[i], data->word[i + 1] } };

        block = load ? permutation_load(block, address) : permutation_store(block, address);
        coded.word[i] = block.half[0];
        coded.word[i + 1] = block.half[1];
    }
    return coded;
}

static struct line code(const struct dram *d, uint32_t line, const struct line *data, bool load)
{
    switch (d->coding) {
    case DRAM_PLAIN: break;
    case DRAM_SCRAMBLED: return scramble(line, data);
    case DRAM_ENCRYPTED: return permute(line, data, load);
    }
    return *data;
}

struct line dram_encode(const struct dram *d, uint32_t line, const struct line *data)
{
    return code(d, line, data, false);
}

void dram_write(struct dram *d, uint32_t line, const struct line *data)
{
    const struct line coded = dram_encode(d, line, data);
    const struct reach *r = &d->reach[line];

    for (uint32_t i = 0; i < r->n_cells; i++)
        write_cell(d, r->cell[i], &coded);
}

struct line dram_read(struct dram *d, uint32_t line)
{
    const struct reach *r = &d->reach[line];
    struct line value;

    memset(&value, r->floats_to_one ? 0xff : 0, sizeof(value));
    for (uint32_t i = 0; i < r->n_cells; i++) {
        struct line one = read_cell(d, r->cell[i]);

        for (uint32_t w = 0; w < 8; w++) {
            if (i == 0)
                value.word[w] = one.word[w];
            else if (r->joined_by_or)
                value.word[w] |= one.word[w];
            else
                value.word[w] &= one.word[w];
        }
    }
    d->sense = value;
    return code(d, line, &value, true);
}

/* What a cell leaks by depends on the cells around it: Liu et al. (ISCA 2013). */
static bool neighbours_fit(const struct dram *d, const struct fault *f)
{
    return bit_at(d, f->neighbour[0]) == f->neighbour_holds[0] &&
           bit_at(d, f->neighbour[1]) == f->neighbour_holds[1];
}

static bool loses_data(const struct dram *d, const struct fault *f, uint32_t ms)
{
    if (f->kind != FAULT_FADE && f->kind != FAULT_LEAK)
        return false;
    return ms >= f->fade_ms && bit_at(d, f->victim) == f->loses &&
           (f->kind == FAULT_FADE || neighbours_fit(d, f));
}

void dram_pause(struct dram *d, uint32_t ms)
{
    for (uint32_t i = 0; i < d->n_faults; i++) {
        const struct fault *f = &d->fault[i];

        if (loses_data(d, f, ms))
            dram_preset(d, f->victim, !f->loses);
    }
}
