// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acpi/acpi.h"
#include "lib/keys.h"

void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

bool fuzz_is_key(int key)
{
    static const char letters[] = "qnhrlbcsx ";

    return key == KEY_ENTER || key == KEY_ESCAPE || (key > 0 && strchr(letters, key));
}

static void *allocate(size_t size)
{
    void *p = malloc(size ? size : 1);

    CHECK(p);
    return p;
}

void *fuzz_copy(const void *bytes, size_t size)
{
    void *copy = allocate(size);

    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = allocate(size + 1);

    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

uint64_t fuzz_number(struct fuzz_input *in, size_t n_bytes)
{
    uint64_t value = 0;
    size_t n;
    const uint8_t *bytes = fuzz_bytes(in, n_bytes, &n);

    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

const uint8_t *fuzz_bytes(struct fuzz_input *in, size_t wanted, size_t *ret_size)
{
    const uint8_t *bytes = in->bytes;
    size_t n = wanted < in->left ? wanted : in->left;

    in->bytes += n;
    in->left -= n;
    *ret_size = n;
    return bytes;
}

static void count_warning(void *ctx, const char *text)
{
    struct fuzz_warnings *counted = ctx;
    size_t length = strlen(text);

    CHECK(length > 0 && length < WARNING_TEXT_MAX - 1); /* one longer may have been cut */
    for (size_t i = 0; i < length; i++)
        CHECK(text[i] >= ' ' && text[i] <= '~');
    counted->n++;
}

struct warnings fuzz_warnings(struct fuzz_warnings *counted)
{
    counted->n = 0;
    return (struct warnings){ .warn = count_warning, .ctx = counted };
}

bool fuzz_memory_add(struct fuzz_memory *memory, uint64_t phys, const void *bytes, size_t size)
{
    if (memory->n == FUZZ_PIECES_MAX || size == 0)
        return false;
    memory->piece[memory->n++] =
        (struct fuzz_piece){ .phys = phys, .size = size, .bytes = fuzz_copy(bytes, size) };
    return true;
}

void fuzz_memory_free(struct fuzz_memory *memory)
{
    for (size_t i = 0; i < memory->n; i++)
        free(memory->piece[i].bytes);
    memory->n = 0;
}

static const void *map(void *ctx, uint64_t phys, size_t length)
{
    const struct fuzz_memory *memory = ctx;

    CHECK(length > 0 && phys + (length - 1) >= phys);
    for (size_t i = 0; i < memory->n; i++) {
        const struct fuzz_piece *piece = &memory->piece[i];
        uint64_t offset = phys - piece->phys;

        if (offset < piece->size && length <= piece->size - offset)
            return piece->bytes + offset;
    }
    return NULL;
}

struct phys_reader fuzz_memory_reader(struct fuzz_memory *memory)
{
    return (struct phys_reader){ .map = map, .ctx = memory };
}

int fuzz_table(const uint8_t *bytes, size_t size, fuzz_check_table *check)
{
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct acpi_header *table;

    if (size < sizeof(*table))
        return 0;
    table = fuzz_copy(bytes, size);
    table->length = (uint32_t)size;
    check(table, &warnings, &counted);
    free(table);
    return 0;
}

void fuzz_check_spans(const struct span *span, size_t n)
{
    uint64_t end = 0; /* of the one before; 0 after the last byte of the address space, too */

    for (size_t i = 0; i < n; i++) {
        CHECK(span[i].size > 0);
        CHECK(span[i].base + (span[i].size - 1) >= span[i].base);
        CHECK(i == 0 || (end != 0 && span[i].base >= end));
        end = span_end(span[i]);
    }
}
