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
                   line_pages.name);
    }
    if (job->work->all.run[0].first == 0)
        fmt_append(job->note, "; page 0 cannot be listed");
}

const struct line_form line_xen = {
    .name = "xen",
    .place = "Xen: the hypervisor command line",
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
    .name = "freebsd",
    .place = "FreeBSD: /boot/loader.conf",
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
    .name = "refind",
    .place = "RefindPlus: config.conf",
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
