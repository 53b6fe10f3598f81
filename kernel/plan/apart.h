// SPDX-License-Identifier: MIT
/*
 * Which memory no test for couplings has gone over together with all the rest.
 *
 * Memory that okram lives in is tested apart from the rest (plan/plan.h): a line there that
 * disturbs one elsewhere, or is disturbed by it, is not seen by that test. Another test may see it,
 * once okram has moved; of the list's tests those count that find most faults between two lines
 * (sweep/tests.h). When okram is to move after such a test, it goes where none of this memory is,
 * and the memory is tested once more, with what okram has left: then any two lines of what has been
 * at rest in either place have been tested together. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memory/pieces.h"

/* Takes memory of the arena. After plan_make. */
void apart_prepare(void);

/* Whether there is any such memory now, or no test that counts has been done yet. */
bool apart_is_open(void);

/* That memory. None before the first test that counts. */
const struct pieces *apart_memory(void);
bool apart_has_page(uint64_t phys);

/* Whether okram lives in some of it. */
bool apart_holds_okram(void);

/* A test that counts has gone over the main part; over what okram had left, and apart_memory(). */
void apart_main_is_tested(void);
void apart_left_is_tested(void);
