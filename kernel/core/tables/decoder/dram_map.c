// SPDX-License-Identifier: MIT
#include "decoder/dram_map.h"

#include <stddef.h>

#include "lib/gf2.h"
#include "lib/splitmix.h"

/* Equations: of each, which bits' XOR is how much. row[i] is 0, or its highest bit is i. */
struct equations {
    uint64_t row[64];
    uint64_t values; /* bit i: of row[i] */
    bool contradict;
};

static void require(struct equations *e, uint64_t bits, bool value)
{
    while (bits) {
        unsigned high = 63 - (unsigned)__builtin_clzll(bits);

        if (!e->row[high]) {
            e->row[high] = bits;
            e->values |= (uint64_t)value << high;
            return;
        }
        bits ^= e->row[high];
        value ^= e->values >> high & 1;
    }
    e->contradict |= value;
}

static void require_bits(struct equations *e, uint64_t mask, uint64_t value)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        if (mask >> bit & 1)
            require(e, UINT64_C(1) << bit, value >> bit & 1);
    }
}

/* Bits that are free are those of `other`. The lower bits of a row are known before its highest. */
static uint64_t solution_of(const struct equations *e, uint64_t other)
{
    uint64_t x = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t bits = e->row[bit] ? e->row[bit] & x : other >> bit & 1;

        x |= (uint64_t)(gf2_parity(bits) ^ (e->values >> bit & 1)) << bit;
    }
    return x;
}

/* Takes the bits of `removed` out; those above move down. */
static uint64_t without(uint64_t x, uint64_t removed)
{
    uint64_t ret = 0;

    for (unsigned from = 0, to = 0; from < 64; from++) {
        if (!(removed >> from & 1))
            ret |= (x >> from & 1) << to++;
    }
    return ret;
}

/* The opposite: puts zeros in. */
static uint64_t with(uint64_t x, uint64_t removed)
{
    uint64_t ret = 0;

    for (unsigned from = 0, to = 0; to < 64; to++) {
        if (!(removed >> to & 1))
            ret |= (x >> from++ & 1) << to;
    }
    return ret;
}

static uint32_t gather(uint64_t address, const uint8_t *bit, unsigned n)
{
    uint32_t ret = 0;

    for (unsigned i = 0; i < n; i++)
        ret |= (uint32_t)(address >> bit[i] & 1) << i;
    return ret;
}

/* The address with the bits of the row inverted that its select inverts. */
static uint64_t flipped(uint64_t address, const struct dram_select *s,
                        const struct dram_geometry *g)
{
    for (unsigned i = 0; i < g->n_rows; i++)
        address ^= (uint64_t)(s->row_flip >> i & 1) << g->row[i];
    return address;
}

static unsigned number_of(const struct dram_select *s, uint64_t address)
{
    return s->number ^ (unsigned)gf2_parity(address & s->flip[0]) ^
           (unsigned)gf2_parity(address & s->flip[1]) << 2;
}

static bool has(const struct dram_select *s, uint64_t address)
{
    return address >= s->start && address < s->end && (address & s->mask) == s->value;
}

static bool locate_in_channel(const struct dram_channel *channel, uint64_t address,
                              struct dram_place *place)
{
    const struct dram_select *s = channel->select;
    const struct dram_select *end = s + channel->n_selects;
    const struct dram_geometry *g;

    while (s != end && !has(s, address))
        s++;
    if (s == end)
        return false;
    place->rank = number_of(s, address) & 3;
    place->dimm = (uint8_t)(number_of(s, address) >> 2);
    g = &channel->dimm[place->dimm];
    address = flipped(address, s, g);
    place->subchannel = gf2_parity(address & g->subchannel);
    for (unsigned i = 0; i < g->n_banks; i++)
        place->bank |= (uint8_t)(gf2_parity(address & g->bank[i]) << i);
    place->row = gather(address, g->row, g->n_rows);
    place->column = gather(address, g->column, g->n_columns);
    return true;
}

