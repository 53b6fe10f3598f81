// SPDX-License-Identifier: MIT
/* Where each kind of register is read. What a decoder does with them: tests/unit/decoder. */
#include "controller/controllers.h"

#include "controller/played_controller.h"

#define ASKED_MAX 8

static struct register_id asked[ASKED_MAX];
static uint32_t answer[ASKED_MAX];
static bool answered[ASKED_MAX];
static unsigned n_asked;
static struct cpu_model decoded_cpu;

static bool
    played_modules; /* a module in each of two channels, two in the third, none in the fourth */

static void play_modules(struct decoded_controller *c)
{
    c->n_channels = c->map.n_channels = 4;
    c->channel[0].dimm[0].bytes = c->channel[1].dimm[1].bytes = GIB;
    c->channel[2].dimm[0].bytes = c->channel[2].dimm[1].bytes = GIB;
    c->map.n_zones = 1;
    c->map.zone[0] = (struct dram_zone){ .end = UINT64_MAX,
                                         .n_functions = 2,
                                         .function = { 0x100, 0x200 },
                                         .channel = { 0, 1, 2, 3 },
                                         .removed = 0x300 };
    for (unsigned i = 0; i < 3; i++) {
        c->map.channel[i].n_selects = 2;
        c->map.channel[i].dimm[0].n_banks = c->map.channel[i].dimm[1].n_banks = 4;
    }
}

/* In place of the decoder: reads what a test asks for. */
void controller_decode(const struct cpu_model *cpu, const struct register_source *source,
                       struct decoded_controller *ret)
{
    *ret = (struct decoded_controller){ .family = "played",
                                        .unknown = "a function is missing",
                                        .map.zone[0].channel = { 0, 2 } };
    decoded_cpu = *cpu;
    if (played_modules)
        play_modules(ret);
    for (unsigned i = 0; i < n_asked; i++)
        answered[i] = source->read(source->ctx, asked[i], &answer[i]);
}

static void ask(unsigned space, unsigned unit, uint32_t offset)
{
    asked[n_asked++] = (struct register_id){ (uint8_t)space, (uint16_t)unit, offset };
}

static struct controller_source begin(void)
{
    play_begin();
    n_asked = 0;
    handed = NULL;
    last_notice[0] = 0;
    return played_source(CPU_VENDOR_AMD, 25, 97, 2);
}

static void play_bridge(unsigned bus, uint32_t id)
{
    play(bus, 0, 0, PCI_ID, id);
    play(bus, 0, 0, PCI_CLASS, 0x06000000);
    play(bus, 0, 0, SMN_INDEX, OLD_INDEX);
}

TEST(configuration_space)
{
    struct controller_source source = begin();

    source.mcfg = (struct mcfg){ .base = 0xe0000000, .last_bus = 255 };
    play(2, 3, 4, PCI_ID, 0x12345678);
    play(2, 3, 4, 0xfc, 7);
    play_memory(0xe0000000 + (2 << 20) + (3 << 15) + (4 << 12) + 0x850, 9);
    ask(REGISTER_PCI, 2 << 8 | 3 << 3 | 4, 0xfc);
    ask(REGISTER_PCI, 2 << 8 | 3 << 3 | 4, 0x850);
    ask(REGISTER_PCI, 2 << 8 | 3 << 3 | 4, 0x854); /* cannot be read */
    controllers_read(&source);
    assert_true(answered[0] && answer[0] == 7);
    assert_true(answered[1] && answer[1] == 9);
    assert_false(answered[2]);
    assert_int_equal(controllers_get()->registers.n, 2);
    assert_int_equal(controllers_get()->registers.at[1].value, 9);
    assert_int_equal(controllers_get()->registers.cpu.model, 97);
    assert_string_equal(controllers_get()->decoded.family, "played");
}

TEST(window_of_intels_host_bridge)
{
    struct controller_source source = begin();

    play_bridge(0, 0x46608086);
    play(0, 0, 0, 0x48, 0xfedc0001);
    play(0, 0, 0, 0x4c, 0x1);
    play_memory(0x1fedc5004, 5);
    play_memory(0x1fedd5008, 0xffffffff);
    ask(REGISTER_MCHBAR, 0, 0x5004);
    ask(REGISTER_MCHBAR, 0, 0x15008); /* all ones: an answer */
    controllers_read(&source);
    assert_true(answered[0] && answer[0] == 5);
    assert_true(answered[1] && answer[1] == UINT32_MAX);
}

TEST(window_that_is_off)
{
    struct controller_source source = begin();

    play_bridge(0, 0x46608086);
    play(0, 0, 0, 0x48, 0xfedc0000);
    play(0, 0, 0, 0x4c, 0);
    ask(REGISTER_MCHBAR, 0, 0x5004);
    controllers_read(&source);
    assert_false(answered[0]);
    assert_int_equal(played.mapped, 0);
}

