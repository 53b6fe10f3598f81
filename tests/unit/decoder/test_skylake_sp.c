// SPDX-License-Identifier: MIT
#include "decoder/decoder_checks.h"
#include "decoder/mutations.h"

#define ROUTE     0x29408208u /* target 2 * channel + controller */
#define TWO_RANKS 0x9110u     /* x8, 16 rows, 10 columns: 16 GiB */
#define OPEN      0x204u      /* MCMTR: ECC, banks are hashed; */
#define CLOSED    0x205u      /* pages are closed after use */

static struct register_list list;
static struct decoded_controller c;
static uint64_t low_end = 2 * GIB; /* up to where there is memory below 4 GiB */

static void put(unsigned bus, unsigned device, unsigned number, unsigned offset, uint64_t value)
{
    char text[REGISTER_TEXT_MAX];

    snprintf(text, sizeof(text), "pci.%x.%x=%x", bus << 8 | device << 3 | number, offset,
             (uint32_t)value);
    set(&list, text);
}

/* A channel with a module of two ranks, which alternate. */
static void put_channel(unsigned bus, unsigned device, unsigned number, unsigned id, uint32_t mcmtr)
{
    put(bus, device, number, 0, id << 16 | 0x8086);
    put(bus, device, number, 0x80, TWO_RANKS);
    put(bus, device, number, 0x84, 0);
    put(bus, device, number, 0x8c, 0);
    put(bus, device, number, 0x400, 0);
    put(bus, device, number, 0x87c, mcmtr);
    put(bus, device, number, 0x108, 1u << 31 | 1 << 28 | 31 << 1);
    put(bus, device, number + 2, 0, (id + 2) << 16 | 0x8086); /* its counters */
    for (unsigned i = 1; i < 4; i++)
        put(bus, device, number, 0x108 + 4 * i, 0);
    put(bus, device, number, 0x120, 0);
    put(bus, device, number, 0x130, 1 << 16);
    put(bus, device, number, 0x90, 0);
    put(bus, device, number, 0x94, (4 * GIB - low_end) >> 26 << 4);
}

/*
 * How a socket's addresses below `low_end`, and from 4 GiB up to `end`, are shared: by channels
 * from bit 8 on, by controllers from bit 12 on, by sockets above.
 */
static void put_socket(unsigned index, unsigned channels, uint64_t end, uint32_t how,
                       uint32_t targets, uint32_t ways, uint32_t mcmtr)
{
    unsigned first = 0x40 * index, system = first + 0x16, memory = first + 0x17;

    put(first, 8, 2, 0, 0x20168086);
    put(first, 8, 2, 0xcc, memory << 16 | system << 8);
    put(system, 29, 1, 0xf0, index << 12);
    put(system, 14, 0, 0, 0x208e8086);
    put(system, 14, 0, 0xb4, 0);
    put(system, 14, 1, 0, 0x208e8086);
    put(system, 14, 1, 0xb4, ROUTE);
    for (unsigned i = 0; i < 24; i++)
        put(system, 29, 0, 0x60 + 8 * i,
            i > 1 ? 0 : how | ((i ? end : low_end) / BIT(26) - 1) << 7);
    for (unsigned i = 0; i < 2; i++)
        put(system, 29, 0, 0x64 + 8 * i, targets);
    for (unsigned m = 0; m < 2; m++) {
        for (unsigned i = 0; i < 8; i++) {
            put(memory, 10 + 2 * m, 0, 0x850 + 4 * i,
                i == 1 ? 4 * GIB / BIT(26) << 12 | 0x60
                : i    ? 0
                       : 0x60);
            put(memory, 10 + 2 * m, 0, 0x880 + 4 * i,
                i > 1 ? 0 : ((i ? end : low_end) / BIT(26) - 1) << 12 | ways);
        }
        for (unsigned k = 0; k < channels; k++)
            put_channel(memory, 10 + 2 * m + k / 2, k == 1 ? 4 : 0, 0x2040 + 4 * k, mcmtr);
    }
}

#define BY_THIRDS      0x48000005u /* of bit 8; the target by bit 12 */
#define BY_HALVES      0x48000025u
#define BY_CONTROLLERS 0x98989898u

static int begin(void **state)
{
    list = (struct register_list){ .cpu = { CPU_VENDOR_INTEL, 6, 0x55, 4 } };
    return 0;
}

static const char *decode(void)
{
    struct register_source source = register_list_source(&list);

    assert_true(decode_intel_skylake_sp(&list.cpu, &source, &c));
    assert_is_sound(&c);
    return c.unknown;
}

static unsigned bit(uint64_t x, unsigned n)
{
    return x >> n & 1;
}

