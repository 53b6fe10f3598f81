// SPDX-License-Identifier: MIT
#include "found_record.h"

#include "diagnosis/code.h"
#include "diagnosis/state_bytes.h"
#include "lib/string.h"
#include "saved/json_line.h"

#define TYPE_MAX 16

static bool is_diagnosis(const char *line)
{
    char type[TYPE_MAX];

    return json_line_value(line, "type", type, sizeof(type)) && strcmp(type, "diagnosis") == 0;
}

/* What can stand after tests= without being more than one option. */
static bool is_one_word(const char *tests)
{
    for (; *tests; tests++) {
        if (*tests <= ' ' || *tests > '~' || *tests == '"' || *tests == '\'')
            return false;
    }
    return true;
}

/* The tests to repeat, and a march if it is one of them; what cannot be counts as all, or none. */
static void read_tests(const char *line, struct diagnosis *d)
{
    if (!json_line_value(line, "tests", d->tests, sizeof(d->tests)) || !is_one_word(d->tests))
        d->tests[0] = 0;
    if (json_line_value(line, "march", d->march, sizeof(d->march)) && diagnosis_is_sane(d))
        return;
    d->march[0] = 0;
}

static enum status read_line(const char *line, struct found_record *ret_record)
{
    char code[DIAGNOSIS_CODE_MAX], begun[sizeof("false")];
    struct found_record found = { 0 };

    if (!json_line_value(line, "code", code, sizeof(code)) ||
        diagnosis_read_code(code, &found.state) != STATUS_OK ||
        !json_line_value(line, "begun", begun, sizeof(begun)))
        return STATUS_INVALID;
    read_tests(line, &found.state);
    found.begun = strcmp(begun, "true") == 0;
    *ret_record = found;
    return STATUS_OK;
}

enum status found_record_read(const char *jsonl, struct found_record *ret_record)
{
    const char *last = NULL;

    for (const char *line = jsonl; line; line = json_line_next(line)) {
        if (is_diagnosis(line))
            last = line;
    }
    return last ? read_line(last, ret_record) : STATUS_NOT_FOUND;
}
