// SPDX-License-Identifier: MIT
#include "machine/power.h"

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "io/ports.h"
#include "machine/acpi_mode.h"

#define QEMU_EXIT_PORT  0xf4
#define KEYBOARD_PORT   0x64
#define KEYBOARD_RESET  0xfe
#define RESET_PORT      0xcf9
#define RESET_FULL      0x0e
#define PM1_SLEEP_START (1u << 13)
#define PM1_SLEEP_TYPE  10
#define SLEEP_START     (1u << 5) /* of the sleep control register (ACPI 6.5, 4.8.3.7) */
#define SLEEP_TYPE      2
#define SETTLE_US       1000000

void machine_exit_qemu(uint8_t code)
{
    io_out8(QEMU_EXIT_PORT, code);
}

_Noreturn void machine_reboot(const struct machine_power *power)
{
    static const struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) no_table = { 0, 0 };

    if (power->reset_port) {
        io_out8(power->reset_port, power->reset_value);
        tsc_wait_us(SETTLE_US / 10);
    } else if (power->reset_register) {
        *power->reset_register = power->reset_value;
        tsc_wait_us(SETTLE_US / 10);
    }
    io_out8(KEYBOARD_PORT, KEYBOARD_RESET);
    tsc_wait_us(SETTLE_US / 10);
    io_out8(RESET_PORT, RESET_FULL);
    tsc_wait_us(SETTLE_US / 10);
    __asm__ volatile("lidt %0; int3" : : "m"(no_table));
    cpu_stop();
}

/* ACPI 6.5, 16.1.3: SLP_TYP and SLP_EN into PM1 control. */
static void sleep(uint16_t port, uint8_t type)
{
    if (port) {
        uint16_t kept = io_in16(port) & ~(7u << PM1_SLEEP_TYPE | PM1_SLEEP_START);

        io_out16(port, (uint16_t)(kept | type << PM1_SLEEP_TYPE | PM1_SLEEP_START));
    }
}

/* False: ACPI is not hardware-reduced. */
static bool sleep_reduced(const struct machine_power *power)
{
    uint8_t value = (uint8_t)(power->sleep_type_a << SLEEP_TYPE | SLEEP_START);

    if (power->sleep_port)
        io_out8(power->sleep_port, value);
    else if (power->sleep_register)
        *power->sleep_register = value;
    else
        return false;
    tsc_wait_us(SETTLE_US);
    return true;
}

const char *machine_power_off(const struct machine_power *power)
{
    bool acpi_mode;

    if (!power->has_s5)
        return "ACPI names no state S5";
    if (sleep_reduced(power))
        return "the machine ignored ACPI's S5";
    acpi_mode = acpi_mode_enter(power);
    sleep(power->pm1a_control, power->sleep_type_a);
    sleep(power->pm1b_control, power->sleep_type_b);
    tsc_wait_us(SETTLE_US);
    return acpi_mode ? "the machine ignored ACPI's S5" : "ACPI mode cannot be turned on";
}
