// SPDX-License-Identifier: MIT
/*
 * A line or a file of options, word by word, as a kernel command line or okram.conf holds them.
 *
 * Words are separated by blanks and control characters; quotes of either kind, anywhere in a word,
 * keep what separates and are dropped; '#' where a word would begin starts a comment up to the end
 * of the line. A byte order mark before a word is not a part of it. A byte that is not printable
 * ASCII becomes '?', so a word can be shown anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Longest word, with its NUL. */
#define WORD_MAX 1024

struct word {
    char text[WORD_MAX];
    bool too_long; /* text is only its beginning */
    bool unclosed; /* a quote was still open where the line ended */
};

/* Takes the next word from *pos and moves it on; false at the end, where *pos points to the NUL. */
bool word_next(const char **pos, struct word *ret_word);

/*
 * Whether a word is not an option but the name of the booted file, which GRUB, firmware shells and
 * boot managers put in front: "/boot/okram.elf", "\EFI\BOOT\BOOTX64.EFI", "okram.efi",
 * "BOOT_IMAGE=…".
 */
bool word_is_path(const char *word);

/*
 * Whether a word, up to a separator, a NUL or max characters, is one that loaders add for Linux by
 * themselves ("BOOT_IMAGE=…", "initrd=…", Syslinux' SYSAPPEND), or that menu entries for Linux
 * usually have ("quiet", "root=…").
 */
bool word_is_for_linux(const char *word, size_t max);

/*
 * Makes plain text of an okram.conf, in whichever encoding an editor saved it.
 *
 * Windows' Notepad and shell may save UTF-16, in either byte order. A text that has a byte order
 * mark, or a zero as one of its first two bytes, is converted to ASCII in place; other characters
 * become '?', as when options are read. Any other text is left as it is: UTF-8's mark is skipped
 * with the words. Returns the length then, at most n.
 */
size_t conf_text_make(char *text, size_t n);

/*
 * Writes `conf` to `out`, with the options that `words` gives (key=value, without quotes, separated
 * by blanks; later ones win). An option that is there is changed in its place, and its repetitions
 * are removed; others are added at the end, each on a line. Comments and all other words are
 * unchanged. False: out_size bytes are too few, and `out` is unusable.
 */
bool conf_edit(const char *conf, const char *words, char *out, size_t out_size);
