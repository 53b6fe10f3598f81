// SPDX-License-Identifier: MIT
#include "lib/date.h"

#define DAY_S       UINT64_C(86400)
#define YEAR_9999   INT64_C(253402300799)
#define ERA_DAYS    146097 /* 400 years */
#define YEAR_0_DAYS 719468 /* from March of year 0 to 1970 */

void date_append(struct fmt_buffer *out, int64_t seconds)
{
    unsigned era, of_era, of_year, month, in_day;
    unsigned long year;
    uint64_t day;

    if (seconds < 0 || seconds > YEAR_9999)
        return;
    /* Years that begin in March, in eras of 400 of them: leap days are then last. */
    day = (uint64_t)seconds / DAY_S + YEAR_0_DAYS;
    in_day = (unsigned)((uint64_t)seconds % DAY_S);
    era = (unsigned)(day / ERA_DAYS);
    of_era = (unsigned)(day % ERA_DAYS);
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (unsigned)(365 * year + year / 4 - year / 100);
    month = (5 * of_year + 2) / 153;
    fmt_append(out, "%04lu-%02u-%02uT%02u:%02u:%02u", era * 400UL + year + (month >= 10),
               month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1,
               in_day / 3600, in_day / 60 % 60, in_day % 60);
}
