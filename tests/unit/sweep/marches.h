// SPDX-License-Identifier: MIT
/* For the tests of what works on marches: one from its notation. */
#pragma once

#include "sweep/march.h"

#include "tests/unit/unit.h"

static inline struct march parsed(const char *notation)
{
    struct march march;
    struct march_error error;

    assert_int_equal(march_parse(notation, &march, &error), MARCH_OK);
    return march;
}
