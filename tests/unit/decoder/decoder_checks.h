// SPDX-License-Identifier: MIT
/* Decoders that are asked with lists of registers, and checks of what they say. */
#pragma once

#include "decoder/decoded_digest.h"
#include "decoder/decoder.h"
#include "decoder/registers.h"
#include "lib/gf2.h"
#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define BIT(n) (UINT64_C(1) << (n))

typedef bool decoder(const struct cpu_model *cpu, const struct register_source *source,
                     struct decoded_controller *ret);

/* Registers of a list have these values now. */
static inline void set(struct register_list *list, const char *text)
{
    struct register_list more;

    assert_null(register_list_read(text, &more));
    for (unsigned i = 0; i < list->n; i++) /* the first of a list counts */
        register_list_add(&more, list->at[i].id, list->at[i].value);
    assert_false(more.is_cut);
    more.cpu = list->cpu;
    *list = more;
}

/* Both span the same space. n: of a list that ends with 0. */
static inline void assert_same_span(const struct dram_functions *got, const uint64_t *want)
{
    struct gf2_basis a = { 0 }, b = { 0 };

    for (unsigned i = 0; i < got->n; i++)
        gf2_add(&a, got->function[i]);
    for (; *want; want++) {
        assert_true(gf2_contains(&a, *want));
        gf2_add(&b, *want);
    }
    assert_int_equal(a.rank, b.rank);
}

/* Addresses in the zones are a place's, and it is theirs. */
static inline void assert_round_trips(const struct dram_map *map)
{
    uint64_t random = 7;

    for (unsigned i = 0; i < 3000; i++) {
        const struct dram_zone *z = &map->zone[i % map->n_zones];
        uint64_t dram = (z->start + splitmix_next(&random) % (z->end - z->start)) & ~UINT64_C(7);
        uint64_t phys = dram, back;
        struct dram_place p;

        for (unsigned m = 0; m < map->n_moves; m++) {
            uint64_t moved = dram + map->move[m].subtract;

            if (moved >= map->move[m].start && moved < map->move[m].end)
                phys = moved;
        }
        assert_true(dram_map_locate(map, phys, &p));
        assert_true(dram_map_address(map, &p, &back));
        assert_int_equal(back, phys);
    }
}

/* No index of a map leads out of it. */
static inline void assert_is_sound(const struct decoded_controller *c)
{
    const struct dram_map *map = &c->map;

    assert_true(c->n_channels <= DRAM_CHANNELS_MAX);
    assert_true(map->n_channels <= DRAM_CHANNELS_MAX && map->n_zones <= DRAM_ZONES_MAX);
    assert_true(map->n_moves <= COUNT(map->move));
    assert_true(c->unknown || map->n_zones);
    for (const struct dram_zone *z = map->zone; z != map->zone + map->n_zones; z++) {
        assert_true(z->start < z->end && z->n_functions <= COUNT(z->function));
        for (unsigned i = 0; i < COUNT(z->channel); i++)
            assert_true(z->channel[i] < map->n_channels);
    }
    for (const struct dram_channel *k = map->channel; k != map->channel + map->n_channels; k++) {
        assert_true(k->n_selects <= DRAM_SELECTS_MAX);
        for (unsigned i = 0; i < k->n_selects; i++) {
            assert_true(k->select[i].number >> 2 <= DRAM_DIMM_UNKNOWN);
            assert_true(!(k->select[i].value & ~k->select[i].mask));
        }
        for (unsigned i = 0; i <= DRAM_DIMM_UNKNOWN; i++) {
            const struct dram_geometry *g = &k->dimm[i];

            assert_true(g->n_banks <= COUNT(g->bank) && g->n_rows <= COUNT(g->row));
            assert_true(g->n_columns <= COUNT(g->column));
            for (unsigned bit = 0; bit < g->n_rows; bit++)
                assert_true(g->row[bit] < 64);
        }
    }
}

/* The list's registers, but now and then other ones: how often is a power of two, 0: always. */
struct spoiled_list {
    const struct register_list *list;
    uint64_t seed;
    unsigned rarely;
};

static inline bool read_spoiled(void *ctx, struct register_id id, uint32_t *ret_value)
{
    struct spoiled_list *s = ctx;
    struct register_source source = register_list_source(s->list);
    uint64_t random = s->seed ^ (uint64_t)id.unit << 40 ^ (uint64_t)id.space << 36 ^ id.offset;
    uint64_t how = splitmix_next(&random), value = splitmix_next(&random);

    if (!source.read(source.ctx, id, ret_value)) {
        if (s->rarely)
            return false;
        *ret_value = 0;
    }
    if (how & (BIT(s->rarely) - 1))
        return true;
    switch (how >> 32 & 7) {
    case 0: return false;
    case 1: *ret_value = UINT32_MAX; break;
    case 2: *ret_value = 0; break;
    case 3: *ret_value = (uint32_t)value; break;
    default: *ret_value ^= (uint32_t)BIT(value & 31); break;
    }
    return true;
}

/* All that is decoded goes into the digest. Returns how many had maps. */
static inline unsigned assert_survives(decoder *decode, const struct register_list *list,
                                       unsigned rounds, uint64_t seed, uint64_t *digest)
{
    static struct decoded_controller c;
    unsigned maps = 0;

    for (unsigned i = 0; i < rounds; i++) {
        struct spoiled_list spoiled = { list, seed * rounds + i, i % 8 };
        struct register_source source = { read_spoiled, &spoiled };
        uint64_t random = i;

        if (!decode(&list->cpu, &source, &c))
            continue;
        assert_non_null(c.family);
        assert_is_sound(&c);
        maps += !c.unknown;
        digest_add_decoded(digest, &c);
        for (unsigned k = 0; k < 4; k++) {
            struct dram_place p;
            uint64_t phys = splitmix_next(&random) >> 28, back;

            if (dram_map_locate(&c.map, phys, &p)) {
                assert_true(p.channel < c.n_channels && p.dimm <= DRAM_DIMM_UNKNOWN);
                dram_map_address(&c.map, &p, &back);
            }
        }
    }
    printf("maps: %u of %u\n", maps, rounds);
    return maps;
}

/* The list's registers, with one bit wrong; those that it lacks are 0. */
struct flipped_list {
    const struct register_list *list;
    struct register_list read; /* what was asked for */
    struct register_id id;
    uint32_t bit; /* 0: none */
};

static inline bool read_flipped(void *ctx, struct register_id id, uint32_t *ret_value)
{
    struct flipped_list *f = ctx;
    struct register_source source = register_list_source(f->list);

    if (!source.read(source.ctx, id, ret_value))
        *ret_value = 0;
    if (!f->bit)
        register_list_add(&f->read, id, *ret_value);
    else if (id.space == f->id.space && id.unit == f->id.unit && id.offset == f->id.offset)
        *ret_value ^= f->bit;
    return true;
}

/* What each bit of each register that is asked for does. False: another decoder's. */
static inline bool digest_add_bits(uint64_t *digest, decoder *decode,
                                   const struct register_list *list)
{
    static struct decoded_controller c;
    static struct flipped_list f;
    const struct register_source source = { read_flipped, &f };

    f.list = list;
    f.read.n = f.bit = 0;
    if (!decode(&list->cpu, &source, &c))
        return false;
    assert_false(f.read.is_cut);
    digest_add_text(digest, c.family);
    for (unsigned i = 0; i < 32 * f.read.n; i++) {
        f.id = f.read.at[i / 32].id;
        f.bit = UINT32_C(1) << i % 32;
        if (decode(&list->cpu, &source, &c))
            digest_add_decoded(digest, &c);
    }
    return true;
}
