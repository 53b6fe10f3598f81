// SPDX-License-Identifier: MIT
#include "sel/sel_record.h"

#include "lib/minmax.h"
#include "lib/string.h"

static void put(uint8_t *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

void sel_record_make(const struct sel_verdict *verdict, uint8_t ret_record[SEL_RECORD_BYTES])
{
    memset(ret_record, 0, SEL_RECORD_BYTES);
    ret_record[2] = SEL_RECORD_TYPE;
    memcpy(ret_record + 3, "okram", 5);
    ret_record[8] = (uint8_t)(verdict_word(verdict->verdict)[0] - 'a' + 'A');
    ret_record[9] = verdict->is_complete;
    put(ret_record + 10, 4, min_u64(verdict->bad_pages, UINT32_MAX));
    put(ret_record + 14, 2, min_u64(verdict->passes, UINT16_MAX));
}
