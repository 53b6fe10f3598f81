// SPDX-License-Identifier: MIT
/* Tables as broken firmware has them: readers must survive every one. */
#pragma once

#include "fake.h"

/* Calls `read` with each byte in turn replaced by every value; then they are as they were. */
static inline void damage_bytes(uint8_t *bytes, size_t length, void (*read)(void *ctx), void *ctx)
{
    uint8_t *saved = malloc(length);

    assert_non_null(saved);
    memcpy(saved, bytes, length);
    for (size_t at = 0; at < length; at++) {
        for (unsigned value = 0; value < 256; value++) {
            bytes[at] = (uint8_t)value;
            read(ctx);
            memcpy(bytes, saved, length);
        }
    }
    free(saved);
}

/*
 * Gives every damaged form of a sealed table to `read`: cut at every length, with and without the
 * header's length saying so, and with every byte replaced by several others; checksums are mended,
 * so that the reader is reached. read sees a table as acpi_table_at lets it through.
 */
static inline void damage_table(const void *table, size_t length, const char *signature,
                                void (*read)(const struct acpi_header *table,
                                             const struct warnings *warnings))
{
    static const uint8_t put[] = { 0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff };
    const size_t variants = 2 + sizeof(put) + 8;

    for (size_t at = 0; at < length; at++) {
        for (size_t v = 0; v < variants; v++) {
            struct fake_memory m = { 0 };
            struct phys_reader reader = fake_reader(&m);
            struct warning_log log = { 0 };
            struct warnings warnings = warnings_to(&log);
            const struct acpi_header *found;
            size_t kept = v < 2 ? at : length;
            uint8_t *copy;

            if (kept == 0)
                continue;
            copy = fake_add(&m, 0x1000, table, kept);
            if (v == 0 && kept >= sizeof(struct acpi_header))
                seal_table(copy, kept);
            if (v >= 2) {
                struct acpi_header *h = (void *)copy;

                copy[at] = v - 2 < sizeof(put) ? put[v - 2]
                                               : copy[at] ^ (uint8_t)(1u << (v - 2 - sizeof(put)));
                if (h->length > offsetof(struct acpi_header, checksum) && h->length <= length)
                    mend_checksum(copy, h->length, offsetof(struct acpi_header, checksum));
            }
            if (acpi_table_at(&reader, 0x1000, signature, &warnings, &found) == STATUS_OK) {
                /* A shorter length is all that the reader may rely on. */
                copy = realloc(m.piece[0].bytes, found->length);
                assert_non_null(copy);
                m.piece[0].bytes = copy;
                read((const void *)copy, &warnings);
            } else {
                assert_int_equal(log.n, 1);
            }
            fake_free(&m);
        }
    }
}

/* A function for damage_table, of which nothing is asked but that it survives. */
#define READ_ANY(name, read_table, ret)                                                            \
    static void name(const struct acpi_header *table, const struct warnings *warnings)             \
    {                                                                                              \
        read_table(table, warnings, ret);                                                          \
    }