TEST(nodes_of_amds)
{
    struct controller_source source = begin();

    play_bridge(0, 0x14d81022);
    play_bridge(0x20, 0x14d81022);
    play_bridge(0x40, 0x14d81022);
    play_bridge(0x60, 0x14d81022);
    play(0, 0x18, 0, PCI_ID, 0x14e01022);
    play(0, 0x19, 0, PCI_ID, 0x14e01022);
    play(0, 0x19, 7, PCI_ID, 0x14e71022);
    play(0, 0x19, 7, 0x60, 6);
    play_smn(0x40, 0x50000, 0x201);
    play(0, 0x19, 4, PCI_ID, 0x14e41022);
    play(0, 0x19, 4, 0x8c, OLD_INDEX);
    play(0, 0x19, 4, 0xb8, 5);
    ask(REGISTER_DF, 1 << 8 | 0xff, 0x7060);
    ask(REGISTER_SMN, 1, 0x50000); /* two bridges a node */
    ask(REGISTER_SMN, 2, 0x50000);
    ask(REGISTER_DF, 1 << 8 | 3, 0x7e04); /* of one instance */
    controllers_read(&source);
    assert_true(answered[0] && answer[0] == 6);
    assert_true(answered[1] && answer[1] == 0x201);
    assert_false(answered[2]);
    assert_true(answered[3] && answer[3] == 5);
    assert_int_equal(played.fabric_index, 1 | (0xe04 >> 1) | (7 << 11) | (3 << 16));
    assert_int_equal(pci_read(pci_function_at(0, 0x19, 4), 0x8c), OLD_INDEX);
    assert_int_equal(pci_read(pci_function_at(0x40, 0, 0), SMN_INDEX), OLD_INDEX);
    assert_int_equal(played.walks, 1);
}

/* Before DF 4 the index is elsewhere, and has a register's number one bit higher. */
TEST(fabric_of_zen_3)
{
    struct controller_source source = begin();

    source.cpu.model = 0x21;
    play(0, 0x18, 4, PCI_ID, 0x16541022);
    play(0, 0x18, 4, 0x5c, OLD_INDEX);
    play(0, 0x18, 4, 0x98, 5);
    ask(REGISTER_DF, 3, 0x0114);
    ask(REGISTER_DF, 3, 0x0804); /* its number has too many bits for the index */
    controllers_read(&source);
    assert_true(answered[0] && answer[0] == 5);
    assert_int_equal(played.fabric_index, 1 | 0x114 | (3 << 16));
    assert_int_equal(pci_read(pci_function_at(0, 0x18, 4), 0x5c), OLD_INDEX);
    assert_false(answered[1]);
}

/* Its device 18h, function 4, has other registers there. */
TEST(no_fabric_before_zen)
{
    struct controller_source source = begin();

    source.cpu.family = 0x15;
    play(0, 0x18, 4, PCI_ID, 0x16041022);
    play(0, 0x18, 4, 0x5c, OLD_INDEX);
    ask(REGISTER_DF, 3, 0x0114);
    controllers_read(&source);
    assert_false(answered[0]);
    assert_int_equal(played.writes, 0);
}

TEST(bridges_that_do_not_match_the_nodes)
{
    struct controller_source source = begin();

    play_bridge(0, 0x14d81022);
    play(0, 0x18, 0, PCI_ID, 0x14e01022);
    play(0, 0x19, 0, PCI_ID, 0x14e01022);
    ask(REGISTER_SMN, 0, 0x50000);
    controllers_read(&source);
    assert_false(answered[0]);
    assert_int_equal(played.writes, 0);
}

TEST(a_virtual_machine_is_not_read)
{
    struct controller_source source = begin();

    source.is_virtual = true;
    ask(REGISTER_MCHBAR, 0, 0x5004);
    controllers_read(&source);
    assert_null(controllers_get()->decoded.family);
    assert_int_equal(controllers_get()->registers.n, 0);
    assert_int_equal(played.reads + played.mapped, 0);
    assert_string_equal(last_notice, "");
}

TEST(registers_that_qemu_hands_over)
{
    struct controller_source source = begin();

    source.is_virtual = true;
    handed = "cpu.intel.6.158.9 mchbar.0.5004=5 nonsense mchbar.0.5008=66";
    ask(REGISTER_MCHBAR, 0, 0x5004);
    ask(REGISTER_MCHBAR, 0, 0x5008);
    controllers_read(&source);
    assert_true(answered[0] && answer[0] == 5);
    assert_false(answered[1]);
    assert_int_equal(decoded_cpu.model, 158);
    assert_int_equal(played.reads + played.mapped, 0);
    assert_string_equal(last_notice,
                        "the registers of memory controllers are those that QEMU hands over, not a "
                        "machine's, up to nonsense mchbar.0.5008=6");
}

TEST(a_function_that_was_found)
{
    struct controller_source source = begin();
    const struct decoded_controller *decoded = &controllers_get()->decoded;

    controllers_read(&source);
    controllers_set_unknown("it was not found");
    assert_string_equal(decoded->unknown, "it was not found");
    controllers_set_function(0x82600, false);
    assert_null(decoded->unknown);
    assert_int_equal(decoded->map.zone[0].function[0], 0x82600);
    assert_int_equal(decoded->map.zone[0].channel[0], 0);
    assert_int_equal(decoded->map.zone[0].removed, 0x200);
    controllers_set_function(0x82700, true);
    assert_int_equal(decoded->map.zone[0].removed, 0x200); /* it was known */
    assert_int_equal(decoded->map.zone[0].channel[0], 2);
    assert_int_equal(decoded->map.zone[0].channel[1], 0);
}

TEST(what_is_in_a_channel_is_forgotten)
{
    static const uint8_t dimm[] = { 0, 1, DRAM_DIMM_UNKNOWN };
    struct controller_source source = begin();
    const struct dram_map *map = &controllers_get()->decoded.map;
    struct dram_place p;

    played_modules = true;
    controllers_read(&source);
    played_modules = false;
    controllers_keep_channels();
    for (unsigned i = 0; i < 3; i++) {
        assert_true(dram_map_locate(map, i << 8 | UINT64_C(0x1234567000), &p));
        assert_int_equal(p.channel, i);
        assert_int_equal(p.dimm, dimm[i]);
        assert_int_equal(map->channel[i].dimm[dimm[i]].n_banks, 0);
    }
    assert_false(dram_map_locate(map, UINT64_C(0x1234567300), &p)); /* it has no module */
}
