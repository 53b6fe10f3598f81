// SPDX-License-Identifier: MIT
#include "report/saved_report.h"

#include "lib/minmax.h"
#include "lib/string.h"

#define TIME_WIDTH 13 /* "[    12.345] " (report/text.h) */
#define LINE_BEGIN "badram="

#define ADVICE_LABEL "to do "

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
    r->n_faults = 0;
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

static void keep_json(struct saved_events *r, const struct event *e, enum saved_rank rank)
{
    begin_entry(r);
    jsonl_receive(&r->json, e);
    if (r->n_entry && !r->is_cut)
        saved_lines_add(&r->lines, SAVED_JSON, rank, r->entry, r->n_entry);
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

static enum saved_rank rank_of(enum event_type type)
{
    switch (type) {
    case EVENT_START: return SAVED_RANK_START;
    case EVENT_MACHINE: return SAVED_RANK_MACHINE;
    case EVENT_RESULT: return SAVED_RANK_RESULT;
    case EVENT_DIAGNOSIS: return SAVED_RANK_DIAGNOSIS;
    case EVENT_BADRAM: return SAVED_RANK_BADRAM;
    case EVENT_TEST:
    case EVENT_ALIAS:
    case EVENT_KIND:
    case EVENT_ADVICE:
    case EVENT_MODULE:
    case EVENT_MCE:
    case EVENT_ECC_PAGE:
    case EVENT_CPER:
    case EVENT_WARNING: return SAVED_RANK_TEST;
    case EVENT_LINE: return SAVED_RANK_LINE;
    case EVENT_FAULT:
    case EVENT_RETEST: return SAVED_RANK_FAULT;
    default: return SAVED_RANK_MEASURED;
    }
}

void saved_report_receive(void *ctx, const struct event *e)
{
    struct saved_events *r = ctx;

    if (!is_wanted(r, e))
        return;
    keep_json(r, e, rank_of(e->type));
    keep_text(r, e, rank_of(e->type));
}
