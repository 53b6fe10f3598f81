// SPDX-License-Identifier: MIT
#include "kind/kind_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void each_has_a_name_and_a_word_of_its_own(void **state)
{
    for (enum kind k = 0; k < KINDS; k++) {
        assert_true(*kind_name(k) && *kind_word(k));
        for (enum kind other = 0; other < k; other++)
            assert_true(strcmp(kind_word(k), kind_word(other)) != 0);
    }
    assert_string_equal(kind_word(KIND_ADDRESS_LINE), "address-line");
    assert_string_equal(kind_confidence_name(KIND_SURE), "sure");
    assert_string_equal(kind_confidence_name(KIND_POSSIBLE), "possible");
}

static void assert_appended(const struct kind_verdict *verdict, const char *wanted)
{
    char text[80];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    kind_append(verdict, &b);
    assert_string_equal(text, wanted);
}

static void what_is_not_clear_has_no_confidence(void **state)
{
    assert_appended(&(struct kind_verdict){ .kind = KIND_ROW, .confidence = KIND_SURE },
                    "sure: 1 to 4 rows (word lines)");
    assert_appended(&(struct kind_verdict){ .kind = KIND_UNCLEAR }, "not clear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_a_name_and_a_word_of_its_own),
        cmocka_unit_test(what_is_not_clear_has_no_confidence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
