// SPDX-License-Identifier: MIT
#include "saved/saved_read.h"

#include "lib/crc32c.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "saved/json_line.h"

#define NUMBER_MAX  24 /* characters of a number, with the NUL */
#define DATE_FORM   "dddd-dd-ddTdd:dd:dd"
#define VERSION_MAX sizeof(((struct saved_report *)0)->version)

_Static_assert(sizeof(DATE_FORM) == SAVED_DATE_MAX, "a date fits");

struct head {
    enum saved_phase phase;
    size_t length; /* with its \n */
    uint64_t bytes, crc;
    bool has_hmac;
    uint8_t hmac[HMAC_BYTES];
};

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* False: it is not digits only, or more than max. */
static bool number_of(const char *text, unsigned base, uint64_t max, uint64_t *ret_number)
{
    uint64_t number = 0;

    for (const char *c = text; *c; c++) {
        unsigned digit = digit_of(*c);

        if (digit >= base || number > (max - digit) / base)
            return false;
        number = number * base + digit;
    }
    *ret_number = number;
    return text[0] != 0;
}

static uint64_t count_of(const char *line, const char *key, uint64_t max)
{
    char text[NUMBER_MAX];
    uint64_t number;

    return json_line_value(line, key, text, sizeof(text)) && number_of(text, 10, max, &number)
               ? number
               : 0;
}

static bool has_value(const char *line, const char *key, const char *value)
{
    char found[NUMBER_MAX];

    return json_line_value(line, key, found, sizeof(found)) && strcmp(found, value) == 0;
}

/* Which of the n words the value is, or n. */
static unsigned word_of(const char *line, const char *key, const char *const *words, unsigned n)
{
    unsigned i = 0;

    while (i < n && !has_value(line, key, words[i]))
        i++;
    return i;
}

static const char *part_error(const struct saved_variable *v)
{
    if (v->attributes != SAVED_ATTRIBUTES)
        return "its attributes are not those of okram's variables.";
    return v->size > SAVED_VARIABLE_MAX ? "it is too long." : NULL;
}

/* The first line, without its \n; "": there is none that can be a head. */
static void head_line(const struct saved_variable *v, char ret_line[SAVED_HEAD_MAX + 1])
{
    size_t n = min_u64(v->size, SAVED_HEAD_MAX);
    char *end;

    memcpy(ret_line, v->bytes, n);
    ret_line[n] = 0;
    end = strchr(ret_line, '\n');
    if (end && end > ret_line && end[-1] == '}')
        *end = 0;
    else
        ret_line[0] = 0;
}

