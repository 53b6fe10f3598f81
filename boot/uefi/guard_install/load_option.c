// SPDX-License-Identifier: MIT
#include "load_option.h"

#include "lib/string.h"

#define MEDIA_PATH 4u
#define FILE_PATH  4u /* 10.3.5.4 */
#define END_PATH   0x7fu
#define END_ENTIRE 0xffu

struct writer {
    uint8_t *out;
    size_t size, used;
};

static void put(struct writer *w, const void *bytes, size_t n)
{
    if (n && n <= w->size && w->used <= w->size - n)
        memcpy(w->out + w->used, bytes, n);
    w->used += n;
}

static void put16(struct writer *w, size_t value)
{
    put(w, (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8) }, 2);
}

/* UTF-16 with its NUL. */
static void put_text(struct writer *w, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i <= n; i++)
        put16(w, (uint8_t)text[i]);
}

size_t load_option_make(const void *partition, size_t partition_bytes, const char *file,
                        const char *options, uint8_t *out, size_t size)
{
    size_t file_bytes = LOAD_OPTION_NODE_END + 2 * (strlen(file) + 1);
    struct writer w = { out, size, 0 };

    put16(&w, LOAD_OPTION_IS_ACTIVE);
    put16(&w, 0);
    put16(&w, partition_bytes + file_bytes + LOAD_OPTION_NODE_END);
    put_text(&w, "okram guard");
    put(&w, partition, partition_bytes);
    put16(&w, MEDIA_PATH | FILE_PATH << 8);
    put16(&w, file_bytes);
    put_text(&w, file);
    put16(&w, END_PATH | END_ENTIRE << 8);
    put16(&w, LOAD_OPTION_NODE_END);
    if (options[0])
        put_text(&w, options);
    return w.used <= size ? w.used : 0;
}

static uint16_t entry(const uint8_t *order, size_t at)
{
    return (uint16_t)(order[at] | order[at + 1] << 8);
}

size_t load_order_without(const uint8_t *order, size_t size, uint16_t number, uint8_t *out)
{
    struct writer w = { out, size, 0 };

    for (size_t at = 0; at + 1 < size; at += 2) {
        if (entry(order, at) != number)
            put(&w, order + at, 2);
    }
    return w.used;
}

size_t load_order_with(const uint8_t *order, size_t size, uint16_t number, uint8_t *out)
{
    struct writer w = { out, 2, 0 };

    put16(&w, number);
    return 2 + load_order_without(order, size, number, out + 2);
}

bool load_order_has(const uint8_t *order, size_t size, uint16_t number)
{
    bool has = false;

    for (size_t at = 0; at + 1 < size; at += 2)
        has |= entry(order, at) == number;
    return has;
}
