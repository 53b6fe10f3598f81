// SPDX-License-Identifier: MIT
/*
 * Linux: memmap= (Documentation/admin-guide/kernel-parameters.txt), as one option with commas:
 * where the kernel's address randomization (KASLR) knows the form, it ignores all options after the
 * fourth.
 *
 * nn%ss-1+5 makes RAM unusable and leaves all else as it is; nn$ss reserves whatever is
 * there. memmap= is read when the kernel is already in memory, and does not move it off a bad
 * page.
 */
#include "bootcfg/lines_form.h"

/* COMMAND_LINE_SIZE is 2048; the other options and the name of the kernel need some of it. */
#define KERNEL_BYTES 2047
#define OTHERS_BYTES 256
#define MEMMAP_BYTES (KERNEL_BYTES - OTHERS_BYTES - (sizeof("memmap=") - 1))

#define LIMIT                                                                                      \
    "the kernel command line is limited to 2047 characters, 256 of them kept for other options"
#define HINT "Linux still uses bad pages under its own image, usually at 16 MiB and above"

static void put_size(struct fmt_buffer *out, uint64_t bytes)
{
    static const char units[] = "KMGT";
    unsigned unit = 0;

    bytes >>= 10;
    for (; bytes % 1024 == 0 && units[unit + 1]; unit++)
        bytes >>= 10;
    fmt_append(out, "%llu%c", (unsigned long long)bytes, units[unit]);
}

static void put_unusable(struct fmt_buffer *out, struct span s)
{
    put_size(out, s.size);
    fmt_append(out, "%%0x%llx-1+5", (unsigned long long)s.base);
}

/* As in /etc/default/grub, which a shell and then GRUB read. */
static void put_reserved(struct fmt_buffer *out, struct span s)
{
    put_size(out, s.size);
    fmt_append(out, "\\\\\\$0x%llx", (unsigned long long)s.base);
}

#define MEMMAP_FORM                                                                                \
    .hint = HINT, .make = line_make_ranges, .is_exact = line_ranges_are_exact,                     \
    .instead = { LINE_GRUB, LINE_CUTMEM }, .head = "memmap=", .between = ",", .tail = "",          \
    .max_bytes = MEMMAP_BYTES, .limit = LIMIT

const struct line_form line_memmap = {
    .name = "memmap",
    .place = "Linux 4.16 and newer: the kernel command line",
    .entry = put_unusable,
    .may_cross = true,
    MEMMAP_FORM,
};

const struct line_form line_memmap_dollar = {
    .name = "memmap-dollar",
    .place = "older Linux: GRUB_CMDLINE_LINUX in /etc/default/grub",
    .entry = put_reserved,
    .escapes = 3,
    MEMMAP_FORM,
};
