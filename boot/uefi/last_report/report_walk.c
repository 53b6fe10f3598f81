// SPDX-License-Identifier: MIT
#include "report_walk.h"

#include "lib/string.h"
#include "saved/json_line.h"
#include "saved/saved_group.h"

void report_walk_begin(struct report_walk *w, const struct saved_report *report)
{
    w->line = report->jsonl;
    w->k = w->further = 0;
}

/* The first record of a line is the line itself: its field "also" is not read. */
static const char *next(struct report_walk *w)
{
    struct fmt_buffer b = fmt_buffer_make(w->record, sizeof(w->record));

    if (w->k == 0) {
        w->k++;
        return w->line;
    }
    if (!saved_group_record(w->line, w->k, &b) || w->further + b.length > REPORT_FURTHER_MAX) {
        w->line = json_line_next(w->line);
        w->k = 0;
        return NULL;
    }
    w->k++;
    w->further += b.length;
    return w->record;
}

static bool is_of(const char *record, const char *type)
{
    char found[24];

    return json_line_value(record, "type", found, sizeof(found)) && strcmp(found, type) == 0;
}

const char *report_walk_next(struct report_walk *w, const char *type)
{
    while (w->line) {
        const char *record = next(w);

        if (record && (!type || is_of(record, type)))
            return record;
    }
    return NULL;
}

const char *report_walk_last(const struct saved_report *report, const char *type)
{
    const char *last = NULL;

    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        if (is_of(line, type))
            last = line;
    }
    return last;
}
