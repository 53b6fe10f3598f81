// SPDX-License-Identifier: MIT
#include "sweep/pulse.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define HZ    UINT64_C(2100000000)
#define START UINT64_C(0x123456789abc)

static const uint64_t counters_hz[] = { 1000000, 100000000, HZ, UINT64_C(10000000000) };

/* 1 kHz to 1 MHz in steps of a tenth of a decade, each with 10 to 90 %. */
TEST(each_frequency_has_each_duty_once)
{
    bool had[PULSE_FREQUENCIES][PULSE_DUTIES] = { 0 };
    uint32_t duties = 0;

    for (uint32_t number = 0; number < PULSE_SETTINGS; number++) {
        struct pulse_setting s = pulse_setting(number), first = pulse_setting(number - number % 31);

        assert_int_equal(s.duty, first.duty);
        assert_int_equal(s.duty % 10, 0);
        assert_in_range(s.duty, 10, 90);
        assert_false(had[number % 31][s.duty / 10 - 1]);
        had[number % 31][s.duty / 10 - 1] = true;
        if (number % 31 == 0) {
            assert_int_equal(s.hz, PULSE_HZ_MIN);
            duties += s.duty;
        } else {
            double ratio = (double)s.hz / pulse_setting(number - 1).hz;

            assert_true(ratio >= 1.24 && ratio <= 1.29);
        }
        if (number % 31 == 30)
            assert_int_equal(s.hz, PULSE_HZ_MAX);
    }
    assert_int_equal(duties / PULSE_DUTIES, PULSE_MEAN_DUTY);
}

/* Of a number: the pulses follow each other without a gap, all as long and as long on, but the
 * last.
 */
static uint64_t walk_dwell(const struct pulse_schedule *s, uint32_t number, uint64_t hz,
                           uint64_t at)
{
    struct pulse_setting setting = pulse_setting(number);
    uint64_t end = at + s->dwell_ticks, period = hz / setting.hz;
    uint64_t on = period * setting.duty / 100;

    on += on == 0;
    for (struct pulse p; at < end; at = p.end) {
        p = pulse_at(s, at);
        assert_int_equal(pulse_setting_at(s, at), number);
        assert_int_equal(p.begin, at);
        assert_int_equal(p.end, at + period < end ? at + period : end);
        assert_int_equal(p.off, at + on < end ? at + on : end);
    }
    return at;
}

TEST(pulses_follow_each_other)
{
    for (size_t i = 0; i < COUNT(counters_hz); i++) {
        uint64_t hz = counters_hz[i];
        struct pulse_schedule s = pulse_schedule_make(hz, START, 0);
        uint64_t at = START;

        for (uint32_t number = 0; number < PULSE_SETTINGS; number++)
            at = walk_dwell(&s, number, hz, at);
        walk_dwell(&s, 0, hz, at); /* and begins again */
    }
}

TEST(takes_the_time_that_it_has)
{
    static const struct {
        uint64_t budget_ms, least_ms, most_ms;
    } cases[] = {
        { 0, 1115, 1117 }, /* four pulses at 1 kHz, 279 times */
        { 1000, 1115, 1117 },
        { 2000, 1998, 2000 },
        { 3600000, 3599000, 3600000 },
    };

    for (size_t i = 0; i < COUNT(counters_hz) * COUNT(cases); i++) {
        uint64_t hz = counters_hz[i / COUNT(cases)], per_ms = hz / 1000;
        size_t c = i % COUNT(cases);
        struct pulse_schedule s = pulse_schedule_make(hz, START, cases[c].budget_ms * per_ms);

        assert_in_range(s.dwell_ticks * PULSE_SETTINGS / per_ms, cases[c].least_ms,
                        cases[c].most_ms);
        assert_true(s.dwell_ticks >= PULSE_COUNT_MIN * s.period_ticks[0]);
    }
}

/* Whenever a CPU asks, it is told the same. */
TEST(any_time_of_a_pulse_tells_it)
{
    struct pulse_schedule s = pulse_schedule_make(HZ, START, 3 * HZ);
    uint64_t seed = 1;

    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t at = START + splitmix_next(&seed) % (100 * HZ);
        struct pulse p = pulse_at(&s, at);
        uint64_t again = p.begin + splitmix_next(&seed) % (p.end - p.begin);
        struct pulse same = pulse_at(&s, again);

        assert_true(p.begin <= at && at < p.end && p.begin < p.off && p.off <= p.end);
        assert_int_equal(same.begin, p.begin);
        assert_int_equal(same.off, p.off);
        assert_int_equal(same.end, p.end);
        assert_int_equal(pulse_setting_at(&s, again), pulse_setting_at(&s, at));
    }
}

/* A CPU: its own counter is `ahead` of the shared one, and a look at it takes some ticks. */
struct cpu {
    uint64_t counter, ahead, step;
};

static uint64_t now(void *ctx)
{
    struct cpu *cpu = ctx;

    cpu->counter += cpu->step;
    return cpu->counter - cpu->ahead;
}

static bool is_on(const struct pulse_schedule *s, uint64_t at)
{
    return at < pulse_at(s, at).off;
}

TEST(traffic_passes_only_while_it_is_on)
{
    struct pulse_schedule s = pulse_schedule_make(HZ, START, 0);
    static const uint64_t ahead[] = { 0, 5000, -UINT64_C(70000) };

    for (size_t i = 0; i < COUNT(ahead); i++) {
        struct cpu cpu = { START + 12345 + ahead[i], ahead[i], 50 };
        struct pulse_gate gate = { .schedule = &s, .now = now, .ctx = &cpu };
        uint32_t waits = 0;

        while (cpu.counter - ahead[i] < START + 40 * s.dwell_ticks) {
            uint64_t asked = cpu.counter - ahead[i] + cpu.step, passed;

            pulse_gate_pass(&gate);
            passed = cpu.counter - ahead[i];
            assert_true(is_on(&s, passed));
            if (is_on(&s, asked)) {
                assert_int_equal(passed, asked);
                continue;
            }
            /* at the first look after the next pulse has begun */
            assert_in_range(passed - pulse_at(&s, asked).end, 0, cpu.step - 1);
            waits++;
        }
        assert_true(waits > 10000);
    }
}

/* Held up, as in system management mode, for some pulses or settings: it joins the others. */
TEST(who_comes_late_joins_in)
{
    struct pulse_schedule s = pulse_schedule_make(HZ, START, 0);
    struct cpu cpu = { START, 0, 40 };
    struct pulse_gate gate = { .schedule = &s, .now = now, .ctx = &cpu };
    uint64_t seed = 7;

    for (uint32_t i = 0; i < 20000; i++) {
        pulse_gate_pass(&gate);
        assert_true(is_on(&s, cpu.counter));
        cpu.counter += splitmix_next(&seed) % (i % 2 ? 3 * s.dwell_ticks : HZ / 100000);
    }
}

/* A schedule that begins later: all wait for its start. */
TEST(waits_for_a_common_start)
{
    struct pulse_schedule s = pulse_schedule_make(HZ, START, 0);
    struct cpu cpu = { START - 1000, 0, 7 };
    struct pulse_gate gate = {
        .schedule = &s, .now = now, .ctx = &cpu, .pulse = pulse_at(&s, START)
    };

    pulse_gate_pass(&gate);
    assert_in_range(cpu.counter, START, START + 6);
}
