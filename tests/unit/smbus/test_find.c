// SPDX-License-Identifier: MIT
/* Which controllers are found, and what of them. */
#include "smbus/sim.h"

static struct smbus bus;

TEST(intels_is_found_by_its_class)
{
    sim_begin(SMBUS_I801);
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_OK);
    assert_int_equal(bus.kind, SMBUS_I801);
    assert_int_equal(bus.ports, SIM_PORTS);
    assert_false(bus.blocks_writes);
    assert_string_equal(smbus_kind_name(bus.kind), "Intel");
    sim.config[0x40 / 4] |= 0x10;
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_OK);
    assert_true(bus.blocks_writes);
}

TEST(intels_that_is_off_or_another)
{
    sim_begin(SMBUS_I801);
    sim.config[0x40 / 4] = 0;
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
    sim_begin(SMBUS_I801);
    sim.config[1] = 6; /* no ports */
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
    sim_begin(SMBUS_I801);
    sim.config[0x20 / 4] = 0; /* registers in memory: iSMT */
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_NOT_FOUND);
    sim_begin(SMBUS_I801);
    sim.config[0] = 0x12341af4;
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_NOT_FOUND);
    sim_begin(SMBUS_I801);
    sim.config[2] = 0x0c032000;
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_NOT_FOUND);
}

TEST(piix4s_is_in_configuration_space)
{
    static const uint32_t ids[] = { 0x71138086, 0x43721002, 0x43851002 };

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        sim_begin(SMBUS_PIIX4);
        sim.config[0] = ids[i];
        assert_int_equal(smbus_find(sim_map, &bus), STATUS_OK);
        assert_int_equal(bus.kind, SMBUS_PIIX4);
        assert_int_equal(bus.ports, SIM_PORTS);
        sim.config[0xd0 / 4] = 0;
        assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
        sim.config[0xd0 / 4] = 1 << 16;
        sim.config[0x90 / 4] = 1;
        assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
    }
}

/* Each generation of AMD's has its address, and what selects a bus, elsewhere. */
TEST(amds_are_in_pm_registers)
{
    static const struct {
        uint32_t id;
        unsigned revision;
        bool has_decode_en, in_memory;
        uint8_t selects_by, select, mask; /* selects_by: of register 0x2f */
    } cases[] = {
        { 0x43851002, 0x40, false, false, 0, 0x2c, 0x06 },
        { 0x43851002, 0x42, false, false, 1, 0x2e, 0x06 },
        { 0x780b1022, 0x16, false, false, 0, 0x2e, 0x06 },
        { 0x780b1022, 0x41, true, false, 0, 0x2e, 0x06 },
        { 0x790b1022, 0x48, false, false, 0, 0x02, 0x18 },
        { 0x790b1022, 0x49, true, false, 0, 0x02, 0x18 },
        { 0x790b1022, 0x51, true, true, 0, 0x02, 0x18 },
        { 0x790b1022, 0x71, true, true, 0, 0x02, 0x18 },
        { 0x790b1d94, 0x4a, true, false, 0, 0x02, 0x18 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sim_begin(SMBUS_FCH);
        memset(sim.pm, 0, sizeof(sim.pm));
        sim_function(cases[i].id, 0x0c0500, cases[i].revision);
        sim.has_pm_ports = !cases[i].in_memory;
        sim.pm_is_in_memory = cases[i].in_memory;
        sim.pm[0x2f] = cases[i].selects_by;
        assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
        if (cases[i].has_decode_en) {
            sim.pm[0] = 0x10;
            sim.pm[1] = SIM_PORTS >> 8;
        } else {
            sim.pm[0x2c] = 0x01;
            sim.pm[0x2d] = SIM_PORTS >> 8;
        }
        assert_int_equal(smbus_find(sim_map, &bus), STATUS_OK);
        assert_int_equal(bus.kind, SMBUS_FCH);
        assert_int_equal(bus.ports, SIM_PORTS);
        assert_int_equal(bus.select, cases[i].select);
        assert_int_equal(bus.select_mask, cases[i].mask);
        assert_true(!bus.pm == !cases[i].in_memory);
    }
}

/* PM registers that nothing answers for, or that cannot be mapped. */
TEST(amds_without_registers_is_off)
{
    sim_begin(SMBUS_FCH);
    memset(sim.pm, 0xff, sizeof(sim.pm));
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
    sim_function(0x780b1022, 0x0c0500, 0x16);
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
    sim_function(0x790b1022, 0x0c0500, 0x51);
    sim.has_pm_ports = false;
    assert_int_equal(smbus_find(sim_map, &bus), STATUS_UNSUPPORTED);
}
