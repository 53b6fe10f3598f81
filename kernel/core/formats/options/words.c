// SPDX-License-Identifier: MIT
#include "options/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string.h"

static bool separates(char c)
{
    return c != 0 && (unsigned char)c <= ' ';
}

/* Windows' editors begin files so. */
static bool is_byte_order_mark(const char *p)
{
    return strncmp(p, "\xef\xbb\xbf", 3) == 0;
}

const char *word_begin(const char *p)
{
    for (;;) {
        if (is_byte_order_mark(p)) {
            p += 3;
        } else if (separates(*p)) {
            p++;
        } else if (*p == '#') {
            while (*p && *p != '\n')
                p++;
        } else {
            return p;
        }
    }
}

bool word_next(const char **pos, struct word *ret_word)
{
    const char *p = word_begin(*pos);
    size_t n = 0;
    char quote = 0;

    if (!*p) {
        *pos = p;
        return false;
    }
    ret_word->too_long = false;
    for (; *p && *p != '\n' && (quote || !separates(*p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? 0 : *p;
            continue;
        }
        if (n + 1 < sizeof(ret_word->text))
            ret_word->text[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
        else
            ret_word->too_long = true;
    }
    ret_word->text[n] = 0;
    ret_word->unclosed = quote;
    *pos = p;
    return true;
}

static bool ends_with(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);

    if (n < m)
        return false;
    for (size_t i = 0; i < m; i++) {
        if ((word[n - m + i] | 0x20) != (end[i] | 0x20))
            return false;
    }
    return true;
}

/* With a blank after each. A string, not an array of them: okram.lkrn's first code has no pointers.
 */
static const char for_linux[] =
    "BOOT_IMAGE= BOOTIF= initrd= ip= SYSUUID= CPU= SYSVENDOR= SYSPRODUCT= SYSVERSION= SYSSERIAL= "
    "SYSSKU= SYSFAMILY= MBVENDOR= MBPRODUCT= MBVERSION= MBSERIAL= MBASSET= BIOSVENDOR= "
    "BIOSVERSION= SYSFF= auto quiet splash ro rw rhgb nomodeset vga= video= root= rootfstype= "
    "rootflags= rootwait resume= console= loglevel= panic= rd.luks.uuid= rd.lvm.lv= "
    "crashkernel= ";

bool word_is_for_linux(const char *word, size_t max)
{
    size_t n = 0;

    while (n < max && word[n] && !separates(word[n]) && word[n] != '=')
        n++;
    n += n < max && word[n] == '=';
    for (const char *at = for_linux; *at; at = strchr(at, ' ') + 1) {
        if (strncmp(at, word, n) == 0 && at[n] == ' ')
            return true;
    }
    return false;
}

bool word_is_path(const char *word)
{
    if (strncmp(word, "BOOT_IMAGE=", 11) == 0)
        return true;
    for (const char *p = word; *p && *p != '='; p++) {
        if (*p == '/' || *p == '\\')
            return true;
    }
    return !strchr(word, '=') && (ends_with(word, ".efi") || ends_with(word, ".elf"));
}

#define MARK 0xfeff

/* Surrogates are half a character: the second is left out. */
static bool is_second_half(unsigned unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

static unsigned unit_at(const char *text, size_t i, unsigned low)
{
    return (uint8_t)text[i + low] | (unsigned)(uint8_t)text[i + 1 - low] << 8;
}

/* Which byte of a unit is its low one. False: it is not UTF-16. */
static bool find_order(const char *text, size_t n, unsigned *ret_low)
{
    for (*ret_low = 0; n >= 2 && *ret_low < 2; ++*ret_low) {
        unsigned first = unit_at(text, 0, *ret_low);

        if (first == MARK || (first && first < 0x80))
            return true;
    }
    return false;
}

/* A byte at the end that is half a unit is dropped. */
size_t conf_text_make(char *text, size_t n)
{
    size_t length = 0;
    unsigned low;

    if (!find_order(text, n, &low))
        return n;
    for (size_t i = 0; i + 1 < n; i += 2) {
        unsigned unit = unit_at(text, i, low);

        if (unit != MARK && !is_second_half(unit))
            text[length++] = unit < 0x80 ? (char)unit : '?';
    }
    return length;
}
