// SPDX-License-Identifier: MIT
#include "diagnosis_machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/splitmix.h"

#define FAST_MT_S  6000
#define JEDEC_MT_S 4800

uint64_t sim_below(struct sim *sim, uint64_t n)
{
    return splitmix_below(&sim->random, n);
}

static double fraction(struct sim *sim)
{
    return (double)(splitmix_next(&sim->random) >> 11) / (double)(UINT64_C(1) << 53);
}

static bool one_in(struct sim *sim, unsigned n)
{
    return sim_below(sim, n) == 0;
}

static uint32_t some_bits(struct sim *sim, unsigned n, unsigned of)
{
    uint32_t bits = 0;

    while ((unsigned)__builtin_popcount(bits) < n)
        bits |= UINT32_C(1) << sim_below(sim, of);
    return bits;
}

/* All modules in: the first slots, or every second one. */
static void fit_all(struct sim *sim)
{
    unsigned step = sim->n_slots / sim->n_modules;

    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        sim->module_in[i] = i % step == 0 && i / step < sim->n_modules ? (int)(i / step) : -1;
}

void sim_make(struct sim *sim, uint64_t seed, bool is_rarer)
{
    static const unsigned sizes[] = { 2, 3, 4, 8 };
    static const double rates[] = { 1, 0.5, 0.2, 0.1, 0.05, 0.02 };

    *sim = (struct sim){ .random = splitmix_mix(seed) };
    sim->n_modules = sizes[sim_below(sim, 4)];
    sim->n_slots = sim->n_modules == 2 && one_in(sim, 2) ? 4
                   : sim->n_modules == 3                 ? 4
                                                         : sim->n_modules;
    sim->ways = sim->n_modules == 3 ? 1 : sim->n_modules >= 4 && one_in(sim, 2) ? 4 : 2;
    sim->cause = (enum sim_cause)sim_below(sim, SIM_CAUSES);
    sim->rate_index = is_rarer ? SIM_RARER_RATE : (unsigned)sim_below(sim, SIM_RATES);
    sim->rate = rates[sim->rate_index];
    sim->needs_pairs = sim->n_modules >= 4 && one_in(sim, 4);
    sim->pairs_adjacent = one_in(sim, 2);
    sim->has_jedec = !one_in(sim, 4);
    sim->is_bios = one_in(sim, 3);
    sim->serials = one_in(sim, 3) ? (enum sim_serials)sim_below(sim, 4) : SIM_SERIALS_GOOD;
    sim->wayward = one_in(sim, 3) ? 20 : 0;
    sim->is_raised = sim->cause == SIM_SETTINGS || one_in(sim, 3);
    sim->could_raise = sim->is_raised;
    fit_all(sim);
    if (sim->cause == SIM_ONE_MODULE || sim->cause == SIM_TWO_MODULES)
        sim->bad = some_bits(sim, sim->cause == SIM_TWO_MODULES ? 2 : 1, sim->n_modules);
    while (sim->cause == SIM_SLOT && !sim->bad) {
        uint32_t slot = (uint32_t)sim_below(sim, sim->n_slots);

        if (sim->module_in[slot] >= 0)
            sim->bad = UINT32_C(1) << slot;
    }
}

void sim_list(const struct sim *sim, struct diagnosis_machine *ret_machine)
{
    static const char *const same[] = { "1A2B3C4D", "1A2B3C4D" };
    struct diagnosis_machine *m = ret_machine;

    *m = (struct diagnosis_machine){ .n_slots = sim->n_slots };
    for (unsigned i = 0; i < sim->n_slots; i++) {
        struct diagnosis_slot *s = &m->slot[i];
        int module = sim->module_in[i];

        snprintf(s->name, sizeof(s->name), "DIMM_%c%u", 'A' + (char)(i / 2), i % 2 + 1);
        if (module < 0)
            continue;
        s->is_present = true;
        s->size_bytes = UINT64_C(16) << 30;
        s->configured_mt_s = sim->is_raised ? FAST_MT_S : JEDEC_MT_S;
        s->jedec_mt_s = sim->has_jedec ? JEDEC_MT_S : 0;
        snprintf(s->part, sizeof(s->part), "PART-%u", 7u);
        if (sim->serials == SIM_SERIALS_ZERO)
            strcpy(s->serial, "00000000");
        else if (sim->serials == SIM_SERIALS_SAME && module < 2)
            strcpy(s->serial, same[module]);
        else if (sim->serials != SIM_SERIALS_MISSING)
            snprintf(s->serial, sizeof(s->serial), "%08X",
                     (unsigned)splitmix_mix(sim->bad + 77u + (unsigned)module));
    }
}

