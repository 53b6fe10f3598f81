// SPDX-License-Identifier: MIT
/* Bad pages, tested again when all tests are done. */
#pragma once

#include "emit/emit.h"
#include "plan/share.h"

/*
 * Tests the first bad pages again (sweep/page_retest.h), for 2 seconds at most, and sends the
 * results. If a test of the run waits, pages that are not bad again are also held for as long, at
 * most 2 seconds each with zeros and with ones. Which pages are bad stays what the tests have
 * found. Tests nothing after a stop, and ends at one: a person waits. Events of faults that have
 * not been sent are sent first, that of the kind of fault last; done: the passes. Boot CPU, no
 * other at work, after the last test.
 */
void retest_bad_pages(const struct shares *shares, const struct run_done *done);
