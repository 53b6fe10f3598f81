// SPDX-License-Identifier: MIT
/* A table that a test writes entry by entry. */
#pragma once

#include "fake.h"

struct builder {
    uint8_t bytes[65536];
    size_t length;
};

/* A table with nothing after its `length` bytes of header. */
static inline void builder_begin(struct builder *b, const char *signature, uint8_t revision,
                                 size_t length)
{
    memset(b, 0, sizeof(*b));
    make_header((void *)b->bytes, signature, revision);
    b->length = length;
}

static inline void builder_add(struct builder *b, const void *entry, size_t length)
{
    assert_true(b->length + length <= sizeof(b->bytes));
    memcpy(b->bytes + b->length, entry, length);
    b->length += length;
}

/* The table, sealed, on the heap: the caller frees it. */
static inline struct acpi_header *builder_table(struct builder *b)
{
    struct acpi_header *table = malloc(b->length);

    assert_non_null(table);
    seal_table(b->bytes, b->length);
    memcpy(table, b->bytes, b->length);
    return table;
}
