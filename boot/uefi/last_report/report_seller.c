// SPDX-License-Identifier: MIT
#include "report_seller.h"

#include "html_text.h"
#include "kind/kind_names.h"
#include "lib/string.h"
#include "qr/qr.h"
#include "report_code.h"
#include "report_text.h"
#include "report_walk.h"
#include "saved/json_line.h"

#define VALUE_MAX   400  /* longer values are left out */
#define REASONS_MAX 1000 /* as diagnosis/record.h has them */
#define MODULES_MAX 8    /* that have room on the sheet */
#define FAULTS_MAX  8

static unsigned count_records(const struct saved_report *report, const char *type)
{
    struct report_walk walk;
    unsigned n = 0;

    report_walk_begin(&walk, report);
    while (report_walk_next(&walk, type))
        n++;
    return n;
}

/* "" where it is null or not there. */
static const char *value_of(const char *line, const char *key, char ret[VALUE_MAX])
{
    if (!line || !json_line_value(line, key, ret, VALUE_MAX) || strcmp(ret, "null") == 0)
        ret[0] = 0;
    return ret;
}

static unsigned long long number_of(const char *line, const char *key)
{
    char text[VALUE_MAX];
    unsigned long long n = 0;

    for (const char *c = value_of(line, key, text); *c >= '0' && *c <= '9'; c++)
        n = n * 10 + (unsigned)(*c - '0');
    return n;
}

static void append_cell(const char *text, struct fmt_buffer *out)
{
    fmt_append(out, "<td>");
    html_append_text(out, text);
    fmt_append(out, "</td>");
}

static void append_size_cell(unsigned long long bytes, struct fmt_buffer *out)
{
    append_cell(bytes ? FMT_SIZE(bytes) : "", out);
}

static void append_week_cell(const char *module, struct fmt_buffer *out)
{
    char text[40] = "";
    unsigned week = (unsigned)number_of(module, "week"), year = (unsigned)number_of(module, "year");

    if (week && year)
        fmt_print(text, sizeof(text), "week %u of %u", week, year);
    append_cell(text, out);
}

static void append_module(const char *module, struct fmt_buffer *out)
{
    static const char *const keys[] = { "slot", "maker", "part", "serial" };
    char text[VALUE_MAX];

    fmt_append(out, "<tr>");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        append_cell(value_of(module, keys[i], text), out);
    append_week_cell(module, out);
    append_size_cell(number_of(module, "size_bytes"), out);
    fmt_append(out, "</tr>\n");
}

/* Whether a search has found the module. */
static bool is_found(const struct saved_report *report)
{
    const char *diagnosis = report_walk_last(report, "diagnosis");
    char text[VALUE_MAX];

    return number_of(diagnosis, "runs") > 1 && /* reports of before had such of one run */
           strcmp(value_of(diagnosis, "end", text), "module") == 0 &&
           value_of(diagnosis, "found", text)[0];
}

/* A seller has nothing from the steps on the way. */
static void append_verdict(const struct saved_report *report, struct fmt_buffer *out)
{
    if (is_found(report))
        report_append_verdict(report, out);
    else
        fmt_append(out, "%s", report_run_verdict(report));
}

/* Without what its buyer is to do, which they end with. */
static void append_reasons(const char *diagnosis, struct fmt_buffer *out)
{
    char reasons[REASONS_MAX] = "", remedy[VALUE_MAX];
    size_t n, end;

    if (!json_line_value(diagnosis, "reasons", reasons, sizeof(reasons)))
        return;
    n = strlen(reasons);
    end = strlen(value_of(diagnosis, "remedy", remedy));
    if (end <= n && strcmp(reasons + n - end, remedy) == 0)
        reasons[n - end] = 0;
    html_append_text(out, reasons);
}

/* Which of them it is, as far as that is known. */
static void append_which(const struct saved_report *report, struct fmt_buffer *out)
{
    const char *diagnosis = report_walk_last(report, "diagnosis");
    unsigned n = count_records(report, "module");
    char text[VALUE_MAX];

    fmt_append(out, "<p><strong>");
    if (is_found(report)) {
        html_append_text(out, value_of(diagnosis, "found", text));
        fmt_append(out, "</strong> Found by testing with modules exchanged, in %llu runs. ",
                   number_of(diagnosis, "runs"));
        append_reasons(diagnosis, out);
        fmt_append(out, "</p>\n");
        return;
    }
    fmt_append(out, "%s</strong></p>\n",
               n == 1 ? "The machine has one memory module, listed below."
               : n    ? "The fault is in one of the memory modules listed below; which one was "
                        "not tested."
                      : "The machine does not say which memory modules it has.");
}

