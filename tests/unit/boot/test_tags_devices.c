// SPDX-License-Identifier: MIT
/* The tags that name screens and firmware tables. */
#include "information.h"

TEST(rgb_framebuffer)
{
    begin();
    add(8, &rgb, sizeof(rgb));
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(info.framebuffer.base, 0xfd000000);
    assert_int_equal(info.framebuffer.width, 1080);
    assert_int_equal(info.framebuffer.height, 600);
    assert_int_equal(info.framebuffer.pitch, 4352);
    assert_int_equal(info.framebuffer.bits_per_pixel, 32);
    assert_int_equal(info.framebuffer.red_mask, 0xff0000);
    assert_int_equal(info.framebuffer.green_mask, 0xff00);
    assert_int_equal(info.framebuffer.blue_mask, 0xff);
    assert_int_equal(info.vga_text, 0);
}

TEST(colour_masks)
{
    static const struct {
        uint8_t position, bits;
        uint32_t mask;
    } cases[] = {
        { 11, 5, 0xf800 }, { 0, 0, 0 },  { 31, 1, 0x80000000 }, { 1, 31, 0xfffffffe },
        { 0, 32, 0 },      { 32, 1, 0 }, { 255, 255, 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct framebuffer f = rgb;

        f.fields[2] = cases[i].position;
        f.fields[3] = cases[i].bits;
        begin();
        add(8, &f, sizeof(f));
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(info.framebuffer.green_mask, cases[i].mask);
        assert_int_equal(info.framebuffer.red_mask, 0xff0000);
    }
}

/* Which screen there is to draw on, by firmware and framebuffer tag. */
TEST(screens)
{
    static const struct {
        bool uefi;
        uint8_t type;
        size_t content; /* bytes of the tag; 0: no tag */
        bool framebuffer, vga_text;
    } cases[] = {
        { false, 0, 0, false, true }, /* GRUB leaves the text screen on when it says nothing */
        { true, 0, 0, false, false },
        { false, 2, TEXT_BYTES, false, true },
        { false, 2, sizeof(rgb), false, true }, /* as Limine makes it */
        { false, 2, TEXT_BYTES - 1, false, false },
        { false, 1, sizeof(rgb), true, false },
        { true, 1, sizeof(rgb), true, false },
        { false, 1, sizeof(rgb) - 1, false, false },
        { false, 0, sizeof(rgb), false, false }, /* a palette */
        { false, 3, sizeof(rgb), false, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct framebuffer f = rgb;

        f.type = cases[i].type;
        begin();
        if (cases[i].content)
            add(8, &f, cases[i].content);
        if (cases[i].uefi)
            add(12, (uint64_t[]){ 0x7f000018 }, 8);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(info.framebuffer.base != 0, cases[i].framebuffer);
        assert_int_equal(info.vga_text, cases[i].vga_text);
    }
}

TEST(efi_tags)
{
    static const struct {
        uint32_t type;
        size_t content;
        enum boot_firmware firmware;
        uint64_t table;
    } cases[] = {
        { 12, 8, BOOT_UEFI, 0x123456789abcdef0 },
        { 12, 7, BOOT_UEFI, 0 },
        { 11, 4, BOOT_UEFI, 0 },
        { 20, 8, BOOT_BIOS, 0 }, /* the image handle is not asked for, and says nothing */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin();
        add(cases[i].type, (uint64_t[]){ 0x123456789abcdef0 }, cases[i].content);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(info.firmware, cases[i].firmware);
        assert_int_equal(info.efi_system_table, cases[i].table);
        assert_int_equal(info.efi_services, cases[i].type == 12 ? UINT32_MAX : 0);
    }
}

TEST(new_rsdp_before_old)
{
    for (int new_first = 0; new_first < 2; new_first++) {
        begin();
        if (new_first)
            add(15, rsdp_2, sizeof(rsdp_2));
        add(14, rsdp_1, sizeof(rsdp_1));
        if (!new_first)
            add(15, rsdp_2, sizeof(rsdp_2));
        assert_int_equal(read_all(), STATUS_OK);
        assert_memory_equal((void *)info.rsdp, rsdp_2, sizeof(rsdp_2));
    }
}

TEST(short_rsdps)
{
    begin();
    add(14, rsdp_1, sizeof(rsdp_1));
    add(15, rsdp_2, sizeof(rsdp_2) - 1);
    assert_int_equal(read_all(), STATUS_OK);
    assert_memory_equal((void *)info.rsdp, rsdp_1, sizeof(rsdp_1));

    begin();
    add(14, rsdp_1, sizeof(rsdp_1) - 1);
    add(15, NULL, 0);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(info.rsdp, 0);
}

TEST(smbios_entry_points)
{
    static const struct {
        const char *content;
        size_t bytes; /* after the 8 of the version */
        bool taken;
    } cases[] = {
        { "_SM3_", 24, true },  { "_SM3_", 23, false }, { "_SM_", 31, true },
        { "_DMI_", 31, false }, { "_SM3", 31, false },  { "\1\33\1\0QEMU", 40, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t content[64] = { 3, 2 };

        memcpy(content + 8, cases[i].content, strlen(cases[i].content));
        begin();
        add(13, content, 8 + cases[i].bytes);
        assert_int_equal(read_all(), STATUS_OK);
        if (cases[i].taken)
            assert_memory_equal((void *)info.smbios, content + 8, cases[i].bytes);
        else
            assert_int_equal(info.smbios, 0);
    }
    for (size_t bytes = 0; bytes <= 8; bytes++) {
        begin();
        add(13, "\3\2\0\0\0\0\0", bytes);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(info.smbios, 0);
    }
}

/* Two at once, as Limine gives them: the later one, of version 3, is taken. */
TEST(the_last_smbios_entry_point)
{
    begin();
    add(13, "\2\7\0\0\0\0\0\0_SM_ and what is behind it, to 31", 8 + 31);
    add(13, "\3\2\0\0\0\0\0\0_SM3_ and what is behind", 8 + 24);
    assert_int_equal(read_all(), STATUS_OK);
    assert_memory_equal((void *)info.smbios, "_SM3_", 5);
}
