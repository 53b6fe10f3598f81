// SPDX-License-Identifier: MIT
/*
 * AMD's and Hygon's unified memory controllers (UMC) and the data fabric in front of them, Zen 1 to
 * Zen 5. The registers are those that AMD's processor programming references name; facts that they
 * leave out are in two public drivers, Linux's address translation library (drivers/ras/amd/atl)
 * and illumos' zen_umc.
 *
 * The data fabric has rules: a range of addresses goes to some controllers in turn. Each controller
 * has its own list of those that concern it, which is where its part of a zone comes from.
 */
#include "decoder/decoder.h"

#include <stddef.h>

#include "lib/bits.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define NODES_MAX  8
#define UMCS_MAX   16
#define SELECTS    4 /* chip selects of a channel: 0 and 1 are the first module's */
#define RULES_MAX  4
#define BROADCAST  0xffu
#define FOUR_GIB   (UINT64_C(1) << 32)
#define RESERVED   UINT64_C(0xfd00000000) /* no DRAM from here up to 1 TiB */
#define ONE_TIB    (UINT64_C(1) << 40)
#define CONTRADICT "registers of a memory controller contradict each other"
#define SILENT     "a register of a memory controller or of the data fabric cannot be read"
#define DISPUTED   "public sources disagree on how this processor interleaves its channels"
#define UNDECODED  "channels are interleaved in a way that is not decoded, as modulo 3"

#define BIT(n) (UINT64_C(1) << (n))

/* Offsets in a UMC; registers of a kind follow each other. */
struct umc_layout {
    bool per_rank; /* a register for each chip select; false: for each module */
    uint16_t second_mask, config, select, column, rank, module, bank_hash, rank_hash, cs_hash;
    uint16_t subchannel_hash; /* and one for the banks; 0: there are no subchannels */
};

static const struct umc_layout ddr4 = { false, 0x28, 0x30, 0x40, 0x50, 0x70,
                                        0x80,  0xc8, 0xdc, 0xe8, 0 };
static const struct umc_layout ddr5 = { true, 0x30, 0x40, 0x50, 0x60, 0x80,
                                        0x90, 0x98, 0xb0, 0xc8, 0xc0 };

#define UMC_BASE(umc) (UINT32_C(0x50000) + ((uint32_t)(umc) << 20))
#define CS_BASE       0x0u /* and the secondary ones */
#define CS_MASK       0x20u
#define UMC_CFG       0x100u
#define UMC_SDP_CTRL  0x104u
#define DRAM_CONFIG   0x200u
#define DRAM_TIMING_1 0x204u
#define DRAM_TIMING_2 0x208u
#define HIGH_BITS     0xb00u /* bits 47:40 of the base and mask registers; of the hashes likewise */
#define UMC_CAP_HI    0xdf4u

enum { NO_RANK_MULTIPLY = 1, SELECT_XOR = 2, BITS_47_40 = 4, REMAP_DISPUTED = 8 };

struct zen_model {
    uint32_t family, first_model, last_model;
    unsigned umcs; /* of a node; one that is not there must not be read. 0: the data fabric says */
    const char *name;
    const struct umc_layout *layout; /* NULL: not public */
    unsigned flags;
};

/* Hygon's family 18h has its controllers elsewhere from model 4 on. */
static const struct zen_model models[] = {
    { 0x17, 0x00, 0x0f, 2, "AMD Zen 1", &ddr4, 0 },
    { 0x17, 0x10, 0x2f, 2, "AMD Zen 1", &ddr4, NO_RANK_MULTIPLY },
    { 0x17, 0x30, 0x3f, 8, "AMD Zen 2", &ddr4, 0 },
    { 0x17, 0x60, 0x6f, 2, "AMD Zen 2", &ddr4, NO_RANK_MULTIPLY },
    { 0x17, 0x70, 0x7f, 2, "AMD Zen 2", &ddr4, 0 },
    { 0x18, 0x00, 0x03, 2, "Hygon Dhyana", &ddr4, 0 },
    { 0x19, 0x00, 0x0f, 8, "AMD Zen 3", &ddr4, REMAP_DISPUTED },
    { 0x19, 0x10, 0x1f, 12, "AMD Zen 4", &ddr5, SELECT_XOR | BITS_47_40 },
    { 0x19, 0x20, 0x2f, 2, "AMD Zen 3", &ddr4, 0 },
    { 0x19, 0x40, 0x4f, 4, "AMD Zen 3", &ddr5, 0 },
    { 0x19, 0x50, 0x5f, 2, "AMD Zen 3", &ddr4, NO_RANK_MULTIPLY },
    { 0x19, 0x60, 0x6f, 2, "AMD Zen 4", &ddr5, SELECT_XOR },
    { 0x19, 0x70, 0x7f, 4, "AMD Zen 4", &ddr5, SELECT_XOR },
    { 0x19, 0xa0, 0xaf, 12, "AMD Zen 4", &ddr5, SELECT_XOR | BITS_47_40 },
    { 0x1a, 0x00, 0x1f, 12, "AMD Zen 5", &ddr5, SELECT_XOR | BITS_47_40 },
    { 0x1a, 0x20, 0x2f, 0, "AMD Zen 5", &ddr5, SELECT_XOR },
    { 0x1a, 0x40, 0x4f, 2, "AMD Zen 5", &ddr5, SELECT_XOR },
    { 0x1a, 0x50, 0x57, 16, "AMD Zen", NULL, 0 },
    { 0x1a, 0x90, 0xaf, 8, "AMD Zen", NULL, 0 },
    { 0x1a, 0xc0, 0xc7, 16, "AMD Zen", NULL, 0 },
    { 0, 0, 0, 0, "AMD Zen", NULL, 0 },
};

