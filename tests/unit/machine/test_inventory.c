// SPDX-License-Identifier: MIT
/* What is fitted, by a bus and modules that are played, and what is said when they misbehave. */
#include "machine/inventory.h"

#include "arch/cpuid.h"
#include "controller/controllers.h"
#include "event/notices.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/tables.h"
#include "smbus/sim.h"

struct machine machine;
struct board board;
static struct smbios_memory slots;

static char said[4096];

static void note(void *ctx, const char *text)
{
    size_t n = strlen(said);

    snprintf(said + n, sizeof(said) - n, "%s\n", text);
}

const struct warnings notices = { .warn = note };

volatile void *tables_map_registers(uint64_t phys, uint64_t bytes)
{
    return sim_map(phys, bytes);
}

/* One channel, with a module that runs as it does. */
static struct controllers controllers;

const struct controllers *controllers_get(void)
{
    return &controllers;
}

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){ 0 };
}

void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof(*regs));
}

static void begin(enum smbus_kind kind)
{
    sim_begin(kind);
    memset(&machine, 0, sizeof(machine));
    memset(&slots, 0, sizeof(slots));
    memset(&controllers, 0, sizeof(controllers));
    said[0] = 0;
}

static const struct inventory *read_all(void)
{
    inventory_read(true);
    return inventory_get();
}

/* As if there were traffic all the time. */
static void poll(void)
{
    inventory_poll(&(struct heat_times){ sim.now, sim.now, 0 });
}

#define assert_said(text)                                                                          \
    do {                                                                                           \
        if (!strstr(said, text))                                                                   \
            fail_msg("not said: %s, but: %s", text, said);                                         \
    } while (0)

TEST(modules_are_listed)
{
    const struct inventory *i;

    begin(SMBUS_FCH);
    sim_load(1, SIM_HUB, "ddr5-udimm");
    sim_load(3, SIM_HUB, "ddr5-expo");
    slots.slot[0] = (struct smbios_slot){
        .locator = "DIMM 1", .serial = "5A5A0102", .is_populated = true, .configured_mt_s = 6000
    };
    slots.slot[0].is_ordinary = true;
    slots.n_slot = slots.slots = slots.populated = 1;
    board.slots = &slots;
    controllers.decoded.n_channels = 1;
    controllers.decoded.channel[0].dimm[0].bytes = 32 * GIB;
    controllers.decoded.channel[0].timing = (struct decoded_timing){ 36, 38, 38, 76, 1, 0, 6000 };
    i = read_all();
    assert_int_equal(i->modules.n, 2);
    assert_string_equal(i->bus, "AMD at 0xb00: used");
    assert_string_equal(i->modules.module[1].slot->locator, "DIMM 1");
    assert_true(module_is_above_jedec(&i->modules.module[1]));
    assert_int_equal(i->modules.module[1].running.ras, 76);
    assert_int_equal(i->modules.module[1].spd->n_bytes, 1024);
    assert_string_equal(said, "");
}

static uint64_t state_size(size_t module)
{
    return inventory_get()->modules.module[module].size_bytes;
}

static void add_ram(uint64_t base, uint64_t bytes)
{
    machine.map.region[machine.map.n_regions++] =
        (struct memory_region){ { base, bytes }, BOOT_REGION_USABLE };
}

/* 16 GiB listed, of which the map has 14. */
static void list_memory(void)
{
    begin(SMBUS_I801);
    slots.slot[0] =
        (struct smbios_slot){ .is_populated = true, .is_ordinary = true, .size_bytes = 16 * GIB };
    slots.n_slot = slots.slots = slots.populated = 1;
    board.slots = &slots;
    add_ram(0, 2 * GIB);
    add_ram(4 * GIB, 12 * GIB);
}

static uint64_t missing_bytes(void)
{
    read_all();
    return board.unseen.missing_bytes;
}

/* TOM 16 GiB, TOUUD 16 GiB; TSEG, graphics and so on from 2 to 2.5 GiB, the rest the ME's. */
static void set_top(void)
{
    static const uint32_t word[DRAM_TOP_WORDS] = {
        1, 4, 1, 4, 0x90000001, 0x8f800001, 0x80000001, 0xa0000001,
    };

    sim.bridge[0] = 0x46408086;
    sim.bridge[2] = 0x06000000;
    memcpy(&sim.bridge[DRAM_TOP_FIRST / 4], word, sizeof(word));
}

