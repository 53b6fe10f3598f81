// SPDX-License-Identifier: MIT
/*
 * Machines with a fault whose cause is known, and people in front of them, for the simulation of
 * the guided diagnosis.
 */
#pragma once

#include "diagnosis/diagnosis.h"

enum sim_cause {
    SIM_ONE_MODULE,
    SIM_TWO_MODULES,
    SIM_SLOT,
    SIM_SETTINGS,
    SIM_CONTROLLER,
    SIM_CROWD, /* only with all modules in */
    SIM_NONE,
    SIM_CAUSES,
};

/* Those that the diagnosis is made for, and one beyond. */
#define SIM_RATES      5
#define SIM_RARER_RATE SIM_RATES

enum sim_serials { SIM_SERIALS_GOOD, SIM_SERIALS_ZERO, SIM_SERIALS_MISSING, SIM_SERIALS_SAME };

struct sim {
    uint64_t random; /* its state */
    unsigned n_modules, n_slots, ways;
    enum sim_cause cause;
    uint32_t bad;        /* modules or slots, as bits */
    double rate;         /* of a pass with faults, in the first run */
    unsigned rate_index; /* of SIM_RATES: 1, 1/2, 1/5, 1/10, 1/20, 1/50 */
    double other;        /* what becomes of it in other arrangements: to the power of this */
    bool needs_pairs, pairs_adjacent, has_jedec, is_bios;
    bool could_raise; /* there is XMP or EXPO to be switched off */
    enum sim_serials serials;
    unsigned wayward; /* of 100 times that something is asked for, something else is done */

    /* As it is now. */
    int module_in[DIAGNOSIS_SLOTS_MAX]; /* or -1 */
    bool is_raised;
    bool has_run;
};

/*
 * A machine of all that there may be, whose fault has come in its first run; is_rarer: and comes
 * more rarely than the diagnosis is made for.
 */
void sim_make(struct sim *sim, uint64_t seed, bool is_rarer);

/* As firmware lists it. */
void sim_list(const struct sim *sim, struct diagnosis_machine *ret_machine);

bool sim_starts(const struct sim *sim);

/* Passes until `enough` have faults, at most `passes`: how many there were, how many had some. */
void sim_run(struct sim *sim, unsigned passes, unsigned enough, unsigned *ret_passes,
             unsigned *ret_failed);

/* Puts the modules as asked, numbered as in the first run in the order of the slots; or does not.
 */
void sim_obey(struct sim *sim, const struct arrangement *asked);

uint64_t sim_below(struct sim *sim, uint64_t n);