/* "hmac" of the head; false: it has none, or an odd one. */
static bool take_hmac(const char *line, uint8_t ret_hmac[HMAC_BYTES])
{
    char text[2 * HMAC_BYTES + 1];

    if (!json_line_value(line, "hmac", text, sizeof(text)) || strlen(text) != sizeof(text) - 1)
        return false;
    for (size_t i = 0; i < HMAC_BYTES; i++) {
        unsigned high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

        if (high > 15 || low > 15)
            return false;
        ret_hmac[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* What the variable violates; NULL: nothing. */
static const char *take_head(const struct saved_variable *v, struct head *ret_head)
{
    static const char *const phases[] = { "started", "running", "done" };
    char line[SAVED_HEAD_MAX + 1], crc[NUMBER_MAX];
    const char *error = part_error(v);
    unsigned phase;

    if (error)
        return error;
    head_line(v, line);
    if (strncmp(line, SAVED_HEAD_BEGIN, sizeof(SAVED_HEAD_BEGIN) - 1) != 0)
        return "it does not begin with okram's head.";
    if (count_of(line, "version", UINT32_MAX) != SAVED_VERSION)
        return "it is of a version that this okram does not read.";
    phase = word_of(line, "state", phases, SAVED_DONE + 1);
    ret_head->phase = (enum saved_phase)phase;
    ret_head->length = strlen(line) + 1;
    ret_head->bytes = count_of(line, "bytes", UINT32_MAX);
    if (phase > SAVED_DONE || !ret_head->bytes ||
        !json_line_value(line, "crc32c", crc, sizeof(crc)) || strncmp(crc, "0x", 2) != 0 ||
        !number_of(crc + 2, 16, UINT32_MAX, &ret_head->crc))
        return "a value in its head is missing or invalid.";
    ret_head->has_hmac = take_hmac(line, ret_head->hmac);
    return NULL;
}

/* Joins what the head counts, of n_parts parts at most; what is lacking is `why`. */
static size_t join_parts(const struct saved_variables *variables, const struct head *head,
                         unsigned n_parts, struct saved_report *r)
{
    size_t at = 0, skipped = head->length;

    for (unsigned i = 0; i < n_parts && at < head->bytes; i++) {
        const struct saved_variable *v = &variables->part[i];
        size_t n;

        if (!v->bytes || r->invalid_parts >> i & 1) {
            fmt_print(r->why, sizeof(r->why), SAVED_PART_NAME "%02X is %s.", i,
                      v->bytes ? "damaged or not okram's" : "missing");
            return at;
        }
        n = min_u64(v->size - skipped, head->bytes - at);
        memcpy(r->jsonl + at, (const char *)v->bytes + skipped, n);
        r->used_parts |= UINT32_C(1) << i;
        at += n;
        skipped = 0;
    }
    if (at < head->bytes)
        fmt_print(r->why, sizeof(r->why), "%zu of %llu bytes of the report are there.", at,
                  (unsigned long long)head->bytes);
    else if (crc32c(r->jsonl, at) != head->crc)
        fmt_print(r->why, sizeof(r->why), "The report's checksum is wrong.");
    else if (strlen(r->jsonl) < at)
        fmt_print(r->why, sizeof(r->why), "The report is not text.");
    return at;
}

/* Keeps those of the n bytes that are whole lines of printable ASCII. */
static void keep_lines(char *text, size_t n)
{
    size_t kept = 0, begin = 0; /* of the line in the text that is kept */

    for (size_t i = 0; i < n; i++) {
        if (text[i] >= ' ' && text[i] <= '~') {
            text[kept++] = text[i];
            continue;
        }
        if (text[i] == '\n') {
            text[kept++] = '\n';
            begin = kept;
            continue;
        }
        kept = begin;
        while (i + 1 < n && text[i] != '\n')
            i++;
    }
    memset(text + begin, 0, n - begin);
}

/* "" if it is absent or too long. */
static void take_string(const char *line, const char *key, char *out, size_t size)
{
    if (!json_line_value(line, key, out, size))
        out[0] = 0;
}

static void take_date(const char *line, const char *key, char ret_date[SAVED_DATE_MAX])
{
    take_string(line, key, ret_date, SAVED_DATE_MAX);
    for (size_t i = 0; i < SAVED_DATE_MAX; i++) {
        char wanted = DATE_FORM[i];

        if (wanted == 'd' ? digit_of(ret_date[i]) > 9 : ret_date[i] != wanted) {
            ret_date[0] = 0;
            return;
        }
    }
}

/* The whole seconds of "t". */
static uint32_t seconds_of(const char *line)
{
    char text[NUMBER_MAX], *point;
    uint64_t seconds;

    take_string(line, "t", text, sizeof(text));
    point = strchr(text, '.');
    if (point)
        *point = 0;
    return number_of(text, 10, UINT32_MAX, &seconds) ? (uint32_t)seconds : 0;
}

static enum verdict verdict_of(const char *line)
{
    for (enum verdict v = VERDICT_PASS; v < VERDICTS; v++) {
        if (has_value(line, "status", verdict_word(v)))
            return v;
    }
    return VERDICT_NONE;
}

static void take_state(const char *line, struct saved_state *ret_state)
{
    struct saved_state *s = ret_state;

    s->seconds = seconds_of(line);
    take_date(line, "started", s->started);
    take_date(line, "written", s->written);
    take_string(line, "board", s->board, sizeof(s->board));
    take_string(line, "test", s->test, sizeof(s->test));
    s->pass = (uint32_t)count_of(line, "pass", UINT32_MAX);
    s->cpu = (uint32_t)count_of(line, "cpu", UINT32_MAX);
    s->cpus = (uint32_t)count_of(line, "cpus", UINT32_MAX);
    s->tested_bytes = count_of(line, "tested_bytes", UINT64_MAX);
    s->swept_bytes = count_of(line, "swept_bytes", UINT64_MAX);
    s->ram_bytes = count_of(line, "ram_bytes", UINT64_MAX);
    s->faults = count_of(line, "faults", UINT64_MAX);
    s->bad_pages = count_of(line, "bad_pages", UINT64_MAX);
    s->verdict = verdict_of(line);
}

static void take_verdict(const char *line, struct saved_report *r)
{
    r->verdict = verdict_of(line);
    r->is_partial |= has_value(line, "complete", "false") ||
                     json_line_find(line, "part_of_bytes", &(const char *){ NULL });
}

static void take_records(struct saved_report *r)
{
    for (const char *line = r->jsonl; line; line = json_line_next(line)) {
        bool is_state = has_value(line, "type", "state");

        if (is_state)
            take_state(line, &r->state);
        else if (has_value(line, "type", "start"))
            take_string(line, "version", r->version, VERSION_MAX);
        if (r->phase == SAVED_DONE && (is_state || has_value(line, "type", "result")))
            take_verdict(line, r);
    }
}

static void read_unfinished(const struct saved_variables *variables, const struct head *head,
                            struct saved_report *r)
{
    size_t n = join_parts(variables, head, 1, r);

    r->kind = r->why[0] ? SAVED_UNREADABLE : SAVED_UNFINISHED;
    if (r->kind == SAVED_UNFINISHED) {
        take_records(r);
    } else {
        memset(r->jsonl, 0, n);
        r->used_parts = 0;
    }
}

static void read_done(const struct saved_variables *variables, const struct head *head,
                      struct saved_report *r)
{
    size_t n = join_parts(variables, head, SAVED_PARTS_MAX, r);

    if (r->why[0])
        keep_lines(r->jsonl, n);
    take_records(r);
    if (!r->why[0] && r->verdict == VERDICT_NONE) {
        fmt_print(r->why, sizeof(r->why), "The report has no result.");
        keep_lines(r->jsonl, n);
    }
    r->kind = r->why[0] ? SAVED_INCOMPLETE : SAVED_WHOLE;
}

void saved_read(const struct saved_variables *variables, struct saved_report *ret_report)
{
    struct saved_report *r = ret_report;
    struct head head = { 0 };
    const char *error;

    memset(r, 0, sizeof(*r));
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        if (variables->part[i].bytes && part_error(&variables->part[i]))
            r->invalid_parts |= UINT32_C(1) << i;
    }
    if (!variables->part[0].bytes)
        return;
    error = take_head(&variables->part[0], &head);
    r->phase = head.phase;
    r->has_hmac = head.has_hmac;
    memcpy(r->hmac, head.hmac, sizeof(r->hmac));
    if (error) {
        r->kind = SAVED_UNREADABLE;
        string_copy(r->why, error, sizeof(r->why));
    } else if (head.phase == SAVED_DONE) {
        read_done(variables, &head, r);
    } else {
        read_unfinished(variables, &head, r);
    }
}
