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
#define WORK_MODULE  0.15 /* out, in, or into another slot */
#define WORK_SETUP   0.2
#define WORK_STAYED  2.0 /* each time that somebody has not found out how */

/*
 * What is believed before the first run, in parts of all; of modules and slots for all that there
 * are together. Times so much by the kind of fault: unknown, cells, line, everywhere, CPU.
 */
static const struct {
    double prior, by_fault[DIAGNOSIS_KINDS];
} causes[DIAGNOSIS_CAUSES] = {
    [DIAGNOSIS_NONE] = { 0.04, { 1, 1, 1, 1, 1 } },
    [DIAGNOSIS_CONTROLLER] = { 0.04, { 1, 0.5, 1, 2, 0.1 } },
    [DIAGNOSIS_CPU] = { 1, { 0, 0, 0, 0, 1 } },
    [DIAGNOSIS_CROWD] = { 0.01, { 1, 0.5, 1, 2, 0.1 } },
    [DIAGNOSIS_SETTINGS] = { 0.30, { 1, 0.5, 0.5, 2, 1 } },
    [DIAGNOSIS_MODULE] = { 0.60, { 1, 2, 1, 0.7, 0.02 } },
    [DIAGNOSIS_MODULES] = { 0.10, { 1, 2, 1, 0.7, 0.02 } },
    [DIAGNOSIS_SLOT] = { 0.05, { 1, 0.5, 2, 1, 0.02 } },
};

/*
 * How likely a module is that is not a suspect, to one that is. A slot is unlikely before: if it
 * were made as unlikely as a module, a suspect that was moved into a bad slot would be blamed.
 */
static const double innocent[DIAGNOSIS_SUSPICIONS] = {
    [DIAGNOSIS_BY_REGISTERS] = 0.125,
    [DIAGNOSIS_MEASURED] = 0.001,
};
#define INNOCENT_SLOT 0.5

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
    add(b, DIAGNOSIS_NONE, 0);
    add(b, DIAGNOSIS_CONTROLLER, 0);
    if (d->kind == DIAGNOSIS_KIND_CPU)
        add(b, DIAGNOSIS_CPU, 0);
    add(b, DIAGNOSIS_CROWD, 0);
    if (first->is_raised)
        add(b, DIAGNOSIS_SETTINGS, 0);
    for (unsigned i = 0; i < d->n_modules; i++) {
        for (unsigned k = i; k < d->n_modules; k++)
            add(b, k == i ? DIAGNOSIS_MODULE : DIAGNOSIS_MODULES,
                UINT32_C(1) << i | UINT32_C(1) << k);
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

    if (kind == DIAGNOSIS_SETTINGS && !d->jedec_mt_s)
        p *= UNKNOWN_SPEED * power(STAYED_SPEED, d->settings_stayed);
    return p;
}

uint32_t diagnosis_suspects_of(const struct diagnosis *d, const struct diagnosis_cause *cause)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < d->n_modules; i++) {
        if (d->suspects >> i & 1)
            slots |= UINT32_C(1) << d->run[0].at.slot_of[i];
    }
    switch (cause->kind) {
    case DIAGNOSIS_MODULE:
    case DIAGNOSIS_MODULES: return cause->bits & d->suspects;
    case DIAGNOSIS_SLOT:
    case DIAGNOSIS_SLOTS: return cause->bits & slots;
    default: return 0;
    }
}

/* To a suspect, or to any other of its kind where there are none. */
static double part(const struct diagnosis *d, const struct diagnosis_cause *cause)
{
    if (!d->suspects || diagnosis_suspects_of(d, cause) == cause->bits)
        return 1;
    return cause->kind == DIAGNOSIS_SLOT ? INNOCENT_SLOT : innocent[d->suspicion];
}

/* A kind is as likely with suspects as without, unless none of its causes is one. */
static void believe_first(const struct diagnosis *d, struct belief *b)
{
    double parts[DIAGNOSIS_CAUSES] = { 0 };

    list_causes(d, b);
    for (unsigned i = 0; i < b->n; i++)
        parts[b->cause[i].kind] += part(d, &b->cause[i]);
    for (unsigned i = 0; i < b->n; i++) {
        enum diagnosis_cause_kind kind = b->cause[i].kind;
        double all = parts[kind] < 1 ? 1 : parts[kind];

        for (unsigned r = 0; r < RATES; r++)
            b->weight[i][r] = prior(d, kind) * part(d, &b->cause[i]) / all / RATES;
    }
}

