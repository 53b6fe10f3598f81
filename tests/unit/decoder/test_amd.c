// SPDX-License-Identifier: MIT
#include "decoder/decoder.h"

#include "decoder/decoded_digest.h"
#include "decoder/mutations.h"
#include "lib/gf2.h"
#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define BIT(n) (UINT64_C(1) << (n))

static const struct cpu_model summit_ridge = { CPU_VENDOR_AMD, 0x17, 0x01, 1 };
static const struct cpu_model rome = { CPU_VENDOR_AMD, 0x17, 0x31, 0 };
static const struct cpu_model renoir = { CPU_VENDOR_AMD, 0x17, 0x60, 1 };
static const struct cpu_model matisse = { CPU_VENDOR_AMD, 0x17, 0x71, 0 };
static const struct cpu_model milan = { CPU_VENDOR_AMD, 0x19, 0x01, 1 };
static const struct cpu_model genoa = { CPU_VENDOR_AMD, 0x19, 0x11, 1 };
static const struct cpu_model cezanne = { CPU_VENDOR_AMD, 0x19, 0x50, 0 };
static const struct cpu_model rembrandt = { CPU_VENDOR_AMD, 0x19, 0x44, 1 };
static const struct cpu_model raphael = { CPU_VENDOR_AMD, 0x19, 0x61, 2 };
static const struct cpu_model turin = { CPU_VENDOR_AMD, 0x1a, 0x02, 1 };
static const struct cpu_model strix = { CPU_VENDOR_AMD, 0x1a, 0x24, 0 };
static const struct cpu_model granite_ridge = { CPU_VENDOR_AMD, 0x1a, 0x44, 0 };

/* ---- A machine that is played: its registers that are not 0. ---- */

static struct {
    struct {
        struct register_id id;
        uint32_t value;
    } word[1024]; /* from 1 on */
    size_t n;
    uint16_t index[4096];
    unsigned nodes, umcs; /* there are no others, and nobody may ask */
    uint64_t random;      /* not 0: registers that are not listed are random */
} played;

static struct decoded_controller decoded;

/* Where a register is, or would be, in the list: its own place or one of the next. */
static uint16_t *place_in_index(uint8_t space, unsigned unit, uint32_t offset)
{
    unsigned i = (unsigned)splitmix_mix((uint64_t)space << 48 | (uint64_t)unit << 32 | offset);

    for (;; i++) {
        uint16_t *place = &played.index[i % COUNT(played.index)];
        struct register_id id = played.word[*place].id;

        if (!*place || (id.space == space && id.unit == unit && id.offset == offset))
            return place;
    }
}

static void set(uint8_t space, unsigned unit, uint32_t offset, uint32_t value)
{
    uint16_t *place = place_in_index(space, unit, offset);

    if (!*place) {
        assert_true(played.n + 1 < COUNT(played.word));
        *place = (uint16_t)++played.n;
        played.word[played.n].id = (struct register_id){ space, (uint16_t)unit, offset };
    }
    played.word[*place].value = value;
}

static bool read_played(void *ctx, struct register_id id, uint32_t *ret)
{
    unsigned node = id.space == REGISTER_DF ? id.unit >> 8 : id.unit;
    uint16_t found = *place_in_index(id.space, id.unit, id.offset);

    (void)ctx;
    assert_true(id.space == REGISTER_SMN || id.space == REGISTER_DF);
    if (node >= played.nodes)
        return false;
    if (id.space == REGISTER_SMN) {
        assert_int_equal(id.offset & 0xff003, 0x50000 & 0xff003);
        assert_true(id.offset >> 20 < played.umcs);
    }
    *ret = found           ? played.word[found].value
           : played.random ? (uint32_t)splitmix_next(&played.random)
                           : 0;
    return true;
}

static const struct register_source source = { read_played, NULL };

static void set_umc(unsigned node, unsigned umc, uint32_t offset, uint32_t value)
{
    set(REGISTER_SMN, node, 0x50000 + (umc << 20) + offset, value);
}

/* instance 0xff: of all. */
static void set_df(unsigned node, unsigned instance, unsigned function, uint32_t offset,
                   uint32_t value)
{
    set(REGISTER_DF, node << 8 | instance, function << 12 | offset, value);
}

enum revision { DF2, DF3, DF35, DF4, DF45 };

/* Controllers have the numbers of their UMCs; those of the second node begin at 32. */
static void begin(enum revision revision, unsigned nodes, unsigned umcs)
{
    memset(&played, 0, sizeof(played));
    played.nodes = nodes;
    played.umcs = umcs;
    for (unsigned node = 0; node < nodes; node++) {
        set_df(node, 0xff, 0, 0, 0x14601022);
        set_df(node, 0xff, 0, 0x40, revision >= DF4 ? 0x04000000 : 0);
        for (unsigned umc = 0; umc < umcs; umc++) {
            set_df(node, umc, 0, 0x44, 0x01000044);
            set_df(node, umc, 0, 0x50, (node << 5 | umc) << 8 | umc);
        }
        if (revision == DF35)
            set_df(node, 0xff, 1, 0x150, 0x1f);
        if (revision == DF3)
            set_df(node, 0xff, 1, 0x208, 0x20001f);
        if (revision == DF45)
            set_df(node, 0xff, 0, 0x40, 0x04050000);
        set_df(node, 0xff, 4, 0x1b4, 0x5); /* a node's number begins at bit 5 */
    }
}

static void set_hole(enum revision revision, uint32_t start)
{
    set_df(0, 0xff, revision >= DF4 ? 7 : 0, 0x104, start | 1);
}

struct rule {
    uint64_t start, end; /* of 256 MiB */
    unsigned mode, first_bit;
    uint32_t control; /* since DF 4; bit 1: the hole */
    unsigned sockets;
    uint64_t offset;
};

static void set_rule(enum revision revision, unsigned node, unsigned umc, unsigned i,
                     const struct rule *r)
{
    uint32_t start = (uint32_t)(r->start >> 28), last = (uint32_t)(r->end >> 28) - 1;
    uint32_t hole = r->control & 2, at = (revision == DF4 ? 0xe00 : 0x200) + 16 * i;

    if (revision >= DF4) {
        set_df(node, umc, 7, at, start);
        set_df(node, umc, 7, at + 4, last);
        set_df(node, umc, 7, at + 8, r->control | 1);
        set_df(node, umc, 7, at + 12, r->sockets << 18 | r->mode << 4 | (r->first_bit - 8));
        if (i)
            set_df(node, umc, 7, 0x140 + 4 * (i - 1), (uint32_t)(r->offset >> 28) << 1 | 1);
        return;
    }
    set_df(node, umc, 0, 0x110 + 8 * i,
           start << 12 | hole | 1 |
               (revision == DF2 ? r->mode << 4 | (r->first_bit - 8) << 8
                                : r->mode << 2 | (r->first_bit - 8) << 9));
    set_df(node, umc, 0, 0x114 + 8 * i, last << 12);
    if (i)
        set_df(node, umc, 0, 0x1b4, (uint32_t)(r->offset >> 28) << (revision == DF2 ? 20 : 12) | 1);
}

/* A rule for the first controllers of each node. */
static void set_rule_of_all(enum revision revision, unsigned nodes, unsigned umcs,
                            const struct rule *r)
{
    for (unsigned node = 0; node < nodes; node++) {
        for (unsigned umc = 0; umc < umcs; umc++)
            set_rule(revision, node, umc, 0, r);
    }
}

/* The registers of a channel whose modules are all alike; base and mask as they are read. */
struct channel {
    bool is_ddr5;
    uint32_t base[4], mask, config, select, column[2], rank, bank_hash[5], subchannel_hash,
        cs_hash[2];
};

