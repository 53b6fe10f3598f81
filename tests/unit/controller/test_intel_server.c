// SPDX-License-Identifier: MIT
/* The memory controllers of Xeon E5 and E7, of Xeon Scalable and of later Xeons. */
#include "controller/ecc.h"

#include "controller/played_controller.h"
#include "firmware/memory_ecc.h"

#define ON         4u
#define THERE      (1u << 15)
#define E5_THERE   (1u << 14)
#define HASWELL_EP 0x3f
#define SKYLAKE    0x55
#define ECAM       0x80000000u

static struct controller_source source;

static void begin(uint32_t model, uint32_t stepping)
{
    play_begin();
    source = played_source(CPU_VENDOR_INTEL, 6, model, stepping);
    source.mcfg = (struct mcfg){ .base = ECAM, .last_bus = 0xfe };
}

static enum ecc_answer is_on(void)
{
    struct ecc_control control = controller_ecc(&source);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    assert_int_equal(played.writes, 0);
    return control.is_on;
}

/* mtr: of the second module of each of the three channels. */
static void play_skylake(unsigned bus, unsigned device, uint32_t mcmtr, const uint32_t mtr[3])
{
    static const struct {
        uint32_t id;
        unsigned device, number;
    } channels[] = { { 0x20408086, 0, 0 }, { 0x20448086, 0, 4 }, { 0x20488086, 1, 0 } };

    for (unsigned i = 0; i < 3; i++) {
        play(bus, device + channels[i].device, channels[i].number, PCI_ID, channels[i].id);
        play(bus, device + channels[i].device, channels[i].number, 0x80, 0);
        play(bus, device + channels[i].device, channels[i].number, 0x84, mtr[i]);
    }
    play_memory(ECAM + (bus << 20) + (device << 15) + 0x87c, mcmtr);
}

