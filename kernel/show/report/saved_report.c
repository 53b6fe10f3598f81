// SPDX-License-Identifier: MIT
#include "report/saved_report.h"

#include "lib/date.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "report/records.h"
#include "saved/saved_lines.h"

#define TIME_WIDTH 13 /* "[    12.345] " (report/text.h) */
#define LINE_BEGIN "badram="

#define ADVICE_LABEL "to do "

#define RECORD_ROOM 2048 /* hardly a record of a group is longer */

void saved_state_receive(struct saved_state *s, uint64_t *testable_bytes, const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE: *testable_bytes = e->machine.testable_bytes; break;
    case EVENT_PROGRESS:
        s->faults = e->progress.faults;
        s->bad_pages = e->progress.bad_pages;
        if (e->progress.test[0]) {
            s->pass = e->progress.pass;
            string_copy(s->test, e->progress.test, sizeof(s->test));
        }
        break;
    case EVENT_TEST:
        s->tested_bytes = *testable_bytes;
        s->swept_bytes += e->test.swept_bytes;
        break;
    case EVENT_RESULT:
        s->verdict = e->result.verdict;
        s->complete = e->result.complete && !e->result.part_of_bytes;
        s->tested_bytes = e->result.tested_bytes;
        s->faults = e->result.faults;
        s->bad_pages = e->result.bad_pages;
        break;
    default: break;
    }
}

static void set_date(char to[SAVED_DATE_MAX], int64_t seconds)
{
    struct fmt_buffer b = fmt_buffer_make(to, SAVED_DATE_MAX);

    date_append(&b, seconds);
}

void saved_state_set_time(struct saved_state *s, int64_t started, uint32_t seconds)
{
    s->seconds = seconds;
    if (started) {
        set_date(s->started, started);
        set_date(s->written, started + seconds);
    }
}

static void write_entry(void *ctx, const char *bytes, size_t n)
{
    struct saved_events *r = ctx;

    size_t kept = min_u64(n, sizeof(r->entry) - r->n_entry);

    memcpy(r->entry + r->n_entry, bytes, kept);
    r->n_entry += kept;
    r->is_cut |= kept < n;
}

void saved_report_init(struct saved_events *r)
{
    const struct writer out = { .write = write_entry, .ctx = r };

    memset(&r->lines, 0, sizeof(r->lines));
    r->json = jsonl_make(out);
    text_init(&r->text, out);
    r->n_faults = r->n_retests = 0;
    r->has_pages = false;
    r->group.n = r->group.length = 0;
}

static void begin_entry(struct saved_events *r)
{
    r->n_entry = 0;
    r->is_cut = false;
}

/* Rows of a list, which stand under a label, matter less than what the list adds up to. */
static bool is_row(const char *line, size_t n)
{
    return n > TIME_WIDTH && line[0] == '[' && line[TIME_WIDTH] == ' ';
}

/* What to do next, which is long. */
static bool is_advice(const char *line, size_t n)
{
    return n > TIME_WIDTH + sizeof(ADVICE_LABEL) &&
           memcmp(line + TIME_WIDTH, ADVICE_LABEL, sizeof(ADVICE_LABEL) - 1) == 0;
}

/*
 * The text of a result ends with the badram line, which matters most after the verdict. A diagnosis
 * goes on by its JSON alone.
 */
static enum saved_rank rank_of_text(const char *line, size_t n, enum saved_rank rank)
{
    if (n >= sizeof(LINE_BEGIN) && memcmp(line, LINE_BEGIN, sizeof(LINE_BEGIN) - 1) == 0)
        return SAVED_RANK_BADRAM;
    if (rank == SAVED_RANK_DIAGNOSIS || is_row(line, n) || is_advice(line, n))
        return (enum saved_rank)max_u64(rank, SAVED_RANK_TEST);
    return rank;
}