static void set_channel(unsigned node, unsigned umc, const struct channel *c)
{
    unsigned each = c->is_ddr5 ? 1 : 2;

    for (unsigned cs = 0; cs < 4; cs++)
        set_umc(node, umc, 4 * cs, c->base[cs]);
    for (unsigned i = 0; i < 4 / each; i++) {
        set_umc(node, umc, 0x20 + 4 * i, c->mask);
        set_umc(node, umc, (c->is_ddr5 ? 0x40 : 0x30) + 4 * i, c->config);
        set_umc(node, umc, (c->is_ddr5 ? 0x50 : 0x40) + 4 * i, c->select);
        set_umc(node, umc, (c->is_ddr5 ? 0x60 : 0x50) + 8 * i, c->column[0]);
        set_umc(node, umc, (c->is_ddr5 ? 0x64 : 0x54) + 8 * i, c->column[1]);
        set_umc(node, umc, (c->is_ddr5 ? 0x80 : 0x70) + 4 * i, c->rank);
    }
    for (unsigned i = 0; i < 5; i++)
        set_umc(node, umc, (c->is_ddr5 ? 0x98 : 0xc8) + 4 * i, c->bank_hash[i]);
    for (unsigned i = 0; i < 2; i++)
        set_umc(node, umc, (c->is_ddr5 ? 0xc8 : 0xe8) + 4 * i, c->cs_hash[i]);
    if (c->is_ddr5)
        set_umc(node, umc, 0xc0, c->subchannel_hash);
    set_umc(node, umc, 0x100, 0x80000000 | c->is_ddr5);
    set_umc(node, umc, 0x104, 0x80000000);
}

static const char *decode(const struct cpu_model *cpu)
{
    assert_true(decode_amd_zen(cpu, &source, &decoded));
    return decoded.unknown;
}

static void assert_there_and_back(unsigned tries, uint64_t seed)
{
    for (unsigned i = 0; i < tries; i++) {
        const struct dram_zone *z = &decoded.map.zone[splitmix_next(&seed) % decoded.map.n_zones];
        uint64_t phys = z->start + splitmix_next(&seed) % (z->end - z->start), back;
        struct dram_place p;

        for (unsigned k = 0; k < decoded.map.n_moves; k++) {
            const struct dram_move *m = &decoded.map.move[k];

            if (phys + m->subtract >= m->start && phys + m->subtract < m->end)
                phys += m->subtract;
        }
        assert_true(dram_map_locate(&decoded.map, phys, &p));
        assert_true(p.channel < decoded.n_channels);
        assert_true(dram_map_address(&decoded.map, &p, &back));
        assert_true((back ^ phys) < 8);
    }
}

static struct dram_place place_of(uint64_t phys)
{
    struct dram_place p = { .channel = 0xee };

    assert_true(dram_map_locate(&decoded.map, phys, &p));
    return p;
}

/* ---- Machines and maps that are published. ---- */

/*
 * Ryzen 9 7945HX, SK Hynix HMCG78AGBSA095N of 16 GB (github.com/irusanov/ZenTimings, issue 57).
 * DDR5 of one rank.
 */
static const struct channel hynix_16gb = {
    .is_ddr5 = true,
    .base = { 0x00000001 },
    .mask = 0x03fffffe,
    .config = 0x0025060c,
    .select = 0x06074365,
    .column = { 0xdcb53210, 0xa9876098 },
    .rank = 0x00010000,
    .bank_hash = { 0x21084001, 0x02108001, 0x04210001, 0x08420001, 0x10840001 },
    .subchannel_hash = 0x3fffc001,
};

/* DDR4 of 8 GB, one rank of x8: selects and hashes of Zen 2 (CoreFreq, amd_reg.h). */
static const struct channel zen2_one_rank = {
    .base = { 1 },
    .mask = 0x01fffffe,
    .config = 0x00150608,
    .select = 0x050098ba,
    .column = { 0x87654321, 0x43 },
    .bank_hash = { 0x04444001, 0x08888001, 0x111107f1, 0x22220001 },
};

/* The same with two ranks, which a hash of the row chooses. */
static struct channel zen2_two_ranks(void)
{
    struct channel c = zen2_one_rank;

    c.base[1] = 0x201;
    c.mask = 0x03fffdfe;
    c.select = 0x060098ba;
    c.cs_hash[0] = 0x03fffc01;
    return c;
}

static struct channel zen4_two_ranks(void)
{
    struct channel c = hynix_16gb;

    c.base[1] = 0x401;
    c.mask = 0x07fffbfe;
    c.select = 0x07074365;
    return c;
}

/* One module, or one in each of two channels by address bit 8. */
static void set_machine(enum revision revision, const struct channel *c, unsigned channels,
                        uint64_t bytes)
{
    begin(revision, 1, 2);
    for (unsigned i = 0; i < channels; i++)
        set_channel(0, i, c);
    set_rule_of_all(revision, 1, channels,
                    &(struct rule){ .end = bytes, .mode = channels > 1, .first_bit = 8 });
}

static struct gf2_basis span_of(const uint64_t *function, unsigned n, unsigned bits)
{
    struct gf2_basis b = { 0 };

    for (unsigned i = 0; i < n; i++)
        gf2_add(&b, function[i] & (BIT(bits) - 1));
    gf2_reduce(&b);
    return b;
}

/* That the map's functions span these, below address bit `bits`, to which they are published. */
static void assert_span(const uint64_t *published, unsigned n, unsigned bits)
{
    struct gf2_basis a = span_of(published, n, bits), b;
    struct dram_functions found;

    dram_map_functions(&decoded.map, &decoded.map.zone[0], &found);
    assert_int_equal(found.n, n);
    b = span_of(found.function, n, bits);
    assert_memory_equal(&a, &b, sizeof(a));
}

TEST(zen4_laptop)
{
    static const uint64_t published[] = { 0x3fffc0040, 0x210840400, 0x021080800,
                                          0x042100100, 0x084200200, 0x108401000 };
    struct dram_functions f;
    struct dram_place p;

    set_machine(DF4, &hynix_16gb, 1, 16 * GIB);
    set_umc(0, 0, 0x200, 2600 | 1 << 17);
    set_umc(0, 0, 0x204, 42 | 84 << 8 | 41 << 16);
    set_umc(0, 0, 0x208, 40 << 16);
    assert_null(decode(&raphael));
    assert_string_equal(decoded.family, "AMD Zen 4");
    assert_int_equal(decoded.n_channels, 1);
    assert_int_equal(decoded.channel[0].dimm[0].bytes, 16 * GIB);
    assert_int_equal(decoded.channel[0].dimm[0].ranks, 1);
    assert_int_equal(decoded.channel[0].dimm[0].device_width, 8);
    assert_int_equal(decoded.channel[0].dimm[1].bytes, 0);
    assert_int_equal(decoded.channel[0].ecc, DECODED_ECC_OFF);
    assert_int_equal(decoded.channel[0].timing.cl, 42);
    assert_int_equal(decoded.channel[0].timing.rcd, 41);
    assert_int_equal(decoded.channel[0].timing.rp, 40);
    assert_int_equal(decoded.channel[0].timing.ras, 84);
    assert_int_equal(decoded.channel[0].timing.command_rate, 2);
    assert_int_equal(decoded.channel[0].timing.mts, 5200);
    dram_map_functions(&decoded.map, &decoded.map.zone[0], &f);
    assert_int_equal(f.n, 6);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(f.function[i], published[i + 1]);
    assert_int_equal(f.function[5], published[0]);
    p = place_of(0x123456780);
    assert_int_equal(p.subchannel, 0);
    assert_int_equal(p.bank, 8);
    assert_int_equal(p.row, 0x48d1);
    assert_int_equal(p.column, 0x170);
    assert_there_and_back(2000, 1);
}

/* P. Jattke et al., "ZenHammer", USENIX Security 2024; "Phoenix", 2025; heechul/drama; FlippyRAM.
 */