/* A board that needs pairs starts with both or none of slots 1 and 2, or of 1 and n/2 + 1. */
bool sim_starts(const struct sim *sim)
{
    unsigned n = sim->n_slots / 2;

    for (unsigned i = 0; i < n && sim->needs_pairs; i++) {
        unsigned a = sim->pairs_adjacent ? 2 * i : i, b = sim->pairs_adjacent ? 2 * i + 1 : i + n;

        if ((sim->module_in[a] >= 0) != (sim->module_in[b] >= 0))
            return false;
    }
    return true;
}

static unsigned n_in(const struct sim *sim)
{
    unsigned n = 0;

    for (unsigned i = 0; i < sim->n_slots; i++)
        n += sim->module_in[i] >= 0;
    return n;
}

static bool can_fail(const struct sim *sim)
{
    switch (sim->cause) {
    case SIM_SETTINGS: return sim->is_raised;
    case SIM_CONTROLLER: return true;
    case SIM_CROWD: return n_in(sim) == sim->n_modules;
    case SIM_NONE: return false;
    default: break;
    }
    for (unsigned i = 0; i < sim->n_slots; i++) {
        int module = sim->module_in[i];

        if (module >= 0 && (sim->cause == SIM_SLOT ? sim->bad >> i & 1 : sim->bad >> module & 1))
            return true;
    }
    return false;
}

/*
 * The first run is one that had faults. Interleaving spreads each module's lines over all memory,
 * and the load of other modules changes: so the rate is not the same in other arrangements.
 */
void sim_run(struct sim *sim, unsigned passes, unsigned enough, unsigned *ret_passes,
             unsigned *ret_failed)
{
    double good = pow(1 - sim->rate, sim->has_run ? sim->other : 1);
    unsigned done = 0, failed = 0;

    for (; done < passes && failed < enough; done++)
        failed += (can_fail(sim) && fraction(sim) >= good) || (!sim->has_run && done + 1 == passes);
    sim->has_run = true;
    sim->other = 1 + (fraction(sim) - 0.5) * (sim->ways == 1 ? 0.2 : sim->ways == 2 ? 0.5 : 0.8);
    *ret_passes = done;
    *ret_failed = failed;
}

static void arrange(struct sim *sim, const struct arrangement *asked)
{
    for (unsigned i = 0; i < sim->n_slots; i++)
        sim->module_in[i] = -1;
    for (unsigned i = 0; i < sim->n_modules; i++) {
        if (asked->slot_of[i] < sim->n_slots)
            sim->module_in[asked->slot_of[i]] = (int)i;
    }
}

/* Nothing, or fewer modules than in the first run, or all of them, or the settings. */
static void do_something_else(struct sim *sim)
{
    switch (sim_below(sim, 4)) {
    case 0: break;
    case 1:
        fit_all(sim);
        for (unsigned i = 0; i < sim->n_slots; i++) {
            if (one_in(sim, 2))
                sim->module_in[i] = -1;
        }
        break;
    case 2: fit_all(sim); break;
    case 3: sim->is_raised = !sim->is_raised && sim->could_raise; break;
    }
}

void sim_obey(struct sim *sim, const struct arrangement *asked)
{
    struct sim before = *sim;

    if (sim_below(sim, 100) >= sim->wayward) {
        arrange(sim, asked);
        sim->is_raised = sim->could_raise && asked->is_raised;
        return;
    }
    do_something_else(sim);
    if (!n_in(sim) || !sim_starts(sim)) {
        before.random = sim->random;
        *sim = before;
    }
}
