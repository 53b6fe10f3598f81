// SPDX-License-Identifier: MIT
#include "machine/power.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "event/notices.h"
#include "io/ports.h"
#include "machine/uefi_runtime.h"

#define QEMU_EXIT_PORT 0xf4
#define SETTLE_US      1000000

#define KEYBOARD_PORT     0x64
#define KEYBOARD_RESET    0xfe
#define KEYBOARD_BUSY     0x02
#define KEYBOARD_PULSES   10
#define KEYBOARD_READY_US 20000
#define NO_CONTROLLER     0xff
#define RESET_PORT        0xcf9
#define RESET_FULL        0x0e /* of power, too */
#define RESET_HARD        0x02 /* what kind it is; the reset itself comes with the others */
#define RESET_STEP_US     50

/* PM1 status and control (ACPI 6.5, 4.8.3.1 and 4.8.3.2). */
#define PM1_ALL_STATUS  0xc731u
#define PM1_SLEEP_START (1u << 13)
#define PM1_SLEEP_TYPE  10
#define PM1_SLEEP       (7u << PM1_SLEEP_TYPE | PM1_SLEEP_START)
#define PM1_SCI_ENABLE  1u /* ACPI mode is on */
#define ENTER_US        3000000
#define AGAIN_US        10000000

#define POWER_BUTTON     (1u << 8) /* in PM1 status and enable */
#define SLEEP_BUTTON     (1u << 9)
#define NO_REGISTER      0xffffu
#define BUTTON_REGISTERS 2

/* The sleep control and status registers (4.8.3.7). */
#define SLEEP_START (1u << 5)
#define SLEEP_TYPE  2
#define SLEEP_WAKE  (1u << 7)

void machine_exit_qemu(uint8_t code)
{
    io_out8(QEMU_EXIT_PORT, code);
}

/* False: neither a port nor a register. */
static bool put(uint16_t port, volatile uint8_t *at, uint8_t value)
{
    if (port)
        io_out8(port, value);
    else if (at)
        *at = value;
    return port || at;
}

static void reset_by_acpi(const struct machine_power *power)
{
    if (!put(power->reset_port, power->reset_register, power->reset_value))
        return;
    tsc_wait_us(SETTLE_US / 10);
}

static void reset_by_keyboard(void)
{
    for (unsigned i = 0; i < KEYBOARD_PULSES && io_in8(KEYBOARD_PORT) != NO_CONTROLLER; i++) {
        uint64_t deadline = tsc_now() + tsc_from_us(KEYBOARD_READY_US);

        while (io_in8(KEYBOARD_PORT) & KEYBOARD_BUSY && tsc_now() < deadline)
            cpu_relax();
        io_out8(KEYBOARD_PORT, KEYBOARD_RESET);
        tsc_wait_us(RESET_STEP_US);
    }
    tsc_wait_us(SETTLE_US / 10);
}

static void reset_by_chipset(void)
{
    uint8_t kept = io_in8(RESET_PORT) & (uint8_t)~RESET_FULL;

    io_out8(RESET_PORT, kept | RESET_HARD);
    tsc_wait_us(RESET_STEP_US);
    io_out8(RESET_PORT, kept | RESET_FULL);
    tsc_wait_us(SETTLE_US / 10);
}

_Noreturn static void triple_fault(void)
{
    static const struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) no_table = { 0, 0 };

    __asm__ volatile("lidt %0; int3" : : "m"(no_table));
    cpu_stop();
}

_Noreturn void machine_reboot(const struct machine_power *power)
{
    if (power->is_reduced)
        uefi_restart();
    for (unsigned i = 0; i < 2; i++) {
        reset_by_acpi(power);
        reset_by_keyboard();
    }
    uefi_restart();
    reset_by_chipset();
    triple_fault();
}

/* All events, so that none wakes the machine at once. */
static void clear_events(const struct machine_power *power)
{
    if (power->pm1a_event)
        io_out16(power->pm1a_event, PM1_ALL_STATUS);
    if (power->pm1b_event)
        io_out16(power->pm1b_event, PM1_ALL_STATUS);
    for (unsigned block = 0; block < 2; block++) {
        uint8_t n = power->gpe_bytes[block];

        for (uint8_t i = 0; power->gpe[block] && i < n; i++) {
            io_out8((uint16_t)(power->gpe[block] + n + i), 0);
            io_out8((uint16_t)(power->gpe[block] + i), 0xff);
        }
    }
}

static void write_control(const struct machine_power *power, uint16_t a, uint16_t b)
{
    if (power->pm1a_control)
        io_out16(power->pm1a_control, a);
    if (power->pm1b_control)
        io_out16(power->pm1b_control, b);
}

