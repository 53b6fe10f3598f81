// SPDX-License-Identifier: MIT
#include "cover/cover_emit.h"

#include "arch/tsc.h"
#include "bootcfg/lines.h"
#include "cover/cover_schedule.h"
#include "cover/lines_emit.h"
#include "cover/pages_emit.h"
#include "progress/progress.h"
#include "faults/reporter.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/panic.h"
#include "machine/board.h"

#define PANIC_PAGES_MAX 64 /* added to the line of a panic */

static struct cover_schedule cover_schedule; /* of the current cover */
static struct cover covers[2];
static const struct cover *cover = &covers[0]; /* complete at any time */
static struct cover_work cover_work;
static char line[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];

/* Bad pages that the current cover lacks, each as a pattern. Returns how many are left. */
static uint64_t append_new_pages(const struct fault_log *log, struct fmt_buffer *text)
{
    uint64_t index = 0, n = 0;
    struct page_run run;

    while (fault_log_next_run(log, &index, &run)) {
        for (uint64_t page = run.first; page < run.first + run.count; page++) {
            uint64_t addr = page << PAGE_SHIFT;

            if (pattern_list_covers(cover->pattern, cover->n_patterns, addr))
                continue;
            if (n < PANIC_PAGES_MAX)
                fmt_append(text, "%s0x%lx,0x%lx", n || cover->n_patterns ? "," : "badram=", addr,
                           PATTERN_MASK_BITS);
            n++;
        }
    }
    return n > PANIC_PAGES_MAX ? n - PANIC_PAGES_MAX : 0;
}

/* No found fault is lost. */
void cover_emit_append(struct run *run, struct fmt_buffer *text)
{
    struct external_judged kept;
    uint64_t bad_pages, left;

    if (!run->found.external.line) /* log_memory_begin is not over */
        return;
    while (external_take(&run->found.external, &kept))
        reporter_log_line(run, kept.line);
    bad_pages = fault_log_bad_pages(&run->found.log);
    if (!bad_pages)
        return;
    progress_send(run);
    fmt_append(text, "%lu bad page%s found; this line covers %s:\n", bad_pages,
               bad_pages == 1 ? " was" : "s were", bad_pages == 1 ? "it" : "them");
    badram_line_append(text, cover);
    left = append_new_pages(&run->found.log, text);
    fmt_append(text, "\n");
    if (left)
        fmt_append(text, "but not %lu of them\n", left);
}

static enum badram_use line_use(void)
{
    if (board.secure_boot)
        return board.has_guard ? BADRAM_IGNORED : BADRAM_IGNORED_NO_GUARD;
    return cover->grub_bios_misses ? BADRAM_FALLS_SHORT : BADRAM_WORKS;
}

const struct cover *cover_emit_current(enum badram_use *ret_use)
{
    *ret_use = line_use();
    return cover;
}

static void send_badram(bool final)
{
    struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));

    badram_line_append(&b, cover);
    events_send(&(struct event){
        .type = EVENT_BADRAM,
        .badram = { .bad_pages = cover_schedule.derived_pages,
                    .cover = cover,
                    .line = line,
                    .final = final,
                    .use = line_use() },
    });
}

/* The one that is not in use. */
static struct cover *spare_cover(void)
{
    return cover == &covers[0] ? &covers[1] : &covers[0];
}

static void derive(struct run *run, enum derivation derivation)
{
    struct fault_log *log = &run->found.log;
    struct cover *next = spare_cover();
    uint64_t bad_pages, began_us = tsc_elapsed_us();

    fault_log_scrub_all(log);
    bad_pages = fault_log_bad_pages(log);
    if (derivation == DERIVE_FAST)
        ASSERT(cover_derive_quickly(log, &run->plan.limits, &cover_work, next) == STATUS_OK);
    else
        ASSERT(cover_derive(log, &run->plan.limits, &cover_work, next) == STATUS_OK);
    cover = next;
    cover_schedule_derived(&cover_schedule, derivation, bad_pages, began_us, tsc_elapsed_us());
}

void cover_emit_when_due(struct run *run)
{
    enum derivation due =
        cover_schedule_due(&cover_schedule, tsc_elapsed_us(), fault_log_bad_pages(&run->found.log));

    if (due == DERIVE_NOTHING)
        return;
    derive(run, due);
    send_badram(false);
}

void cover_emit_now(struct run *run)
{
    derive(run, DERIVE_FULL);
    send_badram(false);
}

void cover_emit_next_line(const struct run *run)
{
    lines_emit_next(run, cover);
}

/* What the badram line cannot say. */
static void warn_of_cover(const struct run *run)
{
    const struct cover_limits *limits = &run->plan.limits;
    const struct fault_log *log = &run->found.log;
    uint64_t addr, spared = 0, outside = fault_log_outside(log, &addr);

    if (outside)
        notice("%lu faults at addresses outside of RAM, or outside of what is tested and more than "
               "okram records; the first at 0x%lx",
               outside, addr);
    if (cover->ranges > limits->max_ranges)
        notice(
            "the badram line makes %lu map entries, more than the %lu allowed: no line has fewer",
            cover->ranges, limits->max_ranges);
    if (run->plan.newer_grub_takes_more)
        spared = cover_spares(log, limits, LINES_STUB_RANGES, cover, &cover_work, spare_cover());
    if (spared)
        notice("the badram line joins bad pages to at most %lu ranges, as GRUB up to 2.06 needs; "
               "GRUB 2.12 takes more: with ranges=%u the line gives up %lu fewer good pages",
               limits->max_ranges, LINES_STUB_RANGES, spared);
    if (limits->max_patterns > COVER_PATTERNS_MAX &&
        cover->sacrificed_pages > fault_log_bad_pages(log))
        notice("patterns=%zu is cut to %d: GRUB stops at a longer badram command",
               limits->max_patterns, COVER_PATTERNS_MAX);
    if (cover->grub_bios_misses)
        notice("GRUB on BIOS leaves some bad pages in use with the badram line, not with memmap");
    if (board.secure_boot && cover->n_patterns)
        notice("Secure Boot is on, where GRUB ignores badram and cutmem");
}

void cover_emit_finalize(struct run *run)
{
    derive(run, DERIVE_FULL);
}

void cover_emit_final(struct run *run)
{
    if (fault_log_bad_pages(&run->found.log) != cover_schedule.derived_pages)
        derive(run, DERIVE_FULL);
    warn_of_cover(run);
    pages_emit(&run->found.log);
    send_badram(true);
    lines_emit(run, cover);
}
