// SPDX-License-Identifier: MIT
/* Machines with modules, and diagnoses of them, for the tests. */
#pragma once

#include "diagnosis/next_step.h"
#include "diagnosis/observe.h"
#include "tests/unit/unit.h"

#define FAST 6000u
#define SLOW 4800u

/* Puts a module into slot n; serial NULL: there is none in that slot. What is beyond is no slot. */
static inline void fit(struct diagnosis_machine *m, unsigned n, const char *serial)
{
    struct diagnosis_slot *s = &m->slot[n];

    for (; m->n_slots <= n; m->n_slots++)
        m->slot[m->n_slots] = (struct diagnosis_slot){ 0 };
    *s = (struct diagnosis_slot){ .is_present = serial };
    snprintf(s->name, sizeof(s->name), "DIMM_%c%u", 'A' + (char)(n / 2), n % 2 + 1);
    if (!serial)
        return;
    strcpy(s->serial, serial);
    strcpy(s->part, "F5-6000");
    s->size_bytes = UINT64_C(16) << 30;
    s->configured_mt_s = s->jedec_mt_s = SLOW;
    if (m->n_slots < DIAGNOSIS_SLOTS_MAX)
        m->slot[m->n_slots] = *s;
}

static inline void set_speed(struct diagnosis_machine *m, uint32_t configured, uint32_t jedec)
{
    for (unsigned i = 0; i < m->n_slots; i++) {
        m->slot[i].configured_mt_s = configured;
        m->slot[i].jedec_mt_s = jedec;
    }
}

/* n modules 1000AAA0, 1000AAA1, ... in as many slots. */
static inline struct diagnosis_machine machine_of(unsigned n)
{
    struct diagnosis_machine m = { 0 };

    for (unsigned i = 0; i < n; i++) {
        char serial[DIAGNOSIS_SERIAL];

        snprintf(serial, sizeof(serial), "1000AAA%c", (char)('0' + i));
        fit(&m, i, serial);
    }
    return m;
}

/* Its first run had faults in `failed` passes. */
static inline struct diagnosis begun(const struct diagnosis_machine *m, unsigned passes,
                                     unsigned failed)
{
    struct diagnosis d;

    assert_int_equal(diagnosis_begin(m, DIAGNOSIS_KIND_UNKNOWN,
                                     (struct diagnosis_count){ passes, failed, false }, &d),
                     STATUS_OK);
    strcpy(d.tests, "march-c-");
    return d;
}

/* An arrangement by the slots of the modules; -1: absent; those after the list, too. */
static inline struct arrangement arranged(const int *slot, unsigned n, bool is_raised)
{
    struct arrangement at = { .is_raised = is_raised };

    memset(at.slot_of, DIAGNOSIS_ABSENT, sizeof(at.slot_of));
    for (unsigned i = 0; i < n; i++)
        at.slot_of[i] = slot[i] < 0 ? DIAGNOSIS_ABSENT : (uint8_t)slot[i];
    return at;
}

#define ARRANGED(is_raised, ...)                                                                   \
    arranged((const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int),     \
             is_raised)

static inline void run_at(struct diagnosis *d, struct arrangement at, unsigned passes,
                          unsigned failed)
{
    diagnosis_ran(d, &at, (struct diagnosis_count){ passes, failed, false });
}

/* A machine with a fault that always comes where it can; the numbers are those of the slots. */
struct truth {
    unsigned n_modules, n_slots;
    struct diagnosis_cause cause;
    bool is_raised, needs_pairs;
};

enum { NO, RAISED, PAIRS = 1 };

static inline bool starts(const struct truth *t, const struct arrangement *at)
{
    uint32_t slots = diagnosis_slots_used(at);

    return !t->needs_pairs || (slots & 0x5555) == (slots >> 1 & 0x5555);
}

/* The whole search, by somebody who does what is asked. suspects: slots, as measured. */
static inline struct diagnosis solve_suspecting(const struct truth *t, uint32_t suspects)
{
    struct diagnosis_machine m = machine_of(t->n_modules);
    struct diagnosis_step step;
    struct diagnosis_end end;
    struct diagnosis d;

    while (m.n_slots < t->n_slots)
        fit(&m, m.n_slots, NULL);
    set_speed(&m, t->is_raised ? FAST : SLOW, SLOW);
    d = begun(&m, 3, 3);
    diagnosis_suspect(&d, suspects, DIAGNOSIS_MEASURED);
    for (;;) {
        bool fails;

        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            return d;
        assert_in_range(d.n_runs, 1, DIAGNOSIS_RUNS_MAX - 1);
        fails = diagnosis_can_fail(&t->cause, &step.at, t->n_modules);
        if (starts(t, &step.at))
            run_at(&d, step.at, fails ? 3 : step.passes, fails ? 3 : 0);
        else
            diagnosis_not_started(&d, &step.at);
    }
}

static inline struct diagnosis solve(const struct truth *t)
{
    return solve_suspecting(t, 0);
}
