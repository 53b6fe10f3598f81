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

struct pulse_setting pulse_setting(uint32_t cell)
{
    ASSERT(cell < PULSE_CELLS);
    return (struct pulse_setting){
        .hz = frequency(cell % PULSE_FREQUENCIES),
        .duty = duty(cell / PULSE_FREQUENCIES),
    };
}

struct pulse_schedule pulse_schedule_make(uint64_t hz, uint64_t start, uint64_t budget_ticks)
{
    struct pulse_schedule s = { .start = start };

    ASSERT(hz >= PULSE_HZ_MAX);
    for (uint32_t i = 0; i < PULSE_FREQUENCIES; i++)
        s.period_ticks[i] = hz / frequency(i);
    s.cell_ticks = max_u64(budget_ticks / PULSE_CELLS, PULSE_COUNT_MIN * s.period_ticks[0]);
    return s;
}

uint32_t pulse_cell(const struct pulse_schedule *s, uint64_t at)
{
    return (uint32_t)((at - s->start) / s->cell_ticks % PULSE_CELLS);
}

struct pulse pulse_at(const struct pulse_schedule *s, uint64_t at)
{
    uint32_t cell = pulse_cell(s, at);
    uint64_t in_cell = (at - s->start) % s->cell_ticks;
    uint64_t cell_end = at - in_cell + s->cell_ticks;
    uint64_t period = s->period_ticks[cell % PULSE_FREQUENCIES];
    uint64_t begin = at - in_cell % period;
    uint64_t on = max_u64(period * duty(cell / PULSE_FREQUENCIES) / 100, 1);

    return (struct pulse){
        .begin = begin,
        .off = min_u64(begin + on, cell_end),
        .end = min_u64(begin + period, cell_end),
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