static const struct zen_model *model_of(const struct cpu_model *cpu)
{
    const struct zen_model *m = models;

    while (m->family &&
           (cpu->family != m->family || cpu->model < m->first_model || cpu->model > m->last_model))
        m++;
    return m;
}

unsigned amd_umcs(const struct cpu_model *cpu)
{
    return model_of(cpu)->umcs;
}

/* Reads registers of one controller, or of one instance in the data fabric. */
struct reader {
    const struct register_source *source;
    uint8_t space;
    uint16_t unit;
    uint32_t base;
    bool is_silent; /* a register could not be read */
};

static uint32_t field(uint32_t value, unsigned high, unsigned low)
{
    return value >> low & (UINT32_MAX >> (31 - high + low));
}

/* 0 if the register cannot be read. */
static uint32_t read_register(struct reader *r, uint32_t offset)
{
    struct register_id id = { r->space, r->unit, r->base + offset };
    uint32_t value;

    if (r->source->read(r->source->ctx, id, &value) && value != UINT32_MAX)
        return value;
    r->is_silent = true;
    return 0;
}

static struct reader umc_reader(const struct register_source *source, unsigned node, unsigned umc)
{
    return (struct reader){ source, REGISTER_SMN, (uint16_t)node, UMC_BASE(umc), false };
}

static struct reader df_reader(const struct register_source *source, unsigned node, unsigned umc)
{
    return (struct reader){ source, REGISTER_DF, (uint16_t)(node << 8 | umc), 0, false };
}

static uint32_t read_df(struct reader *r, unsigned function, uint32_t offset)
{
    return read_register(r, function << 12 | offset);
}

bool amd_umc_read_ecc(const struct register_source *source, unsigned node, unsigned umc,
                      struct amd_umc_ecc *ret)
{
    struct reader r = umc_reader(source, node, umc);
    bool has_module = false;

    *ret = (struct amd_umc_ecc){ 0 };
    if (!(read_register(&r, UMC_SDP_CTRL) >> 31))
        return !r.is_silent;
    for (unsigned i = 0; i < 2 * SELECTS && !has_module && !r.is_silent; i++)
        has_module = read_register(&r, CS_BASE + 4 * i) & 1;
    if (!has_module || r.is_silent)
        return !r.is_silent;
    ret->modules_have_it = read_register(&r, UMC_CFG) >> 12 & 1;
    ret->is_on = read_register(&r, UMC_CAP_HI) >> 30 & 1;
    ret->is_in_use = !r.is_silent;
    return !r.is_silent;
}

/* ---- A channel: from an address in it to a module, bank, row and column. ---- */

struct chip_select {
    uint64_t base[2], free[2]; /* and the secondary ones; free: bits not compared, 0: it is off */
    uint64_t bytes;            /* 0: both are off */
    uint32_t inverted[2];      /* the upper two bits of a row */
    unsigned pin;              /* its number on the module's side */
    bool is_possible;
    struct dram_geometry geometry;
};

/* Bits 31:1 of a register are bits 39:9 of an address; bit 0 is as it is. */
static uint64_t read_address(struct reader *r, const struct zen_model *m, uint32_t offset)
{
    uint64_t low = read_register(r, offset);
    uint64_t high = m->flags & BITS_47_40 ? read_register(r, HIGH_BITS + offset) & 0xff : 0;

    return (low & ~UINT64_C(1)) << 8 | high << 40 | (low & 1);
}

