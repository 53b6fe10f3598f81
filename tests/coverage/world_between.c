// SPDX-License-Identifier: MIT
/* Memory for the faults of single cells, between cells of two lines, and of the address decoder. */
#include "tests/coverage/world.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"
#include "sweep/order.h"

/* Bits of every ordinary line. Two are healthy, for aggressors: one holds 0 first, one 1. */
#define BIT_AGGRESSOR 0
#define BIT_ONE_CELL  2 /* each fault twice: the cell holds 0 first, and 1 */
#define BIT_RETENTION (BIT_ONE_CELL + 2 * N_ONE_CELL)
#define BIT_TWO_CELL  (BIT_RETENTION + N_RETENTION)

/*
 * From here on are stuck-open cells only, and every line's in another place than that of those read
 * before it: they would else hand on one value for ever.
 */
#define BIT_STUCK_OPEN 384

/* All states that a pair of cells may have first. */
#define PAIR_INITS 4

#define RETENTION_MS 1000 /* a cell that fades does so within this time */

/*
 * Three CPUs. The long area's two slices meet at 4 GiB; the first one is long enough for as many
 * lanes of a sequence as four stages need, and something left over (sweep/engine.c).
 */
#define LONG_AREA 2210
#define BORDER    1810 /* first line of the second slice */

/* Lines in a lane of the only round, its lanes in the first slice; lines in one of verify-write. */
#define LANE    43
#define N_LANES (BORDER / LANE)
#define VERIFY  452

/* Lines in each lane of turns and of odd rounds, lanes, how many rows each is ahead of the one
 * before it in the third turn, and lines that may be under way at once in the first turn and in
 * even rounds. */
#define TURN_LANE    119
#define N_TURN_LANES 15
#define LEG_EARLY    2
#define WINDOW       (TURN_LANE - 1)

/* The last section that a round may leave unordered with another CPU's first (sweep/order.h). */
#define NEAR (ORDER_AHEAD_MAX - 1)

enum {
    CPU0_FIRST,
    CPU0_SECOND,
    CPU0_LAST,
    CPU1_FIRST,
    CPU1_SECOND,
    CPU1_MIDDLE,
    CPU2_FIRST,
    CPU2_LAST,
    N_AREAS,
};

static const struct area areas[N_AREAS] = {
    [CPU0_FIRST] = { 0, 0, UINT64_C(0x100000000) - BORDER * 64, LONG_AREA, 0 },
    [CPU0_SECOND] = { 0, NEAR, UINT64_C(0x110000000), 9, LONG_AREA },
    [CPU0_LAST] = { 0, WORLD_SECTIONS - 1, UINT64_C(0x180000040), 20, LONG_AREA + 9 },
    [CPU1_FIRST] = { 1, 0, UINT64_C(0x200000000), 60, LONG_AREA + 29 },
    [CPU1_SECOND] = { 1, NEAR, UINT64_C(0x210000000), 9, LONG_AREA + 89 },
    [CPU1_MIDDLE] = { 1, NEAR + 1, UINT64_C(0x280000000), 40, LONG_AREA + 98 },
    [CPU2_FIRST] = { 2, 0, UINT64_C(0x300000000), 20, LONG_AREA + 138 },
    [CPU2_LAST] = { 2, WORLD_SECTIONS - 1, UINT64_C(0x380000000), 20, LONG_AREA + 158 },
};

