// SPDX-License-Identifier: MIT
#include "diagnosis/next_step.h"

#include "lib/bits.h"
#include "lib/string.h"

#define SURE          0.992
#define SURE_SETTINGS 0.98
#define TELLS_MIN     0.004 /* bits a restart: less is not worth it */

/* In restarts. */
#define WORK_RESTART 0.5
#define WORK_OPEN    0.5  /* opening the machine, whatever the module */
#define WORK_MODULE  0.15 /* out or in */
#define WORK_MOVE    0.2
#define WORK_SETUP   0.2
#define WORK_STAYED  2.0 /* each time that somebody has not found out how */
#define WORK_NEW     0.5 /* slots that have not been used yet may not be for this */

/* Which slots a board that needs pairs may use together: 1 and 2, or 1 and the first of the rest.
 */
enum pair_rule { PAIRS_ADJACENT, PAIRS_HALF_APART, PAIR_RULES };

/* The search for the best: each candidate is weighed as it is made. */
struct search {
    const struct diagnosis *d;
    const struct diagnosis_belief *b;
    double sees[DIAGNOSIS_CAUSES_MAX]; /* of each cause: a fault, where there can be one */
    uint32_t home_slots;               /* used in the first run */
    bool is_limited, no_odd;           /* some slots did not start; an odd number of them */
    bool rule[PAIR_RULES];             /* is consistent with which arrangements started */
    double best;                       /* bits a restart */
    struct diagnosis_step step;
};

/* x log2 x of a probability; the logarithm by the series of artanh, to 1e-9. */
static double entropy_part(double x)
{
    double shift = 0, log = 0, z, term;

    if (x <= 0)
        return 0;
    z = x;
    while (z < 0.70710678) {
        z *= 2;
        shift--;
    }
    term = (z - 1) / (z + 1);
    for (unsigned i = 1; i < 16; i += 2) {
        double power = 1;

        for (unsigned k = 0; k < i; k++)
            power *= term;
        log += 2 * power / i;
    }
    return x * (shift + log / 0.69314718055994531);
}

static double entropy(double p)
{
    return -entropy_part(p) - entropy_part(1 - p);
}

/* Bits that a run in this arrangement tells of the cause. */
static double tells(const struct search *s, const struct diagnosis_arrangement *at)
{
    double seen = 0, given_cause = 0;

    for (unsigned i = 0; i < s->b->n; i++) {
        if (!diagnosis_can_fail(&s->b->cause[i], at, s->b->crowd))
            continue;
        seen += s->b->of[i] * s->sees[i];
        given_cause += s->b->of[i] * entropy(s->sees[i]);
    }
    return entropy(seen) - given_cause;
}

double diagnosis_work(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                      const struct diagnosis_arrangement *to)
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

static bool has_started(const struct diagnosis *d, uint32_t slots)
{
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (d->run[i].outcome == DIAGNOSIS_RAN && diagnosis_slots_used(&d->run[i].at) == slots)
            return true;
    }
    return false;
}

static bool has_not_started(const struct diagnosis *d, uint32_t slots)
{
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (d->run[i].outcome == DIAGNOSIS_NOT_STARTED &&
            diagnosis_slots_used(&d->run[i].at) == slots)
            return true;
    }
    return false;
}

static bool are_pairs(const struct diagnosis *d, enum pair_rule rule, uint32_t slots)
{
    unsigned n = d->n_slots / 2;

    for (unsigned i = 0; i < n; i++) {
        unsigned a = rule == PAIRS_ADJACENT ? 2 * i : i;
        unsigned b = rule == PAIRS_ADJACENT ? 2 * i + 1 : i + n;

        if ((slots >> a & 1) != (slots >> b & 1))
            return false;
    }
    return d->n_slots % 2 == 0;
}

/* What the runs say of where this board starts. */
static void learn_starts(struct search *s)
{
    for (unsigned rule = 0; rule < PAIR_RULES; rule++)
        s->rule[rule] = true;
    for (unsigned i = 0; i < s->d->n_runs; i++) {
        uint32_t slots = diagnosis_slots_used(&s->d->run[i].at);
        bool started = s->d->run[i].outcome != DIAGNOSIS_NOT_STARTED;

        s->is_limited |= !started;
        s->no_odd |= !started && bits_count(slots) % 2;
        for (unsigned rule = 0; rule < PAIR_RULES; rule++)
            s->rule[rule] &= are_pairs(s->d, (enum pair_rule)rule, slots) == started;
    }
}