static uint64_t hash_of(const struct dram_geometry *g, uint32_t hash)
{
    uint64_t function = 0;

    for (unsigned i = 0; i < 18 && i < g->n_rows && hash & 1; i++)
        function ^= (uint64_t)(hash >> (14 + i) & 1) << g->row[i];
    for (unsigned i = 0; i < 13 && i < g->n_columns && hash & 1; i++)
        function ^= (uint64_t)(hash >> (1 + i) & 1) << g->column[i];
    return function;
}

static uint64_t read_address_hash(struct reader *r, const struct zen_model *m, uint32_t offset)
{
    uint64_t hash = read_address(r, m, offset);

    return hash & 1 ? hash - 1 : 0;
}

/* The dies of a stack have banks of their own. False: there are more than selects. */
static bool read_banks(struct reader *r, const struct zen_model *m, unsigned at,
                       struct dram_geometry *g)
{
    const struct umc_layout *l = m->layout;
    uint32_t config = read_register(r, l->config + 4 * at);
    uint32_t select = read_register(r, l->select + 4 * at);
    uint32_t rank = read_register(r, l->rank + 4 * at);
    unsigned n = field(config, 21, 20) + 3;
    unsigned n_dies = m->flags & NO_RANK_MULTIPLY ? 0 : field(config, l->per_rank ? 6 : 5, 4);

    if (n > 5 || n_dies > 3)
        return false;
    for (unsigned i = 0; i < n; i++)
        g->bank[i] =
            BIT((select >> 4 * i & 15) + 5) ^ hash_of(g, read_register(r, l->bank_hash + 4 * i));
    for (unsigned i = 0; i < n_dies; i++)
        g->bank[n + i] =
            BIT((rank >> 4 * i & 15) + 12) ^ read_address_hash(r, m, l->rank_hash + 4 * i);
    g->n_banks = (uint8_t)(n + n_dies);
    if (l->subchannel_hash)
        g->subchannel =
            BIT(field(rank, 19, 16) + 5) ^ hash_of(g, read_register(r, l->subchannel_hash));
    return true;
}

/* i: of the registers of a chip select, or of its module's. False: they say the impossible. */
static bool read_geometry(struct reader *r, const struct zen_model *m, unsigned i,
                          struct dram_geometry *g)
{
    const struct umc_layout *l = m->layout;
    uint32_t config = read_register(r, l->config + 4 * i);
    uint32_t select = read_register(r, l->select + 4 * i);
    const uint32_t column[] = { read_register(r, l->column + 8 * i),
                                read_register(r, l->column + 8 * i + 4) };
    unsigned low_rows = field(config, 11, 8) + 10, columns = field(config, 19, 16) + 5;
    unsigned rows = low_rows + (l->per_rank ? 0 : field(config, 15, 12));

    if (rows > sizeof(g->row) || columns > sizeof(g->column))
        return false;
    g->n_rows = (uint8_t)rows;
    g->n_columns = (uint8_t)columns;
    for (unsigned k = 0; k < rows; k++)
        g->row[k] = (uint8_t)(k < low_rows ? field(select, 27, 24) + 12 + k
                                           : (select >> 28) + 24 + k - low_rows);
    for (unsigned k = 0; k < columns; k++)
        g->column[k] = (uint8_t)((column[k / 8] >> 4 * (k % 8) & 15) + (k < 8 ? 2 : 8));
    return read_banks(r, m, i, g);
}

/* A rank may have fewer rows than its bits could say, but more than with a bit less. */
static bool has_size(const struct dram_geometry *g, uint64_t bytes)
{
    uint64_t cells = BIT(3 + g->n_rows + g->n_columns + g->n_banks);

    return bytes <= cells && bytes > cells / 2;
}

static void read_select(struct reader *r, const struct zen_model *m, unsigned cs,
                        struct chip_select *ret)
{
    const struct umc_layout *l = m->layout;
    unsigned i = l->per_rank ? cs : cs / 2;

    memset(ret, 0, sizeof(*ret)); /* geometries are compared whole */
    ret->pin = m->flags & SELECT_XOR ? cs ^ read_register(r, l->config + 4 * i) >> 30 : cs;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t base = read_address(r, m, CS_BASE + 16 * side + 4 * cs);
        uint32_t rank = read_register(r, l->rank + 4 * i + (l->per_rank ? 0 : 8 * side));

