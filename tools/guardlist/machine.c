// SPDX-License-Identifier: MIT
#include "machine.h"

#include <string.h>

#include "file.h"
#include "firmware/smbios.h"
#include "tools/badram/message.h"

/* Where no structures are: the entry point is handed out there, whatever its own address. */
#define ENTRY_ADDRESS UINT64_C(1)

/* No entry point is asked for by more; a shorter list holds no structure of use. */
#define ENTRY_BYTES_MAX 31u

struct tables {
    struct file entry, structures;
};

/* Linux cuts the list after its last structure, the entry point may count more. */
static const void *map_structures(const struct file *structures, size_t length)
{
    uint8_t *bytes = allocate(length); /* used until the program ends */
    size_t n = structures->size < length ? structures->size : length;

    memcpy(bytes, structures->bytes, n);
    memset(bytes + n, 0, length - n);
    return bytes;
}

static const void *map(void *ctx, uint64_t phys, size_t length)
{
    const struct tables *t = ctx;

    if (phys == ENTRY_ADDRESS)
        return length <= t->entry.size ? t->entry.bytes : NULL;
    return length > ENTRY_BYTES_MAX ? map_structures(&t->structures, length) : NULL;
}

static void warn(void *ctx, const char *text)
{
    message("%s", text);
}

void machine_read(const char *entry, const char *structures, uint64_t ram_bytes,
                  struct guard_fingerprint *ret_machine)
{
    static const struct warnings warnings = { .warn = warn };
    struct tables tables;
    struct phys_reader reader = { .map = map, .ctx = &tables };
    struct smbios smbios;
    bool is_there = false;

    if (entry && structures) {
        tables = (struct tables){ file_read(entry), file_read(structures) };
        is_there = smbios_open(&reader, ENTRY_ADDRESS, &warnings, &smbios) == STATUS_OK;
    }
    guard_fingerprint_read(is_there ? &smbios : NULL, ram_bytes, ret_machine);
}
