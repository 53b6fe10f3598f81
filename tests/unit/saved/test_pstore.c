// SPDX-License-Identifier: MIT
#include "saved/pstore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The name as Linux's efi-pstore reads it. */
static void linux_reads_the_name(void **state)
{
    char name[PSTORE_NAME_MAX], kind;
    unsigned type, part;
    unsigned long long time;
    int count;

    pstore_name(1795354387, name);
    assert_string_equal(name, "dump-type0-1-1-1795354387-D");
    assert_int_equal(sscanf(name, "dump-type%u-%u-%d-%llu-%c", &type, &part, &count, &time, &kind),
                     5);
    assert_int_equal(type, 0);
    assert_int_equal(kind, 'D');
    assert_true(pstore_is_name(name));
    pstore_name(INT64_MAX, name);
    assert_string_equal(name, "dump-type0-1-1-9223372036854775807-D");
    assert_false(pstore_is_name("dump-type0-2-1-1795354387-C"));
    assert_false(pstore_is_name(""));
}

static void a_dump_holds_text_that_fits(void **state)
{
    static struct saved_lines lines;
    static char line[PSTORE_DUMP_MAX];
    char dump[PSTORE_DUMP_MAX];
    size_t n;

    saved_lines_add(&lines, SAVED_JSON, SAVED_RANK_START, "{}\n", 3);
    saved_lines_add(&lines, SAVED_TEXT, SAVED_RANK_START, "start\n", 6);
    memset(line, 'f', sizeof(line));
    saved_lines_add(&lines, SAVED_TEXT, SAVED_RANK_BADRAM, line, sizeof(line));
    saved_lines_add(&lines, SAVED_TEXT, SAVED_RANK_RESULT, "result\n", 7);
    n = pstore_dump(&lines, dump);
    assert_int_equal(n, strlen("okram#1 Part1\nstart\nresult\n"));
    assert_memory_equal(dump, "okram#1 Part1\nstart\nresult\n", n);
    assert_true(pstore_is_own(dump, n));
    assert_false(pstore_is_own(dump, 13));
    assert_false(pstore_is_own("Panic#1 Part1\n<4>[", 18));
    saved_lines_add(&lines, SAVED_TEXT, SAVED_RANK_BADRAM, line, sizeof(line) - n);
    assert_int_equal(pstore_dump(&lines, dump), PSTORE_DUMP_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linux_reads_the_name),
        cmocka_unit_test(a_dump_holds_text_that_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
