// SPDX-License-Identifier: MIT
/* Xeon Scalable up to Cooper Lake, by facts in Linux's skx_edac and uncore_snbep. */
#include "decoder/decoder.h"
#include "lib/bits.h"
#include "lib/minmax.h"

#define BIT(n)      (UINT64_C(1) << (n))
#define INTEL(id)   (UINT32_C(0x8086) | (id) << 16)
#define SOCKETS_MAX 4u /* of which the channels fit into a map */
#define CONTROLLERS 2u /* of a socket */
#define CHANNELS    3u /* of a controller */
#define SAD_RULES   24u
#define TAD_RULES   8u
#define RIR_RULES   4u
#define OPEN_PAGE   13 /* the lowest bit of what selects a rank; */
#define CLOSED_PAGE 6  /* where pages are closed after use */
#define COLUMNS     10u
#define COUNTERS    2u /* their function, after the channel's */
#define COUNT       0xa0

#define LEFT_OUT_MAX BIT(30) /* smaller than a spare rank or a mirrored part */

static uint32_t field(uint32_t value, unsigned low, unsigned n)
{
    return value >> low & ((UINT32_C(1) << n) - 1);
}

struct socket {
    uint8_t system_bus, memory_bus;
    uint8_t id;     /* by which others' rules name it */
    uint32_t route; /* which controller and channel each target is */
};

struct reading {
    const struct register_source *source;
    struct decoded_controller *ret;
    struct socket socket[SOCKETS_MAX];
    unsigned n_sockets;
    bool is_silent;
};

static void not_known(struct reading *r, const char *why)
{
    if (!r->ret->unknown)
        r->ret->unknown = why;
}

static uint16_t function_at(unsigned bus, unsigned device, unsigned number)
{
    return (uint16_t)(bus << 8 | device << 3 | number);
}

static bool ask(struct reading *r, uint16_t function, uint32_t at, uint32_t *ret)
{
    struct register_id id = { REGISTER_PCI, function, at };

    return r->source->read(r->source->ctx, id, ret) && *ret != UINT32_MAX;
}

static uint32_t read_register(struct reading *r, uint16_t function, uint32_t at)
{
    uint32_t value;

    if (ask(r, function, at, &value))
        return value;
    r->is_silent = true;
    return 0;
}

static bool is_there(struct reading *r, uint16_t function, uint32_t id)
{
    uint32_t value;

    return ask(r, function, 0, &value) && value == INTEL(id);
}

/* Each core has the route; those that are not there say 0. */
static uint32_t route_of(struct reading *r, unsigned bus)
{
    uint32_t route;

    for (unsigned i = 0; i < 32; i++) {
        uint16_t f = function_at(bus, 14 + i / 8, i % 8);

        if (is_there(r, f, 0x208e) && ask(r, f, 0xb4, &route) && route)
            return route;
    }
    r->is_silent = true;
    return 0;
}

static void find_sockets(struct reading *r)
{
    for (unsigned bus = 0; bus < 256; bus++) {
        uint32_t buses;
        struct socket *s = &r->socket[r->n_sockets];

        if (!is_there(r, function_at(bus, 8, 2), 0x2016))
            continue;
        if (r->n_sockets == SOCKETS_MAX) {
            not_known(r, "there are more processors than okram decodes");
            return;
        }
        buses = read_register(r, function_at(bus, 8, 2), 0xcc);
        s->system_bus = (uint8_t)(buses >> 8);
        s->memory_bus = (uint8_t)(buses >> 16);
        s->id = (uint8_t)field(read_register(r, function_at(s->system_bus, 29, 1), 0xf0), 12, 3);
        s->route = route_of(r, s->system_bus);
        r->n_sockets++;
    }
}

/* Channels are numbered through: of a socket's first controller, of its second, and so on. */
static uint16_t channel_at(const struct reading *r, unsigned i)
{
    unsigned bus = r->socket[i / CHANNELS / CONTROLLERS].memory_bus;
    unsigned device = 10 + 2 * (i / CHANNELS % CONTROLLERS), number = i % CHANNELS;

    return function_at(bus, device + number / 2, number == 1 ? 4 : 0);
}

static uint16_t controller_at(const struct reading *r, unsigned i)
{
    return channel_at(r, i - i % CHANNELS);
}

