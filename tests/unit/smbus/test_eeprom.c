// SPDX-License-Identifier: MIT
/* Modules are read through a controller and devices that are played. */
#include "smbus/sim.h"

static const enum smbus_kind kinds[] = { SMBUS_I801, SMBUS_PIIX4, SMBUS_FCH };

static struct eeprom found[EEPROMS];
static struct smbus bus;

static void begin(enum smbus_kind kind)
{
    sim_begin(kind);
}

static enum smbus_outcome read_all(bool is_ddr4)
{
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_OK);
    return eeproms_read(&bus, is_ddr4, found);
}

/* The semaphore was given back as often as it was taken, and the selected bus is as before. */
static void assert_left_as_found(uint8_t pm2)
{
    assert_int_equal(sim.takes, sim.gives);
    assert_false(sim.semaphore);
    assert_int_equal(sim.slave_control & 0x10, 0);
    assert_int_equal(sim.pm[2], pm2);
    assert_int_equal(sim.left, 0);
}

static void assert_whole(unsigned slot, size_t n)
{
    assert_true(found[slot].is_there);
    assert_int_equal(found[slot].address, 0x50 + slot);
    assert_int_equal(found[slot].outcome, SMBUS_DONE);
    assert_int_equal(found[slot].n, n);
    assert_memory_equal(found[slot].byte, sim.device[slot].memory, n);
}

TEST(reads_ddr3)
{
    for (size_t i = 0; i < 3; i++) {
        begin(kinds[i]);
        sim_load(0, SIM_EEPROM, "ddr3-udimm");
        sim_load(7, SIM_EEPROM, "ddr3-rdimm");
        assert_int_equal(read_all(false), SMBUS_DONE);
        assert_whole(0, 256);
        assert_whole(7, 256);
        for (unsigned slot = 1; slot < 7; slot++) {
            assert_false(found[slot].is_there);
            assert_int_equal(found[slot].outcome, SMBUS_NO_DEVICE);
        }
        assert_int_equal(sim.page_writes, 0);
        assert_left_as_found(kinds[i] == SMBUS_FCH ? 0x08 : 0xff);
    }
}

TEST(reads_both_pages_of_ddr4)
{
    for (size_t i = 0; i < 3; i++) {
        begin(kinds[i]);
        sim_load(1, SIM_EE1004, "ddr4-udimm");
        sim_load(3, SIM_EE1004, "ddr4-sodimm");
        assert_int_equal(read_all(false), SMBUS_DONE);
        assert_whole(1, 512);
        assert_whole(3, 512);
        assert_int_equal(sim.page, 0);
        assert_left_as_found(kinds[i] == SMBUS_FCH ? 0x08 : 0xff);
    }
}

/* Firmware may have left them so; only its tables say then that they are DDR4. */
TEST(ddr4_that_shows_its_second_page)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_EE1004, "ddr4-udimm");
    sim.page = 1;
    assert_int_equal(read_all(true), SMBUS_DONE);
    assert_whole(0, 512);
    assert_int_equal(sim.page, 0);
}

/* To older modules the selection of a page would be a command that protects them for ever. */
TEST(older_modules_are_never_written_to)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    assert_int_equal(read_all(true), SMBUS_DONE);
    assert_int_equal(sim.page_writes, 0);
    assert_whole(0, 256);
    sim_load(1, SIM_EE1004, "ddr4-udimm"); /* no board has both */
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(sim.page_writes, 0);
    assert_int_equal(found[1].n, 256);
}

/* An EEPROM of 256 bytes that calls itself DDR4: nothing answers to the selection of a page. */
TEST(ddr4_without_pages_is_short)
{
    begin(SMBUS_PIIX4);
    sim_load(0, SIM_QEMU, "ddr4-udimm");
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_true(found[0].is_there);
    assert_int_equal(found[0].n, 256);
    assert_int_equal(found[0].outcome, SMBUS_NO_DEVICE);
    assert_memory_equal(found[0].byte, sim.device[0].memory, 256);
}

TEST(reads_all_pages_of_ddr5)
{
    static const uint8_t shown[] = { 0, 4, 7 };

    for (size_t i = 0; i < 9; i++) {
        begin(kinds[i / 3]);
        sim_load(0, SIM_HUB, "ddr5-udimm");
        sim_load(2, SIM_HUB, "ddr5-expo");
        sim.device[2].reg[11] = shown[i % 3];
        assert_int_equal(read_all(false), SMBUS_DONE);
        assert_whole(0, 1024);
        assert_whole(2, 1024);
        assert_true(found[0].is_hub && found[2].is_hub);
        assert_int_equal(sim.device[0].reg[11], 0);
        assert_int_equal(sim.device[2].reg[11], shown[i % 3]);
        assert_left_as_found(kinds[i / 3] == SMBUS_FCH ? 0x08 : 0xff);
    }
}