/* Pairs of lines between which every two-cell fault is, both ways and with all first states. */
static const struct pair {
    const char *place;
    uint32_t low_area, low, high_area, high;
} pairs[] = {
    { "neighbours", CPU0_FIRST, 10, CPU0_FIRST, 11 },
    { "across a page", CPU0_FIRST, 27, CPU0_FIRST, 28 },
    { "same page", CPU0_FIRST, 40, CPU0_FIRST, 90 },
    { "same slice", CPU0_FIRST, 7, CPU0_FIRST, 1790 },
    { "across a turn of verify-write", CPU0_FIRST, 3, CPU0_FIRST, 4 },
    { "same turn of verify-write", CPU0_FIRST, 100, CPU0_FIRST, 100 + VERIFY },
    { "across a lane of verify-write", CPU0_FIRST, VERIFY - 1, CPU0_FIRST, VERIFY },
    { "lanes and rest of verify-write", CPU0_FIRST, 4 * VERIFY - 1, CPU0_FIRST, 4 * VERIFY },
    { "widest window", CPU0_FIRST, 20, CPU0_FIRST, 20 + WINDOW - 1 },
    { "just beyond the window", CPU0_FIRST, 21, CPU0_FIRST, 21 + WINDOW },
    { "half a window", CPU0_FIRST, 18, CPU0_FIRST, 18 + WINDOW / 2 },
    { "same row of lanes", CPU0_FIRST, 23, CPU0_FIRST, 23 + LANE },
    { "same row of far lanes", CPU0_FIRST, 24, CPU0_FIRST, 24 + (N_LANES - 1) * LANE },
    { "next row of lanes", CPU0_FIRST, 25, CPU0_FIRST, 25 + LANE + 1 },
    { "row before of lanes", CPU0_FIRST, 26, CPU0_FIRST, 26 + 2 * LANE - 1 },
    { "across a lane", CPU0_FIRST, LANE - 1, CPU0_FIRST, LANE },
    { "lanes and rest", CPU0_FIRST, N_LANES *LANE - 1, CPU0_FIRST, N_LANES *LANE },
    { "same row of turns' lanes", CPU0_FIRST, 120, CPU0_FIRST, 120 + TURN_LANE },
    { "next row of turns' lanes", CPU0_FIRST, 128, CPU0_FIRST, 128 + TURN_LANE + 1 },
    { "row before of turns' lanes", CPU0_FIRST, 131, CPU0_FIRST, 131 + TURN_LANE - 1 },
    { "same row when early", CPU0_FIRST, 132, CPU0_FIRST, 132 + TURN_LANE + LEG_EARLY },
    { "next row when early", CPU0_FIRST, 140, CPU0_FIRST, 140 + TURN_LANE + LEG_EARLY + 1 },
    { "far lanes when early", CPU0_FIRST, 30, CPU0_FIRST,
      30 + (N_TURN_LANES - 1) * (TURN_LANE + LEG_EARLY) },
    { "first turn's window", CPU0_FIRST, TURN_LANE - 2, CPU0_FIRST, TURN_LANE - 2 + WINDOW - 1 },
    { "half of it, to the next lane", CPU0_FIRST, TURN_LANE - 40, CPU0_FIRST,
      TURN_LANE - 40 + WINDOW / 2 },
    { "across turns' lanes", CPU0_FIRST, TURN_LANE - 1, CPU0_FIRST, TURN_LANE },
    { "across a slice", CPU0_FIRST, BORDER - 1, CPU0_FIRST, BORDER },
    { "two slices", CPU0_FIRST, 50, CPU0_FIRST, 2190 },
    { "two sections", CPU0_FIRST, 60, CPU0_SECOND, 8 },
    { "first and last section", CPU0_FIRST, 70, CPU0_LAST, 19 },
    { "two CPUs", CPU0_FIRST, 80, CPU1_MIDDLE, 0 },
    { "two CPUs", CPU0_LAST, 10, CPU1_FIRST, 1 },
    { "two CPUs, same step", CPU0_FIRST, 110, CPU1_FIRST, 2 },
    { "two CPUs, same step", CPU0_SECOND, 1, CPU1_SECOND, 2 },
    { "two CPUs, same step", CPU1_FIRST, 3, CPU2_FIRST, 1 },
    { "two CPUs, same step", CPU0_LAST, 12, CPU2_LAST, 3 },
    { "two CPUs, near steps", CPU0_SECOND, 4, CPU1_FIRST, 4 },
    { "two CPUs, near steps", CPU1_SECOND, 5, CPU2_FIRST, 5 },
    { "two CPUs, near steps", CPU0_FIRST, 112, CPU1_SECOND, 7 },
};

/* Every decoder fault, in each way it may show; address x is the faulty one. */
enum reaches {
    REACHES_NOTHING,
    REACHES_OTHER,
    REACHES_BOTH,
    REACHES_OWN,
};