bool diagnosis_can_fail(const struct diagnosis_cause *cause, const struct arrangement *at,
                        unsigned crowd)
{
    switch (cause->kind) {
    case DIAGNOSIS_CONTROLLER:
    case DIAGNOSIS_CPU:
    case DIAGNOSIS_ALL: return true;
    case DIAGNOSIS_CROWD: return bits_count(diagnosis_modules_in(at)) >= crowd;
    case DIAGNOSIS_SETTINGS: return at->is_raised;
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

/*
 * Of each cause: that a run of these passes has a fault, by what is believed of its rate. Returns
 * how likely a fault that can come is missed, over all causes but none.
 */
static double see(const struct belief *b, unsigned passes, double ret_sees[CAUSES_MAX])
{
    double miss[RATES], missed = 0, all = 0;

    for (unsigned r = 0; r < RATES; r++)
        miss[r] = power(1 - rate[r], passes);
    vary(miss);
    for (unsigned i = 0; i < b->n; i++) {
        double unseen = 0;

        for (unsigned r = 0; r < RATES; r++)
            unseen += b->weight[i][r] * miss[r];
        ret_sees[i] = b->of[i] > 0 ? 1 - unseen / b->of[i] : 0;
        if (b->cause[i].kind != DIAGNOSIS_NONE) {
            missed += unseen;
            all += b->of[i];
        }
    }
    return all > 0 ? missed / all : 0;
}

/* The search for the best: each candidate is weighed as it is made. */
struct search {
    const struct diagnosis *d;
    const struct belief *b;
    double sees[CAUSES_MAX]; /* of each cause: a fault, where there can be one */
    uint32_t home_slots;     /* used in the first run */
    double best;             /* tells most a restart; 0: nothing is worth it */
    struct arrangement at;
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

    if (!diagnosis_same_modules(from, to))
        work += WORK_OPEN;
    for (unsigned i = 0; i < d->n_modules; i++)
        work += from->slot_of[i] != to->slot_of[i] ? WORK_MODULE : 0;
    return work;
}

/* Rules of boards that start with pairs only. */
enum { ADJACENT, HALVES, RULES };

static bool is_paired(const struct diagnosis *d, unsigned rule, uint32_t slots)
{
    unsigned half = d->n_slots / 2;
    uint32_t first = rule == ADJACENT ? 0x5555 : (UINT32_C(1) << half) - 1;

    return d->n_slots % 2 == 0 &&
           (slots & first) == (slots >> (rule == ADJACENT ? 1 : half) & first);
}

/* By the runs: whether the board may start with these slots. */
static bool may_start(const struct diagnosis *d, uint32_t slots)
{
    bool is_limited = false, no_odd = false, holds[RULES] = { true, true };

    for (unsigned i = 0; i < d->n_runs; i++) {
        uint32_t used = diagnosis_slots_used(&d->run[i].at);
        bool started = d->run[i].passes;

        if (used == slots)
            return started;
        is_limited |= !started;
        no_odd |= !started && bits_count(used) % 2;
        for (unsigned rule = 0; rule < RULES; rule++)
            holds[rule] &= is_paired(d, rule, used) == started;
    }
    if (is_limited && (holds[ADJACENT] || holds[HALVES]))
        return (holds[ADJACENT] && is_paired(d, ADJACENT, slots)) ||
               (holds[HALVES] && is_paired(d, HALVES, slots));
    return !no_odd || bits_count(slots) % 2 == 0;
}

static void weigh(struct search *s, struct arrangement at)
{
    uint32_t slots = diagnosis_slots_used(&at);
    double worth = tells(s, &at) / work_of(s->d, diagnosis_last(s->d), &at);

    if (!slots || worth < TELLS_MIN || worth <= s->best || !may_start(s->d, slots))
        return;
    s->best = worth;
    s->at = at;
}

static struct arrangement nothing(bool is_raised)
{
    struct arrangement at = { .is_raised = is_raised };

    memset(at.slot_of, DIAGNOSIS_ABSENT, sizeof(at.slot_of));
    return at;
}

/* Some modules, each in its own slot; two that were first seen in one slot are not both in. */
static void weigh_subsets(struct search *s, const struct arrangement *home)
{
    for (uint32_t set = 1; set < UINT32_C(1) << s->d->n_modules; set++) {
        struct arrangement at = nothing(home->is_raised);

        for (unsigned i = 0; i < s->d->n_modules; i++) {
            if (set >> i & 1)
                at.slot_of[i] = home->slot_of[i];
        }
        if (bits_count(diagnosis_slots_used(&at)) == bits_count(set))
            weigh(s, at);
    }
}

/* One module in any slot; or two in any two slots that were used in the first run. */
static void weigh_few(struct search *s, bool is_raised)
{
    unsigned n_slots = s->d->n_slots, n = s->d->n_modules * n_slots;

    for (unsigned a = 0; a < n; a++) { /* a module and a slot */
        struct arrangement at = nothing(is_raised);

        at.slot_of[a / n_slots] = (uint8_t)(a % n_slots);
        weigh(s, at);
        for (unsigned b = (a / n_slots + 1) * n_slots; b < n; b++) {
            struct arrangement two = at;

            two.slot_of[b / n_slots] = (uint8_t)(b % n_slots);
            if (a % n_slots != b % n_slots && !(diagnosis_slots_used(&two) & ~s->home_slots))
                weigh(s, two);
        }
    }
}

/* home: where each module was when it was first seen: where it is left as long as that is enough.
 */
static void weigh_all(struct search *s)
{
    struct arrangement last = *diagnosis_last(s->d), home = nothing(last.is_raised);

    for (unsigned i = 0; i < s->d->n_modules; i++)
        home.slot_of[i] = (uint8_t)diagnosis_first_slot(s->d, i);
    weigh(s, last);
    weigh_subsets(s, &home);
    weigh_few(s, last.is_raised);
    if (!s->d->run[0].at.is_raised)
        return;
    last.is_raised = home.is_raised = !last.is_raised;
    weigh(s, last);
    weigh(s, home);
}

static enum diagnosis_step_kind kind_of(const struct arrangement *last,
                                        const struct arrangement *next)
{
    return next->is_raised != last->is_raised
               ? (next->is_raised ? DIAGNOSIS_SETTINGS_ON : DIAGNOSIS_SETTINGS_OFF)
           : diagnosis_same_modules(last, next) ? DIAGNOSIS_REPEAT
                                                : DIAGNOSIS_ARRANGE;
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
    default: return cause->kind == end->kind && cause->bits == end->bits;
    }
}

static struct diagnosis_end end_of(const struct belief *b, enum diagnosis_cause_kind kind,
                                   uint32_t bits)
{
    struct diagnosis_end end = { .cause = { kind, bits } };

    for (unsigned i = 0; i < b->n; i++)
        end.sure += is_of(&b->cause[i], &end.cause) ? b->of[i] : 0;
    end.is_decided = end.sure >= (kind == DIAGNOSIS_SETTINGS ? SURE_SETTINGS : SURE);
    return end;
}

static struct diagnosis_end most_likely(const struct belief *b)
{
    struct diagnosis_end best = { .sure = 0 };

    for (unsigned i = 0; i < b->n; i++) {
        struct diagnosis_end end = end_of(b, b->cause[i].kind, b->cause[i].bits);

        best = end.sure > best.sure ? end : best;
    }
    return best;
}

/* Nothing more can be told: two slots, or all modules or the controller, may be sure. */
static struct diagnosis_end last_word(const struct belief *b, unsigned n_modules,
                                      struct diagnosis_end likely)
{
    struct diagnosis_end end;

    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned k = i + 1; k < b->n && b->cause[i].kind == DIAGNOSIS_SLOT; k++) {
            end = end_of(b, DIAGNOSIS_SLOTS, b->cause[i].bits | b->cause[k].bits);
            if (end.is_decided)
                return end;
        }
    }
    end = end_of(b, DIAGNOSIS_ALL, (UINT32_C(1) << n_modules) - 1);
    return end.is_decided ? end : likely;
}

void diagnosis_next(const struct diagnosis *d, struct diagnosis_step *ret_step,
                    struct diagnosis_end *ret_end)
{
    struct belief b;
    struct search s = { .d = d, .b = &b, .home_slots = diagnosis_slots_used(&d->run[0].at) };
    uint8_t passes = PASSES_MIN;

    believe(d, &b);
    while (see(&b, passes, s.sees) >= MISS_MAX && passes < DIAGNOSIS_PASSES_MAX)
        passes++;
    *ret_end = most_likely(&b);
    if (!ret_end->is_decided && d->n_runs < DIAGNOSIS_RUNS_MAX)
        weigh_all(&s);
    *ret_step = (struct diagnosis_step){ DIAGNOSIS_ENDS, *diagnosis_last(d), passes };
    if (s.best > 0)
        *ret_step = (struct diagnosis_step){ kind_of(&ret_step->at, &s.at), s.at, passes };
    else if (!ret_end->is_decided)
        *ret_end = last_word(&b, d->n_modules, *ret_end);
}
