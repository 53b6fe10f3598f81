// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "sweep/march.h"

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

bool diagnosis_same_modules(const struct arrangement *a, const struct arrangement *b,
                            unsigned n_modules)
{
    return memcmp(a->slot_of, b->slot_of, n_modules) == 0;
}

static bool same_name(const struct diagnosis *d, unsigned slot, unsigned other)
{
    if (slot == DIAGNOSIS_ABSENT || other == DIAGNOSIS_ABSENT)
        return slot == other;
    return strcmp(d->slot_name[slot], d->slot_name[other]) == 0;
}

/* Nobody can say which of the two it is. */
static bool are_alike(const struct diagnosis *d, unsigned module, unsigned other)
{
    const struct diagnosis_module *a = &d->module[module], *b = &d->module[other];

    return module == other ||
           (!a->id && !b->id && a->size_mib == b->size_mib &&
            same_name(d, diagnosis_first_slot(d, module), diagnosis_first_slot(d, other)));
}

/* Modules like this one, in slots that have the name of `slot`, or out. */
static unsigned n_alike(const struct diagnosis *d, const struct arrangement *at, unsigned module,
                        unsigned slot)
{
    unsigned n = 0;

    for (unsigned i = 0; i < d->n_modules; i++)
        n += are_alike(d, module, i) && same_name(d, at->slot_of[i], slot);
    return n;
}

bool diagnosis_is_as_asked(const struct diagnosis *d, const struct arrangement *asked,
                           const struct arrangement *now)
{
    for (unsigned i = 0; i < d->n_modules; i++) {
        unsigned slot = asked->slot_of[i];

        if (n_alike(d, asked, i, slot) != n_alike(d, now, i, slot))
            return false;
    }
    return asked->is_raised == now->is_raised;
}

uint32_t diagnosis_modules_in(const struct arrangement *at)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT)
            bits |= UINT32_C(1) << i;
    }
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

static void add(struct diagnosis *d, struct diagnosis_run run)
{
    if (d->n_runs < DIAGNOSIS_RUNS_MAX)
        d->run[d->n_runs++] = run;
}

void diagnosis_run_begins(struct diagnosis *d, const struct diagnosis_step *asked,
                          const struct arrangement *now)
{
    bool stayed = asked->kind == DIAGNOSIS_SETTINGS_OFF && now->is_raised &&
                  diagnosis_same_modules(&asked->at, now, d->n_modules);

    if (stayed && d->settings_stayed < UINT8_MAX)
        d->settings_stayed++;
    d->is_running = true;
    d->running = *now;
}

void diagnosis_ran(struct diagnosis *d, struct diagnosis_count count)
{
    unsigned passes = (unsigned)min_u64(count.passes, UINT16_MAX);
    unsigned failed = (unsigned)min_u64(count.failed, count.passes);

    if (count.passes > passes)
        failed = (unsigned)div_up((uint64_t)failed * passes, count.passes);
    if (d->is_running && passes)
        add(d,
            (struct diagnosis_run){ d->running, (uint16_t)passes, (uint16_t)failed, count.always });
    d->is_running = false;
}

void diagnosis_not_started(struct diagnosis *d, const struct arrangement *at)
{
    add(d, (struct diagnosis_run){ .at = *at });
    d->is_running = false;
}

static bool is_sane_arrangement(const struct diagnosis *d, const struct arrangement *at)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        uint8_t slot = at->slot_of[i];

        if (slot == DIAGNOSIS_ABSENT)
            continue;
        if (i >= d->n_modules || slot >= d->n_slots || slots >> slot & 1)
            return false;
        slots |= UINT32_C(1) << slot;
    }
    return slots;
}

static bool is_sane_march(const char *march)
{
    struct march_error error;
    struct march m;

    return !march[0] || march_parse(march, &m, &error) == MARCH_OK;
}

bool diagnosis_is_sane(const struct diagnosis *d)
{
    if (d->n_slots > DIAGNOSIS_SLOTS_MAX || d->n_modules > DIAGNOSIS_MODULES_MAX ||
        d->n_modules < DIAGNOSIS_MODULES_MIN || d->kind >= DIAGNOSIS_KINDS || !d->n_runs ||
        d->n_runs > DIAGNOSIS_RUNS_MAX || !d->run[0].failed || !is_sane_march(d->march))
        return false;
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (!is_sane_arrangement(d, &d->run[i].at) || d->run[i].failed > d->run[i].passes)
            return false;
    }
    return !d->is_running || is_sane_arrangement(d, &d->running);
}
