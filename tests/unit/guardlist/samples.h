// SPDX-License-Identifier: MIT
/* What tests of lists share: runs to a list, a list back to runs, and a machine. */
#pragma once

#include "guardlist/guard_list.h"
#include "lib/crc32c.h"
#include "tests/unit/unit.h"

static const struct guard_fingerprint sample_machine = {
    .board = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
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

static inline struct guard_list open_list(const uint8_t *at, size_t size)
{
    struct guard_list list;
    const char *why;

    assert_int_equal(guard_list_open(at, size, &list, &why), STATUS_OK);
    return list;
}

/* Makes the head true for the bytes that are there. */
static inline void mend_crc(uint8_t *bytes, size_t size)
{
    uint32_t crc = crc32c(bytes + 12, size - 12);

    memcpy(bytes + 8, &crc, sizeof(crc));
}

/* The list as version 1 had it: without salt and HMAC, and with the UUID itself. Its size. */
static inline size_t make_old_list(const struct guard_run *run, size_t n, uint8_t *bytes,
                                   size_t size)
{
    size_t made = make_list(run, n, bytes, size);
    uint32_t less = GUARD_LIST_HEAD - GUARD_LIST_HEAD_1;
    struct guard_list_head head;

    memcpy(&head, bytes, sizeof(head));
    head.version = 1;
    head.head_bytes = GUARD_LIST_HEAD_1;
    head.bytes -= less;
    head.machine = sample_machine;
    memmove(bytes + GUARD_LIST_HEAD_1, bytes + GUARD_LIST_HEAD, made - GUARD_LIST_HEAD);
    memcpy(bytes, &head, GUARD_LIST_HEAD_1);
    mend_crc(bytes, made - less);
    return made - less;
}

/* All is the same but the salt, and what follows from it. */
static inline void assert_same_list(const uint8_t *bytes, const uint8_t *wanted, size_t size)
{
    struct guard_list list;
    const char *why;

    assert_memory_equal(bytes + 12, wanted + 12, 40 - 12);
    assert_memory_equal(bytes + GUARD_LIST_HEAD, wanted + GUARD_LIST_HEAD, size - GUARD_LIST_HEAD);
    assert_int_equal(guard_list_open(bytes, size, &list, &why), STATUS_OK);
    assert_null(guard_fingerprint_differs(&list.head.machine, &sample_machine));
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
