// SPDX-License-Identifier: MIT
#include "report_text.h"

#include "advice/advice.h"
#include "lib/string.h"
#include "log/ecc_count.h"
#include "saved/json_line.h"

#define BOARD_NAME_MAX  40
#define TESTS_TEXT_MAX  256
#define HEADLINE_MAX    40
#define TYPE_MAX        24
#define LINE_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789=,"

static void append_date(const char *date, struct fmt_buffer *out)
{
    if (date[0])
        fmt_append(out, "%.10s %.5s", date, date + sizeof("2026-11-22"));
    else
        fmt_append(out, "at an unknown time");
}

static const char *run_verdict(const struct saved_report *report)
{
    static const char *const names[] = {
        [VERDICT_NONE] = "INCOMPLETE", [VERDICT_PASS] = "PASS",
        [VERDICT_FAIL] = "FAIL",       [VERDICT_STOPPED] = "STOPPED",
        [VERDICT_ERROR] = "ERROR",     [VERDICT_CORRECTED] = "ERRORS CORRECTED",
    };

    if (report->kind < SAVED_UNFINISHED)
        return "NOT READABLE";
    if (report->kind == SAVED_UNFINISHED)
        return "DID NOT FINISH";
    return report->verdict == VERDICT_PASS && report->is_partial ? "PARTIAL"
                                                                 : names[report->verdict];
}

static bool is_of(const char *record, const char *type)
{
    char found[TYPE_MAX];

    return json_line_value(record, "type", found, sizeof(found)) && strcmp(found, type) == 0;
}

/* The last record of that type. NULL: there is none. */
static const char *last_of(const struct saved_report *report, const char *type)
{
    const char *last = NULL;

    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        if (is_of(line, type))
            last = line;
    }
    return last;
}

static bool has_headline(const struct saved_report *report, const char *type,
                         char out[HEADLINE_MAX])
{
    const char *record = last_of(report, type);

    return record && json_line_value(record, "headline", out, HEADLINE_MAX);
}

/* That of a search for the bad module, or that a CPU or another start failed. Anybody can write a
 * report: letters and spaces only. */
static bool find_headline(const struct saved_report *report, char out[HEADLINE_MAX])
{
    if (report->kind < SAVED_INCOMPLETE || report->verdict == VERDICT_NONE ||
        report->verdict == VERDICT_ERROR ||
        !(has_headline(report, "diagnosis", out) || has_headline(report, "advice", out)))
        return false;
    for (const char *c = out; *c; c++) {
        if ((*c < 'A' || *c > 'Z') && *c != ' ')
            return false;
    }
    return out[0];
}

static void append_verdict(const struct saved_report *report, struct fmt_buffer *out)
{
    char headline[HEADLINE_MAX];

    fmt_append(out, "%s", find_headline(report, headline) ? headline : run_verdict(report));
}

static unsigned long long ecc_count(const struct saved_report *report, const char *key)
{
    const char *end, *result = last_of(report, "result");
    const char *ecc = result ? json_line_find(result, "ecc", &end) : NULL;
    char text[24];
    unsigned long long n = 0;

    if (!ecc || !json_line_value(ecc, key, text, sizeof(text)))
        return 0;
    for (const char *c = text; *c >= '0' && *c <= '9'; c++)
        n = n * 10 + (unsigned)(*c - '0');
    return n;
}

static void append_bad_pages(const struct saved_report *report, struct fmt_buffer *out)
{
    unsigned long long n = report->state.bad_pages;

    if (n)
        fmt_append(out, "%llu bad page%s", n, fmt_plural(n));
    else
        fmt_append(out, "no bad page");
}

static void append_damage(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;
    unsigned long long corrected = ecc_count(report, "corrected");
    unsigned long long uncorrected = ecc_count(report, "uncorrected");

    if (!s->faults && (corrected || uncorrected))
        ecc_append_errors(corrected, uncorrected, ecc_count(report, "with_page"), s->bad_pages,
                          out);
    else
        append_bad_pages(report, out);
    if (s->faults)
        fmt_append(out, ", %llu fault%s", (unsigned long long)s->faults, fmt_plural(s->faults));
}