static const struct {
    uint32_t row;
    enum reaches x, y;
    bool floats_to_one, joined_by_or;
} decoders[] = {
    { ROW_DECODER + 0, REACHES_NOTHING, REACHES_OWN, false, false },
    { ROW_DECODER + 0, REACHES_NOTHING, REACHES_OWN, true, false },
    { ROW_DECODER + 1, REACHES_NOTHING, REACHES_BOTH, false, false },
    { ROW_DECODER + 1, REACHES_NOTHING, REACHES_BOTH, true, true },
    { ROW_DECODER + 2, REACHES_OTHER, REACHES_OWN, false, false },
    { ROW_DECODER + 3, REACHES_BOTH, REACHES_OWN, false, false },
    { ROW_DECODER + 3, REACHES_BOTH, REACHES_OWN, false, true },
};

#define N_DECODERS (sizeof(decoders) / sizeof(decoders[0]))

/* Where decoder faults are, one after the other from these lines on, twice: x below y, and above.
 */
static const struct {
    struct pair pair;
    uint32_t step;
} decoder_pairs[] = {
    { { "neighbours", CPU0_FIRST, 400, CPU0_FIRST, 401 }, 2 },
    { { "same slice", CPU0_FIRST, 430, CPU0_FIRST, 650 }, 1 },
    { { "two slices", CPU0_FIRST, 455, CPU0_FIRST, 2040 }, 1 },
    { { "two CPUs", CPU0_FIRST, 470, CPU1_MIDDLE, 10 }, 1 },
    { { "two CPUs, same step", CPU0_FIRST, 490, CPU1_FIRST, 20 }, 1 },
};

static const struct area *area_of(uint32_t line)
{
    uint32_t i = N_AREAS - 1;

    while (areas[i].first_line > line)
        i--;
    return &areas[i];
}

/* The lines of a slice, and its lanes in odd rounds and tests of one round. */
struct slice_lanes {
    uint32_t first, n_lines;
    uint32_t n_lanes, length;
};

static struct slice_lanes lanes_of(uint32_t line)
{
    const struct area *area = area_of(line);
    struct slice_lanes s = { area->first_line, area->n_lines, 1, 0 };

    if (area == &areas[CPU0_FIRST] && line >= BORDER)
        s = (struct slice_lanes){ BORDER, LONG_AREA - BORDER, 1, 0 };
    else if (area == &areas[CPU0_FIRST])
        s.n_lines = BORDER;
    while ((s.n_lanes + 1) * (s.n_lanes + 1) <= s.n_lines)
        s.n_lanes++;
    s.length = (s.n_lines / s.n_lanes - 1) | 1;
    return s;
}

/* When a line of the slice has its turn. What lanes leave over comes after them. */
static int64_t turn(struct slice_lanes s, uint32_t line)
{
    uint32_t nth = line - s.first;

    if (nth >= s.n_lanes * s.length)
        return INT64_MAX / 2;
    return nth % s.length * s.n_lanes + nth / s.length;
}

/* In a test of one round: two CPUs in the same step, or one that has both lines under way. */
static bool unordered(uint32_t a, uint32_t b)
{
    const struct order one_round = { .n_workers = 3, .n_rounds = 1, .n_sections = WORLD_SECTIONS };
    const struct area *x = area_of(a), *y = area_of(b);
    uint32_t apart = x->section > y->section ? x->section - y->section : y->section - x->section;
    struct slice_lanes s = lanes_of(a);

    if (s.first == lanes_of(b).first)
        return llabs(turn(s, a) - turn(s, b)) < s.n_lanes && turn(s, a) < INT64_MAX / 2;
    return x->worker != y->worker && apart < order_ahead(one_round);
}

static void add_decoder(struct world *w, size_t number, const char *place, uint32_t x, uint32_t y)
{
    static const uint32_t n_cells[] = { 0, 1, 2, 1 };
    struct reach *reach = w->dram.reach;
    struct instance *instance = &w->instance[w->n_instances];

    *instance = (struct instance){ decoders[number].row, place, unordered(x, y), NOT_FOUND };
    for (uint32_t bit = 0; bit < LINE_BITS; bit++) {
        w->owner[x * LINE_BITS + bit] = w->n_instances;
        w->owner[y * LINE_BITS + bit] = w->n_instances;
    }
    w->n_instances++;
    reach[x] = (struct reach){
        .n_cells = n_cells[decoders[number].x],
        .cell = { decoders[number].x == REACHES_OTHER ? y : x, y },
        .joined_by_or = decoders[number].joined_by_or,
        .floats_to_one = decoders[number].floats_to_one,
    };
    reach[y] = (struct reach){
        .n_cells = n_cells[decoders[number].y],
        .cell = { y, x },
        .joined_by_or = decoders[number].joined_by_or,
    };
}

