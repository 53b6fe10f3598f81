// SPDX-License-Identifier: MIT
/*
 * What could be the cause of the faults, and how likely each is by the runs so far: Bayes' rule
 * over a list of causes, each at a few rates.
 *
 * A cause says in which arrangements there can be faults:
 *
 *   none           never again: the first run's fault came once
 *   controller     always: CPU, its memory controller, or the whole board
 *   crowd          only with as many modules as in the first run, whichever they are
 *   settings       only with settings above the JEDEC speed
 *   settings+crowd only with these and with as many modules as in the first run
 *   modules M      with any module of M, one or two, in whatever slot
 *   slot S         with any module in slot S
 *
 * Then each pass has faults with probability p, of RATES; where there can be none, a fault is as
 * good as impossible. The rate may be another in another arrangement (the load, the temperature,
 * what is interleaved): CHANGES of the belief goes to rates next to it.
 *
 * What is believed before the first run, in parts of all: PRIOR_ in belief.c. They are assumptions,
 * not measurements; `make bench-diagnosis` draws its machines from other shares
 * (docs/diagnosis.md).
 */
#pragma once

#include "diagnosis/diagnosis.h"

#define DIAGNOSIS_RATES 8

enum diagnosis_cause_kind {
    DIAGNOSIS_NONE,
    DIAGNOSIS_CONTROLLER,
    DIAGNOSIS_CROWD,
    DIAGNOSIS_SETTINGS,
    DIAGNOSIS_SETTINGS_CROWD,
    DIAGNOSIS_MODULES,
    DIAGNOSIS_SLOT,
};

struct diagnosis_cause {
    enum diagnosis_cause_kind kind;
    uint32_t bits; /* modules or slots */
};

#define DIAGNOSIS_CAUSES_MAX                                                                       \
    (5 + DIAGNOSIS_MODULES_MAX + DIAGNOSIS_MODULES_MAX * (DIAGNOSIS_MODULES_MAX - 1) / 2 +         \
     DIAGNOSIS_SLOTS_MAX)

struct diagnosis_belief {
    unsigned n, crowd; /* modules of the first run */
    struct diagnosis_cause cause[DIAGNOSIS_CAUSES_MAX];
    double weight[DIAGNOSIS_CAUSES_MAX][DIAGNOSIS_RATES]; /* of cause and rate; all add up to 1 */
    double of[DIAGNOSIS_CAUSES_MAX];                      /* of the cause, whatever the rate */
};

void diagnosis_believe(const struct diagnosis *d, struct diagnosis_belief *ret_belief);

/* Whether there can be faults. crowd: of the belief. */
bool diagnosis_can_fail(const struct diagnosis_cause *cause, const struct diagnosis_arrangement *at,
                        unsigned crowd);

/* Of each rate: that n passes have no fault. */
void diagnosis_miss(unsigned passes, double ret_miss[DIAGNOSIS_RATES]);

/* That a run of these passes, with this cause, has a fault, by what is believed of its rate. */
double diagnosis_sees(const struct diagnosis_belief *b, unsigned cause,
                      const double miss[DIAGNOSIS_RATES]);

/*
 * The passes after which a fault that can come is missed with less than 1 %, by what is believed of
 * the rate: 6 to DIAGNOSIS_PASSES_MAX.
 */
#define DIAGNOSIS_PASSES_MAX 200
unsigned diagnosis_passes(const struct diagnosis_belief *b);
