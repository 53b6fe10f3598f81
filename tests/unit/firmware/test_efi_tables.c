// SPDX-License-Identifier: MIT
#include "firmware/efi_tables.h"

#include "tests/unit/unit.h"

#define ACPI_20 "\x71\xe8\x68\x88\xf1\xe4\xd3\x11\xbc\x22\x00\x80\xc7\x3c\x88\x81"
#define ACPI_10 "\x30\x2d\x9d\xeb\x88\x2d\xd3\x11\x9a\x16\x00\x90\x27\x3f\xc1\x4d"
#define SMBIOS3 "\x44\x15\xfd\xf2\x94\x97\x2c\x4a\x99\x2e\xe5\xbb\xcf\x20\xe3\x94"
#define SMBIOS2 "\x31\x2d\x9d\xeb\x88\x2d\xd3\x11\x9a\x16\x00\x90\x27\x3f\xc1\x4d"
#define OTHER   "\x11\x9d\xae\x05\x79\x51\x45\x4c\x9b\xd0\x37\xf2\x0d\x4a\x9e\x21"

#define BASE UINT64_C(0x17eec000)

/* The machine's memory from BASE on, in a heap block of its size. */
static uint8_t *memory;
static size_t n_bytes;

static const void *map(void *ctx, uint64_t phys, size_t length)
{
    return phys >= BASE && phys - BASE <= n_bytes && length <= n_bytes - (phys - BASE)
               ? memory + (phys - BASE)
               : NULL;
}

static const struct phys_reader reader = { .map = map };

struct entry {
    const char *guid;
    uint64_t address;
};

/* UEFI 2.10, 4.3: the head, 24 bytes, then pointers and numbers of the firmware's size. */
static void make(bool is_64, const struct entry *entry, size_t n)
{
    size_t word = is_64 ? 8 : 4, head = is_64 ? 120 : 72;
    uint64_t list = BASE + head;

    free(memory);
    n_bytes = head + n * (16 + word);
    memory = calloc(1, n_bytes);
    assert_non_null(memory);
    memcpy(memory, "IBI SYST", 8);
    memcpy(memory + head - 2 * word, &n, word);
    memcpy(memory + head - word, &list, word);
    for (size_t i = 0; i < n; i++) {
        memcpy(memory + head + i * (16 + word), entry[i].guid, 16);
        memcpy(memory + head + i * (16 + word) + 16, &entry[i].address, word);
    }
}

TEST(the_newest_of_each)
{
    static const struct {
        struct entry entry[5];
        size_t n;
        uint64_t rsdp, smbios;
    } cases[] = {
        { .n = 0 },
        { { { OTHER, 1 } }, 1, 0, 0 },
        { { { OTHER, 1 }, { ACPI_10, 0x1000 }, { SMBIOS2, 0x2000 } }, 3, 0x1000, 0x2000 },
        { { { ACPI_10, 1 }, { SMBIOS2, 2 }, { SMBIOS3, 3 }, { OTHER, 4 }, { ACPI_20, 5 } },
          5,
          5,
          3 },
        { { { ACPI_20, 0x7fffffff } }, 1, 0x7fffffff, 0 },
    };
    struct efi_tables found;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int is_64 = 0; is_64 < 2; is_64++) {
            make(is_64, cases[i].entry, cases[i].n);
            assert_int_equal(efi_tables_find(&reader, BASE, is_64, &found), STATUS_OK);
            assert_int_equal(found.rsdp, cases[i].rsdp);
            assert_int_equal(found.smbios, cases[i].smbios);
        }
    }
}

TEST(addresses_of_64_bits)
{
    const struct entry entry = { ACPI_20, UINT64_C(0x123456789a) };
    struct efi_tables found;

    make(true, &entry, 1);
    assert_int_equal(efi_tables_find(&reader, BASE, true, &found), STATUS_OK);
    assert_int_equal(found.rsdp, entry.address);
}

TEST(what_is_no_system_table)
{
    const struct entry entry = { ACPI_20, 0x1000 };
    struct efi_tables found = { 7, 8 };

    make(true, &entry, 1);
    assert_int_equal(efi_tables_find(&reader, 0, true, &found), STATUS_INVALID);
    assert_int_equal(efi_tables_find(&reader, BASE - 1, true, &found), STATUS_INVALID);
    assert_int_equal(efi_tables_find(&reader, BASE + n_bytes - 100, true, &found), STATUS_INVALID);
    memory[0] ^= 1;
    assert_int_equal(efi_tables_find(&reader, BASE, true, &found), STATUS_INVALID);
    assert_int_equal(efi_tables_find(&reader, BASE, false, &found), STATUS_INVALID);
    assert_int_equal(found.rsdp, 7);
    assert_int_equal(found.smbios, 8);
}

/* A wrong number of entries: those that can be read are, and it ends. */
TEST(a_list_that_is_too_long)
{
    static struct entry entry[1025];
    const uint64_t many = UINT64_MAX;
    struct efi_tables found;

    for (size_t i = 0; i < 1025; i++)
        entry[i] = (struct entry){ OTHER, i };
    entry[1023] = (struct entry){ ACPI_20, 0x1000 };
    entry[1024] = (struct entry){ SMBIOS3, 0x2000 };
    make(true, entry, 1025);
    memcpy(memory + 104, &many, sizeof(many));
    assert_int_equal(efi_tables_find(&reader, BASE, true, &found), STATUS_OK);
    assert_int_equal(found.rsdp, 0x1000);
    assert_int_equal(found.smbios, 0); /* beyond 1024 */
    make(true, entry, 2);
    memcpy(memory + 104, &many, sizeof(many));
    assert_int_equal(efi_tables_find(&reader, BASE, true, &found), STATUS_OK);
    assert_int_equal(found.rsdp, 0);
}

int group_tear_down(void **state)
{
    free(memory);
    return 0;
}
