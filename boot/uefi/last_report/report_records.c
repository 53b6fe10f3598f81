// SPDX-License-Identifier: MIT
#include "report_records.h"

#include "lib/string.h"
#include "saved/json_line.h"

#define KEY_MAX   24
#define BYTES_END "_bytes" /* of keys whose values are shown as sizes */

/* {key} is the value, "?" if there is none; text in [] is shown only if its value is there. */
static const struct form {
    const char *type, *text;
} forms[] = {
    { "start", "okram {version}, firmware: {boot}, loader: {loader}[, options: {cmdline}]" },
    { "identity", "run {run}[, begun {date}][, UUID {uuid}]" },
    { "machine", "{cpu}, CPUs: {cpus}, NUMA nodes: {nodes}, RAM: {ram_bytes}, "
                 "testable: {testable_bytes}[, installed: {installed_bytes}]" },
    { "test", "test {test}, pass {pass}: {seconds} s, {swept_bytes} swept, faults: {faults}"
              "[ ({note})]" },
    { "fault", "fault at {addr}: expected {expected}, found {found}, test {test}, pass {pass}, "
               "CPU {cpu}, node {node}[, {channel}, computed with your bits]" },
    { "alias", "alias: {addr} and {partner} are the same cells, address bits: {diff}, pairs of "
               "pages: {pages}, test {test}, pass {pass}" },
    { "mce", "machine check on CPU {cpu}, bank {bank}: status {status}, address {addr}, "
             "corrected: {corrected}[, times: {count}][, page {page} was marked bad]" },
    { "ecc_page", "page with corrected errors, from CPU {cpu}, bank {bank}: {page} ({result}), "
                  "{searched_bytes} searched, tries: {tries}" },
    { "cper", "error of memory, reported by firmware: {severity}[, {error}], address {addr}"
              "[, node {node}][, card {card}][, module {module}][, {part}][, times: {count}]"
              "[, page {page} was marked bad]" },
    { "retest", "page {page} was tested again: {tries} times, bad {failed} times" },
    { "kind", "kind of fault, {confidence}: {kind} ({evidence})[, chip: {chip}][, {channels}]" },
    { "diagnosis", "which module is bad, runs: {runs}[, found: {found}][ {reasons}][, next: {next}]"
                   "[, options: {words}]" },
    { "pages", "bad pages, exactly: {pages}[, more: {more}]" },
    { "badram", "bad pages: {bad_pages}, sacrificed pages: {sacrificed_pages}[\n{line}]" },
    { "line", "{name}, {place}:[\n{text}]" },
    { "result", "result: {status}, complete: {complete}, whole passes: {passes}, "
                "tested: {tested_bytes}, not tested: {untested_bytes}, bad pages: {bad_pages}, "
                "{seconds} s[, reason: {reason}][, error: {error}]" },
};

static bool is_number(const char *text)
{
    const char *c = text;

    while (*c >= '0' && *c <= '9')
        c++;
    return c > text && !*c;
}

static uint64_t number_of(const char *digits)
{
    uint64_t n = 0;

    for (; *digits; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');

        n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n * 10 + digit;
    }
    return n;
}

static bool is_size(const char *key)
{
    size_t n = strlen(key), end = sizeof(BYTES_END) - 1;

    return n > end && strcmp(key + n - end, BYTES_END) == 0;
}

/* Seconds with one decimal. */
static void shorten(char *seconds)
{
    char *point = strchr(seconds, '.');

    if (point && point[1])
        point[2] = 0;
}

static bool value_of(const char *line, const char *key, char ret_value[SAVED_JSONL_MAX])
{
    return json_line_value(line, key, ret_value, SAVED_JSONL_MAX) &&
           strcmp(ret_value, "null") != 0 && ret_value[0];
}

static void append_value(const char *key, char *value, struct fmt_buffer *out)
{
    if (is_size(key) && is_number(value)) {
        fmt_append_size(out, number_of(value));
        return;
    }
    if (strcmp(key, "seconds") == 0)
        shorten(value);
    fmt_append(out, "%s", value);
}

/* Returns what follows the key whose "{" is at p. */
static const char *key_at(const char *p, char ret_key[KEY_MAX])
{
    const char *end = strchr(p, '}');

    fmt_print(ret_key, KEY_MAX, "%.*s", (int)(end - p - 1), p + 1);
    return end + 1;
}

static void append_form(const char *form, const char *line, struct fmt_buffer *out)
{
    char key[KEY_MAX], value[SAVED_JSONL_MAX];

    for (const char *p = form; *p;) {
        if (*p == '[') {
            key_at(strchr(p, '{'), key);
            p = value_of(line, key, value) ? p + 1 : strchr(p, ']') + 1;
        } else if (*p == '{') {
            p = key_at(p, key);
            if (value_of(line, key, value))
                append_value(key, value, out);
            else
                fmt_append(out, "?");
        } else {
            if (*p != ']')
                fmt_append(out, "%c", *p);
            p++;
        }
    }
}

/* As in okram's log, "[ 12.345] ", in seconds since the start. */
static void append_time(const char *line, struct fmt_buffer *out)
{
    char t[KEY_MAX];

    if (!json_line_value(line, "t", t, sizeof(t)))
        return;
    shorten(t);
    fmt_append(out, "[%8s] ", t);
}

void report_append_record(const char *json_line, struct fmt_buffer *out)
{
    char type[KEY_MAX];

    if (!json_line_value(json_line, "type", type, sizeof(type)))
        return;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(type, forms[i].type) != 0)
            continue;
        append_time(json_line, out);
        append_form(forms[i].text, json_line, out);
        fmt_append(out, "\n");
        return;
    }
}
