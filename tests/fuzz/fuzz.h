// SPDX-License-Identifier: MIT
/*
 * What fuzz targets share. A target takes any bytes, gives them to a parser as the outside world
 * would, and checks what comes out; one that fails a check ends the process.
 *
 * Each target is one file, built twice: with libFuzzer (clang, `make fuzz`), and by gcc with
 * replay.c, which runs the files of corpus/<target>/ once (`make check`).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/phys.h"
#include "lib/span.h"
#include "lib/warn.h"

/* The target. libFuzzer's interface: the bytes are only read, and 0 is returned. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

_Noreturn void fuzz_fail(const char *file, int line, const char *what);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)

/*
 * A heap block of exactly that size, so that ASan sees a read past its end; never NULL. The caller
 * frees it.
 */
void *fuzz_copy(const void *bytes, size_t size);

/* The input with a NUL after it. */
char *fuzz_text(const uint8_t *bytes, size_t size);

/* The bytes not yet taken. */
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

/* A number from the input's next 1 to 8 bytes, little endian; what is missing is 0. */
uint64_t fuzz_number(struct fuzz_input *in, size_t n_bytes);

/* At most `wanted` bytes, and how many there were. */
const uint8_t *fuzz_bytes(struct fuzz_input *in, size_t wanted, size_t *ret_size);

/*
 * Takes warnings, each of which must be what lib/warn.h promises: a sentence of printable
 * ASCII. Counts them.
 */
struct fuzz_warnings {
    size_t n;
};

struct warnings fuzz_warnings(struct fuzz_warnings *counted);

/* Whether it is a key of okram's keyboards (lib/keys.h), KEY_NONE not among them. */
bool fuzz_is_key(int key);

/* Memory where only a few pieces can be read. */
#define FUZZ_PIECES_MAX 40

struct fuzz_memory {
    size_t n;
    struct fuzz_piece {
        uint64_t phys;
        size_t size;
        uint8_t *bytes; /* a heap block of exactly that size */
    } piece[FUZZ_PIECES_MAX];
};

/* Adds a copy; false when there is no place for it. */
bool fuzz_memory_add(struct fuzz_memory *memory, uint64_t phys, const void *bytes, size_t size);
void fuzz_memory_free(struct fuzz_memory *memory);
struct phys_reader fuzz_memory_reader(struct fuzz_memory *memory);

struct acpi_header;

/*
 * Calls check with the bytes as a table that acpi_find would hand out: the length in its header is
 * that of the heap block that holds it. Does nothing when there are too few for a header.
 * counted: the warnings so far. Returns 0, as a target does.
 */
typedef void fuzz_check_table(const struct acpi_header *table, const struct warnings *warnings,
                              const struct fuzz_warnings *counted);
int fuzz_table(const uint8_t *bytes, size_t size, fuzz_check_table *check);

/* A target whose input is such a table, and nothing else: these are the names in what follows. */
#define FUZZ_TABLE(table, warnings, counted)                                                       \
    static fuzz_check_table check;                                                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)                                  \
    {                                                                                              \
        return fuzz_table(bytes, size, check);                                                     \
    }                                                                                              \
    static void check(const struct acpi_header *table, const struct warnings *warnings,            \
                      const struct fuzz_warnings *counted)

/* By address, disjoint, none empty and none past the end of the address space. */
void fuzz_check_spans(const struct span *span, size_t n);
