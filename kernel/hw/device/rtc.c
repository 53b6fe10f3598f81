// SPDX-License-Identifier: MIT
#include "device/rtc.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "io/ports.h"
#include "lib/date.h"

#define INDEX_PORT 0x70
#define DATA_PORT  0x71
#define NMI_OFF    0x80 /* of the index; NMIs stay on */
#define REG_MAX    127

/* No PC is older, and its clock shows two digits. */
#define YEAR_MIN  1980
#define CENTURIES 2

enum {
    REG_SECONDS = 0,
    REG_MINUTES = 2,
    REG_HOURS = 4,
    REG_DAY = 7,
    REG_MONTH = 8,
    REG_YEAR = 9,
    REG_A = 10,
    REG_B = 11,
    REG_FREE = 14, /* and above: firmware's own */
};

#define A_UPDATING 0x80
#define B_BINARY   0x04
#define B_24_HOURS 0x02
#define HOURS_PM   0x80

struct reading {
    uint8_t seconds, minutes, hours, day, month, year, century;
};

static uint8_t read_register(uint8_t reg)
{
    io_out8(INDEX_PORT, reg & (uint8_t)~NMI_OFF);
    return io_in8(DATA_PORT);
}

static bool read_all(uint8_t century, uint64_t deadline, struct reading *ret)
{
    while (read_register(REG_A) & A_UPDATING) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    *ret = (struct reading){ read_register(REG_SECONDS),
                             read_register(REG_MINUTES),
                             read_register(REG_HOURS),
                             read_register(REG_DAY),
                             read_register(REG_MONTH),
                             read_register(REG_YEAR),
                             century ? read_register(century) : 0 };
    return true;
}

static bool is_same(const struct reading *a, const struct reading *b)
{
    return a->seconds == b->seconds && a->minutes == b->minutes && a->hours == b->hours &&
           a->day == b->day && a->month == b->month && a->year == b->year &&
           a->century == b->century;
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
                               from_bcd(r->day),     from_bcd(r->month),   from_bcd(r->year),
                               from_bcd(r->century) };
    }
    if (!(b & B_24_HOURS))
        r->hours = (uint8_t)(r->hours % 12 + (pm ? 12 : 0));
}

static unsigned year_of(const struct reading *r)
{
    unsigned year = r->century * 100u + r->year;

    if (year >= YEAR_MIN && year < YEAR_MIN + CENTURIES * 100)
        return year;
    return YEAR_MIN + (r->year + 100u - YEAR_MIN % 100) % 100;
}

int64_t rtc_seconds(uint8_t century)
{
    uint64_t deadline = tsc_now() + tsc_from_us(RTC_US);
    struct reading a, b;

    if (century < REG_FREE || century > REG_MAX)
        century = 0;
    /* Twice the same: no update came between. */
    do {
        if (tsc_now() >= deadline || !read_all(century, deadline, &a) ||
            !read_all(century, deadline, &b))
            return 0;
    } while (!is_same(&a, &b));
    to_binary(&a, read_register(REG_B));
    if (a.year > 99)
        return 0;
    return date_seconds(
        &(struct date){ year_of(&a), a.month, a.day, a.hours, a.minutes, a.seconds });
}
