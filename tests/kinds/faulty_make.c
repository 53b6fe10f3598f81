// SPDX-License-Identifier: MIT
/* Faults of each kind, at random. */
#include <math.h>
#include <string.h>

#include "lib/sort.h"
#include "lib/splitmix.h"
#include "tests/kinds/faulty.h"

#define SMALL_LINES  1500 /* a fault of fewer is kept whole */
#define FIRST_LINES  48   /* of each share, of a larger one */
#define SCANNED      4096
#define RANDOM_LINES 900
#define PAIRS        300

static const enum kind truths[] = {
    KIND_CELL, KIND_CELLS,        KIND_ROW,       KIND_COLUMN,   KIND_PIN,
    KIND_CHIP, KIND_ADDRESS_LINE, KIND_RETENTION, KIND_COUPLING, KIND_EVERYWHERE,
};
#define N_TRUTHS (sizeof(truths) / sizeof(truths[0]))

const struct faulty_layout faulty_layouts[] = {
    { "as published", 0, false },
    { "a hole of 512 MiB", UINT64_C(512) << 20, false },
    { "a hole of 1 GiB", UINT64_C(1) << 30, false },
    { "three channels", 0, true },
    { "three channels and a hole of 1 GiB", UINT64_C(1) << 30, true },
};
const size_t faulty_n_layouts = sizeof(faulty_layouts) / sizeof(faulty_layouts[0]);

static uint64_t below(struct faulty *f, uint64_t n)
{
    return splitmix_below(&f->random, n);
}

/* From low to high, each order of magnitude as often. */
static double spread(struct faulty *f, double low, double high)
{
    double part = (double)(splitmix_next(&f->random) >> 11) / 0x1p53;

    return low * pow(high / low, part);
}

/* Of an address of the map, in the channel that the fault is in. */
static uint64_t phys_of(const struct faulty *f, uint64_t local)
{
    uint64_t turn = f->turn_bytes;

    return faulty_phys(f, f->layout->three_channels
                              ? (local / turn * 3 + f->channel) * turn + local % turn
                              : local);
}

static void add_line(struct faulty *f, uint64_t phys, uint64_t reached)
{
    uint64_t share_bytes = faulty_bytes(f) / FAULTY_SHARES,
             linear = row_map_linear(f->layout->hole, phys), in_share = linear % share_bytes;

    for (size_t i = 0; i < f->n_lines; i++) {
        if (f->line[i].phys == phys)
            return;
    }
    if (f->n_lines < FAULTY_LINES_MAX)
        f->line[f->n_lines++] = (struct faulty_line){
            .phys = phys,
            .rank = in_share / 64 * FAULTY_SHARES + linear / share_bytes,
            .part = (double)in_share / (double)share_bytes,
            .reached = reached,
        };
}

static bool is_before(const void *ctx, const void *a, const void *b)
{
    const struct faulty *f = ctx;

    return f->line[*(const uint32_t *)a].rank < f->line[*(const uint32_t *)b].rank;
}

static uint32_t find_line(const struct faulty *f, uint64_t phys)
{
    uint32_t i = 0;

    while (f->line[i].phys != phys)
        i++;
    return i;
}

/* Lines by rank, and who they reach. */
static void settle(struct faulty *f)
{
    static struct faulty_line sorted[FAULTY_LINES_MAX];
    static uint32_t order[FAULTY_LINES_MAX];

    for (uint32_t i = 0; i < f->n_lines; i++)
        order[i] = i;
    sort(order, f->n_lines, sizeof(order[0]), is_before, f);
    for (size_t i = 0; i < f->n_lines; i++)
        sorted[i] = f->line[order[i]];
    memcpy(f->line, sorted, f->n_lines * sizeof(f->line[0]));
    for (uint32_t i = 0; i < f->n_lines; i++)
        f->line[i].reaches =
            f->line[i].reached == f->line[i].phys ? i : find_line(f, f->line[i].reached);
    for (size_t i = 0; i < f->n_cells; i++) {
        f->cell[i].line = find_line(f, f->cell[i].phys);
        f->cell[i].aggressor_line =
            f->cell[i].what >= CELL_INVERTED ? find_line(f, f->cell[i].aggressor_phys) : 0;
    }
}