static void decode_module(struct reading *r, uint32_t mtr, struct decoded_dimm *ret)
{
    unsigned columns = field(mtr, 0, 2), rows = field(mtr, 2, 3), ranks = field(mtr, 12, 2);
    unsigned width = field(mtr, 8, 2);

    if (!field(mtr, 15, 1))
        return;
    if (columns > 2 || !rows || rows > 6 || ranks > 2) {
        not_known(r, "the registers say impossible sizes of a module");
        return;
    }
    ret->bytes = BIT(columns + 10 + rows + 12 + ranks + 4 + 3); /* 16 banks of 8 bytes */
    ret->ranks = (uint8_t)(1 << ranks);
    ret->device_width = width < 3 ? (uint8_t)(4 << width) : 0;
}

struct bits {
    uint8_t row[18], column[COLUMNS], bank[4], flip[4]; /* of a bank, where banks are hashed */
};

static const struct bits closed_page = {
    { 15, 16, 17, 18, 20, 21, 22, 28, 10, 11, 12, 13, 29, 30, 31, 32, 33, 34 },
    { 3, 4, 5, 14, 19, 23, 24, 25, 26, 27 },
    { 6, 7, 8, 9 },
    { 20, 21, 22, 28 },
}, open_page = {
    { 14, 15, 16, 20, 28, 21, 22, 23, 24, 25, 26, 27, 29, 30, 31, 32, 33, 34 },
    { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 },
    { 13, 17, 18, 19 },
    { 20, 21, 22, 23 },
}, open_page_fine = {
    { 14, 15, 16, 20, 28, 21, 22, 23, 24, 25, 26, 27, 29, 30, 31, 32, 33, 34 },
    { 3, 4, 5, 7, 8, 9, 10, 11, 12, 13 },
    { 6, 17, 18, 19 },
    { 20, 21, 22, 23 },
};

/* A bit of a rank's address, in the channel's: from `low` on are those that select the rank. */
static uint8_t raised(uint8_t bit, unsigned low, unsigned ways)
{
    return (uint8_t)(bit < low ? bit : bit + bits_for_count(ways));
}

static struct dram_geometry geometry_of(const struct bits *b, unsigned rows, bool is_hashed,
                                        unsigned low, unsigned ways)
{
    struct dram_geometry g = { .n_banks = 4, .n_rows = (uint8_t)rows, .n_columns = COLUMNS };

    for (unsigned i = 0; i < rows; i++)
        g.row[i] = raised(b->row[i], low, ways);
    for (unsigned i = 0; i < COLUMNS; i++)
        g.column[i] = raised(b->column[i], low, ways);
    for (unsigned i = 0; i < 4; i++)
        g.bank[i] = BIT(raised(b->bank[i], low, ways)) |
                    (is_hashed ? BIT(raised(b->flip[i], low, ways)) : 0);
    return g;
}

/*
 * Addresses up to the rule's limit, by as many ranks in turn as the mask has values. ret_plain:
 * what a module's addresses are divided by; 0: not only.
 */
static void decode_rank_rule(struct reading *r, unsigned i, unsigned rule, struct dram_select all,
                             uint8_t plain[DRAM_DIMMS_MAX])
{
    unsigned ways = 1u << bits_count(all.mask);
    struct dram_channel *m = &r->ret->map.channel[i];

    for (unsigned way = 0; way < ways; way++) {
        uint32_t target = read_register(r, channel_at(r, i), 0x120 + 16 * way + 4 * rule);
        unsigned rank = field(target, 16, 4);
        struct dram_select *s = &m->select[m->n_selects];

        if (rank >> 2 >= DRAM_DIMMS_MAX || (rank & 3) >= r->ret->channel[i].dimm[rank >> 2].ranks ||
            m->n_selects == DRAM_SELECTS_MAX) {
            not_known(r, "the registers name ranks that are not there, or too many");
            return;
        }
        *s = all;
        s->value = (uint64_t)way << (ways > 1 ? __builtin_ctzll(all.mask) : 0);
        s->number = (uint8_t)rank;
        m->n_selects++;
        if (field(target, 2, 14) || (plain[rank >> 2] && plain[rank >> 2] != ways))
            plain[rank >> 2] = UINT8_MAX;
        else
            plain[rank >> 2] = (uint8_t)ways;
    }
}

