// SPDX-License-Identifier: MIT
#include "conf_edit.h"

#include "lib/string.h"
#include "options/words.h"

/* Replaces [begin, end) of the text by n bytes of `by`; false: there is no room. */
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
