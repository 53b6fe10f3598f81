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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_a_name_and_a_word_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
