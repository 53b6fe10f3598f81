// SPDX-License-Identifier: MIT
#include "machine/acpi_mode.h"

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "io/ports.h"

#define PM1_SCI_ENABLE 1u /* ACPI mode is on */
#define ENTER_US       3000000

static bool is_on(const struct machine_power *power)
{
    return io_in16(power->pm1a_control) & PM1_SCI_ENABLE;
}

bool acpi_mode_enter(const struct machine_power *power)
{
    uint64_t deadline = tsc_now() + tsc_from_us(ENTER_US);

    if (!power->pm1a_control || !power->smi_command_port || !power->acpi_enable || is_on(power))
        return true;
    io_out8(power->smi_command_port, power->acpi_enable);
    do {
        if (is_on(power))
            return true;
        cpu_relax();
    } while (tsc_now() < deadline);
    return false;
}
