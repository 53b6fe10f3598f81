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

/* Where the word begins that word_next would take next; the NUL when there is none. */
static const char *word_begin(const char *p)
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

/* Replaces [begin, end) of the text with `by`. False: there is no room. */
static bool replace(char *text, size_t size, size_t begin, size_t end, const char *by)
{
    size_t rest = strlen(text + end) + 1, n = strlen(by);

    if (begin + n + rest > size)
        return false;
    memmove(text + begin + n, text + end, rest);
    memcpy(text + begin, by, n);
    return true;
}

static bool append(char *text, size_t size, const char *part)
{
    size_t end = strlen(text);

    return replace(text, size, end, end, part);
}

static bool append_line(char *text, size_t size, const char *word)
{
    const char *line_end = strstr(text, "\r\n") ? "\r\n" : "\n";
    size_t n = strlen(text);

    if (n && text[n - 1] != '\n' && !append(text, size, line_end))
        return false;
    return append(text, size, word) && append(text, size, line_end);
}

static bool set_word(char *text, size_t size, const char *word)
{
    size_t key = (size_t)(strchr(word, '=') - word) + 1;
    const char *end = text;
    struct word found;
    bool is_set = false;

    for (;;) {
        const char *begin = word_begin(end);
        const char *by = is_set ? "" : word;

        end = begin;
        if (!word_next(&end, &found))
            break;
        if (strncmp(found.text, word, key) != 0)
            continue;
        if (!replace(text, size, (size_t)(begin - text), (size_t)(end - text), by))
            return false;
        is_set = true;
        end = begin + strlen(by);
    }
    return is_set || append_line(text, size, word);
}

bool conf_edit(const char *conf, const char *words, char *out, size_t out_size)
{
    struct word word;

    if (string_copy(out, conf, out_size) >= out_size)
        return false;
    while (word_next(&words, &word)) {
        if (!set_word(out, out_size, word.text))
            return false;
    }
    return true;
}
