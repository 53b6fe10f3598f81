// SPDX-License-Identifier: MIT
/*
 * What a person can do after a run, in two sentences for somebody who knows nothing of memory: what
 * to do next, and what until then or if that does not help. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "badram/cover.h"
#include "heat/heat.h"
#include "kind/kind.h"
#include "lib/fmt.h"
#include "spd/modules.h"

#define ADVICE_TEXT_SIZE 1536 /* room for any advice */

/* How the run has ended. */
enum advice_run {
    ADVICE_PASSED,
    ADVICE_UNTESTED,   /* no fault, but not all that was to be tested was */
    ADVICE_UNSEEN,     /* no fault, but memory of modules is missing */
    ADVICE_HIDDEN,     /* no fault, but pages were hidden before okram started */
    ADVICE_PART,       /* no fault in the part that options name */
    ADVICE_STOPPED,    /* no fault, and before one pass was complete */
    ADVICE_CORRECTED,  /* no fault, but ECC corrected errors */
    ADVICE_FAILED,     /* there are bad pages, or errors that ECC could not correct */
    ADVICE_BROKEN,     /* okram had an internal error */
    ADVICE_NOT_TESTED, /* there was no memory to test */
};

/* Whether there is the guard (docs/guard.md), and the list of bad pages that it needs. */
enum advice_guard {
    ADVICE_NO_GUARD, /* for this firmware */
    ADVICE_GUARD,
    ADVICE_GUARD_WITHOUT_LIST, /* the list of this run is not kept */
};

/* A module, as its label names it; "": unknown. The caller owns the strings. */
struct advice_module {
    const char *place; /* "DIMM_A1" */
    const char *maker, *part, *serial;
};

/* What the advice is based on. */
struct advice_facts {
    enum advice_run run;
    const char *diagnosis;    /* what a guided diagnosis asks for next, or has found; or "" */
    bool diagnosis_has_begun; /* this run was one of it: nothing else is said; else that is how one
                                 would begin */
    const char *diagnosis_remedy; /* what to do about what it has found; NULL: it is not over */
    bool diagnosis_is_settings;   /* its next step is to switch XMP or EXPO off */
    uint64_t ram_bytes;
    uint64_t installed_bytes;             /* ADVICE_UNSEEN: by firmware's list of modules */
    uint64_t tested_bytes, part_of_bytes; /* of a part that options name; else 0 */
    uint64_t hidden_pages;                /* before okram started; 0: none */
    bool are_holes;                       /* only probably, and they are not in the new line */
    const char *left_out;                 /* ADVICE_NOT_TESTED: why most of it is, or NULL */

    unsigned n_modules;        /* that can be taken out; 0: not known */
    bool has_soldered;         /* chips on the board */
    struct advice_module only; /* n_modules 1 */
    const char *named;         /* all faults are in it, by a measurement, as in "DIMM_A2: 16 GiB" */
    bool is_named;             /* it is one module, not one of some */
    const char *in_modules; /* "in 2 of 4 modules", by a measurement; NULL: not known, or in one */
    bool are_in_all;        /* and all modules have about as many */
    const char *false_size; /* a module has less than it states, in a sentence; or NULL */
    uint32_t fast_mt_s;     /* what memory runs at, if XMP or EXPO may be on; 0: neither is */
    uint32_t jedec_mt_s;    /* what its maker promises without them; 0: as fast, or unknown */

    enum kind kind;
    enum kind_confidence confidence;
    const struct kind_cause_verdict *cause; /* memory or a CPU; NULL: not known */
    const char *other_cpus;                 /* for cpus=: all but those of the bad core; "": none */
    bool heals_rows; /* ECC reported errors, and the machine may replace bad rows when it starts */
    struct heat_onset onset; /* faults 0: they do not depend on heat, as far as is known */
    uint64_t bad_pages;
    uint64_t lost_pages; /* what the badram line leaves unused, bad pages included */
    bool line_fits;      /* there is one, within its limits */
    enum badram_use use; /* of that line */
    bool is_loaded_over; /* GRUB may load Linux over bad pages: started by BIOS, and below 2 GiB */
    enum advice_guard guard;
    bool menu_has_search;                /* the loader's menu has "Find the bad module" */
    uint32_t starts, starts_with_errors; /* of cycles=, with this one; 0: no other had any */
};

enum advice_case {
    ADVICE_CASE_GOOD,
    ADVICE_CASE_REST,    /* test the rest of the memory */
    ADVICE_CASE_MISSING, /* modules are not seen */
    ADVICE_CASE_AGAIN,   /* start it again, for a complete pass */
    ADVICE_CASE_WATCH,   /* ECC corrects errors: reseat, watch, replace */
    ADVICE_CASE_STARTS,  /* no fault in this start, but in others */
    ADVICE_CASE_REPORT,  /* an error of okram's own */
    ADVICE_CASE_OPTIONS, /* there was nothing to test */
    ADVICE_CASE_DIAGNOSIS,
    ADVICE_CASE_CPU,             /* one CPU, not memory */
    ADVICE_CASE_SETTINGS,        /* XMP or EXPO off first */
    ADVICE_CASE_NOT_MODULES,     /* everywhere and changing: settings, heat, power first */
    ADVICE_CASE_RESEAT,          /* errors without a place */
    ADVICE_CASE_FALSE_SIZE,      /* a module has less than it states */
    ADVICE_CASE_ONE_MODULE,      /* it is the bad one: the only one, or measured */
    ADVICE_CASE_SOLDERED,        /* none that could be taken out */
    ADVICE_CASE_PARTLY_SOLDERED, /* some */
    ADVICE_CASE_FIND_MODULE,     /* one of several */
    ADVICE_CASES,
};

enum advice_case advice_case_of(const struct advice_facts *facts);

/* The sentences of the case that these facts are. Plain ASCII, without a newline. */
void advice_append(const struct advice_facts *facts, struct fmt_buffer *out);

/*
 * Whether a machine of that maker and name, by SMBIOS, replaces failing rows of its memory by spare
 * ones at the next start after ECC has reported errors (post package repair), as its maker
 * documents (docs/coverage.md). is_ddr4: its modules are DDR4 or DDR5, as far as is known.
 */
bool advice_machine_heals(const char *maker, const char *product, bool is_ddr4);

/* In capitals, what counts more than that this run found no fault; NULL: nothing. */
const char *advice_headline(const struct advice_facts *facts);

/* As in JSON lines: "one-module". */
const char *advice_case_name(enum advice_case what);

/*
 * The module facts that the advice depends on: sets n_modules, has_soldered, only, fast_mt_s and
 * jedec_mt_s. The strings of `only` are those of `modules`; place: room for its name.
 *
 * Memory may be faster than its standard allows where a module runs above its JEDEC speed, or as
 * fast as its fastest profile, which may be tighter than JEDEC's timings of the same speed.
 */
void advice_take_modules(const struct modules *modules, char place[SMBIOS_NAME_SIZE],
                         struct advice_facts *facts);
