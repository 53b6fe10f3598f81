// SPDX-License-Identifier: MIT
/* The clock's registers as a PC has them, in each of the forms that firmware may choose. */
#include "device/rtc.h"

#include <time.h>

#include "fake_clock.h"
#include "io/ports.h"
#include "tests/unit/unit.h"

#define UPDATING   0x80
#define BINARY     0x04
#define HOURS_24   0x02
#define EVERY_READ 1000000

static struct {
    uint8_t reg[128];
    uint8_t index;
    int updating;       /* reads of register A until the update is over */
    int seconds_passed; /* each complete reading is so much later: it never stands still */
} fake;

void io_out8(uint16_t port, uint8_t value)
{
    assert_int_equal(port, 0x70);
    assert_in_range(value, 0, 127); /* NMIs stay on */
    fake.index = value;
}

uint8_t io_in8(uint16_t port)
{
    assert_int_equal(port, 0x71);
    if (fake.index == 10)
        return fake.updating && fake.updating-- ? UPDATING : 0;
    if (fake.index == 0 && fake.seconds_passed)
        fake.reg[0] = (uint8_t)((fake.reg[0] + fake.seconds_passed) % 60);
    return fake.reg[fake.index];
}

static void set(uint8_t form, int year, int month, int day, int hour, int minute, int second)
{
    const int values[] = { second, minute, hour, day, month, year };
    static const int at[] = { 0, 2, 4, 7, 8, 9 };

    memset(&fake, 0, sizeof(fake));
    fake.reg[11] = form;
    for (int i = 0; i < 6; i++)
        fake.reg[at[i]] =
            (uint8_t)(form & BINARY ? values[i] : values[i] / 10 * 16 + values[i] % 10);
}

static time_t utc(int year, int month, int day, int hour, int minute, int second)
{
    struct tm t = { .tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second };

    return timegm(&t);
}

TEST(every_day_of_the_century)
{
    for (time_t t = utc(1980, 1, 1, 12, 34, 56); t < utc(2080, 1, 1, 0, 0, 0); t += 86400) {
        struct tm d;

        gmtime_r(&t, &d);
        set(HOURS_24, d.tm_year % 100, d.tm_mon + 1, d.tm_mday, 12, 34, 56);
        assert_int_equal(rtc_seconds(0), t);
    }
}

/* Where the FADT names its register; else, and where it shows nonsense, by the year. */
TEST(the_century)
{
    static const struct {
        uint8_t reg, form, shows, year;
        int expected;
    } cases[] = {
        { 0x32, HOURS_24, 0x19, 99, 1999 },
        { 0x32, HOURS_24, 0x20, 99, 2099 },
        { 0x32, HOURS_24, 0x20, 26, 2026 },
        { 0x32, HOURS_24 | BINARY, 19, 80, 1980 },
        { 0x32, HOURS_24 | BINARY, 21, 79, 2179 },
        { 0x32, HOURS_24 | BINARY, 21, 80, 1980 },
        { 0x32, HOURS_24, 0x19, 79, 2079 }, /* no PC is so old */
        { 0x32, HOURS_24, 0x19, 26, 2026 }, /* never set since */
        { 0x32, HOURS_24, 0x00, 26, 2026 },
        { 0x32, HOURS_24, 0xff, 99, 1999 },
        { 0, HOURS_24, 0x20, 99, 1999 },
        { 0x7f, HOURS_24, 0x20, 99, 2099 },
        { 0x80, HOURS_24, 0x20, 99, 1999 }, /* no such register: this bit is of NMIs */
        { 14, HOURS_24, 0x20, 99, 2099 },
        { 13, HOURS_24, 0x20, 99, 1999 }, /* the clock's own */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set(cases[i].form, cases[i].year, 6, 1, 12, 0, 0);
        if (cases[i].reg >= 13 && cases[i].reg < 128)
            fake.reg[cases[i].reg] = cases[i].shows;
        assert_int_equal(rtc_seconds(cases[i].reg), utc(cases[i].expected, 6, 1, 12, 0, 0));
    }
}

TEST(each_form_of_hours)
{
    for (int hour = 0; hour < 24; hour++) {
        time_t expected = utc(2026, 11, 22, hour, 0, 59);
        int of_12 = hour % 12 ? hour % 12 : 12;

        set(HOURS_24, 26, 11, 22, hour, 0, 59);
        assert_int_equal(rtc_seconds(0), expected);
        set(HOURS_24 | BINARY, 26, 11, 22, hour, 0, 59);
        assert_int_equal(rtc_seconds(0), expected);
        set(0, 26, 11, 22, of_12, 0, 59);
        fake.reg[4] |= hour >= 12 ? 0x80 : 0;
        assert_int_equal(rtc_seconds(0), expected);
        set(BINARY, 26, 11, 22, of_12, 0, 59);
        fake.reg[4] |= hour >= 12 ? 0x80 : 0;
        assert_int_equal(rtc_seconds(0), expected);
    }
}

TEST(what_shows_no_date)
{
    set(HOURS_24, 26, 0, 22, 1, 2, 3);
    assert_int_equal(rtc_seconds(0), 0);
    set(HOURS_24, 26, 13, 22, 1, 2, 3);
    assert_int_equal(rtc_seconds(0), 0);
    set(HOURS_24, 26, 12, 0, 1, 2, 3);
    assert_int_equal(rtc_seconds(0), 0);
    set(HOURS_24 | BINARY, 100, 12, 22, 1, 2, 3);
    assert_int_equal(rtc_seconds(0), 0);
    set(HOURS_24, 26, 12, 22, 24, 2, 3);
    assert_int_equal(rtc_seconds(0), 0);
    memset(&fake, 0xff, sizeof(fake)); /* no such device */
    fake.seconds_passed = fake.updating = 0;
    assert_int_equal(rtc_seconds(0), 0);
}

/* Waits for the end of an update, but not for ever; nor for a clock that runs away. */
TEST(has_deadlines)
{
    set(HOURS_24, 26, 11, 22, 13, 0, 0);
    fake.updating = 100;
    assert_int_equal(rtc_seconds(0), utc(2026, 11, 22, 13, 0, 0));
    fake.updating = EVERY_READ;
    fake_clock_begin();
    assert_int_equal(rtc_seconds(0), 0);
    assert_in_range(fake_clock_looks(), RTC_US, RTC_US + 10);
    set(HOURS_24 | BINARY, 26, 11, 22, 13, 0, 0);
    fake.seconds_passed = 1;
    fake_clock_begin();
    assert_int_equal(rtc_seconds(0), 0);
    assert_in_range(fake_clock_looks(), RTC_US, RTC_US + 10);
}