/* Takes what was chosen by a quotient's rest out of an address. */
static uint64_t shared(uint64_t x, unsigned low, unsigned ways)
{
    return (x >> low) / ways << low | (x & (BIT(low) - 1));
}

/* Two controllers with two channels each, one after the other in arithmetic instead of functions.
 */
static void assert_four_channels(bool is_closed)
{
    uint64_t random = 3;

    for (unsigned i = 0; i < 5000; i++) {
        uint64_t phys = splitmix_next(&random) % (64 * GIB) & ~UINT64_C(7), in_channel, rank;
        struct dram_place p;

        phys += phys < 2 * GIB ? 0 : 2 * GIB;
        in_channel = phys < 2 * GIB ? phys : phys - 2 * GIB;
        in_channel = shared(shared(in_channel, 12, 2), 8, 2);
        rank = shared(in_channel, is_closed ? 6 : 13, 2);
        assert_true(dram_map_locate(&c.map, phys, &p));
        assert_int_equal(p.channel, 3 * bit(phys, 12) + bit(phys, 8));
        assert_int_equal(p.dimm, 0);
        assert_int_equal(p.rank, bit(in_channel, is_closed ? 6 : 13));
        if (is_closed) {
            assert_int_equal(p.bank, (rank >> 6 & 15) ^ ((rank >> 20 & 7) | bit(rank, 28) << 3));
            assert_int_equal(p.row & 0xf, rank >> 15 & 15);
            assert_int_equal(p.row >> 7 & 1, bit(rank, 28));
            assert_int_equal(p.column >> 3,
                             bit(rank, 14) | bit(rank, 19) << 1 | (rank >> 23 & 31) << 2);
        } else {
            assert_int_equal(p.bank, (bit(rank, 13) | (rank >> 17 & 7) << 1) ^ (rank >> 20 & 15));
            assert_int_equal(p.row & 0x1f,
                             (rank >> 14 & 7) | bit(rank, 20) << 3 | bit(rank, 28) << 4);
            assert_int_equal(p.row >> 5, (rank >> 21 & 0x7f) | (rank >> 29) << 7);
            assert_int_equal(p.column, rank >> 3 & 0x3ff);
        }
    }
    assert_round_trips(&c.map);
}