TEST(what_the_chipset_keeps_is_not_missing)
{
    list_memory();
    assert_int_equal(missing_bytes(), 2 * GIB);
    set_top();
    assert_int_equal(missing_bytes(), 0);
    machine.cpu.hypervisor = true; /* it plays a bridge without these */
    assert_int_equal(missing_bytes(), 2 * GIB);
    machine.cpu.hypervisor = false;
    sim.bridge[2] = 0x06800000; /* no host bridge */
    assert_int_equal(missing_bytes(), 2 * GIB);
    sim.bridge[2] = 0x06000000;
    sim.bridge[0] = 0x14501022; /* not Intel's */
    assert_int_equal(missing_bytes(), 2 * GIB);
}

TEST(graphics_are_looked_for)
{
    static const struct {
        uint32_t id, class;
        bool explains;
    } functions[] = {
        { 0x16381002, 0x03000000, true },  { 0x46a68086, 0x03800000, true },
        { 0x16381002, 0x02000000, false }, { 0x11111234, 0x03000000, false },
        { 0x250310de, 0x03000000, false },
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        list_memory();
        sim.bridge[0] = functions[i].id;
        sim.bridge[2] = functions[i].class;
        assert_int_equal(missing_bytes(), functions[i].explains ? 0 : 2 * GIB);
    }
}

/* SMBIOS has one of them, and so has the map. */
TEST(a_module_that_only_the_bus_knows)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim_load(1, SIM_HUB, "ddr5-expo");
    read_all();
    slots.slot[0] = (struct smbios_slot){ .is_populated = true,
                                          .is_ordinary = true,
                                          .size_bytes = state_size(0) };
    memcpy(slots.slot[0].part, inventory_get()->modules.module[0].part, SMBIOS_NAME_SIZE);
    slots.n_slot = slots.slots = slots.populated = 1;
    board.slots = &slots;
    add_ram(4 * GIB, state_size(0));
    assert_int_equal(missing_bytes(), state_size(1));
    assert_int_equal(board.unseen.n_at, 1);
    assert_int_equal(board.unseen.at[0], 0x51);
}

TEST(nothing_is_asked_without_leave)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    inventory_read(false);
    assert_int_equal(inventory_get()->modules.n, 0);
    assert_string_equal(inventory_get()->bus, "");
    assert_int_equal(sim.transactions + sim.takes, 0);
    for (unsigned i = 0; i < 10; i++) {
        sim.now += 1000000;
        poll();
    }
    assert_int_equal(sim.transactions + sim.takes, 0);
}

TEST(a_bus_that_is_off_gives_no_warning)
{
    begin(SMBUS_I801);
    sim.config[0x40 / 4] = 0;
    assert_string_equal(read_all()->bus, "Intel at 0xb00: off");
    assert_string_equal(said, "");
    begin(SMBUS_I801);
    sim_function(0x12341234, 0x020000, 0);
    assert_string_equal(read_all()->bus, "");
    assert_string_equal(said, "");
}

/* Linux leaves these alone, too. */
TEST(boards_that_suffer_are_left_alone)
{
    static const struct {
        const char *maker, *product;
        bool is_left;
    } boards[] = {
        { "IBM", "2652", true },
        { "DFI Inc.", "LP UT 790FX", true },
        { "DFI Inc.", "LP", false },
        { "Maker", "IBM", false },
    };

    for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++) {
        begin(SMBUS_PIIX4);
        sim_load(0, SIM_EEPROM, "ddr3-udimm");
        strcpy(board.names.system.maker, boards[i].maker);
        strcpy(board.names.system.product, boards[i].product);
        assert_int_equal(read_all()->modules.n, !boards[i].is_left);
        assert_true(!boards[i].is_left == (sim.transactions > 0));
        assert_true(boards[i].is_left == (strstr(said, "may do harm") != NULL));
    }
}

