// SPDX-License-Identifier: MIT
#include "menu_time.h"

#include "lib/minmax.h"

/* Until the first test, and from the last to the result. */
#define START_S 1

/* Of bandwidth=quick, and of bandwidth=full: by the second of a loop. */
#define QUICK_BANDWIDTH_S 2
#define FULL_BANDWIDTH_S  20

/* A pause in which okram moves takes half as long again: testing/split_wait.h. */
#define PAUSES 1.5

static double bytes_of(const struct menu_machine *machine, const struct options *options)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < options->n_ranges; i++)
        bytes += options->range[i].size;
    return (double)(options->n_ranges ? min_u64(bytes, machine->ram_bytes) : machine->ram_bytes);
}

static unsigned cpus_of(const struct menu_machine *machine, const struct options *options)
{
    unsigned n = 0;

    for (unsigned i = 0; i < machine->n_cpus; i++)
        n += id_set_contains(&options->cpus, i);
    return n ? n : 1;
}

/* How many times the speed of one CPU all have: a few fill what a socket's memory can give. */
static double speed_up(unsigned n_cpus)
{
    double most = 2 + n_cpus / 8.0;

    return n_cpus < most ? n_cpus : most;
}

static double pass_of(const struct menu_machine *machine, const struct options *options)
{
    double bytes = bytes_of(machine, options), faster = speed_up(cpus_of(machine, options));
    static struct test_list tests;
    double seconds = 0;

    option_tests(options, &warnings_silent, &tests);
    tests_set_fade(&tests, options->fade_s);
    for (size_t i = 0; i < tests.n_tests; i++) {
        const struct test *test = &tests.test[i];
        double cost = machine->seconds_a_byte(test);

        if (!(cost > 0))
            return 0;
        seconds += test_sweeps(test) * bytes * cost / faster +
                   (double)test_pause_ms(test) * PAUSES / 1000 +
                   (test->kind == TEST_HAMMER ? options->hammer_s : 0);
    }
    return seconds;
}

double menu_time_of(const struct menu_machine *machine, const struct options *options)
{
    static const double bandwidth_s[] = {
        [OPTION_BANDWIDTH_QUICK] = QUICK_BANDWIDTH_S,
        [OPTION_BANDWIDTH_FULL] = FULL_BANDWIDTH_S,
    };
    double pass = pass_of(machine, options), seconds;

    if (!(pass > 0))
        return 0;
    seconds =
        START_S + bandwidth_s[options->bandwidth] +
        bytes_of(machine, options) * machine->touch_s_a_byte / speed_up(cpus_of(machine, options)) +
        pass * (options->passes ? options->passes : 1);
    if (options->time_s && (!options->passes || seconds > (double)options->time_s))
        return (double)options->time_s;
    return seconds;
}

/* Of a unit: whole ones up to ten, then fives. */
static unsigned rounded(double n)
{
    unsigned whole = (unsigned)(n + 0.5);

    return whole <= 10 ? whole : (whole + 2) / 5 * 5;
}

void menu_time_append(const struct menu_machine *machine, const struct options *options,
                      struct fmt_buffer *out)
{
    double seconds = menu_time_of(machine, options);
    const char *unit = seconds < 90 ? "second" : seconds < 5400 ? "minute" : "hour";
    double n = seconds < 90 ? seconds : seconds < 5400 ? seconds / 60 : seconds / 3600;

    if (!(seconds > 0))
        return;
    fmt_append(out, ", about %u %s%s%s", rounded(n), unit, rounded(n) == 1 ? "" : "s",
               options->passes || options->time_s ? "" : " a pass");
}
