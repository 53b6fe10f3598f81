// SPDX-License-Identifier: MIT
/* The memory tests that tests= and march= name. */
#pragma once

#include "lib/warn.h"
#include "options/options.h"
#include "sweep/tests.h"

/*
 * A word of tests= that is neither a test nor a level gives a warning, and standard runs instead. A
 * march= that is malformed, or one test too many, gives a warning and is not run. options must live
 * as long as the list.
 */
void option_tests(const struct options *options, const struct warnings *warnings,
                  struct test_list *ret_tests);