static void decode_ranks(struct reading *r, unsigned i, uint32_t mcmtr, const uint32_t mtr[2])
{
    bool is_closed = field(mcmtr, 0, 1);
    unsigned low = is_closed ? CLOSED_PAGE : OPEN_PAGE;
    bool is_fine = field(read_register(r, channel_at(r, i), 0x8c), 0, 1);
    const struct bits *b = is_closed ? &closed_page : is_fine ? &open_page_fine : &open_page;
    uint8_t plain[DRAM_DIMMS_MAX] = { 0 };
    struct dram_select all = { 0 };

    for (unsigned rule = 0; rule < RIR_RULES; rule++) {
        uint32_t limit = read_register(r, channel_at(r, i), 0x108 + 4 * rule);
        unsigned ways = 1u << field(limit, 28, 2);

        if (!field(limit, 31, 1))
            continue;
        all.end = (uint64_t)(field(limit, 1, 11) + 1) << 29;
        all.mask = (uint64_t)(ways - 1) << low;
        decode_rank_rule(r, i, rule, all, plain);
        all.start = all.end;
    }
    for (unsigned k = 0; k < DRAM_DIMMS_MAX; k++) {
        if (plain[k] && plain[k] != UINT8_MAX && !field(mtr[k], 0, 2))
            r->ret->map.channel[i].dimm[k] =
                geometry_of(b, field(mtr[k], 2, 3) + 12, field(mcmtr, 9, 1), low, plain[k]);
    }
}

static void decode_channel(struct reading *r, unsigned i)
{
    struct decoded_channel *c = &r->ret->channel[i];
    uint32_t mcmtr, mtr[DRAM_DIMMS_MAX];

    c->node = (uint8_t)(i / CHANNELS / CONTROLLERS);
    c->controller = i / CHANNELS % CONTROLLERS;
    c->number = (uint8_t)(i % CHANNELS);
    if (!is_there(r, channel_at(r, i), 0x2040 + 4 * (i % CHANNELS)))
        return;
    for (unsigned k = 0; k < DRAM_DIMMS_MAX; k++) {
        mtr[k] = read_register(r, channel_at(r, i), 0x80 + 4 * k);
        decode_module(r, mtr[k], &c->dimm[k]);
    }
    if (field(read_register(r, channel_at(r, i), 0x400), 0, 2))
        not_known(r, "a part of the memory is persistent memory (Optane)");
    if (!decoded_bytes(c))
        return;
    if (is_there(r, channel_at(r, i) + COUNTERS, 0x2042 + 4 * (i % CHANNELS)))
        c->reads_counted = (struct register_id){ REGISTER_PCI, channel_at(r, i) + COUNTERS, COUNT };
    mcmtr = read_register(r, controller_at(r, i), 0x87c);
    c->ecc = field(mcmtr, 2, 1) ? DECODED_ECC_ON : DECODED_ECC_OFF;
    decode_ranks(r, i, mcmtr, mtr);
}

/* A rule of a socket: which target has an address, up to a limit. */
struct sad {
    uint64_t start, end;
    uint32_t how, targets;
};
#define SAD_INTERLEAVE(how) field(how, 1, 2)
#define SAD_THIRDS(how)     field(how, 27, 1)
#define SAD_AS_HALVES(how)  field(how, 5, 2) /* two thirds only: which */
#define SAD_LOW(how)        field(how, 30, 2)
#define SAD_FIELDS          UINT32_C(0xc8000066)

static const uint8_t lowest_bit[] = { 6, 8, 12, 30 };

/* False: it has no such rule, or the rule is off. */
static bool read_sad(struct reading *r, unsigned socket, unsigned i, struct sad *sad)
{
    uint16_t f = function_at(r->socket[socket].system_bus, 29, 0);

    sad->start = i ? sad->end : 0;
    sad->how = read_register(r, f, 0x60 + 8 * i);
    sad->end = (uint64_t)(field(sad->how, 7, 20) + 1) << 26;
    if (!field(sad->how, 0, 1) || sad->end <= sad->start)
        return false;
    sad->targets = read_register(r, f, 0x64 + 8 * i);
    return true;
}

/* Another socket's rule for the same addresses; its targets. */
static uint32_t targets_of(struct reading *r, unsigned socket, const struct sad *here)
{
    struct sad sad = { 0 };

    for (unsigned i = 0; i < SAD_RULES; i++) {
        if (read_sad(r, socket, i, &sad) && sad.start <= here->start && sad.end >= here->end &&
            !((sad.how ^ here->how) & SAD_FIELDS))
            return sad.targets;
    }
    return 0;
}

