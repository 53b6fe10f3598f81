// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables, which anybody can write, and the loader's page of it. The input:
 * flags (1), then part by part its size (2) and bytes.
 */
#include "saved/saved_read.h"

#include <stdlib.h>
#include <string.h>

#include "boot/uefi/last_report/report_page.h"
#include "boot/uefi/last_report/report_text.h"
#include "fuzz.h"
#include "lib/crc32c.h"
#include "lib/fmt.h"

/* The head is made for the bytes that are there, in the state of flags >> 1 & 3. */
#define MEND 1u

#define NAME_CHARACTERS "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const char viewer_head[] = "<pre>", viewer_end[] = "</pre>";

static struct saved_report report;

static void take(struct fuzz_input *in, struct saved_variable *ret_variable)
{
    size_t wanted = fuzz_number(in, 2) % 2048, size;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &size);

    if (!size)
        return;
    *ret_variable = (struct saved_variable){ fuzz_copy(bytes, size), size, SAVED_ATTRIBUTES };
}

/* All bytes up to the first part that is missing or too long, one after the other. */
static size_t join(const struct saved_variables *v, unsigned n_parts, uint8_t *out)
{
    size_t n = 0;

    for (unsigned i = 0; i < n_parts; i++) {
        if (!v->part[i].bytes || v->part[i].size > SAVED_VARIABLE_MAX)
            break;
        memcpy(out + n, v->part[i].bytes, v->part[i].size);
        n += v->part[i].size;
    }
    return n;
}

/* Puts a head before the first part, which is true for what is there. */
static void mend(struct saved_variables *v, unsigned phase)
{
    static const char *const phases[] = { "started", "running", "done", "done" };
    static uint8_t whole[SAVED_PARTS_MAX * SAVED_VARIABLE_MAX];
    struct saved_variable *first = &v->part[0];
    size_t room = SAVED_VARIABLE_MAX - SAVED_HEAD_MAX, n, head;
    uint8_t bytes[SAVED_VARIABLE_MAX];

    if (!first->bytes)
        return;
    first->size = first->size < room ? first->size : room;
    n = join(v, phase < SAVED_DONE ? 1 : SAVED_PARTS_MAX, whole);
    head = fmt_print((char *)bytes, sizeof(bytes),
                     SAVED_HEAD_BEGIN "\"version\":1,\"state\":\"%s\",\"bytes\":%zu,\"crc32c\":"
                                      "\"0x%08x\"}\n",
                     phases[phase], n, crc32c(whole, n));
    memcpy(bytes + head, first->bytes, first->size);
    free((void *)first->bytes);
    first->size += head;
    first->bytes = fuzz_copy(bytes, first->size);
}

static void check_string(const char *field, size_t size)
{
    CHECK(memchr(field, 0, size));
    for (; *field; field++)
        CHECK(*field >= ' ' && *field <= '~');
}

static void check_date(const char *date)
{
    CHECK(!date[0] || (strlen(date) == SAVED_DATE_MAX - 1 && strspn(date, "-:T0123456789") == 19));
}

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if ((*text < ' ' || *text > '~') && *text != '\n')
            return false;
    }
    return true;
}

static void check_unread(void)
{
    CHECK(!report.jsonl[0] && !report.used_parts && !report.state.seconds && !report.version[0]);
}

static void check(const struct saved_variables *v, bool is_mended, unsigned phase)
{
    const struct saved_state *s = &report.state;
    size_t n = strlen(report.jsonl);

    CHECK((report.kind == SAVED_NOTHING) == !v->part[0].bytes);
    CHECK((report.kind == SAVED_UNREADABLE || report.kind == SAVED_INCOMPLETE) == !!report.why[0]);
    CHECK(!(report.used_parts & report.invalid_parts));
    check_string(report.why, sizeof(report.why));
    if (is_mended && v->part[0].bytes && report.kind == SAVED_UNREADABLE)
        CHECK(strcmp(report.why, "The report is not text.") == 0);
    if (report.kind < SAVED_UNFINISHED) {
        check_unread();
        return;
    }
    CHECK(report.used_parts & 1);
    CHECK(!is_mended || report.phase == (phase < SAVED_DONE ? phase : SAVED_DONE));
    CHECK((report.phase == SAVED_DONE) == (report.kind >= SAVED_INCOMPLETE));
    CHECK(report.kind != SAVED_WHOLE || report.verdict != VERDICT_NONE);
    CHECK(report.kind != SAVED_UNFINISHED || report.verdict == VERDICT_NONE);
    CHECK(n < sizeof(report.jsonl));
    if (report.kind == SAVED_INCOMPLETE)
        CHECK(is_printable(report.jsonl) && (!n || report.jsonl[n - 1] == '\n'));
    check_string(s->test, sizeof(s->test));
    check_string(s->board, sizeof(s->board));
    check_string(report.version, sizeof(report.version));
    check_date(s->started);
    check_date(s->written);
}

/* After the head each byte of the report: as it is, escaped, or as '?'. */
static void check_page(void)
{
    static char text[REPORT_PAGE_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    const char *at = text + strlen(viewer_head);

    report_append_page(&report, &b);
    CHECK(!b.cut && strncmp(text, viewer_head, strlen(viewer_head)) == 0);
    for (const char *c = report.jsonl; *c; c++) {
        const char *escaped = *c == '<' ? "\\u003c" : *c == '&' ? "\\u0026" : NULL;

        if (escaped) {
            CHECK(strncmp(at, escaped, REPORT_ESCAPE_MAX) == 0);
            at += REPORT_ESCAPE_MAX;
        } else {
            CHECK(*at == *c || (*at == '?' && (*c < ' ' || *c > '~')));
            at++;
        }
    }
    CHECK(strcmp(at, viewer_end) == 0);
}

static void check_texts(void)
{
    static char text[2048], line[REPORT_LINE_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    report_append_summary(&report, &b);
    CHECK(!b.cut && is_printable(text));
    b = fmt_buffer_make(text, 76);
    report_append_headline(&report, &b);
    CHECK(!b.cut && is_printable(text) && !strchr(text, '\n'));
    report_line(&report, line);
    CHECK(is_printable(line) && !strpbrk(line, " \n<>&\"'"));
    if (report.kind < SAVED_UNFINISHED)
        return;
    b = fmt_buffer_make(text, REPORT_NAME_MAX - 7);
    report_append_name(&report, 1000, &b);
    CHECK(!b.cut && strspn(text, NAME_CHARACTERS) == b.length);
    check_page();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    unsigned phase = flags >> 1 & 3;
    struct saved_variables v = { 0 };

    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        take(&in, &v.part[i]);
    if (flags & MEND)
        mend(&v, phase);
    saved_read(&v, &report);
    check(&v, flags & MEND, phase);
    check_texts();
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        free((void *)v.part[i].bytes);
    return 0;
}
