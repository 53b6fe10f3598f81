// SPDX-License-Identifier: MIT
#include "diagnosis/next_step.h"

#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define RATES 8
#define CAUSES_MAX                                                                                 \
    (5 + DIAGNOSIS_MODULES_MAX + DIAGNOSIS_MODULES_MAX * (DIAGNOSIS_MODULES_MAX - 1) / 2 +         \
     DIAGNOSIS_SLOTS_MAX)

/* Of a pass; the lowest are below what is promised, 1 in 20, so that it has room to vary. */
static const double rate[RATES] = { 0.98, 0.8, 0.5, 0.3, 0.15, 0.08, 0.05, 0.03 };

#define CHANGES    0.15 /* of the belief: the rate has changed, by up to REACH steps of the list */
#define REACH      2
#define ONCE       1e-4 /* a pass with a fault where there can be none */
#define GONE       0.005 /* in each pass of the first run and never again: moving modules mended it */
#define MISS_MAX   0.005 /* half of what is promised: the rate may vary */
#define PASSES_MIN 6
#define WEIGHT_MAX 255

/* Of settings, where the JEDEC speed is unknown; and each time that they have stayed. */
#define UNKNOWN_SPEED 0.4
#define STAYED_SPEED  0.02

#define SURE          0.992
#define SURE_SETTINGS 0.98
#define TELLS_MIN     0.0007 /* of the variance, a restart: less is not worth it */

/* In restarts. */
#define WORK_RESTART 0.5
#define WORK_OPEN    0.5  /* opening the machine, whatever the module */
#define WORK_MODULE  0.15 /* out or in */
#define WORK_MOVE    0.2
#define WORK_SETUP   0.2
#define WORK_STAYED  2.0 /* each time that somebody has not found out how */
#define WORK_NEW     0.5 /* slots that have not been used yet may not be for this */

/*
 * What is believed before the first run, in parts of all; of modules and slots for all that there
 * are together. Times so much by the kind of fault: unknown, cells, line, everywhere.
 */
static const struct {
    double prior, by_fault[DIAGNOSIS_KINDS];
} causes[DIAGNOSIS_CAUSES] = {
    [DIAGNOSIS_NONE] = { 0.04, { 1, 1, 1, 1 } },
    [DIAGNOSIS_CONTROLLER] = { 0.04, { 1, 0.5, 1, 2 } },
    [DIAGNOSIS_CROWD] = { 0.01, { 1, 0.5, 1, 2 } },
    [DIAGNOSIS_SETTINGS] = { 0.25, { 1, 0.5, 0.5, 2 } },
    [DIAGNOSIS_SETTINGS_CROWD] = { 0.05, { 1, 0.5, 0.5, 2 } },
    [DIAGNOSIS_MODULE] = { 0.60, { 1, 2, 1, 0.7 } },
    [DIAGNOSIS_MODULES] = { 0.10, { 1, 2, 1, 0.7 } },
    [DIAGNOSIS_SLOT] = { 0.05, { 1, 0.5, 2, 1 } },
};

struct belief {
    unsigned n, crowd; /* modules of the first run */
    struct diagnosis_cause cause[CAUSES_MAX];
    double weight[CAUSES_MAX][RATES]; /* of cause and rate; all add up to 1 */
    double of[CAUSES_MAX];            /* of the cause, whatever the rate */
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

static void add(struct belief *b, enum diagnosis_cause_kind kind, uint32_t bits)
{
    b->cause[b->n++] = (struct diagnosis_cause){ kind, bits };
}

/*
 * Settings count if they are raised. A slot that was empty in the first run has not caused the
 * first run's faults.
 */
static void list_causes(const struct diagnosis *d, struct belief *b)
{
    const struct arrangement *first = &d->run[0].at;

    b->n = 0;
    b->crowd = bits_count(diagnosis_modules_in(first));
    for (unsigned kind = 0; kind < DIAGNOSIS_MODULE; kind++) {
        if (kind < DIAGNOSIS_SETTINGS || first->is_raised)
            add(b, (enum diagnosis_cause_kind)kind, 0);
    }
    for (unsigned i = 0; i < d->n_modules; i++)
        add(b, DIAGNOSIS_MODULE, UINT32_C(1) << i);
    for (unsigned i = 0; i < d->n_modules; i++) {
        for (unsigned k = i + 1; k < d->n_modules; k++)
            add(b, DIAGNOSIS_MODULES, UINT32_C(1) << i | UINT32_C(1) << k);
    }
    for (unsigned i = 0; i < d->n_slots; i++) {
        if (diagnosis_slots_used(first) >> i & 1)
            add(b, DIAGNOSIS_SLOT, UINT32_C(1) << i);
    }
}

/*
 * Where the modules' JEDEC speed is unknown, nobody knows whether there is anything to lower: not
 * if the speed is the same each time that somebody was to lower it.
 */
static double prior(const struct diagnosis *d, enum diagnosis_cause_kind kind)
{
    double p = causes[kind].prior * causes[kind].by_fault[d->kind];

    if ((kind == DIAGNOSIS_SETTINGS || kind == DIAGNOSIS_SETTINGS_CROWD) && !d->jedec_mt_s)
        p *= UNKNOWN_SPEED * power(STAYED_SPEED, d->settings_stayed);
    return p;
}

static void believe_first(const struct diagnosis *d, struct belief *b)
{
    unsigned n_of[DIAGNOSIS_CAUSES] = { 0 };

    list_causes(d, b);
    for (unsigned i = 0; i < b->n; i++)
        n_of[b->cause[i].kind]++;
    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned r = 0; r < RATES; r++)
            b->weight[i][r] = prior(d, b->cause[i].kind) / n_of[b->cause[i].kind] / RATES;
    }
}

