// SPDX-License-Identifier: MIT
/* Power off by ACPI, on a machine whose firmware has left ACPI mode on or off; and restart. */
#include "machine/power.h"

#include "arch/tsc.h"
#include "event/notices.h"
#include "io/ports.h"
#include "machine/uefi_runtime.h"
#include "tests/unit/unit.h"

enum {
    PM1A = 0x604,
    PM1B = 0x704,
    SMI_COMMAND = 0xb2,
    ACPI_ENABLE = 0xf1,
    EVENT_A = 0x400,
    EVENT_B = 0x500,
    GPE = 0x620,
    SLEEP_PORT = 0x600,
    SLEEP_STATUS_PORT = 0x601,
    KEYBOARD = 0x64,
    RESET_BY_ACPI = 0xaa,
    CHIPSET = 0xcf9,
    SCI_ENABLE = 1,
    TYPE = 5 << 10, /* that the tests give */
    START = 1 << 13,
    WRITES = 3, /* of each control register: the type, the start, and it once more */
};

static struct {
    uint16_t pm1a, pm1b;
    bool obeys_smi, obeys_sleep;
    int n_smi, n_writes; /* of PM1 control */
    int reads_until_mode;
    bool asleep;
    uint16_t status[2];                  /* as written */
    uint8_t gpe[8];                      /* as written, then zeros to the enable registers */
    uint8_t sleep_control, sleep_status; /* of hardware-reduced ACPI */
    bool no_keyboard;
    char steps[64]; /* of a restart: a letter each */
    jmp_buf restarted;
} fake;

static void no_notice(void *ctx, const char *text)
{
    fail_msg("%s", text);
}

const struct warnings notices = { .warn = no_notice };

static void step(char letter)
{
    size_t n = strlen(fake.steps);

    assert_true(n < sizeof(fake.steps) - 1);
    if (!n || fake.steps[n - 1] != letter)
        fake.steps[n] = letter;
}

void uefi_restart(void)
{
    step('u');
}

uint8_t io_in8(uint16_t port)
{
    if (port == KEYBOARD)
        return fake.no_keyboard ? 0xff : 0;
    assert_int_equal(port, CHIPSET);
    return 0x81;
}

uint16_t io_in16(uint16_t port)
{
    if (port == PM1B)
        return fake.pm1b;
    assert_int_equal(port, PM1A);
    if (fake.n_smi && fake.obeys_smi && fake.reads_until_mode-- <= 0)
        fake.pm1a |= SCI_ENABLE;
    return fake.pm1a;
}

/* The whole reset comes after the kind of reset was written. */
static void reset_chipset(uint8_t value)
{
    static uint8_t before;

    if (value == 0x8f) {
        assert_int_equal(before, 0x83);
        step('c');
        longjmp(fake.restarted, 1);
    }
    before = value;
}

void io_out8(uint16_t port, uint8_t value)
{
    switch (port) {
    case SLEEP_PORT: fake.sleep_control = value; return;
    case SLEEP_STATUS_PORT: fake.sleep_status = value; return;
    case KEYBOARD:
        assert_int_equal(value, 0xfe);
        step('k');
        return;
    case RESET_BY_ACPI:
        assert_int_equal(value, 7);
        step('a');
        return;
    case CHIPSET: reset_chipset(value); return;
    default: break;
    }
    if (port >= GPE && port < GPE + sizeof(fake.gpe)) {
        fake.gpe[port - GPE] = value;
        return;
    }
    assert_int_equal(port, SMI_COMMAND);
    assert_int_equal(value, ACPI_ENABLE);
    fake.n_smi++;
}

uint32_t io_in32(uint16_t port)
{
    fail_msg("port 0x%x is read", port);
    return 0;
}

void io_out32(uint16_t port, uint32_t value)
{
    fail_msg("port 0x%x is written", port);
}

/* As some chipsets do: S5 is entered in ACPI mode alone, and the type must be there before. */
static void write_control(uint16_t *reg, uint16_t value)
{
    fake.n_writes++;
    if (value & SCI_ENABLE && value & START && (*reg & (7 << 10)) == TYPE && fake.obeys_sleep)
        fake.asleep = true;
    *reg = value & (uint16_t)~START;
}

void io_out16(uint16_t port, uint16_t value)
{
    switch (port) {
    case PM1A: write_control(&fake.pm1a, value); break;
    case PM1B: write_control(&fake.pm1b, value); break;
    case EVENT_A: fake.status[0] = value; break;
    case EVENT_B: fake.status[1] = value; break;
    default: fail_msg("port 0x%x", port);
    }
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

TEST(test_acpi_mode_is_on, set_up)
{
    struct machine_power p = power();

    fake.pm1a = SCI_ENABLE;
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.n_smi, 0);
    assert_int_equal(fake.n_writes, WRITES);
}

TEST(test_acpi_mode_is_turned_on_first, set_up)
{
    struct machine_power p = power();

    fake.reads_until_mode = 100;
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.n_smi, 1);
}

