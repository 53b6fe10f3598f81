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

double menu_time_speed_up(struct menu_rate alone, const struct menu_rate *together, unsigned n)
{
    double bytes_a_tick = 0;

    for (unsigned i = 0; i < n; i++) {
        if (!together[i].bytes || !together[i].ticks)
            return 0;
        bytes_a_tick += (double)together[i].bytes / (double)together[i].ticks;
    }
    return alone.bytes ? bytes_a_tick * (double)alone.ticks / (double)alone.bytes : 0;
}

/* Of the CPUs that the options leave; 0: not known. */
static double speed_up(const struct menu_machine *machine, const struct options *options)
{
    unsigned n = cpus_of(machine, options);

    return n == 1 || n < machine->speed_up ? n : machine->speed_up;
}

static double pass_of(const struct menu_machine *machine, const struct options *options,
                      double faster)
{
    double bytes = bytes_of(machine, options);
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

/* Of one pass, if passes=0; ret_is_most: by one CPU, as the speed of all is not known. 0: unknown.
 */
static double seconds_of(const struct menu_machine *machine, const struct options *options,
                         bool *ret_is_most)
{
    static const double bandwidth_s[] = {
        [OPTION_BANDWIDTH_QUICK] = QUICK_BANDWIDTH_S,
        [OPTION_BANDWIDTH_FULL] = FULL_BANDWIDTH_S,
    };
    double measured = speed_up(machine, options), faster = measured > 0 ? measured : 1;
    double pass = pass_of(machine, options, faster), seconds;

    *ret_is_most = !(measured > 0);
    if (!(pass > 0))
        return 0;
    seconds = START_S + bandwidth_s[options->bandwidth] +
              bytes_of(machine, options) * machine->touch_s_a_byte / faster +
              pass * (options->passes ? options->passes : 1);
    if (!options->time_s || (options->passes && seconds <= (double)options->time_s))
        return seconds;
    *ret_is_most &= options->passes != 0;
    return (double)options->time_s;
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
    bool is_most;
    double seconds = seconds_of(machine, options, &is_most);
    const char *unit = seconds < 90 ? "second" : seconds < 5400 ? "minute" : "hour";
    double n = seconds < 90 ? seconds : seconds < 5400 ? seconds / 60 : seconds / 3600;

    if (!(seconds > 0))
        return;
    fmt_append(out, ", %s %u %s%s%s", is_most ? "up to" : "about", rounded(n), unit,
               rounded(n) == 1 ? "" : "s", options->passes || options->time_s ? "" : " a pass");
}
