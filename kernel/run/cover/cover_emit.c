// SPDX-License-Identifier: MIT
#include "cover/cover_emit.h"

#include "arch/tsc.h"
#include "bootcfg/lines.h"
#include "event/events.h"
#include "event/notices.h"
#include "faults/reporter.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/board.h"
#include "memory/arena.h"
#include "progress/progress.h"

#define PANIC_PAGES_MAX 64 /* added to the line of a panic */

/* When to derive again: quickly while pages keep coming, thoroughly once they have stopped. */
#define PAUSE_US UINT64_C(1000000) /* at least, and SHARE times what the derivation took... */
#define SHARE    10
#define SLACK_US UINT64_C(500000) /* ...unless a page would wait too long: polls are late, too */

enum derivation { DERIVE_NOTHING, DERIVE_FAST, DERIVE_FULL };

static struct {
    uint64_t derived_pages; /* bad pages that the current cover covers */
    enum derivation last;
    uint64_t next_us, next_full_us; /* not before these times */
} schedule;

static struct cover covers[2];
static const struct cover *cover = &covers[0]; /* complete at any time */
static struct cover_work *cover_work;

/* As last sent: receivers look at it until the next time. */
static struct cover sent_cover;
static char line[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];

void cover_emit_prepare(void)
{
    cover_work = arena_alloc(sizeof(*cover_work));
}

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
    aliases_settle(&run->found.aliases);
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

    sent_cover = *cover;
    badram_line_append(&b, &sent_cover);
    events_send(&(struct event){
        .type = EVENT_BADRAM,
        .badram = { .bad_pages = schedule.derived_pages,
                    .cover = &sent_cover,
                    .line = line,
                    .final = final,
                    .use = line_use() },
    });
}

/* At least half of took_us is left to testing. */
static uint64_t pause_after(uint64_t took_us)
{
    uint64_t wanted = max_u64(PAUSE_US, SHARE * took_us), fresh = COVER_EMIT_MAX_US - SLACK_US;
    uint64_t longest = max_u64(fresh > 2 * took_us ? fresh - 2 * took_us : 0, took_us / 2);

    return min_u64(wanted, longest);
}

static enum derivation what_is_due(uint64_t us, uint64_t bad_pages)
{
    if (us < schedule.next_us)
        return DERIVE_NOTHING;
    if (bad_pages != schedule.derived_pages)
        return DERIVE_FAST;
    return schedule.last == DERIVE_FAST && us >= schedule.next_full_us ? DERIVE_FULL
                                                                       : DERIVE_NOTHING;
}

static void note_derived(enum derivation derivation, uint64_t bad_pages, uint64_t began_us)
{
    uint64_t ended_us = tsc_elapsed_us(), took_us = ended_us - began_us;

    schedule.derived_pages = bad_pages;
    schedule.last = derivation;
    if (derivation == DERIVE_FAST) {
        schedule.next_us = ended_us + pause_after(took_us);
        schedule.next_full_us = ended_us + max_u64(PAUSE_US, SHARE * took_us);
    }
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
        ASSERT(cover_derive_quickly(log, &run->plan.limits, cover_work, next) == STATUS_OK);
    else
        ASSERT(cover_derive(log, &run->plan.limits, cover_work, next) == STATUS_OK);
    cover = next;
    note_derived(derivation, bad_pages, began_us);
}

void cover_emit_when_due(struct run *run)
{
    enum derivation due = what_is_due(tsc_elapsed_us(), fault_log_bad_pages(&run->found.log));

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

/* The line for another bootloader or system than badram= is for. */
static void send_line(const struct run *run, enum line_kind kind, bool asked, bool wanted)
{
    static struct lines_work work;
    static char text[LINES_TEXT_SIZE], note[LINES_NOTE_SIZE];
    struct lines_source source = { .log = &run->found.log,
                                   .cover = cover,
                                   .max_ranges = run->plan.limits.max_ranges,
                                   .by_bios = run->plan.limits.map != NULL };
    struct fmt_buffer t = fmt_buffer_make(text, sizeof(text));
    struct fmt_buffer n = fmt_buffer_make(note, sizeof(note));

    lines_make(kind, &source, &work, &t, &n);
    events_send(&(struct event){
        .type = EVENT_LINE,
        .line = { .name = lines_name(kind),
                  .place = lines_place(kind),
                  .text = text,
                  .note = note,
                  .asked = asked,
                  .wanted = wanted },
    });
}

void cover_emit_next_line(const struct run *run)
{
    static enum line_kind shown = LINE_GRUB;

    shown = (enum line_kind)((shown + 1) % LINE_KINDS);
    send_line(run, shown, true, true);
}

/* Those of lines=. */
static void send_lines(const struct run *run)
{
    if (!cover->n_patterns)
        return;
    for (unsigned kind = LINE_GRUB + 1; kind < LINE_KINDS; kind++) {
        if (run->options.lines >> kind & 1)
            send_line(run, (enum line_kind)kind, false, run->options.has_lines);
    }
}

static void send_runs(const struct span *run, size_t n, bool goes_on, bool more)
{
    events_send(&(struct event){
        .type = EVENT_PAGES,
        .pages = { .run = run, .n = n, .goes_on = goes_on, .more = more },
    });
}

/* The bad pages themselves, which a cover only covers. */
static void send_pages(const struct fault_log *log)
{
    static struct span run[PAGES_EVENT_RUNS];
    uint64_t index = 0;
    size_t n = 0, sent = 0;
    struct page_run found;

    while (fault_log_next_run(log, &index, &found)) {
        if (n == PAGES_EVENT_RUNS) {
            bool is_last = sent + n == PAGES_RUNS_MAX;

            send_runs(run, n, !is_last, is_last);
            sent += n;
            n = 0;
            if (is_last)
                return;
        }
        run[n++] = (struct span){ found.first << PAGE_SHIFT, found.count << PAGE_SHIFT };
    }
    if (n)
        send_runs(run, n, false, false);
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
        spared = cover_spares(log, limits, LINES_STUB_RANGES, cover, cover_work);
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
    if (fault_log_bad_pages(&run->found.log) != schedule.derived_pages)
        derive(run, DERIVE_FULL);
    warn_of_cover(run);
    send_pages(&run->found.log);
    send_badram(true);
    send_lines(run);
}
