// SPDX-License-Identifier: MIT
/*
 * Registers of a machine with one bit wrong, each bit of each register that its decoder reads: what
 * is said of faults then. The machine's memory is timed, with noise, and its board lists the
 * modules; its letters, and which slot is a channel's first, are drawn.
 */
#pragma once

#include "decoder/registers.h"
#include "diagnosis/module_name.h"
#include "lib/splitmix.h"
#include "rows/row_agreement.h"
#include "tests/host/row_machine.h"
#include "tests/unit/unit.h"

#define MUTATION_FAULTS 16 /* addresses of a mutation */

typedef bool mutated_decoder(const struct cpu_model *cpu, const struct register_source *source,
                             struct decoded_controller *ret);

static struct {
    unsigned all;
    unsigned refused;  /* the decoder finds no map */
    unsigned harmless; /* each fault is in its module */
    unsigned timed;    /* others, which timing contradicts, or cannot confirm */
    unsigned left_out; /* or that leave out some of the memory */
    unsigned unnamed;  /* or whose sizes are not those of the board, or that have no place */
    unsigned right;    /* what is said of each fault is true all the same */
    unsigned wrong;
    unsigned rows_used, rows_wrong; /* neighbours are by these registers; and they are none */
} mutations;

static struct {
    struct register_source source;
    struct register_list read; /* of the machine */
    const struct register_value *spoiled;
    unsigned bit;
} mutated;

static inline bool mutated_read(void *ctx, struct register_id id, uint32_t *ret_value)
{
    const struct register_value *s = mutated.spoiled;

    if (!mutated.source.read(mutated.source.ctx, id, ret_value))
        return false;
    if (!s)
        register_list_add(&mutated.read, id, *ret_value);
    else if (s->id.space == id.space && s->id.unit == id.unit && s->id.offset == id.offset)
        *ret_value ^= UINT32_C(1) << mutated.bit;
    return true;
}

/* What timing finds on a machine whose registers are these. */
static inline struct row_map mutations_time(const struct dram_map *map)
{
    static struct row_memory memory;
    static struct row_work work;
    static struct row_result result;
    const struct dram_zone *z = &map->zone[map->n_zones - 1];
    const struct dram_geometry *g = NULL;
    struct published_map timed = { .bits = 63 - (unsigned)__builtin_clzll(z->end) };
    uint64_t hole = dram_map_hole(map);
    struct row_machine machine = { .map = &timed,
                                   .hole = hole,
                                   .addresses_shift = hole,
                                   .noise = { 0.2, 0.1, 0.1 },
                                   .random = 1 };
    struct row_question question = { .memory = &memory,
                                     .hole = hole,
                                     .seed = 7,
                                     .n_measurements_max = 1000000,
                                     .latency = row_machine_latency,
                                     .ctx = &machine };
    struct dram_functions f;

    dram_map_functions(map, z, &f);
    for (unsigned i = 0; i < f.n; i++)
        timed.function[i / PUBLISHED_FUNCTIONS_MAX][i % PUBLISHED_FUNCTIONS_MAX] = f.function[i];
    for (unsigned i = 0; i <= DRAM_DIMM_UNKNOWN && !g; i++) {
        if (map->channel[z->channel[0]].dimm[i].n_banks)
            g = &map->channel[z->channel[0]].dimm[i];
    }
    assert_non_null(g);
    for (unsigned i = 0; i < g->n_rows; i++) {
        unsigned bit = g->row[i];

        for (unsigned k = 0; k <= bit; k++)
            bit += z->removed >> k & 1;
        timed.row |= UINT64_C(1) << bit;
    }
    row_machine_memory(&machine, 0, &memory);
    row_search(&question, &work, &result);
    assert_int_equal(result.answer, ROWS_FOUND);
    return result.map;
}

static struct {
    struct smbios_memory memory;
    const struct smbios_slot *slot[DRAM_CHANNELS_MAX][DRAM_DIMMS_MAX];
} mutations_board;

static inline void mutations_draw_board(const struct decoded_controller *c, uint64_t *random)
{
    unsigned letter[DRAM_CHANNELS_MAX];

    memset(&mutations_board, 0, sizeof(mutations_board));
    for (unsigned i = 0; i < c->n_channels; i++) {
        unsigned other = (unsigned)splitmix_below(random, i + 1);

        letter[i] = letter[other];
        letter[other] = i;
    }
    for (unsigned i = 0; i < c->n_channels; i++) {
        unsigned reversed = (unsigned)splitmix_below(random, 2);

        for (unsigned d = 0; d < DRAM_DIMMS_MAX; d++) {
            struct smbios_slot *s = &mutations_board.memory.slot[2 * letter[i] + (d ^ reversed)];

            s->is_ordinary = true;
            s->size_bytes = c->channel[i].dimm[d].bytes;
            s->is_populated = s->size_bytes;
            snprintf(s->locator, sizeof(s->locator), "DIMM_%c%u", 'A' + letter[i],
                     (d ^ reversed) + 1);
            mutations_board.slot[i][d] = s;
        }
    }
    mutations_board.memory.n_slot = mutations_board.memory.slots = 2 * c->n_channels;
}

