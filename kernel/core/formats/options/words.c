// SPDX-License-Identifier: MIT
#include "options/words.h"

#include <stddef.h>

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