/* ACPI 6.5, 16.1.3. Some hardware takes the type only from a write of its own. */
static void sleep(const struct machine_power *power)
{
    uint16_t kept = 0, a, b;

    if (power->pm1a_control)
        kept |= io_in16(power->pm1a_control);
    if (power->pm1b_control)
        kept |= io_in16(power->pm1b_control);
    kept &= (uint16_t)~PM1_SLEEP;
    a = (uint16_t)(kept | power->sleep_type_a << PM1_SLEEP_TYPE);
    b = (uint16_t)(kept | power->sleep_type_b << PM1_SLEEP_TYPE);
    write_control(power, a, b);
    write_control(power, a | PM1_SLEEP_START, b | PM1_SLEEP_START);
    tsc_wait_us(AGAIN_US);
    write_control(power, a | PM1_SLEEP_START,
                  b | PM1_SLEEP_START); /* hardware may look only now and then */
    tsc_wait_us(SETTLE_US);
}

/* False: ACPI is not hardware-reduced. */
static bool sleep_reduced(const struct machine_power *power)
{
    if (!power->sleep_port && !power->sleep_register)
        return false;
    put(power->sleep_status_port, power->sleep_status_register, SLEEP_WAKE);
    put(power->sleep_port, power->sleep_register,
        (uint8_t)(power->sleep_type_a << SLEEP_TYPE | SLEEP_START));
    tsc_wait_us(SETTLE_US);
    return true;
}

static bool acpi_mode_is_on(const struct machine_power *power)
{
    return io_in16(power->pm1a_control) & PM1_SCI_ENABLE;
}

/*
 * In ACPI mode buttons set bits and S5 switches the machine off (ACPI 6.5, 4.8.2.1.1). In the other
 * mode, which BIOS leaves on, firmware handles the power button and standby itself. False, after 3
 * seconds: firmware was asked for it, and it is still off.
 */
static bool enter_acpi_mode(const struct machine_power *power)
{
    uint64_t deadline = tsc_now() + tsc_from_us(ENTER_US);

    if (!power->pm1a_control || !power->smi_command_port || !power->acpi_enable ||
        acpi_mode_is_on(power))
        return true;
    io_out8(power->smi_command_port, power->acpi_enable);
    do {
        if (acpi_mode_is_on(power))
            return true;
        cpu_relax();
    } while (tsc_now() < deadline);
    return false;
}

const char *machine_power_off(const struct machine_power *power)
{
    bool acpi_mode;

    if (!power->has_s5)
        return "ACPI names no state S5";
    if (sleep_reduced(power))
        return "the machine ignored ACPI's S5";
    acpi_mode = enter_acpi_mode(power);
    clear_events(power);
    sleep(power);
    return acpi_mode ? "the machine ignored ACPI's S5" : "ACPI mode cannot be turned on";
}

/* The watched bits that are set. */
static uint16_t pressed(const struct power_button *b)
{
    uint16_t set = 0;

    for (unsigned i = 0; i < BUTTON_REGISTERS; i++)
        set |= b->status[i] ? io_in16(b->status[i]) & b->bits : 0;
    return set;
}

static void clear_buttons(const struct power_button *b, uint16_t bits)
{
    for (unsigned i = 0; i < BUTTON_REGISTERS; i++) {
        if (b->status[i])
            io_out16(b->status[i], bits);
    }
}

static void enable_buttons(const struct power_button *b, uint8_t enable_at)
{
    for (unsigned i = 0; i < BUTTON_REGISTERS; i++) {
        uint16_t port = (uint16_t)(b->status[i] + enable_at);

        if (b->status[i])
            io_out16(port, io_in16(port) | b->bits);
    }
}

void power_button_begin(const struct machine_power *power, struct power_button *ret_button)
{
    struct power_button b = {
        .status = { power->pm1a_event, power->pm1b_event },
        .bits = (uint16_t)((power->power_button ? POWER_BUTTON : 0) |
                           (power->sleep_button ? SLEEP_BUTTON : 0)),
    };

    *ret_button = (struct power_button){ 0 };
    if (!b.status[0] || !b.bits)
        return;
    if (!enter_acpi_mode(power)) {
        notice("ACPI mode cannot be turned on: the power button does not end the run");
        return;
    }
    if (io_in16(b.status[0]) == NO_REGISTER)
        return;
    clear_buttons(&b, b.bits);
    b.bits &= (uint16_t)~pressed(&b); /* what cannot be cleared says nothing */
    enable_buttons(&b, power->pm1_enable_at);
    *ret_button = b;
}

bool power_button_pressed(const struct power_button *button)
{
    uint16_t set = button->bits ? pressed(button) : 0;

    if (set)
        clear_buttons(button, set);
    return set != 0;
}
