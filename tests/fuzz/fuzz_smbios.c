// SPDX-License-Identifier: MIT
/*
 * SMBIOS: an entry point, its structures and the memory slots among them. The input: flags (1),
 * where the structures lie (8), and the bytes, of which the entry point comes first.
 */
#include "firmware/smbios.h"

#include <stdlib.h>
#include <string.h>

#include "firmware/smbios_memory.h"
#include "firmware/smbios_names.h"
#include "fuzz.h"

#define VERSION_3  1u
#define IN_BIOS    2u /* the loader does not say where it is */
#define MEND_ENTRY 4u /* the entry point's sum, length and address are corrected */

#define ENTRY_PHYS   UINT64_C(0xf1230)
#define ENTRY_2_SIZE 31u
#define ENTRY_3_SIZE 24u

/* Where the entry points keep what MEND_ENTRY puts right (DSP0134 5.2.1 and 5.2.2). */
#define SUM_AT_2     4u
#define LENGTH_AT_2  0x16u
#define ADDRESS_AT_2 0x18u
#define SUM_AT_3     5u
#define LENGTH_AT_3  0xcu
#define ADDRESS_AT_3 0x10u

static struct smbios_memory memory_slots;

static void mend(struct fuzz_piece *entry, bool version_3, uint64_t phys, size_t size)
{
    size_t own_size = version_3 ? ENTRY_3_SIZE : ENTRY_2_SIZE;
    size_t sum_at = version_3 ? SUM_AT_3 : SUM_AT_2;
    uint8_t sum = 0;

    if (entry->size != own_size)
        return;
    memcpy(entry->bytes, version_3 ? "_SM3_" : "_SM_", version_3 ? 5 : 4);
    entry->bytes[sum_at + 1] = (uint8_t)own_size;
    if (version_3) {
        memcpy(entry->bytes + LENGTH_AT_3, &size, 4);
        memcpy(entry->bytes + ADDRESS_AT_3, &phys, 8);
    } else {
        memcpy(entry->bytes + 0x10, "_DMI_", 5);
        memcpy(entry->bytes + LENGTH_AT_2, &size, 2);
        memcpy(entry->bytes + ADDRESS_AT_2, &phys, 4);
    }
    entry->bytes[sum_at] = 0;
    for (size_t i = 0; i < own_size; i++)
        sum = (uint8_t)(sum + entry->bytes[i]);
    entry->bytes[sum_at] = (uint8_t)-sum;
}

static void check_walk(const struct smbios *smbios)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;
    const uint8_t *end = smbios->structures;
    char text[SMBIOS_NAME_SIZE];

    while ((s = smbios_next(&c))) {
        CHECK((const uint8_t *)s >= end && s->length >= sizeof(*s));
        end = (const uint8_t *)s + s->length;
        CHECK(end <= smbios->structures + smbios->length);
        for (unsigned number = 0; number <= UINT8_MAX; number++) {
            if (smbios_string(&c, s, (uint8_t)number, text, sizeof(text)) != STATUS_OK)
                continue;
            CHECK(strlen(text) < sizeof(text));
            for (const char *p = text; *p; p++)
                CHECK(*p >= ' ' && *p <= '~');
        }
    }
}

static void check_slots(const struct smbios *smbios, const struct warnings *warnings)
{
    const struct smbios_memory *m = &memory_slots;
    uint64_t bytes = 0;

    if (smbios_memory_read(smbios, warnings, &memory_slots) != STATUS_OK)
        CHECK(m->slots == 0);
    CHECK(m->n_slot <= SMBIOS_SLOTS_MAX && m->n_array <= SMBIOS_ARRAYS_MAX);
    CHECK(m->n_slot <= m->slots && m->populated <= m->slots && m->unknown <= m->populated);
    for (size_t i = 0; i < m->n_slot; i++) {
        CHECK(m->slot[i].size_bytes == 0 || m->slot[i].is_populated);
        bytes += m->slot[i].size_bytes;
    }
    CHECK(bytes <= m->installed_bytes && (m->n_slot < m->slots || bytes == m->installed_bytes));
}

static void check_names(const struct smbios *smbios)
{
    struct smbios_names n;
    char name[64];
    const char *const names[] = { n.firmware.vendor, n.firmware.version, n.firmware.date,
                                  n.system.maker,    n.system.product,   n.system.version,
                                  n.board.maker,     n.board.product,    n.board.version,
                                  n.system.serial,   n.board.serial };

    smbios_names_read(smbios, &n);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK(memchr(names[i], 0, SMBIOS_NAME_MAX));
        for (const char *p = names[i]; *p; p++)
            CHECK(*p >= ' ' && *p <= '~');
    }
    CHECK(!n.uuid[0] || (strlen(n.uuid) == 36 && strspn(n.uuid, "-0123456789abcdef") == 36));
    smbios_names_board(&n, name, sizeof(name));
    CHECK(strlen(name) < sizeof(name));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1), phys = fuzz_number(&in, 8);
    size_t entry_size;
    const uint8_t *entry =
        fuzz_bytes(&in, flags & VERSION_3 ? ENTRY_3_SIZE : ENTRY_2_SIZE, &entry_size);
    struct fuzz_memory memory = { 0 };
    struct phys_reader reader = fuzz_memory_reader(&memory);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct smbios smbios;

    fuzz_memory_add(&memory, ENTRY_PHYS, entry, entry_size);
    fuzz_memory_add(&memory, phys, in.bytes, in.left);
    if (flags & MEND_ENTRY && memory.n == 2)
        mend(&memory.piece[0], flags & VERSION_3, phys, in.left);
    switch (smbios_open(&reader, flags & IN_BIOS ? 0 : ENTRY_PHYS, &warnings, &smbios)) {
    case STATUS_OK:
        check_walk(&smbios);
        check_slots(&smbios, &warnings);
        check_names(&smbios);
        break;
    case STATUS_INVALID: CHECK(counted.n > 0); break;
    default: CHECK(counted.n == !(flags & IN_BIOS));
    }
    fuzz_memory_free(&memory);
    return 0;
}