        if (!(base & 1))
            continue;
        ret->free[side] = read_address(r, m, (side ? l->second_mask : CS_MASK) + 4 * i) | 0x1ff;
        ret->base[side] = base & ~ret->free[side];
        ret->bytes += BIT(bits_count(ret->free[side]));
        ret->inverted[side] = rank >> (l->per_rank ? 28 + 2 * side : 16 + 2 * (cs & 1)) & 3;
    }
    ret->is_possible = ret->bytes && read_geometry(r, m, i, &ret->geometry) &&
                       has_size(&ret->geometry, ret->bytes);
}

static bool is_alike(const struct chip_select *a, const struct chip_select *b)
{
    return a->bytes == b->bytes && !memcmp(&a->geometry, &b->geometry, sizeof(a->geometry));
}

/* Adds a chip select's one or two ranges. False: another has some of their addresses. */
static bool add_ranges(struct dram_channel *c, const struct chip_select *cs, const uint64_t flip[2])
{
    for (unsigned side = 0; side < 2; side++) {
        struct dram_select s = { .end = UINT64_MAX,
                                 .mask = ~cs->free[side],
                                 .value = cs->base[side],
                                 .number = (uint8_t)((cs->pin & 2) << 1 | (cs->pin & 1)),
                                 .flip = { flip[0], flip[1] },
                                 .row_flip = cs->inverted[side] << (cs->geometry.n_rows - 2) };

        for (unsigned i = 0; cs->free[side] && i < c->n_selects; i++) {
            if (!((s.value ^ c->select[i].value) & s.mask & c->select[i].mask))
                return false;
        }
        if (cs->free[side])
            c->select[c->n_selects++] = s;
    }
    c->dimm[cs->pin >> 1] = cs->geometry;
    return true;
}

/* flip: of the bits of a chip select's number, what flips them. */
static const char *map_channel(const struct chip_select cs[SELECTS], const uint64_t flip[2],
                               struct dram_channel *ret)
{
    for (unsigned i = 0; i < SELECTS; i++) {
        const struct chip_select *first = &cs[cs[i & 2].bytes ? i & 2 : i];

        if (!cs[i].bytes)
            continue;
        if (!is_alike(&cs[i], first) || cs[i].pin >> 1 != first->pin >> 1)
            return "the ranks of a module differ";
        for (unsigned bit = 0; bit < 2; bit++) {
            const struct chip_select *other = &cs[i ^ 1u << bit];

            if (flip[bit] && (!is_alike(&cs[i], other) || cs[i].pin != (other->pin ^ 1u << bit)))
                return CONTRADICT;
        }
        if (!cs[i].is_possible || !add_ranges(ret, &cs[i], flip))
            return CONTRADICT;
    }
    return NULL;
}

/* Of the first power state, the one for work. */
static struct decoded_timing read_timing(struct reader *r, const struct umc_layout *l,
                                         uint32_t umc_config)
{
    uint32_t config = read_register(r, DRAM_CONFIG), first = read_register(r, DRAM_TIMING_1);
    uint32_t second = read_register(r, DRAM_TIMING_2);

    if ((umc_config & 7) != l->per_rank || !field(first, 5, 0))
        return (struct decoded_timing){ 0 };
    return (struct decoded_timing){
        .cl = (uint16_t)field(first, 5, 0),
        .rcd = (uint16_t)field(first, 21, 16),
        .rp = (uint16_t)field(second, 21, 16),
        .ras = (uint16_t)field(first, 14, 8),
        .command_rate = (uint8_t)(1 + (config >> (l->per_rank ? 17 : 10) & 1)),
        .mts = l->per_rank ? 2 * field(config, 15, 0) : field(config, 6, 0) * 200 / 3,
    };
}

static void read_module(struct reader *r, const struct umc_layout *l, const struct chip_select *cs,
                        struct decoded_dimm dimms[DRAM_DIMMS_MAX])
{
    struct decoded_dimm *dimm = &dimms[cs->pin >> 1];
    uint32_t module = read_register(r, l->module + 4 * (cs->pin >> 1));

    if (!cs->bytes)
        return;
    dimm->bytes += cs->bytes;
    dimm->ranks++;
    dimm->device_width = module & 0x80 ? 16 : module & 0x40 ? 4 : 8;
}

/* NULL, or why the channel has no map. */
static const char *decode_channel(struct reader *r, const struct zen_model *m,
                                  struct decoded_channel *ret, struct dram_channel *ret_map)
{
    const struct umc_layout *l = m->layout;
    uint32_t config = read_register(r, UMC_CFG), hash = 0;
    const char *unknown;
    struct chip_select cs[SELECTS];
    uint64_t flip[2];

