// SPDX-License-Identifier: MIT
/*
 * What okram writes into a management controller's event log (IPMI 2.0, 31.6 Add SEL Entry, and
 * 32.3, OEM records without a time): 16 bytes of which the controller fills in the first two.
 *
 * | byte | what |
 * |---|---|
 * | 2 | type 0xe0 |
 * | 3-7 | "okram" |
 * | 8 | the verdict: 'P' pass, 'F' fail, 'C' corrected, 'S' stopped, 'E' error |
 * | 9 | 1: all memory was tested; 0: a part of it |
 * | 10-13 | how many pages are bad, the highest byte first; at most 0xffffffff |
 * | 14-15 | whole passes, the highest byte first; at most 0xffff |
 *
 * Types 0xf0 and above are not used: Linux writes its panics there, and programs show them so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "saved/verdict.h"

#define SEL_RECORD_BYTES 16
#define SEL_RECORD_TYPE  0xe0

struct sel_verdict {
    enum verdict verdict;
    bool is_complete;
    uint64_t bad_pages;
    uint32_t passes;
};

void sel_record_make(const struct sel_verdict *verdict, uint8_t ret_record[SEL_RECORD_BYTES]);