static inline bool mutations_same_channel(const struct decoded_channel *a,
                                          const struct decoded_channel *b)
{
    return a->node == b->node && a->controller == b->controller && a->number == b->number;
}

/* Whether what is said can be so. */
static inline bool mutations_true(const struct module_name *name, const struct smbios_slot *slot)
{
    bool listed = name->answer != MODULE_ONE_OF;

    for (unsigned i = 0; i < name->n_candidates && i < 8; i++)
        listed |= name->candidate[i] == slot;
    return name->slot ? name->slot == slot : listed || name->n_candidates > 8;
}

enum { MUTATION_UNNAMED, MUTATION_RIGHT, MUTATION_WRONG };

/* What is said of a fault. */
static inline int mutations_say(const struct decoded_controller *is,
                                const struct decoded_controller *taken, uint64_t below,
                                uint64_t phys)
{
    static struct kind_words words;
    static struct modules_with_words said;
    const struct module_with_words *m = &said.module[0];
    struct dram_place p;

    words.n = 1;
    words.word[0].addr = phys;
    if (!modules_with_words_make(taken, &mutations_board.memory,
                                 (struct map_confirmed){ MAP_BY_TIMING, below, NULL }, &words,
                                 &said))
        return MUTATION_UNNAMED;
    assert_true(dram_map_locate(&is->map, phys, &p));
    return p.dimm == DRAM_DIMM_UNKNOWN ||
                   (mutations_same_channel(&is->channel[p.channel], &taken->channel[m->channel]) &&
                    mutations_true(&m->name, mutations_board.slot[p.channel][p.dimm]))
               ? MUTATION_RIGHT
               : MUTATION_WRONG;
}

/* An address that the machine has, at random. */
static inline uint64_t mutations_fault(const struct dram_map *map, struct dram_place *ret,
                                       uint64_t *random)
{
    uint64_t phys;

    do
        phys = splitmix_below(random, map->zone[map->n_zones - 1].end + (UINT64_C(1) << 32));
    while (!dram_map_locate(map, phys, ret));
    return phys;
}

static inline bool mutations_harmless(const struct decoded_controller *is,
                                      const struct decoded_controller *taken, uint64_t seed)
{
    for (unsigned i = 0; i < 64; i++) {
        struct dram_place a, b;
        uint64_t phys = mutations_fault(&is->map, &a, &seed);

        if (!dram_map_locate(&taken->map, phys, &b) || a.dimm != b.dimm ||
            !mutations_same_channel(&is->channel[a.channel], &taken->channel[b.channel]))
            return false;
    }
    return true;
}

static inline bool mutations_same_bank(const struct dram_place *a, const struct dram_place *b)
{
    return a->channel == b->channel && a->dimm == b->dimm && a->rank == b->rank &&
           a->subchannel == b->subchannel && a->bank == b->bank;
}

/* Lines have the neighbours that their rows' numbers say, where there is such a row; and back. */
static inline void assert_neighbours(const struct dram_map *map, const struct row_map *timed,
                                     uint64_t below)
{
    static const int distance[] = { 1, -1, 2, -2, 19, -19 };
    struct row_map rows = *timed;
    uint64_t random = 5, next, back;
    unsigned n = 0;

    rows.registers = map;
    rows.below = below;
    for (unsigned i = 0; i < 600; i++) {
        struct dram_place p, q;
        uint64_t phys = mutations_fault(map, &p, &random) & ~UINT64_C(63);
        int d = distance[i % COUNT(distance)];

        dram_map_locate(map, phys, &p);
        if (!row_map_is_by_registers(&rows, phys) || !dram_map_address(map, &p, &back) ||
            back != phys) /* a hole has no memory */
            continue;
        q = p;
        q.row = (uint32_t)((int)p.row + d);
        assert_int_equal(row_map_neighbour(&rows, phys, d, &next),
                         dram_map_address(map, &q, &back));
        if (!row_map_neighbour(&rows, phys, d, &next))
            continue;
        assert_int_equal(next, back);
        assert_true(dram_map_locate(map, next, &q) && mutations_same_bank(&p, &q));
        assert_int_equal(q.row, p.row + d);
        assert_int_equal(q.column, p.column);
        assert_true(!row_map_is_by_registers(&rows, next) ||
                    (row_map_neighbour(&rows, next, -d, &back) && back == phys));
        next = row_map_line(&rows, phys, i);
        assert_true(dram_map_locate(map, next, &q) && mutations_same_bank(&p, &q));
        assert_int_equal(q.row, p.row);
        n++;
    }
    assert_true(n > 100);
}