static struct published_place any_place(struct faulty *f)
{
    struct published_place p = { .row = (uint32_t)below(f, dram_rows(f->map)),
                                 .column = (uint32_t)below(f, dram_columns(f->map)) };

    for (unsigned i = 0; i < DRAM_FIELDS; i++)
        p.field[i] = (uint32_t)below(f, dram_field_values(f->map, i));
    return p;
}

/* Chips are of 8 pins mostly. */
static unsigned any_width(struct faulty *f)
{
    uint64_t n = below(f, 20);

    return n < 5 ? 4 : n < 18 ? 8 : 16;
}

static struct dram_fault any_region(struct faulty *f, unsigned width)
{
    return (struct dram_fault){
        .map = f->map,
        .at = any_place(f),
        .fields = (1u << DRAM_FIELDS) - 1,
        .n_rows = dram_rows(f->map),
        .pin = (uint32_t)below(f, f->map->bus_bits / width) * width,
        .n_pins = width,
        .beat = DRAM_BEAT_ALL,
        .one_in = 1,
        .seed = splitmix_next(&f->random),
    };
}

enum stuck { STUCK_0, STUCK_1, STUCK_ANY, STUCK_WAYS };

/* local: an address of the map. */
static void add_region_line(struct faulty *f, const struct dram_fault *d, uint64_t local,
                            enum stuck stuck)
{
    uint64_t bits[DRAM_LINE_WORDS], state = d->seed ^ local, phys = phys_of(f, local);
    struct faulty_line *l = &f->line[f->n_lines];
    size_t before = f->n_lines;

    if (!dram_fault_bits(d, local, bits))
        return;
    add_line(f, phys, phys);
    for (size_t i = 0; f->n_lines > before && i < DRAM_LINE_WORDS; i++) {
        l->mask.word[i] = bits[i];
        l->stuck.word[i] = stuck == STUCK_0   ? 0
                           : stuck == STUCK_1 ? ~UINT64_C(0)
                                              : splitmix_next(&state);
    }
}

/* All of a small fault; of a large one the first of each share, and some. */
static void add_region(struct faulty *f, const struct dram_fault *d, enum stuck stuck)
{
    uint64_t n = dram_fault_lines(d), share = (UINT64_C(1) << f->map->bits) / FAULTY_SHARES;

    if (n <= SMALL_LINES) {
        for (uint64_t i = 0; i < n; i++)
            add_region_line(f, d, dram_fault_line(d, i), stuck);
        return;
    }
    for (uint64_t s = 0; s < FAULTY_SHARES; s++) {
        size_t end = f->n_lines + FIRST_LINES;

        for (uint64_t i = 0; i < SCANNED && f->n_lines < end; i++)
            add_region_line(f, d, s * share + i * DRAM_LINE_BYTES, stuck);
        for (uint64_t i = 0; i < FIRST_LINES && f->n_lines < end; i++)
            add_region_line(f, d, dram_fault_line(d, s * n / FAULTY_SHARES + i), stuck);
    }
    for (size_t i = 0; i < RANDOM_LINES; i++)
        add_region_line(f, d, dram_fault_line(d, splitmix_next(&f->random) % n), stuck);
}

/*
 * An intermittent fault shows in one of several reads. Of a large one only some lines are kept, so
 * that the rarest leave as little evidence here as ones that are rarer still would in all memory.
 */
static void choose_noise(struct faulty *f, unsigned percent, double most)
{
    if (below(f, 100) < percent)
        f->noise_one_in = (uint32_t)spread(f, 1, most);
}