static void append_modules(const struct saved_report *report, struct fmt_buffer *out)
{
    struct report_walk walk;
    const char *module;
    unsigned n = 0;

    if (!count_records(report, "module"))
        return;
    fmt_append(out,
               "<h3>Memory modules%s</h3>\n<table>\n<tr><th>slot</th><th>maker</th><th>part "
               "number</th><th>serial number</th><th>made</th><th>size</th></tr>\n",
               is_found(report) ? " in the last run" : "");
    report_walk_begin(&walk, report);
    while ((module = report_walk_next(&walk, "module"))) {
        if (n++ < MODULES_MAX)
            append_module(module, out);
    }
    fmt_append(out, "</table>\n");
    if (n > MODULES_MAX)
        fmt_append(out, "<p>And %u more.</p>\n", n - MODULES_MAX);
}

static unsigned long long tested_bytes(const struct saved_report *report)
{
    const char *result = report_walk_last(report, "result");

    return result ? number_of(result, "tested_bytes") : report->state.tested_bytes;
}

static void append_tested(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;
    const char *result = report_walk_last(report, "result");
    char text[512];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    fmt_append(&b, "%s of memory", FMT_SIZE(tested_bytes(report)));
    if (s->board[0])
        fmt_append(&b, " of the machine %s", s->board);
    if (result)
        fmt_append(&b, ", in %llu whole pass%s", number_of(result, "passes"),
                   number_of(result, "passes") == 1 ? "" : "es");
    fmt_append(&b, ", begun ");
    report_append_date(s->started, &b);
    fmt_append(&b, " by the machine's clock. ");
    report_append_tests(report, &b);
    fmt_append(out, "<h3>What was tested%s</h3>\n<p>", is_found(report) ? " in the last run" : "");
    html_append_text(out, text);
    fmt_append(out, "</p>\n<p>By okram");
    if (report->version[0]) {
        fmt_append(out, " ");
        html_append_text(out, report->version);
    }
    fmt_append(out, ", a memory test that starts without an operating system: neither drivers nor "
                    "programs were running.</p>\n");
}

/* Of "0x1f"; what comes after the digits is left. */
static uint64_t hex_of(const char *text)
{
    uint64_t n = 0;

    for (const char *c = strncmp(text, "0x", 2) == 0 ? text + 2 : ""; *c; c++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, *c);

        if (!digit)
            break;
        n = n << 4 | (uint64_t)(digit - digits);
    }
    return n;
}

/* Of a 64-bit word, "3, 17". */
static void append_bits(uint64_t bits, struct fmt_buffer *out)
{
    const char *between = "";

    for (unsigned i = 0; i < 64; i++) {
        if (!(bits >> i & 1))
            continue;
        fmt_append(out, "%s%u", between, i);
        between = ", ";
    }
}

/* By the CPU's word or by the look of the faults: then their bits mean nothing. */
static bool is_encrypted(const struct saved_report *report)
{
    char text[VALUE_MAX];

    return strcmp(value_of(report_walk_last(report, "machine"), "encryption", text), "tme") == 0 ||
           value_of(report_walk_last(report, "result"), "encryption", text)[0];
}

static void append_faults(const struct saved_report *report, struct fmt_buffer *out)
{
    char addr[VALUE_MAX], expected[VALUE_MAX], found[VALUE_MAX];
    struct report_walk walk;
    const char *fault;

    if (!count_records(report, "fault"))
        return;
    fmt_append(out, "<table>\n<tr><th>address</th><th>written</th><th>read</th><th>wrong "
                    "bits</th></tr>\n");
    report_walk_begin(&walk, report);
    for (unsigned n = 0; n < FAULTS_MAX && (fault = report_walk_next(&walk, "fault")); n++) {
        fmt_append(out, "<tr>");
        append_cell(value_of(fault, "addr", addr), out);
        append_cell(value_of(fault, "expected", expected), out);
        append_cell(value_of(fault, "found", found), out);
        fmt_append(out, "<td>");
        append_bits(is_encrypted(report) ? 0 : hex_of(expected) ^ hex_of(found), out);
        fmt_append(out, "</td></tr>\n");
    }
    fmt_append(out, "</table>\n<p>The first faults, each of a word of 64 bits.</p>\n");
}

/* "Kind of fault: a data pin (DQ), sure; byte lane 3 of 8. Evidence: ..."; what is not clear has no
 * confidence. */
