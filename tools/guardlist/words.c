// SPDX-License-Identifier: MIT
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

#include "file.h"
#include "lib/json.h"
#include "lib/warn.h"
#include "options/options.h"

static void add_warning(void *ctx, const char *text)
{
    json_text(ctx, NULL, text);
}

/* As the kernel reads them (start/read_options.c). */
static void read_words(const char *text, struct json *j, struct options *ret)
{
    const struct warnings warnings = { add_warning, j };
    static struct test_list tests;

    json_array(j, "warnings");
    options_set_defaults(ret);
    options_parse(ret, text, &warnings);
    option_tests(ret, &warnings, &tests);
    json_close(j, "]");
}

int words_show(void)
{
    static char line[64 * WARNING_TEXT_MAX];
    static struct options options;
    struct fmt_buffer out = fmt_buffer_make(line, sizeof(line));
    struct json j = { .out = &out, .first = true };
    struct file file = file_read_stream(stdin, "standard input");

    file.bytes[file.size] = 0; /* it is shorter than its room */
    fmt_append(&out, "{");
    read_words((const char *)file.bytes, &j, &options);
    json_bool(&j, "ends", options.passes || options.time_s);
    json_bool(&j, "restarts", options.exit == OPTION_EXIT_REBOOT);
    json_bool(&j, "keeps", options.save);
    fmt_append(&out, "}");
    puts(line);
    free(file.bytes);
    return out.cut ? 2 : 0;
}
