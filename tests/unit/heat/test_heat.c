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

static bool take(struct sensor_watch *w, int32_t degrees, uint64_t s, uint64_t traffic_s)
{
    return sensor_take(w, C(degrees), &(struct heat_times){ s * S, traffic_s * S, 0 });
}

TEST(a_jump_is_not_believed)
{
    static const struct {
        int32_t from, to;
        unsigned seconds;
        int32_t cpu_max;
        bool is_believed;
    } cases[] = {
        { 40, 50, 0, 0, true },     { 40, 51, 0, 0, false },    { 40, 55, 1, 0, true },
        { 40, 56, 1, 0, false },    { 40, 127, 100, 0, false }, { 40, 0, 2, 0, false },
        { 40, 0, 6, 0, true },      { 40, -40, 30, 0, true },   { 40, -41, 60, 0, false },
        { 95, 125, 4, 0, true },    { 95, 126, 9, 0, false },   { 40, 100, 0, 100, true },
        { 40, 101, 0, 100, false }, { 90, 120, 0, 105, true },  { 90, 121, 9, 105, false },
        { 68, 127, 0, 105, false }, { 90, 110, 9, 95, true },   { 90, 111, 9, 95, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sensor_watch w = { .cpu_max_mc = C(cases[i].cpu_max) };

        assert_true(take(&w, cases[i].from, 9, 0));
        if (take(&w, cases[i].to, 9 + cases[i].seconds, 0) != cases[i].is_believed)
            fail_msg("case %zu", i);
        assert_int_equal(w.mc, C(cases[i].is_believed ? cases[i].to : cases[i].from));
        assert_int_equal(w.doubt, SENSOR_TRUSTED);
    }
}

TEST(after_three_jumps_it_is_doubted_for_good)
{
    struct sensor_watch w = { 0 };

    take(&w, 40, 1, 0);
    assert_false(take(&w, 127, 2, 0));
    assert_false(take(&w, 127, 3, 0));
    assert_true(take(&w, 41, 4, 0)); /* two were glitches */
    for (unsigned i = 5; i < 8; i++) {
        assert_int_equal(w.doubt, SENSOR_TRUSTED);
        assert_false(take(&w, 127, i, 0));
    }
    assert_int_equal(w.doubt, SENSOR_JUMPS);
    assert_int_equal(w.odd_mc, C(127));
    assert_false(take(&w, 41, 8, 0));
    assert_string_equal(sensor_doubt_word(w.doubt), "jumps");

    w = (struct sensor_watch){ 0 };
    for (unsigned i = 0; i < 3; i++)
        take(&w, 127, i, 0);
    assert_true(!w.has_read && w.doubt == SENSOR_JUMPS);
}

TEST(one_that_stays_the_same_is_doubted_until_it_changes)
{
    struct sensor_watch w = { 0 };

    take(&w, 40, 1, 0);
    take(&w, 40, 100, 59);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    take(&w, 40, 200, 60);
    assert_int_equal(w.doubt, SENSOR_UNCHANGED);
    take(&w, 41, 201, 61);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    take(&w, 41, 900, 660);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    take(&w, 41, 901, 661); /* ten minutes, once it has changed */
    assert_int_equal(w.doubt, SENSOR_UNCHANGED);
}

/* A limit's pauses leave no traffic by which it could be doubted. */
TEST(one_that_stays_the_same_through_a_pause_is_doubted)
{
    static const struct {
        int32_t to;
        enum sensor_doubt doubt;
    } cases[] = { { 97, SENSOR_UNCHANGED }, { 96, SENSOR_TRUSTED } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int32_t cpu_max = 0; cpu_max <= 100; cpu_max += 100) {
            struct sensor_watch w = { .cpu_max_mc = C(cpu_max) };

            take(&w, 90, 1, 0);
            take(&w, 97, 30, 29);
            sensor_take(&w, C(97), &(struct heat_times){ 315 * S, 30 * S, 285 * S });
            assert_int_equal(w.doubt, SENSOR_TRUSTED);
            sensor_take(&w, C(cases[i].to), &(struct heat_times){ 319 * S, 30 * S, 289 * S });
            sensor_take(&w, C(cases[i].to), &(struct heat_times){ 320 * S, 30 * S, 290 * S });
            assert_int_equal(w.doubt, cases[i].doubt);
        }
    }
}

TEST(silence)
{
    struct sensor_watch w = { 0 };

    take(&w, 40, 10, 0);
    sensor_miss(&w, 39 * S, false);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_miss(&w, 40 * S, false);
    assert_int_equal(w.doubt, SENSOR_SILENT);
    take(&w, 40, 41, 0);
    assert_int_equal(w.doubt, SENSOR_TRUSTED);
    sensor_miss(&w, 42 * S, true);
    assert_int_equal(w.doubt, SENSOR_SILENT);
}