static void append_kind(const struct saved_report *report, struct fmt_buffer *out)
{
    const char *line = report_walk_last(report, "kind");
    char word[VALUE_MAX], text[VALUE_MAX];

    value_of(line, "kind", word);
    for (enum kind k = KIND_UNCLEAR; k < KINDS; k++) {
        if (strcmp(kind_word(k), word) != 0)
            continue;
        fmt_append(out, "<p>Kind of fault: %s%s", kind_name(k), k == KIND_UNCLEAR ? "" : ", ");
        if (k != KIND_UNCLEAR)
            html_append_text(out, value_of(line, "confidence", text));
        if (value_of(line, "chip", text)[0])
            fmt_append(out, "; ");
        html_append_text(out, text);
        fmt_append(out, ". Evidence: ");
        html_append_text(out, value_of(line, "evidence", text));
        fmt_append(out, ".</p>\n");
    }
}

static void append_found(const struct saved_report *report, struct fmt_buffer *out)
{
    const struct saved_state *s = &report->state;

    fmt_append(out, "<h3>What was found%s</h3>\n<p>", is_found(report) ? " in the last run" : "");
    if (s->faults) {
        fmt_append(out,
                   "%llu time%s, memory did not return what had been written, in %llu part%s of "
                   "it (pages of 4 KiB). Good memory never does that.</p>\n",
                   (unsigned long long)s->faults, fmt_plural(s->faults),
                   (unsigned long long)s->bad_pages, fmt_plural(s->bad_pages));
    } else if (report->verdict == SAVED_FAIL || report->verdict == SAVED_CORRECTED) {
        fmt_append(out, "The memory made errors, which its error correction (ECC) %s: ",
                   report->verdict == SAVED_CORRECTED ? "corrected"
                   : s->bad_pages                     ? "reported"
                                                      : "could not correct");
        report_append_damage(report, out);
        fmt_append(out, ". Good memory hardly ever does that.</p>\n");
    } else {
        fmt_append(out, "No fault: see above for the runs with it.</p>\n");
    }
    append_kind(report, out);
    append_faults(report, out);
}

/* A whole line, or none: a QR code holds a limited amount of text. */
static void append_line(struct fmt_buffer *b, const char *name, const char *text)
{
    if (b->length + strlen(name) + strlen(text) + 1 < b->size)
        fmt_append(b, "%s%s%s", b->length ? "\n" : "", name, text);
}

/* "DIMM_A1 Kingston KF-16 1A2B3C4D" */
static void append_short_module(const char *module, struct fmt_buffer *b)
{
    static const char *const keys[] = { "slot", "maker", "part", "serial" };
    char text[QR_CAPACITY_MAX + 1] = "", value[VALUE_MAX];
    struct fmt_buffer line = fmt_buffer_make(text, sizeof(text));

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        fmt_append(&line, "%s%s", value_of(module, keys[i], value)[0] && line.length ? " " : "",
                   value);
    append_line(b, "module: ", text);
}

/* As the short report of the screen's code: what somebody needs who has a picture of it alone. */
static void make_short(const struct saved_report *report, struct fmt_buffer *b)
{
    const struct saved_state *s = &report->state;
    char text[VALUE_MAX];
    struct report_walk walk;
    const char *module;

    fmt_append(b, "okram%s%s: ", report->version[0] ? " " : "", report->version);
    append_verdict(report, b);
    if (is_found(report))
        append_line(b, "", value_of(report_walk_last(report, "diagnosis"), "found", text));
    append_line(b, "machine: ", s->board);
    append_line(b, "begun: ", s->started);
    append_line(b, "tested: ", FMT_SIZE(tested_bytes(report)));
    fmt_print(text, sizeof(text), "%llu", (unsigned long long)s->bad_pages);
    append_line(b, "bad pages: ", text);
    fmt_print(text, sizeof(text), "%llu", (unsigned long long)s->faults);
    append_line(b, "faults: ", text);
    report_walk_begin(&walk, report);
    while ((module = report_walk_next(&walk, "module")))
        append_short_module(module, b);
}

static void append_code(const struct saved_report *report, struct fmt_buffer *out)
{
    char text[QR_CAPACITY_MAX + 1];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    make_short(report, &b);
    report_append_code(text, out);
}

bool report_has_seller(const struct saved_report *report)
{
    return report->kind >= SAVED_INCOMPLETE &&
           (report->verdict == SAVED_FAIL || report->verdict == SAVED_CORRECTED ||
            (report->verdict != SAVED_NO_VERDICT && report->verdict != SAVED_ERROR &&
             is_found(report)));
}

void report_append_seller(const struct saved_report *report, struct fmt_buffer *out)
{
    fmt_append(out, "<section id=\"seller\">\n<h2>Memory test for the seller: ");
    append_verdict(report, out);
    fmt_append(out, "</h2>\n");
    append_code(report, out);
    append_which(report, out);
    append_modules(report, out);
    append_tested(report, out);
    append_found(report, out);
    fmt_append(out, "</section>\n");
}