static uint64_t address_of(const struct dram_zone *z, uint64_t dram)
{
    uint64_t address = without(dram, z->removed) - z->subtract, low;

    if (!z->thirds)
        return address;
    low = address & ((UINT64_C(1) << z->thirds) - 1);
    return without((address >> z->thirds) / 3 << z->thirds | low, z->removed_last);
}

/* The index into the zone's channels. */
static unsigned value_of(const struct dram_zone *z, uint64_t dram)
{
    unsigned value = z->thirds ? (unsigned)((dram >> z->thirds) % 3) << z->n_functions : 0;

    for (unsigned i = 0; i < z->n_functions; i++)
        value |= (unsigned)gf2_parity(dram & z->function[i]) << i;
    return value;
}

static unsigned values_of(const struct dram_zone *z)
{
    return (z->thirds ? 3u : 1u) << z->n_functions;
}

static bool locate_dram(const struct dram_map *map, uint64_t dram, struct dram_place *place)
{
    *place = (struct dram_place){ 0 };
    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++) {
        if (dram < z->start || dram >= z->end || z->channel[value_of(z, dram)] == DRAM_ELSEWHERE)
            continue;
        place->channel = z->channel[value_of(z, dram)];
        return locate_in_channel(&map->channel[place->channel], address_of(z, dram), place);
    }
    return false;
}

uint64_t dram_map_move(const struct dram_map *map, uint64_t phys)
{
    for (const struct dram_move *m = map->move; m < map->move + map->n_moves; m++) {
        if (phys >= m->start && phys < m->end)
            return phys - m->subtract;
    }
    return phys;
}

bool dram_map_locate(const struct dram_map *map, uint64_t phys, struct dram_place *ret)
{
    return locate_dram(map, dram_map_move(map, phys), ret);
}

/* An address in the channel that a chip select has; false: the place is in none of its rows. */
static bool address_in_channel(const struct dram_select *s, const struct dram_geometry *g,
                               const struct dram_place *place, uint64_t *ret)
{
    struct equations e = { 0 };
    unsigned other = s->number ^ (unsigned)(place->dimm << 2 | place->rank);
    uint64_t flips = flipped(0, s, g);

    require_bits(&e, s->mask, s->value);
    require(&e, s->flip[0], other & 1);
    require(&e, 0, other & 2);
    require(&e, s->flip[1], other >> 2 & 1);
    require(&e, g->subchannel, place->subchannel ^ gf2_parity(flips & g->subchannel));
    for (unsigned i = 0; i < g->n_banks; i++)
        require(&e, g->bank[i], (place->bank >> i & 1) ^ gf2_parity(flips & g->bank[i]));
    for (unsigned i = 0; i < g->n_rows; i++)
        require(&e, UINT64_C(1) << g->row[i], ((place->row ^ s->row_flip) >> i & 1));
    for (unsigned i = 0; i < g->n_columns; i++)
        require(&e, UINT64_C(1) << g->column[i], place->column >> i & 1);
    *ret = solution_of(&e, s->start);
    return !e.contradict && has(s, *ret);
}

/* Multiplies by 3 and adds a rest, from the zone's bit on: as x was before it was divided. */
static uint64_t undivided(const struct dram_zone *z, uint64_t x, unsigned rest)
{
    uint64_t low = x & ((UINT64_C(1) << z->thirds) - 1);

    return (3 * (x >> z->thirds) + rest) << z->thirds | low;
}

/* The same for a zone that is divided by 3: of the few addresses that there can be, the one that
 * has this value. */
static bool address_in_thirds(const struct dram_zone *z, unsigned value, uint64_t in_channel,
                              uint64_t *ret)
{
    unsigned last = bits_count(z->removed_last), n = last + bits_count(z->removed);

    for (unsigned i = 0; i < 3u << n; i++) {
        uint64_t bits = i / 3, x = with(in_channel, z->removed_last) | with(bits, ~z->removed_last);

        x = undivided(z, x, i % 3) + z->subtract;
        *ret = with(x, z->removed) | with(bits >> last, ~z->removed);
        if (*ret >= z->start && *ret < z->end && value_of(z, *ret) == value &&
            address_of(z, *ret) == in_channel)
            return true;
    }
    return false;
}

