// SPDX-License-Identifier: MIT
#include "boot/uefi/menu/menu_time.h"

#include "lib/warn.h"
#include "tests/unit/unit.h"

static double a_nanosecond(const struct test *test)
{
    return 1e-9;
}

static double unknown(const struct test *test)
{
    return 0;
}

/* 1e9 bytes: a sweep by one CPU takes a second. */
static struct menu_machine machine_of(unsigned n_cpus, double speed_up)
{
    return (struct menu_machine){ .ram_bytes = 1000000000,
                                  .n_cpus = n_cpus,
                                  .speed_up = speed_up,
                                  .seconds_a_byte = a_nanosecond };
}

static const char *said(const struct menu_machine *machine, const char *words)
{
    static char text[100];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct options options;

    options_set_defaults(&options);
    options_parse(&options, words, &warnings_silent);
    menu_time_append(machine, &options, &b);
    return text;
}

/* docs/performance.md: sweeps x bytes / speed + waits + start. */
TEST(by_the_model)
{
    static const struct {
        unsigned n_cpus;
        double speed_up;
        const char *words, *said;
    } cases[] = {
        { 1, 0, "tests=mats+ bandwidth=off", ", about 35 seconds" }, /* 5 x 7 + 1 */
        { 2, 2, "tests=mats+ bandwidth=off", ", about 20 seconds" },
        { 2, 2, "tests=mats+ bandwidth=off cpus=1", ", about 35 seconds" },
        { 8, 3, "tests=mats+ bandwidth=off", ", about 15 seconds" },
        { 8, 3, "tests=mats+ bandwidth=off cpus=0-1", ", about 20 seconds" },
        { 8, 3, "tests=mats+ bandwidth=off cpus=0-4", ", about 15 seconds" },
        { 2, 0.5, "tests=mats+ bandwidth=off", ", about 70 seconds" }, /* the host is busy */
        { 1, 0, "tests=mats+ bandwidth=off range=0-500000000", ", about 20 seconds" },
        { 1, 0, "tests=mats+ bandwidth=off range=0-4G", ", about 35 seconds" },
        { 1, 0, "tests=mats+ bandwidth=off passes=2", ", about 70 seconds" },
        { 1, 0, "tests=mats+ bandwidth=off passes=0", ", about 35 seconds a pass" },
        { 1, 0, "tests=mats+ bandwidth=off passes=0 time=8h", ", about 8 hours" },
        { 1, 0, "tests=mats+ time=10s", ", about 10 seconds" },
        { 1, 0, "tests=mats+ time=1h bandwidth=off", ", about 35 seconds" },
        { 1, 0, "tests=fade bandwidth=off", ", about 10 minutes" }, /* 16 sweeps, 12 minutes */
        { 1, 0, "tests=row-hammer hammer=30 bandwidth=off", ", about 30 seconds" },
        { 1, 0, "tests=march-raw bandwidth=off passes=60", ", about 3 hours" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct menu_machine machine = machine_of(cases[i].n_cpus, cases[i].speed_up);

        assert_string_equal(said(&machine, cases[i].words), cases[i].said);
    }
}

/* As long as all CPUs have not been tried, one CPU's time is the most that it takes. */
TEST(speed_of_all_cpus_is_unknown)
{
    static const struct {
        const char *words, *said;
    } cases[] = {
        { "tests=mats+ bandwidth=off", ", up to 35 seconds" },
        { "tests=mats+ bandwidth=off cpus=3", ", about 35 seconds" },
        { "tests=mats+ bandwidth=off passes=0", ", up to 35 seconds a pass" },
        { "tests=mats+ bandwidth=off passes=2 time=60s", ", up to 60 seconds" },
        { "tests=mats+ bandwidth=off passes=0 time=60s", ", about 60 seconds" },
    };
    const struct menu_machine machine = machine_of(8, 0);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(said(&machine, cases[i].words), cases[i].said);
}

/* Each CPU by the bytes it has swept, and its own time for them. */
TEST(speed_up_is_that_measured)
{
    const struct menu_rate alone = { 4000, 100 };
    const struct menu_rate together[] = { { 6000, 200 }, { 3000, 100 }, { 4000, 400 }, { 0, 100 } };

    assert_true(menu_time_speed_up(alone, together, 1) == 0.75);
    assert_true(menu_time_speed_up(alone, together, 2) == 1.5);
    assert_true(menu_time_speed_up(alone, together, 3) == 1.75);
    assert_true(menu_time_speed_up(alone, together, 4) == 0);
    assert_true(menu_time_speed_up((struct menu_rate){ 0, 0 }, together, 2) == 0);
}

/* Once, however many passes there are; by all CPUs. */
TEST(memory_that_a_host_has_not_provided_yet)
{
    struct menu_machine machine = machine_of(1, 0);

    machine.touch_s_a_byte = 4e-9;
    assert_string_equal(said(&machine, "tests=mats+ bandwidth=off"), ", about 40 seconds");
    assert_string_equal(said(&machine, "tests=mats+ bandwidth=off passes=2"), ", about 75 seconds");
    machine = machine_of(2, 2);
    machine.touch_s_a_byte = 4e-9;
    assert_string_equal(said(&machine, "tests=mats+ bandwidth=off"), ", about 20 seconds");
}

TEST(says_nothing_unknown)
{
    struct menu_machine machine = machine_of(1, 0);

    machine.seconds_a_byte = unknown;
    assert_string_equal(said(&machine, ""), "");
}
