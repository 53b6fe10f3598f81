// SPDX-License-Identifier: MIT
#include "machine/power_button.h"

#include "event/notices.h"
#include "io/ports.h"
#include "machine/acpi_mode.h"

#define POWER_BUTTON (1u << 8)
#define SLEEP_BUTTON (1u << 9)
#define NOTHING      0xffffu
#define REGISTERS    2

/* The watched bits that are set. */
static uint16_t pressed(const struct power_button *b)
{
    uint16_t set = 0;

    for (unsigned i = 0; i < REGISTERS; i++)
        set |= b->status[i] ? io_in16(b->status[i]) & b->bits : 0;
    return set;
}

static void clear(const struct power_button *b, uint16_t bits)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        if (b->status[i])
            io_out16(b->status[i], bits);
    }
}

static void enable(const struct power_button *b, uint8_t enable_at)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
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
    if (!acpi_mode_enter(power)) {
        notice("ACPI mode cannot be turned on: the power button does not end the run");
        return;
    }
    if (io_in16(b.status[0]) == NOTHING)
        return;
    clear(&b, b.bits);
    b.bits &= (uint16_t)~pressed(&b); /* what cannot be cleared says nothing */
    enable(&b, power->pm1_enable_at);
    *ret_button = b;
}

bool power_button_pressed(const struct power_button *button)
{
    uint16_t set = button->bits ? pressed(button) : 0;

    if (set)
        clear(button, set);
    return set != 0;
}
