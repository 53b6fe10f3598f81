// SPDX-License-Identifier: MIT
#include "line.h"

/* 16 GiB in one piece: addresses of equal length from 4 GiB on. */
static const struct span ram[] = { { 0, 16 * GIB }, { 0 } };

/* n bad pages, from 4 GiB on, with 2, 3, 4, ... good ones between them. */
static struct machine *spread(unsigned n)
{
    struct machine *m = machine_make(ram);
    uint64_t page = 0x100000;

    for (unsigned i = 0; i < n; i++) {
        machine_mark(m, page);
        page += 3 + i;
    }
    return m;
}

static size_t occurrences(const char *text, const char *of)
{
    size_t n = 0;

    for (; (text = strstr(text, of)); text++)
        n++;
    return n;
}

/* The longest of the lines in text. */
static size_t longest(const char *text)
{
    size_t most = 0;

    while (*text) {
        size_t n = strcspn(text, "\n");

        most = n > most ? n : most;
        text += n + (text[n] == '\n');
    }
    return most;
}

/* Up to `most` bad pages fit without loss; one more costs the good pages of the first gap. */
TEST(one_over_the_limit_joins_the_nearest)
{
    static const struct {
        enum line_kind kind;
        unsigned most;
        uint64_t max_ranges;
        const char *entry;
        const char *limit;
        unsigned lost;
    } cases[] = {
        { LINE_CUTMEM, 60, 60, "cutmem", "no room for more ranges", 2 },
        { LINE_CUTMEM, 1, 1, "cutmem", "no room for more ranges", 2 },
        /* 19 characters an entry with its comma: 1784 hold 93 */
        { LINE_MEMMAP, 93, 64, "-1+5", "2047 characters", 2 },
        /* 15 each, when GRUB has read it: 119, and 16K is longer than 4K */
        { LINE_MEMMAP_DOLLAR, 119, 64, "\\\\\\$", "2047 characters", 5 },
        /* 9 each: 11; a range is as long as two pages, so that two gaps have to go */
        { LINE_XEN, 11, 64, "0x", "99 characters", 5 },
        { LINE_REFIND, 20, 64, ":", "20 ranges", 2 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct machine *m = spread(cases[i].most);
        char lost[64];

        line_make(m, cases[i].kind, 64, cases[i].max_ranges);
        assert_int_equal(occurrences(line_text, cases[i].entry), cases[i].most);
        assert_non_null(strstr(line_note, "no good pages lost"));
        assert_null(strstr(line_note, cases[i].limit));
        machine_free(m);

        m = spread(cases[i].most + 1);
        line_make(m, cases[i].kind, 64, cases[i].max_ranges);
        assert_in_range(occurrences(line_text, cases[i].entry), 1, cases[i].most);
        snprintf(lost, sizeof(lost), ") given up, %u of them good: ", cases[i].lost);
        assert_non_null(strstr(line_note, lost));
        assert_non_null(strstr(line_note, cases[i].limit));
        machine_free(m);
    }
}

TEST(what_fits_another_way_is_named)
{
    /* 30 scattered pages: too many for Xen and RefindPlus, not for GRUB, Linux or Windows. */
    OWN_MACHINE m = spread(30);
    uint64_t ranges;

    line_make(m, LINE_XEN, 64, 64);
    assert_non_null(strstr(line_note, "no good page is lost with grub or cutmem"));
    line_make(m, LINE_REFIND, 64, 64);
    assert_non_null(strstr(line_note, "no good page is lost with grub or cutmem"));
    ranges = line_cover.ranges; /* as many as there is room for, and one more */
    line_make(m, LINE_XEN, 64, ranges);
    assert_non_null(strstr(line_note, "no good page is lost with grub"));
    line_make(m, LINE_XEN, 64, ranges - 1);
    assert_null(strstr(line_note, "no good page is lost with grub"));
    line_make(m, LINE_XEN, 4, 64);
    assert_non_null(strstr(line_note, "no good page is lost with cutmem"));
    line_make(m, LINE_XEN, 4, 16);
    assert_null(strstr(line_note, "no good page is lost"));
    line_make(m, LINE_GRUB, 4, 16);
    assert_non_null(strstr(line_note, "no smaller cover was found within the limits"));
    assert_non_null(strstr(line_note, "no good page is lost with memmap"));
    line_make(m, LINE_GRUB, 4, 64);
    assert_non_null(strstr(line_note, "no good page is lost with cutmem or memmap"));
    line_make(m, LINE_GRUB, 64, 64);
    assert_null(strstr(line_note, "no good page is lost"));
}

/* One page number is 9 characters with its blank: 8152 hold 905. */
TEST(windows_cuts_off_what_it_cannot_list)
{
    struct machine *m = spread(905);
    unsigned long pages;
    char cut[64];

    line_make(m, LINE_WINDOWS, 64, 64);
    assert_int_equal(occurrences(line_text, "0x"), 905);
    assert_int_equal(occurrences(line_text, "\n"), 1);
    assert_in_range(longest(line_text), 8180, 8191);

    /* and one that is a character shorter: to the last character */
    machine_mark(m, 0x10000);
    line_make(m, LINE_WINDOWS, 64, 64);
    assert_int_equal(occurrences(line_text, "0x"), 906);
    assert_int_equal(longest(line_text), 8191);
    assert_int_equal(occurrences(line_text, "\n"), 1);
    machine_free(m);

    m = spread(906);
    line_make(m, LINE_WINDOWS, 64, 64);
    assert_int_equal(occurrences(line_text, "\n"), 2);
    assert_in_range(longest(line_text), 8180, 8191);
    snprintf(cut, sizeof(cut), "\nbcdedit /set truncatememory 0x%lx",
             (0x100000ul + 3 * 905 + 905 * 904 / 2) << PAGE_SHIFT);
    assert_non_null(strstr(line_text, cut));
    assert_non_null(strstr(line_note, "8191 characters"));
    /* the 905 that are listed, and all of 16 GiB from the last one on, which is bad itself */
    pages = 905 + 16 * GIB / PAGE_SIZE - (0x100000ul + 3 * 905 + 905 * 904 / 2);
    snprintf(cut, sizeof(cut), "%lu pages (", pages);
    assert_non_null(strstr(line_note, cut));
    snprintf(cut, sizeof(cut), ") given up, %lu of them good", pages - 906);
    assert_non_null(strstr(line_note, cut));
    machine_free(m);
}

TEST(freebsd_reads_a_file_when_the_list_is_long)
{
    struct machine *m = spread(341); /* 12 characters each */

    line_make(m, LINE_FREEBSD, 64, 64);
    assert_int_equal(occurrences(line_text, "0x"), 341);
    machine_free(m);
    m = spread(342);
    line_make(m, LINE_FREEBSD, 64, 64);
    assert_string_equal(line_text, "ram_blacklist_load=\"YES\"");
    assert_non_null(strstr(line_note, "/boot/blacklist.txt"));
    assert_non_null(strstr(line_note, "342 pages"));
    machine_free(m);
}

TEST(a_list_that_is_too_long_says_so)
{
    OWN_MACHINE m = spread(2000);
    unsigned listed;

    line_make(m, LINE_PAGES, 64, 64);
    assert_int_equal(sscanf(line_note, "only the first %u of 2000 bad pages", &listed), 1);
    assert_int_equal(occurrences(line_text, "0x"), listed);
    assert_in_range(listed, 1500, 1999);
    line_make(m, LINE_RANGES, 64, 64);
    assert_int_equal(sscanf(line_note, "only the first %u of 2000 bad pages", &listed), 1);
    assert_int_equal(occurrences(line_text, "-"), listed);
}

/* RefindPlus: a range of 1 GiB is one entry, a page more makes two. */
TEST(long_ranges_are_parted)
{
    OWN_MACHINE m = machine_make(ram);

    for (uint64_t page = 0; page < 0x40000; page++)
        machine_mark(m, 0x100000 + page);
    line_make(m, LINE_REFIND, 64, 64);
    assert_non_null(strstr(line_text, "list 0x100000000:0x13fffffff"));
    assert_int_equal(occurrences(line_text, ":"), 1);
    machine_mark(m, 0x140000);
    line_make(m, LINE_REFIND, 64, 64);
    assert_non_null(strstr(line_text, "list 0x100000000:0x13fffffff,0x140000000:0x140000fff"));
}

/* What reserves whatever is there must not reach over devices. */
TEST(no_range_reaches_over_devices)
{
    static const struct span parted[] = { { 0, MIB }, { 2 * MIB, MIB }, { 0 } };
    OWN_MACHINE m = machine_make(parted);

    machine_mark(m, 5);
    machine_mark(m, 0x205);
    line_make(m, LINE_CUTMEM, 64, 1);
    assert_string_equal(line_text, "");
    assert_non_null(strstr(line_note, "no such line is possible"));
    line_make(m, LINE_CUTMEM, 64, 2);
    assert_string_equal(line_text, "cutmem 0x14K 0x18K\ncutmem 0x814K 0x818K");
}

TEST(a_line_of_too_many_map_entries_says_so)
{
    static const struct span parted[] = { { 0, MIB }, { 2 * MIB, MIB }, { 4 * MIB, MIB }, { 0 } };
    OWN_MACHINE m = machine_make(parted);

    for (uint64_t page = 0; page < 0x500; page++)
        machine_mark(m, page);
    line_make(m, LINE_GRUB, 64, 1);
    assert_non_null(strstr(line_note, "it adds 3 memory map entries but there is room for 1"));
    line_make(m, LINE_GRUB, 64, 3);
    assert_null(strstr(line_note, "map entries"));
}

TEST(a_line_that_grub_takes_in_part_says_so)
{
    static struct lines_work work;
    OWN_MACHINE m = machine_make(ram);
    struct lines_source source = { .log = &m->log, .cover = &line_cover, .max_ranges = 60 };

    machine_mark(m, 0x100);
    line_make(m, LINE_GRUB_DEFAULT, 64, 60);
    assert_null(strstr(line_note, "BIOS"));
    line_cover.grub_bios_misses = true;
    for (enum line_kind kind = LINE_GRUB; kind <= LINE_GRUB_DEFAULT; kind++) {
        struct fmt_buffer text = fmt_buffer_make(line_text, sizeof(line_text));
        struct fmt_buffer note = fmt_buffer_make(line_note, sizeof(line_note));

        lines_make(kind, &source, &work, &text, &note);
        assert_non_null(strstr(line_note, "GRUB on BIOS leaves some bad pages in use"));
    }
}

#define EACH (64 * MIB >> PAGE_SHIFT)

/* Bad pages at multiples of 64 MiB, but for those one page less stays free in between. */
TEST(a_line_that_leaves_linux_no_room_says_so)
{
    static const struct {
        uint64_t end;
        uint64_t n_bad;
        bool is_assumed, warns;
    } machines[] = {
        { 128 * MIB, 1, false, true },
        { 128 * MIB + PAGE_SIZE, 1, false, false },
        { 128 * MIB, 1, true, false },
        { 3 * GIB, 30, false, false },
        { 3 * GIB, 31, false, true }, /* from 2 GiB on nothing counts */
        { 3 * GIB, 31, true, true },
        { 2 * GIB - PAGE_SIZE, 30, false, false },
        { 65 * MIB - PAGE_SIZE, 1, false, false }, /* no room without a line, either */
        { 65 * MIB, 1, false, true },
    };
    static struct lines_work work;

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        const struct span pc[] = { { 0, 0xa0000 }, { MIB, machines[i].end - MIB }, { 0 } };
        OWN_MACHINE m = machine_make(pc);
        struct lines_source source = { .log = &m->log,
                                       .cover = &line_cover,
                                       .max_ranges = 64,
                                       .ram_is_assumed = machines[i].is_assumed };

        for (uint64_t n = 1; n <= machines[i].n_bad; n++)
            machine_mark(m, n * EACH);
        line_make(m, LINE_GRUB, 64, 64);
        for (enum line_kind kind = 0; kind < LINE_KINDS; kind++) {
            bool is_for_grub = kind <= LINE_CUTMEM;
            struct fmt_buffer text = fmt_buffer_make(line_text, sizeof(line_text));
            struct fmt_buffer note = fmt_buffer_make(line_note, sizeof(line_note));

            lines_make(kind, &source, &work, &text, &note);
            assert_int_equal(strstr(line_note, "leaves no 64 MiB in one piece below 2 GiB") != NULL,
                             machines[i].warns && is_for_grub);
        }
    }
}
