// SPDX-License-Identifier: MIT
#include "report/jsonl.h"

#include "lib/string.h"
#include "report/records.h"

/* The line is twice in its object: as patterns, each with four quotes and brackets, and whole. */
static size_t badram_bytes(const struct event_badram *b)
{
    return 2 * strlen(b->line) + 8 * b->cover->n_patterns;
}

static bool is_wanted(struct jsonl *l, const struct event *e)
{
    switch (e->type) {
    case EVENT_SUPPORT: return e->support.asked;
    case EVENT_LINE: return !e->line.asked && e->line.wanted;
    case EVENT_TRACE: return !l->result_written; /* which is the last object */
    case EVENT_BADRAM:
        return e->badram.final || rate_limit_allows(&l->pace, e->t, badram_bytes(&e->badram));
    default: return records[e->type].type;
    }
}

struct jsonl jsonl_make(struct writer out)
{
    return (struct jsonl){ .out = out };
}

/* What later objects need. */
static void remember(struct jsonl *l, const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE: l->machine_written = true; break;
    case EVENT_WARNING:
        if (l->machine_written && l->n_late < JSONL_LATE_MAX)
            string_copy(l->late[l->n_late++], e->warning, sizeof(l->late[0]));
        break;
    case EVENT_PROGRESS:
        l->passes = e->progress.pass ? e->progress.pass - 1 : 0;
        l->bad_pages = e->progress.bad_pages;
        break;
    case EVENT_BADRAM: l->bad_pages = e->badram.bad_pages; break;
    default: break;
    }
}

static void write_record(struct jsonl *l, const struct event *e)
{
    char room[256];
    struct fmt_buffer out = fmt_stream_make(room, sizeof(room), l->out);
    struct json j = { .out = &out };

    fmt_append(&out, "{\"t\":%.6f,\"type\":\"%s\"", e->t, records[e->type].type);
    records_write(&j, e);
    fmt_append(&out, "}\n");
    fmt_flush(&out);
}

/* With the warnings that came after the machine. */
static void write_result(struct jsonl *l, struct event e)
{
    const char *late[JSONL_LATE_MAX];

    for (size_t i = 0; i < l->n_late; i++)
        late[i] = l->late[i];
    e.result.warnings = late;
    e.result.n_warnings = l->n_late;
    write_record(l, &e);
    l->result_written = true;
}

void jsonl_receive(void *ctx, const struct event *e)
{
    struct jsonl *l = ctx;

    remember(l, e);
    if (!is_wanted(l, e))
        return;
    if (e->type == EVENT_RESULT)
        write_result(l, *e);
    else
        write_record(l, e);
}

void jsonl_panic(struct jsonl *l, double t, enum reason reason, const char *text)
{
    write_result(l, (struct event){ EVENT_RESULT, t,
                                    .result = { .verdict = VERDICT_ERROR,
                                                .reason = reason,
                                                .passes = (uint32_t)l->passes,
                                                .bad_pages = l->bad_pages,
                                                .seconds = t,
                                                .error = text } });
}