TEST(published_maps)
{
    static const uint64_t zen_plus_1r[] = { 0x22228000, 0x4450000, 0x8883fc0, 0x11104000 };
    static const uint64_t zen_plus_2r[] = { 0x3ffe0000, 0x22204000, 0x4448000, 0x8890000,
                                            0x11103fc0 };
    static const uint64_t zen2_1r[] = { 0x4450000, 0x2228000, 0x11104000, 0x8883fc0 };
    static const uint64_t zen2_2r[] = { 0x1ffe0000, 0x4448000, 0x2204000, 0x11103fc0, 0x8890000 };
    static const uint64_t ryzen_3900x[] = { 0x4000, 0x48000, 0x90000, 0x103fc0, 0x138000 };
    static const uint64_t zen4_2r[] = { 0x40000,     0x7fff80040, 0x84200100, 0x108400200,
                                        0x210801000, 0x421080400, 0x42100800 };
    static const uint64_t zen4_x16[] = { 0x3ffe0040, 0x8880100, 0x11100200, 0x22220400, 0x4440800 };
    static const uint64_t ryzen_9900x[] = { 0x100,     0x80000,    0x2100800,  0x4201000,
                                            0x8400200, 0x10800400, 0x21002000, 0x3e40 };
    struct channel c2 = zen2_two_ranks(), c4 = zen4_two_ranks();
    struct channel x16 = {
        .is_ddr5 = true,
        .base = { 1 },
        .mask = 0x01fffffe,
        .config = 0x00150608,
        .select = 0x05004365,
        .column = { 0xcba53210, 0xa9876087 },
        .rank = 0x00010000,
        .bank_hash = { 0x04444001, 0x08888001, 0x11110001, 0x22220001 },
        .subchannel_hash = 0x3fffc001,
    };

    set_machine(DF2, &zen2_one_rank, 1, 8 * GIB);
    assert_null(decode(&summit_ridge));
    assert_span(zen_plus_1r, COUNT(zen_plus_1r), 30);
    mutations_run(decode_amd_zen, &summit_ridge, source);
    set_machine(DF2, &c2, 1, 16 * GIB);
    assert_null(decode(&summit_ridge));
    assert_span(zen_plus_2r, COUNT(zen_plus_2r), 30);
    mutations_run(decode_amd_zen, &summit_ridge, source);
    set_machine(DF3, &zen2_one_rank, 1, 8 * GIB);
    assert_null(decode(&matisse));
    assert_span(zen2_1r, COUNT(zen2_1r), 29);
    mutations_run(decode_amd_zen, &matisse, source);
    set_machine(DF3, &c2, 1, 16 * GIB);
    assert_null(decode(&matisse));
    assert_span(zen2_2r, COUNT(zen2_2r), 29);
    assert_span(ryzen_3900x, COUNT(ryzen_3900x), 21);
    mutations_run(decode_amd_zen, &matisse, source);
    assert_int_equal(decoded.channel[0].dimm[0].ranks, 2);
    set_machine(DF4, &c4, 1, 32 * GIB);
    assert_null(decode(&raphael));
    assert_span(zen4_2r, COUNT(zen4_2r), 35);
    mutations_run(decode_amd_zen, &raphael, source);
    set_machine(DF4, &x16, 1, 8 * GIB);
    assert_null(decode(&raphael));
    assert_span(zen4_x16, COUNT(zen4_x16), 30);
    mutations_run(decode_amd_zen, &raphael, source);
    set_machine(DF4, &c4, 2, 64 * GIB);
    assert_null(decode(&granite_ridge));
    assert_span(ryzen_9900x, COUNT(ryzen_9900x), 30);
    mutations_run(decode_amd_zen, &granite_ridge, source);
    assert_int_equal(place_of(0x100).channel, 1);
    assert_there_and_back(2000, 2);
    set_machine(DF2, &zen2_one_rank, 2, 16 * GIB); /* two channels, hashed */
    set_rule_of_all(DF2, 1, 2, &(struct rule){ 0, 16 * GIB, 8, 8, 0, 0, 0 });
    mutations_run(decode_amd_zen, &summit_ridge, source);
    assert_mutations();
}

/*
 * 5600G: its registers are not published. These, with the selects and hashes in another order than
 * those of other processors, are the only ones of this form whose functions are the published ones.
 */
TEST(published_maps_of_a_zen3_apu)
{
    static const uint64_t one[] = { 0x2220100, 0x4440200, 0x8880400, 0x1100800 };
    static const uint64_t two[] = { 0xffe0000, 0x4440100, 0x8880200, 0x1100400, 0x2200800 };
    struct channel c = {
        .base = { 1 },
        .mask = 0x01fffffe,
        .config = 0x00150608,
        .select = 0x05006543,
        .column = { 0xcba54321, 0x87 },
        .bank_hash = { 0x04444001, 0x08888001, 0x11110001, 0x22220001 },
    };

    set_machine(DF3, &c, 1, 8 * GIB);
    assert_null(decode(&cezanne));
    assert_span(one, COUNT(one), 28);
    assert_there_and_back(1000, 3);
    c.base[1] = 0x201;
    c.mask = 0x03fffdfe;
    c.select = 0x06006543;
    c.cs_hash[0] = 0x03fffc01;
    set_machine(DF3, &c, 1, 16 * GIB);
    assert_null(decode(&cezanne));
    assert_span(two, COUNT(two), 28);
    assert_there_and_back(1000, 4);
}

/* Ryzen 9 3950X with four modules of 8 GB (github.com/cyring/CoreFreq, issue 258). */
TEST(zen2_with_four_modules)
{
    struct channel c = zen2_one_rank;

    c.base[2] = 0x201;
    c.mask = 0x03fffdfe;
    c.select = 0x060098ba;
    set_machine(DF3, &c, 2, 32 * GIB);
    assert_null(decode(&matisse));
    for (unsigned channel = 0; channel < 2; channel++) {
        for (unsigned dimm = 0; dimm < 2; dimm++) {
            assert_int_equal(decoded.channel[channel].dimm[dimm].bytes, 8 * GIB);
            assert_int_equal(place_of(channel << 8 | dimm << 18).channel, channel);
            assert_int_equal(place_of(channel << 8 | dimm << 18).dimm, dimm);
        }
    }
    assert_there_and_back(2000, 3);
}

/* Renoir, four modules of two ranks, 16 GiB each (github.com/irusanov/ZenTimings, issue 26). */
TEST(zen2_apu_with_four_modules)
{
    static const struct channel c = {
        .base = { 0x001, 0x201, 0x401, 0x601 },
        .mask = 0x0ffff9fe,
        .config = 0x00150708,
        .select = 0x070c4365,
        .column = { 0xcba54321, 0xa9876587 },
    };

    set_machine(DF3, &c, 2, 128 * GIB);
    assert_null(decode(&renoir));
    for (unsigned cs = 0; cs < 4; cs++) {
        struct dram_place p = place_of((uint64_t)cs << 18 | 0x1fff000000);

        assert_int_equal(decoded.channel[1].dimm[cs / 2].bytes, 32 * GIB);
        assert_int_equal(decoded.channel[1].dimm[cs / 2].ranks, 2);
        assert_int_equal(p.dimm, cs >> 1);
        assert_int_equal(p.rank, cs & 1);
    }
    assert_int_equal(place_of(0x1500).bank, 8 | 2);
    assert_there_and_back(2000, 4);
}

/* ---- The vectors of illumos' decoder (usr/src/test/os-tests/tests/zen_umc), as numbers. ---- */

struct vector {
    uint64_t phys;
    unsigned channel, dimm, rank, bank; /* bank: << 2 | group with DDR4, << 3 with DDR5 */
    uint32_t row, column;
    unsigned subchannel;
};

static void assert_vectors(const struct vector *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct dram_place p = place_of(v[i].phys);

        assert_int_equal(p.channel, v[i].channel);
        assert_int_equal(p.dimm, v[i].dimm);
        assert_int_equal(p.rank, v[i].rank);
        assert_int_equal(p.bank, v[i].bank);
        assert_int_equal(p.row, v[i].row);
        assert_int_equal(p.column, v[i].column);
        assert_int_equal(p.subchannel, v[i].subchannel);
    }
    assert_there_and_back(500, n);
}

/* 16 GiB of one rank, x4. */
static const struct channel rdimm_16g = {
    .base = { 1 },
    .mask = 0x03fffffe,
    .config = 0x00150708,
    .select = 0x050098ba,
    .column = { 0x87654321, 0x43 },
};

