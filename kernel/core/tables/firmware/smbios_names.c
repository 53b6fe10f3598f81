// SPDX-License-Identifier: MIT
#include "firmware/smbios_names.h"

#include <stdbool.h>
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
    uint8_t maker, product, version;
} __attribute__((packed));
_Static_assert(sizeof(struct maker_strings) == 7, "DSP0134 7.2, 7.3");

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
    if (s->length >= sizeof(*m))
        take(c, s, m->version, maker->version);
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
            read_maker(&c, s, &names.system);
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
