// SPDX-License-Identifier: MIT
#include "start/read_options.h"

#include "event/notices.h"
#include "io/fw_cfg.h"
#include "lib/fmt.h"
#include "options/options.h"
#include "options/words.h"

static void append_words(struct fmt_buffer *all, const char *text)
{
    static struct word word;

    while (word_next(&text, &word))
        fmt_append(all, "%s%s", all->length ? " " : "", word.text);
}

static void note_wrong_word(void *ctx, const char *text)
{
    ++*(unsigned *)ctx;
    warn_print(&notices, "%s", text);
}

static void count_wrong_word(void *ctx, const char *text)
{
    ++*(unsigned *)ctx;
}

/* The words that QEMU was started with. */
static void read_qemu(char ret[BOOT_CMDLINE_MAX])
{
    if (fw_cfg_read_string("opt/okram/cmdline", ret, BOOT_CMDLINE_MAX) == STATUS_NO_SPACE)
        notice("the options given by QEMU are longer than %d bytes: the rest is ignored",
               BOOT_CMDLINE_MAX - 1);
}

unsigned read_options(const struct boot_info *boot, struct options *ret,
                      char ret_words[ALL_WORDS_MAX])
{
    static char qemu[BOOT_CMDLINE_MAX];
    static struct test_list tests;
    unsigned n_wrong = 0;
    const struct warnings note = { note_wrong_word, &n_wrong },
                          count = { count_wrong_word, &n_wrong };
    const char *const given[] = { boot->conf, boot->cmdline, qemu };
    struct fmt_buffer all = fmt_buffer_make(ret_words, ALL_WORDS_MAX);

    read_qemu(qemu);
    if (boot->truncated)
        notice("okram.conf or the boot command line is too long: the rest is ignored");
    options_set_defaults(ret);
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        options_parse(ret, given[i], &note);
        append_words(&all, given[i]);
    }
    option_tests(ret, &count, &tests); /* warns when the tests are chosen */
    return boot->wrong_is_shown ? 0 : n_wrong;
}