    for (unsigned i = 0; i < SELECTS; i++) {
        read_select(r, m, i, &cs[i]);
        read_module(r, l, &cs[i], ret->dimm);
    }
    for (unsigned i = 0; i < 2; i++)
        flip[i] = read_address_hash(r, m, l->cs_hash + 4 * i);
    if (l->subchannel_hash && read_register(r, l->subchannel_hash) & 1)
        hash = field(read_register(r, l->subchannel_hash + 4), 4, 0);
    ret->timing = read_timing(r, l, config);
    unknown = map_channel(cs, flip, ret_map);
    if ((config & 7) != l->per_rank)
        unknown = "the memory is of a type whose addresses no public source explains (LPDDR)";
    else if (hash)
        unknown = "subchannels depend on banks in a way that no public source explains";
    return r->is_silent ? SILENT : unknown;
}

/* ---- The data fabric: from a physical address to a channel and an address in it. ---- */

enum revision { DF2, DF3, DF35, DF4, DF45 };

struct fabric {
    const struct register_source *source;
    enum revision revision;
    unsigned n_rules;      /* of a controller */
    unsigned socket_shift; /* in the number of a controller */
    uint64_t hole;         /* begins here, and ends at 4 GiB; 0: there is none */
    bool remap_is_disputed;
};

static bool read_fabric(const struct zen_model *m, const struct register_source *source,
                        struct fabric *ret)
{
    struct reader r = df_reader(source, 0, BROADCAST);
    uint32_t version = read_df(&r, 0, 0x40), ids, hole;

    *ret = (struct fabric){ .source = source,
                            .n_rules = m->flags & BITS_47_40 ? RULES_MAX : 2,
                            .remap_is_disputed = m->flags & REMAP_DISPUTED };
    if (field(version, 27, 24))
        ret->revision = field(version, 23, 16) >= 5 ? DF45 : DF4;
    else
        ret->revision = read_df(&r, 1, 0x150)                ? DF35
                        : field(read_df(&r, 1, 0x208), 9, 0) ? DF3
                                                             : DF2;
    ids = ret->revision >= DF4 ? read_df(&r, 4, 0x1b4) : 0;
    ret->socket_shift = field(ids, 3, 0) + field(ids, 11, 8);
    hole = read_df(&r, ret->revision >= DF4 ? 7 : 0, 0x104);
    ret->hole = hole & 1 ? hole & 0xff000000 : 0;
    return !r.is_silent && field(version, 27, 24) <= 4;
}

/* The bits of a rule's registers. Before DF 4 the base has those of control and spread. */
static const struct rule_layout {
    uint8_t function;
    uint16_t first_rule, first_offset;
    uint8_t mode_high, mode_low, first_bit;
    uint8_t target_high, target_low; /* before DF 4 in the limit */
    uint8_t offset_high, offset_low;
    uint32_t dies_and_sockets; /* DF 2: in the limit; since DF 4 dies alone */
    uint32_t number;           /* bits of a controller's own number */
} rule_layouts[] = {
    [DF2] = { 0, 0x110, 0x1b4, 7, 4, 8, 7, 0, 31, 20, 0xd00, 0xff },
    [DF3] = { 0, 0x110, 0x1b4, 5, 2, 9, 9, 0, 31, 12, 0x1c0, 0x3f },
    [DF35] = { 0, 0x110, 0x1b4, 6, 2, 9, 3, 0, 31, 12, 0x180, 0xf },
    [DF4] = { 7, 0xe00, 0x140, 8, 4, 0, 27, 16, 24, 1, 0x3000, 0xfff },
    [DF45] = { 7, 0x200, 0x140, 9, 4, 0, 27, 16, 24, 1, 0x3000, 0xfff },
};

/* A range of addresses, and how it is spread. */
struct rule {
    uint64_t start, end; /* both 0: there is none */
    uint64_t offset;     /* in the channel */
    uint32_t control;    /* hole, remap, and what is hashed */
    uint32_t target;     /* the number of the first controller */
    unsigned mode, first_bit, sockets;
    bool has_dies; /* or sockets, where they are not decoded */
};

static struct rule read_rule(enum revision revision, struct reader *r, unsigned i)
{
    const struct rule_layout *l = &rule_layouts[revision];
    bool is_old = revision < DF4;
    uint32_t at = l->first_rule + (is_old ? 8 : 16) * i;
    uint32_t base = read_df(r, l->function, at), limit = read_df(r, l->function, at + 4);
    uint32_t control = is_old ? base : read_df(r, l->function, at + 8);
    uint32_t spread = is_old ? base : read_df(r, l->function, at + 12), offset = 0;

