// SPDX-License-Identifier: MIT
/*
 * Which module is bad, by evidence: the state of a guided diagnosis over restarts.
 *
 * The folder: observe.h knows the modules again; next_step.h weighs the causes and chooses what to
 * do; sentences.h says it; code.h is the state between two starts, as a word. All of it is pure.
 *
 * A diagnosis begins with a run that found faults. Each further run has its own arrangement: which
 * module was in which slot, and whether settings above the modules' JEDEC speed (XMP, EXPO) were
 * on. The evidence is in which arrangements the faults came, and how often. Addresses are none:
 * interleaving scrambles them. Where the memory controller's registers tell which modules the first
 * run's faults can be in, these are suspects: likely from the start, and acquitted by the evidence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIAGNOSIS_MODULES_MIN 2 /* of the first run: there is something to compare */
#define DIAGNOSIS_MODULES_MAX 8
#define DIAGNOSIS_SLOTS_MAX   16
#define DIAGNOSIS_RUNS_MAX    16

#define DIAGNOSIS_SLOT_NAME 20 /* with the NUL */
#define DIAGNOSIS_SERIAL    16
#define DIAGNOSIS_PART      21
#define DIAGNOSIS_TESTS     120
#define DIAGNOSIS_MARCH     512

#define DIAGNOSIS_ABSENT 0xffu /* in place of a slot's number */

/* A slot, as SMBIOS type 17 lists it, and what is in it: the input of each start. */
struct diagnosis_slot {
    char name[DIAGNOSIS_SLOT_NAME]; /* "DIMM_A2"; no two have the same */
    bool is_present;
    uint64_t size_bytes;                                 /* 0: unknown */
    char serial[DIAGNOSIS_SERIAL], part[DIAGNOSIS_PART]; /* or "" */
    uint32_t configured_mt_s;                            /* 0: unknown */
    uint32_t jedec_mt_s; /* what the module does by the standard; 0: unknown */
};

struct diagnosis_machine {
    unsigned n_slots; /* 0: SMBIOS lists none; more than DIAGNOSIS_SLOTS_MAX: too many */
    struct diagnosis_slot slot[DIAGNOSIS_SLOTS_MAX];
};

/* What the faults look like. It changes what is likely at the start, never what is evidence. */
enum diagnosis_kind {
    DIAGNOSIS_KIND_UNKNOWN,
    DIAGNOSIS_KIND_CELLS,      /* one or few cells, a row, a column, retention, coupling: a chip */
    DIAGNOSIS_KIND_LINE,       /* a data pin or an address line: a chip, a contact, the board */
    DIAGNOSIS_KIND_EVERYWHERE, /* changing places and bits: settings or the controller */
    DIAGNOSIS_KIND_CPU,        /* of one CPU, whichever memory it reads (kind/kind_cpu.h) */
    DIAGNOSIS_KINDS,
};

/* How sure it is that the faults are in the suspects. */
enum diagnosis_suspicion {
    DIAGNOSIS_BY_REGISTERS, /* the controller's registers alone say so */
    DIAGNOSIS_MEASURED,     /* and measurements on this machine agree with them */
    DIAGNOSIS_SUSPICIONS,
};

/* "unknown", "cells", "line", "everywhere", "cpu" */
const char *diagnosis_kind_name(enum diagnosis_kind kind);

/* Which module is in which slot, by their numbers in struct diagnosis. */
struct arrangement {
    uint8_t slot_of[DIAGNOSIS_MODULES_MAX]; /* of each module, or DIAGNOSIS_ABSENT */
    bool is_raised;                         /* faster than JEDEC's standard, or may be */
};

/* Of a run: passes that happened. */
struct diagnosis_count {
    unsigned passes, failed;
    bool always; /* a bad page was bad each time that it was tested again after them */
};

struct diagnosis_run {
    struct arrangement at;
    uint16_t passes, failed; /* passes 0: the machine does not start in this arrangement */
    bool always;
};

struct diagnosis_module {
    uint16_t id;       /* of serial and part; 0: no serial, or not the only one with it */
    uint32_t size_mib; /* 0: unknown */
};

