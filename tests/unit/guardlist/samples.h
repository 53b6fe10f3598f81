// SPDX-License-Identifier: MIT
/* What tests of lists share: runs to a list, a list back to runs, and a machine. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guardlist/guard_list.h"
#include "lib/crc32c.h"

static const struct guard_fingerprint sample_machine = {
    .board_uuid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
    .installed_bytes = UINT64_C(16) << 30,
    .ram_bytes = (UINT64_C(16) << 30) - (UINT64_C(200) << 20),
    .n_modules = 2,
    .modules_crc32c = 0x12345678,
};

/* Bytes of the list in `bytes`; 0: it does not fit. */
static inline size_t make_list(const struct guard_run *run, size_t n, uint8_t *bytes, size_t size)
{
    struct guard_writer writer = guard_writer_begin(bytes, size);

    for (size_t i = 0; i < n; i++)
        guard_writer_add(&writer, run[i]);
    return guard_writer_end(&writer, &sample_machine, 1795305600);
}

/* Makes the head true for the bytes that are there. */
static inline void mend_crc(uint8_t *bytes, size_t size)
{
    uint32_t crc = crc32c(bytes + 12, size - 12);

    memcpy(bytes + 8, &crc, sizeof(crc));
}

/* Opens a copy of exactly that size, so that ASan sees a read past its end. Why not, or NULL. */
static inline const char *why_not(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    struct guard_list list;
    const char *why = NULL;

    memcpy(copy, bytes, size);
    if (guard_list_open(copy, size, &list, &why) == STATUS_OK)
        assert_null(why);
    else
        assert_non_null(why);
    free(copy);
    return why;
}
