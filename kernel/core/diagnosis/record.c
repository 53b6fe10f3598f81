// SPDX-License-Identifier: MIT
#include "diagnosis/record.h"

#include "diagnosis/next_step.h"
#include "diagnosis/observe.h"
#include "diagnosis/sentences.h"
#include "lib/string.h"

/* Of what is told when a module is to be taken out for the first time. */
#define MARK_NOTES (DIAGNOSIS_NO_SERIALS | DIAGNOSIS_SAME_SERIALS)

#define BUFFER(text) fmt_buffer_make(text, sizeof(text))

/* As one paragraph. */
static void join_lines(char *text)
{
    for (char *c = text; *c; c++) {
        if (*c == '\n')
            *c = c[1] ? ' ' : 0;
    }
}

/* Of lines that each end with \n. */
static const char *last_line(const char *text)
{
    const char *line = text;

    for (const char *c = text; *c; c++) {
        if (*c == '\n' && c[1])
            line = c + 1;
    }
    return line;
}

/* The first line is what was found, the last one what to do about it. */
static void write_end(const struct diagnosis *d, const struct diagnosis_end *end,
                      struct diagnosis_record *r)
{
    char text[sizeof(r->found) + sizeof(r->reasons)];
    struct fmt_buffer b = BUFFER(text);
    char *rest;

    diagnosis_append_end(d, end, &b);
    rest = strchr(text, '\n');
    if (rest)
        *rest++ = 0;
    string_copy(r->found, text, sizeof(r->found));
    string_copy(r->reasons, rest ? rest : "", sizeof(r->reasons));
    string_copy(r->remedy, last_line(r->reasons), sizeof(r->remedy));
    join_lines(r->reasons);
    join_lines(r->remedy);
}

static void write_next(const struct diagnosis *d, const struct diagnosis_step *step,
                       const struct diagnosis_arrangement *now, unsigned notes,
                       struct diagnosis_record *r)
{
    struct fmt_buffer b = BUFFER(r->next);

    diagnosis_append_step(d, step, now, &b);
    if (step->kind == DIAGNOSIS_ARRANGE)
        diagnosis_append_notes(notes & MARK_NOTES, &b);
    join_lines(r->next);
}

static void write_words(struct diagnosis_record *r)
{
    struct fmt_buffer b = BUFFER(r->words);

    if (r->tests[0])
        fmt_append(&b, "tests=%s ", r->tests);
    if (r->march[0]) /* quotes: in GRUB a ; would end the command */
        fmt_append(&b, "'march=%s' ", r->march);
    fmt_append(&b, "passes=%u diagnosis=%s", r->next_passes, r->code);
}

void diagnosis_record_make(const struct diagnosis *d, const struct diagnosis_arrangement *now,
                           unsigned notes, const char *tests, const char *march,
                           struct diagnosis_record *ret_record)
{
    struct diagnosis_record *r = ret_record;
    struct fmt_buffer code, summary, history;
    struct diagnosis typed = *d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    *r = (struct diagnosis_record){ .runs = d->n_runs };
    code = BUFFER(r->code);
    summary = BUFFER(r->summary);
    history = BUFFER(r->history);
    diagnosis_append_code(d, &code);
    (void)diagnosis_read_code(r->code, &typed);
    diagnosis_next(&typed, &step, &end);
    string_copy(r->tests, tests, sizeof(r->tests));
    string_copy(r->march, march, sizeof(r->march));
    diagnosis_append_short(d, &step, &end, now, &summary);
    diagnosis_append_runs(d, &history);
    r->step = step.kind;
    r->headline = diagnosis_headline(&end);
    r->end = diagnosis_end_name(end.kind);
    if (step.kind == DIAGNOSIS_ENDS) {
        write_end(d, &end, r);
    } else {
        r->next_passes = step.passes;
        write_next(d, &step, now, notes, r);
        write_words(r);
    }
}