    if (!(control & 1))
        return (struct rule){ 0 };
    if (i)
        offset = read_df(r, l->function, l->first_offset + 4 * (i - 1));
    return (struct rule){
        .start = (uint64_t)(is_old ? base >> 12 : field(base, 27, 0)) << 28,
        .end = ((uint64_t)(is_old ? limit >> 12 : field(limit, 27, 0)) + 1) << 28,
        .offset = offset & 1 ? (uint64_t)field(offset, l->offset_high, l->offset_low) << 28 : 0,
        .control = control,
        .target = field(is_old ? limit : control, l->target_high, l->target_low),
        .mode = field(spread, l->mode_high, l->mode_low),
        .first_bit = field(spread, l->first_bit + 2, l->first_bit) + 8,
        .sockets = is_old ? 0 : field(spread, 18, 18),
        .has_dies = (revision == DF2 ? limit : spread) & l->dies_and_sockets,
    };
}

/* How a rule spreads lines: a zone's functions, and their parts of a controller's number. */
struct spread {
    struct dram_zone zone;
    unsigned shift[4];
    unsigned value; /* of the functions, for the controller whose rule it is */
};

/* bit: the one that it replaces. */
static void add_function(struct spread *s, unsigned bit, uint64_t hash, unsigned shift)
{
    s->zone.removed |= BIT(bit);
    s->zone.function[s->zone.n_functions] = BIT(bit) | hash;
    s->shift[s->zone.n_functions++] = shift;
}

/*
 * The hashes of DF 4 and DF 4.5, sockets first. The control bits say which of the address bits from
 * 64 KiB, 2 MiB, 1 GiB and 1 TiB are in. DF 4.5 has two forms, which keep 1 and 2 KiB together.
 */
static const char *spread_hashed(const struct fabric *f, const struct rule *rule, struct spread *s)
{
    unsigned low = rule->mode & 15, channels = rule->mode == 0x0c ? 4 : low + 1;
    bool is_df4 = f->revision == DF4, is_2k = rule->mode >= 0x20, is_1k = !is_df4 && !is_2k;

    if (is_df4 ? rule->mode < 0x10 || rule->mode > 0x12
               : rule->mode != 0x0c && rule->mode != 0x23 && (low > 2 || rule->mode < 0x10))
        return UNDECODED;
    if (rule->sockets && (is_df4 || channels < 3)) /* the others' number includes sockets */
        channels++;
    if (rule->first_bit > (is_df4 ? 9 : 8))
        return CONTRADICT;
    for (unsigned i = 0; i < channels; i++) {
        unsigned place = i && is_2k ? i + 1 : i, bit = i ? 11 + i - is_1k : rule->first_bit;
        uint64_t hash = (rule->control & 0x100 ? BIT(16 + place) : 0) |
                        (rule->control & 0x200 ? BIT(21 + place) : 0) |
                        (rule->control & 0x400 ? BIT(30 + place) : 0) |
                        (rule->control & 0x8000 && !is_df4 ? BIT(40 + place) : 0) |
                        (is_df4 && !i && !rule->sockets ? BIT(14) : 0);

        add_function(s, i == 1 && is_1k ? 9 : bit, hash,
                     rule->sockets && !i ? f->socket_shift : i - rule->sockets);
    }
    return NULL;
}

static const char *spread_of(const struct fabric *f, const struct rule *rule, struct spread *s)
{
    static const uint8_t plain[] = { [1] = 1, [3] = 2, [5] = 3, [7] = 4 };
    bool is_plain = !rule->mode || (rule->mode < sizeof(plain) && plain[rule->mode]);
    unsigned channels = is_plain ? plain[rule->mode] : 0;

    if (f->remap_is_disputed && rule->mode)
        return DISPUTED;
    if (rule->has_dies || channels + rule->sockets > 4)
        return "the memory of several dies is interleaved in a way that is not decoded";
    for (unsigned i = 0; is_plain && i < channels + rule->sockets; i++)
        add_function(s, rule->first_bit + i, 0, i < channels ? i : f->socket_shift);
    if (is_plain)
        return NULL;
    if (f->revision >= DF4)
        return spread_hashed(f, rule, s);
    if (f->revision == DF2 && rule->mode == 8 && rule->first_bit <= 9) {
        add_function(s, rule->first_bit, BIT(12) | BIT(18) | BIT(21) | BIT(30), 0);
        return NULL;
    }
    return f->revision != DF2 && rule->mode >= 0xc && rule->mode <= 0xe ? DISPUTED : UNDECODED;
}

