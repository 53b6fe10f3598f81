// SPDX-License-Identifier: MIT
#include "bootcfg/lines.h"

#include "line.h"

/* 4 GiB below 4 GiB with a gap, and 4 GiB above. */
static const struct span ram[] = {
    { 0, 0xa0000 }, { 0x100000, 0xbff00000 }, { 4 * GIB, 4 * GIB }, { 0 }
};

TEST(every_system_gets_its_own_line)
{
    static const struct {
        enum line_kind kind;
        const char *name, *text;
    } cases[] = {
        { LINE_GRUB, "grub",
          "badram=0x5000000,0xffffffffff000,0x6000000,0xfffffffffe000,0x123456000,0xffffffffff000" },
        { LINE_GRUB_DEFAULT, "grub-default",
          "GRUB_BADRAM=\"0x5000000,0xffffffffff000,0x6000000,0xfffffffffe000,"
          "0x123456000,0xffffffffff000\"" },
        { LINE_CUTMEM, "cutmem",
          "cutmem 0x14000K 0x14004K\ncutmem 0x18000K 0x18008K\ncutmem 0x48d158K 0x48d15cK" },
        { LINE_MEMMAP, "memmap", "memmap=4K%0x5000000-1+5,8K%0x6000000-1+5,4K%0x123456000-1+5" },
        { LINE_MEMMAP_DOLLAR, "memmap-dollar",
          "memmap=4K\\\\\\$0x5000000,8K\\\\\\$0x6000000,4K\\\\\\$0x123456000" },
        { LINE_WINDOWS, "windows",
          "bcdedit /set {badmemory} badmemorylist 0x5000 0x6000 0x6001 0x123456\n"
          "bcdedit /set badmemoryaccess no" },
        { LINE_XEN, "xen", "badpage=0x5000,0x6000-0x6001,0x123456" },
        { LINE_FREEBSD, "freebsd", "vm.blacklist=\"0x5000000,0x6000000,0x6001000,0x123456000\"" },
        { LINE_REFIND, "refind",
          "badram_tag_mode 7\n"
          "badram_tag_list 0x5000000:0x5000fff,0x6000000:0x6001fff,0x123456000:0x123456fff" },
        { LINE_PAGES, "pages", "0x5000000\n0x6000000\n0x6001000\n0x123456000" },
        { LINE_RANGES, "ranges",
          "0x5000000-0x5001000\n0x6000000-0x6002000\n0x123456000-0x123457000" },
    };
    OWN_MACHINE m = machine_make(ram);

    machine_mark(m, 0x5000);
    machine_mark(m, 0x6000);
    machine_mark(m, 0x6001);
    machine_mark(m, 0x123456);
    assert_int_equal(sizeof(cases) / sizeof(cases[0]), LINE_KINDS);
    for (size_t i = 0; i < LINE_KINDS; i++) {
        enum line_kind kind = LINE_KINDS;

        line_make(m, cases[i].kind, 64, 64);
        assert_string_equal(line_text, cases[i].text);
        assert_non_null(strstr(line_note, "4 pages (16 KiB) given up, no good pages lost"));
        assert_string_equal(lines_name(cases[i].kind), cases[i].name);
        assert_in_range(strlen(lines_place(cases[i].kind)), 1, 63); /* the screen keeps so much */
        assert_true(lines_find(cases[i].name, strlen(cases[i].name), &kind));
        assert_int_equal(kind, cases[i].kind);
    }
}

TEST(names_are_whole)
{
    enum line_kind kind;

    assert_true(lines_find("grub-default,xen", strlen("grub"), &kind));
    assert_int_equal(kind, LINE_GRUB);
    assert_false(lines_find("gru", 3, &kind));
    assert_false(lines_find("grubs", 5, &kind));
    assert_false(lines_find("", 0, &kind));
    assert_false(lines_find("GRUB", 4, &kind));
}

TEST(sizes_are_in_the_largest_unit)
{
    static const struct {
        uint64_t pages;
        const char *text;
    } cases[] = {
        { 1, "memmap=4K%0x40000000-1+5" },       { 255, "memmap=1020K%0x40000000-1+5" },
        { 256, "memmap=1M%0x40000000-1+5" },     { 257, "memmap=1028K%0x40000000-1+5" },
        { 0x40000, "memmap=1G%0x40000000-1+5" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_MACHINE m = machine_make(ram);

        for (uint64_t n = 0; n < cases[i].pages; n++)
            machine_mark(m, 0x40000 + n);
        line_make(m, LINE_MEMMAP, 64, 64);
        assert_string_equal(line_text, cases[i].text);
    }
}

TEST(without_bad_pages_there_is_no_line)
{
    OWN_MACHINE m = machine_make(ram);

    for (size_t i = 0; i < LINE_KINDS; i++) {
        line_make(m, (enum line_kind)i, 64, 64);
        assert_string_equal(line_text, "");
        assert_string_equal(line_note, "no bad pages: no line needed");
    }
}

/* Neither FreeBSD nor RefindPlus can list page 0. */
TEST(page_0_is_left_out_where_it_has_no_name)
{
    OWN_MACHINE m = machine_make(ram);

    machine_mark(m, 0);
    line_make(m, LINE_REFIND, 64, 64);
    assert_string_equal(line_text, "");
    line_make(m, LINE_XEN, 64, 64);
    assert_string_equal(line_text, "badpage=0x0");
    machine_mark(m, 1);
    line_make(m, LINE_REFIND, 64, 64);
    assert_string_equal(line_text, "badram_tag_mode 7\nbadram_tag_list 0x1000:0x1fff");
    assert_non_null(strstr(line_note, "page 0 cannot be listed"));
    line_make(m, LINE_FREEBSD, 64, 64);
    assert_string_equal(line_text, "vm.blacklist=\"0x1000\"");
    assert_non_null(strstr(line_note, "page 0 cannot be listed"));
}

/* By BIOS all of it, by UEFI half: tests/system/test_linux_releases.py has the limit of each. */
TEST(the_map_has_room_for_what_is_left_of_168_entries)
{
    static const struct {
        size_t entries;
        uint64_t by_bios, by_uefi;
    } cases[] = { { 0, 168, 80 }, { 7, 161, 76 }, { 8, 160, 76 }, { 18, 150, 71 },
                  { 156, 12, 2 }, { 157, 11, 1 }, { 165, 3, 1 },  { 166, 2, 1 },
                  { 167, 1, 1 },  { 168, 1, 1 },  { 1000, 1, 1 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(lines_map_room(cases[i].entries, true), cases[i].by_bios);
        assert_int_equal(lines_map_room(cases[i].entries, false), cases[i].by_uefi);
    }
}

/* Where GRUB is a BIOS's, it loads Linux without regard to the line: the note says so. */
TEST(a_note_names_the_limit_of_its_firmware)
{
    static const enum line_kind kinds[] = { LINE_GRUB, LINE_GRUB_DEFAULT, LINE_CUTMEM };
    OWN_MACHINE m = machine_make(ram);

    machine_mark(m, 0x5000);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        line_make(m, kinds[i], 64, 64);
        assert_non_null(strstr(line_note, "Secure Boot disables it"));
        assert_null(strstr(line_note, "by UEFI"));
        line_by_bios = true;
        line_make(m, kinds[i], 64, 64);
        assert_null(strstr(line_note, "Secure Boot"));
        assert_non_null(strstr(line_note, "GRUB may still load Linux and its initial file system "
                                          "over bad pages; by UEFI it does not"));
        line_make(m, LINE_MEMMAP, 64, 64);
        assert_null(strstr(line_note, "by UEFI"));
        line_by_bios = false;
    }
}