/* As firmware has listed them; "": not seen since the state was a typed word. */
struct diagnosis_names {
    char slot[DIAGNOSIS_SLOTS_MAX][DIAGNOSIS_SLOT_NAME];
    char serial[DIAGNOSIS_MODULES_MAX][DIAGNOSIS_SERIAL]; /* "" also: it has none that counts */
    char part[DIAGNOSIS_MODULES_MAX][DIAGNOSIS_PART];
};

enum diagnosis_step_kind {
    DIAGNOSIS_REPEAT,       /* the same again: is it there at all? */
    DIAGNOSIS_SETTINGS_OFF, /* XMP or EXPO off, modules as they are */
    DIAGNOSIS_SETTINGS_ON,  /* on again: does the fault come back? */
    DIAGNOSIS_ARRANGE,      /* modules out, in, or into other slots */
    DIAGNOSIS_ENDS,
};

/* What is asked for next. */
struct diagnosis_step {
    enum diagnosis_step_kind kind;
    struct arrangement at;
    uint8_t passes; /* of the tests that failed, until DIAGNOSIS_FAILURES_ENOUGH of them fail */
};

/* A run of a diagnosis ends when this many of its passes had faults: the rate is known well enough.
 */
#define DIAGNOSIS_FAILURES_ENOUGH 3

struct diagnosis {
    unsigned n_slots, n_modules; /* all that were ever seen */
    struct diagnosis_names names;
    struct diagnosis_module module[DIAGNOSIS_MODULES_MAX];
    enum diagnosis_kind kind;
    uint8_t suspects; /* modules of the first run, as bits; 0: nothing is known */
    enum diagnosis_suspicion suspicion;
    uint32_t first_mt_s, jedec_mt_s; /* as at the first run; 0: unknown */
    uint8_t settings_stayed;         /* how often they were to be switched off and were not */
    char tests[DIAGNOSIS_TESTS];     /* that found the first faults, with commas; "": all */
    char march[DIAGNOSIS_MARCH];     /* a person's own, which "march" in tests is; or "" */
    unsigned n_runs;                 /* the first one is what the diagnosis began with */
    struct diagnosis_run run[DIAGNOSIS_RUNS_MAX];
    bool is_offered; /* only its first run is over, and nobody has begun to search yet */
};

/* Whether each module is in the same slot; settings do not count. */
bool diagnosis_same_modules(const struct arrangement *a, const struct arrangement *b);

static inline bool diagnosis_is_same(const struct arrangement *a, const struct arrangement *b)
{
    return a->is_raised == b->is_raised && diagnosis_same_modules(a, b);
}

/* The modules that are in, as bits; the slots that are used, as bits. */
uint32_t diagnosis_modules_in(const struct arrangement *at);
uint32_t diagnosis_slots_used(const struct arrangement *at);

/* The last arrangement that was tested, or that did not start. */
const struct arrangement *diagnosis_last(const struct diagnosis *d);

/* Where a module was when it was first seen; DIAGNOSIS_ABSENT: in no run yet. */
unsigned diagnosis_first_slot(const struct diagnosis *d, unsigned module);

/*
 * Of a diagnosis that has just begun: the modules in these slots, numbered as in the machine that
 * it began with, are suspects. All of them or none: nothing is known.
 */
void diagnosis_suspect(struct diagnosis *d, uint32_t slots, enum diagnosis_suspicion suspicion);

/*
 * A run begins, in this arrangement: where settings were to be switched off and were not, that is
 * counted, up to 3: then it is not known how, or they were off before.
 */
void diagnosis_run_begins(struct diagnosis *d, const struct diagnosis_step *asked,
                          const struct arrangement *now);

/*
 * A run has ended. Passes 0: nothing was learned, and it does not count. Of more than 65535 passes
 * 65535 are kept, and as large a share of faulty ones. Once the list of runs is full, the diagnosis
 * ends undecided.
 */
void diagnosis_ran(struct diagnosis *d, const struct arrangement *at, struct diagnosis_count count);

/* The machine did not start in this arrangement. */
void diagnosis_not_started(struct diagnosis *d, const struct arrangement *at);

/*
 * Whether a state can be: numbers in their bounds, each slot with one module at most, and a march
 * that is one.
 */
bool diagnosis_is_sane(const struct diagnosis *d);