void report_append_headline(const struct saved_report *report, struct fmt_buffer *out)
{
    append_verdict(report, out);
    if (report->kind < SAVED_UNFINISHED)
        return;
    if (report->state.bad_pages) {
        fmt_append(out, ", ");
        append_bad_pages(report, out);
    }
    fmt_append(out, ", %s", report->state.started[0] ? "" : "run ");
    append_date(report->state.started, out);
}

static void append_tested(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;

    if (s->test[0])
        fmt_append(out, "test %s, ", s->test);
    else
        fmt_append(out, "no test had begun, ");
    fmt_append(out, "%s tested, CPU %u", FMT_SIZE(s->tested_bytes), s->cpu);
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
    fmt_append(out, "okram started %s", report->state.started[0] ? "on " : "");
    append_date(report->state.started, out);
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
    char headline[HEADLINE_MAX];

    if (find_headline(report, headline))
        fmt_append(out, "%s. This run: ", headline);
    fmt_append(out, "%s: ", run_verdict(report));
    append_damage(report, out);
    fmt_append(out, ".\nThe run began %s", s->started[0] ? "on " : "");
    append_date(s->started, out);
    fmt_append(out, " by the machine's clock and took ");
    append_seconds(s->seconds, out);
    fmt_append(out, ".\n");
}

static void append_tests(const struct saved_report *report, struct fmt_buffer *out)
{
    char text[TESTS_TEXT_MAX] = "", name[32];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        char item[40];

        if (!is_of(line, "test") || !json_line_value(line, "test", name, sizeof(name)))
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

    if (!s->ram_bytes)
        return;
    fmt_append(out, "%s of %s tested by %u CPU%s, pass %u", FMT_SIZE(s->tested_bytes),
               FMT_SIZE(s->ram_bytes), s->cpus, fmt_plural(s->cpus), s->pass);
    if (report->version[0])
        fmt_append(out, ", okram %s", report->version);
    if (s->board[0])
        fmt_append(out, ", on %s", s->board);
    fmt_append(out, ".\n");
}

static void append_advice(const struct saved_report *report, struct fmt_buffer *out)
{
    const char *line = last_of(report, "advice");
    char text[ADVICE_TEXT_SIZE];

    if (line && json_line_value(line, "text", text, sizeof(text)))
        fmt_append(out, "What to do next: %s\n", text);
}

void report_append_summary(const struct saved_report *report, struct fmt_buffer *out)
{
    if (report->kind == SAVED_UNREADABLE)
        fmt_append(out, "The variable " SAVED_PART_NAME "00 is damaged or not okram's: %s\n",
                   report->why);
    if (report->kind < SAVED_UNFINISHED)
        return;
    if (report->kind == SAVED_UNFINISHED)
        append_unfinished(report, out);
    else
        append_finished(report, out);
    if (report->kind == SAVED_INCOMPLETE)
        fmt_append(out, "%s This is what is left of the report.\n", report->why);
    if (report->kind == SAVED_WHOLE && !last_of(report, "result"))
        fmt_append(out,
                   "This is the verdict; there was no time or no room for the whole report.\n");
    append_machine(report, out);
    append_tests(report, out);
    append_advice(report, out);
}

void report_line(const struct saved_report *report, char out[REPORT_LINE_MAX])
{
    const char *record = last_of(report, "badram");

    out[0] = 0;
    if (!record || !json_line_value(record, "line", out, REPORT_LINE_MAX))
        out[0] = 0;
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

/* The board's name, with hyphens between words. */
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
    const char *date = report->state.started, *time = date + sizeof("2026-11-22");

    if (date[0])
        fmt_append(out, "%.10s-%.2s%.2s-", date, time, time + sizeof("13"));
    else
        fmt_append(out, "undated-");
    append_board(report->state.board, out);
    if (n > 1)
        fmt_append(out, "-%u", n);
}