/* The controller that the fabric takes for this one. */
static uint32_t remapped(const struct fabric *f, const struct rule *rule, struct reader *r,
                         uint32_t target)
{
    unsigned bits = f->revision == DF4 ? 4 : 5, each = 32 / bits, index = target & 15;
    unsigned set =
        f->revision == DF4 ? 8 * field(rule->control, 7, 5) : 24 * field(rule->control, 6, 5);

    if (f->revision < DF4 || !(rule->control & 0x10))
        return target;
    return (target & ~UINT32_C(31)) |
           (read_df(r, 7, 0x180 + set + 4 * (index / each)) >> bits * (index % each) &
            (uint32_t)(BIT(bits) - 1));
}

/* Finds which value of the functions is this controller's; false: not exactly one is. */
static bool find_value(const struct fabric *f, const struct rule *rule, struct reader *r,
                       struct spread *s)
{
    uint32_t number = read_df(r, 0, 0x50) >> 8 & rule_layouts[f->revision].number;
    unsigned found = 0;

    for (unsigned value = 0; value < 1u << s->zone.n_functions; value++) {
        uint32_t target = rule->target;

        for (unsigned i = 0; i < s->zone.n_functions; i++)
            target += (value >> i & 1) << s->shift[i];
        if (remapped(f, rule, r, target) != number)
            continue;
        s->value = value;
        found++;
    }
    return found == 1;
}

static bool is_same_spread(const struct dram_zone *a, const struct dram_zone *b)
{
    return a->start == b->start && a->end == b->end && a->removed == b->removed &&
           a->function[0] == b->function[0] && a->function[1] == b->function[1] &&
           a->function[2] == b->function[2] && a->function[3] == b->function[3];
}

/*
 * A part of a zone: the channel of one value. False: a zone has that already, or has some of its
 * addresses, or there are too many.
 */
static bool add_zone(struct dram_map *map, const struct dram_zone *part, unsigned value,
                     unsigned channel)
{
    struct dram_zone *to = map->zone + map->n_zones;

    for (struct dram_zone *z = map->zone; z < map->zone + map->n_zones; z++) {
        bool touches = z->start < part->end && part->start < z->end;

        if (touches && (!is_same_spread(z, part) || z->channel[value] != DRAM_ELSEWHERE))
            return false;
        if (touches && z->subtract == part->subtract)
            to = z;
    }
    if (to == map->zone + DRAM_ZONES_MAX)
        return false;
    if (to == map->zone + map->n_zones) {
        map->n_zones++;
        *to = *part;
        for (unsigned i = 0; i < sizeof(to->channel); i++)
            to->channel[i] = DRAM_ELSEWHERE;
    }
    to->channel[value] = (uint8_t)channel;
    return true;
}

/* Whether bits that the functions have are changed by subtracting this. */
static bool changes(const struct dram_zone *z, uint64_t subtract)
{
    uint64_t all = z->function[0] | z->function[1] | z->function[2] | z->function[3];

    return subtract && all >= (subtract & -subtract);
}

/*
 * The addresses of a rule are DRAM, except the hole and the reserved end of the first TiB. In the
 * channel they begin at 0, without the hole. DF 3.5 and 4 hash the address that is less that, too;
 * the others hash it as it is.
 */
static const char *add_rule(const struct fabric *f, const struct rule *rule, const struct spread *s,
                            unsigned channel, struct dram_map *map)
{
    struct dram_zone zone = s->zone;
    bool hashes_less = f->revision == DF35 || f->revision == DF4;
    bool has_hole = rule->control & 2 && f->hole && rule->end > f->hole;
    uint64_t hole = has_hole ? FOUR_GIB - f->hole : 0;
    uint64_t moved = hashes_less || !changes(&zone, hole) ? hole : 0, gap = hole - moved;
    const uint64_t part[][2] = { { 0, gap ? f->hole : RESERVED - moved },
                                 { gap ? FOUR_GIB : RESERVED, RESERVED },
                                 { ONE_TIB - moved, UINT64_MAX } };

    if (hole && (rule->start > f->hole || rule->end < FOUR_GIB ||
                 (map->n_moves && map->move[1].end != rule->end)))
        return CONTRADICT;
    if (hashes_less && changes(&zone, rule->start))
        return "several ranges of addresses are hashed apart";
    if (moved) {
        map->n_moves = 2;
        map->move[0] = (struct dram_move){ f->hole, FOUR_GIB, FOUR_GIB }; /* to nowhere */
        map->move[1] = (struct dram_move){ FOUR_GIB, rule->end, hole };
    }
    for (unsigned i = 0; i < 3; i++) {
        zone.start = max_u64(part[i][0], rule->start);
        zone.end = min_u64(part[i][1], rule->end - moved);
        zone.gap = i ? gap : 0;
        zone.subtract = ((rule->start + zone.gap) >> bits_count(zone.removed)) - rule->offset;
        if (zone.start < zone.end && !add_zone(map, &zone, s->value, channel))
            return CONTRADICT;
    }
    return NULL;
}