/* Whether a row that these registers say is next to another is so. */
static inline void mutations_hammer(const struct dram_map *is, const struct dram_map *taken,
                                    const struct row_map *timed, uint64_t below, uint64_t seed)
{
    struct row_map rows = *timed;
    bool wrong = false;

    rows.registers = taken;
    rows.below = below;
    for (unsigned i = 0; i < MUTATION_FAULTS; i++) {
        struct dram_place a, b;
        uint64_t phys = mutations_fault(is, &a, &seed) & ~UINT64_C(63), next;

        wrong |= dram_map_address(is, &a, &next) && (next ^ phys) < 64 && /* not in a hole */
                 row_map_is_by_registers(&rows, phys) && row_map_neighbour(&rows, phys, 1, &next) &&
                 (!dram_map_locate(is, next, &b) || !mutations_same_bank(&a, &b) ||
                  (b.row + 1 != a.row && a.row + 1 != b.row));
    }
    mutations.rows_used++;
    mutations.rows_wrong += wrong;
}

/* As run/testing/row_finding.c tries it. */
static inline bool mutations_leave_out(const struct dram_map *is, const struct dram_map *taken,
                                       uint64_t seed)
{
    struct dram_place p;

    for (unsigned i = 0; i < 1000; i++) {
        if (!dram_map_locate(taken, mutations_fault(is, &p, &seed), &p))
            return true;
    }
    return false;
}

static inline void mutations_judge(const struct decoded_controller *is,
                                   const struct decoded_controller *taken,
                                   const struct row_map *timed, uint64_t seed)
{
    bool harmless = !taken->unknown && mutations_harmless(is, taken, seed);
    enum row_agreement agreement;
    struct dram_place p;
    uint64_t below;
    const char *why;
    int worst = MUTATION_UNNAMED;

    mutations.all++;
    if (taken->unknown) {
        mutations.refused++;
        return;
    }
    agreement = row_agreement_of(&taken->map, timed, &below, &why);
    if (agreement == ROWS_AGREE && row_agreement_has_rows(&taken->map, timed, below))
        mutations_hammer(&is->map, &taken->map, timed, below, seed);
    if (agreement != ROWS_AGREE && !harmless) {
        mutations.timed++;
        return;
    }
    if (!harmless && mutations_leave_out(&is->map, &taken->map, seed)) {
        mutations.left_out++;
        return;
    }
    for (unsigned i = 0; i < MUTATION_FAULTS; i++) {
        uint64_t phys = mutations_fault(&is->map, &p, &seed);
        int said;

        mutations_draw_board(is, &seed);
        said = mutations_say(is, taken, below, phys);
        worst = said > worst ? said : worst;
    }
    mutations.harmless += harmless && worst != MUTATION_WRONG;
    mutations.unnamed += !harmless && worst == MUTATION_UNNAMED;
    mutations.right += !harmless && worst == MUTATION_RIGHT;
    mutations.wrong += worst == MUTATION_WRONG;
    if (worst == MUTATION_WRONG)
        printf("wrong: space %u, unit %x, register %x, bit %u\n", mutated.spoiled->id.space,
               mutated.spoiled->id.unit, mutated.spoiled->id.offset, mutated.bit);
}

static inline void mutations_run(mutated_decoder *decode, const struct cpu_model *cpu,
                                 struct register_source source)
{
    static struct decoded_controller is, taken;
    const struct register_source as_read = { mutated_read, NULL };
    struct row_map timed;
    uint64_t below;
    const char *why;

    mutated.source = source;
    mutated.read = (struct register_list){ .cpu = *cpu };
    mutated.spoiled = NULL;
    assert_true(decode(cpu, &as_read, &is));
    assert_null(is.unknown);
    assert_false(mutated.read.is_cut);
    timed = mutations_time(&is.map);
    assert_int_equal(row_agreement_of(&is.map, &timed, &below, &why), ROWS_AGREE);
    assert_true(row_agreement_has_rows(&is.map, &timed, below));
    assert_neighbours(&is.map, &timed, below);
    for (unsigned i = 0; i < 32 * mutated.read.n; i += UNIT_STEP(7)) {
        mutated.spoiled = &mutated.read.at[i / 32];
        mutated.bit = i % 32;
        if (!decode(cpu, &as_read, &taken))
            taken.unknown = "others";
        mutations_judge(&is, &taken, &timed, i);
    }
}

/* Less than one in 1000 may be wrong. */
static inline void assert_mutations(void)
{
    unsigned changed = mutations.all - mutations.refused - mutations.harmless;

    print_message("of %u registers with a wrong bit: no map %u, no module is another %u; of %u "
                  "others: not confirmed by timing %u, some memory left out %u, nothing is said "
                  "%u, all is true %u, wrong %u\n",
                  mutations.all, mutations.refused, mutations.harmless, changed, mutations.timed,
                  mutations.left_out, mutations.unnamed, mutations.right, mutations.wrong);
    print_message("neighbours by %u, of which wrong %u\n", mutations.rows_used,
                  mutations.rows_wrong);
    assert_true(mutations.refused && mutations.harmless);
    assert_true(1000 * mutations.wrong < mutations.all);
}
