// SPDX-License-Identifier: MIT
/*
 * The memory that no test for coupling faults has tested together with all the rest.
 *
 * The memory that holds okram is tested separately (plan/plan.h): that test does not see a line
 * there disturb one elsewhere, or be disturbed by it. Another test may, once okram has moved; only
 * those of the list's tests count that find most faults between two lines
 * (selection_is_strongest_coupling_test). When okram moves after such a test, it avoids this
 * memory, which is then tested once more, together with what okram has left: so any two lines of
 * the two places have been tested together. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/spans.h"

/* Takes memory of the arena. After plan_allocate. */
void unpaired_prepare(void);

/* Whether there is such memory now, or no test that counts has been done yet. */
bool unpaired_remains(void);

/* That memory. None before the first test that counts. */
const struct spans *unpaired_memory(void);
bool unpaired_has_page(uint64_t phys);

/* Whether okram is in some of it. */
bool unpaired_holds_okram(void);

/* A test that counts has tested the main part; what okram had left, and unpaired_memory(). */
void unpaired_main_is_tested(void);
void unpaired_vacated_is_tested(void);

/* A test that counts has tested any two lines together. */
void unpaired_all_is_tested(void);

/*
 * That memory as plan.ram has it, adjoining spans joined: after tested_end, because what was not
 * tested at all is not part of it. Good until the next call of this module.
 */
const struct spans *unpaired_list(void);