/* A line that was cut has no end. */
static void keep_text(struct saved_events *r, const struct event *e, enum saved_rank rank)
{
    const char *line = r->entry;

    begin_entry(r);
    text_receive(&r->text, e);
    for (const char *p = r->entry; p < r->entry + r->n_entry; p++) {
        size_t n = (size_t)(p + 1 - line);

        if (*p != '\n')
            continue;
        saved_lines_add(&r->lines, SAVED_TEXT, rank_of_text(line, n, rank), line, n);
        line = p + 1;
    }
}

/* A warning is no record. */
static enum saved_rank rank_of(enum event_type type)
{
    return records[type].type ? records[type].rank : SAVED_RANK_TEST;
}

static void add_json(struct saved_events *r, enum event_type type, const char *text, size_t n)
{
    saved_lines_add(&r->lines, SAVED_JSON, rank_of(type), text, n);
}

/* Adds the lines of the group as one, or as they are if they differ too much. */
static void end_group(struct saved_events *r)
{
    struct fmt_buffer joined = fmt_buffer_make(r->entry, sizeof(r->entry));
    const char *line[SAVED_GROUP_MAX], *end = r->group.text;

    for (size_t i = 0; i < r->group.n; i++) {
        line[i] = end;
        end = strchr(end, '\n') + 1;
    }
    if (r->group.n > 1 && saved_group_join(line, r->group.n, &joined)) {
        add_json(r, r->group.type, joined.text, joined.length);
    } else {
        for (size_t i = 0; i < r->group.n; i++)
            add_json(r, r->group.type, line[i],
                     (size_t)((i + 1 < r->group.n ? line[i + 1] : end) - line[i]));
    }
    r->group.n = r->group.length = 0;
}

/* What is in `entry`. */
static void add_to_group(struct saved_events *r, enum event_type type)
{
    char *end = r->group.text + r->group.length;

    r->group.type = type;
    memcpy(end, r->entry, r->n_entry);
    end[r->n_entry] = 0;
    r->group.length += r->n_entry;
    r->group.n++;
    if (r->group.n == SAVED_GROUP_MAX || r->group.length > SAVED_REPORT_MAX - RECORD_ROOM)
        end_group(r);
}

static void keep_json(struct saved_events *r, const struct event *e)
{
    if (e->type != r->group.type)
        end_group(r);
    begin_entry(r);
    jsonl_receive(&r->json, e);
    if (!r->n_entry || r->is_cut)
        return;
    if (records[e->type].grouped && r->n_entry <= SAVED_REPORT_MAX - r->group.length)
        add_to_group(r, e->type);
    else
        add_json(r, e->type, r->entry, r->n_entry);
}

/* Of the bad pages there is one record, with the first of them. */
static void keep_pages(struct saved_events *r, const struct event *e)
{
    struct event first = *e;

    if (r->has_pages)
        return;
    first.pages.n = min_u64(e->pages.n, SAVED_RUNS_MAX);
    first.pages.more = e->pages.goes_on || e->pages.more || first.pages.n < e->pages.n;
    r->has_pages = true;
    keep_json(r, &first);
}

static bool is_wanted(struct saved_events *r, const struct event *e)
{
    switch (e->type) {
    case EVENT_PROGRESS:
    case EVENT_SUPPORT:  /* too long */
    case EVENT_EXTERNAL: /* the warning is enough */
    case EVENT_TRACE: /* it would have to be written while it happens */ return false;
    case EVENT_BADRAM: return e->badram.final;
    case EVENT_FAULT: return r->n_faults++ < SAVED_FAULTS_MAX;
    case EVENT_RETEST: return r->n_retests++ < SAVED_FAULTS_MAX;
    default: return true;
    }
}

void saved_report_receive(void *ctx, const struct event *e)
{
    struct saved_events *r = ctx;

    if (!is_wanted(r, e))
        return;
    if (e->type == EVENT_PAGES)
        keep_pages(r, e);
    else
        keep_json(r, e);
    keep_text(r, e, rank_of(e->type));
}

void saved_report_complete(struct saved_events *r)
{
    end_group(r);
}
