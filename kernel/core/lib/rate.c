// SPDX-License-Identifier: MIT
#include "lib/rate.h"

#define WINDOW_S     0.002 /* of a window */
#define WINDOW_MIN_S 0.001 /* one that ends early counts from here on */
#define WINDOW_MAX_S 0.2   /* one with long looks goes on so long to become exact */
#define GOOD_ERROR   0.0005
#define WINDOWS_MAX  16u
#define AGREEING     3u /* windows that are enough */
#define AGREEING_MIN 2u

#define FIRST_LOOKS 5u
#define STILL_MAX   10000u  /* looks at a clock that shows the same */
#define LOOKS_MAX   200000u /* of one window */

/* The ticks of the clock from which on a ceiling of the rate is taken. */
#define CEILING_TICKS 64u

#define TOLD_ERROR      0.001
#define AGREES_WITHIN   0.01
#define EXACT_ENOUGH    0.01
#define RATE_IMPOSSIBLE 1e18

struct rate rate_reported(double hz)
{
    return (struct rate){ hz * (1 - TOLD_ERROR), hz * (1 + TOLD_ERROR) };
}

double rate_middle(struct rate r)
{
    return (r.low + r.high) / 2;
}

/* The most that the middle may be off, as a share of it. */
static double rate_error(struct rate r)
{
    return (r.high - r.low) / (r.high + r.low);
}

bool rate_agrees(struct rate a, struct rate b)
{
    return a.low * (1 - AGREES_WITHIN) <= b.high && b.low * (1 - AGREES_WITHIN) <= a.high;
}

/* From two looks with `ticks` ticks between them; either reading may be up to a tick old. */
static struct rate rate_between(const struct rate_look *a, const struct rate_look *b,
                                uint64_t ticks, double hz)
{
    double least = b->before > a->after ? (double)(b->before - a->after) : 0;
    double most = (double)(b->after - a->before);

    return (struct rate){
        .low = least * hz / (double)(ticks + 1),
        .high = ticks > 1 ? most * hz / (double)(ticks - 1) : RATE_IMPOSSIBLE,
    };
}

/* The closest of several, for any may be held up. */
static struct rate_look look_closely(const struct rate_clock *clock)
{
    struct rate_look best, look;

    clock->look(clock->ctx, &best);
    for (unsigned i = 1; i < FIRST_LOOKS; i++) {
        clock->look(clock->ctx, &look);
        if (look.after - look.before < best.after - best.before)
            best = look;
    }
    return best;
}

struct window {
    struct rate rate;
    uint64_t ticks;
};

/* Whether the window needs no more looks. */
static bool is_long_enough(const struct rate_clock *clock, const struct window *w, uint64_t passed)
{
    double seconds = (double)passed / clock->hz;

    return seconds >= WINDOW_MAX_S || (seconds >= WINDOW_S && rate_error(w->rate) <= GOOD_ERROR);
}

/*
 * Looks until the window is long enough, or the CPU was away so long that the clock may have
 * wrapped: a quarter of what it takes to wrap, by *ceiling, above which the rate cannot be.
 * STATUS_INVALID: the clock went back. STATUS_TIMEOUT: it stands still, or nearly.
 */
static enum status look_on(const struct rate_clock *clock, double *ceiling, struct window *w)
{
    const struct rate_look first = look_closely(clock);
    double quarter_wrap_s = (double)clock->mask / 4 / clock->hz;
    struct rate_look last = first, now;
    uint64_t passed = 0;

    *w = (struct window){ .rate = { 0, RATE_IMPOSSIBLE } };
    for (unsigned looks = 0, still = 0; looks < LOOKS_MAX; looks++) {
        uint64_t step;
        struct rate r;

        clock->look(clock->ctx, &now);
        step = (now.count - last.count) & clock->mask;
        still = step ? 0 : still + 1;
        if (still == STILL_MAX)
            return STATUS_TIMEOUT;
        if ((double)(now.after - last.before) > *ceiling * quarter_wrap_s)
            return STATUS_OK;
        if (step > clock->mask / 2)
            return STATUS_INVALID;
        passed += step;
        last = now;
        r = rate_between(&first, &now, passed, clock->hz);
        if (passed >= CEILING_TICKS && r.high < *ceiling)
            *ceiling = r.high;
        if (rate_error(r) <= rate_error(w->rate))
            *w = (struct window){ r, passed };
        if (is_long_enough(clock, w, passed))
            return STATUS_OK;
    }
    return (double)passed >= WINDOW_MIN_S * clock->hz ? STATUS_OK : STATUS_TIMEOUT;
}

enum status rate_measure(const struct rate_clock *clock, struct rate *ret_rate)
{
    struct rate rates[WINDOWS_MAX], common = { 0 };
    double ceiling = RATE_IMPOSSIBLE;
    size_t n = 0, agreeing = 0;

    for (unsigned i = 0; i < WINDOWS_MAX; i++) {
        struct window w;
        enum status s = look_on(clock, &ceiling, &w);

        if (s == STATUS_TIMEOUT)
            return n ? STATUS_INVALID : s;
        if (s != STATUS_OK || (double)w.ticks < WINDOW_MIN_S * clock->hz)
            continue;
        rates[n++] = w.rate;
        agreeing = rate_vote(rates, n, &common);
        if (agreeing >= AGREEING && rate_error(common) <= GOOD_ERROR)
            break;
    }
    if (agreeing < AGREEING_MIN)
        return STATUS_INVALID;
    *ret_rate = common;
    return STATUS_OK;
}

/* What is common to those that hold `at`. Returns how many do. */
static size_t hold(const struct rate *rates, size_t n, double at, struct rate *ret_common)
{
    struct rate common = { 0, RATE_IMPOSSIBLE };
    size_t holding = 0;

    for (size_t i = 0; i < n; i++) {
        if (at < rates[i].low || at > rates[i].high)
            continue;
        holding++;
        common.low = rates[i].low > common.low ? rates[i].low : common.low;
        common.high = rates[i].high < common.high ? rates[i].high : common.high;
    }
    *ret_common = common;
    return holding;
}

size_t rate_vote(const struct rate *rates, size_t n, struct rate *ret_rate)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        struct rate common;
        size_t holding = hold(rates, n, rates[i].low, &common);

        if (holding > most || (holding == most && common.low < ret_rate->low)) {
            most = holding;
            *ret_rate = common;
        }
    }
    return most;
}

static size_t count_agreeing(const struct rate *rates, size_t n, size_t with)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += rate_agrees(rates[i], rates[with]);
    return count;
}

size_t rate_choose(const struct rate *rates, size_t n)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        size_t agreeing = count_agreeing(rates, n, i);

        if (rate_error(rates[i]) < EXACT_ENOUGH && agreeing > most) {
            most = agreeing;
            best = i;
        }
    }
    for (size_t i = 1; !most && i < n; i++)
        best = rate_error(rates[i]) < rate_error(rates[best]) ? i : best;
    return best;
}