bool diagnosis_can_fail(const struct diagnosis_cause *cause, const struct arrangement *at,
                        unsigned crowd)
{
    bool is_crowd = bits_count(diagnosis_modules_in(at)) >= crowd;

    switch (cause->kind) {
    case DIAGNOSIS_CONTROLLER:
    case DIAGNOSIS_ALL: return true;
    case DIAGNOSIS_CROWD: return is_crowd;
    case DIAGNOSIS_SETTINGS: return at->is_raised;
    case DIAGNOSIS_SETTINGS_CROWD: return at->is_raised && is_crowd;
    case DIAGNOSIS_MODULE:
    case DIAGNOSIS_MODULES: return diagnosis_modules_in(at) & cause->bits;
    case DIAGNOSIS_SLOT:
    case DIAGNOSIS_SLOTS: return diagnosis_slots_used(at) & cause->bits;
    default: return false;
    }
}

/* In another arrangement the rate may be another one, a few steps away. */
static void vary(double of[RATES])
{
    double mean[RATES] = { 0 };

    for (unsigned r = 0; r < RATES; r++) {
        unsigned first = r < REACH ? 0 : r - REACH;
        unsigned end = (unsigned)min_u64(r + REACH + 1, RATES);

        for (unsigned i = first; i < end; i++)
            mean[r] += of[i] / (end - first);
    }
    for (unsigned r = 0; r < RATES; r++)
        of[r] = (1 - CHANGES) * of[r] + CHANGES * mean[r];
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

/*
 * The first run had faults, or there were no diagnosis: to the cause "none" they are one that came
 * once, or one that stayed until the machine was opened: it was tested again, and never had any.
 */
static double weigh_first_of_none(const struct diagnosis *d)
{
    struct diagnosis_count first = weight_of(&d->run[0]);
    unsigned again = 0, failed = 0;

    for (unsigned i = 1; i < d->n_runs; i++) {
        again += d->run[i].passes;
        failed += d->run[i].failed;
    }
    if (first.failed > 1 && first.failed == first.passes && again && !failed)
        return GONE;
    return power(ONCE, first.failed ? first.failed - 1u : 0);
}

/* All add up to 1 again, after each run: else many would fall below what a double holds. */
static void scale(struct belief *b)
{
    double sum = 0;

    for (unsigned i = 0; i < b->n; i++) {
        b->of[i] = 0;
        for (unsigned r = 0; r < RATES; r++)
            b->of[i] += b->weight[i][r];
        sum += b->of[i];
    }
    for (unsigned i = 0; i < b->n; i++) {
        b->of[i] /= sum;
        for (unsigned r = 0; r < RATES; r++)
            b->weight[i][r] /= sum;
    }
}

static void weigh_run(struct belief *b, const struct diagnosis *d, unsigned k)
{
    struct diagnosis_count w = weight_of(&d->run[k]);
    double likelihood[RATES];

    for (unsigned r = 0; r < RATES; r++)
        likelihood[r] = power(rate[r], w.failed) * power(1 - rate[r], w.passes - w.failed);
    if (k)
        vary(likelihood);
    for (unsigned i = 0; i < b->n; i++) {
        bool fails = diagnosis_can_fail(&b->cause[i], &d->run[k].at, b->crowd);
        bool is_once = !k && b->cause[i].kind == DIAGNOSIS_NONE;
        double good = is_once ? weigh_first_of_none(d) : power(ONCE, w.failed);

        for (unsigned r = 0; r < RATES; r++)
            b->weight[i][r] *= fails ? likelihood[r] : good;
    }
    scale(b);
}

static void believe(const struct diagnosis *d, struct belief *b)
{
    believe_first(d, b);
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (d->run[i].passes)
            weigh_run(b, d, i);
    }
}

