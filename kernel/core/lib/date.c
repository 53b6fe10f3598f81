// SPDX-License-Identifier: MIT
#include "lib/date.h"

#define DAY_S       UINT64_C(86400)
#define YEAR_9999   INT64_C(253402300799)
#define ERA_DAYS    146097 /* 400 years */
#define YEAR_0_DAYS 719468 /* from March of year 0 to 1970 */

struct date date_of(int64_t seconds)
{
    unsigned era, of_era, of_year, month, in_day, year;
    uint64_t day;

    if (seconds < 0 || seconds > YEAR_9999)
        return (struct date){ 0 };
    /* Years that begin in March, in eras of 400 of them: leap days are then last. */
    day = (uint64_t)seconds / DAY_S + YEAR_0_DAYS;
    in_day = (unsigned)((uint64_t)seconds % DAY_S);
    era = (unsigned)(day / ERA_DAYS);
    of_era = (unsigned)(day % ERA_DAYS);
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (365 * year + year / 4 - year / 100);
    month = (5 * of_year + 2) / 153;
    return (struct date){
        .year = era * 400 + year + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = of_year - (153 * month + 2) / 5 + 1,
        .hour = in_day / 3600,
        .minute = in_day / 60 % 60,
        .second = in_day % 60,
    };
}

void date_append(struct fmt_buffer *out, int64_t seconds)
{
    struct date d = date_of(seconds);

    if (d.year)
        fmt_append(out, "%04u-%02u-%02uT%02u:%02u:%02u", d.year, d.month, d.day, d.hour, d.minute,
                   d.second);
}

static unsigned leap_days_before(unsigned year)
{
    unsigned last = year - 1;

    return last / 4 - last / 100 + last / 400;
}

int64_t date_seconds(const struct date *d)
{
    static const uint16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    int64_t days;

    if (d->year < 1970 || d->year > 9999 || d->month < 1 || d->month > 12 || d->day < 1 ||
        d->day > 31 || d->hour > 23 || d->minute > 59 || d->second > 59)
        return 0;
    days = (d->year - 1970) * 365 + leap_days_before(d->year) - leap_days_before(1970);
    if (d->month > 2)
        days += leap_days_before(d->year + 1) - leap_days_before(d->year);
    days += before[d->month - 1] + d->day - 1;
    return ((days * 24 + d->hour) * 60 + d->minute) * 60 + d->second;
}
