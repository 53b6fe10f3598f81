// SPDX-License-Identifier: MIT
#include "decoder/decoder_checks.h"
#include "decoder/mutations.h"

#define SNB   0x0100
#define IVB   0x0150
#define HSW   0x0c00
#define SKL   0x191f
#define CFL   0x3ec2
#define CML_U 0x9b61
#define RKL   0x4c43
#define EHL   0x4514
#define TGL   0x9a14
#define ADL   0x4660
#define ADL_P 0x4641
#define MTL   0x7d01
#define ARL   0x7d1c

#define INTERLEAVED 0x110      /* MAD_INTRA: of ranks, enhanced */
#define HASH        0x120c3300 /* as firmware sets it: bits 8, 9, 12, 13, 18 and 19; 8 is removed */

static struct register_list list;
static struct decoded_controller c;

/* The host bridge of a machine with that much memory, whose hole begins at 2 GiB. */
static void begin(unsigned device, unsigned gib)
{
    uint64_t start = gib > 4 ? gib * GIB : 4 * GIB,
             end = start + (gib < 4 ? gib : 4) * GIB - 2 * GIB;
    char text[500];

    snprintf(text, sizeof(text),
             "cpu.intel.6.90.2 pci.0.0=%x8086 pci.0.48=fed10001 pci.0.4c=0 pci.0.a0=%x pci.0.a4=%x "
             "pci.0.bc=80000001 pci.0.90=%x pci.0.94=%x pci.0.98=%x pci.0.9c=%x pci.0.e4=0 "
             "pci.0.ec=8000 pci.0.f0=0 mchbar.0.5000=0 mchbar.0.5024=0 mchbar.0.5e04=0",
             device, (uint32_t)(gib * GIB), (uint32_t)(gib * GIB >> 32), (uint32_t)start | 1,
             (uint32_t)(start >> 32), (uint32_t)(end - BIT(20)), (uint32_t)((end - 1) >> 32));
    assert_null(register_list_read(text, &list));
}

static const char *decode(void)
{
    struct register_source source = register_list_source(&list);

    controller_decode(&list.cpu, &source, &c);
    assert_non_null(c.family);
    assert_is_sound(&c);
    return c.unknown;
}

static void begin_with(unsigned device, unsigned gib, const char *text)
{
    begin(device, gib);
    set(&list, text);
    if (decode())
        fail_msg("%x: %s", device, c.unknown);
}

static struct dram_place place_of(uint64_t phys)
{
    struct dram_place p;

    assert_true(dram_map_locate(&c.map, phys, &p));
    return p;
}

/* Rows as bits of the DRAM address, of one channel, or of two where bit 8 is removed. */
static uint64_t rows(void)
{
    const struct dram_geometry *g = &c.map.channel[0].dimm[0];
    uint64_t ret = 0;

    for (unsigned i = 0; i < g->n_rows; i++)
        ret |= BIT(g->row[i] + c.map.zone[0].n_functions);
    return ret;
}