/* The address of a zone that is this one in a channel. */
static bool address_in_zone(const struct dram_zone *z, unsigned value, uint64_t in_channel,
                            uint64_t *ret)
{
    struct equations e = { 0 };

    if (z->thirds)
        return address_in_thirds(z, value, in_channel, ret);
    require_bits(&e, ~z->removed, with(in_channel + z->subtract, z->removed));
    for (unsigned i = 0; i < z->n_functions; i++)
        require(&e, z->function[i], value >> i & 1);
    *ret = solution_of(&e, 0);
    return !e.contradict && *ret >= z->start && *ret < z->end;
}

static bool is_same(const struct dram_place *a, const struct dram_place *b)
{
    return a->channel == b->channel && a->dimm == b->dimm && a->rank == b->rank &&
           a->subchannel == b->subchannel && a->bank == b->bank && a->row == b->row &&
           a->column == b->column;
}

/* A physical address whose DRAM address this is: where it was moved from, or itself. */
static bool phys_of(const struct dram_map *map, uint64_t dram, const struct dram_place *place,
                    uint64_t *ret)
{
    struct dram_place back;

    for (unsigned i = 0; i <= map->n_moves; i++) {
        *ret = dram + (i < map->n_moves ? map->move[i].subtract : 0);
        if (dram_map_move(map, *ret) == dram && locate_dram(map, dram, &back) &&
            is_same(&back, place))
            return true;
    }
    return false;
}

bool dram_map_address(const struct dram_map *map, const struct dram_place *place,
                      uint64_t *ret_phys)
{
    const struct dram_channel *channel = &map->channel[place->channel];
    const struct dram_geometry *g = &channel->dimm[place->dimm];

    for (unsigned s = 0; s < channel->n_selects && g->n_banks; s++) {
        uint64_t in_channel, dram;

        if (!address_in_channel(&channel->select[s], g, place, &in_channel))
            continue;
        for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++) {
            for (unsigned value = 0; value < values_of(z); value++) {
                if (z->channel[value] == place->channel &&
                    address_in_zone(z, value, in_channel, &dram) &&
                    phys_of(map, dram, place, ret_phys))
                    return true;
            }
        }
    }
    return false;
}

uint64_t dram_map_hole(const struct dram_map *map)
{
    uint64_t hole = 0;

    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++)
        hole |= z->gap;
    for (const struct dram_move *m = map->move; m < map->move + map->n_moves; m++) {
        if (m->start == UINT64_C(1) << 32)
            hole = m->subtract;
    }
    return hole;
}

bool dram_map_zones_differ(const struct dram_map *map)
{
    const struct dram_zone *first = map->zone, *z = first;

    for (; z < first + map->n_zones; z++) {
        if (z->removed != first->removed || z->n_functions != first->n_functions ||
            z->thirds != first->thirds)
            return true;
    }
    return false;
}

uint64_t dram_zone_base(const struct dram_zone *zone)
{
    return zone->subtract << bits_count(zone->removed);
}

bool dram_zone_has(const struct dram_zone *zone, unsigned channel)
{
    for (unsigned value = 0; value < values_of(zone); value++) {
        if (zone->channel[value] == channel)
            return true;
    }
    return false;
}

static uint64_t random_in(const struct dram_zone *z, uint64_t *random)
{
    return z->start + splitmix_next(random) % (z->end - z->start);
}

/* Of the bytes that are a column together, any will do; a subchannel has four. */
static bool comes_back(const struct dram_map *map, uint64_t dram)
{
    const struct dram_geometry *g;
    struct dram_place p;
    uint64_t phys;

    if (!locate_dram(map, dram, &p))
        return false;
    g = &map->channel[p.channel].dimm[p.dimm];
    return !g->n_banks || (dram_map_address(map, &p, &phys) &&
                           (dram_map_move(map, phys) ^ dram) < (g->subchannel ? 4 : 8));
}

