// SPDX-License-Identifier: MIT
#include "machine_facts/support.h"

#include "machine_facts/sample.h"
#include "spd/sample_modules.h"
#include "tests/unit/unit.h"

static const char *const lines[] = {
    "#Firmware",
    "UEFI        SeaBIOS",
    "            version 1.16.2, of 04/01/2014",
    "system      QEMU, Standard \"PC\", version pc-q35-7.2",
    "board       -",
    "SMBIOS      2.8",
    "screen      1280x800, 5120 bytes a row, 32 bits a pixel, at 0x80000000",
    "            red ff0000, green 00ff00, blue 0000ff",
    "#CPU",
    "flush       clflushopt",
    "#Ports",
    "COM1        serial, 0x3f8: used",
    "COM2        serial, 0x2f8: no answer",
    "#Start, in seconds since the reset (by the time stamp counter)",
    "     3.250  okram's kernel begins",
    "     3.750  CPUs are started",
    "#Memory map, as given by firmware",
    "0x000000000000-0x00000009fc00   639 KiB  type 1   usable",
    "0x00000009fc00-0x0000000a0000     1 KiB  type 2   reserved",
    "0x000100000000-0x000140000000     1 GiB  type 5   bad",
    "#ACPI tables",
    "APIC 0x000007fe1234      120 bytes  revision 3    BOCHS  BXPC            1",
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

static bool has(const struct support *s, const char *part)
{
    struct support_line line;

    for (size_t i = 0; i < support_lines(s); i++) {
        support_line(s, i, &line);
        if (strstr(line.text, part))
            return true;
    }
    return false;
}

TEST(says_the_bytes_of_modules)
{
    struct support with = sample;
    struct support_line line;

    with.modules = &sample_modules;
    assert_int_equal(support_lines(&with), LINES + 4);
    support_line(&with, LINES, &line);
    assert_true(line.is_heading);
    assert_string_equal(line.text, "SPD of the memory modules, by SMBus address and byte");
    support_line(&with, LINES + 1, &line);
    assert_string_equal(line.text, "0x50    0  23110c02852100080000000001030000"
                                   "0000060df80f00006e6e6e11006e6e6e");
    support_line(&with, LINES + 2, &line);
    assert_string_equal(line.text, "0x50   32  ff");
    support_line(&with, LINES + 3, &line);
    assert_string_equal(line.text, "0x51    0  2311");
}

TEST(says_all)
{
    struct support_line line;

    assert_int_equal(support_lines(&sample), LINES);
    for (size_t i = 0; i < LINES; i++) {
        support_line(&sample, i, &line);
        assert_int_equal(line.is_heading, lines[i][0] == '#');
        assert_string_equal(line.text, lines[i] + line.is_heading);
        assert_in_range(strlen(line.text), 1, 78); /* of the narrowest screen */
    }
}

TEST(says_what_is_not_there)
{
    static struct support s;

    s = (struct support){ 0 };
    assert_true(has(&s, "BIOS        -"));
    assert_true(has(&s, "screen      none"));
    assert_true(has(&s, "none"));
    s.has_vga_text = true;
    assert_true(has(&s, "VGA text, 80x25"));
    s.regions_lost = 7;
    assert_true(has(&s, "and 7 more, which are lost"));
    s.n_tables = SUPPORT_TABLES_MAX;
    assert_false(has(&s, "and 1 more"));
    s.n_tables++;
    assert_true(has(&s, "and 1 more"));
}

TEST(the_longest_names_have_room)
{
    static struct support s;
    struct support_line line;

    s = sample;
    memset(s.names.board.maker, 'm', SMBIOS_NAME_MAX - 1);
    memset(s.names.board.product, 'p', SMBIOS_NAME_MAX - 1);
    memset(s.names.board.version, 'v', SMBIOS_NAME_MAX - 1);
    for (size_t i = 0; i < support_lines(&s); i++) {
        support_line(&s, i, &line);
        if (strncmp(line.text, "board", 5) == 0)
            assert_int_equal(line.text[strlen(line.text) - 1], 'v');
    }
}

TEST(facts_are_bounded)
{
    static struct support_facts f;
    char longest[200];

    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    for (unsigned i = 0; i < SUPPORT_FACTS_MAX + 2; i++)
        support_add(&f, longest, "%s", longest);
    assert_int_equal(f.n, SUPPORT_FACTS_MAX);
    assert_int_equal(strlen(f.fact[0].name), sizeof(f.fact[0].name) - 1);
    assert_int_equal(strlen(f.fact[0].value), sizeof(f.fact[0].value) - 1);
}

TEST(ids_become_text)
{
    static const struct {
        const char from[9], *to;
    } ids[] = {
        { "BOCHS   ", "BOCHS" },
        { "BXPC\0\0\0\0", "BXPC" },
        { "A\x01\xff"
          "CDEFG",
          "A??CDEFG" },
        { "12345678", "12345678" },
        { "        ", "" },
        { "\0\0\0\0\0\0\0\0", "" },
    };
    char to[9];

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        support_copy_id(to, ids[i].from, 8);
        assert_string_equal(to, ids[i].to);
    }
}
