// SPDX-License-Identifier: MIT
#include "guardlist/fingerprint.h"

#include "lib/crc32c.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "sign/hmac.h"

#define TYPE_SYSTEM 1u
#define TYPE_MODULE 17u

/* Offsets into the system's structure (DSP0134 7.2) and a memory device's (7.18). */
#define SYSTEM_UUID          0x08u
#define MODULE_SIZE          0x0cu
#define MODULE_LOCATOR       0x10u
#define MODULE_SERIAL        0x18u
#define MODULE_PART          0x1au
#define MODULE_EXTENDED_SIZE 0x1cu

#define TEXT_SIZE 64 /* a longer name is cut */

/* The part of RAM by which its size may differ. */
#define RAM_SHARE 64u

/* A field of up to 4 bytes; 0 where the structure, of an older version, ends before it. */
static uint32_t field(const struct smbios_structure *s, unsigned offset, unsigned size)
{
    uint32_t value = 0;

    if (offset + size <= s->length)
        memcpy(&value, (const uint8_t *)s + offset, size);
    return value;
}

static void read_system(const struct smbios_structure *s, uint8_t uuid[16])
{
    if (s->length >= SYSTEM_UUID + 16)
        memcpy(uuid, (const uint8_t *)s + SYSTEM_UUID, 16);
}

static uint32_t carry_text(uint32_t crc, const struct smbios_cursor *c,
                           const struct smbios_structure *s, unsigned offset)
{
    char text[TEXT_SIZE];

    if (smbios_string(c, s, (uint8_t)field(s, offset, 1), text, sizeof(text)) != STATUS_OK)
        text[0] = 0;
    return crc32c_by_nibbles(crc, text, strlen(text) + 1);
}

static void read_module(const struct smbios_cursor *c, const struct smbios_structure *s,
                        struct guard_fingerprint *machine, uint32_t *crc)
{
    uint16_t size = (uint16_t)field(s, MODULE_SIZE, 2);
    uint64_t bytes = smbios_size_bytes(size, field(s, MODULE_EXTENDED_SIZE, 4));

    if (!size)
        return;
    machine->n_modules++;
    machine->installed_bytes += bytes;
    *crc = carry_text(*crc, c, s, MODULE_LOCATOR);
    *crc = crc32c_by_nibbles(*crc, &bytes, sizeof(bytes));
    *crc = carry_text(*crc, c, s, MODULE_PART);
    *crc = carry_text(*crc, c, s, MODULE_SERIAL);
}

static void read_structures(const struct smbios *smbios, struct guard_fingerprint *machine)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;
    bool has_system = false;
    uint32_t crc = ~0u;

    while ((s = smbios_next(&c))) {
        if (s->type == TYPE_SYSTEM && !has_system) {
            read_system(s, machine->board);
            has_system = true;
        } else if (s->type == TYPE_MODULE) {
            read_module(&c, s, machine, &crc);
        }
    }
    machine->modules_crc32c = machine->n_modules ? ~crc : 0;
}

void guard_fingerprint_read(const struct smbios *smbios, uint64_t ram_bytes,
                            struct guard_fingerprint *ret_machine)
{
    *ret_machine = (struct guard_fingerprint){ .ram_bytes = ram_bytes };
    if (smbios)
        read_structures(smbios, ret_machine);
}

/* Boards without a UUID have all 0 or all ff there (7.2.1). */
static bool has_uuid(const uint8_t uuid[16])
{
    for (unsigned i = 1; i < 16; i++) {
        if (uuid[i] != uuid[0])
            return true;
    }
    return uuid[0] != 0 && uuid[0] != 0xff;
}

static bool is_hidden(const struct guard_fingerprint *machine)
{
    static const uint8_t none[16];

    return memcmp(machine->salt, none, sizeof(none)) != 0;
}

/* The first 16 bytes of the HMAC of n bytes. */
static void hash(const void *key, const void *bytes, size_t n, uint8_t ret_hash[16])
{
    uint8_t mac[HMAC_BYTES];

    hmac_sha256(key, 16, &(struct hmac_part){ bytes, n }, 1, mac);
    memcpy(ret_hash, mac, 16);
}

/* The board as it is in a list with that salt. */
static void hash_board(const uint8_t uuid[16], const uint8_t salt[16], uint8_t ret_board[16])
{
    if (has_uuid(uuid))
        hash(salt, uuid, 16, ret_board);
    else
        memset(ret_board, 0, 16);
}

void guard_fingerprint_hide(struct guard_fingerprint *machine, const void *bytes, size_t n)
{
    uint8_t uuid[16];

    if (is_hidden(machine))
        return;
    memcpy(uuid, machine->board, sizeof(uuid));
    hash(uuid, bytes, n, machine->salt);
    hash_board(uuid, machine->salt, machine->board);
}

static bool board_differs(const struct guard_fingerprint *a, const struct guard_fingerprint *b)
{
    uint8_t hashed[16];

    if (!is_hidden(a) && !is_hidden(b))
        return (has_uuid(a->board) || has_uuid(b->board)) &&
               memcmp(a->board, b->board, sizeof(a->board)) != 0;
    if (!is_hidden(a))
        return board_differs(b, a);
    if (is_hidden(b))
        return memcmp(a->salt, b->salt, sizeof(a->salt)) != 0 ||
               memcmp(a->board, b->board, sizeof(a->board)) != 0;
    hash_board(b->board, a->salt, hashed);
    return memcmp(a->board, hashed, sizeof(hashed)) != 0;
}

static bool ram_differs(uint64_t a, uint64_t b)
{
    uint64_t more = max_u64(a, b);

    return more - min_u64(a, b) > more / RAM_SHARE;
}

const char *guard_fingerprint_differs(const struct guard_fingerprint *listed,
                                      const struct guard_fingerprint *here)
{
    if (board_differs(listed, here))
        return "the computer";
    if (listed->n_modules != here->n_modules || listed->modules_crc32c != here->modules_crc32c ||
        listed->installed_bytes != here->installed_bytes)
        return "the memory modules";
    if (ram_differs(listed->ram_bytes, here->ram_bytes))
        return "the size of RAM";
    return NULL;
}
