// SPDX-License-Identifier: MIT
/* Sensors that lie, limits with and without them, how modules are heated, where faults begin. */

#include "heat/heat.h"
#include "tests/unit/unit.h"

#define S          UINT64_C(1000000)
#define C(degrees) ((degrees)*1000)

static struct degrees at(int32_t degrees)
{
    return (struct degrees){ true, C(degrees) };
}

static const struct degrees unknown;

TEST(a_jump_is_not_believed)
{
    static const struct {
        int32_t from, to;
        unsigned seconds;
        bool is_module, is_believed;
    } cases[] = {
        { 40, 50, 0, true, true },    { 40, 51, 0, true, false },    { 40, 55, 1, true, true },
        { 40, 56, 1, true, false },   { 40, 127, 100, true, false }, { 40, 0, 2, true, false },
        { 40, 0, 6, true, true },     { 40, -40, 30, true, true },   { 40, -41, 60, true, false },
        { 95, 125, 4, true, true },   { 95, 126, 9, true, false },   { 40, 100, 0, false, true },
        { 40, 101, 0, false, false }, { 90, 130, 0, false, true },   { 90, 131, 9, false, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sensor_watch w = { .is_module = cases[i].is_module };

        assert_true(sensor_take(&w, C(cases[i].from), 9 * S, 0));
        if (sensor_take(&w, C(cases[i].to), (9 + cases[i].seconds) * S, 0) != cases[i].is_believed)
            fail_msg("case %zu", i);
        assert_int_equal(w.mc, C(cases[i].is_believed ? cases[i].to : cases[i].from));
        assert_int_equal(w.doubt, SENSOR_TRUSTED);
    }
}

TEST(after_three_jumps_it_is_doubted_for_good)
{
    struct sensor_watch w = { .is_module = true };

    sensor_take(&w, C(40), 1 * S, 0);
    assert_false(sensor_take(&w, C(127), 2 * S, 0));
    assert_false(sensor_take(&w, C(127), 3 * S, 0));
    assert_true(sensor_take(&w, C(41), 4 * S, 0)); /* two were glitches */
    for (unsigned i = 5; i < 8; i++) {
        assert_int_equal(w.doubt, SENSOR_TRUSTED);
        assert_false(sensor_take(&w, C(127), i * S, 0));
    }
    assert_int_equal(w.doubt, SENSOR_JUMPS);
    assert_int_equal(w.odd_mc, C(127));
    assert_false(sensor_take(&w, C(41), 8 * S, 0));
    assert_string_equal(sensor_doubt_word(w.doubt), "jumps");

    w = (struct sensor_watch){ .is_module = true };
    for (unsigned i = 0; i < 3; i++)
        sensor_take(&w, C(127), i * S, 0);
    assert_true(!w.has_read && w.doubt == SENSOR_JUMPS);
}

TEST(one_that_stays_the_same_is_doubted_until_it_changes)
{
    struct sensor_watch w = { .is_module = true };

    sensor_take(&w, C(40), 1 * S, 0);
    sensor_take(&w, C(40), 100 * S, 59 * S);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_take(&w, C(40), 200 * S, 60 * S);
    assert_int_equal(w.doubt, SENSOR_UNCHANGED);
    sensor_take(&w, C(41), 201 * S, 61 * S);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_take(&w, C(41), 900 * S, 660 * S);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_take(&w, C(41), 901 * S, 661 * S); /* ten minutes, once it has changed */
    assert_int_equal(w.doubt, SENSOR_UNCHANGED);
}

TEST(silence)
{
    struct sensor_watch w = { .is_module = true };

    sensor_take(&w, C(40), 10 * S, 0);
    sensor_miss(&w, 39 * S, false);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_miss(&w, 40 * S, false);
    assert_int_equal(w.doubt, SENSOR_SILENT);
    sensor_take(&w, C(40), 41 * S, 0);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_miss(&w, 42 * S, true);
    assert_int_equal(w.doubt, SENSOR_SILENT);
}

TEST(a_word_of_two_temperatures)
{
    const struct heat_now cases[] = {
        { at(0), unknown },
        { unknown, at(-40) },
        { at(95), at(100) },
        { unknown, unknown },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct heat_now now = heat_unpack(heat_pack(&cases[i]));

        assert_int_equal(now.module.is_known, cases[i].module.is_known);
        assert_int_equal(now.module.mc, cases[i].module.mc);
        assert_int_equal(now.cpu.is_known, cases[i].cpu.is_known);
        assert_int_equal(now.cpu.mc, cases[i].cpu.mc);
    }
    assert_int_equal(heat_pack(&cases[3]), 0);
}

static struct heat_gate make_gate(void)
{
    return (struct heat_gate){ .module_max_mc = C(95),
                               .cpu_max_mc = C(100),
                               .module_back_mc = HEAT_BACK_MC,
                               .cpu_back_mc = HEAT_BACK_MC };
}

static bool step(struct heat_gate *gate, struct degrees module, struct degrees cpu, uint64_t s)
{
    return heat_gate_step(gate, &(struct heat_now){ module, cpu }, s * S);
}

TEST(a_pause_begins_above_and_ends_ten_degrees_below)
{
    struct heat_gate g = make_gate();

    assert_false(step(&g, at(95), at(100), 1));
    assert_true(step(&g, at(96), at(100), 31));
    assert_string_equal(heat_cause_word(g.cause), "module");
    assert_true(step(&g, at(86), at(80), 40));
    assert_true(step(&g, at(85), at(91), 41)); /* the CPU counts, too */
    assert_int_equal(heat_gate_paused_us(&g, 45 * S), 14 * S);
    assert_false(step(&g, at(85), at(90), 51));
    assert_int_equal(g.paused_us, 20 * S);
    assert_int_equal(heat_gate_paused_us(&g, 99 * S), 20 * S);
    assert_false(step(&g, at(95), at(90), 52));
    assert_true(step(&g, unknown, at(101), 53));
    assert_string_equal(heat_cause_word(g.cause), "cpu");
    assert_int_equal(g.pauses, 2);
    g.cpu_max_mc = g.module_max_mc = INT32_MAX; /* off */
    assert_false(step(&g, at(125), at(130), 54));
    assert_false(step(&g, at(125), at(130), 55));
}

/* An idle machine may be above the limit that a person gave. */
TEST(a_pause_that_does_not_cool_ends)
{
    struct heat_gate g = make_gate();

    assert_true(step(&g, at(96), unknown, 1));
    assert_true(step(&g, at(90), unknown, 300));
    assert_false(step(&g, at(90), unknown, 301));
    assert_true(g.was_too_long);
    assert_false(step(&g, at(96), unknown, 360)); /* traffic for a minute */
    assert_true(step(&g, at(96), unknown, 361));
    assert_false(step(&g, at(85), unknown, 371));
    assert_false(g.was_too_long);
    assert_true(step(&g, at(96), unknown, 372));
}

TEST(without_its_sensor_a_limit_goes_by_time)
{
    struct heat_gate g = make_gate();

    /* Nothing was hot, and nobody asked: off. */
    assert_false(step(&g, at(50), unknown, 1));
    assert_false(step(&g, unknown, unknown, 1000));
    assert_false(heat_gate_is_by_time(&g, &(struct heat_now){ unknown, unknown }));

    g.is_asked = true;
    g.since_us = 1000 * S;
    assert_false(step(&g, unknown, unknown, 1089));
    assert_true(step(&g, unknown, unknown, 1090));
    assert_string_equal(heat_cause_word(g.cause), "time");
    assert_true(step(&g, unknown, unknown, 1119));
    assert_false(step(&g, unknown, unknown, 1120));
    assert_false(step(&g, unknown, unknown, 1209));
    assert_true(step(&g, unknown, unknown, 1210));
    assert_int_equal(g.pauses, 2);

    /* As the last pause by a sensor has shown; the sensor is lost within one. */
    g = make_gate();
    assert_false(step(&g, at(50), unknown, 1));
    assert_true(step(&g, at(96), unknown, 201));
    assert_true(step(&g, unknown, unknown, 210));
    assert_false(step(&g, unknown, unknown, 231)); /* 30 s: none was measured */
    assert_int_equal(g.off_us, 30 * S);
    assert_false(step(&g, unknown, unknown, 430));
    assert_true(step(&g, unknown, unknown, 431));

    /* No module ever had one. */
    g = make_gate();
    g.is_asked = true;
    assert_false(step(&g, unknown, at(50), 1));
    assert_false(step(&g, unknown, at(50), 1000));
}

/* A pause for the CPU says nothing of modules without a limit. */
TEST(a_limit_that_is_off_does_not_go_by_time)
{
    struct heat_gate g = make_gate();

    g.module_max_mc = INT32_MAX;
    assert_false(step(&g, at(50), at(90), 1));
    assert_true(step(&g, at(50), at(101), 2));
    assert_false(step(&g, unknown, at(90), 10));
    assert_false(heat_gate_is_by_time(&g, &(struct heat_now){ unknown, at(90) }));
    assert_false(step(&g, unknown, at(90), 1000));
}

TEST(heating_ends_at_the_target_or_where_it_gets_no_hotter)
{
    struct heat_goal g = { .target_mc = C(80) };

    assert_true(heat_goal_wants(&g, at(40), 1 * S));
    assert_true(heat_goal_wants(&g, at(79), 50 * S));
    assert_false(heat_goal_wants(&g, at(80), 51 * S));
    assert_true(g.is_reached && !g.is_settled);
    assert_false(heat_goal_wants(&g, at(77), 60 * S));
    assert_true(heat_goal_wants(&g, at(76), 61 * S)); /* it has cooled down */
    assert_true(heat_goal_wants(&g, at(79), 70 * S));
    assert_false(heat_goal_wants(&g, at(81), 80 * S));

    g = (struct heat_goal){ .target_mc = INT32_MAX };
    assert_true(heat_goal_wants(&g, at(40), 1 * S));
    assert_true(heat_goal_wants(&g, at(60), 60 * S));
    assert_true(heat_goal_wants(&g, (struct degrees){ true, 60999 }, 119 * S));
    assert_false(heat_goal_wants(&g, (struct degrees){ true, 60999 }, 120 * S));
    assert_true(g.is_settled);
    assert_int_equal(g.target_mc, 60999);
    assert_false(heat_goal_wants(&g, at(58), 200 * S));
    assert_true(heat_goal_wants(&g, at(57), 201 * S));

    g = (struct heat_goal){ .target_mc = INT32_MAX }; /* it goes on to rise, slowly */
    for (unsigned s = 1; s < 1201; s++)
        assert_true(heat_goal_wants(&g, (struct degrees){ true, C(40) + (int32_t)s * 20 }, s * S));
    assert_false(heat_goal_wants(&g, at(70), 1201 * S));
}

TEST(heating_without_a_sensor_goes_by_time)
{
    struct heat_goal g = { .target_mc = C(80) };

    assert_true(heat_goal_wants(&g, unknown, 1 * S));
    assert_true(heat_goal_wants(&g, unknown, 300 * S));
    assert_false(heat_goal_wants(&g, unknown, 301 * S));
    assert_false(heat_goal_wants(&g, unknown, 9000 * S)); /* once */
}

TEST(faults_that_begin_at_a_temperature)
{
    static const struct {
        unsigned cold_gib, hot_gib, hits;
        bool is_onset;
    } cases[] = {
        { 10, 10, 2, false }, /* two faults */
        { 1, 10, 14, false }, /* little was moved below */
        { 10, 10, 4, false }, /* 6 %: by chance */
        { 10, 10, 5, true },  { 30, 10, 3, true }, { 0, 10, 99, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static struct heat_account a;
        struct heat_onset onset;

        memset(&a, 0, sizeof(a));
        heat_account_add(&a, 3, C(45), cases[i].cold_gib * GIB, 0);
        heat_account_add(&a, 4, C(50), 99 * GIB, 0); /* a test that finds nothing */
        for (unsigned n = 0; n < cases[i].hits; n++)
            heat_account_add(&a, 3, 61500 + (int32_t)n, cases[i].hot_gib * GIB / cases[i].hits, 1);
        if (heat_account_onset(&a, &onset) != cases[i].is_onset)
            fail_msg("case %zu", i);
        if (!cases[i].is_onset)
            continue;
        assert_int_equal(onset.from_degrees, 61);
        assert_int_equal(onset.faults, cases[i].hits);
        assert_int_equal(onset.bytes_below, cases[i].cold_gib * GIB);
    }
}

TEST(limits_of_the_account)
{
    static struct heat_account a;
    struct heat_onset onset;

    heat_account_add(&a, HEAT_TESTS, C(50), GIB, 9); /* no such test */
    assert_int_equal(a.faults, 0);
    for (unsigned i = 0; i < 4; i++)
        heat_account_add(&a, 0, C(-5), GIB / 4 + i, 0);
    heat_account_add(&a, 0, C(999), 1, 9);
    assert_int_equal(a.cell[0][0].mib, 1024);
    assert_true(heat_account_onset(&a, &onset)); /* what was moved above is less than a MiB */
    assert_int_equal(onset.from_degrees, HEAT_DEGREES - 1);
    assert_int_equal(onset.bytes_below, GIB);
}
