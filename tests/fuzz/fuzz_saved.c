// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables, which anybody can write, and the loader's files of it. The input:
 * flags (1), the state's size (2) and bytes, then part by part the same.
 */
#include "save/saved_read.h"

#include <stdlib.h>
#include <string.h>

#include "boot/uefi/report_html.h"
#include "boot/uefi/report_text.h"
#include "fuzz.h"
#include "lib/crc32c.h"

#define MEND_STATE  1u /* checksums, lengths and marks are put right */
#define MEND_PARTS  2u
#define MEND_REPORT 4u

#define NAME_CHARACTERS "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static struct saved_report report;

static void mend_state(struct saved_variable *v)
{
    struct saved_state *s = (void *)v->bytes;

    if (v->size != sizeof(*s))
        return;
    memcpy(s->magic, SAVED_STATE_MAGIC, sizeof(s->magic));
    s->version = SAVED_VERSION;
    s->bytes = sizeof(*s);
    s->crc = 0;
    s->crc = crc32c(s, sizeof(*s));
}

static void mend_part(struct saved_variable *v, const struct saved_state *s, unsigned index)
{
    struct saved_part *p = (void *)v->bytes;

    if (v->size < sizeof(*p) || v->size > SAVED_VARIABLE_MAX)
        return;
    memcpy(p->magic, SAVED_PART_MAGIC, sizeof(p->magic));
    p->run_id = s->run_id;
    p->index = (uint16_t)index;
    p->n = s->n_parts;
    p->bytes = (uint32_t)(v->size - sizeof(*p));
    p->crc = p->reserved = 0;
    p->crc = crc32c(p, v->size);
}

/* What the state says of its report becomes true. */
static void mend_report(struct saved_variables *v)
{
    struct saved_state *s = (void *)v->state.bytes;
    uint8_t whole[SAVED_PARTS_MAX * SAVED_VARIABLE_MAX];
    size_t n = 0;

    for (unsigned i = 0; i < s->n_parts && i < SAVED_PARTS_MAX; i++) {
        if (v->part[i].size < sizeof(struct saved_part) || v->part[i].size > SAVED_VARIABLE_MAX)
            return;
        memcpy(whole + n, (const uint8_t *)v->part[i].bytes + sizeof(struct saved_part),
               v->part[i].size - sizeof(struct saved_part));
        n += v->part[i].size - sizeof(struct saved_part);
    }
    s->report_bytes = (uint32_t)n;
    s->jsonl_bytes = n ? s->jsonl_bytes % (uint32_t)n : 0;
    s->report_crc = crc32c(whole, n);
}

static void take(struct fuzz_input *in, struct saved_variable *ret_variable)
{
    size_t wanted = fuzz_number(in, 2) % 2048, size;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &size);

    if (!size)
        return;
    *ret_variable = (struct saved_variable){ fuzz_copy(bytes, size), size, SAVED_ATTRIBUTES };
}

static void check_string(const char *field, size_t size)
{
    CHECK(memchr(field, 0, size));
    for (; *field; field++)
        CHECK(*field >= ' ' && *field <= '~');
}

static void check(const struct saved_variables *v)
{
    const struct saved_state *s = &report.state;

    CHECK((report.kind == SAVED_NOTHING) == !v->state.bytes);
    CHECK((report.kind == SAVED_UNREADABLE || report.kind == SAVED_INCOMPLETE) == !!report.why[0]);
    check_string(report.why, sizeof(report.why));
    if (report.kind < SAVED_UNFINISHED)
        return;
    check_string(s->test, sizeof(s->test));
    check_string(s->board, sizeof(s->board));
    check_string(s->okram, sizeof(s->okram));
    CHECK((s->phase == SAVED_FINISHED) == (report.kind >= SAVED_INCOMPLETE));
    if (report.kind == SAVED_WHOLE)
        CHECK(strlen(report.jsonl) == s->jsonl_bytes &&
              strlen(report.text) == s->report_bytes - s->jsonl_bytes);
    else
        CHECK(!report.jsonl[0] && (report.kind == SAVED_INCOMPLETE || !report.text[0]));
    CHECK(strlen(report.text) < sizeof(report.text));
}

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if ((*text < ' ' || *text > '~') && *text != '\n')
            return false;
    }
    return true;
}

/* The tags of the page are its own: their names are not in the report as they are. */
static unsigned count_tags(const char *html)
{
    unsigned n = 0;

    for (; (html = strchr(html, '<')); html++)
        n++;
    return n;
}

static void check_texts(void)
{
    static char text[REPORT_HTML_MAX], line[REPORT_LINE_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, 2048);
    unsigned n;

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
    b = fmt_buffer_make(text, sizeof(text));
    report_append_html(&report, &b);
    CHECK(!b.cut);
    n = count_tags(text);
    memset(report.text, '<', strlen(report.text));
    memset(report.state.board, '<', strlen(report.state.board));
    b = fmt_buffer_make(text, sizeof(text));
    report_append_html(&report, &b);
    CHECK(!b.cut && count_tags(text) == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    struct saved_variables v = { 0 };

    take(&in, &v.state);
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        take(&in, &v.part[i]);
    if (v.state.size == sizeof(struct saved_state)) {
        for (unsigned i = 0; i < SAVED_PARTS_MAX && flags & MEND_PARTS; i++)
            mend_part(&v.part[i], v.state.bytes, i);
        if (flags & MEND_REPORT)
            mend_report(&v);
    }
    if (flags & MEND_STATE)
        mend_state(&v.state);
    saved_read(&v, &report);
    check(&v);
    check_texts();
    free((void *)v.state.bytes);
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        free((void *)v.part[i].bytes);
    return 0;
}
