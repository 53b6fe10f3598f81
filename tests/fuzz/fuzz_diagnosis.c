// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis as a word that was kept or typed, or in a report's records; and what the
 * loader's menu makes of it. The input: flags (1), then the text.
 */
#include "diagnosis/code.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/diagnosis/guide.h"
#include "boot/uefi/menu/menu_model.h"
#include "diagnosis/next_step.h"
#include "diagnosis/sentences.h"
#include "fuzz.h"
#include "lib/crc32c.h"

#define MEND  1u /* the word's checksum is made right; 16 and 32: zeros after it */
#define LINES 4u /* JSON lines */

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

static unsigned bit_of(const char *text, size_t i)
{
    return (unsigned)(strchr(digits, text[i / 5]) - digits) >> (4 - i % 5) & 1;
}

/*
 * Makes a word of digits, which ends with its checksum, 20 bits of the CRC-32C of all before, each
 * bit as a byte, and with `zeros`.
 */
static void mend(char *text, unsigned zeros)
{
    uint32_t crc = ~0u;
    size_t n = strlen(text), end = 5 * n - 20 - zeros;

    for (size_t i = 0; i < n; i++)
        text[i] = strchr(digits, text[i]) ? text[i] : digits[(unsigned char)text[i] % 32];
    for (size_t i = 0; n > 4 && i < end; i++) {
        uint8_t bit = (uint8_t)bit_of(text, i);

        crc = crc32c_by_nibbles(crc, &bit, 1);
    }
    for (size_t i = end; n > 4 && i < 5 * n; i++) {
        unsigned digit = (unsigned)(strchr(digits, text[i / 5]) - digits);
        unsigned bit = i - end < 20 ? ~crc >> (19 - (i - end)) & 1 : 0;

        text[i / 5] = digits[(digit & ~(1u << (4 - i % 5))) | bit << (4 - i % 5)];
    }
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
    struct diagnosis with = *d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    diagnosis_next(d, &step, &end);
    CHECK(end.sure > 0 && end.sure <= 1.000001);
    if (step.kind == DIAGNOSIS_ENDS)
        return;
    CHECK(step.passes >= 1 && step.passes <= DIAGNOSIS_PASSES_MAX);
    with.run[with.n_runs++] = (struct diagnosis_run){ .at = step.at };
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

    diagnosis_record_make(d, diagnosis_last(d), &r);
    check_whole(r.next, sizeof(r.next));
    check_whole(r.summary, sizeof(r.summary));
    check_whole(r.found, sizeof(r.found));
    check_whole(r.reasons, sizeof(r.reasons));
    check_whole(r.history, sizeof(r.history));
    check_whole(r.words, sizeof(r.words));
    CHECK(r.summary[0] && !r.end == (r.next[0] && r.words[0] && r.next_passes));
    CHECK(!diagnosis_read_code(r.code, &typed));
    diagnosis_record_make(&typed, diagnosis_last(&typed), &again);
    CHECK(strcmp(again.code, r.code) == 0 && again.next_passes == r.next_passes);
}

/* What was read is written so that it can be read, and as it is written then. */
static void check(const struct diagnosis *d)
{
    char code[DIAGNOSIS_KEPT_MAX], again[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));
    struct fmt_buffer to_again = fmt_buffer_make(again, sizeof(again));
    struct diagnosis kept;

    diagnosis_append_code(d, true, &b);
    CHECK(diagnosis_is_sane(d) && !b.cut && !diagnosis_read_code(code, &kept));
    diagnosis_append_code(&kept, true, &to_again);
    CHECK(strcmp(code, again) == 0);
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
static void check_guide(const char *kept, const char *records)
{
    static char text[16384];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    enum guide_choice choice[GUIDE_CHOICES];
    struct diagnosis_machine m;
    struct guide g;

    fit(&m);
    guide_begin(&g, kept, NULL, records, &m);
    if (records && g.state.n_runs) {
        CHECK(diagnosis_is_sane(&g.state) && !strpbrk(g.state.march, "'\""));
        for (const char *c = g.state.tests; *c; c++)
            CHECK(*c > ' ' && *c <= '~');
    }
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
    guide_append_words(&g, &b);
    check_text(&b);
    CHECK(diagnosis_is_sane(&g.state));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    char *text = fuzz_text(in.bytes, in.left);
    struct diagnosis d;

    if (flags & LINES) {
        check_guide(NULL, text);
    } else {
        if (flags & MEND)
            mend(text, flags >> 4 & 3);
        if (!diagnosis_read_code(text, &d))
            check(&d);
        check_guide(text, NULL);
    }
    free(text);
    return 0;
}