#define MAP(number, device, gib, rows, registers, ...)                                             \
    {                                                                                              \
        number, device, gib, rows, registers,                                                      \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Of "published maps" in the facts about memory controllers, by number. */
TEST(published_maps)
{
    static const struct {
        unsigned number, device, gib;
        uint64_t rows;
        const char *registers;
        uint64_t functions[8];
    } maps[] = {
        MAP(1, SNB, 8, 0x1fffc0000,
            "mchbar.0.5000=24 mchbar.0.5004=620010 mchbar.0.5008=620010 mchbar.0.5014=10200000",
            0x44000, 0x88000, 0x110000, 0x220000, 0x40),
        MAP(2, IVB, 8, 0x1fffc0000,
            "mchbar.0.5000=24 mchbar.0.5004=620010 mchbar.0.5008=620010 mchbar.0.5014=10200000 "
            "mchbar.0.5024=a030ce",
            0x44000, 0x88000, 0x110000, 0x220000, 0xc3380),
        MAP(2, HSW, 8, 0x1fffc0000,
            "mchbar.0.5000=24 mchbar.0.5004=620010 mchbar.0.5008=620010 mchbar.0.5014=10200000 "
            "mchbar.0.5024=a030ce",
            0x44000, 0x88000, 0x110000, 0x220000, 0xc3380),
        MAP(3, SKL, 16, 0x3fff80000,
            "mchbar.0.5000=8000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=408 "
            "mchbar.0.5010=408 mchbar.0.5024=120c3300",
            0x4080, 0x88000, 0x110000, 0x220000, 0x440000, 0xc3300),
        MAP(4, CFL, 8, 0x1fffe0000,
            "mchbar.0.5004=100 mchbar.0.5008=0 mchbar.0.500c=8 mchbar.0.5010=0", 0x2040, 0x24000,
            0x48000, 0x90000),
        MAP(5, CFL, 16, 0x3fffc0000,
            "mchbar.0.5004=110 mchbar.0.5008=0 mchbar.0.500c=410 mchbar.0.5010=0", 0x2040, 0x44000,
            0x88000, 0x110000, 0x220000),
        MAP(6, CFL, 32, 0x7fff80000,
            "mchbar.0.5000=10000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=410 "
            "mchbar.0.5010=410 mchbar.0.5024=120c3300",
            0x4080, 0x88000, 0x110000, 0x220000, 0x440000, 0x4b300),
        MAP(6, CFL, 16, 0x3fffc0000,
            "mchbar.0.5000=8000 mchbar.0.5004=100 mchbar.0.5008=100 mchbar.0.500c=8 "
            "mchbar.0.5010=8 mchbar.0.5024=120c3300",
            0x4080, 0x48000, 0x90000, 0x120000, 0x1b300),
        MAP(7, SKL, 16, 0x3fffc0000,
            "mchbar.0.5000=8000 mchbar.0.5004=100 mchbar.0.5008=100 mchbar.0.500c=8 "
            "mchbar.0.5010=8 mchbar.0.5024=120c3300",
            0x120000, 0x90000, 0x48000, 0x4080, 0xc3300),
        MAP(8, 0x9b54, 64, 0xffff80000,
            "mchbar.0.5000=20000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=420 "
            "mchbar.0.5010=420 mchbar.0.5024=120c3300",
            0x4080, 0x88000, 0x110000, 0x220000, 0x440000, 0x4b300),
        MAP(9, 0x9b54, 32, 0x7fffc0000,
            "mchbar.0.5004=110 mchbar.0.5008=0 mchbar.0.500c=420 mchbar.0.5010=0", 0x2040, 0x44000,
            0x88000, 0x110000, 0x220000),
        MAP(10, 0x1918, 16, 0x3fff80000,
            "mchbar.0.5000=8000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=40004 "
            "mchbar.0.5010=40004 mchbar.0.5024=120c3300",
            0x4080, 0x88000, 0x110000, 0x220000, 0x440000,
            0x4b300), /* two modules of one rank on each channel */
        MAP(10, 0x1904, 8, 0x1fffc0000,
            "mchbar.0.5000=4001 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=404 "
            "mchbar.0.5010=404 mchbar.0.5024=120c3300",
            0x44000, 0x88000, 0x110000, 0x220000, 0xf300), /* DDR3 */
    };

    for (size_t i = 0; i < COUNT(maps); i++) {
        struct dram_functions f;

        begin_with(maps[i].device, maps[i].gib, maps[i].registers);
        assert_int_equal(c.map.n_zones, 1);
        dram_map_functions(&c.map, c.map.zone, &f);
        assert_same_span(&f, maps[i].functions);
        assert_int_equal(rows(), maps[i].rows);
        assert_round_trips(&c.map);
        mutations_run(decode_intel_client, &list.cpu, register_list_source(&list));
    }
    assert_mutations();
}

/* 11, 12 and 13: what selects a bank is in no register, and two controllers' function neither. */
TEST(alder_lakes_maps)
{
    struct dram_functions f;

    begin_with(ADL, 16,
               "mchbar.0.d800=0 mchbar.0.d804=100 mchbar.0.d808=0 mchbar.0.d80c=220 "
               "mchbar.0.d810=0");
    dram_map_functions(&c.map, c.map.zone, &f);
    assert_int_equal(f.n, 0);
    assert_int_equal(place_of(13 * GIB).channel, 0);
    assert_int_equal(c.channel[0].dimm[0].ranks, 2);
    assert_int_equal(c.map.channel[0].dimm[0].n_banks, 0);

    begin_with(0xa703, 32, /* DDR5 */
               "mchbar.0.d800=1 mchbar.0.d804=100 mchbar.0.d808=100 mchbar.0.d80c=240 "
               "mchbar.0.d810=240");
    dram_map_functions(&c.map, c.map.zone, &f);
    assert_int_equal(f.n, 0);
    assert_int_equal(place_of(31 * GIB).channel, 0);
    assert_int_equal(c.channel[0].dimm[0].bytes, 32 * GIB);
    assert_int_equal(c.channel[1].dimm[0].bytes, 0);

    begin_with(0xa703, 32, /* two modules, chosen by a function of the address in a half */
               "mchbar.0.d800=1 mchbar.0.d804=100 mchbar.0.d808=100 mchbar.0.d80c=200020 "
               "mchbar.0.d810=200020 mchbar.0.d828=110c2000");
    assert_int_equal(c.channel[0].dimm[1].bytes, 16 * GIB);
    assert_int_equal(place_of(0x80).dimm, DRAM_DIMM_UNKNOWN);

    begin(ADL, 64);
    set(&list,
        "mchbar.0.d800=0 mchbar.0.d804=100 mchbar.0.d808=0 mchbar.0.d80c=240 mchbar.0.d810=0 "
        "mchbar.0.1d800=0 mchbar.0.1d804=100 mchbar.0.1d808=0 mchbar.0.1d80c=240 "
        "mchbar.0.1d810=0 mchbar.0.d9b8=6");
    assert_string_equal(decode(), "the function that selects the controller is not public; after "
                                  "faults it is searched for");
    assert_int_equal(c.channel[0].reads_counted.offset, 0xd858);
    assert_int_equal(c.channel[2].reads_counted.offset, 0x1d858);
    assert_int_equal(c.channel[2].dimm[0].bytes, 32 * GIB);
    assert_int_equal(c.map.n_zones, 1);
    assert_int_equal(c.map.zone[0].removed, BIT(9));
    c.map.zone[0].function[0] = 0x82600; /* as published */
    dram_map_functions(&c.map, c.map.zone, &f);
    assert_same_span(&f, (uint64_t[]){ 0x82600, 0 });
    assert_int_equal(place_of(UINT64_C(0x123456780)).channel, 2);
}

/* Datasheet vol. 2 of Sandy Bridge, 2.3.4: 5 GiB. */
TEST(a_datasheets_hole)
{
    begin_with(SNB, 5,
               "mchbar.0.5004=620014 mchbar.0.5008=0 mchbar.0.5014=0 "
               "pci.0.bc=c0000000 pci.0.90=40000000 pci.0.94=1 pci.0.98=7ff00000 "
               "pci.0.9c=1");
    assert_int_equal(c.map.n_moves, 1);
    assert_int_equal(c.map.move[0].start, UINT64_C(0x140000000));
    assert_int_equal(c.map.move[0].end, UINT64_C(0x180000000));
    assert_int_equal(UINT64_C(0x150000000) - c.map.move[0].subtract, 0xd0000000);
    set(&list, "pci.0.98=3ff00000"); /* below the base: off */
    assert_null(decode());
    assert_int_equal(c.map.n_moves, 0);
}

/* Tiger Lake-H: where its registers are is inferred, so that nothing is said of them unless they
 * fit the host bridge, and counting has shown the function of two controllers. */
TEST(inferred_registers)
{
    static const char both[] =
        "mchbar.0.d800=0 mchbar.0.d804=0 mchbar.0.d808=0 mchbar.0.d80c=10 mchbar.0.d810=0 "
        "mchbar.0.1d800=0 mchbar.0.1d804=0 mchbar.0.1d808=0 mchbar.0.1d80c=100010 "
        "mchbar.0.1d810=0 mchbar.0.1d828=110c2000";

    for (unsigned device = 0x9a26; device <= 0x9a36; device += 0x10) {
        begin(device, 24);
        set(&list, both);
        assert_string_equal(decode(), "the function that selects the controller is not public; "
                                      "after faults it is searched for");
        assert_int_equal(c.n_channels, 4);
        assert_int_equal(c.channel[2].dimm[1].bytes, 8 * GIB);
        assert_int_equal(c.channel[2].ecc, DECODED_ECC_UNKNOWN);
        assert_int_equal(c.channel[2].timing.cl, 0);
        assert_int_equal(c.channel[2].reads_counted.offset, 0x1d858);
        assert_int_equal(c.map.n_zones, 2);
        assert_int_equal(c.map.zone[0].removed, 0);
        assert_int_equal(c.map.zone[0].end, 16 * GIB);
    }
    set(&list, "mchbar.0.d80c=8"); /* these are not the sizes */
    assert_string_equal(decode(), "the host bridge says another size of all modules");
    assert_int_equal(c.n_channels, 0);
    assert_int_equal(c.map.n_zones, 0);
    begin(0x9a36, 8);
    set(&list, "mchbar.0.d800=0 mchbar.0.d804=0 mchbar.0.d808=0 mchbar.0.d80c=10 mchbar.0.d810=0");
    assert_string_equal(decode(), "where the registers of the modules are is not public, and with "
                                  "one controller nothing shows it");
    assert_int_equal(c.n_channels, 0);
    begin(0x9a36, 8); /* nothing is there */
    assert_non_null(decode());
    assert_int_equal(c.n_channels, 0);
}

/* Since Ice Lake where memory is moved is in the window. */
TEST(a_hole_by_the_window)
{
    static const struct {
        unsigned device;
        const char *registers;
    } at[] = {
        { 0x8a12,
          "mchbar.0.5004=0 mchbar.0.5008=0 mchbar.0.500c=10 mchbar.0.5010=0 mchbar.0.5090=1 "
          "mchbar.0.5094=2 mchbar.0.5098=7ff00001 mchbar.0.509c=2" },
        { ADL, "mchbar.0.d800=0 mchbar.0.d804=100 mchbar.0.d808=0 mchbar.0.d80c=10 mchbar.0.d810=0 "
               "mchbar.0.d890=1 mchbar.0.d894=2 mchbar.0.d898=7ff00001 mchbar.0.d89c=2" },
    };

    for (size_t i = 0; i < COUNT(at); i++) {
        begin(at[i].device, 8);
        set(&list, "pci.0.90=0 pci.0.94=0 pci.0.98=0 pci.0.9c=0");
        set(&list, at[i].registers);
        assert_null(decode());
        assert_int_equal(c.map.n_moves, 1);
        assert_int_equal(c.map.move[0].start, 8 * GIB);
        assert_int_equal(c.map.move[0].end, 10 * GIB);
        assert_int_equal(c.map.move[0].subtract, 6 * GIB);
    }
    begin(0x8a12, 8); /* it is not there either */
    set(&list, at[0].registers);
    set(&list, "pci.0.90=0 pci.0.94=0 pci.0.98=0 pci.0.9c=0 mchbar.0.5094=0 mchbar.0.5090=0 "
               "mchbar.0.5098=0 mchbar.0.509c=0");
    assert_string_equal(decode(), "the host bridge moves memory that is not there");
}

/* Two modules of 8 GiB in the second slots. */
TEST(an_example)
{
    uint64_t at = UINT64_C(0x123456780);
    struct dram_place p;

    begin_with(SKL, 16,
               "mchbar.0.5000=8000 mchbar.0.5004=101 mchbar.0.5008=101 "
               "mchbar.0.500c=808 mchbar.0.5010=808 mchbar.0.5024=120c3300");
    p = place_of(at);
    assert_int_equal(p.channel, 0);
    assert_int_equal(p.dimm, 1);
    assert_int_equal(p.rank, 0);
    assert_int_equal(p.bank, 6);
    assert_int_equal(place_of(at ^ 0x100).channel, 1);
    assert_int_equal(c.channel[0].dimm[0].bytes, 0);
    assert_int_equal(c.channel[1].dimm[1].bytes, 8 * GIB);
    assert_int_equal(c.channel[1].dimm[1].device_width, 8);
    assert_int_equal(c.channel[1].dimm[1].banks, 16);
    assert_int_equal((uint64_t)c.channel[1].dimm[1].banks * c.channel[1].dimm[1].rows << 13,
                     8 * GIB);
    assert_int_equal(c.channel[1].dimm[0].banks, 0);

    set(&list, "mchbar.0.5004=1"); /* not enhanced: no map of it was published */
    assert_null(decode());
    assert_int_equal(place_of(at).channel, 0);
    assert_int_equal(c.map.channel[0].dimm[1].n_banks, 0);
    assert_int_equal(c.map.channel[1].dimm[1].n_banks, 4);
}

TEST(unequal_channels)
{
    begin_with(SKL, 12,
               "mchbar.0.5000=4010 mchbar.0.5004=100 mchbar.0.5008=100 mchbar.0.500c=4 "
               "mchbar.0.5010=8 mchbar.0.5024=120c3300");
    assert_int_equal(c.map.n_zones, 2);
    assert_int_equal(c.map.zone[0].end, 8 * GIB);
    assert_int_equal(place_of(8 * GIB).channel, 1); /* below the hole's memory, from 12 GiB on */
    assert_int_equal(place_of(12 * GIB - 1).channel, 1);
    assert_int_equal(place_of(8 * GIB - 1).channel, 0);
    assert_int_equal(place_of(8 * GIB - 0x101).channel, 1);
    assert_int_equal(place_of(13 * GIB).channel, 0); /* moved from 3 GiB */
    assert_int_equal(c.map.channel[0].dimm[0].n_banks, 0);

    begin_with(SNB, 6,
               "mchbar.0.5000=21 mchbar.0.5004=620008 mchbar.0.5008=620010 "
               "mchbar.0.5014=8100000");
    assert_int_equal(place_of(5 * GIB).channel, 1);
    assert_int_equal(place_of(0x40).channel, 1);
    assert_int_equal(place_of(0x80).channel, 0);
}

/* The rest of the larger module is alone; of Rocket Lake a register has the function, too. */
TEST(unequal_modules)
{
    begin_with(SKL, 12, "mchbar.0.5004=111 mchbar.0.5008=0 mchbar.0.500c=40008 mchbar.0.5010=0");
    assert_int_equal(c.channel[0].dimm[0].bytes, 4 * GIB);
    assert_int_equal(c.channel[0].dimm[1].bytes, 8 * GIB);
    assert_int_equal(place_of(0).dimm, DRAM_DIMM_UNKNOWN);
    assert_int_equal(place_of(8 * GIB).dimm, 1);
    set(&list, "mchbar.0.5004=101"); /* no interleaving: which comes first is not known */
    assert_null(decode());
    assert_int_equal(place_of(8 * GIB).dimm, DRAM_DIMM_UNKNOWN);

    begin_with(RKL, 12,
               "mchbar.0.5004=0 mchbar.0.5008=0 mchbar.0.500c=80010 mchbar.0.5010=0 "
               "mchbar.0.5028=110c2000");
    assert_int_equal(place_of(0).dimm, 0);
    assert_int_equal(place_of(0x80).dimm, 1);
    assert_int_equal(place_of(0x2080).dimm, 0);
    assert_int_equal(place_of(9 * GIB).dimm, 0);

    /* DDR3: two modules of one rank are as the two ranks of one. */
    begin_with(IVB, 8,
               "mchbar.0.5004=600808 mchbar.0.5008=600808 mchbar.0.5000=24 "
               "mchbar.0.5014=10200000 mchbar.0.5024=a030ce");
    assert_int_equal(place_of(0).dimm, 0);
    assert_int_equal(place_of(0x20000).dimm, 1);
    assert_int_equal(place_of(0x220000).dimm, 0);
    assert_round_trips(&c.map);
}

TEST(two_controllers)
{
    static const char both[] = "mchbar.0.5004=0 mchbar.0.500c=10 mchbar.0.5010=0 mchbar.0.5008=0 "
                               "mchbar.0.15000=0 mchbar.0.15004=0 mchbar.0.1500c=10 "
                               "mchbar.0.15010=0 mchbar.0.15008=0 mchbar.0.110ac=2082200 "
                               "mchbar.0.d400=0 mchbar.0.1d400=0";
    begin_with(TGL, 16, both);
    assert_int_equal(c.n_channels, 4);
    assert_int_equal(c.map.zone[0].function[0], 0x82300);
    assert_int_equal(c.map.zone[0].removed, BIT(8));
    assert_int_equal(place_of(0x100).channel, 2);
    assert_int_equal(place_of(0x300).channel, 0);
    assert_int_equal(c.channel[2].controller, 1);
    assert_int_equal(c.channel[0].reads_counted.offset, 0x5058);
    assert_int_equal(c.channel[2].reads_counted.offset, 0x15058);

    begin(TGL, 24);
    set(&list, both);
    set(&list, "mchbar.0.15010=10");
    assert_string_equal(decode(), "both channels of a controller have modules of their own");
    set(&list, "mchbar.0.1500c=20 mchbar.0.15010=0");
    assert_null(decode());
    assert_int_equal(place_of(20 * GIB).channel, 2);

    /* DDR5: of one controller alone; its channels are the halves of its modules. */
    begin_with(ARL, 48,
               "mchbar.0.1d800=1 mchbar.0.1d804=3000 mchbar.0.1d808=3000 "
               "mchbar.0.1d80c=60 mchbar.0.1d810=60");
    assert_int_equal(c.channel[2].dimm[0].bytes, 48 * GIB);
    assert_int_equal(c.channel[3].dimm[0].bytes, 0);
    assert_int_equal(c.channel[2].ecc, DECODED_ECC_ON);
    assert_int_equal(place_of(40 * GIB).channel, 2);
}

TEST(timings)
{
    static const struct {
        unsigned device;
        const char *registers;
        struct decoded_timing timing;
    } at[] = {
        { SNB, "4000=1c0099b 4004=80000000 5e04=6", { 9, 11, 9, 192, 2, 0, 1600 } },
        { HSW, "4014=a 4000=6d4b 4004=0 5e04=108", { 10, 11, 10, 27, 1, 0, 1600 } },
        { SKL, "4070=f0000 4000=230f 401c=4 5e00=8", { 15, 15, 15, 35, 2, 0, 2133 } },
        { RKL, "4070=100000 4000=6812 4088=8 5e04=18 5f60=186a0", { 16, 18, 18, 52, 2, 1, 3200 } },
        { TGL,
          "4070=160000 4000=16 4004=2c68 4088=0 5e04=1000c 5f60=186a0",
          { 22, 22, 22, 52, 1, 2, 3200 } },
        { ADL,
          "e070=240000 e000=24 e004=1209800 e088=8 5e04=1000 5918=48 5f60=186a0",
          { 36, 36, 36, 38, 2, 2, 4800 } },
        { MTL,
          "e070=2e0000 e000=2d e138=b400000 e004=b4000 13d98=c2a000",
          { 46, 45, 45, 90, 0, 2, 2800 } },
    };

    for (size_t i = 0; i < COUNT(at); i++) {
        const struct decoded_timing *t = &c.channel[0].timing, *want = &at[i].timing;
        char text[400];

        begin(at[i].device, 4);
        set(&list,
            "mchbar.0.5004=10 mchbar.0.5008=0 mchbar.0.500c=4 mchbar.0.5010=0 mchbar.0.d800=0 "
            "mchbar.0.d804=0 mchbar.0.d808=0 mchbar.0.d80c=8 mchbar.0.d810=0 mchbar.0.d400=0 "
            "mchbar.0.5014=0");
        for (const char *word = at[i].registers; word; word = strchr(word, ' ')) {
            snprintf(text, sizeof(text), "mchbar.0.%s", word += *word == ' ');
            text[strcspn(text, " ")] = 0;
            set(&list, text);
        }
        decode();
        assert_int_equal(t->cl, want->cl);
        assert_int_equal(t->rcd, want->rcd);
        assert_int_equal(t->rp, want->rp);
        assert_int_equal(t->ras, want->ras);
        assert_int_equal(t->command_rate, want->command_rate);
        assert_int_equal(t->gear, want->gear);
        assert_int_equal(t->mts, want->mts);
        assert_int_equal(c.channel[1].timing.cl, 0); /* it has no module */
    }
}

/* Of Ice Lake no public source says where they are. */
TEST(timings_that_are_not_public)
{
    char text[200];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    begin_with(0x8a12, 4, "mchbar.0.5004=10 mchbar.0.5008=0 mchbar.0.500c=8 mchbar.0.5010=0");
    decoded_append_channel(&b, &c, 0);
    assert_string_equal(text, "channel 0 (channel 0 of controller 0): module 0: 4 GiB, 1 rank of "
                              "x8 chips; module 1: none; speed and timings not known; ECC off");
}

/* 21: Xeon E5 v3 and Xeon W3553; the decoder is of other processors. */
TEST(processors_that_are_not_decoded)
{
    static const unsigned models[] = { 0x3f, 0x1a, 0xbd };

    for (size_t i = 0; i < COUNT(models); i++) {
        const struct cpu_model cpu = { CPU_VENDOR_INTEL, 6, models[i], 2 };
        struct register_source source = register_list_source(&list);

        begin(0x2f00, 16); /* the host bridge of an E5 v3 */
        controller_decode(&cpu, &source, &c);
        assert_null(c.family);
        assert_string_equal(c.unknown, "okram does not know the memory controllers of this "
                                       "processor");
    }
}

TEST(ecc)
{
    static const char skl[] = "mchbar.0.5000=8000 mchbar.0.5004=3000 mchbar.0.5008=1000 "
                              "mchbar.0.500c=8 mchbar.0.5010=8 mchbar.0.5024=120c3300";
    static const char adl_p[] =
        "mchbar.0.d800=0 mchbar.0.d804=0 mchbar.0.d808=0 mchbar.0.d80c=80008 "
        "mchbar.0.d810=0 mchbar.0.d828=110c2000 mchbar.0.d400=1";

    begin_with(SKL, 16, skl);
    assert_int_equal(c.channel[0].ecc, DECODED_ECC_ON);
    assert_int_equal(c.channel[1].ecc, DECODED_ECC_UNKNOWN);
    begin_with(SKL, 16, skl);
    set(&list, "pci.0.e4=2000000");
    assert_null(decode());
    assert_int_equal(c.channel[0].ecc, DECODED_ECC_OFF);

    for (unsigned mode = 0; mode < 4; mode++) {
        static const enum decoded_ecc is[] = { DECODED_ECC_OFF, DECODED_ECC_UNKNOWN,
                                               DECODED_ECC_UNKNOWN, DECODED_ECC_ON };
        char text[80];

        begin(HSW, 8);
        snprintf(text, sizeof(text), "mchbar.0.5004=%x mchbar.0.5008=3000000", 0x20 | mode << 24);
        set(&list, text);
        decode();
        assert_int_equal(c.channel[0].ecc, is[mode]);
        begin_with(SKL, 16, skl);
        snprintf(text, sizeof(text), "mchbar.0.5004=%x", mode << 12);
        set(&list, text);
        decode();
        assert_int_equal(c.channel[0].ecc, is[mode]);
    }

    begin_with(ADL_P, 8, adl_p); /* in-band: nothing beyond the channel */
    assert_int_equal(c.channel[0].ecc, DECODED_ECC_IN_BAND);
    assert_int_equal(place_of(0).dimm, DRAM_DIMM_UNKNOWN);
    set(&list, "mchbar.0.d400=0");
    assert_null(decode());
    assert_int_equal(c.channel[0].ecc, DECODED_ECC_OFF);
    assert_int_equal(place_of(0x80).dimm, 1);
    set(&list, "mchbar.0.d400=1 pci.0.f0=1000"); /* it has none */
    assert_null(decode());
    assert_int_equal(c.channel[0].ecc, DECODED_ECC_OFF);
}

TEST(no_map)
{
    static const struct {
        const char *registers, *unknown;
    } cases[] = {
        { "pci.0.48=fed10000", "the registers of the memory controllers are off" },
        { "pci.0.48=ffffffff", "the registers of the memory controllers are off" },
        { "pci.0.4c=ffffffff", "the registers of the memory controllers are off" },
        { "mchbar.0.5000=ffffffff", "the registers say that no channel has modules" },
        { "mchbar.0.500c=0 mchbar.0.5010=0", "the registers say that no channel has modules" },
        { "mchbar.0.5010=ffffffff", "a register of the memory controllers does not answer" },
        { "mchbar.0.500c=80000",
          "the registers say that the smaller module of a channel is the larger" },
        { "pci.0.a0=40000000", "the host bridge says another size of all modules" },
        { "mchbar.0.5000=7000", "the registers say two sizes of the smaller channel" },
        { "mchbar.0.5000=4000 mchbar.0.500c=4 mchbar.0.5010=c",
          "the registers say that the smaller channel is the larger" },
        { "mchbar.0.5000=8002", "which channel of LPDDR an address is in is not public" },
        { "mchbar.0.5024=20c3300",
          "the registers do not say which address bit selects the channel" },
        { "mchbar.0.5024=ffffffff", "a register of the memory controllers does not answer" },
        { "mchbar.0.5004=ffffffff", "a register of the memory controllers does not answer" },
        { "pci.0.bc=ffffffff", "a register of the memory controllers does not answer" },
        { "pci.0.98=ffffffff", "a register of the memory controllers does not answer" },
        { "pci.0.bc=f0000000", "the host bridge moves memory that is not there" },
        { "pci.0.90=0 pci.0.94=0", "the host bridge moves memory that is not there" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_with(SKL, 16,
                   "mchbar.0.5000=8000 mchbar.0.5004=101 mchbar.0.5008=101 "
                   "mchbar.0.500c=808 mchbar.0.5010=808 mchbar.0.5024=120c3300");
        set(&list, cases[i].registers);
        assert_non_null(decode());
        assert_string_equal(c.unknown, cases[i].unknown);
        assert_int_equal(c.map.n_zones, 0);
    }
}

TEST(others_processors)
{
    struct register_source source = register_list_source(&list);

    begin(0x29c0, 4); /* QEMU's q35 */
    assert_false(decode_intel_client(&list.cpu, &source, &c));
    assert_int_equal(decode_intel_mchbar(&source), 0);
    begin(SKL, 4);
    assert_int_equal(decode_intel_mchbar(&source), 0xfed10000);
    list.cpu.vendor = CPU_VENDOR_AMD;
    assert_false(decode_intel_client(&list.cpu, &source, &c));
}

TEST(random_registers)
{
    static const char *const machines[] = {
        "mchbar.0.5000=24 mchbar.0.5004=620010 mchbar.0.5008=620010 mchbar.0.5014=10200000 "
        "mchbar.0.5024=a030ce",
        "mchbar.0.5000=8000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=40004 "
        "mchbar.0.5010=40004 mchbar.0.5024=120c3300",
        "mchbar.0.5004=0 mchbar.0.5008=0 mchbar.0.500c=80010 mchbar.0.5010=80018 "
        "mchbar.0.5000=18010 mchbar.0.5024=120c3300 mchbar.0.5028=110c2000 mchbar.0.dc00=0",
        "mchbar.0.5004=0 mchbar.0.500c=10 mchbar.0.5010=0 mchbar.0.5008=0 mchbar.0.15000=0 "
        "mchbar.0.15004=0 mchbar.0.1500c=10 mchbar.0.15010=0 mchbar.0.15008=0 "
        "mchbar.0.110ac=2082200 mchbar.0.d400=0 mchbar.0.1d400=0",
        "mchbar.0.d800=0 mchbar.0.d804=100 mchbar.0.d808=0 mchbar.0.d80c=80018 mchbar.0.d810=0 "
        "mchbar.0.1d800=0 mchbar.0.1d804=100 mchbar.0.1d808=0 mchbar.0.1d80c=220 "
        "mchbar.0.1d810=0 mchbar.0.d9b8=6 mchbar.0.d828=110c2000",
    };
    static const struct {
        unsigned device, gib, machine;
    } at[] = { { IVB, 8, 0 },  { HSW, 8, 0 },  { SKL, 16, 1 }, { RKL, 28, 2 },
               { EHL, 28, 2 }, { TGL, 16, 3 }, { ADL, 32, 4 }, { MTL, 32, 4 } };
    uint64_t digest = 0;

    for (size_t i = 0; i < COUNT(at); i++) {
        begin(at[i].device, at[i].gib);
        set(&list, machines[at[i].machine]);
        assert_true(assert_survives(decode_intel_client, &list, 25000, i + 1, &digest) > 1000 ||
                    at[i].device == ADL || at[i].device == MTL);
    }
    assert_int_equal(digest, UINT64_C(0xda3d32d29ba3ccda));
}

/* Of each of Intel's numbers. */
TEST(every_bit_of_every_device)
{
    uint64_t digest = 0;
    unsigned n_devices = 0;

    begin(SNB, 8);
    set(&list,
        "mchbar.0.5000=8000 mchbar.0.5004=110 mchbar.0.5008=110 mchbar.0.500c=4 mchbar.0.5010=4 "
        "mchbar.0.5014=10200000 mchbar.0.5024=120c3300 mchbar.0.d800=0 mchbar.0.d804=100 "
        "mchbar.0.d808=0 mchbar.0.d80c=10 mchbar.0.d810=0 mchbar.0.5f60=186a0 mchbar.0.5918=48 "
        "mchbar.0.5e04=1018");
    set(&list, "pci.0.0=0");
    for (unsigned device = 0; device <= 0xffff; device++) {
        list.at[0].value = device << 16 | 0x8086;
        n_devices += digest_add_bits(&digest, decode_intel_client, &list);
    }
    assert_int_equal(n_devices, 141);
    assert_int_equal(digest, UINT64_C(0xdaec126bb9492f19));
}
