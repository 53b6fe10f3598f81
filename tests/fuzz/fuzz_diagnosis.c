// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis, from a variable, from a file, as a word that somebody has typed, or in
 * a report's records; and what the loader's menu makes of it. The input: flags (1), then the bytes
 * or the text.
 */
#include "diagnosis/state_bytes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/diagnosis/guide_page.h"
#include "boot/uefi/menu/menu_model.h"
#include "diagnosis/code.h"
#include "diagnosis/next_step.h"
#include "diagnosis/record.h"
#include "diagnosis/sentences.h"
#include "fuzz.h"
#include "lib/crc32c.h"

#define MEND  1u /* magic, version, length and checksum are made right */
#define CODE  2u /* a word */
#define LINES 4u /* JSON lines */

static void put(uint8_t *to, uint32_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void mend(uint8_t *bytes, size_t size)
{
    if (size < DIAGNOSIS_BYTES_HEAD)
        return;
    memcpy(bytes, "OKDI\2", 5);
    put(bytes + 5, (uint32_t)size, 2);
    put(bytes + 7, crc32c(bytes + DIAGNOSIS_BYTES_HEAD, size - DIAGNOSIS_BYTES_HEAD), 4);
}

static void check_text(const struct fmt_buffer *text)
{
    CHECK(!text->cut);
    for (size_t i = 0; i < text->length; i++)
        CHECK((text->text[i] >= ' ' && text->text[i] <= '~') || text->text[i] == '\n' ||
              text->text[i] == MENU_STRONG[0]);
}

static void check_step(const struct diagnosis *d)
{
    static char text[16384];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct diagnosis with = *d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(d, &step, &end);
    CHECK((step.kind == DIAGNOSIS_ENDS) == (end.kind != DIAGNOSIS_NO_END));
    diagnosis_append_short(d, &step, &end, diagnosis_last(d), &b);
    CHECK(b.length && b.length <= 60);
    diagnosis_append_step(d, &step, diagnosis_last(d), &b);
    diagnosis_append_end(d, &end, &b);
    diagnosis_append_runs(d, &b);
    check_text(&b);
    if (step.kind == DIAGNOSIS_ENDS)
        return;
    CHECK(step.passes >= 1 && step.passes <= DIAGNOSIS_PASSES_MAX);
    with.is_running = true;
    with.running = step.at;
    CHECK(diagnosis_is_sane(&with));
}

static void check_whole(const char *text, size_t size)
{
    CHECK(strlen(text) + 1 < size);
}

/* As a report has it: no text is cut, and its word goes on. */
static void check_record(const struct diagnosis *d)
{
    static struct diagnosis_record r, again;
    struct diagnosis typed;

    diagnosis_record_make(d, diagnosis_last(d), UINT_MAX, "mats+", "{any(w0);any(r0)}", &r);
    check_whole(r.next, sizeof(r.next));
    check_whole(r.summary, sizeof(r.summary));
    check_whole(r.found, sizeof(r.found));
    check_whole(r.reasons, sizeof(r.reasons));
    check_whole(r.history, sizeof(r.history));
    check_whole(r.words, sizeof(r.words));
    CHECK(!r.end == (r.next[0] && r.words[0] && r.next_passes));
    CHECK(diagnosis_read_code(r.code, &typed) == STATUS_OK);
    diagnosis_record_make(&typed, diagnosis_last(&typed), 0, "mats+", "", &again);
    CHECK(strcmp(again.code, r.code) == 0 && again.next_passes == r.next_passes);
}

/* What was read is written as it was, and what is written can be read. */
static void check(const struct diagnosis *d)
{
    char code[DIAGNOSIS_CODE_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));
    uint8_t bytes[DIAGNOSIS_BYTES_MAX], again[DIAGNOSIS_BYTES_MAX];
    size_t n = diagnosis_write(d, bytes);
    struct diagnosis read;
    const char *why;

    CHECK(diagnosis_is_sane(d) && n <= sizeof(bytes));
    CHECK(diagnosis_read(bytes, n, &read, &why) == STATUS_OK);
    CHECK(diagnosis_write(&read, again) == n && memcmp(bytes, again, n) == 0);
    diagnosis_append_code(d, &b);
    CHECK(!b.cut && diagnosis_read_code(code, &read) == STATUS_OK);
    check_step(d);
    check_record(d);
}

/* Two modules with serial numbers in slots that no state has. */
static void fit(struct diagnosis_machine *m)
{
    *m = (struct diagnosis_machine){ .n_slots = 3 };
    for (unsigned i = 0; i < 2; i++) {
        m->slot[i] = (struct diagnosis_slot){ .name = "SLOT",
                                              .is_present = true,
                                              .size_bytes = UINT64_C(1) << 30,
                                              .serial = "12345670",
                                              .configured_mt_s = 3200 };
        m->slot[i].serial[7] += i;
    }
}

/* At a start with what was found; all that can be shown of it. */
static void check_guide(const struct guide_sources *sources)
{
    static char text[16384];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    enum guide_choice choice[GUIDE_CHOICES];
    struct diagnosis_machine m;
    struct guide g;

    fit(&m);
    guide_begin(&g, sources, &m);
    if (g.situation == GUIDE_OFFERED)
        guide_accept(&g, &m);
    guide_append_headline(&g, &b);
    CHECK(b.length <= 72 && !b.length == (g.situation == GUIDE_NONE));
    guide_append_page(&g, &b);
    check_text(&b);
    CHECK(guide_choices(&g, true, choice) <= GUIDE_CHOICES);
    if (g.situation != GUIDE_UNCHANGED && g.situation != GUIDE_CHANGED)
        return;
    b = fmt_buffer_make(text, MENU_DIAGNOSIS_WORDS_MAX);
    guide_run_begins(&g, &b);
    check_text(&b);
    CHECK(diagnosis_is_sane(&g.state));
}

/* There is always one; a word in an option is printable. */
static void check_code_fault(const char *text)
{
    char why[120] = "";
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));

    diagnosis_append_code_fault(text, &b);
    CHECK(b.length && !b.cut);
}

static void check_lines(const char *text)
{
    struct found_record record;

    if (found_record_read(text, &record) != STATUS_OK)
        return;
    CHECK(diagnosis_is_sane(&record.state) && !strpbrk(record.state.march, "'\""));
    for (const char *c = record.state.tests; *c; c++)
        CHECK(*c > ' ' && *c <= '~');
    check_guide(&(struct guide_sources){ .record = &record });
    check_guide(&(struct guide_sources){ .file = &record.state, .record = &record });
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    struct diagnosis d;
    const char *why = NULL;

    if (flags & LINES) {
        char *text = fuzz_text(in.bytes, in.left);

        check_lines(text);
        free(text);
    } else if (flags & CODE) {
        char *text = fuzz_text(in.bytes, in.left);

        if (diagnosis_read_code(text, &d) == STATUS_OK)
            check(&d);
        else
            check_code_fault(text);
        free(text);
    } else {
        uint8_t *copy = fuzz_copy(in.bytes, in.left);

        if (flags & MEND)
            mend(copy, in.left);
        if (diagnosis_read(copy, in.left, &d, &why) == STATUS_OK) {
            check(&d);
            check_guide(&(struct guide_sources){ .variable = &d });
        } else {
            CHECK(why && *why);
        }
        free(copy);
    }
    return 0;
}
