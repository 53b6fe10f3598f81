// SPDX-License-Identifier: MIT
#include "load_options.h"

#include "lib/string.h"

/*
 * The text in `options`, of `width` bytes a character, up to its end or a NUL. Returns its length;
 * `out` holds what fits. 0 and "" if any of it is not printable.
 */
static size_t narrow(const uint8_t *options, size_t size, size_t width, char *out, size_t out_size)
{
    size_t n, kept;

    for (n = 0; n < size / width; n++) {
        unsigned c = width == 2 ? options[2 * n] | options[2 * n + 1] << 8 : options[n];

        if (c == 0)
            break;
        if ((c < ' ' || c > '~') && c != '\t') {
            n = 0;
            break;
        }
        if (n < out_size)
            out[n] = (char)c;
    }
    kept = n < out_size ? n : out_size - 1;
    out[kept] = 0;
    return n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_separator(unsigned c)
{
    return c == '\\' || c == '/' || c == ':';
}

/*
 * The length of the loader's own name at the start of text, with or without a path and ".efi", and
 * of the blanks after it.
 */
static size_t own_name_length(const char *text, const uint16_t *own_path)
{
    const uint16_t *own_name = own_path;
    size_t name = 0, end;

    for (const uint16_t *p = own_path; *p; p++) {
        if (is_separator(*p))
            own_name = p + 1;
    }
    for (end = 0; text[end] && !is_blank(text[end]); end++) {
        if (is_separator((unsigned char)text[end]))
            name = end + 1;
    }
    if (name == end)
        return 0;
    for (; name < end; name++, own_name++) {
        if (ascii_lower((unsigned char)text[name]) != ascii_lower(*own_name))
            return 0;
    }
    if (*own_name && *own_name != '.')
        return 0;
    while (is_blank(text[end]))
        end++;
    return end;
}

bool load_options_text(const void *options, size_t size, const uint16_t *own_path, char *out,
                       size_t out_size)
{
    size_t n = narrow(options, size, 2, out, out_size);

    if (n == 0) {
        n = narrow(options, size, 1, out, out_size);
        if (!strchr(out, '=')) {
            out[0] = 0;
            n = 0;
        }
    }
    if (own_path) {
        const char *rest = out + own_name_length(out, own_path);

        memmove(out, rest, strlen(rest) + 1);
    }
    return n < out_size;
}