/* 64 GiB of two ranks, one after the other; twice. */
static const struct channel rdimm_64g = {
    .base = { 0x00000001, 0x08000001, 0x10000001, 0x18000001 },
    .mask = 0x07fffffe,
    .config = 0x00150808,
    .select = 0x050098ba,
    .column = { 0x87654321, 0x43 },
};

/* The ranks in turn, at bits 17 and 18. */
static const struct channel in_turn = {
    .base = { 0x001, 0x201, 0x401, 0x601 },
    .mask = 0x1ffff9fe,
    .config = 0x00150808,
    .select = 0x0700ba98,
    .column = { 0x87654321, 0x43 },
};

static const struct channel ddr5_16g = {
    .is_ddr5 = true,
    .base = { 1 },
    .mask = 0x03fffffe,
    .config = 0x0025060c,
    .select = 0x06098cba,
    .column = { 0x87653210, 0x0043 },
    .rank = 0x00010000,
};

TEST(vectors_of_a_channel)
{
    static const struct vector one_rank[] = {
        { 0, 0, 0, 0, 0, 0, 0, 0 },
        { 0x123, 0, 0, 0, 0, 0, 0x24, 0 },
        { 0x5000, 0, 0, 0, 2 << 2, 0, 0x200, 0 },
        { 0x345678901, 0, 0, 0, 3, 0x1a2b3, 0x120, 0 },
        { 0x3ffffffff, 0, 0, 0, 15, 0x1ffff, 0x3ff, 0 },
    };
    static const struct vector two_modules[] = {
        { 0x800000000, 0, 0, 1, 0, 0, 0, 0 },
        { 0x876543210, 0, 0, 1, 1 << 2, 0x3b2a, 0x242, 0 },
        { 0x076543210, 0, 0, 0, 1 << 2, 0x3b2a, 0x242, 0 },
        { 0x1000000000, 0, 1, 0, 0, 0, 0, 0 },
        { 0x1800000000, 0, 1, 1, 0, 0, 0, 0 },
        { 0x0ff1ff120, 0, 0, 0, 15, 0x7f8f, 0x224, 0 },
        { 0x8ff4ff500, 0, 0, 1, 15, 0x7fa7, 0x2a0, 0 },
        { 0x10ff6ff700, 0, 1, 0, 15, 0x7fb7, 0x2e0, 0 },
        { 0x18ff8ff102, 0, 1, 1, 15, 0x7fc7, 0x220, 0 },
    };
    static const struct vector turns[] = {
        { 0x20000, 0, 0, 1, 0, 0, 0, 0 },
        { 0x40000, 0, 1, 0, 0, 0, 0, 0 },
        { 0x60000, 0, 1, 1, 0, 0, 0, 0 },
        { 0xe1be12e00, 0, 0, 0, 2 << 2 | 1, 0x1c37c, 0x1c0, 0 },
        { 0x1fffffffff, 0, 1, 1, 15, 0x3ffff, 0x3ff, 0 },
    };
    static const struct vector subchannels[] = {
        { 0, 0, 0, 0, 0, 0, 0, 0 },
        { 0x9999, 0, 0, 0, 1, 0, 0x336, 0 },
        { 0x99d9, 0, 0, 0, 1, 0, 0x336, 1 },
    };

    set_machine(DF3, &rdimm_16g, 1, 16 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(one_rank, COUNT(one_rank));
    set_machine(DF3, &rdimm_64g, 1, 128 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(two_modules, COUNT(two_modules));
    set_machine(DF3, &in_turn, 1, 128 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(turns, COUNT(turns));
    set_machine(DF4, &ddr5_16g, 1, 16 * GIB);
    assert_null(decode(&raphael));
    assert_vectors(subchannels, COUNT(subchannels));
}

TEST(vectors_of_hashes_in_a_channel)
{
    static const struct vector cs_hash[] = {
        { 0x20000, 0, 0, 1, 0, 0, 0, 0 },        { 0x60000, 0, 1, 1, 0, 0, 0, 0 },
        { 0x80000, 0, 0, 1, 0, 1, 0, 0 },        { 0x180000, 0, 1, 1, 0, 3, 0, 0 },
        { 0x100000, 0, 1, 0, 0, 2, 0, 0 },       { 0x18180000, 0, 0, 0, 0, 0x303, 0, 0 },
        { 0x181a0000, 0, 0, 1, 0, 0x303, 0, 0 }, { 0x181c0000, 0, 1, 0, 0, 0x303, 0, 0 },
        { 0x181e0000, 0, 1, 1, 0, 0x303, 0, 0 },
    };
    static const struct vector bank_hash[] = {
        { 0x8000, 0, 0, 0, 1 << 2, 0, 0, 0 },
        { 0x1a000, 0, 0, 0, 3 << 2 | 1, 0, 0, 0 },
        { 0x16000, 0, 0, 0, 2 << 2 | 3, 0, 0, 0 },
        { 0x79c000, 0, 0, 0, 1, 0xf, 0, 0 },
        { 0x7f9c000, 0, 0, 0, 3 << 2 | 2, 0xff, 0, 0 },
        { 0x7ff9c000, 0, 0, 0, 1, 0xfff, 0, 0 },
        { 0x71c000, 0, 0, 0, 0, 0xe, 0, 0 },
        { 0x71c118, 0, 0, 0, 0, 0xe, 0x23, 0 },
    };
    static const struct vector swapped[] = {
        { 0x4247, 0, 0, 0, 1 << 2 | 1, 0, 0x80, 0 },
        { 0xff6214247, 0, 0, 0, 1 << 2 | 1, 0x1fec4, 0x280, 0 },
    };
    struct channel c = in_turn;

    c.cs_hash[0] = 0x0aaaa801;
    c.cs_hash[1] = 0x15555001;
    set_machine(DF3, &c, 1, 128 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(cs_hash, COUNT(cs_hash));
    c = in_turn;
    c.bank_hash[0] = 0x11111 << 14 | 1;
    c.bank_hash[1] = 0x22222u << 14 | 1;
    c.bank_hash[2] = 0x4444 << 14 | 1;
    c.bank_hash[3] = 0x8888 << 14 | 1;
    set_machine(DF3, &c, 1, 128 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(bank_hash, COUNT(bank_hash));
    c = in_turn;
    c.select = 0x07006154;
    c.column[0] = 0xcba65321;
    c.column[1] = 0x87;
    set_machine(DF3, &c, 1, 128 * GIB);
    assert_null(decode(&matisse));
    assert_vectors(swapped, COUNT(swapped));
}

TEST(vectors_of_the_hole)
{
    static const uint64_t in_hole[] = { 0xb0000000, 0x80000000, 0xffffffff, 0xcba89754, 68 * GIB };
    static const struct vector v[] = {
        { 0x7fffffff, 3, 0, 0, 15, 0xfff, 0x3ff, 0 }, { 0x7ffffdff, 2, 0, 0, 15, 0xfff, 0x3ff, 0 },
        { 0x7ffffbff, 1, 0, 0, 15, 0xfff, 0x3ff, 0 }, { 0x7ffff9ff, 0, 0, 0, 15, 0xfff, 0x3ff, 0 },
        { 0x100000000, 0, 0, 0, 0, 0x1000, 0, 0 },    { 0x100000200, 1, 0, 0, 0, 0x1000, 0, 0 },
        { 0x100000400, 2, 0, 0, 0, 0x1000, 0, 0 },    { 0x100000600, 3, 0, 0, 0, 0x1000, 0, 0 },
    };
    struct dram_place p;

    begin(DF3, 1, 8);
    for (unsigned i = 0; i < 4; i++)
        set_channel(0, i, &rdimm_16g);
    set_hole(DF3, 0x80000000);
    set_rule_of_all(DF3, 1, 4, &(struct rule){ 0, 66 * GIB, 3, 9, 2, 0, 0 });
    assert_null(decode(&rome));
    assert_int_equal(decoded.n_channels, 4);
    for (size_t i = 0; i < COUNT(in_hole); i++)
        assert_false(dram_map_locate(&decoded.map, in_hole[i], &p));
    assert_vectors(v, COUNT(v));
}

/* Two modules of 64 GiB and two of 8 GiB; the second rule has an offset in one channel alone. */
TEST(vectors_of_unequal_channels)
{
    static const struct vector v[] = {
        { 0x12345603, 0, 0, 0, 2 << 2, 0x91a, 0x2c0, 0 },
        { 0x12345703, 0, 0, 0, 2 << 2, 0x91a, 0x2e0, 0 },
        { 0x1ba9876543, 0, 1, 1, 3 << 2 | 2, 0x19cc3, 0xa8, 0 },
        { 0x1ba9876643, 0, 1, 1, 3 << 2 | 2, 0x19cc3, 0xc8, 0 },
        { 0x1c70000000, 0, 1, 1, 0, 0x20000, 0, 0 },
        { 0x1c70000100, 1, 0, 0, 0, 0, 0, 0 },
        { 0x23456789ab, 1, 1, 0, 2 << 2 | 3, 0xdaac, 0x95, 0 },
        { 0x2345678aab, 0, 1, 1, 2 << 2 | 3, 0x3b559, 0xb5, 0 },
    };
    const struct rule first = { 0, 0x1c70000000, 0, 8, 2, 0, 0 };
    struct rule second = { 0x1c70000000, 0x2470000000, 1, 8, 0, 0, 0x1c00000000 };
    struct channel small = rdimm_16g;

    small.base[2] = 0x201;
    small.mask = 0x03fffdfe;
    small.config = 0x00150608;
    small.select = 0x060098ba; /* illumos' has the row begin at bit 17, which is the module's */
    begin(DF3, 1, 2);
    set_channel(0, 0, &rdimm_64g);
    set_channel(0, 1, &small);
    set_hole(DF3, 0x90000000);
    set_rule(DF3, 0, 0, 0, &first);
    set_rule(DF3, 0, 0, 1, &second);
    set_rule(DF3, 0, 1, 0, &second);
    assert_null(decode(&matisse));
    assert_int_equal(decoded.channel[0].dimm[1].bytes, 64 * GIB);
    assert_int_equal(decoded.channel[1].dimm[1].bytes, 8 * GIB);
    assert_vectors(v, COUNT(v));
    set_rule(DF3, 0, 1, 0, &first); /* now both have all of it */
    assert_non_null(decode(&matisse));
}

static void set_servers(enum revision revision, const struct rule *rule, unsigned nodes,
                        unsigned umcs)
{
    begin(revision, nodes, 12);
    for (unsigned node = 0; node < nodes; node++) {
        for (unsigned umc = 0; umc < umcs; umc++)
            set_channel(node, umc, &ddr5_16g);
    }
    set_rule_of_all(revision, nodes, umcs, rule);
}

/* Channels of the second socket follow those of the first. */
TEST(vectors_of_df4)
{
    static const struct vector nps8[] = {
        { 0x123, 0, 0, 0, 0, 0, 0x28, 0 },
        { 0x323, 8, 0, 0, 0, 0, 0x28, 0 },
        { 0x1123, 1, 0, 0, 0, 0, 0x28, 0 },
        { 0x1323, 9, 0, 0, 0, 0, 0x28, 0 },
        { 0x2123, 2, 0, 0, 0, 0, 0x28, 0 },
        { 0x4323, 12, 0, 0, 0, 0, 0x28, 0 },
        { 0x7123, 7, 0, 0, 0, 0, 0x28, 0 },
        { 0x7323, 15, 0, 0, 0, 0, 0x28, 0 },
        { 0x17323, 7, 0, 0, 0, 0, 0x228, 0 },
        { 0x217323, 15, 0, 0, 4, 0, 0x228, 0 },
        { 0x40217323, 7, 0, 0, 4, 0x100, 0x228, 0 },
        { 0x240217323, 3, 0, 0, 4, 0x900, 0x228, 0 },
        { 0x240617323, 2, 0, 0, 4, 0x901, 0x228, 0 },
        { 0x240687323, 14, 0, 0, 5, 0x901, 0x28, 0 },
        { 0x2c0687323, 15, 0, 0, 5, 0xb01, 0x28, 0 },
    };
    static const struct vector nps2[] = {
        { 0x167, 0, 0, 0, 0, 0, 0x29, 1 },
        { 0x367, 1, 0, 0, 0, 0, 0x29, 1 },
        { 0x4167, 1, 0, 0, 1 << 3, 0, 0x29, 1 },
        { 0x14167, 0, 0, 0, 1 << 3 | 1, 0, 0x29, 1 },
        { 0x40014167, 1, 0, 0, 1 << 3 | 1, 0x800, 0x29, 1 },
        { 0x214167, 1, 0, 0, 1 << 3 | 1, 4, 0x29, 1 },
        { 0x40214167, 0, 0, 0, 1 << 3 | 1, 0x804, 0x29, 1 },
    };

    set_servers(DF4, &(struct rule){ 0, 256 * GIB, 0x12, 9, 0x700, 1, 0 }, 2, 8);
    assert_null(decode(&genoa));
    assert_int_equal(decoded.n_channels, 16);
    assert_int_equal(decoded.channel[8].node, 1);
    assert_int_equal(decoded.channel[8].controller, 0);
    assert_vectors(nps8, COUNT(nps8));
    set_servers(DF4, &(struct rule){ 0, 32 * GIB, 0x10, 9, 0x700, 0, 0 }, 1, 2);
    assert_null(decode(&genoa));
    assert_vectors(nps2, COUNT(nps2));
}

TEST(vectors_of_df45)
{
    static const struct vector eight_2k[] = {
        { 0x7123, 15, 0, 0, 0, 0, 0x08, 0 },         { 0x10023, 8, 0, 0, 0, 0, 0x208, 0 },
        { 0x10123, 0, 0, 0, 0, 0, 0x208, 0 },        { 0x20023, 0, 0, 0, 1 << 3, 0, 8, 0 },
        { 0x27023, 7, 0, 0, 1 << 3, 0, 8, 0 },       { 0x227023, 15, 0, 0, 1 << 3 | 4, 0, 8, 0 },
        { 0x427023, 7, 0, 0, 1 << 3, 1, 8, 0 },      { 0x627023, 15, 0, 0, 1 << 3 | 4, 1, 8, 0 },
        { 0x827023, 6, 0, 0, 1 << 3, 2, 8, 0 },      { 0xc27023, 6, 0, 0, 1 << 3, 3, 8, 0 },
        { 0xf27023, 10, 0, 0, 1 << 3 | 6, 3, 8, 0 },
    };
    static const struct vector two_1k[] = {
        { 0x042, 0, 0, 0, 0, 0, 0, 1 },
        { 0x142, 1, 0, 0, 0, 0, 0, 1 },
        { 0x242, 0, 0, 0, 0, 0, 0x20, 1 },
        { 0x342, 1, 0, 0, 0, 0, 0x20, 1 },
        { 0x10042, 1, 0, 0, 1, 0, 0, 1 },
        { 0x10142, 0, 0, 0, 1, 0, 0, 1 },
        { 0x210042, 0, 0, 0, 1, 4, 0, 1 },
        { 0x4210142, 1, 0, 0, 1, 0x84, 0, 1 },
        { 0xbbadcafe, 0, 0, 0, 3 << 3 | 5, 0x1775, 0xbf, 1 },
        { 0xbbadcbfe, 1, 0, 0, 3 << 3 | 5, 0x1775, 0xbf, 1 },
    };
    static const struct {
        uint64_t phys;
        unsigned channel;
    } four_1k[] = { { 0x99, 0 }, { 0x199, 1 }, { 0x299, 2 }, { 0x399, 3 } };

    set_servers(DF45, &(struct rule){ 0, 256 * GIB, 0x23, 8, 0x700, 1, 0 }, 2, 8);
    assert_null(decode(&turin));
    assert_vectors(eight_2k, COUNT(eight_2k));
    set_servers(DF45, &(struct rule){ 0, 32 * GIB, 0x10, 8, 0x700, 0, 0 }, 1, 2);
    assert_null(decode(&turin));
    assert_vectors(two_1k, COUNT(two_1k));
    set_servers(DF45, &(struct rule){ 0, 64 * GIB, 0x11, 8, 0x8700, 0, 0 }, 1, 4);
    assert_null(decode(&turin));
    for (size_t i = 0; i < COUNT(four_1k); i++)
        assert_int_equal(place_of(four_1k[i].phys).channel, four_1k[i].channel);
    assert_int_equal(decoded.map.zone[0].function[0], 0x10040210100);
    assert_int_equal(decoded.map.zone[0].function[1], 0x20080420200);
}

TEST(vectors_of_remap)
{
    static const unsigned first[] = { 3, 2, 1, 0 }, second[] = { 2, 1, 3, 0 };
    const struct rule low = { 0, 32 * GIB, 3, 12, 0x10, 0, 0 };
    const struct rule high = { 32 * GIB, 64 * GIB, 3, 12, 0x30, 0, 0x200000000 };

    begin(DF4, 1, 12);
    for (unsigned umc = 0; umc < 4; umc++) {
        set_channel(0, umc, &ddr5_16g);
        set_rule(DF4, 0, umc, 0, &low);
        set_rule(DF4, 0, umc, 1, &high);
        set_df(0, umc, 7, 0x180, 0x76540123);
        set_df(0, umc, 7, 0x188, 0x76540312);
    }
    assert_null(decode(&genoa));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(place_of(0x163 + 0x1000 * i).channel, first[i]);
        assert_int_equal(place_of(0x900000163 + 0x1000 * i).channel, second[i]);
        assert_int_equal(place_of(0x900000163 + 0x1000 * i).row, 0x240000163 >> 18);
    }
    assert_there_and_back(1000, 5);
}

/* ---- More of the fabric. ---- */

/* DF 4 hashes the address without the hole, DF 4.5 with it. */
TEST(hash_and_hole)
{
    const struct rule four = { 0, 34 * GIB, 0x10, 9, 0x702, 0, 0 };
    const struct rule four_five = { 0, 34 * GIB, 0x10, 8, 0x702, 0, 0 };
    struct dram_functions f;
    struct dram_place p;

    set_servers(DF4, &four, 1, 2);
    set_hole(DF4, 0x80000000);
    assert_null(decode(&genoa));
    assert_int_equal(place_of(0x100000000).channel, 0); /* 0x80000000 */
    assert_int_equal(place_of(0x140000000).channel, 1); /* 0xc0000000 */
    assert_int_equal(place_of(0x180000000).channel, 0);
    assert_false(dram_map_locate(&decoded.map, 0x80000000, &p));
    assert_false(dram_map_locate(&decoded.map, 0xffffffff, &p));
    assert_false(dram_map_locate(&decoded.map, 34 * GIB, &p));
    assert_there_and_back(1000, 6);
    set_servers(DF4, &(struct rule){ 0, 34 * GIB, 0x10, 9, 0x702, 0, 0 }, 1, 2);
    set_hole(DF4, 0xf0000000); /* not of a size that the modules have */
    assert_non_null(decode(&genoa));
    set_servers(DF45, &four_five, 1, 2);
    set_hole(DF45, 0xc0000000 - 0x40000000);
    assert_null(decode(&turin));
    assert_int_equal(place_of(0x140000000).channel, 1);
    assert_there_and_back(1000, 7);
    set_servers(DF45, &(struct rule){ 0, 33 * GIB, 0x10, 8, 0x702, 0, 0 }, 1, 2);
    set_hole(DF45, 0xc0000000);
    assert_null(decode(&turin));
    assert_int_equal(decoded.map.n_zones, 2);
    assert_int_equal(decoded.map.zone[1].gap, GIB);
    dram_map_functions(&decoded.map, &decoded.map.zone[1], &f);
    assert_true(f.all_linear); /* by what timing counts, too */
    assert_there_and_back(1000, 8);
    set_servers(DF4, &(struct rule){ GIB, 33 * GIB, 0x10, 9, 0x700, 0, 0 }, 1, 2);
    assert_string_equal(decode(&genoa), "several ranges of addresses are hashed apart");
}

TEST(hash_of_df2)
{
    set_machine(DF2, &zen2_one_rank, 2, 16 * GIB);
    set_rule_of_all(DF2, 1, 2, &(struct rule){ 0, 16 * GIB, 8, 8, 0, 0, 0 });
    assert_null(decode(&summit_ridge));
    assert_int_equal(decoded.map.zone[0].function[0], 0x40241100);
    assert_there_and_back(1000, 8);
}

/* Up to 1 TiB, and from there on. */
TEST(hole_below_a_tib)
{
    struct channel big = ddr5_16g;
    struct dram_place p;

    big.mask = 0xfffffffe; /* 1 TiB */
    big.config = 0x00250c0c;
    begin(DF45, 1, 12);
    set_channel(0, 0, &big);
    set_umc(0, 0, 0xb20, 1);
    set_umc(0, 0, 0x20, 0xfffffffe);
    set_rule(DF45, 0, 0, 0, &(struct rule){ 0, 2048 * GIB, 0, 8, 0, 0, 0 });
    set_umc(0, 0, 0x40, 0x00290d0c - 0x40000);
    assert_non_null(decode(&turin)); /* more rows than a map has */
    set_channel(0, 0, &ddr5_16g);
    set_umc(0, 0, 0xb00, 0xff);
    set_umc(0, 0, 0, 0x00000001);
    set_rule(DF45, 0, 0, 0, &(struct rule){ 1020 * GIB, 1036 * GIB, 0, 8, 0, 0, 0 });
    set_umc(0, 0, 0xb00, 0);
    set_umc(0, 0, 0xb20, 0);
    assert_null(decode(&turin));
    assert_int_equal(decoded.map.n_zones, 1);
    assert_false(dram_map_locate(&decoded.map, 1023 * GIB, &p));
    assert_int_equal(place_of(1024 * GIB).row, 4 * GIB >> 18);
}

TEST(reasons)
{
    static const struct {
        enum revision revision;
        unsigned mode;
        const struct cpu_model *cpu;
        const char *reason; /* a word of it; NULL: it is known */
    } cases[] = {
        { DF3, 1, &matisse, NULL },      { DF3, 0xc, &matisse, "disagree" },
        { DF3, 0xd, &rome, "disagree" }, { DF3, 0xe, &rome, "disagree" },
        { DF3, 6, &rome, "modulo" },     { DF3, 2, &rome, "modulo" },
        { DF3, 1, &milan, "disagree" },  { DF35, 1, &rembrandt, "type" },
        { DF2, 8, &summit_ridge, NULL }, { DF2, 0xc, &summit_ridge, "modulo" },
        { DF4, 1, &raphael, "type" },
    };
    struct channel c = hynix_16gb;

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(cases[i].revision, 1, 8);
        set_channel(0, 0, &zen2_one_rank);
        set_channel(0, 1, &zen2_one_rank);
        set_rule_of_all(cases[i].revision, 1, 2,
                        &(struct rule){ 0, 16 * GIB, cases[i].mode, 8, 0, 0, 0 });
        decode(cases[i].cpu);
        if (!cases[i].reason)
            assert_null(decoded.unknown);
        else
            assert_non_null(strstr(decoded.unknown, cases[i].reason));
        assert_true(decoded.unknown || decoded.map.n_zones);
        assert_true(!decoded.unknown || !decoded.map.n_zones);
    }
    set_machine(DF4, &c, 2, 32 * GIB);
    assert_null(decode(&raphael));
    set_umc(0, 1, 0x100, 0x80000006); /* LPDDR5 */
    assert_non_null(strstr(decode(&raphael), "LPDDR"));
    assert_int_equal(decoded.n_channels, 2);
    assert_int_equal(decoded.channel[1].dimm[0].bytes, 16 * GIB);
    assert_int_equal(decoded.channel[1].timing.mts, 0);
    set_umc(0, 1, 0x100, 0x80000001);
    set_umc(0, 1, 0xc4, 3);
    assert_non_null(strstr(decode(&raphael), "subchannels"));
}

/* One register each that makes a machine impossible. */
TEST(contradictions)
{
    static const struct {
        uint8_t space;
        uint16_t unit;
        uint32_t offset, value;
    } cases[] = {
        { REGISTER_SMN, 0, 0x50020, 0x01fffffe },             /* half of the size */
        { REGISTER_SMN, 0, 0x50020, 0x03ff0ffe },             /* a mask with holes */
        { REGISTER_SMN, 0, 0x50020, 0 },                      /* none */
        { REGISTER_SMN, 0, 0x50020, UINT32_MAX },             /* no answer */
        { REGISTER_SMN, 0, 0x50004, 0x1 },                    /* two with the same addresses */
        { REGISTER_SMN, 0, 0x50040, 0x0035060c },             /* 6 bank bits, 5 selects */
        { REGISTER_SMN, 0, 0x50040, 0x002f060c },             /* 20 columns */
        { REGISTER_SMN, 0, 0x50040, 0x00250f0c },             /* 25 rows */
        { REGISTER_SMN, 0, 0x50040, 0x0025067c },             /* 7 bits of dies */
        { REGISTER_SMN, 0, 0x50050, 0x06074366 },             /* a bank's bit twice */
        { REGISTER_SMN, 0, 0x50050, 0x0f074365 },             /* rows beyond the end */
        { REGISTER_SMN, 0, 0x50060, 0xdcb53211 },             /* a column's bit twice */
        { REGISTER_SMN, 0, 0x500c8, 0x03fffc01 },             /* a rank that is not there */
        { REGISTER_SMN, 0, 0x50000, 0x02000001 | 0x4000000 }, /* begins beyond the rule */
        { REGISTER_DF, 0, 0x0044, 0x01000003 },               /* no memory controller */
        { REGISTER_DF, 0, 0x0044, UINT32_MAX },               /* no answer */
        { REGISTER_DF, 0, 0x0050, 0x100 },                    /* another's number */
        { REGISTER_DF, 0, 0x7e00, 1 },                        /* begins elsewhere for one of two */
        { REGISTER_DF, 0, 0x7e04, 0xfffff },                  /* more than there is */
        { REGISTER_DF, 0, 0x7e08, 0x00010001 },               /* two controllers from number 1 on */
        { REGISTER_DF, 0, 0x7e08, 0 },                        /* no rule, but for the other */
        { REGISTER_DF, 0, 0x7e0c, 0x11 },                     /* another bit than the other's */
        { REGISTER_DF, 0, 0x7e0c, 0x17 },                     /* bit 15 */
        { REGISTER_DF, 0, 0x7e0c, 0x1011 },                   /* dies */
        { REGISTER_DF, 0xff, 0x0040, 0x05000000 },            /* not known yet */
        { REGISTER_DF, 0xff, 0x0040, UINT32_MAX },            /* no answer */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        set_machine(DF4, &hynix_16gb, 2, 32 * GIB);
        assert_null(decode(&raphael));
        set(cases[i].space, cases[i].unit, cases[i].offset, cases[i].value);
        if (!decode(&raphael))
            fail_msg("case %zu is not noticed", i);
        assert_int_equal(decoded.map.n_zones, 0);
    }
}

TEST(modules_without_a_rule)
{
    set_machine(DF4, &hynix_16gb, 1, 16 * GIB);
    set_channel(0, 1, &hynix_16gb);
    assert_non_null(decode(&raphael));
    assert_int_equal(decoded.n_channels, 2);
}

/* A module of 12 GiB has a range of 8 GiB and one of 4 GiB. */
TEST(module_that_is_no_power_of_two)
{
    struct channel c = hynix_16gb;

    set_machine(DF4, &c, 1, 12 * GIB);
    set_umc(0, 0, 0x20, 0x01fffffe);
    set_umc(0, 0, 0x10, 0x02000001);
    set_umc(0, 0, 0x30, 0x00fffffe);
    assert_null(decode(&raphael));
    assert_int_equal(decoded.channel[0].dimm[0].bytes, 12 * GIB);
    assert_int_equal(place_of(12 * GIB - 4).row, 0xbfff);
    assert_there_and_back(1000, 9);
    set_umc(0, 0, 0x80, c.rank | 1u << 30); /* row bit 14 is inverted in the second range alone */
    assert_null(decode(&raphael));
    assert_int_equal(place_of(12 * GIB - 4).row, 0xffff);
    assert_int_equal(place_of(8 * GIB - 4).row, 0x7fff);
    set_rule_of_all(DF4, 1, 1, &(struct rule){ 0, 13 * GIB, 0, 8, 0, 0, 0 });
    assert_non_null(decode(&raphael));
}

/* The upper bits of the row, inverted in a rank, are in the banks' hashes as they then are. */
TEST(inverted_rows)
{
    struct channel c = zen4_two_ranks();

    set_machine(DF4, &c, 1, 32 * GIB);
    set_umc(0, 0, 0x84, 0x00010000 | 2u << 28);
    assert_null(decode(&raphael));
    assert_int_equal(place_of(0).row, 0);
    assert_int_equal(place_of(BIT(18)).rank, 1);
    assert_int_equal(place_of(BIT(18)).row, 0x8000);
    assert_int_equal(place_of(BIT(18)).bank, 1); /* 0x21084001: row bit 15 */
    assert_int_equal(place_of(BIT(18)).subchannel, 1);
    assert_int_equal(place_of(BIT(18) | BIT(34)).row, 0);
    assert_int_equal(place_of(BIT(18) | BIT(34)).bank, 0);
    assert_there_and_back(1000, 10);
}

TEST(exchanged_selects)
{
    struct channel c = zen4_two_ranks();

    c.config |= 2u << 30; /* the second module's pins */
    set_machine(DF4, &c, 1, 32 * GIB);
    assert_null(decode(&raphael));
    assert_int_equal(decoded.channel[0].dimm[0].bytes, 0);
    assert_int_equal(decoded.channel[0].dimm[1].bytes, 32 * GIB);
    assert_int_equal(place_of(BIT(18)).dimm, 1);
    assert_int_equal(place_of(BIT(18)).rank, 1);
}

/* Four dies in a stack: banks more. */
TEST(stacked_dies)
{
    struct channel c = ddr5_16g;

    c.mask = 0x0ffffffe;
    c.config = 0x0025062c;
    c.select = 0x08098cba;            /* rows from bit 20 */
    c.rank = 0x00010000 | 6 | 7 << 4; /* dies by bits 18 and 19 */
    set_servers(DF4, &(struct rule){ 0, 16 * GIB, 0, 8, 0, 0, 0 }, 1, 1);
    set_channel(0, 0, &c);
    set_rule(DF4, 0, 0, 0, &(struct rule){ 0, 64 * GIB, 0, 8, 0, 0, 0 });
    assert_null(decode(&genoa));
    assert_int_equal(decoded.channel[0].dimm[0].bytes, 64 * GIB);
    assert_int_equal(decoded.channel[0].dimm[0].ranks, 1);
    assert_int_equal(place_of(BIT(18)).bank, 1 << 5);
    assert_int_equal(place_of(BIT(19)).bank, 1 << 6);
    assert_there_and_back(1000, 11);
}

TEST(ecc_and_population)
{
    set_machine(DF4, &hynix_16gb, 2, 32 * GIB);
    set_umc(0, 0, 0xdf4, 1u << 30);
    set_umc(0, 0, 0x100, 0x80001001);
    set_umc(0, 0, 0x90, 0x80);
    set_umc(0, 1, 0x90, 0x40);
    assert_null(decode(&raphael));
    assert_int_equal(decoded.channel[0].ecc, DECODED_ECC_ON);
    assert_int_equal(decoded.channel[0].dimm[0].device_width, 16);
    assert_int_equal(decoded.channel[1].ecc, DECODED_ECC_OFF);
    assert_int_equal(decoded.channel[1].dimm[0].device_width, 4);
    set_umc(0, 0, 0, 0); /* no module */
    set_df(0, 1, 7, 0xe0c, 0);
    set_df(0, 1, 7, 0xe08, 0x00010001);
    set_df(0, 1, 7, 0xe04, 63);
    assert_null(decode(&raphael));
    assert_int_equal(decoded.n_channels, 1);
    assert_int_equal(decoded.channel[0].controller, 1);
    set_umc(0, 1, 0x104, 0); /* and this one is not in use */
    assert_non_null(decode(&raphael));
    assert_int_equal(decoded.n_channels, 0);
}

TEST(speed_of_ddr4)
{
    static const struct {
        uint32_t clock, mts;
    } speeds[] = { { 0x20, 2133 }, { 0x24, 2400 }, { 0x28, 2666 }, { 0x2c, 2933 }, { 0x30, 3200 } };

    for (size_t i = 0; i < COUNT(speeds); i++) {
        set_machine(DF3, &zen2_one_rank, 1, 8 * GIB);
        set_umc(0, 0, 0x200, speeds[i].clock | 1 << 10);
        set_umc(0, 0, 0x204, 16 | 36 << 8 | 18 << 16);
        set_umc(0, 0, 0x208, 19 << 16);
        assert_null(decode(&matisse));
        assert_int_equal(decoded.channel[0].timing.mts, speeds[i].mts);
        assert_int_equal(decoded.channel[0].timing.cl, 16);
        assert_int_equal(decoded.channel[0].timing.rcd, 18);
        assert_int_equal(decoded.channel[0].timing.rp, 19);
        assert_int_equal(decoded.channel[0].timing.ras, 36);
        assert_int_equal(decoded.channel[0].timing.command_rate, 2);
    }
}

/* Its data fabric says how many controllers there are. */
TEST(controllers_counted_by_the_fabric)
{
    begin(DF45, 1, 4);
    for (unsigned i = 0; i < 4; i++)
        set_channel(0, i, &hynix_16gb);
    set_rule_of_all(DF45, 1, 4, &(struct rule){ 0, 64 * GIB, 3, 8, 0, 0, 0 });
    assert_null(decode(&strix));
    assert_int_equal(decoded.n_channels, 4);
    assert_there_and_back(500, 12);
    set_df(0, 2, 0, 0x44, 0x02000044);
    decode(&strix);
    assert_int_equal(decoded.n_channels, 2);
}

TEST(other_processors)
{
    static const struct cpu_model others[] = { { CPU_VENDOR_INTEL, 6, 0x9e, 9 },
                                               { CPU_VENDOR_AMD, 0x15, 2, 0 },
                                               { CPU_VENDOR_OTHER, 0x17, 1, 0 } };
    static const struct cpu_model secret[] = { { CPU_VENDOR_AMD, 0x1a, 0x70, 0 },
                                               { CPU_VENDOR_AMD, 0x1a, 0x50, 0 },
                                               { CPU_VENDOR_AMD, 0x17, 0x90, 0 },
                                               { CPU_VENDOR_HYGON, 0x18, 4, 0 },
                                               { CPU_VENDOR_AMD, 0x1b, 0, 0 } };

    memset(&played, 0, sizeof(played)); /* not one register is read */
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(decode_amd_zen(&others[i], &source, &decoded));
    for (size_t i = 0; i < COUNT(secret); i++) {
        assert_non_null(strstr(decode(&secret[i]), "no public source"));
        assert_string_equal(decoded.family, "AMD Zen");
        assert_int_equal(decoded.n_channels, 0);
    }
    assert_non_null(decode(&raphael)); /* no node answers */
}

/* ---- Registers that nobody wrote. ---- */

static void set_one_of_the_machines(uint64_t *seed)
{
    struct channel c2 = zen2_two_ranks(), c4 = zen4_two_ranks();

    switch (splitmix_next(seed) % 6) {
    case 0: set_machine(DF4, &hynix_16gb, 2, 32 * GIB); break;
    case 1: set_machine(DF4, &c4, 2, 64 * GIB); break;
    case 2: set_machine(DF45, &c4, 1, 32 * GIB); break;
    case 3: set_machine(DF3, &c2, 2, 32 * GIB); break;
    case 4: set_machine(DF2, &in_turn, 2, 256 * GIB); break;
    default:
        set_machine(DF3, &rdimm_64g, 1, 128 * GIB);
        set_hole(DF3, 0xc0000000);
        set_rule(DF3, 0, 0, 0, &(struct rule){ 0, 129 * GIB, 0, 8, 2, 0, 0 });
    }
}

static void mutate(uint64_t *seed)
{
    unsigned n = 1 + splitmix_next(seed) % 4;

    for (unsigned i = 0; i < n; i++) {
        uint32_t *value = &played.word[1 + splitmix_next(seed) % played.n].value;
        uint64_t random = splitmix_next(seed);

        *value = random >> 60 == 0   ? (uint32_t)random
                 : random >> 60 == 1 ? UINT32_MAX
                                     : *value ^ 1u << random % 32;
    }
}

/* Either there is no map, with a reason, or addresses come back. */
TEST(random_registers)
{
    static const struct cpu_model *const cpus[] = { &summit_ridge, &renoir, &matisse,      &raphael,
                                                    &rembrandt,    &strix,  &granite_ridge };
    uint64_t seed = 42, digest = 0;
    unsigned n_maps = 0, n_random = 0, n = 200000 / UNIT_STEP(5);

    for (unsigned i = 0; i < n; i++) {
        const struct cpu_model *cpu = cpus[splitmix_next(&seed) % COUNT(cpus)];

        set_one_of_the_machines(&seed);
        if (i % 8) {
            mutate(&seed);
        } else { /* all of it, but for what says that there is a machine */
            memset(&played, 0, sizeof(played));
            played.nodes = 1;
            played.random = splitmix_next(&seed) | 1;
            set_df(0, 0xff, 0, 0, 0x14601022);
            n_random++;
        }
        played.umcs = 16;
        decode(cpu);
        assert_true(decoded.n_channels <= DRAM_CHANNELS_MAX);
        assert_true(!decoded.unknown == !!decoded.map.n_zones);
        digest_add_decoded(&digest, &decoded);
        if (decoded.unknown)
            continue;
        n_maps++;
        assert_there_and_back(4, seed);
    }
    print_message("%u maps, %u random sets\n", n_maps, n_random);
    assert_true(n_maps > n / 20);
    assert_int_equal(digest,
                     n == 200000 ? UINT64_C(0x0af1f7c52fa166d3) : UINT64_C(0xf7315bb711c4dad9));
}

/* As Linux's amd64_edac has them: of a model that is not listed no controller may be read. */
TEST(controllers_of_each_model)
{
    static const struct {
        uint8_t family, first, last, umcs;
    } models[] = {
        { 0x17, 0x00, 0x2f, 2 },  { 0x17, 0x30, 0x3f, 8 },  { 0x17, 0x60, 0x7f, 2 },
        { 0x18, 0x00, 0x03, 2 },  { 0x19, 0x00, 0x0f, 8 },  { 0x19, 0x10, 0x1f, 12 },
        { 0x19, 0x20, 0x2f, 2 },  { 0x19, 0x40, 0x4f, 4 },  { 0x19, 0x50, 0x6f, 2 },
        { 0x19, 0x70, 0x7f, 4 },  { 0x19, 0xa0, 0xaf, 12 }, { 0x1a, 0x00, 0x1f, 12 },
        { 0x1a, 0x40, 0x4f, 2 },  { 0x1a, 0x50, 0x57, 16 }, { 0x1a, 0x90, 0xaf, 8 },
        { 0x1a, 0xc0, 0xc7, 16 },
    };

    for (uint32_t i = 0; i < 5 * 256; i++) {
        const struct cpu_model cpu = { CPU_VENDOR_AMD, 0x16 + i / 256, i % 256, 0 };
        unsigned umcs = 0;

        for (size_t k = 0; k < COUNT(models); k++)
            if (models[k].family == cpu.family && cpu.model >= models[k].first &&
                cpu.model <= models[k].last)
                umcs = models[k].umcs;
        assert_int_equal(amd_umcs(&cpu), umcs);
    }
}