static bool may_start(const struct search *s, uint32_t slots)
{
    bool any = false;

    if (!s->is_limited || has_started(s->d, slots))
        return true;
    if (has_not_started(s->d, slots))
        return false;
    for (unsigned rule = 0; rule < PAIR_RULES; rule++) {
        if (s->rule[rule] && are_pairs(s->d, (enum pair_rule)rule, slots))
            return true;
        any |= s->rule[rule];
    }
    return !any && !(s->no_odd && bits_count(slots) % 2);
}

static void weigh(struct search *s, enum diagnosis_step_kind kind,
                  const struct diagnosis_arrangement *at)
{
    uint32_t slots = diagnosis_slots_used(at);
    double work, worth;

    if (!slots || !may_start(s, slots))
        return;
    work = diagnosis_work(s->d, diagnosis_last(s->d), at);
    if (slots & ~s->home_slots)
        work += WORK_NEW;
    if (s->is_limited && !has_started(s->d, slots))
        work += WORK_NEW;
    worth = tells(s, at);
    if (worth / work < TELLS_MIN || worth / work <= s->best)
        return;
    s->best = worth / work;
    s->step.kind = kind;
    s->step.at = *at;
}

static struct diagnosis_arrangement nothing(bool is_raised)
{
    struct diagnosis_arrangement at = { .is_raised = is_raised };

    memset(at.slot_of, DIAGNOSIS_ABSENT, sizeof(at.slot_of));
    return at;
}

/* Where each module was when it was first seen: where it is left as long as that is enough. */
static struct diagnosis_arrangement home(const struct diagnosis *d)
{
    struct diagnosis_arrangement at = nothing(diagnosis_last(d)->is_raised);

    for (unsigned i = 0; i < d->n_modules; i++) {
        for (unsigned run = 0; run < d->n_runs && at.slot_of[i] == DIAGNOSIS_ABSENT; run++)
            at.slot_of[i] = d->run[run].at.slot_of[i];
    }
    return at;
}

/* Some modules, each in its own slot; two that were first seen in one slot are not both in. */
static void weigh_subsets(struct search *s, const struct diagnosis_arrangement *home_at)
{
    for (uint32_t set = 1; set < UINT32_C(1) << s->d->n_modules; set++) {
        struct diagnosis_arrangement at = nothing(home_at->is_raised);

        for (unsigned i = 0; i < s->d->n_modules; i++) {
            if (set >> i & 1)
                at.slot_of[i] = home_at->slot_of[i];
        }
        if (bits_count(diagnosis_slots_used(&at)) == bits_count(set))
            weigh(s, DIAGNOSIS_ARRANGE, &at);
    }
}

/* One module alone, in any slot. */
static void weigh_alone(struct search *s, bool is_raised)
{
    for (unsigned i = 0; i < s->d->n_modules; i++) {
        for (unsigned slot = 0; slot < s->d->n_slots; slot++) {
            struct diagnosis_arrangement at = nothing(is_raised);

            at.slot_of[i] = (uint8_t)slot;
            weigh(s, DIAGNOSIS_ARRANGE, &at);
        }
    }
}

/* Two modules in any two of the slots that were used, in their order and exchanged. */
static void weigh_pair(struct search *s, unsigned a, unsigned b, bool is_raised)
{
    for (unsigned x = 0; x < s->d->n_slots; x++) {
        for (unsigned y = 0; y < s->d->n_slots; y++) {
            struct diagnosis_arrangement at = nothing(is_raised);

            if (x == y || !(s->home_slots >> x & 1) || !(s->home_slots >> y & 1))
                continue;
            at.slot_of[a] = (uint8_t)x;
            at.slot_of[b] = (uint8_t)y;
            weigh(s, DIAGNOSIS_ARRANGE, &at);
        }
    }
}

