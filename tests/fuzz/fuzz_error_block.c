// SPDX-License-Identifier: MIT
/* A generic error status block, with sections of memory errors. */
#include "acpi/error_block.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check(const struct error_section *section)
{
    struct cper_memory m, again;
    char module[40];
    struct fmt_buffer b = fmt_buffer_make(module, sizeof(module));

    for (const char *c = section->fru; *c; c++)
        CHECK(*c >= ' ' && *c <= '~');
    if (cper_memory_read(section, &m) != STATUS_OK)
        return;
    CHECK(!m.has_page || m.has_addr);
    CHECK(m.has_addr || !m.addr);
    for (enum cper_field f = 0; f < CPER_FIELDS; f++)
        CHECK(m.given >> f & 1 || !m.field[f]);
    CHECK(strlen(cper_severity_name(m.severity)) > 0);
    CHECK(cper_memory_read(section, &again) == STATUS_OK && cper_memory_is_same(&m, &again));
    cper_append_module(&b, &m);
    CHECK(!b.cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    void *copy = fuzz_copy(bytes, size);
    struct error_block block;
    struct error_section section;
    size_t n = 0;

    if (error_block_open(copy, size, &block) == STATUS_OK) {
        CHECK(block.bytes >= ERROR_BLOCK_HEADER_BYTES && block.bytes <= size);
        for (; error_block_next(&block, &section); n++) {
            CHECK(section.data >= (uint8_t *)copy && section.bytes <= size);
            check(&section);
        }
        CHECK(block.pos == block.end && n <= size / 64);
    }
    free(copy);
    return 0;
}