/* Of a value of the zone's functions; DRAM_CHANNELS_MAX: there is none. */
static unsigned channel_of(struct reading *r, const struct sad *sad, unsigned value)
{
    unsigned socket = 0, third = value >> 3, target = field(sad->targets, value % 8 * 4, 4);
    unsigned controller, channel;

    if (!(target & 8)) { /* in another socket */
        while (socket < r->n_sockets && r->socket[socket].id != (target & 7))
            socket++;
        if (socket == r->n_sockets)
            return DRAM_CHANNELS_MAX;
        target = field(targets_of(r, socket, sad), value % 8 * 4, 4);
    }
    if (!(target & 8))
        return DRAM_CHANNELS_MAX;
    target &= 7;
    if (SAD_THIRDS(sad->how) && SAD_LOW(sad->how) == 3)
        return DRAM_CHANNELS_MAX;
    if (SAD_THIRDS(sad->how)) {
        static const uint8_t as_halves[4][3] = {
            { 0, 1, 2 }, { 0, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 }
        };

        target = as_halves[SAD_AS_HALVES(sad->how)][third] << 1 | (target & 1);
    }
    if (target >= CONTROLLERS * CHANNELS)
        return DRAM_CHANNELS_MAX;
    controller = field(r->socket[socket].route, 3 * target, 3);
    channel = field(r->socket[socket].route, 2 * target + 18, 2);
    if (controller >= CONTROLLERS || channel >= CHANNELS)
        return DRAM_CHANNELS_MAX;
    channel += (socket * CONTROLLERS + controller) * CHANNELS;
    return r->ret->map.channel[channel].n_selects ? channel : DRAM_CHANNELS_MAX;
}

/* A rule of a controller: how the address in a channel is made. */
struct tad {
    uint64_t start, end, offset; /* of the channel */
    uint32_t base, ways;
};
#define TAD_SOCKET_LOW(base)   field(base, 4, 2)
#define TAD_CHANNEL_LOW(base)  field(base, 6, 2)
#define TAD_SOCKET_BITS(ways)  field(ways, 10, 2)
#define TAD_CHANNEL_WAYS(ways) (field(ways, 8, 2) + 1)

/* The rule for this address, or else for the next that has one. */
static struct tad tad_from(struct reading *r, unsigned channel, uint64_t from)
{
    struct tad best = { .start = UINT64_MAX };

    for (unsigned i = 0; i < TAD_RULES && best.start > from; i++) {
        struct tad t = { 0 };

        t.base = read_register(r, controller_at(r, channel), 0x850 + 4 * i);
        t.ways = read_register(r, controller_at(r, channel), 0x880 + 4 * i);
        t.start = (uint64_t)field(t.base, 12, 20) << 26;
        t.end = (uint64_t)(field(t.ways, 12, 20) + 1) << 26;
        if (t.end <= from || t.start >= t.end || t.start >= best.start)
            continue;
        t.offset = (uint64_t)field(read_register(r, channel_at(r, channel), 0x90 + 4 * i), 4, 20)
                   << 26;
        best = t;
    }
    return best;
}

static bool is_same(const struct tad *a, const struct tad *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           !((a->base ^ b->base) & 0xf0) && !((a->ways ^ b->ways) & 0xf00);
}

/*
 * Bits by which sockets and controllers were chosen go, and those of channels; a third of channels
 * goes first if it is of lower bits. False: it cannot be so.
 */
static bool make_address(struct dram_zone *z, const struct tad *t)
{
    unsigned low = lowest_bit[TAD_CHANNEL_LOW(t->base)], ways = TAD_CHANNEL_WAYS(t->ways);
    unsigned socket = lowest_bit[TAD_SOCKET_LOW(t->base)], n = TAD_SOCKET_BITS(t->ways);
    uint64_t removed = (BIT(n) - 1) << socket;

    if (ways > 3 || (low == 30 && ways > 1) || (n && (socket == 30 || socket < low)) ||
        z->thirds != (ways == 3 ? low : 0))
        return false;
    if (ways == 3 && socket > low) {
        z->removed_last = removed;
        n = 0;
    } else {
        z->removed = removed | (ways == 2 ? BIT(socket > low ? low : low + n) : 0);
    }
    z->subtract = t->offset >> (n + (ways == 2));
    return true;
}