/* One, or two or four next to each other. */
static void make_row(struct faulty *f)
{
    static const uint32_t one_in[] = { 1, 1, 8, 64, 512 }, rows[] = { 1, 1, 2, 4 };
    struct dram_fault d = any_region(f, any_width(f) == 4 ? 4 : 8);

    f->n_rows = rows[below(f, 4)];
    d.first_row = (uint32_t)below(f, d.n_rows - f->n_rows + 1);
    d.n_rows = f->n_rows;
    d.any_column = true;
    d.one_in = one_in[below(f, 5)];
    choose_noise(f, 20, 50);
    add_region(f, &d, (enum stuck)below(f, STUCK_WAYS));
}

/* A bit line is of a subarray of 512 or 1024 rows, a column select line of all of a bank. */
static void make_column(struct faulty *f)
{
    static const uint32_t one_in[] = { 1, 1, 8, 64 };
    bool is_select_line = below(f, 4) == 0;
    struct dram_fault d = any_region(f, is_select_line ? 8 : 1);
    uint32_t rows = is_select_line ? d.n_rows : below(f, 2) ? 512 : 1024;

    d.first_row = d.at.row / rows * rows;
    d.n_rows = rows;
    d.one_in = one_in[below(f, 4)];
    if (!is_select_line)
        d.beat = (uint32_t)below(f, 512 / f->map->bus_bits);
    choose_noise(f, 20, 50);
    add_region(f, &d, (enum stuck)below(f, STUCK_WAYS));
}

#define ONE_RANK    (1u << DRAM_CHANNEL | 1u << DRAM_DIMM | 1u << DRAM_SUBCHANNEL | 1u << DRAM_RANK)
#define ONE_CHANNEL (1u << DRAM_CHANNEL | 1u << DRAM_SUBCHANNEL)

static void make_pin(struct faulty *f)
{
    struct dram_fault d = any_region(f, 1);

    d.fields = below(f, 5) < 3 ? ONE_RANK : ONE_CHANNEL;
    d.any_column = true;
    choose_noise(f, 50, 5000);
    add_region(f, &d, (enum stuck)below(f, STUCK_ANY));
}

static void make_chip(struct faulty *f)
{
    struct dram_fault d = any_region(f, any_width(f));

    d.fields = below(f, 10) < 7 ? ONE_RANK : ONE_RANK | 1u << DRAM_GROUP | 1u << DRAM_BANK;
    d.any_column = true;
    choose_noise(f, 40, 5000);
    add_region(f, &d, (enum stuck)below(f, STUCK_WAYS));
}

static uint32_t any_bit(struct faulty *f)
{
    return (uint32_t)below(f, 512);
}

static uint64_t line_at(const struct faulty *f, const struct published_place *p)
{
    return phys_of(f, dram_address_of(f->map, p) & ~UINT64_C(63));
}

static void add_cell(struct faulty *f, struct faulty_cell c)
{
    add_line(f, c.phys, c.phys);
    if (c.what >= CELL_INVERTED)
        add_line(f, c.aggressor_phys, c.aggressor_phys);
    f->cell[f->n_cells++] = c;
}

static struct faulty_cell any_cell(struct faulty *f)
{
    static const enum cell_what what[] = { CELL_STUCK, CELL_STUCK,      CELL_STUCK,
                                           CELL_STUCK, CELL_TRANSITION, CELL_TRANSITION,
                                           CELL_LAPSE, CELL_MISREAD };
    struct published_place p = any_place(f);

    f->channel = (unsigned)below(f, 3);
    return (struct faulty_cell){
        .what = what[below(f, sizeof(what) / sizeof(what[0]))],
        .phys = line_at(f, &p),
        .bit = any_bit(f),
        .value = below(f, 2),
        .one_in = (uint32_t)spread(f, 2, 200),
    };
}

static void make_cells(struct faulty *f)
{
    size_t n = 2 + below(f, 11);

    for (size_t i = 0; i < n; i++)
        add_cell(f, any_cell(f));
}

