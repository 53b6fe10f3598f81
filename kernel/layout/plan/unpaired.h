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
#include "plan/plan.h"

struct unpaired {
    const struct plan *plan;
    bool has_begun;
    struct spans memory; /* none before the first test that counts */
    struct spans aside;  /* where okram was during the last test of the main part */
    struct spans common; /* room */
    struct spans spans;  /* of a place, or of all that is listed */
};

/* Takes memory of the arena. After plan_allocate. */
void unpaired_prepare(struct unpaired *ret, const struct plan *plan);

/* Whether there is such memory now, or no test that counts has been done yet. */
bool unpaired_remains(const struct unpaired *unpaired);

bool unpaired_has_page(const struct unpaired *unpaired, uint64_t phys);

/* Whether okram is in some of it. */
bool unpaired_holds_okram(const struct unpaired *unpaired);

/* A test that counts has tested the main part; what okram had left, and that memory. */
void unpaired_main_is_tested(struct unpaired *unpaired);
void unpaired_vacated_is_tested(struct unpaired *unpaired);

/* A test that counts has tested any two lines together. */
void unpaired_all_is_tested(struct unpaired *unpaired);

/*
 * That memory as the plan's `ram` has it, adjoining spans joined: after tested_end, because what
 * was not tested at all is not part of it. Good until the next call of this module.
 */
const struct spans *unpaired_list(struct unpaired *unpaired);