/* The rule's part that begins there; returns where it ends. */
static uint64_t decode_zone(struct reading *r, struct dram_zone zone, unsigned n_values,
                            uint64_t from)
{
    struct dram_map *map = &r->ret->map;
    struct tad tad = tad_from(r, zone.channel[0], from);
    unsigned channels = 1;
    uint32_t seen = 0;

    if (tad.start >= zone.end)
        return zone.end;
    for (unsigned i = 0; i < n_values; i++) {
        struct tad other = tad_from(r, zone.channel[i], from);

        if (!is_same(&tad, &other))
            not_known(r, "channels that share addresses have different rules");
        seen |= UINT32_C(1) << zone.channel[i];
    }
    channels = TAD_CHANNEL_WAYS(tad.ways) << TAD_SOCKET_BITS(tad.ways);
    if (!make_address(&zone, &tad) || bits_count(seen) != channels)
        not_known(r, "the registers say two ways of interleaving");
    zone.start = max_u64(from, tad.start);
    zone.end = min_u64(zone.end, tad.end);
    if (map->n_zones == DRAM_ZONES_MAX)
        not_known(r, "the addresses have more rules than okram decodes");
    else
        map->zone[map->n_zones++] = zone;
    return zone.end;
}

static void decode_rule(struct reading *r, const struct sad *sad)
{
    struct dram_zone zone = { .end = sad->end, .n_functions = 3 };
    unsigned n = 8, low = lowest_bit[SAD_INTERLEAVE(sad->how)],
             third = lowest_bit[SAD_LOW(sad->how)];

    for (unsigned i = 0; i < 3; i++)
        zone.function[i] = BIT(low + i);
    if (SAD_THIRDS(sad->how) && SAD_AS_HALVES(sad->how)) {
        zone.function[zone.n_functions++] = BIT(third);
        n = 16;
    } else if (SAD_THIRDS(sad->how)) {
        zone.thirds = (uint8_t)third;
        n = 24;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned channel = channel_of(r, sad, i);

        if (channel == DRAM_CHANNELS_MAX) {
            not_known(r, "the registers name channels without modules");
            return;
        }
        zone.channel[i] = (uint8_t)channel;
    }
    for (uint64_t from = sad->start; from < sad->end && !r->ret->unknown;)
        from = decode_zone(r, zone, n, from);
}

/* Below 4 GiB there is a hole without a rule; addresses in channels do without it. */
static void note_hole(struct dram_map *map)
{
    uint64_t low = 0;

    for (struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++) {
        if (z->start < BIT(32))
            low = z->end;
        else if (low < BIT(32))
            z->gap = BIT(32) - low;
    }
}

/* But for a little, which may be in no rule where channels are divided. */
static bool has_all_modules(const struct decoded_controller *c)
{
    uint64_t modules = 0, rules = 0;

    for (unsigned i = 0; i < c->n_channels; i++)
        modules += decoded_bytes(&c->channel[i]);
    for (const struct dram_zone *z = c->map.zone; z < c->map.zone + c->map.n_zones; z++)
        rules += z->end - z->start;
    return rules <= modules && modules - rules < LEFT_OUT_MAX;
}

static void decode_map(struct reading *r)
{
    struct sad sad = { 0 };

    for (unsigned i = 0; i < SAD_RULES && !r->ret->unknown; i++) {
        if (read_sad(r, 0, i, &sad))
            decode_rule(r, &sad);
    }
    if (!r->ret->map.n_zones)
        not_known(r, "the registers have no rule for any address");
    if (!has_all_modules(r->ret))
        not_known(r, "the registers' rules and modules have other sizes, as with mirroring or "
                     "spares");
    note_hole(&r->ret->map);
    if (!r->ret->unknown && !dram_map_is_one_to_one(&r->ret->map))
        not_known(r, "the registers say two ways of interleaving");
}

bool decode_intel_skylake_sp(const struct cpu_model *cpu, const struct register_source *source,
                             struct decoded_controller *ret)
{
    struct reading r = { .source = source, .ret = ret };

    if (cpu->vendor != CPU_VENDOR_INTEL || cpu->family != 6 || cpu->model != 0x55)
        return false;
    *ret = (struct decoded_controller){ .family = "Intel Skylake-SP to Cooper Lake" };
    find_sockets(&r);
    ret->n_channels = r.n_sockets * CONTROLLERS * CHANNELS;
    ret->map.n_channels = ret->n_channels;
    for (unsigned i = 0; i < ret->n_channels; i++)
        decode_channel(&r, i);
    if (r.n_sockets)
        decode_map(&r);
    else
        not_known(&r, "the memory controllers are not found");
    for (unsigned i = 0; i < ret->n_channels && r.is_silent; i++)
        ret->channel[i].ecc = DECODED_ECC_UNKNOWN;
    if (r.is_silent)
        ret->unknown = "a register of the memory controllers does not answer";
    if (ret->unknown)
        ret->map = (struct dram_map){ 0 };
    return true;
}
