// SPDX-License-Identifier: MIT
/* A guide on machines of tests/unit/diagnosis/fitted.h, from what was kept and what was reported.
 */
#pragma once

#include "boot/uefi/diagnosis/guide.h"
#include "diagnosis/code.h"
#include "diagnosis/fitted.h"
#include "diagnosis/state_bytes.h"

static struct guide guide;
static struct diagnosis_machine fitted; /* now */
static struct diagnosis kept;
static struct found_record record;

/* As a report has it: by the typed word. */
static inline void report(const struct diagnosis *d, bool begun_before)
{
    char code[DIAGNOSIS_CODE_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));

    diagnosis_append_code(d, &b);
    record = (struct found_record){ .begun = begun_before };
    assert_int_equal(diagnosis_read_code(code, &record.state), STATUS_OK);
    strcpy(record.state.tests, d->tests);
}

/* A start; with_*: what there is. */
static inline void start(bool with_kept, bool with_record)
{
    const struct guide_sources s = { .variable = with_kept ? &kept : NULL,
                                     .record = with_record ? &record : NULL };

    guide_begin(&guide, &s, &fitted);
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
}

/* Through its bytes, as over a restart. */
static inline void keep(void)
{
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    const char *why;

    assert_int_equal(diagnosis_read(bytes, diagnosis_write(&guide.state, bytes), &kept, &why),
                     STATUS_OK);
}

/* Modules as in this arrangement, by their first slots. */
static inline void arrange(const struct diagnosis_arrangement *at)
{
    const struct diagnosis_machine first = fitted;
    const struct diagnosis_arrangement *was = &guide.now;

    for (unsigned i = 0; i < fitted.n_slots; i++)
        fit(&fitted, i, NULL);
    for (unsigned i = 0; i < guide.state.n_modules; i++) {
        if (at->slot_of[i] != DIAGNOSIS_ABSENT && was->slot_of[i] != DIAGNOSIS_ABSENT)
            fit(&fitted, at->slot_of[i], first.slot[was->slot_of[i]].serial);
    }
}
