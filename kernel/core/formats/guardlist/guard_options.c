// SPDX-License-Identifier: MIT
#include "guardlist/guard_options.h"

#include <stdint.h>

#include "lib/fmt.h"
#include "lib/string.h"
#include "options/number.h"
#include "options/words.h"

#define GOOD_EIGHTHS            3
#define GOOD_EIGHTHS_DISTRUSTED 1

struct guard_options guard_options_default(void)
{
    return (struct guard_options){ .limits = { GUARD_RUNS_DEFAULT, GOOD_EIGHTHS } };
}

bool guard_options_distrust(struct guard_options *options)
{
    bool was_given = options->is_quiet || options->limits.max_runs != GUARD_RUNS_DEFAULT;

    options->is_quiet = false;
    options->limits = (struct guard_limits){ GUARD_RUNS_DEFAULT, GOOD_EIGHTHS_DISTRUSTED };
    return was_given;
}

static bool read_patrol(const char *value, struct guard_options *options)
{
    uint64_t seconds;

    if (!number_read_time(&value, &seconds) || *value || seconds > GUARD_PATROL_MAX_S)
        return false;
    options->patrol_s = (unsigned)seconds;
    return true;
}

static bool read_quiet(const char *value, struct guard_options *options)
{
    bool is_on = strcmp(value, "on") == 0;

    if (!is_on && strcmp(value, "off") != 0)
        return false;
    options->is_quiet = is_on;
    return true;
}

static bool read_runs(const char *value, struct guard_options *options)
{
    uint64_t runs;

    if (!number_parse(value, 1, UINT32_MAX, &runs))
        return false;
    options->limits.max_runs = (uint32_t)runs;
    return true;
}

static const struct {
    const char *key; /* with its = */
    bool (*read)(const char *value, struct guard_options *options);
} all[] = {
    { "patrol=", read_patrol },
    { "quiet=", read_quiet },
    { "runs=", read_runs },
};

static bool read_word(const char *word, struct guard_options *options)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        size_t n = strlen(all[i].key);

        if (strncmp(word, all[i].key, n) == 0)
            return all[i].read(word + n, options);
    }
    return word_is_path(word);
}

void guard_options_read(const char *text, struct guard_options *options)
{
    static const char cut[] = "...";
    struct word word;

    while (word_next(&text, &word)) {
        if (!word.too_long && !word.unclosed && read_word(word.text, options))
            continue;
        fmt_print(options->wrong, sizeof(options->wrong), "%s", word.text);
        if (strlen(word.text) >= sizeof(options->wrong))
            memcpy(options->wrong + sizeof(options->wrong) - sizeof(cut), cut, sizeof(cut));
    }
}