/* Whether this zone, or another of the same addresses, has a channel for each value. */
static bool is_complete(const struct dram_map *map, const struct dram_zone *z)
{
    unsigned n = 0;

    for (unsigned value = 0; value < values_of(z); value++) {
        for (const struct dram_zone *o = map->zone; o < map->zone + map->n_zones; o++)
            n += o->start == z->start && o->channel[value] != DRAM_ELSEWHERE;
    }
    return n == values_of(z);
}

#define TRIES 512

bool dram_map_is_one_to_one(const struct dram_map *map)
{
    for (const struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++) {
        uint64_t random = z->start ^ z->end;

        if (!is_complete(map, z) || !comes_back(map, z->start) || !comes_back(map, z->end - 1))
            return false;
        for (unsigned i = 0; i < TRIES / 8; i++) {
            if (!comes_back(map, random_in(z, &random)))
                return false;
        }
    }
    return true;
}

/*
 * The zone's first value that selects this channel: where XORs of address bits do, they give its
 * bits, although channels may be numbered with gaps, as where a controller has two of three.
 */
static unsigned code_of(const struct dram_zone *z, unsigned channel)
{
    unsigned code = values_of(z);

    for (unsigned value = values_of(z); value--;) {
        if (z->channel[value] == DRAM_ELSEWHERE)
            return channel;
        if (z->channel[value] == channel)
            code = value;
    }
    return code;
}

/* Everything but row and column; in the low bits the channel and the module. */
#define UNIT_MODULE_BITS 16
static uint64_t unit_of(const struct dram_map *map, const struct dram_zone *z, uint64_t dram)
{
    struct dram_place p;

    if (!locate_dram(map, dram, &p))
        return UINT64_MAX;
    return code_of(z, p.channel) | (uint64_t)p.dimm << 8 | (uint64_t)p.rank << 16 |
           (uint64_t)p.bank << 24 | (uint64_t)p.subchannel << 32;
}

/* What flipping a bit of the address flips. False: no address of the zone can be flipped so. */
static bool flip(const struct dram_map *map, const struct dram_zone *z, unsigned bit,
                 uint64_t *random, uint64_t *ret)
{
    *ret = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t a = random_in(z, random), b = ((a - z->gap) ^ UINT64_C(1) << bit) + z->gap;

        if (b >= z->start && b < z->end) {
            *ret = unit_of(map, z, a) ^ unit_of(map, z, b);
            return true;
        }
    }
    return false;
}

void dram_map_functions(const struct dram_map *map, const struct dram_zone *zone,
                        struct dram_functions *ret)
{
    uint64_t flips[64], random = zone->start ^ zone->end, wrong = 0;
    struct gf2_basis basis = { 0 };

    *ret = (struct dram_functions){ .n = 0 };
    for (unsigned bit = 0; bit < 64; bit++)
        ret->bits |= (uint64_t)flip(map, zone, bit, &random, &flips[bit]) << bit;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t a = random_in(zone, &random), b = random_in(zone, &random);
        uint64_t sum = unit_of(map, zone, a) ^ unit_of(map, zone, b);

        for (unsigned bit = 0; bit < 64; bit++)
            sum ^= ((a - zone->gap) ^ (b - zone->gap)) >> bit & 1 ? flips[bit] : 0;
        wrong |= sum;
    }
    ret->all_linear = !wrong;
    ret->module_is_linear = !(wrong & ((UINT64_C(1) << UNIT_MODULE_BITS) - 1));
    for (unsigned output = 0; output < 40; output++) {
        uint64_t function = 0;

        for (unsigned bit = 0; bit < 64 && !(wrong >> output & 1); bit++)
            function |= (flips[bit] >> output & 1) << bit;
        if (ret->n < DRAM_FUNCTIONS_MAX && gf2_add(&basis, function))
            ret->function[ret->n++] = function;
        if (output == UNIT_MODULE_BITS - 1)
            ret->n_module = ret->n;
    }
}
