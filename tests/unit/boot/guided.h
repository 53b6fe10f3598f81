// SPDX-License-Identifier: MIT
/* A guide on machines of tests/unit/diagnosis/fitted.h, from what was kept and what was reported.
 */
#pragma once

#include "boot/uefi/diagnosis/guide.h"
#include "diagnosis/code.h"
#include "diagnosis/fitted.h"

static struct guide guide;
static struct diagnosis_machine fitted;      /* now */
static char kept[DIAGNOSIS_KEPT_MAX];        /* in the variable */
static char jsonl[DIAGNOSIS_KEPT_MAX + 600]; /* the last report */

static inline const char *code_of(const struct diagnosis *d, bool with_names)
{
    static char code[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));

    diagnosis_append_code(d, with_names, &b);
    assert_false(b.cut);
    return code;
}

/* A report whose record has this code and these other members. */
static inline void report_line(const char *code, const char *members)
{
    snprintf(jsonl, sizeof(jsonl),
             "{\"type\":\"start\",\"tests\":\"diagnosis\"}\n"
             "{\"t\":9,\"type\":\"diagnosis\",%s,\"code\":\"%s\"}\n"
             "{\"type\":\"result\",\"status\":\"fail\"}\n",
             members, code);
}

static inline void report(const struct diagnosis *d, bool begun_before)
{
    char members[400];

    snprintf(members, sizeof(members), "\"begun\":%s,\"end\":null,\"tests\":\"%s\"",
             begun_before ? "true" : "false", d->tests);
    report_line(code_of(d, false), members);
}

/* Over a restart. */
static inline void keep(const struct diagnosis *d)
{
    strcpy(kept, code_of(d, true));
}

/* A start; with_*: what there is. */
static inline void start(bool with_kept, bool with_record)
{
    guide_begin(&guide, with_kept ? kept : "", NULL, with_record ? jsonl : NULL, &fitted);
}

/* n modules in 4 slots at the standard's speed, whose run had faults; the menu's offer is taken. */
static inline void take_offer(unsigned n)
{
    struct diagnosis d;

    fitted = machine_of(n);
    while (fitted.n_slots < 4)
        fit(&fitted, fitted.n_slots, NULL);
    d = begun(&fitted, 3, 3);
    report(&d, false);
    start(false, true);
    assert_int_equal(guide.situation, GUIDE_OFFERED);
    guide_accept(&guide, &fitted);
    keep(&guide.state);
}

/* Modules as in this arrangement, by their first slots. */
static inline void arrange(const struct arrangement *at)
{
    const struct diagnosis_machine first = fitted;
    const struct arrangement *was = &guide.now;

    for (unsigned i = 0; i < fitted.n_slots; i++)
        fit(&fitted, i, NULL);
    for (unsigned i = 0; i < guide.state.n_modules; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT && was->slot_of[i] != DIAGNOSIS_ABSENT)
            fit(&fitted, at->slot_of[i], first.slot[was->slot_of[i]].serial);
    }
}

/* Two modules, of which the second is bad: all runs of a search. */
static inline struct diagnosis ended(void)
{
    struct diagnosis d;

    fitted = machine_of(2);
    d = begun(&fitted, 3, 3);
    for (unsigned i = 0; i < 2; i++) {
        run_at(&d, ARRANGED(false, 0), 9, 0);
        run_at(&d, i ? ARRANGED(false, -1, 0) : ARRANGED(false, -1, 1), 3, 3);
    }
    return d;
}
