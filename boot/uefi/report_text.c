// SPDX-License-Identifier: MIT
#include "report_text.h"

#include "json_line.h"
#include "lib/string.h"

#define DAY_S           INT64_C(86400)
#define YEAR_9999       INT64_C(253402300799)
#define BOARD_NAME_MAX  40
#define TESTS_TEXT_MAX  256
#define LINE_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789=,"

struct date {
    int year;
    unsigned month, day, hour, minute, second;
};

/* False: the machine had no clock, or one that is far off. */
static bool date_of(int64_t seconds, struct date *ret_date)
{
    int64_t day = seconds / DAY_S, era, year;
    unsigned in_day = (unsigned)(seconds % DAY_S), of_era, of_year, month;

    if (seconds <= 0 || seconds > YEAR_9999)
        return false;
    /* Years that begin in March, in eras of 400 of them: leap days are then last. */
    day += 719468;
    era = day / 146097;
    of_era = (unsigned)(day % 146097);
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (unsigned)(365 * year + year / 4 - year / 100);
    month = (5 * of_year + 2) / 153;
    *ret_date = (struct date){ .year = (int)(era * 400 + year + (month >= 10)),
                               .month = month < 10 ? month + 3 : month - 9,
                               .day = of_year - (153 * month + 2) / 5 + 1,
                               .hour = in_day / 3600,
                               .minute = in_day / 60 % 60,
                               .second = in_day % 60 };
    return true;
}

void report_append_date(int64_t seconds, struct fmt_buffer *out)
{
    struct date d;

    if (date_of(seconds, &d))
        fmt_append(out, "%d-%02u-%02u %02u:%02u", d.year, d.month, d.day, d.hour, d.minute);
    else
        fmt_append(out, "at an unknown time");
}

const char *report_verdict(const struct saved_report *report)
{
    static const char *const names[] = { [SAVED_PASS] = "PASS",
                                         [SAVED_FAIL] = "FAIL",
                                         [SAVED_STOPPED] = "STOPPED",
                                         [SAVED_ERROR] = "ERROR" };

    if (report->kind < SAVED_UNFINISHED)
        return "NOT READABLE";
    return report->kind == SAVED_UNFINISHED ? "DID NOT FINISH" : names[report->state.verdict];
}

static void append_bad_pages(const struct saved_report *report, struct fmt_buffer *out)
{
    unsigned long n = report->state.bad_pages;

    if (n)
        fmt_append(out, "%lu bad page%s", n, fmt_plural(n));
    else
        fmt_append(out, "no bad page");
}

void report_append_headline(const struct saved_report *report, struct fmt_buffer *out)
{
    fmt_append(out, "%s", report_verdict(report));
    if (report->kind < SAVED_UNFINISHED)
        return;
    if (report->state.bad_pages) {
        fmt_append(out, ", ");
        append_bad_pages(report, out);
    }
    fmt_append(out, ", %s", report->state.started > 0 ? "" : "run ");
    report_append_date(report->state.started, out);
}

static void append_tested(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;

    if (s->test[0])
        fmt_append(out, "test %s, ", s->test);
    else
        fmt_append(out, "no test had begun, ");
    fmt_append_size(out, s->tested_bytes);
    fmt_append(out, " tested, CPU %u", s->cpu);
}

static void append_seconds(uint32_t seconds, struct fmt_buffer *out)
{
    if (seconds < 120)
        fmt_append(out, "%u s", seconds);
    else if (seconds < 7200)
        fmt_append(out, "%u min", seconds / 60);
    else
        fmt_append(out, "%u h %u min", seconds / 3600, seconds / 60 % 60);
}

static void append_unfinished(const struct saved_report *report, struct fmt_buffer *out)
{
    fmt_append(out, "okram started %s", report->state.started > 0 ? "on " : "");
    report_append_date(report->state.started, out);
    fmt_append(out, " and did not finish: ");
    append_tested(report, out);
    fmt_append(out, ".\nThis was written ");
    append_seconds(report->state.seconds, out);
    fmt_append(out, " after the start. Then the machine was reset, lost power, or hung. ");
    fmt_append(out, "Until then okram had found ");
    append_bad_pages(report, out);
    fmt_append(out, ".\n");
}

static void append_finished(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;

    fmt_append(out, "%s: ", report_verdict(report));
    append_bad_pages(report, out);
    fmt_append(out, ", %lu fault%s.\nThe run began %s", (unsigned long)s->faults,
               fmt_plural(s->faults), s->started > 0 ? "on " : "");
    report_append_date(s->started, out);
    fmt_append(out, " by the machine's clock and took ");
    append_seconds(s->seconds, out);
    fmt_append(out, ".\n");
}

/* The names of the tests that ended, each once. */
static void append_tests(const struct saved_report *report, struct fmt_buffer *out)
{
    char text[TESTS_TEXT_MAX] = "", name[32], type[8];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        char item[40];

        if (!json_line_value(line, "type", type, sizeof(type)) || strcmp(type, "test") != 0 ||
            !json_line_value(line, "test", name, sizeof(name)))
            continue;
        fmt_print(item, sizeof(item), " %s,", name);
        if (!strstr(text, item))
            fmt_append(&b, "%s", item);
    }
    if (!b.length)
        return;
    if (!b.cut)
        text[b.length - 1] = 0;
    fmt_append(out, "Tests:%s%s.\n", text, b.cut ? "..." : "");
}

