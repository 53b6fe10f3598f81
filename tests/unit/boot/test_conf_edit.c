// SPDX-License-Identifier: MIT
#include "boot/uefi/conf_edit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct {
    const char *conf, *words, *edited;
} cases[] = {
    { "", "", "" },
    { "", "tests=quick", "tests=quick\n" },
    { "", "tests=quick passes=0", "tests=quick\npasses=0\n" },
    { "tests=thorough\n", "tests=quick", "tests=quick\n" },
    { "tests=thorough", "passes=2", "tests=thorough\npasses=2\n" },
    /* Comments and unknown words stay. */
    { "# tests=quick\ncolour=blue  tests=thorough # why\n", "tests=quick",
      "# tests=quick\ncolour=blue  tests=quick # why\n" },
    { "# only this", "tests=quick", "# only this\ntests=quick\n" },
    /* Later words win: here, and in the file. */
    { "passes=1\npasses=2 passes=3\nx=1", "passes=4 passes=5", "passes=5\n \nx=1" },
    /* A key that begins or ends alike is another one. */
    { "bandwidth.runs=9 xbandwidth=off bandwidth=off", "bandwidth=full",
      "bandwidth.runs=9 xbandwidth=off bandwidth=full" },
    { "tests =quick", "tests=quick", "tests =quick\ntests=quick\n" },
    /* Quotes. */
    { "\"range=0-4G\" march='{any(w0); up(r0)}'\n", "range=all",
      "range=all march='{any(w0); up(r0)}'\n" },
    { "range=\"0-4G\nnodes=1\n", "range=all", "range=all\nnodes=1\n" },
    /* As Windows' editors write it. */
    { "\xef\xbb\xbftests=quick\r\n", "tests=standard nodes=0",
      "\xef\xbb\xbftests=standard\r\nnodes=0\r\n" },
    { "\xef\xbb\xbf# so\r\nx", "nodes=0", "\xef\xbb\xbf# so\r\nx\r\nnodes=0\r\n" },
};

TEST(edits)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[256];

        assert_true(conf_edit(cases[i].conf, cases[i].words, out, sizeof(out)));
        assert_string_equal(out, cases[i].edited);
    }
}

TEST(says_when_it_does_not_fit)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t needed = strlen(cases[i].edited) + 1;
        char *out = malloc(needed);

        for (size_t size = 1; size < needed; size++)
            assert_false(conf_edit(cases[i].conf, cases[i].words, out, size));
        free(out);
    }
}

/* Nothing after `out` is written, whatever the room. */
TEST(stays_inside)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t size = 1; size < 100; size++) {
            char *out = malloc(size);

            if (conf_edit(cases[i].conf, cases[i].words, out, size))
                assert_string_equal(out, cases[i].edited);
            free(out);
        }
    }
}
