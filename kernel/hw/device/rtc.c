// SPDX-License-Identifier: MIT
#include "device/rtc.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "io/ports.h"
#include "lib/date.h"

#define INDEX_PORT 0x70
#define DATA_PORT  0x71
#define NMI_OFF    0x80 /* of the index; NMIs stay on */
#define POLLS_MAX  100000
#define TRIES_MAX  10

enum {
    REG_SECONDS = 0,
    REG_MINUTES = 2,
    REG_HOURS = 4,
    REG_DAY = 7,
    REG_MONTH = 8,
    REG_YEAR = 9,
    REG_A = 10,
    REG_B = 11,
};

#define A_UPDATING 0x80
#define B_BINARY   0x04
#define B_24_HOURS 0x02
#define HOURS_PM   0x80

struct reading {
    uint8_t seconds, minutes, hours, day, month, year;
};

static uint8_t read_register(uint8_t reg)
{
    io_out8(INDEX_PORT, reg & (uint8_t)~NMI_OFF);
    return io_in8(DATA_PORT);
}

static bool read_all(struct reading *ret)
{
    for (int i = 0; read_register(REG_A) & A_UPDATING; i++) {
        if (i == POLLS_MAX)
            return false;
        cpu_relax();
    }
    *ret = (struct reading){ read_register(REG_SECONDS), read_register(REG_MINUTES),
                             read_register(REG_HOURS),   read_register(REG_DAY),
                             read_register(REG_MONTH),   read_register(REG_YEAR) };
    return true;
}

static uint8_t from_bcd(uint8_t value)
{
    return (uint8_t)(value / 16 * 10 + value % 16);
}

static void to_binary(struct reading *r, uint8_t b)
{
    bool pm = !(b & B_24_HOURS) && r->hours & HOURS_PM;

    if (!(b & B_24_HOURS))
        r->hours &= (uint8_t)~HOURS_PM;
    if (!(b & B_BINARY)) {
        *r = (struct reading){ from_bcd(r->seconds), from_bcd(r->minutes), from_bcd(r->hours),
                               from_bcd(r->day),     from_bcd(r->month),   from_bcd(r->year) };
    }
    if (!(b & B_24_HOURS))
        r->hours = (uint8_t)(r->hours % 12 + (pm ? 12 : 0));
}

int64_t rtc_seconds(void)
{
    struct reading a, b;
    int tries = 0;

    /* Twice the same: no update came between. */
    do {
        if (tries++ == TRIES_MAX || !read_all(&a) || !read_all(&b))
            return 0;
    } while (a.seconds != b.seconds || a.minutes != b.minutes || a.hours != b.hours);
    to_binary(&a, read_register(REG_B));
    return date_seconds(
        &(struct date){ 2000u + a.year, a.month, a.day, a.hours, a.minutes, a.seconds });
}