/* Of each rate: that n passes have no fault. */
static void miss_of(unsigned passes, double ret_miss[RATES])
{
    for (unsigned r = 0; r < RATES; r++)
        ret_miss[r] = power(1 - rate[r], passes);
    vary(ret_miss);
}

/* Over all causes but none. */
static double missed(const struct belief *b, unsigned passes)
{
    double miss[RATES], sum = 0, all = 0;

    miss_of(passes, miss);
    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned r = 0; r < RATES && b->cause[i].kind != DIAGNOSIS_NONE; r++) {
            sum += b->weight[i][r] * miss[r];
            all += b->weight[i][r];
        }
    }
    return all > 0 ? sum / all : 0;
}

/* The search for the best: each candidate is weighed as it is made. */
struct search {
    const struct diagnosis *d;
    const struct belief *b;
    double sees[CAUSES_MAX];     /* of each cause: a fault, where there can be one */
    uint32_t home_slots;         /* used in the first run */
    bool is_limited, no_odd;     /* some slots did not start; an odd number of them */
    bool is_adjacent, is_halves; /* pairs are slots 1 and 2, or 1 and the first of the rest */
    double best;                 /* tells most a restart */
    struct diagnosis_step step;
};

/* Of an outcome, faults or none, that has this probability. */
static double variance(double p)
{
    return p * (1 - p);
}

/* How much of the outcome's variance the cause explains: what a run in this arrangement tells. */
static double tells(const struct search *s, const struct arrangement *at)
{
    double seen = 0, given_cause = 0;

    for (unsigned i = 0; i < s->b->n; i++) {
        if (!diagnosis_can_fail(&s->b->cause[i], at, s->b->crowd))
            continue;
        seen += s->b->of[i] * s->sees[i];
        given_cause += s->b->of[i] * variance(s->sees[i]);
    }
    return variance(seen) - given_cause;
}

/* Of a restart, and of taking out, putting in or moving these modules. */
static double work_of(const struct diagnosis *d, const struct arrangement *from,
                      const struct arrangement *to)
{
    double setup = WORK_SETUP + WORK_STAYED * d->settings_stayed;
    double work = WORK_RESTART + (from->is_raised != to->is_raised ? setup : 0);

    if (!diagnosis_same_modules(from, to, d->n_modules))
        work += WORK_OPEN;
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (from->slot_of[i] == to->slot_of[i])
            continue;
        work += from->slot_of[i] == DIAGNOSIS_ABSENT || to->slot_of[i] == DIAGNOSIS_ABSENT
                    ? WORK_MODULE
                    : WORK_MOVE;
    }
    return work;
}

/* Whether a run with these slots has started, or has not. */
static bool was(const struct diagnosis *d, bool started, uint32_t slots)
{
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (!d->run[i].passes != started && diagnosis_slots_used(&d->run[i].at) == slots)
            return true;
    }
    return false;
}

static bool are_adjacent(const struct diagnosis *d, uint32_t slots)
{
    return d->n_slots % 2 == 0 && (slots & 0x5555) == (slots >> 1 & 0x5555);
}

static bool are_halves(const struct diagnosis *d, uint32_t slots)
{
    return d->n_slots % 2 == 0 &&
           (slots & ((UINT32_C(1) << d->n_slots / 2) - 1)) == slots >> d->n_slots / 2;
}

/* What the runs say of where this board starts. */
static void learn_starts(struct search *s)
{
    s->is_adjacent = s->is_halves = true;
    for (unsigned i = 0; i < s->d->n_runs; i++) {
        uint32_t slots = diagnosis_slots_used(&s->d->run[i].at);
        bool started = s->d->run[i].passes;

        s->is_limited |= !started;
        s->no_odd |= !started && bits_count(slots) % 2;
        s->is_adjacent &= are_adjacent(s->d, slots) == started;
        s->is_halves &= are_halves(s->d, slots) == started;
    }
}

