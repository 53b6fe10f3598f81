// SPDX-License-Identifier: MIT
#include "sweep/pulse.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "sweep/line_ops.h"

#define DECADE 10

static uint32_t frequency(uint32_t number)
{
    static const uint32_t r10[DECADE] = {
        1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000,
    };
    uint32_t hz = r10[number % DECADE];

    for (uint32_t decade = number / DECADE; decade; decade--)
        hz *= 10;
    return hz;
}

/* Each duty once: 50, 10, 60, 20, ... 90 %. */
static uint32_t duty(uint32_t number)
{
    return 10 * (1 + (number * 5 + 4) % PULSE_DUTIES);
}

struct pulse_setting pulse_setting(uint32_t number)
{
    ASSERT(number < PULSE_SETTINGS);
    return (struct pulse_setting){
        .hz = frequency(number % PULSE_FREQUENCIES),
        .duty = duty(number / PULSE_FREQUENCIES),
    };
}

struct pulse_schedule pulse_schedule_make(uint64_t hz, uint64_t start, uint64_t budget_ticks)
{
    struct pulse_schedule s = { .start = start };

    ASSERT(hz >= PULSE_HZ_MAX);
    for (uint32_t i = 0; i < PULSE_FREQUENCIES; i++)
        s.period_ticks[i] = hz / frequency(i);
    s.dwell_ticks = max_u64(budget_ticks / PULSE_SETTINGS, PULSE_COUNT_MIN * s.period_ticks[0]);
    return s;
}

uint32_t pulse_setting_at(const struct pulse_schedule *s, uint64_t at)
{
    return (uint32_t)((at - s->start) / s->dwell_ticks % PULSE_SETTINGS);
}

struct pulse pulse_at(const struct pulse_schedule *s, uint64_t at)
{
    uint32_t number = pulse_setting_at(s, at);
    uint64_t in_dwell = (at - s->start) % s->dwell_ticks;
    uint64_t dwell_end = at - in_dwell + s->dwell_ticks;
    uint64_t period = s->period_ticks[number % PULSE_FREQUENCIES];
    uint64_t begin = at - in_dwell % period;
    uint64_t on = max_u64(period * duty(number / PULSE_FREQUENCIES) / 100, 1);

    return (struct pulse){
        .begin = begin,
        .off = min_u64(begin + on, dwell_end),
        .end = min_u64(begin + period, dwell_end),
    };
}

void pulse_gate_pass(struct pulse_gate *gate)
{
    struct pulse *p = &gate->pulse;
    uint64_t now = gate->now(gate->ctx);

    if (now >= p->begin && now < p->off)
        return;
    line_ops_fence();
    while (now < p->begin || now >= p->off) {
        if (now >= p->off) {
            *p = pulse_at(gate->schedule, max_u64(now, p->end));
        } else {
            __builtin_ia32_pause();
            now = gate->now(gate->ctx);
        }
    }
}