TEST(a_bus_that_cannot_be_used_is_named)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim.others_have_it = SIM_FOREVER;
    assert_int_equal(read_all()->modules.n, 0);
    assert_said("the SMBus is in use by firmware or a management controller; it is left alone, and "
                "what modules say of themselves is not known\n");
    assert_string_equal(inventory_get()->bus, "Intel at 0xb00: in use");

    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim_load(1, SIM_EEPROM, "ddr3-udimm");
    sim.hangs_at = 0x57;
    read_all();
    assert_said("the SMBus is hanging: a transaction has not ended; it is left alone");
    assert_string_equal(inventory_get()->bus, "Intel at 0xb00: hangs");
    assert_true(sim.now < 200000);
}

TEST(modules_that_are_read_in_part_are_named)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim_load(2, SIM_HUB, "ddr5-udimm");
    sim.config[0x40 / 4] |= 0x10;
    sim.blocks_writes = true;
    assert_int_equal(read_all()->modules.n, 2);
    assert_string_equal(said,
                        "2 DDR5 modules cannot be read completely: the bus is read-only: firmware "
                        "has blocked writing to the modules; at most the first 128 bytes of 1024 "
                        "are known, without size, maker and serial number\n");
    assert_int_equal(inventory_get()->modules.module[0].jedec_mt_s, 5600);

    begin(SMBUS_PIIX4);
    sim_load(0, SIM_QEMU, "ddr4-udimm");
    sim_load(1, SIM_HUB, "ddr5-udimm");
    sim.device[1].reg[11] = 8;
    assert_int_equal(read_all()->modules.n, 1);
    assert_string_equal(said, "SPD at SMBus address 0x50: 256 of its bytes can be read: the bus "
                              "is without an answer\n"
                              "SPD at SMBus address 0x51: 0 of its bytes can be read: the bus is "
                              "used with addresses of two bytes\n");
}

/* An EEPROM of the board's own, or of another kind of device. */
TEST(what_is_no_module_does_not_count)
{
    begin(SMBUS_PIIX4);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim.device[0].memory[2] = 0x77;
    sim_load(1, SIM_EEPROM, "ddr3-udimm");
    sim.device[1].memory[2] = 8; /* DDR2 */
    assert_int_equal(read_all()->modules.n, 1);
    assert_int_equal(inventory_get()->modules.module[0].spd->address, 0x51);
}

static void wait_and_poll(unsigned times)
{
    while (times--) {
        sim.now += 250000;
        poll();
    }
}

TEST(temperatures_are_kept)
{
    const struct temperature *t;

    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim_load(4, SIM_EEPROM, "ddr3-udimm"); /* without a sensor */
    sim.device[0].reg[49] = 0x90;          /* 25 degrees */
    sim.device[0].reg[50] = 0x01;
    t = &read_all()->modules.module[0].temperature;
    assert_true(t->is_known && t->start_mc == 25000 && t->highest_mc == 25000);
    assert_false(inventory_get()->modules.module[1].temperature.is_known);
    assert_false(inventory_get()->cpu.is_known);
    sim.device[0].reg[49] = 0x00;
    sim.device[0].reg[50] = 0x05; /* 80 */
    sim.now += 20000000;
    wait_and_poll(3);
    assert_true(t->start_mc == 25000 && t->now_mc == 80000 && t->highest_mc == 80000);
    sim.device[0].reg[50] = 0x02; /* 32 */
    sim.now += 20000000;
    wait_and_poll(3);
    assert_true(t->start_mc == 25000 && t->now_mc == 32000 && t->highest_mc == 80000);
    assert_int_equal(sim.takes, sim.gives);
    assert_string_equal(said, "");
}

/* Each sensor in turn, four times a second; a bus in use is left for the next time. */
TEST(polling_costs_little)
{
    unsigned transactions;
    uint64_t now;

    begin(SMBUS_I801);
    for (unsigned i = 0; i < 4; i++)
        sim_load(i, SIM_HUB, "ddr5-udimm");
    read_all();
    transactions = sim.transactions;
    for (unsigned i = 0; i < 1000; i++) {
        sim.now += 10000; /* 10 s */
        poll();
    }
    assert_in_range(sim.transactions - transactions, 30, 41);

    sim.others_have_it = SIM_FOREVER;
    transactions = sim.transactions;
    sim.now += 250000;
    now = sim.now;
    poll();
    assert_int_equal(sim.transactions, transactions);
    assert_true(sim.now - now < 1100);
    sim.others_have_it = 0;
    wait_and_poll(1);
    assert_int_equal(sim.transactions, transactions + 1);
}

