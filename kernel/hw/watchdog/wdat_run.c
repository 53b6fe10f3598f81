// SPDX-License-Identifier: MIT
#include "watchdog/kinds.h"

#include <stddef.h>

#include "io/ports.h"

#define MS_A_SECOND 1000u

static uint32_t read_port(uint16_t port, unsigned bytes)
{
    return bytes == 1 ? io_in8(port) : bytes == 2 ? io_in16(port) : io_in32(port);
}

static void write_port(uint16_t port, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        io_out8(port, (uint8_t)value);
    else if (bytes == 2)
        io_out16(port, (uint16_t)value);
    else
        io_out32(port, value);
}

static uint32_t read_memory(const volatile void *at, unsigned bytes)
{
    return bytes == 1   ? *(const volatile uint8_t *)at
           : bytes == 2 ? *(const volatile uint16_t *)at
                        : *(const volatile uint32_t *)at;
}

static void write_memory(volatile void *at, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        *(volatile uint8_t *)at = (uint8_t)value;
    else if (bytes == 2)
        *(volatile uint16_t *)at = (uint16_t)value;
    else
        *(volatile uint32_t *)at = value;
}

static bool is_port(const struct wdat_step *s)
{
    return s->reg.space == ACPI_SPACE_IO;
}

static uint32_t read_register(const struct wdat_step *s, watchdog_map *map)
{
    return is_port(s) ? read_port((uint16_t)s->reg.address, s->bytes)
                      : read_memory(map(s->reg.address, s->bytes), s->bytes);
}

static void write_register(const struct wdat_step *s, watchdog_map *map, uint32_t value)
{
    if (is_port(s))
        write_port((uint16_t)s->reg.address, s->bytes, value);
    else
        write_memory(map(s->reg.address, s->bytes), s->bytes, value);
}

static bool registers_are_there(const struct wdat *wdat, watchdog_map *map)
{
    for (unsigned a = 0; a < WDAT_ACTIONS; a++) {
        for (size_t i = 0; i < wdat->action[a].n; i++) {
            const struct wdat_step *s = &wdat->action[a].step[i];

            if (!is_port(s) && (s->reg.address % s->bytes || !map(s->reg.address, s->bytes)))
                return false;
        }
    }
    return true;
}

/* What its last reading step says: the countdown, or whether a value is the expected one. */
static uint32_t run(const struct wdat *wdat, enum wdat_action action, watchdog_map *map)
{
    uint32_t result = 0;

    for (size_t i = 0; i < wdat->action[action].n; i++) {
        const struct wdat_step *s = &wdat->action[action].step[i];

        switch (s->instruction) {
        case WDAT_READ_VALUE: result = wdat_value(s, read_register(s, map)) == s->value; break;
        case WDAT_READ_COUNTDOWN: result = wdat_value(s, read_register(s, map)); break;
        case WDAT_WRITE_VALUE:
            write_register(s, map, wdat_written(s, s->preserve ? read_register(s, map) : 0));
            break;
        }
    }
    return result;
}

enum status wdat_stop(const struct wdat *wdat, watchdog_map *map, struct watchdog_found *ret_found)
{
    struct watchdog_found found = { .effect = "reset the machine" };

    if (!registers_are_there(wdat, map))
        return STATUS_INVALID;
    if (run(wdat, WDAT_IS_RUNNING, map)) {
        found.has_time = wdat->action[WDAT_COUNTDOWN].n;
        found.seconds_left =
            (uint32_t)((uint64_t)run(wdat, WDAT_COUNTDOWN, map) * wdat->period_ms / MS_A_SECOND);
        run(wdat, WDAT_STOP, map);
        found.state = run(wdat, WDAT_IS_RUNNING, map) ? WATCHDOG_RUNS : WATCHDOG_STOPPED;
    }
    *ret_found = found;
    return STATUS_OK;
}
