// SPDX-License-Identifier: MIT
#include "firmware/smbios.h"

#include "lib/string.h"

struct entry_point_2 {
    char anchor[4]; /* "_SM_" */
    uint8_t checksum;
    uint8_t length;
    uint8_t major, minor;
    uint16_t largest_structure;
    uint8_t revision;
    uint8_t formatted_area[5];
    char intermediate_anchor[5]; /* "_DMI_" */
    uint8_t intermediate_checksum;
    uint16_t table_length;
    uint32_t table_address;
    uint16_t n_structures;
    uint8_t bcd_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct entry_point_2) == 31, "DSP0134 5.2.1");

struct entry_point_3 {
    char anchor[5]; /* "_SM3_" */
    uint8_t checksum;
    uint8_t length;
    uint8_t major, minor, docrev;
    uint8_t revision;
    uint8_t reserved;
    uint32_t table_length_max;
    uint64_t table_address;
} __attribute__((packed));
_Static_assert(sizeof(struct entry_point_3) == 24, "DSP0134 5.2.2");

/* SMBIOS 2.1 counted this entry point as 30 bytes by mistake (5.2.1). */
#define ENTRY_POINT_2_BYTES_MIN 30u

#define BIOS_AREA_BASE  0xf0000u
#define BIOS_AREA_END   0x100000u
#define ENTRY_ALIGNMENT 16u

/* Real lists are far smaller: a larger length is wrong. */
#define TABLE_MAX_BYTES (1u << 20)

/* What an entry point says of the structures. */
struct location {
    uint64_t address;
    uint32_t length;
    uint32_t n_structures;
    uint8_t major, minor;
};

static bool read_entry_2(const struct phys_reader *reader, uint64_t phys, struct location *ret)
{
    const struct entry_point_2 *e = phys_map(reader, phys, sizeof(*e));

    if (!e || memcmp(e->anchor, "_SM_", 4) != 0 || e->length < ENTRY_POINT_2_BYTES_MIN ||
        memcmp(e->intermediate_anchor, "_DMI_", 5) != 0)
        return false;
    *ret = (struct location){ .address = e->table_address,
                              .length = e->table_length,
                              .n_structures = e->n_structures,
                              .major = e->major,
                              .minor = e->minor };
    e = phys_map(reader, phys, e->length);
    return e && checksum_ok(e, e->length);
}

static bool read_entry_3(const struct phys_reader *reader, uint64_t phys, struct location *ret)
{
    const struct entry_point_3 *e = phys_map(reader, phys, sizeof(*e));

    if (!e || memcmp(e->anchor, "_SM3_", 5) != 0 || e->length < sizeof(*e))
        return false;
    *ret = (struct location){ .address = e->table_address,
                              .length = e->table_length_max,
                              .n_structures = UINT32_MAX,
                              .major = e->major,
                              .minor = e->minor };
    e = phys_map(reader, phys, e->length);
    return e && checksum_ok(e, e->length);
}

typedef bool (*entry_reader)(const struct phys_reader *, uint64_t, struct location *);

static bool search(const struct phys_reader *reader, entry_reader read, struct location *ret)
{
    for (uint64_t phys = BIOS_AREA_BASE; phys < BIOS_AREA_END; phys += ENTRY_ALIGNMENT) {
        if (read(reader, phys, ret))
            return true;
    }
    return false;
}

enum status smbios_open(const struct phys_reader *reader, uint64_t entry,
                        const struct warnings *warnings, struct smbios *ret_smbios)
{
    const uint8_t *structures;
    struct location l;

    if (!entry || !(read_entry_3(reader, entry, &l) || read_entry_2(reader, entry, &l))) {
        if (entry)
            warn_print(warnings,
                       "SMBIOS: no valid entry point at 0x%lx, as given by the loader; "
                       "the BIOS area is searched",
                       (unsigned long)entry);
        if (!search(reader, read_entry_3, &l) && !search(reader, read_entry_2, &l))
            return STATUS_NOT_FOUND;
    }
    if (l.length > TABLE_MAX_BYTES)
        l.length = TABLE_MAX_BYTES;
    structures = phys_map(reader, l.address, l.length);
    if (!structures) {
        warn_print(warnings,
                   "SMBIOS: %u bytes of structures at 0x%lx are not readable; they are ignored",
                   l.length, (unsigned long)l.address);
        return STATUS_INVALID;
    }
    *ret_smbios = (struct smbios){ .structures = structures,
                                   .length = l.length,
                                   .n_structures = l.n_structures,
                                   .major = l.major,
                                   .minor = l.minor,
                                   .address = l.address };
    return STATUS_OK;
}

#define TYPE_END 127u

struct smbios_cursor smbios_structures(const struct smbios *smbios)
{
    const uint8_t *first = smbios->structures; /* NULL: there are none */

    return (struct smbios_cursor){ .pos = first,
                                   .end = first ? first + smbios->length : NULL,
                                   .left = smbios->n_structures,
                                   .is_counted = smbios->n_structures != UINT32_MAX };
}

/* Past the strings, which end with two zero bytes (6.1.3); NULL when they do not end. */
static const uint8_t *strings_end(const uint8_t *pos, const uint8_t *end)
{
    for (; end - pos >= 2; pos++) {
        if (pos[0] == 0 && pos[1] == 0)
            return pos + 2;
    }
    return NULL;
}

/* At the end: fewer than firmware counted, as when a wrong length skips some. */
static bool is_short_of_structures(const struct smbios_cursor *c)
{
    return c->is_counted && c->left != 0;
}

const struct smbios_structure *smbios_next(struct smbios_cursor *c)
{
    const struct smbios_structure *s = (const void *)c->pos;
    size_t left = (size_t)(c->end - c->pos);

    if (left == 0 || c->left == 0) {
        c->malformed |= is_short_of_structures(c);
        return NULL;
    }
    if (left < sizeof(*s) || s->length < sizeof(*s) || s->length > left) {
        c->malformed = true;
        c->pos = c->end;
        return NULL;
    }
    c->left--;
    c->pos = strings_end(c->pos + s->length, c->end);
    if (!c->pos || s->type == TYPE_END) {
        c->malformed = !c->pos || is_short_of_structures(c);
        c->pos = c->end;
    }
    return s;
}

/* The string that begins at pos, in printable ASCII. */
static void copy_readable(const uint8_t *pos, const uint8_t *end, char *to, size_t size)
{
    size_t n = 0;

    while (pos < end && *pos == ' ')
        pos++;
    while (end > pos && end[-1] == ' ')
        end--;
    for (; pos < end && n + 1 < size; pos++)
        to[n++] = *pos >= ' ' && *pos <= '~' ? (char)*pos : '?';
    to[n] = 0;
}

enum status smbios_string(const struct smbios_cursor *c, const struct smbios_structure *s,
                          uint8_t number, char *ret_text, size_t size)
{
    const uint8_t *pos = (const uint8_t *)s + s->length;

    if (number == 0)
        return STATUS_NOT_FOUND;
    while (pos < c->pos && *pos) {
        const uint8_t *end = pos;

        while (end < c->pos && *end)
            end++;
        if (end == c->pos)
            return STATUS_INVALID;
        if (--number == 0) {
            copy_readable(pos, end, ret_text, size);
            return STATUS_OK;
        }
        pos = end + 1;
    }
    return STATUS_INVALID;
}