/* SPD Write Disable: what the hub shows can be read, and the page stays. */
TEST(a_controller_that_refuses_to_write)
{
    begin(SMBUS_I801);
    sim.config[0x40 / 4] |= 0x10;
    sim.blocks_writes = true;
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim_load(1, SIM_HUB, "ddr5-udimm");
    sim.device[1].reg[11] = 4;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_BLOCKED);
    assert_int_equal(found[0].n, 128);
    assert_memory_equal(found[0].byte, sim.device[0].memory, 128);
    assert_int_equal(found[1].outcome, SMBUS_BLOCKED);
    assert_int_equal(found[1].n, 0);
    assert_int_equal(sim.page_writes, 0);
    assert_left_as_found(0xff);
}

/* A hub that keeps its page, and a controller that does not say that it refuses. */
TEST(a_page_that_does_not_change)
{
    begin(SMBUS_I801);
    sim.ignores_writes = true;
    sim_load(0, SIM_HUB, "ddr5-udimm");
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_BLOCKED);
    assert_int_equal(found[0].n, 128);
    sim.ignores_writes = false;
    sim.blocks_writes = true;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_NO_DEVICE);
    assert_int_equal(found[0].n, 128);
}

TEST(a_hub_with_addresses_of_two_bytes)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim.device[0].reg[11] = 8;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_OTHER_MODE);
    assert_int_equal(found[0].n, 0);
    assert_int_equal(sim.device[0].reg[11], 8);
    assert_int_equal(sim.page_writes, 0);
}

/* In the middle of a page: what was read before it counts, and no page with a hole. */
TEST(a_module_that_falls_silent)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim.dies_after = 8 + 1 + 64 + 2 + 20; /* probes, MR11, page 0, another page, a part of it */
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_NO_DEVICE);
    assert_int_equal(found[0].n, 128);
    assert_memory_equal(found[0].byte, sim.device[0].memory, 128);
    assert_left_as_found(0xff);

    begin(SMBUS_PIIX4);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim.dies_after = 8 + 1 + 4;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_NO_DEVICE);
    assert_int_equal(found[0].n, 0);
}

/* No page is selected where only firmware's tables, and no EEPROM, could say that there is one. */
TEST(without_ddr4_no_page_is_selected)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_HUB, "ddr5-udimm");
    sim.config[0x40 / 4] |= 0x10;
    sim.blocks_writes = true;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(sim.page_writes, 0);
}

TEST(blank_ones_cost_little)
{
    begin(SMBUS_PIIX4);
    for (unsigned i = 0; i < 8; i++) {
        sim.device[i].is_there = true;
        memset(sim.device[i].memory, i & 1 ? 0xff : 0, 1024);
    }
    assert_int_equal(read_all(false), SMBUS_DONE);
    for (unsigned i = 0; i < 8; i++) {
        assert_true(found[i].is_there);
        assert_int_equal(found[i].n, 0);
        assert_int_equal(found[i].outcome, SMBUS_DONE);
    }
    assert_true(sim.transactions <= 8 * 10);
}

/* The semaphore, or another's transaction, for longer than okram waits, and for less. */
TEST(a_bus_in_use_is_left_alone)
{
    for (size_t i = 0; i < 3; i++) {
        begin(kinds[i]);
        sim_load(0, SIM_EEPROM, "ddr3-udimm");
        sim.others_have_it = kinds[i] == SMBUS_PIIX4 ? 0 : SIM_FOREVER;
        sim.busy_until = kinds[i] == SMBUS_PIIX4 ? SIM_FOREVER : 0;
        assert_int_equal(read_all(false), SMBUS_IN_USE);
        assert_int_equal(sim.transactions, 0);
        assert_in_range(sim.now, 500000, 520000);
        assert_int_equal(found[0].n, 0);

        begin(kinds[i]);
        sim_load(0, SIM_EEPROM, "ddr3-udimm");
        sim.others_have_it = kinds[i] == SMBUS_PIIX4 ? 0 : 300000;
        sim.busy_until = 400000;
        assert_int_equal(read_all(false), SMBUS_DONE);
        assert_whole(0, 256);
        assert_left_as_found(kinds[i] == SMBUS_FCH ? 0x08 : 0xff);
    }
}

/* Free, but with a transaction that never ends: what was taken is given back. */
TEST(a_busy_bus_is_given_back)
{
    begin(SMBUS_FCH);
    sim.busy_until = SIM_FOREVER;
    assert_int_equal(read_all(false), SMBUS_IN_USE);
    assert_int_equal(sim.transactions, 0);
    assert_left_as_found(0x08);
}

