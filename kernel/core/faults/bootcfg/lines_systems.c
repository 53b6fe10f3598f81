// SPDX-License-Identifier: MIT
/*
 * Xen: badpage= (docs/misc/xen-command-line), of which xen/common/page_alloc.c keeps 99 characters.
 *
 * FreeBSD: vm.blacklist in loader.conf, addresses of single pages; sys/vm/vm_page.c skips a 0. For
 * long lists it reads a file, one address a line.
 *
 * RefindPlus: badram_tag_list (BadRam.md): at most 20 ranges, none at 0, of 1 GiB at most, and the
 * last address belongs to the range. Mode 7 takes each page by itself: free ones become unusable,
 * others reserved.
 */
#include "bootcfg/lines.h"
#include "bootcfg/lines_form.h"

#define XEN_BYTES      99
#define FREEBSD_BYTES  4096
#define REFIND_ENTRIES 20
#define REFIND_PAGES   (UINT64_C(1) << (30 - PAGE_SHIFT))

static void put_page_numbers(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx", (unsigned long long)s.base >> PAGE_SHIFT);
    if (s.size > PAGE_SIZE)
        fmt_append(out, "-0x%llx", (unsigned long long)(span_end(s) >> PAGE_SHIFT) - 1);
}

static void put_first_last(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx:0x%llx", (unsigned long long)s.base,
               (unsigned long long)span_end(s) - 1);
}

static void make_freebsd(const struct line_form *form, const struct line_job *job)
{
    struct fmt_buffer before = *job->text;
    uint64_t rest;

    line_list(form, job, &rest);
    fmt_append(job->text, "%s", form->tail);
    line_note_cost(job, job->work->all.bad_pages, 0);
    if (rest != PAGES_MAX) {
        *job->text = before;
        fmt_append(job->text, "ram_blacklist_load=\"YES\"");
        fmt_append(job->note, ", once /boot/blacklist.txt contains the list of lines=%s",
                   lines_name(LINE_PAGES));
    }
    if (job->work->all.run[0].first == 0)
        fmt_append(job->note, "; page 0 cannot be listed");
}

const struct line_form line_xen = {
    .make = line_make_ranges,
    .is_exact = line_ranges_are_exact,
    .instead = { LINE_GRUB, LINE_CUTMEM },
    .head = "badpage=",
    .between = ",",
    .tail = "",
    .entry = put_page_numbers,
    .max_bytes = XEN_BYTES,
    .may_cross = true,
    .limit = "Xen reads only 99 characters",
};

const struct line_form line_freebsd = {
    .make = make_freebsd,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "vm.blacklist=\"",
    .between = ",",
    .tail = "\"",
    .entry = line_put_address,
    .by_page = true,
    .max_bytes = FREEBSD_BYTES,
    .skips_page_0 = true,
};

const struct line_form line_refind = {
    .hint = "rEFInd itself has no such setting",
    .make = line_make_ranges,
    .is_exact = line_ranges_are_exact,
    .instead = { LINE_GRUB, LINE_CUTMEM },
    .head = "badram_tag_mode 7\nbadram_tag_list ",
    .between = ",",
    .tail = "",
    .entry = put_first_last,
    .max_entries = REFIND_ENTRIES,
    .max_span_pages = REFIND_PAGES,
    .skips_page_0 = true,
    .limit = "RefindPlus accepts at most 20 ranges",
};

/* Plain lists for any other use: one address, or START-END (END exclusive), a line. */

static void put_range(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx-0x%llx", (unsigned long long)s.base, (unsigned long long)span_end(s));
}

static void make_list(const struct line_form *form, const struct line_job *job)
{
    uint64_t rest, listed = line_list(form, job, &rest), bad_pages = job->work->all.bad_pages;

    if (listed < bad_pages)
        fmt_append(job->note, "only the first %lu of %lu bad pages: there are too many to list",
                   (unsigned long)listed, (unsigned long)bad_pages);
    else
        line_note_cost(job, listed, 0);
}

const struct line_form line_pages = {
    .make = make_list,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = line_put_address,
    .by_page = true,
};

const struct line_form line_ranges = {
    .make = make_list,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = put_range,
};

/*
 * Windows: bcdedit, BCD elements badmemorylist and badmemoryaccess. A /set replaces the list, so
 * all pages must be in one command, and cmd.exe takes 8191 characters. What does not fit is cut
 * off with truncatememory: no RAM is used from that address on.
 */

#define COMMAND       "bcdedit /set {badmemory} badmemorylist "
#define COMMAND_BYTES 8191

static void put_page(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx", (unsigned long long)s.base >> PAGE_SHIFT);
}

static void make(const struct line_form *form, const struct line_job *job)
{
    const struct page_index *space = job->source->log->space;
    uint64_t rest, index, listed = line_list(form, job, &rest), cut = 0;

    fmt_append(job->text, "%s", form->tail);
    if (page_index_index(space, rest, &index) == STATUS_OK) {
        fmt_append(job->text, "\nbcdedit /set truncatememory 0x%llx",
                   (unsigned long long)rest << PAGE_SHIFT);
        cut = space->n_pages - index;
    }
    line_note_cost(job, listed + cut,
                   listed + cut > job->work->all.bad_pages ? listed + cut - job->work->all.bad_pages
                                                           : 0);
    if (cut)
        line_note_limit(form, job);
}

const struct line_form line_windows = {
    .hint = "It replaces the existing list and takes effect at the next start",
    .make = make,
    .instead = { LINE_REFIND, LINE_KINDS },
    .head = COMMAND,
    .between = " ",
    .tail = "\nbcdedit /set badmemoryaccess no",
    .entry = put_page,
    .by_page = true,
    .max_bytes = COMMAND_BYTES - (sizeof(COMMAND) - 1),
    .limit = "a command is limited to 8191 characters",
};

/*
 * Linux: memmap= (Documentation/admin-guide/kernel-parameters.txt), as one option with commas:
 * where the kernel's address randomization (KASLR) knows the form, it ignores all options after the
 * fourth.
 *
 * nn%ss-1+5 makes RAM unusable and leaves all else as it is; nn$ss reserves whatever is
 * there. memmap= is read when the kernel is already in memory, and does not move it off a bad
 * page.
 */

/* COMMAND_LINE_SIZE is 2048; the other options and the name of the kernel need some of it. */
#define KERNEL_BYTES 2047
#define OTHERS_BYTES 256
#define MEMMAP_BYTES (KERNEL_BYTES - OTHERS_BYTES - (sizeof("memmap=") - 1))

#define MEMMAP_LIMIT                                                                               \
    "the kernel command line is limited to 2047 characters, 256 of them kept for other options"
#define MEMMAP_HINT "Linux still uses bad pages under its own image, usually at 16 MiB and above"

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
    .hint = MEMMAP_HINT, .make = line_make_ranges, .is_exact = line_ranges_are_exact,              \
    .instead = { LINE_GRUB, LINE_CUTMEM }, .head = "memmap=", .between = ",", .tail = "",          \
    .max_bytes = MEMMAP_BYTES, .limit = MEMMAP_LIMIT

const struct line_form line_memmap = {
    .entry = put_unusable,
    .may_cross = true,
    MEMMAP_FORM,
};

const struct line_form line_memmap_dollar = {
    .entry = put_reserved,
    .escapes = 3,
    MEMMAP_FORM,
};
