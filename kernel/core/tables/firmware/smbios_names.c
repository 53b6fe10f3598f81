// SPDX-License-Identifier: MIT
#include "firmware/smbios_names.h"

#include <stddef.h>

#include "lib/fmt.h"
#include "lib/string.h"

#define TYPE_FIRMWARE 0
#define TYPE_SYSTEM   1
#define TYPE_BOARD    2

/* Where the numbers of their strings are. */
struct firmware_strings {
    struct smbios_structure head;
    uint8_t vendor, version;
    uint16_t start_segment;
    uint8_t date;
} __attribute__((packed));
_Static_assert(sizeof(struct firmware_strings) == 9, "DSP0134 7.1");

struct maker_strings {
    struct smbios_structure head;
    uint8_t maker, product, version, serial;
} __attribute__((packed));
_Static_assert(sizeof(struct maker_strings) == 8, "DSP0134 7.2, 7.3");

#define UUID_BYTES 16

struct system_id {
    struct maker_strings strings;
    uint8_t uuid[UUID_BYTES];
} __attribute__((packed));
_Static_assert(sizeof(struct system_id) == 24, "DSP0134 7.2");

static void take(const struct smbios_cursor *c, const struct smbios_structure *s, uint8_t number,
                 char name[SMBIOS_NAME_MAX])
{
    char text[SMBIOS_NAME_MAX];

    if (smbios_string(c, s, number, text, sizeof(text)) == STATUS_OK)
        string_copy(name, text, SMBIOS_NAME_MAX);
}

static void read_firmware(const struct smbios_cursor *c, const struct smbios_structure *s,
                          struct smbios_names *names)
{
    const struct firmware_strings *f = (const void *)s;

    if (s->length < sizeof(*f) || names->firmware.vendor[0])
        return;
    take(c, s, f->vendor, names->firmware.vendor);
    take(c, s, f->version, names->firmware.version);
    take(c, s, f->date, names->firmware.date);
}

static void read_maker(const struct smbios_cursor *c, const struct smbios_structure *s,
                       struct smbios_maker *maker)
{
    const struct maker_strings *m = (const void *)s;

    if (s->length < offsetof(struct maker_strings, version) || maker->maker[0] || maker->product[0])
        return;
    take(c, s, m->maker, maker->maker);
    take(c, s, m->product, maker->product);
    if (s->length >= offsetof(struct maker_strings, serial))
        take(c, s, m->version, maker->version);
    if (s->length >= sizeof(*m))
        take(c, s, m->serial, maker->serial);
}

static bool is_one_byte(const uint8_t *bytes, size_t n, uint8_t byte)
{
    size_t i = 0;

    while (i < n && bytes[i] == byte)
        i++;
    return i == n;
}

static bool has_little_endian_uuid(const struct smbios_names *names)
{
    return names->major > 2 || (names->major == 2 && names->minor >= 6);
}

static void read_uuid(const struct smbios_structure *s, struct smbios_names *names)
{
    static const uint8_t little_endian[UUID_BYTES] = { 3, 2, 1,  0,  5,  4,  7,  6,
                                                       8, 9, 10, 11, 12, 13, 14, 15 };
    const uint8_t *uuid = ((const struct system_id *)(const void *)s)->uuid;
    struct fmt_buffer b = fmt_buffer_make(names->uuid, sizeof(names->uuid));

    if (s->length < sizeof(struct system_id) || names->uuid[0] ||
        is_one_byte(uuid, UUID_BYTES, 0) || is_one_byte(uuid, UUID_BYTES, 0xff))
        return;
    for (size_t i = 0; i < UUID_BYTES; i++)
        fmt_append(&b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                   uuid[has_little_endian_uuid(names) ? little_endian[i] : i]);
}

static void read_system(const struct smbios_cursor *c, const struct smbios_structure *s,
                        struct smbios_names *names)
{
    read_uuid(s, names);
    read_maker(c, s, &names->system);
}

void smbios_names_read(const struct smbios *smbios, struct smbios_names *ret_names)
{
    struct smbios_names names = { .major = smbios->major, .minor = smbios->minor };
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;

    while ((s = smbios_next(&c))) {
        if (s->type == TYPE_FIRMWARE)
            read_firmware(&c, s, &names);
        else if (s->type == TYPE_SYSTEM)
            read_system(&c, s, &names);
        else if (s->type == TYPE_BOARD)
            read_maker(&c, s, &names.board);
    }
    *ret_names = names;
}

void smbios_names_board(const struct smbios_names *names, char *ret_name, size_t size)
{
    bool has_board = names->board.maker[0] || names->board.product[0];
    const struct smbios_maker *m = has_board ? &names->board : &names->system;

    fmt_print(ret_name, size, "%s%s%s", m->maker, m->maker[0] && m->product[0] ? " " : "",
              m->product);
}

/* Whether they are equal but for capitals; `text` has none. */
static bool is_text(const char *name, const char *text)
{
    while (*text && ascii_lower((unsigned char)*name) == (unsigned char)*text) {
        name++;
        text++;
    }
    return !*name && !*text;
}

bool smbios_name_is_filler(const char *name)
{
    static const char *const fillers[] = {
        "to be filled by o.e.m.",
        "o.e.m.",
        "oem",
        "default string",
        "system name",
        "system manufacturer",
        "system product name",
        "system version",
        "system serial number",
        "base board serial number",
        "not specified",
        "not applicable",
        "none",
        "n/a",
        "unknown",
    };
    static const char repeated[] = "0Ff.-?xX";

    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
        if (is_text(name, fillers[i]))
            return true;
    }
    return !name[0] || (name[1] && strchr(repeated, name[0]) &&
                        is_one_byte((const uint8_t *)name, strlen(name), (uint8_t)name[0]));
}
