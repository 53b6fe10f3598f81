// SPDX-License-Identifier: MIT
/* Power off by ACPI, on a machine whose firmware has left ACPI mode on or off. */
#include "machine/power.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/tsc.h"
#include "io/ports.h"

enum {
    PM1A = 0x604,
    PM1B = 0x704,
    SMI_COMMAND = 0xb2,
    ACPI_ENABLE = 0xf1,
    SLEEP_PORT = 0x600,
    SCI_ENABLE = 1,
    SLEEP = 5 << 10 | 1 << 13, /* the type that the tests give, and the bit that starts it */
};

static struct {
    uint16_t pm1a, pm1b;
    bool obeys_smi, obeys_sleep;
    int n_smi, n_writes; /* of PM1 control */
    int reads_until_mode;
    bool asleep;
    uint8_t sleep_control; /* of hardware-reduced ACPI */
} fake;

uint16_t io_in16(uint16_t port)
{
    if (port == PM1B)
        return fake.pm1b;
    assert_int_equal(port, PM1A);
    if (fake.n_smi && fake.obeys_smi && fake.reads_until_mode-- <= 0)
        fake.pm1a |= SCI_ENABLE;
    return fake.pm1a;
}

void io_out8(uint16_t port, uint8_t value)
{
    if (port == SLEEP_PORT) {
        fake.sleep_control = value;
        return;
    }
    assert_int_equal(port, SMI_COMMAND);
    assert_int_equal(value, ACPI_ENABLE);
    fake.n_smi++;
}

/* As chipsets do: S5 is entered in ACPI mode alone. */
void io_out16(uint16_t port, uint16_t value)
{
    fake.n_writes++;
    if (port == PM1B) {
        fake.pm1b = value;
        return;
    }
    assert_int_equal(port, PM1A);
    if (value & SCI_ENABLE && (value & SLEEP) == SLEEP && fake.obeys_sleep)
        fake.asleep = true;
}

static struct machine_power power(void)
{
    return (struct machine_power){
        .pm1a_control = PM1A,
        .sleep_type_a = 5,
        .sleep_type_b = 5,
        .has_s5 = true,
        .smi_command_port = SMI_COMMAND,
        .acpi_enable = ACPI_ENABLE,
    };
}

static int set_up(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.obeys_smi = fake.obeys_sleep = true;
    tsc_set_hz(1000000); /* seconds of the machine pass in a moment */
    return 0;
}

static void test_acpi_mode_is_on(void **state)
{
    struct machine_power p = power();

    fake.pm1a = SCI_ENABLE;
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.n_smi, 0);
    assert_int_equal(fake.n_writes, 1);
}

static void test_acpi_mode_is_turned_on_first(void **state)
{
    struct machine_power p = power();

    fake.reads_until_mode = 100;
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.n_smi, 1);
}

/* Firmware that does not react costs a few seconds; S5 is tried all the same. */
static void test_acpi_mode_stays_off(void **state)
{
    struct machine_power p = power();

    fake.obeys_smi = false;
    assert_string_equal(machine_power_off(&p), "ACPI mode cannot be turned on");
    assert_int_equal(fake.n_smi, 1);
    assert_int_equal(fake.n_writes, 1);
}

/* Without a command, or without a port for it, ACPI mode is always on (ACPI 6.5, 5.2.9). */
static void test_no_command(void **state)
{
    struct machine_power no_port = power(), no_value = power();

    no_port.smi_command_port = 0;
    no_value.acpi_enable = 0;
    assert_string_equal(machine_power_off(&no_port), "the machine ignored ACPI's S5");
    assert_string_equal(machine_power_off(&no_value), "the machine ignored ACPI's S5");
    assert_int_equal(fake.n_smi, 0);
    assert_int_equal(fake.n_writes, 2);
}

static void test_machine_stays_on(void **state)
{
    struct machine_power p = power();

    fake.pm1a = SCI_ENABLE;
    fake.obeys_sleep = false;
    assert_string_equal(machine_power_off(&p), "the machine ignored ACPI's S5");
}

/* No PM1 registers are touched. */
static void test_hardware_reduced(void **state)
{
    struct machine_power port = { .has_s5 = true, .sleep_type_a = 5, .sleep_port = SLEEP_PORT };
    struct machine_power memory = { .has_s5 = true, .sleep_type_a = 5 };
    volatile uint8_t control = 0;

    assert_string_equal(machine_power_off(&port), "the machine ignored ACPI's S5");
    assert_int_equal(fake.sleep_control, 5 << 2 | 1 << 5);
    memory.sleep_register = &control;
    assert_string_equal(machine_power_off(&memory), "the machine ignored ACPI's S5");
    assert_int_equal(control, 5 << 2 | 1 << 5);
    assert_int_equal(fake.n_writes + fake.n_smi, 0);
}

static void test_no_s5(void **state)
{
    struct machine_power p = power();

    p.has_s5 = false;
    assert_string_equal(machine_power_off(&p), "ACPI names no state S5");
    assert_int_equal(fake.n_writes + fake.n_smi, 0);
}

static void test_second_control_register(void **state)
{
    struct machine_power p = power();

    p.pm1b_control = PM1B;
    fake.pm1a = fake.pm1b = SCI_ENABLE;
    machine_power_off(&p);
    assert_int_equal(fake.pm1b, SLEEP | SCI_ENABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_acpi_mode_is_on, set_up),
        cmocka_unit_test_setup(test_acpi_mode_is_turned_on_first, set_up),
        cmocka_unit_test_setup(test_acpi_mode_stays_off, set_up),
        cmocka_unit_test_setup(test_no_command, set_up),
        cmocka_unit_test_setup(test_machine_stays_on, set_up),
        cmocka_unit_test_setup(test_hardware_reduced, set_up),
        cmocka_unit_test_setup(test_no_s5, set_up),
        cmocka_unit_test_setup(test_second_control_register, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