TEST(a_word_of_two_temperatures)
{
    const struct heat_now cases[] = {
        { at(0), unknown, false },
        { unknown, at(-40), false },
        { at(95), at(100), false },
        { unknown, unknown, false },
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
    return heat_gate_step(gate, &(struct heat_now){ module, cpu, true }, s * S);
}

TEST(a_pause_begins_above_and_ends_ten_degrees_below)
{
    struct heat_gate g = make_gate();

    assert_false(step(&g, at(95), at(100), 1));
    assert_true(step(&g, at(96), at(100), 31));
    assert_string_equal(heat_cause_word(g.cause), "module");
    assert_true(step(&g, at(86), at(80), 40));
    assert_int_equal(heat_gate_paused_us(&g, 45 * S), 14 * S);
    assert_false(step(&g, at(85), at(100), 51)); /* what caused it has cooled */
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

/* The other's temperature does not, unless it is above its own limit: then the pause is for it. */
TEST(what_caused_a_pause_ends_it)
{
    struct heat_gate g = make_gate();

    assert_true(step(&g, at(88), at(101), 1));
    assert_true(step(&g, at(88), at(91), 2));
    assert_false(step(&g, at(88), at(90), 3));
    assert_true(step(&g, at(96), at(99), 4));
    assert_true(step(&g, at(85), at(101), 14));
    assert_string_equal(heat_cause_word(g.cause), "cpu");
    assert_true(step(&g, at(85), at(91), 15));
    assert_false(step(&g, at(95), at(90), 16));
    assert_int_equal(g.pauses, 2);
    assert_int_equal(g.off_us, 12 * S);
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
    assert_false(heat_gate_is_by_time(&g, &(struct heat_now){ unknown, unknown, true }));

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

    /* The sensor is lost within the first pause: it has shown nothing. */
    g = make_gate();
    assert_false(step(&g, at(50), unknown, 1));
    assert_true(step(&g, at(96), unknown, 2));
    assert_true(step(&g, unknown, unknown, 31));
    assert_false(step(&g, unknown, unknown, 32));
    assert_false(step(&g, unknown, unknown, 121));
    assert_true(step(&g, unknown, unknown, 122));

    /* As the last pause has shown that ended by a sensor. */
    g = make_gate();
    assert_false(step(&g, at(50), unknown, 1));
    assert_true(step(&g, at(96), unknown, 201));
    assert_false(step(&g, at(85), unknown, 241));
    assert_false(step(&g, unknown, unknown, 440));
    assert_true(step(&g, unknown, unknown, 441));
    assert_true(step(&g, unknown, unknown, 480));
    assert_false(step(&g, unknown, unknown, 481));

    /* No module has one. */
    g = make_gate();
    g.is_asked = true;
    for (uint64_t s = 1; s < 2000; s += 500)
        assert_false(heat_gate_step(&g, &(struct heat_now){ unknown, at(50), false }, s * S));
}

/* An hour with a sensor, of a module or of a CPU, that is stuck above its limit after 30 s. */
TEST(a_sensor_that_is_stuck_pauses_less_than_a_third)
{
    for (int32_t cpu_max = 0; cpu_max <= 105; cpu_max += 105) {
        struct sensor_watch w = { .cpu_max_mc = C(cpu_max) };
        struct heat_gate g = make_gate();
        struct heat_times t = { 1 * S, 0, 0 };
        uint64_t doubted_us = 0;

        for (; t.now_us < 3600 * S; t.now_us += S) {
            struct degrees heat;

            sensor_take(&w, t.now_us < 30 * S ? C(60 + (int32_t)(t.now_us / S)) : C(104), &t);
            heat = (struct degrees){ !w.doubt, w.mc };
            if (w.doubt && !doubted_us)
                doubted_us = t.now_us;
            step(&g, cpu_max ? at(50) : heat, cpu_max ? heat : unknown, t.now_us / S);
            t.traffic_us += g.cause ? 0 : S;
            t.pause_us = g.cause ? t.now_us - g.since_us : 0;
        }
        assert_in_range(doubted_us, 300 * S, 330 * S);
        assert_in_range(heat_gate_paused_us(&g, t.now_us), 290 * S, 1200 * S);
    }
}

/* A pause for the CPU says nothing of modules without a limit. */
TEST(a_limit_that_is_off_does_not_go_by_time)
{
    struct heat_gate g = make_gate();

    g.module_max_mc = INT32_MAX;
    assert_false(step(&g, at(50), at(90), 1));
    assert_true(step(&g, at(50), at(101), 2));
    assert_false(step(&g, unknown, at(90), 10));
    assert_false(heat_gate_is_by_time(&g, &(struct heat_now){ unknown, at(90), true }));
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