static void append_machine(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;

    fmt_append_size(out, s->tested_bytes);
    fmt_append(out, " of ");
    fmt_append_size(out, s->ram_bytes);
    fmt_append(out, " tested by %u CPU%s, pass %u, okram %s", s->cpus, fmt_plural(s->cpus), s->pass,
               s->okram);
    if (s->board[0])
        fmt_append(out, ", on %s", s->board);
    fmt_append(out, ".\n");
}

void report_append_summary(const struct saved_report *report, struct fmt_buffer *out)
{
    if (report->kind == SAVED_UNREADABLE)
        fmt_append(out, "The variable " SAVED_STATE_NAME " is damaged or not okram's: %s\n",
                   report->why);
    if (report->kind < SAVED_UNFINISHED)
        return;
    if (report->kind == SAVED_UNFINISHED)
        append_unfinished(report, out);
    else
        append_finished(report, out);
    if (report->kind == SAVED_INCOMPLETE)
        fmt_append(out, "%s What is known beside it is shown here.\n", report->why);
    append_machine(report, out);
    append_tests(report, out);
}

void report_line(const struct saved_report *report, char out[REPORT_LINE_MAX])
{
    char type[8];

    out[0] = 0;
    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        if (!json_line_value(line, "type", type, sizeof(type)) || strcmp(type, "badram") != 0)
            continue;
        if (!json_line_value(line, "line", out, REPORT_LINE_MAX))
            out[0] = 0;
    }
    for (const char *c = out; *c; c++) {
        if (!strchr(LINE_CHARACTERS, *c)) {
            out[0] = 0;
            return;
        }
    }
}

static bool is_name_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The board's words, with a hyphen between them. */
static void append_board(const char *board, struct fmt_buffer *out)
{
    size_t end = out->length + BOARD_NAME_MAX, begin = out->length;

    for (; *board && out->length < end; board++) {
        if (is_name_character(*board))
            fmt_append(out, "%c", *board);
        else if (out->length > begin && out->text[out->length - 1] != '-')
            fmt_append(out, "-");
    }
    while (out->length > begin && out->text[out->length - 1] == '-')
        out->text[--out->length] = 0;
    if (out->length == begin)
        fmt_append(out, "PC");
}

void report_append_name(const struct saved_report *report, unsigned n, struct fmt_buffer *out)
{
    struct date d;

    if (date_of(report->state.started, &d))
        fmt_append(out, "%d-%02u-%02u-%02u%02u-", d.year, d.month, d.day, d.hour, d.minute);
    else
        fmt_append(out, "undated-");
    append_board(report->state.board, out);
    if (n > 1)
        fmt_append(out, "-%u", n);
}

void report_append_txt(const struct saved_report *report, struct fmt_buffer *out)
{
    report_append_summary(report, out);
    if (report->text[0])
        fmt_append(out, "\n%s", report->text);
}

static void append_json_date(const char *key, int64_t seconds, struct fmt_buffer *out)
{
    struct date d;

    if (date_of(seconds, &d))
        fmt_append(out, ",\"%s\":\"%d-%02u-%02uT%02u:%02u:%02u\"", key, d.year, d.month, d.day,
                   d.hour, d.minute, d.second);
    else
        fmt_append(out, ",\"%s\":null", key);
}

static void append_json_text(const char *key, const char *text, struct fmt_buffer *out)
{
    fmt_append(out, ",\"%s\":\"", key);
    fmt_append_json(out, text);
    fmt_append(out, "\"");
}

static void append_saved(const struct saved_report *report, struct fmt_buffer *out)
{
    static const char *const phases[] = {
        [SAVED_STARTED] = "started", [SAVED_TESTING] = "testing", [SAVED_FINISHED] = "finished"
    };
    static const char *const statuses[] = { [SAVED_PASS] = "\"pass\"",
                                            [SAVED_FAIL] = "\"fail\"",
                                            [SAVED_STOPPED] = "\"stopped\"",
                                            [SAVED_ERROR] = "\"error\"",
                                            [0] = "null" };
    const struct saved_state *s = &report->state;

    fmt_append(out, "{\"t\":%u,\"type\":\"saved\"", s->seconds);
    append_json_text("version", s->okram, out);
    append_json_text("phase", phases[s->phase], out);
    fmt_append(out, ",\"status\":%s", statuses[s->verdict]);
    append_json_date("started", s->started, out);
    append_json_date("written", s->written, out);
    append_json_text("board", s->board, out);
    append_json_text("test", s->test, out);
    fmt_append(out, ",\"pass\":%u,\"cpu\":%u,\"cpus\":%u", s->pass, s->cpu, s->cpus);
    fmt_append(out, ",\"tested_bytes\":%lu,\"swept_bytes\":%lu,\"ram_bytes\":%lu",
               (unsigned long)s->tested_bytes, (unsigned long)s->swept_bytes,
               (unsigned long)s->ram_bytes);
    fmt_append(out, ",\"faults\":%lu,\"bad_pages\":%lu}\n", (unsigned long)s->faults,
               (unsigned long)s->bad_pages);
}

void report_append_jsonl(const struct saved_report *report, struct fmt_buffer *out)
{
    if (report->jsonl[0])
        fmt_append(out, "%s", report->jsonl);
    else
        append_saved(report, out);
}