/* Of all of the memory: what refresh does not reach in time, cells of a weak batch. */
static void make_retention(struct faulty *f)
{
    size_t n = 1 + (size_t)spread(f, 1, 40);

    for (size_t i = 0; i < n; i++) {
        struct faulty_cell c = any_cell(f);

        c.what = CELL_FADES;
        c.hold_s = spread(f, 0.1, 1.9);
        add_cell(f, c);
    }
}

/* With a neighbour: in the next row, in another column of the row, or in the same burst. */
static void make_coupling(struct faulty *f)
{
    struct published_place victim = any_place(f), aggressor;
    struct faulty_cell c = any_cell(f);
    uint64_t way = below(f, 10);

    c.what = CELL_INVERTED + (enum cell_what)below(f, 3);
    aggressor = victim;
    c.aggressor_bit = c.bit;
    if (way < 6)
        aggressor.row ^= 1;
    else if (way < 8)
        aggressor.column ^= DRAM_LINE_BYTES << below(f, 4);
    else
        c.aggressor_bit = (c.bit + 1) % 512;
    c.phys = line_at(f, &victim);
    c.aggressor_phys = line_at(f, &aggressor);
    c.edge = below(f, 2);
    add_cell(f, c);
}

static void add_pair(struct faulty *f, struct published_place p, uint32_t bit)
{
    uint64_t upper, lower;

    p.row |= bit;
    upper = line_at(f, &p);
    p.row &= ~bit;
    lower = line_at(f, &p);
    add_line(f, lower, lower);
    add_line(f, upper, lower);
}

/* A row's address bit is always 0, in a rank. */
static void make_address_line(struct faulty *f)
{
    uint32_t bit = UINT32_C(1) << below(f, (unsigned)__builtin_popcountll(f->map->row));
    uint64_t share = (UINT64_C(1) << f->map->bits) / FAULTY_SHARES, bits[DRAM_LINE_WORDS];
    struct dram_fault rank = any_region(f, 1);

    rank.fields = ONE_RANK;
    rank.any_column = true;
    for (uint64_t s = 0; s < FAULTY_SHARES; s++) {
        size_t end = f->n_lines + 2 * FIRST_LINES;

        for (uint64_t line = s * share; f->n_lines < end; line += DRAM_LINE_BYTES) {
            if (dram_fault_bits(&rank, line, bits))
                add_pair(f, dram_place_of(f->map, line), bit);
        }
    }
    for (uint64_t i = 0; i < PAIRS; i++)
        add_pair(f,
                 dram_place_of(f->map, dram_fault_line(&rank, splitmix_next(&f->random) %
                                                                  dram_fault_lines(&rank))),
                 bit);
}

/* Most are single bits, of some machines whole lines. */
static void make_everywhere(struct faulty *f)
{
    f->errors = spread(f, 2, 3000);
    f->whole_lines = below(f, 5) == 0;
}

void faulty_make(struct faulty *f, uint64_t seed, uint32_t n)
{
    memset(f, 0, sizeof(*f));
    f->seed = splitmix_mix(seed + (n + 1) * SPLITMIX_STEP);
    f->random = f->seed;
    f->truth = truths[n % N_TRUTHS];
    f->map = &dram_maps[n / N_TRUTHS % dram_n_maps];
    f->layout = &faulty_layouts[n / N_TRUTHS / dram_n_maps % faulty_n_layouts];
    f->turn_bytes = DRAM_LINE_BYTES << below(f, 7);
    f->channel = (unsigned)below(f, 3);
    f->scrambles = below(f, 2);
    f->knows_bus = below(f, 2);
    switch (f->truth) {
    case KIND_CELL: add_cell(f, any_cell(f)); break;
    case KIND_CELLS: make_cells(f); break;
    case KIND_ROW: make_row(f); break;
    case KIND_COLUMN: make_column(f); break;
    case KIND_PIN: make_pin(f); break;
    case KIND_CHIP: make_chip(f); break;
    case KIND_ADDRESS_LINE: make_address_line(f); break;
    case KIND_RETENTION: make_retention(f); break;
    case KIND_COUPLING: make_coupling(f); break;
    default: make_everywhere(f); break;
    }
    settle(f);
}
