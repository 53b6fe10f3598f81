// SPDX-License-Identifier: MIT
#include "options/values.h"

#include "bootcfg/lines.h"
#include "lib/spans.h"
#include "lib/string.h"
#include "options/number.h"

/* At a comma: past it, with more to come. At the end: `end` is set. Else the list is malformed. */
static bool list_continue(const char **pos, bool *ret_end)
{
    *ret_end = **pos == 0;
    if (*ret_end)
        return true;
    return *(*pos)++ == ',';
}

bool value_parse_ids(const char *text, struct id_set *ret_set)
{
    struct id_set set = { 0 };
    bool end = false;

    if (strcmp(text, "all") == 0) {
        *ret_set = (struct id_set){ .all = true };
        return true;
    }
    while (!end) {
        uint64_t first, last;

        if (!number_read(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!number_read(&text, &last))
                return false;
        }
        if (last < first || last >= VALUE_IDS_MAX)
            return false;
        for (uint64_t id = first; id <= last; id++)
            set.bits[id / 64] |= UINT64_C(1) << (id % 64);
        if (!list_continue(&text, &end))
            return false;
    }
    *ret_set = set;
    return true;
}

bool value_parse_spans(const char *text, struct span ret_span[VALUE_SPANS_MAX], size_t *ret_n_spans)
{
    struct span span[VALUE_SPANS_MAX];
    struct spans spans = { .span = span, .max = VALUE_SPANS_MAX };
    bool end = false;

    if (strcmp(text, "all") == 0) {
        *ret_n_spans = 0;
        return true;
    }
    while (!end) {
        uint64_t first, past;

        if (!number_read_size(&text, &first) || *text++ != '-' || !number_read_size(&text, &past))
            return false;
        if (past <= first ||
            !spans_add(&spans, (struct span){ .base = first, .size = past - first }) ||
            !list_continue(&text, &end))
            return false;
    }
    memcpy(ret_span, span, spans.n * sizeof(span[0]));
    *ret_n_spans = spans.n;
    return true;
}

bool value_parse_lines(const char *text, uint32_t *ret_kinds)
{
    uint32_t kinds = 0;
    bool end = false;

    if (strcmp(text, "all") == 0) {
        *ret_kinds = (1u << LINE_KINDS) - 1;
        return true;
    }
    while (!end) {
        enum line_kind kind;
        size_t length = 0;

        while (text[length] && text[length] != ',')
            length++;
        if (!lines_find(text, length, &kind))
            return false;
        kinds |= 1u << kind;
        text += length;
        if (!list_continue(&text, &end))
            return false;
    }
    *ret_kinds = kinds;
    return true;
}

#define BIT_MIN 6
#define BIT_MAX 51 /* of a physical address */

bool value_parse_bit_lists(const char *text, uint64_t ret[VALUE_BIT_LISTS_MAX], size_t *ret_n)
{
    uint64_t lists[VALUE_BIT_LISTS_MAX] = { 0 };
    size_t n = 1;

    for (;; text++) {
        uint64_t bit;

        if (!number_read(&text, &bit) || bit < BIT_MIN || bit > BIT_MAX || lists[n - 1] >> bit & 1)
            return false;
        lists[n - 1] |= UINT64_C(1) << bit;
        if (!*text)
            break;
        if (*text != ',' && (*text != '/' || n++ == VALUE_BIT_LISTS_MAX))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        ret[i] = lists[i];
    *ret_n = n;
    return true;
}

static bool is_of_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr(".-_#", c));
}

bool value_is_names(const char *text)
{
    bool in_name = false;

    for (; *text; text++) {
        if (!is_of_name(*text) && (!in_name || (*text != ',' && *text != '+')))
            return false;
        in_name = is_of_name(*text);
    }
    return in_name;
}

bool value_parse_word(const char *text, const char *const word[], size_t n, unsigned *ret_index)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text, word[i]) == 0) {
            *ret_index = (unsigned)i;
            return true;
        }
    }
    return false;
}

bool value_parse_words(const char *text, const char *all, const char *const word[], size_t n,
                       uint32_t *ret_bits)
{
    uint32_t bits = 0;
    bool end = false;

    if (strcmp(text, all) == 0) {
        *ret_bits = (1u << n) - 1;
        return true;
    }
    while (!end) {
        size_t length = 0, i = 0;

        while (text[length] && text[length] != ',')
            length++;
        while (i < n && (strlen(word[i]) != length || strncmp(text, word[i], length) != 0))
            i++;
        if (i == n)
            return false;
        bits |= 1u << i;
        text += length;
        if (!list_continue(&text, &end))
            return false;
    }
    *ret_bits = bits;
    return true;
}