static bool may_start(const struct search *s, uint32_t slots)
{
    if (!s->is_limited || was(s->d, true, slots))
        return true;
    if (was(s->d, false, slots))
        return false;
    if (s->is_adjacent || s->is_halves)
        return (s->is_adjacent && are_adjacent(s->d, slots)) ||
               (s->is_halves && are_halves(s->d, slots));
    return !s->no_odd || bits_count(slots) % 2 == 0;
}

static void weigh(struct search *s, enum diagnosis_step_kind kind, const struct arrangement *at)
{
    uint32_t slots = diagnosis_slots_used(at);
    double work = work_of(s->d, diagnosis_last(s->d), at), worth;

    if (!slots || !may_start(s, slots))
        return;
    if (slots & ~s->home_slots)
        work += WORK_NEW;
    if (s->is_limited && !was(s->d, true, slots))
        work += WORK_NEW;
    worth = tells(s, at) / work;
    if (worth < TELLS_MIN || worth <= s->best)
        return;
    s->best = worth;
    s->step.kind = kind;
    s->step.at = *at;
}

static struct arrangement nothing(bool is_raised)
{
    struct arrangement at = { .is_raised = is_raised };

    memset(at.slot_of, DIAGNOSIS_ABSENT, sizeof(at.slot_of));
    return at;
}

/* Where each module was when it was first seen: where it is left as long as that is enough. */
static struct arrangement home(const struct diagnosis *d)
{
    struct arrangement at = nothing(diagnosis_last(d)->is_raised);

    for (unsigned i = 0; i < d->n_modules; i++)
        at.slot_of[i] = (uint8_t)diagnosis_first_slot(d, i);
    return at;
}

/* Some modules, each in its own slot; two that were first seen in one slot are not both in. */
static void weigh_subsets(struct search *s, const struct arrangement *home_at)
{
    for (uint32_t set = 1; set < UINT32_C(1) << s->d->n_modules; set++) {
        struct arrangement at = nothing(home_at->is_raised);

        for (unsigned i = 0; i < s->d->n_modules; i++) {
            if (set >> i & 1)
                at.slot_of[i] = home_at->slot_of[i];
        }
        if (bits_count(diagnosis_slots_used(&at)) == bits_count(set))
            weigh(s, DIAGNOSIS_ARRANGE, &at);
    }
}

/* One module in any slot; or two in any two slots that were used in the first run. */
static void weigh_few(struct search *s, bool is_raised)
{
    struct arrangement at = nothing(is_raised);
    unsigned n_modules = s->d->n_modules, n_slots = s->d->n_slots;

    for (unsigned a = 0; a < n_modules * n_slots; a++) {
        at.slot_of[a / n_slots] = (uint8_t)(a % n_slots);
        weigh(s, DIAGNOSIS_ARRANGE, &at);
        for (unsigned b = (a / n_slots + 1) * n_slots; b < n_modules * n_slots; b++) {
            if (b % n_slots == a % n_slots || !(s->home_slots >> a % n_slots & 1) ||
                !(s->home_slots >> b % n_slots & 1))
                continue;
            at.slot_of[b / n_slots] = (uint8_t)(b % n_slots);
            weigh(s, DIAGNOSIS_ARRANGE, &at);
            at.slot_of[b / n_slots] = DIAGNOSIS_ABSENT;
        }
        at.slot_of[a / n_slots] = DIAGNOSIS_ABSENT;
    }
}

/* As in the first run, but one module out, and another in its slot: is it the slot? */
static void weigh_replaced(struct search *s, const struct arrangement *from)
{
    for (unsigned out = 0; out < s->d->n_modules; out++) {
        for (unsigned in = 0; in < s->d->n_modules; in++) {
            struct arrangement at = *from;

            if (in == out || from->slot_of[out] == DIAGNOSIS_ABSENT)
                continue;
            at.slot_of[in] = from->slot_of[out];
            at.slot_of[out] = DIAGNOSIS_ABSENT;
            weigh(s, DIAGNOSIS_ARRANGE, &at);
        }
    }
}

/* Where they can be changed: with the modules of `at`. */
static void weigh_settings(struct search *s, const struct arrangement *with)
{
    struct arrangement at = *with;

    at.is_raised = !diagnosis_last(s->d)->is_raised;
    if (s->d->run[0].at.is_raised)
        weigh(s, at.is_raised ? DIAGNOSIS_SETTINGS_ON : DIAGNOSIS_SETTINGS_OFF, &at);
}

static void weigh_all(struct search *s)
{
    struct arrangement at = *diagnosis_last(s->d), home_at = home(s->d);

    weigh(s, DIAGNOSIS_REPEAT, &at);
    weigh_settings(s, &at);
    weigh_settings(s, &home_at);
    weigh_subsets(s, &home_at);
    weigh_few(s, at.is_raised);
    weigh_replaced(s, &home_at);
}

