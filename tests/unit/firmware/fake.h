// SPDX-License-Identifier: MIT
/*
 * What tests of firmware readers share: a physical memory made of pieces, a log of warnings, and
 * the mending of checksums. Every piece is a heap block of its exact size, so that ASan sees a read
 * past its end.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "firmware/acpi.h"
#include "firmware/phys.h"
#include "lib/warn.h"

#define FAKE_PIECES_MAX 32

struct fake_memory {
    struct {
        uint64_t phys;
        size_t length;
        uint8_t *bytes;
    } piece[FAKE_PIECES_MAX];
    size_t n;
};

static inline const void *fake_map(void *ctx, uint64_t phys, size_t length)
{
    struct fake_memory *m = ctx;

    assert_true(length > 0);
    for (size_t i = 0; i < m->n; i++) {
        uint64_t offset = phys - m->piece[i].phys;

        if (offset < m->piece[i].length && length <= m->piece[i].length - offset)
            return m->piece[i].bytes + offset;
    }
    return NULL;
}

static inline struct phys_reader fake_reader(struct fake_memory *m)
{
    return (struct phys_reader){ .map = fake_map, .ctx = m };
}

/* A copy of the bytes at phys; the copy is returned, to be changed. */
static inline void *fake_add(struct fake_memory *m, uint64_t phys, const void *bytes, size_t length)
{
    uint8_t *copy = malloc(length);

    assert_true(m->n < FAKE_PIECES_MAX);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    m->piece[m->n].phys = phys;
    m->piece[m->n].length = length;
    m->piece[m->n].bytes = copy;
    m->n++;
    return copy;
}

static inline void *fake_add_file(struct fake_memory *m, uint64_t phys, const char *path)
{
    static uint8_t bytes[65536];
    FILE *f = fopen(path, "rb");
    size_t length;

    assert_non_null(f);
    length = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    assert_in_range(length, 1, sizeof(bytes) - 1);
    return fake_add(m, phys, bytes, length);
}

/* The machine of tests/data/qemu-q35. */
#define Q35_RSDP   0xf59e0
#define Q35_SMBIOS 0xf5a00

static inline void fake_add_q35(struct fake_memory *m)
{
    fake_add_file(m, Q35_RSDP, "tests/data/qemu-q35/f59e0-rsdp.bin");
    fake_add_file(m, Q35_SMBIOS, "tests/data/qemu-q35/f5a00-smbios.bin");
    fake_add_file(m, 0x1ffe0040, "tests/data/qemu-q35/1ffe0040-acpi.bin");
}

static inline void fake_free(struct fake_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->piece[i].bytes);
    m->n = 0;
}

struct warning_log {
    unsigned n;
    char text[4096]; /* all of them, a line each */
};

static inline void log_warning(void *ctx, const char *text)
{
    struct warning_log *log = ctx;
    size_t used = strlen(log->text);

    assert_in_range(strlen(text), 1, WARNING_TEXT_MAX - 2); /* one longer may have been cut */
    for (const char *p = text; *p; p++)
        assert_in_range(*p, ' ', '~');
    log->n++;
    snprintf(log->text + used, sizeof(log->text) - used, "%s\n", text);
}

static inline struct warnings warnings_to(struct warning_log *log)
{
    return (struct warnings){ .warn = log_warning, .ctx = log };
}

/* The log holds n warnings, and this among them. */
static inline void assert_warned(const struct warning_log *log, unsigned n, const char *part)
{
    if (log->n != n || !strstr(log->text, part))
        print_error("expected %u warnings with \"%s\", got %u:\n%s", n, part, log->n, log->text);
    assert_int_equal(log->n, n);
    assert_non_null(strstr(log->text, part));
}

/* Makes the length bytes add up to 0 by setting the one at `at`. */
static inline void mend_checksum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;

    bytes[at] = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

/* Length and checksum of an ACPI table. */
static inline void seal_table(void *table, size_t length)
{
    struct acpi_header *h = table;

    h->length = (uint32_t)length;
    mend_checksum(table, length, offsetof(struct acpi_header, checksum));
}

static inline void make_header(struct acpi_header *h, const char *signature, uint8_t revision)
{
    memset(h, 0, sizeof(*h));
    memcpy(h->signature, signature, 4);
    memcpy(h->oem_id, "OKRAM ", 6);
    h->revision = revision;
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
