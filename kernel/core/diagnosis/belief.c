// SPDX-License-Identifier: MIT
#include "diagnosis/belief.h"

#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/minmax.h"

/* Of a pass; the lowest are below what is promised, 1 in 20, so that it has room to vary. */
static const double rate[DIAGNOSIS_RATES] = { 0.98, 0.8, 0.5, 0.3, 0.15, 0.08, 0.05, 0.03 };

#define CHANGES    0.15 /* of the belief: the rate has changed, by up to REACH steps of the list */
#define REACH      2
#define ONCE       1e-4 /* a pass with a fault where there can be none */
#define GONE       0.005 /* in each pass of the first run and never again: moving modules mended it */
#define MISS_MAX   0.005 /* half of what is promised: the rate may vary */
#define PASSES_MIN 6
#define WEIGHT_MAX 255

/* In parts of all causes, before the first run. */
#define PRIOR_NONE           0.04
#define PRIOR_CONTROLLER     0.04
#define PRIOR_CROWD          0.01
#define PRIOR_SETTINGS       0.25 /* where they are raised */
#define PRIOR_SETTINGS_CROWD 0.05
#define PRIOR_MODULE         0.60 /* one of them */
#define PRIOR_TWO            0.10 /* two of them */
#define PRIOR_SLOT           0.05 /* one of those of the first run */

/* Of that in settings, where the JEDEC speed is unknown; and each time that they have stayed. */
#define UNKNOWN_SPEED 0.4
#define STAYED_SPEED  0.02

/* What a kind of fault makes of these: times so much. */
static const struct {
    double module, slot, settings, controller;
} by_kind[DIAGNOSIS_KINDS] = {
    [DIAGNOSIS_KIND_UNKNOWN] = { 1, 1, 1, 1 },
    [DIAGNOSIS_KIND_CELLS] = { 2, 0.5, 0.5, 0.5 },
    [DIAGNOSIS_KIND_LINE] = { 1, 2, 0.5, 1 },
    [DIAGNOSIS_KIND_EVERYWHERE] = { 0.7, 1, 2, 2 },
};

static double power(double x, unsigned n)
{
    double y = 1;

    for (; n; n /= 2, x *= x) {
        if (n & 1)
            y *= x;
    }
    return y;
}

static unsigned count(uint32_t bits)
{
    return bits_count(bits);
}

static void add(struct diagnosis_belief *b, enum diagnosis_cause_kind kind, uint32_t bits,
                double prior)
{
    b->cause[b->n] = (struct diagnosis_cause){ kind, bits };
    b->of[b->n++] = prior;
}

static void add_modules(const struct diagnosis *d, struct diagnosis_belief *b, double factor)
{
    unsigned n = d->n_modules, pairs = n * (n - 1) / 2;

    for (unsigned i = 0; i < n; i++)
        add(b, DIAGNOSIS_MODULES, UINT32_C(1) << i, factor * PRIOR_MODULE / n);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = i + 1; k < n; k++)
            add(b, DIAGNOSIS_MODULES, UINT32_C(1) << i | UINT32_C(1) << k,
                factor * PRIOR_TWO / pairs);
    }
}

/* A slot that was empty in the first run has not caused the first run's faults. */
static void add_slots(const struct diagnosis *d, struct diagnosis_belief *b, double factor)
{
    uint32_t used = diagnosis_slots_used(&d->run[0].at);

    for (unsigned i = 0; i < d->n_slots; i++) {
        if (used >> i & 1)
            add(b, DIAGNOSIS_SLOT, UINT32_C(1) << i, factor * PRIOR_SLOT / count(used));
    }
}

/*
 * Where the modules' JEDEC speed is unknown, nobody knows whether there is anything to lower: not
 * if the speed is the same each time that somebody was to lower it.
 */
static double settings_factor(const struct diagnosis *d)
{
    double factor = by_kind[d->kind].settings;

    if (d->jedec_mt_s)
        return factor;
    return factor * UNKNOWN_SPEED * power(STAYED_SPEED, d->settings_stayed);
}

static void list_causes(const struct diagnosis *d, struct diagnosis_belief *b)
{
    const struct diagnosis_arrangement *first = &d->run[0].at;
    double controller = by_kind[d->kind].controller, settings = settings_factor(d);

    b->n = 0;
    b->crowd = count(diagnosis_modules_in(first));
    add(b, DIAGNOSIS_NONE, 0, PRIOR_NONE);
    add(b, DIAGNOSIS_CONTROLLER, 0, controller * PRIOR_CONTROLLER);
    add(b, DIAGNOSIS_CROWD, 0, controller * PRIOR_CROWD);
    if (first->is_raised) {
        add(b, DIAGNOSIS_SETTINGS, 0, settings * PRIOR_SETTINGS);
        add(b, DIAGNOSIS_SETTINGS_CROWD, 0, settings * PRIOR_SETTINGS_CROWD);
    }
    add_modules(d, b, by_kind[d->kind].module);
    add_slots(d, b, by_kind[d->kind].slot);
}

bool diagnosis_can_fail(const struct diagnosis_cause *cause, const struct diagnosis_arrangement *at,
                        unsigned crowd)
{
    bool is_crowd = count(diagnosis_modules_in(at)) >= crowd;

    switch (cause->kind) {
    case DIAGNOSIS_NONE: return false;
    case DIAGNOSIS_CONTROLLER: return true;
    case DIAGNOSIS_CROWD: return is_crowd;
    case DIAGNOSIS_SETTINGS: return at->is_raised;
    case DIAGNOSIS_SETTINGS_CROWD: return at->is_raised && is_crowd;
    case DIAGNOSIS_MODULES: return diagnosis_modules_in(at) & cause->bits;
    case DIAGNOSIS_SLOT: return diagnosis_slots_used(at) & cause->bits;
    }
    return false;
}

