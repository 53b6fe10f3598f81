// SPDX-License-Identifier: MIT
/* ACPI's fixed buttons (machine/power.h), on PM1 registers that the test plays. */
#include "machine/power.h"

#include "arch/tsc.h"
#include "event/notices.h"
#include "io/ports.h"
#include "machine/uefi_runtime.h"
#include "tests/unit/unit.h"

enum {
    EVENT_A = 0x600,
    EVENT_B = 0x700,
    CONTROL = 0x604,
    SMI_COMMAND = 0xb2,
    POWER = 1 << 8,
    SLEEP = 1 << 9,
    OTHERS = 0x8021, /* set and enabled by firmware */
};

static struct {
    uint16_t status[2], enable[2], stuck;
    bool sci_enable, obeys_smi, is_absent;
    int n_smi, n_notices;
} fake;

static void take_notice(void *ctx, const char *text)
{
    assert_string_equal(text,
                        "ACPI mode cannot be turned on: the power button does not end the run");
    fake.n_notices++;
}

const struct warnings notices = { .warn = take_notice };

uint16_t io_in16(uint16_t port)
{
    if (fake.is_absent)
        return UINT16_MAX;
    switch (port) {
    case CONTROL: return fake.sci_enable;
    case EVENT_A: return fake.status[0];
    case EVENT_A + 2: return fake.enable[0];
    case EVENT_B: return fake.status[1];
    case EVENT_B + 2: return fake.enable[1];
    default: fail_msg("port 0x%x", port); return 0;
    }
}

/* A one clears. */
void io_out16(uint16_t port, uint16_t value)
{
    switch (port) {
    case EVENT_A: fake.status[0] &= (uint16_t)~value | fake.stuck; break;
    case EVENT_A + 2: fake.enable[0] = value; break;
    case EVENT_B: fake.status[1] &= (uint16_t)~value; break;
    case EVENT_B + 2: fake.enable[1] = value; break;
    default: fail_msg("port 0x%x", port);
    }
}

void io_out8(uint16_t port, uint8_t value)
{
    assert_int_equal(port, SMI_COMMAND);
    assert_int_equal(value, 0xa0);
    fake.n_smi++;
    fake.sci_enable = fake.obeys_smi;
}

uint8_t io_in8(uint16_t port)
{
    fail_msg("port 0x%x is read", port);
    return 0;
}

void io_out32(uint16_t port, uint32_t value)
{
    fail_msg("port 0x%x is written", port);
}

void uefi_restart(void)
{
    fail_msg("a restart");
}

static struct machine_power power;
static struct power_button button;

static int set_up(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.status[0] = fake.enable[0] = OTHERS;
    fake.obeys_smi = true;
    power = (struct machine_power){
        .pm1a_control = CONTROL,
        .pm1a_event = EVENT_A,
        .pm1_enable_at = 2,
        .power_button = true,
        .smi_command_port = SMI_COMMAND,
        .acpi_enable = 0xa0,
    };
    tsc_set_hz(1000000); /* seconds of the machine pass in a moment */
    return 0;
}

static void begin(void)
{
    power_button_begin(&power, &button);
}

TEST(a_press_is_heard_once, set_up)
{
    begin();
    assert_int_equal(fake.n_smi, 1);
    assert_int_equal(fake.enable[0], OTHERS | POWER);
    assert_false(power_button_pressed(&button));
    fake.status[0] |= POWER;
    assert_true(power_button_pressed(&button));
    assert_false(power_button_pressed(&button));
    assert_int_equal(fake.status[0], OTHERS); /* which are not cleared */
}

TEST(a_press_before_does_not_count, set_up)
{
    fake.status[0] |= POWER;
    begin();
    assert_false(power_button_pressed(&button));
}

TEST(acpi_mode_that_is_on, set_up)
{
    fake.sci_enable = true;
    begin();
    assert_int_equal(fake.n_smi, 0);
    fake.status[0] |= POWER;
    assert_true(power_button_pressed(&button));
}

TEST(the_second_block_and_the_other_button, set_up)
{
    power.pm1b_event = EVENT_B;
    power.sleep_button = true;
    begin();
    assert_int_equal(fake.enable[1], POWER | SLEEP);
    fake.status[1] = SLEEP;
    assert_true(power_button_pressed(&button));
    assert_int_equal(fake.status[1], 0);
}

/* Nothing is touched. */
TEST(no_fixed_button, set_up)
{
    power.power_button = false;
    begin();
    power.power_button = true;
    power.pm1a_event = 0;
    begin();
    assert_false(power_button_pressed(&button));
    assert_int_equal(fake.n_smi, 0);
    assert_int_equal(fake.enable[0], OTHERS);
}

TEST(no_acpi_mode, set_up)
{
    fake.obeys_smi = false;
    begin();
    assert_int_equal(fake.n_notices, 1);
    fake.status[0] |= POWER;
    assert_false(power_button_pressed(&button));
}

TEST(registers_that_lie, set_up)
{
    fake.is_absent = true;
    begin();
    assert_false(power_button_pressed(&button));
    set_up(NULL);
    fake.status[0] |= POWER;
    fake.stuck = POWER;
    begin();
    assert_false(power_button_pressed(&button));
    assert_int_equal(fake.n_notices, 0);
}