/*
 * Whether a cause is of that end. Of two slots, either: a board that needs pairs uses both or none.
 * Of two modules, that all are bad looks as if none of them were.
 */
static bool is_of(const struct diagnosis_cause *cause, const struct diagnosis_cause *end)
{
    switch (end->kind) {
    case DIAGNOSIS_ALL:
        return cause->kind == DIAGNOSIS_CONTROLLER ||
               (cause->kind == DIAGNOSIS_MODULES && cause->bits == end->bits);
    case DIAGNOSIS_SLOTS: return cause->kind == DIAGNOSIS_SLOT && !(cause->bits & ~end->bits);
    case DIAGNOSIS_SETTINGS:
        return cause->kind == DIAGNOSIS_SETTINGS || cause->kind == DIAGNOSIS_SETTINGS_CROWD;
    default: return cause->kind == end->kind && cause->bits == end->bits;
    }
}

/* Takes an end that is likelier than what there is. */
static void consider(const struct belief *b, enum diagnosis_cause_kind kind, uint32_t bits,
                     struct diagnosis_end *end)
{
    struct diagnosis_cause cause = { kind, bits };
    double sure = 0;

    for (unsigned i = 0; i < b->n; i++)
        sure += is_of(&b->cause[i], &cause) ? b->of[i] : 0;
    if (sure > end->sure)
        *end =
            (struct diagnosis_end){ cause, sure,
                                    sure >= (kind == DIAGNOSIS_SETTINGS ? SURE_SETTINGS : SURE) };
}

static struct diagnosis_end most_likely(const struct belief *b)
{
    struct diagnosis_end end = { .sure = 0 };

    for (unsigned i = 0; i < b->n; i++)
        consider(b, b->cause[i].kind, b->cause[i].bits, &end);
    return end;
}

/* Nothing more can be told: two slots, or all modules or the controller, may be sure. */
static struct diagnosis_end last_word(const struct belief *b, unsigned n_modules,
                                      struct diagnosis_end end)
{
    struct diagnosis_end last = { .sure = 0 };

    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned k = i + 1; k < b->n && b->cause[i].kind == DIAGNOSIS_SLOT; k++)
            consider(b, DIAGNOSIS_SLOTS, b->cause[i].bits | b->cause[k].bits, &last);
    }
    if (!last.is_decided)
        consider(b, DIAGNOSIS_ALL, (UINT32_C(1) << n_modules) - 1, &last);
    return !end.is_decided && last.is_decided ? last : end;
}

/* The passes after which a fault that can come is missed with less than MISS_MAX. */
static unsigned passes_of(const struct belief *b)
{
    unsigned n = PASSES_MIN;

    while (n < DIAGNOSIS_PASSES_MAX && missed(b, n) >= MISS_MAX)
        n++;
    return n;
}

/* Of each cause: that a run of these passes has a fault, by what is believed of its rate. */
static void see(struct search *s, unsigned passes)
{
    double miss[RATES];

    miss_of(passes, miss);
    for (unsigned i = 0; i < s->b->n; i++) {
        double seen = 0;

        for (unsigned r = 0; r < RATES; r++)
            seen += s->b->weight[i][r] * (1 - miss[r]);
        s->sees[i] = s->b->of[i] > 0 ? seen / s->b->of[i] : 0;
    }
}

void diagnosis_next(const struct diagnosis *d, struct diagnosis_step *ret_step,
                    struct diagnosis_end *ret_end)
{
    struct belief b;
    struct search s = { .d = d,
                        .b = &b,
                        .home_slots = diagnosis_slots_used(&d->run[0].at),
                        .step = { .kind = DIAGNOSIS_ENDS, .at = *diagnosis_last(d) } };

    believe(d, &b);
    s.step.passes = (uint8_t)passes_of(&b);
    see(&s, s.step.passes);
    learn_starts(&s);
    *ret_end = most_likely(&b);
    if (!ret_end->is_decided && d->n_runs < DIAGNOSIS_RUNS_MAX)
        weigh_all(&s);
    *ret_step = s.step;
    if (s.step.kind == DIAGNOSIS_ENDS)
        *ret_end = last_word(&b, d->n_modules, *ret_end);
}

unsigned diagnosis_next_passes(const struct diagnosis *d)
{
    struct belief b;

    believe(d, &b);
    return passes_of(&b);
}
