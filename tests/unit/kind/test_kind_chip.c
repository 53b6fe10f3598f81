// SPDX-License-Identifier: MIT
#include "kind/kind_chip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    struct kind_lane lane;
    unsigned chip_bits;
    const char *chip, *picture;
} rows[] = {
    { { KIND_LANE_NONE, 0, 64 }, 8, "", "" },
    { { KIND_LANE_BYTE, 24, 64 }, 0, "byte lane 3 of 8 (bits 24-31)", "0 1 2 [3] | 4 5 6 7" },
    { { KIND_LANE_PIN, 63, 64 }, 8, "byte lane 7 of 8 (bit 63)", "0 1 2 3 | 4 5 6 [7]" },
    { { KIND_LANE_PIN, 0, 64 }, 8, "byte lane 0 of 8 (bit 0)", "[0] 1 2 3 | 4 5 6 7" },
    { { KIND_LANE_NIBBLE, 36, 64 }, 0, "byte lane 4 of 8 (bits 36-39)", "0 1 2 3 | [4] 5 6 7" },
    { { KIND_LANE_NIBBLE, 36, 64 }, 4, "nibble 9 of 16 (bits 36-39)", "" },
    { { KIND_LANE_PIN, 37, 64 }, 4, "nibble 9 of 16 (bit 37)", "" },
    { { KIND_LANE_BYTE, 40, 64 }, 16, "byte lanes 4 and 5 of 8 (bits 40-47)", "" },
    { { KIND_LANE_DOUBLE, 16, 64 }, 0, "byte lanes 2 and 3 of 8 (bits 16-31)", "" },
    { { KIND_LANE_BYTE, 8, 32 },
      8,
      "byte lane 1 of 4 (bits 8-15) of one of the module's two subchannels: which one is not known",
      "" },
};

static void names_and_shows_the_chip(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[160], picture[64];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        struct fmt_buffer p = fmt_buffer_make(picture, sizeof(picture));

        kind_chip_append(&b, &rows[i].lane, rows[i].chip_bits);
        kind_chip_append_picture(&p, &rows[i].lane, rows[i].chip_bits);
        assert_string_equal(text, rows[i].chip);
        assert_string_equal(picture, rows[i].picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_shows_the_chip) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