/* Firmware that does not react costs a few seconds; S5 is tried all the same. */
TEST(test_acpi_mode_stays_off, set_up)
{
    struct machine_power p = power();

    fake.obeys_smi = false;
    assert_string_equal(machine_power_off(&p), "ACPI mode cannot be turned on");
    assert_int_equal(fake.n_smi, 1);
    assert_int_equal(fake.n_writes, WRITES);
}

/* Without a command, or without a port for it, ACPI mode is always on (ACPI 6.5, 5.2.9). */
TEST(test_no_command, set_up)
{
    struct machine_power no_port = power(), no_value = power();

    no_port.smi_command_port = 0;
    no_value.acpi_enable = 0;
    assert_string_equal(machine_power_off(&no_port), "the machine ignored ACPI's S5");
    assert_string_equal(machine_power_off(&no_value), "the machine ignored ACPI's S5");
    assert_int_equal(fake.n_smi, 0);
    assert_int_equal(fake.n_writes, 2 * WRITES);
}

TEST(test_machine_stays_on, set_up)
{
    struct machine_power p = power();

    fake.pm1a = SCI_ENABLE;
    fake.obeys_sleep = false;
    assert_string_equal(machine_power_off(&p), "the machine ignored ACPI's S5");
}

/* No PM1 registers are touched. */
TEST(test_hardware_reduced, set_up)
{
    struct machine_power port = { .has_s5 = true,
                                  .sleep_type_a = 5,
                                  .sleep_port = SLEEP_PORT,
                                  .sleep_status_port = SLEEP_STATUS_PORT };
    struct machine_power memory = { .has_s5 = true, .sleep_type_a = 5 };
    volatile uint8_t control = 0, status = 0;

    assert_string_equal(machine_power_off(&port), "the machine ignored ACPI's S5");
    assert_int_equal(fake.sleep_control, 5 << 2 | 1 << 5);
    assert_int_equal(fake.sleep_status, 1 << 7);
    memory.sleep_register = &control;
    memory.sleep_status_register = &status;
    assert_string_equal(machine_power_off(&memory), "the machine ignored ACPI's S5");
    assert_int_equal(control, 5 << 2 | 1 << 5);
    assert_int_equal(status, 1 << 7);
    assert_int_equal(fake.n_writes + fake.n_smi, 0);
}

TEST(test_no_s5, set_up)
{
    struct machine_power p = power();

    p.has_s5 = false;
    assert_string_equal(machine_power_off(&p), "ACPI names no state S5");
    assert_int_equal(fake.n_writes + fake.n_smi, 0);
}

TEST(test_second_control_register, set_up)
{
    struct machine_power p = power();

    p.pm1b_control = PM1B;
    fake.pm1a = fake.pm1b = SCI_ENABLE;
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.pm1b, TYPE | SCI_ENABLE);
}

/* What ACPI mode is, one of the two registers may say. */
TEST(test_mode_of_the_first_register_is_the_seconds_too, set_up)
{
    struct machine_power p = power();

    p.pm1b_control = PM1B;
    fake.pm1a = SCI_ENABLE;
    machine_power_off(&p);
    assert_int_equal(fake.pm1b, TYPE | SCI_ENABLE);
}

TEST(test_events_are_cleared_first, set_up)
{
    struct machine_power p = power();

    p.pm1a_event = EVENT_A;
    p.pm1b_event = EVENT_B;
    p.gpe[0] = GPE;
    p.gpe_bytes[0] = 4;
    fake.pm1a = SCI_ENABLE;
    memset(fake.gpe, 0x55, sizeof(fake.gpe));
    machine_power_off(&p);
    assert_true(fake.asleep);
    assert_int_equal(fake.status[0], 0xc731);
    assert_int_equal(fake.status[1], 0xc731);
    assert_memory_equal(fake.gpe, "\xff\xff\xff\xff\0\0\0\0", 8);
}

static const char *restart(const struct machine_power *p)
{
    if (!setjmp(fake.restarted))
        machine_reboot(p);
    return fake.steps;
}

TEST(test_order_of_restart, set_up)
{
    struct machine_power p = { .reset_port = RESET_BY_ACPI, .reset_value = 7 };

    assert_string_equal(restart(&p), "akakuc");
    set_up(state);
    fake.no_keyboard = true;
    assert_string_equal(restart(&p), "auc");
    set_up(state);
    p.is_reduced = true;
    assert_string_equal(restart(&p), "uakakuc");
    set_up(state);
    p = (struct machine_power){ 0 };
    assert_string_equal(restart(&p), "kuc");
}

TEST(test_reset_register_in_memory, set_up)
{
    volatile uint8_t reset = 0;
    struct machine_power p = { .reset_register = &reset, .reset_value = 7 };

    assert_string_equal(restart(&p), "kuc");
    assert_int_equal(reset, 7);
}