/* In another arrangement the rate may be another one, a few steps away. */
static void vary(double of[DIAGNOSIS_RATES])
{
    double mean[DIAGNOSIS_RATES];

    for (unsigned r = 0; r < DIAGNOSIS_RATES; r++) {
        unsigned first = r < REACH ? 0 : r - REACH;
        unsigned end = (unsigned)min_u64(r + REACH + 1, DIAGNOSIS_RATES);

        mean[r] = 0;
        for (unsigned i = first; i < end; i++)
            mean[r] += of[i] / (end - first);
    }
    for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
        of[r] = (1 - CHANGES) * of[r] + CHANGES * mean[r];
}

void diagnosis_miss(unsigned passes, double ret_miss[DIAGNOSIS_RATES])
{
    for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
        ret_miss[r] = power(1 - rate[r], passes);
    vary(ret_miss);
}

/*
 * How much a run weighs. If a page was bad each time that it was tested again, and no pass was
 * without faults, the fault always comes. More than WEIGHT_MAX passes weigh as that many, with as
 * large a share of faulty ones: their likelihood would be too small for a double.
 */
static struct diagnosis_count weight_of(const struct diagnosis_run *run)
{
    struct diagnosis_count w = { run->passes, run->failed, run->always };

    if (w.always && w.failed == w.passes && w.failed < DIAGNOSIS_FAILURES_ENOUGH)
        w.passes = w.failed = DIAGNOSIS_FAILURES_ENOUGH;
    if (w.passes > WEIGHT_MAX) {
        w.failed = (unsigned)div_up((uint64_t)w.failed * WEIGHT_MAX, w.passes);
        w.passes = WEIGHT_MAX;
    }
    return w;
}

static void weigh_rates(struct diagnosis_count w, bool is_first,
                        double ret_likelihood[DIAGNOSIS_RATES])
{
    for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
        ret_likelihood[r] = power(rate[r], w.failed) * power(1 - rate[r], w.passes - w.failed);
    if (!is_first)
        vary(ret_likelihood);
}

/* Whether it was tested again, and no run but the first one had faults. */
static bool never_again(const struct diagnosis *d)
{
    unsigned again = 0, failed = 0;

    for (unsigned i = 1; i < d->n_runs; i++) {
        again += d->run[i].outcome == DIAGNOSIS_RAN;
        failed += d->run[i].failed;
    }
    return again && !failed;
}

/*
 * The first run had faults, or there were no diagnosis: to the cause "none" they are one that came
 * once, or one that stayed until the machine was opened.
 */
static double weigh_first_of_none(const struct diagnosis *d)
{
    struct diagnosis_count first = weight_of(&d->run[0]);

    if (first.failed > 1 && first.failed == first.passes && never_again(d))
        return GONE;
    return power(ONCE, first.failed ? first.failed - 1u : 0);
}

static void weigh_run(struct diagnosis_belief *b, const struct diagnosis *d, unsigned k)
{
    const struct diagnosis_run *run = &d->run[k];
    struct diagnosis_count w = weight_of(run);
    double likelihood[DIAGNOSIS_RATES];

    weigh_rates(w, k == 0, likelihood);
    for (unsigned i = 0; i < b->n; i++) {
        bool fails = diagnosis_can_fail(&b->cause[i], &run->at, b->crowd);
        bool is_none = b->cause[i].kind == DIAGNOSIS_NONE;
        double good = k == 0 && is_none ? weigh_first_of_none(d) : power(ONCE, w.failed);

        for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
            b->weight[i][r] *= fails ? likelihood[r] : good;
    }
}

/* Makes all add up to 1, after each run: otherwise many would fall below what a double holds. */
static void scale(struct diagnosis_belief *b)
{
    double sum = 0;

    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
            sum += b->weight[i][r];
    }
    for (unsigned i = 0; i < b->n; i++) {
        b->of[i] = 0;
        for (unsigned r = 0; r < DIAGNOSIS_RATES; r++) {
            b->weight[i][r] /= sum;
            b->of[i] += b->weight[i][r];
        }
    }
}

void diagnosis_believe(const struct diagnosis *d, struct diagnosis_belief *ret_belief)
{
    struct diagnosis_belief *b = ret_belief;

    list_causes(d, b);
    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
            b->weight[i][r] = b->of[i] / DIAGNOSIS_RATES;
    }
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (d->run[i].outcome == DIAGNOSIS_RAN)
            weigh_run(b, d, i);
        scale(b);
    }
}

double diagnosis_sees(const struct diagnosis_belief *b, unsigned cause,
                      const double miss[DIAGNOSIS_RATES])
{
    double seen = 0;

    for (unsigned r = 0; r < DIAGNOSIS_RATES; r++)
        seen += b->weight[cause][r] * (1 - miss[r]);
    return b->of[cause] > 0 ? seen / b->of[cause] : 0;
}

/* Over all causes but none. */
static double missed(const struct diagnosis_belief *b, unsigned passes)
{
    double miss[DIAGNOSIS_RATES], sum = 0, all = 0;

    diagnosis_miss(passes, miss);
    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned r = 0; r < DIAGNOSIS_RATES && b->cause[i].kind != DIAGNOSIS_NONE; r++) {
            sum += b->weight[i][r] * miss[r];
            all += b->weight[i][r];
        }
    }
    return all > 0 ? sum / all : 0;
}

unsigned diagnosis_passes(const struct diagnosis_belief *b)
{
    unsigned n = PASSES_MIN;

    while (n < DIAGNOSIS_PASSES_MAX && missed(b, n) >= MISS_MAX)
        n++;
    return n;
}
