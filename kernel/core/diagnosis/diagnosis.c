// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.h"

#include "lib/div_up.h"
#include "lib/minmax.h"

const char *diagnosis_kind_name(enum diagnosis_kind kind)
{
    static const char *const names[DIAGNOSIS_KINDS] = {
        [DIAGNOSIS_KIND_UNKNOWN] = "unknown",
        [DIAGNOSIS_KIND_CELLS] = "cells",
        [DIAGNOSIS_KIND_LINE] = "line",
        [DIAGNOSIS_KIND_EVERYWHERE] = "everywhere",
    };

    return names[kind];
}

bool diagnosis_same_modules(const struct diagnosis_arrangement *a,
                            const struct diagnosis_arrangement *b, unsigned n_modules)
{
    for (unsigned i = 0; i < n_modules; i++) {
        if (a->slot_of[i] != b->slot_of[i])
            return false;
    }
    return true;
}

uint32_t diagnosis_modules_in(const struct diagnosis_arrangement *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT)
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

uint32_t diagnosis_slots_used(const struct diagnosis_arrangement *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT)
            bits |= UINT32_C(1) << at->slot_of[i];
    }
    return bits;
}

const struct diagnosis_arrangement *diagnosis_last(const struct diagnosis *d)
{
    return &d->run[d->n_runs - 1].at;
}

static void add(struct diagnosis *d, struct diagnosis_run run)
{
    if (d->n_runs < DIAGNOSIS_RUNS_MAX)
        d->run[d->n_runs++] = run;
}

void diagnosis_run_begins(struct diagnosis *d, const struct diagnosis_step *asked,
                          const struct diagnosis_arrangement *now)
{
    bool stayed = asked->kind == DIAGNOSIS_SETTINGS_OFF && now->is_raised &&
                  diagnosis_same_modules(&asked->at, now, d->n_modules);

    if (stayed && d->settings_stayed < UINT8_MAX)
        d->settings_stayed++;
    d->is_running = true;
    d->running = *now;
}

void diagnosis_ran(struct diagnosis *d, unsigned passes, unsigned failed)
{
    failed = (unsigned)min_u64(failed, passes);
    if (passes > UINT8_MAX) {
        failed = (unsigned)div_up((uint64_t)failed * UINT8_MAX, passes);
        passes = UINT8_MAX;
    }
    if (d->is_running && passes)
        add(d,
            (struct diagnosis_run){ d->running, DIAGNOSIS_RAN, (uint8_t)passes, (uint8_t)failed });
    d->is_running = false;
}

void diagnosis_not_started(struct diagnosis *d, const struct diagnosis_arrangement *at)
{
    add(d, (struct diagnosis_run){ *at, DIAGNOSIS_NOT_STARTED, 0, 0 });
    d->is_running = false;
}
