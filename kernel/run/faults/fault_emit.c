// SPDX-License-Identifier: MIT
#include "faults/fault_emit.h"

#include "arch/tsc.h"
#include "calibration/selection.h"
#include "faults/channels.h"
#include "faults/low_emit.h"
#include "event/events.h"
#include "event/notices.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/share.h"

#define OWN_MEMORY "own memory" /* instead of the name of a test */

#define EXTERNAL_RECORDS 1000

static const char *name_of(uint32_t test)
{
    return test < selection.tests.n_tests ? selection.tests.test[test].name : "";
}

static void send_fault(const struct fault *f)
{
    struct event e = { .type = EVENT_FAULT };

    e.fault = (struct event_fault){
        .addr = f->addr,
        .expected = f->expected,
        .found = f->found,
        .test = name_of(f->test),
        .pass = f->pass,
        .cpu = f->cpu,
        .node = f->node,
        .channel = channels_of(f->addr),
    };
    events_send(&e);
}

#define MEANING                                                                                      \
    "a fault garbles 16 bytes at once, so bits are not shown, and what a device writes counts as a " \
    "fault if it looks random"

void fault_emit_begin(void)
{
    switch (machine.encryption) {
    case ENCRYPTION_TME:
        external_set_encrypted(&external);
        notice("memory is encrypted (TME): " MEANING);
        break;
    case ENCRYPTION_SME:
        notice("memory encryption (SME) is on for pages that ask for it: okram's do "
               "not, so it does not hide which bits are faulty");
        break;
    default: break;
    }
}

/* That memory is encrypted, as faults have shown. */
static void warn_of_look(void)
{
    static bool warned;

    if (warned || machine.encryption == ENCRYPTION_TME || !external_is_encrypted(&external))
        return;
    warned = true;
    notice("memory looks encrypted, though the CPU does not say so (AMD's TSME): "
           "whole blocks of 16 bytes are wrong; " MEANING);
}

void fault_emit(uint64_t max_us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(max_us);
    struct fault f;

    warn_of_look();
    while (fault_log_drain(&fault_log, &f)) {
        send_fault(&f);
        if (tsc_now() > deadline)
            return;
    }
}

static void send_external_word(const struct low_change *c)
{
    static uint32_t n_sent;

    if (n_sent++ >= EXTERNAL_RECORDS)
        return;
    events_send(&(struct event){
        .type = EVENT_EXTERNAL,
        .external = {
            .addr = c->addr,
            .expected = c->expected,
            .found = c->found,
            .test = name_of(c->place.test),
            .pass = c->place.pass,
            .cpu = c->place.cpu,
        },
    });
}

/* Sends each line by the first word that differs. */
static void send_external_line(const struct external_line *line)
{
    static bool warned;
    size_t i = 0;

    while (line->expected.word[i] == line->found.word[i])
        i++;
    if (!warned)
        notice("0x%lx was written by a device or by firmware while it was tested: not counted as a "
               "fault unless its page is written three times",
               line->phys);
    warned = true;
    send_external_word(&(struct low_change){ line->phys + i * sizeof(uint64_t),
                                             line->expected.word[i], line->found.word[i],
                                             line->place });
}

static void send_low_change(const struct low_change *change)
{
    static bool warned;

    if (!warned)
        notice("0x%lx changed while it was tested, and not when it was tested again: below 1 "
               "MiB firmware may write, so it is not counted as a fault; lowmem=test counts it",
               change->addr);
    warned = true;
    send_external_word(change);
}

static struct line *line_at(uint64_t phys)
{
    return share_slice((struct span){ phys, sizeof(struct line) }).virt;
}

static bool is_bad(uint64_t phys)
{
    return fault_log_is_bad(&fault_log, phys);
}

static void mark_page(uint64_t phys)
{
    fault_log_mark_page(&fault_log, phys);
}

void fault_emit_external(bool (*wait)(uint64_t us))
{
    const struct external_retest retest = {
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .memory = line_at,
        .is_bad = is_bad,
        .wait = wait,
        .fault = reporter_log_line,
        .external = send_external_line,
        .damaged = mark_page,
    };

    if (external_any(&external))
        external_retest(&external, &retest);
    low_emit_judge(send_low_change);
}

static void send_aliases(const char *test, uint32_t pass)
{
    struct alias alias;

    while (aliases_drain(&aliases, &alias))
        events_send(&(struct event){
            .type = EVENT_ALIAS,
            .alias = { .alias = alias, .test = test, .pass = pass },
        });
}

void fault_emit_aliases(struct test_place place)
{
    send_aliases(selection.tests.test[place.test].name, place.pass);
}

void fault_emit_own_aliases(uint32_t pass)
{
    send_aliases(OWN_MEMORY, pass);
}
