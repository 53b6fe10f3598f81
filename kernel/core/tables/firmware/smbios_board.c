// SPDX-License-Identifier: MIT
#include "firmware/smbios_board.h"

#include "lib/fmt.h"

#define TYPE_SYSTEM 1
#define TYPE_BOARD  2
#define STRING_MAX  64

/* Both types begin with the numbers of these two strings. */
struct name_strings {
    struct smbios_structure head;
    uint8_t maker, product;
} __attribute__((packed));

static void append(struct fmt_buffer *b, const struct smbios_cursor *c,
                   const struct smbios_structure *s, uint8_t number)
{
    char text[STRING_MAX];

    if (smbios_string(c, s, number, text, sizeof(text)) == STATUS_OK && text[0])
        fmt_append(b, "%s%s", b->length ? " " : "", text);
}

/* The first structure of the type that has a name. */
static void read_type(const struct smbios *smbios, uint8_t type, struct fmt_buffer *b)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;

    while (!b->length && (s = smbios_next(&c))) {
        const struct name_strings *name = (const void *)s;

        if (s->type != type || s->length < sizeof(*name))
            continue;
        append(b, &c, s, name->maker);
        append(b, &c, s, name->product);
    }
}

void smbios_board_read(const struct smbios *smbios, char *ret_name, size_t size)
{
    struct fmt_buffer b = fmt_buffer_make(ret_name, size);

    read_type(smbios, TYPE_BOARD, &b);
    if (!b.length)
        read_type(smbios, TYPE_SYSTEM, &b);
}