/* As now, but one module out, and another in its slot: is it the slot? */
static void weigh_replaced(struct search *s, const struct diagnosis_arrangement *from)
{
    for (unsigned out = 0; out < s->d->n_modules; out++) {
        for (unsigned in = 0; in < s->d->n_modules; in++) {
            struct diagnosis_arrangement at = *from;

            if (in == out || from->slot_of[out] == DIAGNOSIS_ABSENT)
                continue;
            at.slot_of[in] = from->slot_of[out];
            at.slot_of[out] = DIAGNOSIS_ABSENT;
            weigh(s, DIAGNOSIS_ARRANGE, &at);
        }
    }
}

/* Where they can be changed: with the modules of `at`. */
static void weigh_settings(struct search *s, const struct diagnosis_arrangement *with)
{
    struct diagnosis_arrangement at = *with;

    at.is_raised = !diagnosis_last(s->d)->is_raised;
    if (s->d->run[0].at.is_raised)
        weigh(s, at.is_raised ? DIAGNOSIS_SETTINGS_ON : DIAGNOSIS_SETTINGS_OFF, &at);
}

static void weigh_all(struct search *s)
{
    struct diagnosis_arrangement at = *diagnosis_last(s->d), home_at = home(s->d);

    if (!has_not_started(s->d, diagnosis_slots_used(&at)))
        weigh(s, DIAGNOSIS_REPEAT, &at);
    weigh_settings(s, &at);
    weigh_settings(s, &home_at);
    weigh_subsets(s, &home_at);
    weigh_alone(s, at.is_raised);
    for (unsigned a = 0; a < s->d->n_modules; a++) {
        for (unsigned b = a + 1; b < s->d->n_modules; b++)
            weigh_pair(s, a, b, at.is_raised);
    }
    weigh_replaced(s, &at);
    weigh_replaced(s, &home_at);
}

static enum diagnosis_end_kind end_of(const struct diagnosis_cause *cause)
{
    static const enum diagnosis_end_kind ends[] = {
        [DIAGNOSIS_NONE] = DIAGNOSIS_END_NOT_REPRODUCED,
        [DIAGNOSIS_CONTROLLER] = DIAGNOSIS_END_CONTROLLER,
        [DIAGNOSIS_CROWD] = DIAGNOSIS_END_CROWD,
        [DIAGNOSIS_SETTINGS] = DIAGNOSIS_END_SETTINGS,
        [DIAGNOSIS_SETTINGS_CROWD] = DIAGNOSIS_END_SETTINGS,
        [DIAGNOSIS_MODULES] = DIAGNOSIS_END_MODULES,
        [DIAGNOSIS_SLOT] = DIAGNOSIS_END_SLOT,
    };

    return ends[cause->kind];
}

static void keep_likelier(struct diagnosis_end *end, const struct diagnosis_cause *cause,
                          double sure)
{
    enum diagnosis_end_kind kind = end_of(cause);

    if (sure > end->sure)
        *end = (struct diagnosis_end){ kind, cause->bits, sure, kind };
}

/* What is most likely; the two causes of settings are one end. */
static struct diagnosis_end most_likely(const struct diagnosis_belief *b)
{
    struct diagnosis_end end = { .sure = 0 };
    double settings = 0;

    for (unsigned i = 0; i < b->n; i++) {
        if (end_of(&b->cause[i]) == DIAGNOSIS_END_SETTINGS)
            settings += b->of[i];
        keep_likelier(&end, &b->cause[i],
                      end_of(&b->cause[i]) == DIAGNOSIS_END_SETTINGS ? settings : b->of[i]);
    }
    return end;
}

/* The likeliest two slots together: a board that needs pairs uses both or none of them. */
static struct diagnosis_end likely_slots(const struct diagnosis_belief *b)
{
    struct diagnosis_end end = { .sure = 0 };

    for (unsigned i = 0; i < b->n; i++) {
        for (unsigned k = i + 1; k < b->n && b->cause[i].kind == DIAGNOSIS_SLOT; k++) {
            struct diagnosis_cause both = { DIAGNOSIS_SLOT, b->cause[i].bits | b->cause[k].bits };

            keep_likelier(&end, &both, b->of[i] + b->of[k]);
        }
    }
    return end;
}

static bool is_sure(const struct diagnosis_end *end)
{
    return end->sure >= (end->kind == DIAGNOSIS_END_SETTINGS ? SURE_SETTINGS : SURE);
}

