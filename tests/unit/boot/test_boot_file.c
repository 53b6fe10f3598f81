// SPDX-License-Identifier: MIT
#include "boot/uefi/network/boot_file.h"

#include "tests/unit/unit.h"

#define OPTIONS 240

static uint8_t packet[512];
static struct boot_file file;

static int start(void **state)
{
    memset(packet, 0, sizeof(packet));
    memcpy(packet + 20, (uint8_t[]){ 10, 0, 2, 2 }, 4);
    memcpy(packet + 108, "sub/okram.efi", 13);
    memcpy(packet + 236, (uint8_t[]){ 99, 130, 83, 99, 255 }, 5);
    memset(&file, 0xee, sizeof(file));
    return 0;
}

/* From a heap block of that size. */
static enum status read_cut(size_t size)
{
    uint8_t *block = malloc(size ? size : 1);
    enum status status;

    assert_non_null(block);
    memcpy(block, packet, size);
    status = boot_file_of_dhcp(block, size, &file);
    free(block);
    return status;
}

TEST(fields, start)
{
    assert_int_equal(read_cut(sizeof(packet)), STATUS_OK);
    assert_string_equal(file.path, "sub/okram.efi");
    assert_memory_equal(file.server, ((uint8_t[]){ 10, 0, 2, 2 }), 4);
}

TEST(options, start)
{
    static const uint8_t option[] = { 0,   1,   1,   7,   67, 9, 'o', 'k', 'r', 'a', 'm',
                                      '.', 'e', 'f', 'i', 54, 4, 192, 168, 0,   1,   255 };

    memset(packet + 20, 0, 4);
    memcpy(packet + OPTIONS, option, sizeof(option));
    assert_int_equal(read_cut(sizeof(packet)), STATUS_OK);
    assert_string_equal(file.path, "okram.efi");
    assert_memory_equal(file.server, ((uint8_t[]){ 192, 168, 0, 1 }), 4);
    for (size_t size = 0; size < OPTIONS + sizeof(option) - 1; size++)
        assert_true(read_cut(size) == STATUS_NOT_FOUND);
}

TEST(the_longest_name, start)
{
    memset(packet + 108, 'a', 128); /* unterminated */
    assert_int_equal(read_cut(sizeof(packet)), STATUS_OK);
    assert_int_equal(strlen(file.path), 128);
    memset(packet + OPTIONS, 'b', 260);
    packet[OPTIONS] = 67;
    packet[OPTIONS + 1] = 255;
    assert_int_equal(read_cut(sizeof(packet)), STATUS_OK);
    assert_int_equal(strlen(file.path), 255);
}

TEST(nothing_to_ask, start)
{
    packet[236] = 0;
    assert_int_equal(read_cut(sizeof(packet)), STATUS_NOT_FOUND);
    start(state);
    memset(packet + 20, 0, 4);
    assert_int_equal(read_cut(sizeof(packet)), STATUS_NOT_FOUND);
    start(state);
    memset(packet + 108, 0, 128);
    assert_int_equal(read_cut(sizeof(packet)), STATUS_NOT_FOUND);
}

TEST(siblings, start)
{
    static const struct {
        const char *path, *sibling;
    } row[] = {
        { "okram.efi", "okram.conf" },
        { "/a/b/okram.efi", "/a/b/okram.conf" },
        { "a\\okram.efi", "a\\okram.conf" },
        { "http://s:80/x/okram.efi?a=/b", "http://s:80/x/okram.conf" },
        { "", "okram.conf" },
    };
    char out[32], *tight;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_int_equal(boot_file_sibling(row[i].path, "okram.conf", out, sizeof(out)), STATUS_OK);
        assert_string_equal(out, row[i].sibling);
    }
    tight = malloc(13);
    assert_non_null(tight);
    assert_int_equal(boot_file_sibling("a/x", "okram.conf", tight, 13), STATUS_OK);
    assert_int_equal(boot_file_sibling("a/x", "okram.conf", tight, 12), STATUS_NO_SPACE);
    assert_int_equal(boot_file_sibling("a/b/c/d/e/f/g/h", "x", tight, 13), STATUS_NO_SPACE);
    free(tight);
}