/* Of two modules, the second holds the clock: the first is there, and nothing is tried again. */
TEST(a_bus_that_hangs)
{
    for (size_t i = 0; i < 3; i++) {
        uint64_t now;
        unsigned transactions;

        begin(kinds[i]);
        sim_load(0, SIM_EEPROM, "ddr3-udimm");
        sim_load(1, SIM_EEPROM, "ddr3-udimm");
        sim.hangs_at = 0x51;
        assert_int_equal(read_all(false), SMBUS_HUNG);
        assert_in_range(sim.now, 50000, 60000);
        assert_true(bus.is_hung);
        assert_int_equal(found[1].outcome, SMBUS_HUNG);
        assert_left_as_found(kinds[i] == SMBUS_FCH ? 0x08 : 0xff);

        now = sim.now;
        transactions = sim.transactions;
        assert_int_equal(eeproms_read(&bus, false, found), SMBUS_HUNG);
        assert_int_equal(sim.transactions, transactions);
        assert_true(sim.now - now < 10);
    }
}

TEST(collisions_are_tried_again)
{
    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim.collisions = 2;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_whole(0, 256);

    begin(SMBUS_I801);
    sim_load(0, SIM_EEPROM, "ddr3-udimm");
    sim.collisions = 3;
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(found[0].outcome, SMBUS_FAILED);
    assert_false(found[0].is_there);
}

/* What a real bus takes: 48 bits at 100 kHz, of two bytes. */
TEST(slow_transactions_are_waited_for)
{
    begin(SMBUS_I801);
    sim.slow = 240;
    sim_load(0, SIM_HUB, "ddr5-rdimm");
    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_whole(0, 1024);
    assert_true(sim.now < 400000);
}

static struct sensor find_sensor(unsigned slot, bool has_sensor)
{
    struct spd spd = { .has_sensor = has_sensor };
    struct sensor sensor;

    assert_int_equal(read_all(false), SMBUS_DONE);
    assert_int_equal(smbus_take(&bus, SMBUS_TAKE_US), SMBUS_DONE);
    sensor_find(&bus, &found[slot], &spd, &sensor);
    return sensor;
}

TEST(hubs_have_temperatures)
{
    static const struct {
        uint16_t value;
        int32_t mc;
    } cases[] = { { 0x0000, 0 },       { 0x0190, 25000 },  { 0x0194, 25250 },
                  { 0x0550, 85000 },   { 0x1ffc, -250 },   { 0x1d80, -40000 },
                  { 0x1000, -256000 }, { 0x0ffc, 255750 }, { 0xe190, 25000 } };
    struct sensor sensor;

    begin(SMBUS_I801);
    sim_load(2, SIM_HUB, "ddr5-udimm");
    sensor = find_sensor(2, false);
    assert_int_equal(sensor.address, 0x52);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int32_t mc;

        sim.device[2].reg[49] = (uint8_t)cases[i].value;
        sim.device[2].reg[50] = (uint8_t)(cases[i].value >> 8);
        assert_int_equal(sensor_read(&bus, &sensor, &mc), SMBUS_DONE);
        assert_int_equal(mc, cases[i].mc);
    }
    smbus_give(&bus);
    sim.device[2].reg[26] = 1; /* off */
    assert_int_equal(find_sensor(2, false).address, 0);
    smbus_give(&bus);
    sim.device[2].reg[26] = 0;
    sim.device[2].reg[5] = 1; /* SPD5108: none */
    assert_int_equal(find_sensor(2, false).address, 0);
}

TEST(ddr4_may_have_a_chip_for_it)
{
    static const struct {
        uint16_t value;
        int32_t mc;
    } cases[] = { { 0xc190, 25000 }, { 0x0191, 25062 }, { 0x1ff0, -1000 }, { 0x0000, 0 } };
    struct sensor sensor;
    int32_t mc = 7;

    begin(SMBUS_FCH);
    sim_load(1, SIM_EE1004, "ddr4-rdimm-3ds");
    sim.device[1].has_sensor = true;
    assert_int_equal(find_sensor(1, false).address, 0); /* the SPD says that there is none */
    smbus_give(&bus);
    sensor = find_sensor(1, true);
    assert_int_equal(sensor.address, 0x19);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sim.device[1].sensor[5] = cases[i].value;
        assert_int_equal(sensor_read(&bus, &sensor, &mc), SMBUS_DONE);
        assert_int_equal(mc, cases[i].mc);
    }
    sim.device[1].has_sensor = false;
    mc = 7;
    assert_int_equal(sensor_read(&bus, &sensor, &mc), SMBUS_NO_DEVICE);
    assert_int_equal(mc, 7);
    smbus_give(&bus);
    sim.device[1].has_sensor = true;
    sim.device[1].sensor[1] = 0x0100; /* off */
    assert_int_equal(find_sensor(1, true).address, 0);
    smbus_give(&bus);
    sim.device[1].sensor[1] = 0x8000; /* another kind of device */
    assert_int_equal(find_sensor(1, true).address, 0);
}

TEST(outcomes_have_words)
{
    for (int i = SMBUS_DONE; i <= SMBUS_OTHER_MODE; i++)
        assert_true(strlen(smbus_outcome_text((enum smbus_outcome)i)) > 3);
}