static void add_decoders(struct world *w)
{
    for (size_t i = 0; i < sizeof(decoder_pairs) / sizeof(decoder_pairs[0]); i++) {
        const struct pair *p = &decoder_pairs[i].pair;
        uint32_t low = areas[p->low_area].first_line + p->low;
        uint32_t high = areas[p->high_area].first_line + p->high;

        for (size_t k = 0; k < 2 * N_DECODERS; k++) {
            bool swapped = k % 2;

            add_decoder(w, k / 2, p->place, swapped ? high : low, swapped ? low : high);
            low += decoder_pairs[i].step;
            high += decoder_pairs[i].step;
        }
    }
}

static bool is_decoders(const struct world *w, uint32_t line)
{
    uint32_t owner = w->owner[line * LINE_BITS];

    return owner != NO_OWNER && w->instance[owner].row < ROW_STUCK_OPEN &&
           w->instance[owner].row >= ROW_DECODER;
}

static struct fault primitive_fault(uint32_t row)
{
    struct fault fault = { .kind = FAULT_PRIMITIVE };

    ASSERT(primitive_parse(row_primitive(row)->notation, &fault.primitive));
    return fault;
}

static void add_cells(struct world *w, uint32_t line)
{
    static const struct instance cell = { .place = "cell" };
    struct instance instance = cell;
    struct fault fault;

    for (uint32_t i = 0; i < 2 * N_ONE_CELL; i++) {
        instance.row = ROW_ONE_CELL + i / 2;
        fault = primitive_fault(instance.row);
        fault.victim = (struct bit_place){ line, BIT_ONE_CELL + i };
        world_add(w, instance, fault, i % 2);
    }
    for (uint32_t i = 0; i < N_RETENTION; i++) {
        instance.row = ROW_RETENTION + i;
        fault = (struct fault){
            .kind = FAULT_FADE,
            .victim = { line, BIT_RETENTION + i },
            .loses = i,
            .fade_ms = RETENTION_MS,
        };
        world_add(w, instance, fault, i);
    }
    instance.row = ROW_STUCK_OPEN;
    fault = (struct fault){
        .kind = FAULT_STUCK_OPEN,
        .victim = { line, BIT_STUCK_OPEN + line % (LINE_BITS - BIT_STUCK_OPEN) },
    };
    world_add(w, instance, fault, false);
}

/* BIT_STUCK_OPEN: none is free. */
static uint32_t free_bit(const struct world *w, uint32_t line)
{
    uint32_t bit = BIT_TWO_CELL;

    while (bit < BIT_STUCK_OPEN && w->owner[line * LINE_BITS + bit] != NO_OWNER)
        bit++;
    return bit;
}

static void add_two_cell(struct world *w, uint32_t primitive, const char *place, uint32_t aggressor,
                         uint32_t victim, uint32_t init)
{
    struct instance instance = {
        .row = ROW_TWO_CELL + primitive,
        .place = place,
        .unordered = unordered(aggressor, victim),
    };
    struct fault fault = primitive_fault(instance.row);
    uint32_t bit = free_bit(w, victim);

    ASSERT(bit < BIT_STUCK_OPEN);
    fault.aggressor = (struct bit_place){ aggressor, BIT_AGGRESSOR + init / 2 };
    fault.victim = (struct bit_place){ victim, bit };
    world_add(w, instance, fault, init % 2);
}

static void add_pairs(struct world *w)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct pair *p = &pairs[i];
        uint32_t low = areas[p->low_area].first_line + p->low;
        uint32_t high = areas[p->high_area].first_line + p->high;

        for (uint32_t k = 0; k < N_TWO_CELL * PAIR_INITS; k++) {
            add_two_cell(w, k / PAIR_INITS, p->place, low, high, k % PAIR_INITS);
            add_two_cell(w, k / PAIR_INITS, p->place, high, low, k % PAIR_INITS);
        }
    }
}

