// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "sweep/march.h"

#define STAYED_MAX 3 /* as a word has it */

const char *diagnosis_kind_name(enum diagnosis_kind kind)
{
    static const char *const names[DIAGNOSIS_KINDS] = { "unknown", "cells", "line", "everywhere",
                                                        "cpu" };

    return names[kind];
}

bool diagnosis_same_modules(const struct arrangement *a, const struct arrangement *b)
{
    return memcmp(a->slot_of, b->slot_of, sizeof(a->slot_of)) == 0;
}

uint32_t diagnosis_modules_in(const struct arrangement *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++)
        bits |= (uint32_t)(at->slot_of[i] != DIAGNOSIS_ABSENT) << i;
    return bits;
}

uint32_t diagnosis_slots_used(const struct arrangement *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT)
            bits |= UINT32_C(1) << at->slot_of[i];
    }
    return bits;
}

const struct arrangement *diagnosis_last(const struct diagnosis *d)
{
    return &d->run[d->n_runs - 1].at;
}

unsigned diagnosis_first_slot(const struct diagnosis *d, unsigned module)
{
    unsigned slot = DIAGNOSIS_ABSENT;

    for (unsigned i = 0; i < d->n_runs && slot == DIAGNOSIS_ABSENT; i++)
        slot = d->run[i].at.slot_of[module];
    return slot;
}

void diagnosis_suspect(struct diagnosis *d, uint32_t slots, enum diagnosis_suspicion suspicion)
{
    const struct arrangement *first = &d->run[0].at;

    d->suspects = 0;
    for (unsigned i = 0; i < d->n_modules && d->kind != DIAGNOSIS_KIND_CPU; i++)
        d->suspects |= (uint8_t)((slots >> first->slot_of[i] & 1) << i);
    if (d->suspects == diagnosis_modules_in(first))
        d->suspects = 0;
    d->suspicion = d->suspects ? suspicion : 0;
}

static void add(struct diagnosis *d, struct diagnosis_run run)
{
    if (d->n_runs < DIAGNOSIS_RUNS_MAX)
        d->run[d->n_runs++] = run;
}

void diagnosis_run_begins(struct diagnosis *d, const struct diagnosis_step *asked,
                          const struct arrangement *now)
{
    if (asked->kind == DIAGNOSIS_SETTINGS_OFF && now->is_raised &&
        diagnosis_same_modules(&asked->at, now) && d->settings_stayed < STAYED_MAX)
        d->settings_stayed++;
}

void diagnosis_ran(struct diagnosis *d, const struct arrangement *at, struct diagnosis_count count)
{
    unsigned passes = (unsigned)min_u64(count.passes, UINT16_MAX);
    unsigned failed = (unsigned)min_u64(count.failed, count.passes);

    if (count.passes > passes)
        failed = (unsigned)div_up((uint64_t)failed * passes, count.passes);
    if (passes)
        add(d, (struct diagnosis_run){ *at, (uint16_t)passes, (uint16_t)failed, count.always });
}

void diagnosis_not_started(struct diagnosis *d, const struct arrangement *at)
{
    add(d, (struct diagnosis_run){ .at = *at });
}

static bool is_sane_run(const struct diagnosis *d, const struct diagnosis_run *run)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        uint8_t slot = run->at.slot_of[i];

        if (slot == DIAGNOSIS_ABSENT)
            continue;
        if (i >= d->n_modules || slot >= d->n_slots || slots >> slot & 1)
            return false;
        slots |= UINT32_C(1) << slot;
    }
    return slots && run->failed <= run->passes;
}

/* Some of the first run's modules, and not all. */
static bool are_sane_suspects(const struct diagnosis *d)
{
    uint32_t in = diagnosis_modules_in(&d->run[0].at);

    return d->suspicion < DIAGNOSIS_SUSPICIONS && !(d->suspects & ~in) && d->suspects != in;
}

bool diagnosis_is_sane(const struct diagnosis *d)
{
    struct march_error error;
    struct march m;

    if (d->n_slots > DIAGNOSIS_SLOTS_MAX || d->n_modules > DIAGNOSIS_MODULES_MAX ||
        d->n_modules < DIAGNOSIS_MODULES_MIN || d->kind >= DIAGNOSIS_KINDS || !d->n_runs ||
        d->n_runs > DIAGNOSIS_RUNS_MAX || !d->run[0].failed ||
        (d->march[0] && march_parse(d->march, &m, &error) != MARCH_OK))
        return false;
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (!is_sane_run(d, &d->run[i]))
            return false;
    }
    return are_sane_suspects(d);
}
