#include "faults/lines.h"

#include <string.h>

#include "machine.h"

static struct cover cover;

static void lines(void **state)
{
    static const struct {
        struct pattern pattern[3];
        size_t n;
        const char *line;
    } cases[] = {
        { .n = 0, .line = "" },
        { { { 0x5000000, 0xffffffffff000 } }, 1, "badram=0x5000000,0xffffffffff000" },
        { { { 0, 0xfffffffffe000 }, { 0x1abcde000, 0xffffffffff000 }, { 0x8000000000000, 0x8000 } },
          3,
          "badram=0x0,0xfffffffffe000,0x1abcde000,0xffffffffff000,0x8000000000000,0x8000" },
        { { { 0, 0 } }, 1, "badram=0x0,0x0" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[LINES_BADRAM_BYTES(3)];
        struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));

        cover.n_patterns = cases[i].n;
        memcpy(cover.pattern, cases[i].pattern, sizeof(cases[i].pattern));
        lines_badram(&out, &cover);
        assert_string_equal(text, cases[i].line);
        assert_int_equal(out.length, strlen(text));
        assert_false(out.cut);
    }
}

static void the_longest_line_fits_and_one_byte_less_is_cut(void **state)
{
    static char text[LINES_BADRAM_BYTES(COVER_PATTERNS_MAX)];
    struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));
    size_t length;

    cover.n_patterns = COVER_PATTERNS_MAX;
    for (size_t i = 0; i < COVER_PATTERNS_MAX; i++)
        cover.pattern[i] = (struct pattern){ PATTERN_MASK_BITS, PATTERN_MASK_BITS };
    lines_badram(&out, &cover);
    assert_false(out.cut);
    length = out.length;
    assert_int_equal(length, strlen("badram=") + COVER_PATTERNS_MAX * (2 * strlen("0x") + 26 + 2) -
                                 1); /* no comma at the end */
    out = fmt_buffer_make(text, length + 1);
    lines_badram(&out, &cover);
    assert_false(out.cut);
    out = fmt_buffer_make(text, length);
    lines_badram(&out, &cover);
    assert_true(out.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(the_longest_line_fits_and_one_byte_less_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