static bool is_umc(const struct register_source *source, unsigned node, unsigned umc)
{
    struct reader r = df_reader(source, node, umc);
    uint32_t type = read_df(&r, 0, 0x44);

    return field(type, 3, 0) == 4 && field(type, 26, 24) != 2;
}

static const char *add_rules(const struct fabric *f, const struct decoded_channel *c,
                             unsigned channel, struct dram_map *map)
{
    struct reader r = df_reader(f->source, c->node, c->controller);
    const char *unknown = NULL;
    bool has_rule = false;

    if (!is_umc(f->source, c->node, c->controller))
        return "the data fabric has no memory controller where one is expected";
    for (unsigned i = 0; i < f->n_rules && !unknown; i++) {
        struct rule rule = read_rule(f->revision, &r, i);
        struct spread s = { .zone = { 0 } };

        if (!rule.end)
            continue;
        has_rule = true;
        unknown = spread_of(f, &rule, &s);
        if (!unknown &&
            (rule.start >= rule.end || rule.first_bit > 12 || !find_value(f, &rule, &r, &s)))
            unknown = CONTRADICT;
        if (!unknown)
            unknown = add_rule(f, &rule, &s, channel, map);
    }
    return r.is_silent ? SILENT : has_rule ? unknown : CONTRADICT;
}

static const char *map_fabric(const struct zen_model *m, const struct register_source *source,
                              struct decoded_controller *ret)
{
    struct fabric f;

    if (!read_fabric(m, source, &f))
        return SILENT;
    for (unsigned i = 0; i < ret->n_channels; i++) {
        const char *unknown = add_rules(&f, &ret->channel[i], i, &ret->map);

        if (unknown)
            return unknown;
    }
    ret->map.n_channels = ret->n_channels;
    return ret->map.n_zones && dram_map_is_one_to_one(&ret->map) ? NULL : CONTRADICT;
}

static const char *decode_umc(const struct zen_model *m, const struct register_source *source,
                              unsigned node, unsigned umc, struct decoded_controller *ret)
{
    struct reader r = umc_reader(source, node, umc);
    struct decoded_channel *c = &ret->channel[ret->n_channels];
    struct amd_umc_ecc ecc;

    if (!amd_umc_read_ecc(source, node, umc, &ecc))
        return SILENT;
    if (!ecc.is_in_use)
        return NULL;
    if (ret->n_channels == DRAM_CHANNELS_MAX)
        return "there are more channels than okram lists";
    *c = (struct decoded_channel){ .node = (uint8_t)node,
                                   .controller = (uint8_t)umc,
                                   .ecc = ecc.is_on             ? DECODED_ECC_ON
                                          : ecc.modules_have_it ? DECODED_ECC_UNUSED
                                                                : DECODED_ECC_OFF };
    return decode_channel(&r, m, c, &ret->map.channel[ret->n_channels++]);
}

bool amd_has_node(const struct register_source *source, unsigned node)
{
    struct reader r = df_reader(source, node, BROADCAST);
    uint32_t vendor = read_df(&r, 0, 0) & 0xffff;

    return vendor == 0x1022 || vendor == 0x1d94;
}

bool decode_amd_zen(const struct cpu_model *cpu, const struct register_source *source,
                    struct decoded_controller *ret)
{
    const struct zen_model *m = model_of(cpu);
    const char *unknown = NULL;

    if ((cpu->vendor != CPU_VENDOR_AMD && cpu->vendor != CPU_VENDOR_HYGON) || cpu->family < 0x17)
        return false;
    *ret = (struct decoded_controller){ .family = m->name };
    if (!m->layout)
        unknown = "no public source explains the memory controllers of this processor";
    for (unsigned node = 0; m->layout && node < NODES_MAX && amd_has_node(source, node); node++) {
        unsigned max = m->umcs ? m->umcs : UMCS_MAX;

        for (unsigned umc = 0; umc < max && (m->umcs || is_umc(source, node, umc)); umc++) {
            const char *why = decode_umc(m, source, node, umc, ret);

            unknown = unknown ? unknown : why;
        }
    }
    if (!unknown && !ret->n_channels)
        unknown = SILENT;
    ret->unknown = unknown ? unknown : map_fabric(m, source, ret);
    if (ret->unknown)
        ret->map = (struct dram_map){ 0 };
    return true;
}