TEST(four_channels, begin)
{
    put_socket(0, 2, 66 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_null(decode());
    assert_int_equal(c.n_channels, 6);
    assert_int_equal(c.channel[4].controller, 1);
    assert_int_equal(c.channel[4].number, 1);
    assert_int_equal(c.channel[4].ecc, DECODED_ECC_ON);
    assert_int_equal(c.channel[4].dimm[0].bytes, 16 * GIB);
    assert_int_equal(c.channel[4].dimm[0].ranks, 2);
    assert_int_equal(c.channel[4].dimm[0].device_width, 8);
    assert_int_equal(c.channel[5].dimm[0].bytes, 0);
    assert_int_equal(c.map.n_zones, 2);
    assert_four_channels(false);
    begin(NULL);
    put_socket(0, 2, 66 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, CLOSED);
    assert_null(decode());
    assert_four_channels(true);
    mutations_run(decode_intel_skylake_sp, &list.cpu, register_list_source(&list));
    assert_mutations();
}

/*
 * Both channels of two controllers, whose numbers are no XORs of address bits, with holes that
 * carry into the highest bit of a bank's function. What timing shows is by the tables of skx_edac.
 */
TEST(timing_agrees_above_any_hole)
{
    static const struct row_map pages[] = {
        { .n_functions = 7,
          .function = { 0x100, 0x1000, 0x8000, 0x810000, 0x1100000, 0x2200000, 0x4400000 } },
        { .n_functions = 7,
          .function = { 0x100, 0x1000, 0x40, 0x800080, 0x1000200, 0x2000400, 0x80000800 } },
    };

    for (unsigned i = 0; i < 6; i++) {
        struct row_map measured = pages[i / 3];
        uint64_t below;
        const char *why;

        low_end = (i % 3 + 1) * GIB;
        begin(NULL);
        put_socket(0, 2, 68 * GIB - low_end, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8,
                   i / 3 ? CLOSED : OPEN);
        assert_null(decode());
        measured.bits = 64 * GIB - 64;
        measured.hole = 4 * GIB - low_end;
        assert_int_equal(dram_map_hole(&c.map), measured.hole);
        assert_int_equal(row_agreement_of(&c.map, &measured, &below, &why), ROWS_AGREE);
        assert_true(row_agreement_has_rows(&c.map, &measured, below));
        assert_neighbours(&c.map, &measured, below);
        measured.function[6] ^= 0x400;
        assert_int_equal(row_agreement_of(&c.map, &measured, &below, &why), ROWS_CONTRADICT);
        measured.hole = 0;
        assert_int_equal(row_agreement_of(&c.map, &measured, &below, &why), ROWS_CONTRADICT);
        assert_string_equal(why, "the hole below 4 GiB has another size than timing shows");
    }
    low_end = 2 * GIB;
}

/*
 * 21 of "published maps" in the facts about memory controllers: an E5-2608L v3, which is not
 * decoded, has the same banks, below the two bits that choose one of its four channels.
 */
TEST(banks_of_a_published_map, begin)
{
    static const uint64_t published[] = { 0x400040, 0x880000, 0x1100000, 0x2200000 };

    put_socket(0, 2, 66 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    put(0x17, 10, 0, 0x80, 0x8114); /* one rank, 17 rows */
    put(0x17, 10, 0, 0x8c, 1);
    put(0x17, 10, 0, 0x108, 1u << 31 | 31 << 1);
    assert_null(decode());
    assert_int_equal(c.map.channel[0].dimm[0].n_banks, COUNT(published));
    for (unsigned i = 0; i < COUNT(published); i++) {
        uint64_t bank = c.map.channel[0].dimm[0].bank[i];

        assert_int_equal(bank >> 7 << 9 | (bank & 0x7f), published[i]);
    }
}

/* Where each channel's reads are counted, unless firmware has hidden the function. */
TEST(counters)
{
    static const struct {
        unsigned channel, device, number;
    } at[] = { { 0, 10, 2 }, { 1, 10, 6 }, { 2, 11, 2 }, { 3, 12, 2 }, { 4, 12, 6 }, { 5, 13, 2 } };

    begin(NULL);
    put_socket(0, 3, 98 * GIB, BY_THIRDS, BY_CONTROLLERS, 1 << 10 | 2 << 8, OPEN);
    assert_null(decode());
    for (size_t i = 0; i < COUNT(at); i++) {
        const struct register_id *id = &c.channel[at[i].channel].reads_counted;

        assert_int_equal(id->space, REGISTER_PCI);
        assert_int_equal(id->unit, 0x17 << 8 | at[i].device << 3 | at[i].number);
        assert_int_equal(id->offset, 0xa0);
    }
    put(0x17, 10, 2, 0, UINT32_MAX);
    put(0x17, 10, 6, 0, 0x20438086); /* another function of the controller */
    put(0x17, 12, 0, 0x80, 0);       /* it has no module */
    assert_null(c.unknown);
    decode();
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(c.channel[i].reads_counted.offset, i == 2 || i > 3 ? 0xa0 : 0);
}

TEST(six_channels, begin)
{
    uint64_t random = 3, back;

    put_socket(0, 3, 98 * GIB, BY_THIRDS, BY_CONTROLLERS, 1 << 10 | 2 << 8, OPEN);
    assert_null(decode());
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t phys = splitmix_next(&random) % (96 * GIB), in_channel;
        struct dram_place p;

        phys += phys < 2 * GIB ? 0 : 2 * GIB;
        in_channel = shared(shared(phys < 2 * GIB ? phys : phys - 2 * GIB, 8, 3), 12, 2);
        assert_true(dram_map_locate(&c.map, phys, &p));
        assert_int_equal(p.channel, 3 * bit(phys, 12) + (phys >> 8) % 3);
        assert_int_equal(p.rank, bit(in_channel, 13));
        assert_int_equal(p.column, shared(in_channel, 13, 2) >> 3 & 0x3ff);
        assert_true(dram_map_address(&c.map, &p, &back));
        assert_int_equal(back, phys & ~UINT64_C(7));
    }
}

/* The first socket's rules name the other by bit 13, the other's the first. */
TEST(two_sockets, begin)
{
    struct dram_place p;

    put_socket(0, 1, 66 * GIB, 0x5, 0x11981198, 2 << 10, OPEN);
    put_socket(1, 1, 66 * GIB, 0x5, 0x98009800, 2 << 10, OPEN);
    for (unsigned i = 0; i < 4; i++) {
        assert_null(decode());
        assert_true(dram_map_locate(&c.map, 5 * GIB + (i << 12), &p));
        assert_int_equal(p.channel, 3 * i);
        assert_int_equal(c.channel[p.channel].node, i / 2);
        assert_int_equal(c.channel[p.channel].controller, i % 2);
    }
    assert_round_trips(&c.map);
    put(0x56, 29, 0, 0x6c, 0x98001100); /* back again */
    assert_string_equal(decode(), "the registers name channels without modules");
}

/* The second module is behind the first; its rows begin anew. */
TEST(two_modules, begin)
{
    struct dram_place p;

    put_socket(0, 1, 50 * GIB, 0x5, BY_CONTROLLERS, 1 << 10, OPEN);
    for (unsigned m = 0; m < 2; m++) {
        put(0x17, 10 + 2 * m, 0, 0x84, 0x8110); /* 8 GiB, one rank, x8 */
        put(0x17, 10 + 2 * m, 0, 0x10c, 1u << 31 | 47 << 1);
        put(0x17, 10 + 2 * m, 0, 0x124, 4 << 16 | 256 << 2);
    }
    assert_null(decode());
    assert_int_equal(c.channel[0].dimm[1].bytes, 8 * GIB);
    assert_true(dram_map_locate(&c.map, 40 * GIB, &p));
    assert_int_equal(p.dimm, 1);
    assert_int_equal(p.rank, 0);
    assert_int_equal(c.map.channel[0].dimm[0].n_banks, 4);
    assert_int_equal(c.map.channel[0].dimm[1].n_banks, 0);
    assert_true(dram_map_locate(&c.map, 30 * GIB, &p));
    assert_int_equal(p.dimm, 0);
}

/* Each of two channels has a copy of all, or a rank waits for another's end. */
TEST(mirrors_and_spares, begin)
{
    static const char unused[] =
        "the registers' rules and modules have other sizes, as with mirroring or spares";

    put_socket(0, 2, 34 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_string_equal(decode(), unused);
    begin(NULL);
    put_socket(0, 2, 65 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_string_equal(decode(), unused);
    begin(NULL); /* some that no channel can have is left out */
    put_socket(0, 2, 66 * GIB - BIT(28), BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_null(decode());
    begin(NULL);
    put_socket(0, 2, 66 * GIB + BIT(28), BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_non_null(decode());
}

TEST(no_map)
{
    static const struct {
        unsigned bus, device, number, offset;
        uint32_t value;
        const char *unknown;
    } cases[] = {
        { 0, 8, 2, 0, UINT32_MAX, "the memory controllers are not found" },
        { 0x16, 14, 1, 0xb4, 0, "a register of the memory controllers does not answer" },
        { 0x16, 14, 1, 0xb4, 0xffffff00, "the registers name channels without modules" },
        { 0x16, 29, 1, 0xf0, UINT32_MAX, "a register of the memory controllers does not answer" },
        { 0x16, 29, 0, 0x60, UINT32_MAX, "a register of the memory controllers does not answer" },
        { 0x16, 29, 0, 0x64, 0, "the registers name channels without modules" },
        { 0x17, 10, 0, 0x80, 0, "the registers name channels without modules" },
        { 0x17, 10, 0, 0x80, 0x9101, "the registers say impossible sizes of a module" },
        { 0x17, 10, 0, 0x80, UINT32_MAX, "a register of the memory controllers does not answer" },
        { 0x17, 10, 0, 0x400, 2, "a part of the memory is persistent memory (Optane)" },
        { 0x17, 10, 0, 0x120, 8 << 16, "the registers name ranks that are not there, or too many" },
        { 0x17, 10, 4, 0x94, 0, "channels that share addresses have different rules" },
        { 0x17, 10, 0, 0x880, 31 << 12 | 1 << 8,
          "channels that share addresses have different rules" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        put_socket(0, 2, 66 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
        assert_null(decode());
        put(cases[i].bus, cases[i].device, cases[i].number, cases[i].offset, cases[i].value);
        assert_non_null(decode());
        assert_string_equal(c.unknown, cases[i].unknown);
    }
    begin(NULL); /* thirds of which the controllers know nothing */
    put_socket(0, 3, 98 * GIB, BY_THIRDS, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_string_equal(decode(), "the registers say two ways of interleaving");
}

TEST(random_registers, begin)
{
    unsigned n = 8000 / UNIT_STEP(8);
    uint64_t digest = 0;

    put_socket(0, 2, 66 * GIB, BY_HALVES, BY_CONTROLLERS, 1 << 10 | 1 << 8, OPEN);
    assert_true(assert_survives(decode_intel_skylake_sp, &list, n, 1, &digest) > n / 80);
    begin(NULL);
    put_socket(0, 3, 98 * GIB, BY_THIRDS, BY_CONTROLLERS, 1 << 10 | 2 << 8, CLOSED);
    assert_true(assert_survives(decode_intel_skylake_sp, &list, n, 2, &digest) > n / 80);
    assert_true(digest_add_bits(&digest, decode_intel_skylake_sp, &list));
    assert_int_equal(digest,
                     n == 8000 ? UINT64_C(0xf6a70e3f3243e982) : UINT64_C(0x3015644ad4db123e));
    list.cpu.model = 0x8f;
    assert_int_equal(assert_survives(decode_intel_skylake_sp, &list, 1, 3, &digest), 0);
}