static void set_degrees(unsigned slot, unsigned degrees)
{
    sim.device[slot].reg[49] = (uint8_t)(degrees << 4);
    sim.device[slot].reg[50] = (uint8_t)(degrees >> 4);
}

static enum sensor_doubt doubt_of(size_t module)
{
    return inventory_get()->modules.module[module].temperature.doubt;
}

TEST(a_sensor_that_fails_is_given_up)
{
    unsigned transactions;

    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    read_all();
    sim.device[0].is_there = false;
    transactions = sim.transactions;
    wait_and_poll(20);
    assert_int_equal(sim.transactions, transactions + 3);
    assert_string_equal(said, "the temperature sensor at SMBus address 0x50 does not answer any "
                              "more: it does not count\n");
    assert_int_equal(doubt_of(0), SENSOR_SILENT);

    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    read_all();
    sim.hangs_at = 0x50;
    wait_and_poll(20);
    assert_said("the SMBus is hanging");
    assert_null(strstr(strstr(said, "hanging") + 1, "hanging")); /* once */
}

/* What a module's sensor says every 250 ms, in degrees, and what is said about it. */
TEST(sensors_that_lie)
{
    static const struct {
        unsigned degrees[4];
        enum sensor_doubt doubt;
        const char *said;
    } cases[] = {
        { { 40, 127, 127, 127 }, SENSOR_JUMPS, "says 127 C after 40 C, which cannot be true" },
        { { 40, 0, 0, 0 }, SENSOR_JUMPS, "says 0 C after 40 C, which cannot be true" },
        { { 127, 127, 127, 127 }, SENSOR_JUMPS, "says 127 C, which cannot be true" },
        { { 40, 127, 41, 42 }, SENSOR_TRUSTED, NULL },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct temperature *t;

        begin(SMBUS_I801);
        sim_load(0, SIM_HUB, "ddr5-udimm");
        sim_load(1, SIM_HUB, "ddr5-udimm");
        set_degrees(0, cases[i].degrees[0]);
        set_degrees(1, 40);
        read_all();
        assert_int_equal(doubt_of(0) != SENSOR_TRUSTED, cases[i].degrees[0] == 127);
        t = &inventory_get()->modules.module[0].temperature;
        assert_true(t->is_known && t->is_empty == (cases[i].degrees[0] == 127));
        for (unsigned n = 1; n < 4; n++) {
            set_degrees(0, cases[i].degrees[n]);
            set_degrees(1, 40 + n);
            wait_and_poll(3);
        }
        assert_int_equal(doubt_of(0), cases[i].doubt);
        assert_int_equal(doubt_of(1), SENSOR_TRUSTED);
        if (cases[i].said)
            assert_said(cases[i].said);
        else
            assert_null(strstr(said, "sensor"));
    }
}

TEST(a_sensor_that_never_changes_under_traffic)
{
    begin(SMBUS_FCH);
    sim_load(0, SIM_EE1004, "ddr4-rdimm-3ds");
    sim.device[0].has_sensor = true;
    sim.device[0].sensor[5] = 40 << 4;
    read_all();
    assert_int_equal(inventory_get()->modules.module[0].temperature.now_mc, 40000);
    said[0] = 0;
    wait_and_poll(236);
    assert_string_equal(said, "");
    wait_and_poll(10);
    assert_said("says 40 C all the time, whatever the traffic: it does not count");
    assert_int_equal(doubt_of(0), SENSOR_UNCHANGED);
    sim.device[0].sensor[5] = 41 << 4;
    wait_and_poll(2);
    assert_said("counts again");
    assert_int_equal(doubt_of(0), SENSOR_TRUSTED);
}

/* A bus that others use for long, as a management controller: what is known is too old. */
TEST(a_bus_that_stays_in_use_makes_sensors_silent)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    read_all();
    sim.others_have_it = SIM_FOREVER;
    wait_and_poll(100);
    assert_int_equal(doubt_of(0), SENSOR_TRUSTED);
    wait_and_poll(30);
    assert_int_equal(doubt_of(0), SENSOR_SILENT);
    sim.others_have_it = 0;
    wait_and_poll(2);
    assert_int_equal(doubt_of(0), SENSOR_TRUSTED);
    assert_said("counts again");
}
