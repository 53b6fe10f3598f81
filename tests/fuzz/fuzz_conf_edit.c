// SPDX-License-Identifier: MIT
/* An okram.conf that the loader changes. The input: which options (1), room (2), and the text. */
#include "options/words.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const char *const words[] = {
    "tests=quick",
    "tests=standard passes=0",
    "range=1M-2M nodes=0 passes=3 lines=all",
    "passes=1 passes=2",
};

/* Whether the word sets the same option. */
static bool is_of(const struct word *word, const char *option)
{
    return strncmp(word->text, option, (size_t)(strchr(option, '=') - option) + 1) == 0;
}

static bool is_set_by(const struct word *word, const char *set)
{
    struct word option;

    while (word_next(&set, &option)) {
        if (is_of(word, option.text))
            return true;
    }
    return false;
}

/* Takes the next word that the edit must have kept. */
static bool next_kept(const char **pos, const char *set, struct word *ret_word)
{
    while (word_next(pos, ret_word)) {
        if (!is_set_by(ret_word, set))
            return true;
    }
    return false;
}

static void check_kept(const char *before, const char *after, const char *set)
{
    struct word a, b;

    while (next_kept(&before, set, &a)) {
        CHECK(next_kept(&after, set, &b));
        /* An open quote at the end of the text comes to hold the CR of a line end after it. */
        CHECK(a.unclosed == b.unclosed && (a.unclosed || a.too_long == b.too_long));
        CHECK(a.unclosed || strcmp(a.text, b.text) == 0);
    }
    CHECK(!next_kept(&after, set, &b));
}

/* Each option is there once, with its last value. */
static void check_set(const char *text, const char *set)
{
    struct word option, later, found;

    while (word_next(&set, &option)) {
        const char *rest = set, *pos = text;
        unsigned n = 0;

        while (word_next(&rest, &later)) {
            if (is_of(&later, option.text))
                option = later;
        }
        while (word_next(&pos, &found)) {
            if (is_of(&found, option.text)) {
                CHECK(strcmp(found.text, option.text) == 0);
                n++;
            }
        }
        CHECK(n == 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    const char *set = words[fuzz_number(&in, 1) % (sizeof(words) / sizeof(words[0]))];
    size_t room = 1 + fuzz_number(&in, 2);
    char *conf = fuzz_text(in.bytes, in.left), *out = malloc(room), *again = malloc(room);

    CHECK(out && again);
    if (conf_edit(conf, set, out, room)) {
        check_kept(conf, out, set);
        check_set(out, set);
        CHECK(conf_edit(out, set, again, room) && strcmp(out, again) == 0);
    }
    free(again);
    free(out);
    free(conf);
    return 0;
}
