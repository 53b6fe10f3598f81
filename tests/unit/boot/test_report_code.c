// SPDX-License-Identifier: MIT
/* What the page's code says is read back from a picture by tests/system/test_cycle.py. */
#include "boot/uefi/last_report/report_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qr/qr.h"

static char html[16384];
static bool dark[QR_SIZE_MAX + 2 * QR_QUIET][QR_SIZE_MAX + 2 * QR_QUIET];

static void make(const char *text)
{
    struct fmt_buffer b = fmt_buffer_make(html, sizeof(html));

    html[0] = 0;
    report_append_code(text, &b);
    assert_false(b.cut);
}

/* The squares that the path draws: "M4 4.5h7m2 0h1" is row 4, 4 to 10 and 13. */
static void draw(void)
{
    char *p = strstr(html, "stroke=\"#000\" d=\"");
    unsigned x = 0, y = 0;

    assert_non_null(p);
    memset(dark, 0, sizeof(dark));
    for (p = strchr(strstr(p, " d="), '"') + 1; *p != '"';) {
        char command = *p++;
        unsigned n = (unsigned)strtoul(p, &p, 10);

        if (command == 'M') {
            x = n;
            y = (unsigned)strtoul(p, &p, 10);
            assert_int_equal(strncmp(p, ".5", 2), 0);
            p += 2;
        } else if (command == 'm') {
            x += n;
            assert_int_equal(strncmp(p, " 0", 2), 0);
            p += 2;
        } else {
            assert_int_equal(command, 'h');
            while (n--)
                dark[y][x++] = true;
        }
    }
}

static void it_is_the_code_of_the_text(void **state)
{
    static const char text[] = "okram 1.0: FAIL";
    struct qr q;

    assert_int_equal(qr_encode(&q, text, sizeof(text) - 1, QR_SIZE_MAX), STATUS_OK);
    make(text);
    draw();
    for (unsigned y = 0; y < q.size + 2 * QR_QUIET; y++) {
        for (unsigned x = 0; x < q.size + 2 * QR_QUIET; x++) {
            bool in =
                x >= QR_QUIET && y >= QR_QUIET && x < QR_QUIET + q.size && y < QR_QUIET + q.size;

            assert_int_equal(dark[y][x], in && qr_is_dark(&q, x - QR_QUIET, y - QR_QUIET));
        }
    }
    assert_non_null(strstr(html, "<svg viewBox=\"0 0 33 33\" "));
    assert_non_null(strstr(html, "<path fill=\"#fff\" d=\"M0 0h33v33H0z\"/>"));
}

static void both_sides_of_the_longest(void **state)
{
    char text[QR_CAPACITY_MAX + 2];

    memset(text, 'x', sizeof(text));
    text[QR_CAPACITY_MAX] = 0;
    make(text);
    assert_true(strlen(html) > 8192 && strlen(html) < 14336);
    text[QR_CAPACITY_MAX] = 'x';
    text[QR_CAPACITY_MAX + 1] = 0;
    make(text);
    assert_string_equal(html, "");
    make("");
    assert_string_equal(html, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_code_of_the_text),
        cmocka_unit_test(both_sides_of_the_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