TEST(decodes_skylake)
{
    static const struct {
        uint32_t mcmtr[2], mtr[2][3];
        enum ecc_answer is_on;
    } cases[] = {
        { { ON, ~0u - 1 }, { { THERE, 0, 0 }, { 0, 0, THERE } }, ECC_YES },
        { { 0, ~ON }, { { THERE, THERE, THERE }, { 0, THERE, 0 } }, ECC_NO },
        { { ON, 0 }, { { THERE, 0, 0 }, { THERE, 0, 0 } }, ECC_NOT_SAID },
        { { ON, 0 }, { { THERE, 0, 0 }, { 0, ABSENT, ~THERE } }, ECC_YES }, /* no modules */
        { { ON, ABSENT }, { { THERE, 0, 0 }, { 0, 0, 0 } }, ECC_YES },
        { { ON, ABSENT }, { { THERE, 0, 0 }, { THERE, 0, 0 } }, ECC_NOT_SAID },
        { { ON, ON }, { { 0, 0, 0 }, { 0, 0, 0 } }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(SKYLAKE, 4);
        play_skylake(0x3a, 10, cases[i].mcmtr[0], cases[i].mtr[0]);
        play_skylake(0x3a, 12, cases[i].mcmtr[1], cases[i].mtr[1]);
        assert_int_equal(is_on(), cases[i].is_on);
    }
}

/* Of the second socket, too, and only where firmware says where that space is. */
TEST(needs_the_extended_space)
{
    static const uint32_t first[3] = { THERE, 0, 0 };
    static const struct {
        struct mcfg mcfg;
        enum ecc_answer is_on;
    } cases[] = {
        { { .base = ECAM, .last_bus = 0xff }, ECC_YES },
        { { .base = ECAM, .first_bus = 0x3a, .last_bus = 0xae }, ECC_YES },
        { { .base = ECAM, .last_bus = 0xad }, ECC_NOT_SAID },
        { { .base = ECAM, .first_bus = 0x3b, .last_bus = 0xff }, ECC_NOT_SAID },
        { { .base = ECAM, .last_bus = 0xff, .has_segments = true }, ECC_NOT_SAID },
        { { .base = ECAM + 0x1000, .last_bus = 0xff }, ECC_NOT_SAID }, /* nothing there */
        { { 0 }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(SKYLAKE, 7);
        play_skylake(0x3a, 10, ON, first);
        play_skylake(0xae, 12, ON, first);
        source.mcfg = cases[i].mcfg;
        assert_int_equal(is_on(), cases[i].is_on);
    }
    begin(SKYLAKE, 7);
    assert_int_equal(is_on(), ECC_NOT_SAID); /* firmware hides them */
}

/* Where each kind has its registers. */
struct kind {
    uint32_t model, stepping, socket_id;
    unsigned bus_register, bar, device, number;
    uint32_t offset; /* of the controller's registers, by 4 KiB as in its BAR */
    uint32_t mcmtr, dimmmtr;
    unsigned channels;
    uint32_t channel_step;
};

#define ICE      0x34528086u
#define SAPPHIRE 0x32528086u

/* The last controller of each. */
static const struct kind kinds[] = {
    { 0x6a, 3, ICE, 0xcc, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x4000 },
    { 0x6a, 4, ICE, 0xd0, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x4000 },
    { 0x6c, 0, ICE, 0xd0, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x4000 },
    { 0x86, 3, ICE, 0xcc, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x4000 },
    { 0x86, 5, ICE, 0xd0, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x4000 },
    { 0x8f, 8, SAPPHIRE, 0xd0, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x8000 },
    { 0xcf, 2, SAPPHIRE, 0xd0, 0xe4, 15, 0, 0, 0x20ef8, 0x2080c, 2, 0x8000 },
    { 0xad, 1, SAPPHIRE, 0xd0, 0xd4, 8, 7, 0x24c000 + 27 * 0x4000, 0xaf8, 0xc0c, 1, 0 },
    { 0xaf, 3, SAPPHIRE, 0xd0, 0xd4, 8, 7, 0x24c000 + 27 * 0x4000, 0xaf8, 0xc0c, 1, 0 },
    { 0xb6, 0, SAPPHIRE, 0xd0, 0xd4, 8, 7, 0x24c000 + 27 * 0x4000, 0xaf8, 0xc0c, 1, 0 },
};

#define SOCKET_BASE(socket) ((UINT64_C(0x1c0) + (socket)) << 23)

/* Of each channel its MCMTR and the DIMMMTR of its second module. */
static void play_socket(const struct kind *k, unsigned socket, const uint32_t mcmtr[2],
                        const uint32_t mtr[2])
{
    unsigned bus = 0x7e + 0x80 * socket;
    uint64_t registers = SOCKET_BASE(socket) + 0x345000 + k->offset;

    play(bus, 0, 0, PCI_ID, k->socket_id);
    play(bus, 0, 0, k->bus_register, 0xff000000u | 0x55 << 8 | bus);
    play(bus, 0, 1, PCI_ID, 0x34518086);
    if (k->bar != 0xd0)
        play(bus, 0, 1, 0xd0, 0xe0000000u | (0x1c0 + socket));
    play(bus, 0, 1, k->bar, 0xabc000 | 0x345);
    play(bus, k->device, k->number, PCI_ID, 0x34568086);
    for (unsigned i = 0; i < k->channels; i++) {
        play_memory(registers + i * k->channel_step + k->mcmtr, mcmtr[i]);
        play_memory(registers + i * k->channel_step + k->dimmmtr, 0);
        play_memory(registers + i * k->channel_step + k->dimmmtr + 4, mtr[i]);
    }
}

TEST(knows_where_the_registers_are)
{
    static const uint32_t on[2] = { ON, ON }, off[2] = { ~ON, 0 }, there[2] = { THERE, THERE };
    static const uint32_t first_on[2] = { ON, 0 };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        begin(kinds[i].model, kinds[i].stepping);
        play_socket(&kinds[i], 0, on, there);
        play_socket(&kinds[i], 1, on, there);
        assert_int_equal(is_on(), ECC_YES);
        play_socket(&kinds[i], 1, off, there);
        assert_int_equal(is_on(), ECC_NOT_SAID);
        play_socket(&kinds[i], 1, first_on, there);
        assert_int_equal(is_on(), kinds[i].channels > 1 ? ECC_NOT_SAID : ECC_YES);
        play_socket(&kinds[i], 1, off, there);
        play_socket(&kinds[i], 0, off, there);
        assert_int_equal(is_on(), ECC_NO);
        assert_int_equal(played.walks, 4);
    }
}

TEST(decodes_the_channels)
{
    static const struct {
        uint32_t mcmtr[2], mtr[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { ON, ~0u - 1 }, { THERE, THERE | 7 }, ECC_YES },
        { { 0, ~ON }, { THERE, THERE }, ECC_NO },
        { { ON, 0 }, { THERE, THERE }, ECC_NOT_SAID },
        { { ON, 0 }, { THERE, ~THERE }, ECC_YES }, /* the second has none */
        { { ON, ABSENT }, { THERE, ABSENT }, ECC_YES },
        { { ON, ABSENT }, { THERE, THERE }, ECC_NOT_SAID },
        { { ABSENT, ABSENT }, { ABSENT, ABSENT }, ECC_NOT_SAID },
        { { ON, ON }, { 0, 0 }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(0x6a, 6);
        play_socket(&kinds[1], 0, cases[i].mcmtr, cases[i].mtr);
        assert_int_equal(is_on(), cases[i].is_on);
    }
}

TEST(what_cannot_be_read_says_nothing)
{
    static const uint32_t on[2] = { ON, ON }, there[2] = { THERE, THERE };
    static const struct {
        unsigned number, offset;
        uint32_t value;
    } cases[] = {
        { 0, 0xd0, 0x1557e }, /* the registers are in segment 1 */
        { 0, 0xd0, ABSENT },       { 1, 0xd0, ABSENT }, { 1, 0xd0, 0xe0000000 },
        { 1, 0xe4, ABSENT },       { 1, 0xe4, 0x344 }, /* nothing there: no module is seen */
        { 0, PCI_ID, 0x34538086 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(0x6a, 6);
        play_socket(&kinds[1], 0, on, there);
        assert_int_equal(is_on(), ECC_YES);
        play(0x7e, 0, cases[i].number, cases[i].offset, cases[i].value);
        assert_int_equal(is_on(), ECC_NOT_SAID);
    }
    begin(0x6a, 6);
    play_socket(&kinds[1], 0, on, there);
    source.mcfg.has_segments = true;
    assert_int_equal(is_on(), ECC_NOT_SAID);
}

static void begin_e5(uint32_t model)
{
    play_begin();
    source = played_source(CPU_VENDOR_INTEL, 6, model, 2);
    play(0xff, 8, 0, PCI_ID, 0x12348086); /* of another kind */
}

/* A controller of a home agent, and its last channel; mtr: of that channel's last module. */
static void play_e5(unsigned bus, unsigned device, uint16_t id, uint32_t mcmtr, uint32_t mtr)
{
    play(bus, device, 0, PCI_ID, 0x8086 | (uint32_t)id << 16);
    play(bus, device, 0, 0x7c, mcmtr);
    play(bus, device, 5, PCI_ID, 0x8086 | (uint32_t)(id + 5) << 16);
    play(bus, device, 5, 0x80, 0);
    play(bus, device, 5, 0x84, ABSENT);
    play(bus, device, 5, 0x88, mtr);
}

static enum ecc_answer is_e5_on(void)
{
    struct ecc_control control = controller_ecc(&source);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    return control.is_on;
}

TEST(decodes_e5)
{
    static const struct {
        uint16_t id[2];
        uint32_t mcmtr[2], mtr[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 0x2fa8, 0x2f68 }, { ON, ~0u - 1 }, { E5_THERE, E5_THERE }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { 0, ~ON }, { E5_THERE, E5_THERE }, ECC_NO },
        { { 0x2fa8, 0x2f68 }, { ON, 0 }, { E5_THERE, E5_THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { 0, ON }, { E5_THERE, E5_THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 },
          { ON, 0 },
          { E5_THERE, ~E5_THERE },
          ECC_YES }, /* the second has none */
        { { 0x2fa8, 0x2f68 }, { ON, 0 }, { E5_THERE, ABSENT }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { ON, ABSENT }, { E5_THERE, 0 }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { ON, ON }, { 0, 0 }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { ON, ABSENT }, { E5_THERE, E5_THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { 0, ABSENT }, { E5_THERE, E5_THERE }, ECC_NOT_SAID },
        { { 0x3ca8, 0x3ca8 }, { ON, ON }, { E5_THERE, E5_THERE }, ECC_YES }, /* of two sockets */
        { { 0x0ea8, 0x0e68 }, { ON, ON }, { E5_THERE, E5_THERE }, ECC_YES },
        { { 0x6fa8, 0x6f68 }, { 0, 0 }, { E5_THERE, E5_THERE }, ECC_NO },
        { { 0x6fa8, 0x1234 }, { ON, 0 }, { E5_THERE, E5_THERE }, ECC_YES },
        { { 0x1234, 0x1234 }, { ON, ON }, { E5_THERE, E5_THERE }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_e5(HASWELL_EP);
        for (unsigned k = 0; k < 2; k++)
            play_e5(0x7f + 0x80 * k, 19, cases[i].id[k], cases[i].mcmtr[k], cases[i].mtr[k]);
        assert_int_equal(is_e5_on(), cases[i].is_on);
        assert_int_equal(played.walks, 1);
    }
}

/* A function of the controller's device that is not one of its channels says nothing. */
TEST(e5_looks_at_its_own_channels)
{
    begin_e5(HASWELL_EP);
    play_e5(0x7f, 19, 0x2fa8, ON, E5_THERE);
    play(0x7f, 19, 5, PCI_ID, 0x2fac8086);
    assert_int_equal(is_e5_on(), ECC_NOT_SAID);
    play(0x7f, 19, 0, PCI_ID, 0x2fa81022);
    play(0x7f, 19, 5, PCI_ID, 0x2fad8086);
    assert_int_equal(is_e5_on(), ECC_NOT_SAID);
}

TEST(finds_mirroring_of_e5)
{
    static const struct {
        uint32_t id;
        unsigned offset;
        uint32_t value;
        unsigned repair;
    } cases[] = {
        { 0x3c718086, 0xac, 1, MEMORY_REPAIR_MIRRORING },
        { 0x0e798086, 0xac, ~0u - 2, MEMORY_REPAIR_MIRRORING },
        { 0x2f718086, 0xac, ~1u, 0 },
        { 0x6f798086, 0xac, ABSENT, 0 },
        { 0x2fa08086, 0x84, 1 << 28, MEMORY_REPAIR_RANGE_MIRRORING },
        { 0x6f608086, 0x84, 1 << 28, MEMORY_REPAIR_RANGE_MIRRORING },
        { 0x6fa08086, 0x84, ~(1u << 28), 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ecc_control control;

        begin_e5(HASWELL_EP);
        play_e5(0x7f, 19, 0x2fa8, ON, E5_THERE);
        play(0x7f, 20, 1, PCI_ID, cases[i].id);
        play(0x7f, 20, 1, cases[i].offset, cases[i].value);
        control = controller_ecc(&source);
        assert_int_equal(control.is_on, ECC_YES);
        assert_int_equal(control.repair, cases[i].repair);
    }
}

TEST(looks_on_known_models_only)
{
    static const struct {
        enum cpu_vendor vendor;
        uint32_t family, model;
        bool is_e5, is_scalable;
    } cpus[] = {
        { CPU_VENDOR_INTEL, 6, 0x2d, true, false },   { CPU_VENDOR_INTEL, 6, 0x3e, true, false },
        { CPU_VENDOR_INTEL, 6, 0x3f, true, false },   { CPU_VENDOR_INTEL, 6, 0x4f, true, false },
        { CPU_VENDOR_INTEL, 6, 0x56, true, false },   { CPU_VENDOR_INTEL, 6, 0x55, false, true },
        { CPU_VENDOR_INTEL, 6, 0x6a, false, true },   { CPU_VENDOR_INTEL, 6, 0x8f, false, true },
        { CPU_VENDOR_INTEL, 6, 0xb6, false, true },   { CPU_VENDOR_INTEL, 6, 0x2c, false, false },
        { CPU_VENDOR_INTEL, 6, 0x3c, false, false },  { CPU_VENDOR_INTEL, 6, 0x57, false, false },
        { CPU_VENDOR_INTEL, 6, 0xae, false, false },  { CPU_VENDOR_INTEL, 6, 0x97, false, false },
        { CPU_VENDOR_INTEL, 15, 0x3f, false, false }, { CPU_VENDOR_INTEL, 15, 0x55, false, false },
        { CPU_VENDOR_INTEL, 15, 0x6a, false, false }, { CPU_VENDOR_OTHER, 6, 0x3f, false, false },
        { CPU_VENDOR_OTHER, 6, 0x55, false, false },
    };

    for (size_t i = 0; i < COUNT(cpus); i++) {
        source = played_source(cpus[i].vendor, cpus[i].family, cpus[i].model, 0);
        assert_int_equal(controller_intel_e5.matches(&source), cpus[i].is_e5);
        assert_int_equal(controller_intel_scalable.matches(&source), cpus[i].is_scalable);
    }
}
