// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_picture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "saved/samples.h"

#define PICTURE(nodes)                                                                             \
    "{\"t\":9.1,\"type\":\"picture\",\"cell_bytes\":16777216,\"nodes\":[" nodes "]}\n"
#define NODE(n, cells) "{\"node\":" n ",\"cells\":\"" cells "\"}"

static struct sample sample;
static struct saved_report report;
static char html[32768];

static void make(const char *jsonl)
{
    struct fmt_buffer b = fmt_buffer_make(html, sizeof(html));

    sample_finished(&sample, SAVED_FAIL, jsonl, SAVED_VARIABLE_MAX);
    saved_read(&sample.variables, &report);
    assert_int_equal(report.kind, SAVED_WHOLE);
    html[0] = 0;
    report_append_picture(&report, &b);
    assert_false(b.cut);
}

static bool has(const char *text)
{
    return strstr(html, text) != NULL;
}

/* Cells are 14 wide and high, of which 2 are the gap; rows have 64, and begin at 76. */
static void a_node_a_row(void **state)
{
    make(PICTURE(NODE("0", "62t3oX") "," NODE("4", "2.-")));
    assert_true(has("<h2>All RAM, 16 MiB a cell</h2>\n<svg viewBox=\"0 0 972 "));
    assert_true(has("aria-label=\"2 cells not tested, 1 cell left out, 62 cells tested, 3 cells "
                    "okram, 1 cell bad page\""));
    assert_true(has("<text x=\"0\" y=\"13\">node 0</text>"));
    assert_true(has("<text x=\"0\" y=\"43\">node 4</text>"));
    assert_true(has("stroke-dasharray=\"12 2\" d=\"M76 8h866\"/>"));       /* 62 * 14 - 2 */
    assert_true(has("\"4 4 4 2\" d=\"M944 8h26M76 22h12\"/>"));            /* over the row's end */
    assert_true(has("stroke-width=\"4\" d=\"M90 16l12 12m0-12l-12 12\"")); /* a cross */
    assert_true(has("\"0 4 4 6\" d=\"M76 38h26\"/>"));
    assert_true(has(">left out</text>") && has(">bad page</text>") && !has("being tested"));
}

/* The last record counts: the run's end. */
static void the_last_one(void **state)
{
    make(PICTURE(NODE("0", "5.")) PICTURE(NODE("0", "5t")));
    assert_true(has("aria-label=\"5 cells tested\""));
}

/* 512 cells that all differ, and as few bytes as dashes allow for those that do not. */
static void small_and_large(void **state)
{
    char jsonl[2048] = "{\"type\":\"picture\",\"cell_bytes\":1,\"nodes\":[{\"node\":0,\"cells\":\"";

    make(PICTURE(NODE("0", "512t")));
    assert_true(strlen(html) < 700);
    for (int i = 0; i < 256; i++)
        strcat(jsonl, "tX");
    make(strcat(jsonl, "\"}]}\n"));
    assert_true(has("256 cells tested, 256 cells bad page"));
    assert_true(strlen(html) < 12000);
}

static void none_of_what_cannot_be(void **state)
{
    static const char *const bad[] = {
        "",
        "{\"type\":\"picture\"}\n",
        "{\"type\":\"picture\",\"cell_bytes\":1,\"nodes\":7}\n",
        PICTURE(""),
        PICTURE(NODE("0", "")),
        PICTURE(NODE("0", "513t")),
        PICTURE(NODE("0", "5<")),
        PICTURE(NODE("<b>", "5t")),
        PICTURE(NODE("0", "5t") ",7"),
        PICTURE(NODE("0", "512t") "," NODE("1", "t")),
        "{\"type\":\"picture\",\"cell_bytes\":0,\"nodes\":[" NODE("0", "t") "]}\n",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        make(bad[i]);
        assert_string_equal(html, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_a_row),
        cmocka_unit_test(the_last_one),
        cmocka_unit_test(small_and_large),
        cmocka_unit_test(none_of_what_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