static uint32_t random_number(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

/* Every two-cell fault has a victim in this line, with aggressors anywhere. */
static void add_random(struct world *w, uint32_t line, uint64_t *state)
{
    for (uint32_t k = 0; k < N_TWO_CELL; k++) {
        uint32_t aggressor;

        do
            aggressor = random_number(state, w->dram.n_lines);
        while (aggressor == line || is_decoders(w, aggressor));
        add_two_cell(w, k, "anywhere", aggressor, line, random_number(state, PAIR_INITS));
    }
}

/* A line anywhere, now and then in any of the areas: most are small. */
static uint32_t random_line(const struct world *w, uint64_t *state)
{
    const struct area *area = &areas[random_number(state, N_AREAS)];

    return random_number(state, 4) ? random_number(state, w->dram.n_lines)
                                   : area->first_line + random_number(state, area->n_lines);
}

#define LINKED_CELLS 3

/* Of one CPU, in different slices: in the order of addresses in every element that goes up. */
static uint32_t line_in_order(uint32_t place, uint64_t *state)
{
    static const uint32_t begin[LINKED_CELLS + 1] = { 0, BORDER, LONG_AREA, LONG_AREA + 29 };

    return begin[place] + random_number(state, begin[place + 1] - begin[place]);
}

/* Different ones with a free bit, in the order of addresses. */
static void linked_lines(const struct world *w, uint32_t n, bool anywhere, uint64_t *state,
                         uint32_t ret_line[LINKED_CELLS])
{
    for (uint32_t i = 0; i < n;) {
        uint32_t line = anywhere ? random_line(w, state) : line_in_order(i, state), k = i;

        while (k && ret_line[k - 1] > line)
            k--;
        if (is_decoders(w, line) || free_bit(w, line) == BIT_STUCK_OPEN ||
            (k && ret_line[k - 1] == line))
            continue;
        memmove(&ret_line[k + 1], &ret_line[k], (i - k) * sizeof(line));
        ret_line[k] = line;
        i++;
    }
}

/* In which order of addresses the aggressors and the victim, the last, are. */
static const uint8_t linked_orders[][LINKED_CELLS] = {
    { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
};

/* number: of the order, and what the cells hold first. */
static void add_linked_pair(struct world *w, uint32_t row, uint32_t number, bool anywhere,
                            uint64_t *state)
{
    const struct linked *l = linked_row(row);
    const uint32_t n = linked_cells(l), other = n == 3;
    const uint8_t *order = linked_orders[number >> n];
    struct instance instance = { .row = anywhere ? ROW_ANYWHERE : ROW_LINKED + row,
                                 .place = anywhere ? "anywhere" : "in order" };
    struct fault first = { .kind = FAULT_PRIMITIVE, .primitive = l->first };
    struct fault second = { .kind = FAULT_PRIMITIVE, .primitive = l->second };
    uint32_t line[LINKED_CELLS], victim;

    linked_lines(w, n, anywhere, state, line);
    for (uint32_t i = 1; i < n; i++)
        instance.unordered |= unordered(line[0], line[i]) || unordered(line[i - 1], line[i]);
    victim = line[order[n - 1]];
    first.aggressor = (struct bit_place){ line[order[0]], BIT_AGGRESSOR + (number & 1) };
    second.aggressor =
        (struct bit_place){ line[order[other]], BIT_AGGRESSOR + (number >> other & 1) };
    first.victim = second.victim = (struct bit_place){ victim, free_bit(w, victim) };
    world_add(w, instance, first, number >> (n - 1) & 1);
    dram_add(&w->dram, second);
}

/* Each in all orders of its cells, with all that they may hold first. */
static void add_linked(struct world *w, uint64_t *state)
{
    static const uint32_t n_orders[] = { 0, 1, 2, 6 };

    for (uint32_t row = 0; row < N_LINKED; row++) {
        const uint32_t n = linked_cells(linked_row(row));

        for (uint32_t number = 0; number < n_orders[n] << n; number++) {
            add_linked_pair(w, row, number, false, state);
            add_linked_pair(w, row, number, true, state);
        }
    }
}

void world_make_between(struct world *w)
{
    const struct area *last = &areas[N_AREAS - 1];
    uint32_t n_lines = last->first_line + last->n_lines;
    uint64_t state = 1;

    world_begin(w, areas, N_AREAS, 3, n_lines * 128);
    add_decoders(w);
    add_pairs(w);
    for (uint32_t line = 0; line < n_lines; line++) {
        line_set_bit(&w->init[line], BIT_AGGRESSOR + 1, true);
        if (is_decoders(w, line))
            continue;
        add_cells(w, line);
        add_random(w, line, &state);
    }
    add_linked(w, &state);
}
