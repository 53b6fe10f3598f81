// SPDX-License-Identifier: MIT
#include "progress/time_left.h"

#define SHORTEST_S 1.0 /* over which a speed is measured, at least */

static void count(struct time_left *t, uint64_t swept)
{
    t->work += t->cost * (double)(swept - t->swept);
    t->swept = swept;
}

static struct time_left_point point_now(const struct time_left *t, double s)
{
    return (struct time_left_point){ s, t->work, t->waited_s };
}

void time_left_begin_pass(struct time_left *t, struct time_left_pass pass, uint64_t swept, double s)
{
    if (!(t->begin.s > 0))
        t->swept = t->first_swept = swept;
    count(t, swept);
    if (!(t->begin.s > 0))
        t->begin = point_now(t, s);
    t->sweep_bytes = pass.sweep_bytes;
    t->pass_work = pass.work;
    t->pass_wait_s = pass.wait_s;
    t->work_before = t->work;
    t->waited_before = t->waited_s;
}

void time_left_begin_test(struct time_left *t, double cost, uint64_t bytes, uint64_t swept,
                          double s)
{
    count(t, swept);
    t->cost = cost;
    t->test_work = cost * (double)bytes;
    t->test = point_now(t, s);
}

void time_left_waited(struct time_left *t, double s)
{
    t->waited_s += s;
}

void time_left_paused(struct time_left *t, double s)
{
    t->waited_s += s;
    t->pass_wait_s += s;
}

void time_left_add_repeat(struct time_left *t, uint64_t bytes)
{
    t->pass_work += t->cost * (double)bytes;
    t->test_work += t->cost * (double)bytes;
}

void time_left_add_uncounted(struct time_left *t, uint64_t bytes)
{
    t->swept += bytes;
    t->first_swept += bytes;
}

/* Seconds for a unit of work since `from`; 0: not known yet. */
static double rate_limit_since(const struct time_left *t, struct time_left_point from, double s)
{
    double busy_s = s - from.s - (t->waited_s - from.waited_s);
    double work = t->work - from.work;

    return from.s > 0 && busy_s >= SHORTEST_S && work > 0 ? busy_s / work : 0;
}

static double left_of(double total, double done)
{
    return total > done ? total - done : 0;
}

void time_left_skip(struct time_left *t, double wait_s, uint64_t swept)
{
    count(t, swept);
    t->pass_work -= left_of(t->test_work, t->work - t->test.work);
    t->pass_wait_s -= left_of(wait_s, t->waited_s - t->test.waited_s);
}

double time_left_estimate(struct time_left *t, uint64_t swept, double s, uint64_t more_passes)
{
    double more = (double)more_passes, work, wait_s, pace, own_pace, own_work;

    count(t, swept);
    if (!(t->later.s > 0) && swept - t->first_swept >= t->sweep_bytes)
        t->later = point_now(t, s);
    pace = rate_limit_since(t, t->later, s);
    if (!(pace > 0))
        pace = rate_limit_since(t, t->begin, s);
    work = left_of(t->pass_work, t->work - t->work_before) + more * t->pass_work;
    wait_s = left_of(t->pass_wait_s, t->waited_s - t->waited_before) + more * t->pass_wait_s;
    if (work > 0 && !(pace > 0))
        return -1;
    own_work = left_of(t->test_work, t->work - t->test.work);
    if (own_work > work)
        own_work = work;
    own_pace = rate_limit_since(t, t->test.s > t->later.s ? t->test : t->later, s);
    if (!(own_pace > 0))
        own_pace = pace;
    return own_work * own_pace + (work - own_work) * pace + wait_s;
}