/* With two modules: that all are bad looks as if none of them were. */
static struct diagnosis_end all_or_controller(const struct diagnosis *d,
                                              const struct diagnosis_belief *b)
{
    struct diagnosis_end end = { DIAGNOSIS_END_ALL, (UINT32_C(1) << d->n_modules) - 1, 0,
                                 DIAGNOSIS_END_ALL };

    for (unsigned i = 0; i < b->n; i++) {
        if (b->cause[i].kind == DIAGNOSIS_CONTROLLER ||
            (b->cause[i].kind == DIAGNOSIS_MODULES && b->cause[i].bits == end.bits))
            end.sure += b->of[i];
    }
    return end;
}

/* Nothing more can be told. */
static struct diagnosis_end last_word(const struct diagnosis *d, const struct diagnosis_belief *b,
                                      struct diagnosis_end end)
{
    struct diagnosis_end slots = likely_slots(b), all = all_or_controller(d, b);

    if (is_sure(&end))
        return end;
    if (is_sure(&slots))
        return slots;
    if (is_sure(&all))
        return all;
    end.kind = DIAGNOSIS_END_UNDECIDED;
    return end;
}

void diagnosis_next(const struct diagnosis *d, struct diagnosis_step *ret_step,
                    struct diagnosis_end *ret_end)
{
    struct diagnosis_belief b;
    struct search s = { .d = d,
                        .b = &b,
                        .step = { .kind = DIAGNOSIS_ENDS, .at = *diagnosis_last(d) } };
    struct diagnosis_end end;
    double miss[DIAGNOSIS_RATES];

    diagnosis_believe(d, &b);
    s.step.passes = (uint8_t)diagnosis_passes(&b);
    diagnosis_miss(s.step.passes, miss);
    for (unsigned i = 0; i < b.n; i++)
        s.sees[i] = diagnosis_sees(&b, i, miss);
    s.home_slots = diagnosis_slots_used(&d->run[0].at);
    learn_starts(&s);
    end = most_likely(&b);
    if (!is_sure(&end) && d->n_runs < DIAGNOSIS_RUNS_MAX)
        weigh_all(&s);
    *ret_step = s.step;
    *ret_end = s.step.kind == DIAGNOSIS_ENDS ? last_word(d, &b, end) : (struct diagnosis_end){ 0 };
}

const char *diagnosis_headline(const struct diagnosis_end *end)
{
    static const char *const texts[] = {
        [DIAGNOSIS_NO_END] = "NEXT STEP",
        [DIAGNOSIS_END_MODULES] = "BAD MODULE FOUND",
        [DIAGNOSIS_END_SLOT] = "BAD SLOT FOUND",
        [DIAGNOSIS_END_SETTINGS] = "SETTINGS TOO FAST",
        [DIAGNOSIS_END_CONTROLLER] = "NO MODULE IS BAD",
        [DIAGNOSIS_END_CROWD] = "TOO MANY MODULES",
        [DIAGNOSIS_END_ALL] = "UNDECIDED",
        [DIAGNOSIS_END_NOT_REPRODUCED] = "NOT AGAIN",
        [DIAGNOSIS_END_UNDECIDED] = "UNDECIDED",
    };

    if (end->kind == DIAGNOSIS_END_MODULES && bits_count(end->bits) > 1)
        return "TWO BAD MODULES";
    return texts[end->kind];
}

const char *diagnosis_end_name(enum diagnosis_end_kind kind)
{
    static const char *const names[] = {
        [DIAGNOSIS_END_MODULES] = "module",
        [DIAGNOSIS_END_SLOT] = "slot",
        [DIAGNOSIS_END_SETTINGS] = "settings",
        [DIAGNOSIS_END_CONTROLLER] = "controller",
        [DIAGNOSIS_END_CROWD] = "crowd",
        [DIAGNOSIS_END_ALL] = "all",
        [DIAGNOSIS_END_NOT_REPRODUCED] = "not-reproduced",
        [DIAGNOSIS_END_UNDECIDED] = "undecided",
    };

    return names[kind];
}

unsigned diagnosis_next_passes(const struct diagnosis *d)
{
    struct diagnosis_belief b;

    diagnosis_believe(d, &b);
    return diagnosis_passes(&b);
}
