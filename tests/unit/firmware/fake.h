// SPDX-License-Identifier: MIT
/*
 * What tests of firmware readers share: a physical memory made of pieces, a log of warnings, and
 * the mending of checksums. Every piece is a heap block of its exact size, so that ASan sees a read
 * past its end.
 */
#pragma once

#include "acpi/acpi.h"
#include "firmware/phys.h"
#include "lib/warn.h"
#include "tests/unit/unit.h"

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

static inline void fake_free(struct fake_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->piece[i].bytes);
    m->n = 0;
}

struct warning_log {
    unsigned n;
    char text[8192]; /* all of them, a line each */
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

/* Of the program: the warnings of the last reader. */
__attribute__((unused)) static struct warning_log log_;

static inline struct warnings fresh_warnings(void)
{
    memset(&log_, 0, sizeof(log_));
    return warnings_to(&log_);
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

/* On the heap, so that ASan sees a read past its end. */
static inline void *sealed(const void *bytes, size_t length)
{
    void *table = malloc(length);

    assert_non_null(table);
    memcpy(table, bytes, length);
    seal_table(table, length);
    return table;
}

/* What a reader says of a table on the heap, which is freed. */
#define READ_TABLE(read, heap_table, ...)                                                          \
    ({                                                                                             \
        void *table_ = (heap_table);                                                               \
        struct warnings warnings_ = fresh_warnings();                                              \
        enum status status_ = read(table_, &warnings_, __VA_ARGS__);                               \
                                                                                                   \
        free(table_);                                                                              \
        status_;                                                                                   \
    })

static inline void make_header(struct acpi_header *h, const char *signature, uint8_t revision)
{
    memset(h, 0, sizeof(*h));
    memcpy(h->signature, signature, 4);
    memcpy(h->oem_id, "OKRAM ", 6);
    h->revision = revision;
}
