// SPDX-License-Identifier: MIT
#include "boot/linux_protocol/information.h"

#include "boot/multiboot2/tag.h"
#include "boot/multiboot2/tags.h"
#include "tests/unit/unit.h"

static struct zero_page zero;
static struct boot_info info;
static _Alignas(8) uint8_t bytes[LINUX_INFORMATION_MAX];
static const struct linux_module copy = { 0x104000, 0x1bb000 };
static char *conf; /* NULL: none is passed */
static uint32_t conf_bytes;
static const void *rsdp;

static int start(void **state)
{
    memset(&zero, 0, sizeof(zero));
    memset(&info, 0, sizeof(info));
    memset(bytes, 0xee, sizeof(bytes));
    conf = NULL;
    rsdp = NULL;
    return 0;
}

static void add(uint64_t base, uint64_t size, uint32_t type)
{
    zero.entry[zero.n_entries++] = (struct e820_entry){ base, size, type };
}

/* What okram makes of it, read from a heap block of its size. */
static void convert(const char *command_line)
{
    const struct linux_texts texts = { command_line, conf, conf_bytes, rsdp };
    uint32_t size = linux_information(&zero, &texts, &copy, bytes), total;
    void *block = malloc(size);

    assert_true(size <= sizeof(bytes));
    assert_non_null(block);
    memcpy(&total, bytes, sizeof(total));
    assert_int_equal(total, size);
    memcpy(block, bytes, size);
    assert_int_equal(multiboot2_read(block, size, &info), STATUS_OK);
    free(block);
}

/* The first tag of a type; NULL: none. */
static const void *find(uint32_t type)
{
    size_t at = TAGS_START, size = sizeof(bytes);
    const struct tag *t;

    while ((t = tag_next(bytes, size, &at)) && t->type != TAG_END) {
        if (t->type == type)
            return t;
    }
    return NULL;
}

TEST(a_pc_by_pxelinux, start)
{
    const struct tag_module *module;
    const uint32_t *memory;

    zero.loader_type = 0x32;
    add(0, 0x9fc00, 1);
    add(0x9fc00, 0x400, 2);
    add(0x100000, 0x3ef0000, 1);
    add(0x3ff0000, 0x10000, 3);
    convert("tests=quick patterns=7");
    assert_string_equal(info.cmdline, "tests=quick patterns=7");
    assert_string_equal(info.loader, "Syslinux, Linux boot protocol");
    assert_int_equal(info.firmware, BOOT_BIOS);
    assert_int_equal(info.vga_text, 1);
    assert_int_equal(info.n_regions, 4);
    assert_int_equal(info.region[2].base, 0x100000);
    assert_int_equal(info.region[2].size, 0x3ef0000);
    assert_int_equal(info.region[3].kind, BOOT_REGION_ACPI_RECLAIM);
    memory = find(TAG_MEMORY);
    assert_int_equal(memory[2], 639);
    assert_int_equal(memory[3], 0x3ef0000 / 1024);
    module = find(TAG_MODULE);
    assert_int_equal(module->start, copy.start);
    assert_int_equal(module->end, copy.end);
}

TEST(loaders_words_are_left_out, start)
{
    convert("BOOT_IMAGE=okram.lkrn tests=quick BOOTIF=01-52-54-00-12-34-56");
    assert_string_equal(info.cmdline, "tests=quick ");
    convert("tests=quick xBOOT_IMAGE=1");
    assert_string_equal(info.cmdline, "tests=quick xBOOT_IMAGE=1");
    convert("quiet ip=dhcp initrd=a.img,b.img patterns=7 vga=791 root=/dev/sda1");
    assert_string_equal(info.cmdline, "patterns=7 ");
    convert("quiet\ttests=quick\troot=\"a b\" march='{up(r0) ro}' splash");
    assert_string_equal(info.cmdline, "tests=quick\tmarch='{up(r0) ro}' ");
    convert("BOOT_IMAGE=only");
    assert_string_equal(info.cmdline, "");
}

TEST(no_command_line, start)
{
    convert(NULL);
    assert_string_equal(info.cmdline, "");
    assert_null(find(TAG_CMDLINE));
    assert_int_equal(info.truncated, 0);
}

TEST(a_long_command_line_is_cut, start)
{
    char *text = malloc(LINUX_COMMAND_LINE_MAX); /* unterminated */

    assert_non_null(text);
    memset(text, 'a', LINUX_COMMAND_LINE_MAX);
    convert(text);
    assert_int_equal(strlen(info.cmdline), sizeof(info.cmdline) - 1);
    assert_int_equal(info.truncated, 1);
    free(text);
}

/* An okram.conf of n bytes, in a heap block of that size. */
static void convert_conf(const char *text, size_t n)
{
    char *block = malloc(n ? n : 1);

    assert_non_null(block);
    memcpy(block, text, n);
    conf = block;
    conf_bytes = (uint32_t)n;
    convert("patterns=7");
    free(block);
}

TEST(a_conf_as_ram_disk, start)
{
    static const char text[] = "# all\ntests=quick\n\0\0\0"; /* as loaders pad it */

    convert_conf(text, sizeof(text));
    assert_string_equal(info.conf, text);
    assert_string_equal(info.cmdline, "patterns=7");
    assert_int_equal(info.truncated, 0);
    convert_conf(text, 6);
    assert_string_equal(info.conf, "# all\n");
    convert_conf(text, 0);
    assert_string_equal(info.conf, "");
    assert_int_equal(info.truncated, 0);
}

/* As Windows' Notepad saves it. */
TEST(a_conf_in_utf_16, start)
{
    static const char text[] = "\xff\xfet\0e\0s\0t\0s\0=\0q\0";
    static char half[2 * (BOOT_CONF_MAX + 2)];

    convert_conf(text, sizeof(text) - 1);
    assert_string_equal(info.conf, "tests=q");
    for (size_t i = 0; i < sizeof(half); i += 2)
        half[i] = 'a';
    convert_conf(half, 2 * (BOOT_CONF_MAX - 1));
    assert_int_equal(strlen(info.conf), BOOT_CONF_MAX - 1);
    assert_false(info.truncated);
    convert_conf(half, sizeof(half));
    assert_int_equal(strlen(info.conf), BOOT_CONF_MAX - 1);
    assert_true(info.truncated);
}

TEST(a_long_conf_is_cut, start)
{
    static char text[BOOT_CONF_MAX + 99];

    memset(text, 'a', sizeof(text));
    convert_conf(text, BOOT_CONF_MAX - 1);
    assert_int_equal(strlen(info.conf), BOOT_CONF_MAX - 1);
    assert_int_equal(info.truncated, 0);
    for (size_t n = BOOT_CONF_MAX; n <= sizeof(text); n += 99) {
        info.truncated = 0;
        convert_conf(text, n);
        assert_int_equal(strlen(info.conf), BOOT_CONF_MAX - 1);
        assert_int_equal(info.truncated, 1);
    }
}

TEST(the_most_of_all_fits, start)
{
    char text[LINUX_COMMAND_LINE_MAX + 1], long_conf[BOOT_CONF_MAX];

    memset(text, 'a', sizeof(text));
    text[LINUX_COMMAND_LINE_MAX] = 0;
    memset(long_conf, 'a', sizeof(long_conf));
    conf = long_conf;
    conf_bytes = sizeof(long_conf);
    zero.screen.kind = SCREEN_VESA;
    for (uint32_t i = 0; i < ZERO_PAGE_ENTRIES; i++)
        add(i << 20, 1 << 20, 1);
    convert(text);
    assert_int_equal(info.n_regions, ZERO_PAGE_ENTRIES);
    zero.n_entries = 255; /* more than the page has */
    convert(text);
    assert_int_equal(info.n_regions, 2 * ZERO_PAGE_ENTRIES);
}

TEST(without_a_map, start)
{
    convert("");
    assert_null(find(TAG_MEMORY_MAP));
    assert_int_equal(((const uint32_t *)find(TAG_MEMORY))[3], 0);
}

TEST(memory_to_the_end_of_the_address_space, start)
{
    add(0x100000, UINT64_C(8) << 30, 1);
    convert("");
    assert_int_equal(((const uint32_t *)find(TAG_MEMORY))[3], (UINT32_MAX - 0x100000) / 1024);
    zero.entry[0].size = UINT64_MAX; /* wraps */
    convert("");
    assert_int_equal(((const uint32_t *)find(TAG_MEMORY))[3], 0);
}

TEST(a_framebuffer, start)
{
    zero.screen = (struct screen_info){
        .kind = SCREEN_VESA,
        .width = 1024,
        .height = 768,
        .depth = 32,
        .base = 0xfd000000,
        .pitch = 4096,
        .red_bits = 8,
        .red_position = 16,
        .green_bits = 8,
        .green_position = 8,
        .blue_bits = 8,
    };
    convert("");
    assert_int_equal(info.vga_text, 0);
    assert_int_equal(info.framebuffer.base, 0xfd000000);
    assert_int_equal(info.framebuffer.width, 1024);
    assert_int_equal(info.framebuffer.height, 768);
    assert_int_equal(info.framebuffer.pitch, 4096);
    assert_int_equal(info.framebuffer.bits_per_pixel, 32);
    assert_int_equal(info.framebuffer.red_mask, 0xff0000);
    assert_int_equal(info.framebuffer.green_mask, 0xff00);
    assert_int_equal(info.framebuffer.blue_mask, 0xff);
}

TEST(names_of_loaders, start)
{
    static const struct {
        uint8_t type;
        const char *name;
    } loader[] = {
        { 0x66, "Linux boot protocol" },        { 0x41, "iPXE, Linux boot protocol" },
        { 0x72, "GRUB, Linux boot protocol" },  { 0xb0, "QEMU, Linux boot protocol" },
        { 0xd0, "kexec, Linux boot protocol" },
    };

    for (size_t i = 0; i < sizeof(loader) / sizeof(loader[0]); i++) {
        zero.loader_type = loader[i].type;
        convert("");
        assert_string_equal(info.loader, loader[i].name);
    }
}

TEST(firmwares_rsdp, start)
{
    static const char signature[] = "RSD PTR ";
    uint8_t *passed = calloc(1, LINUX_RSDP_BYTES);

    assert_non_null(passed);
    rsdp = passed;
    convert("");
    assert_int_equal(info.rsdp, 0); /* no RSDP */
    memcpy(passed, signature, 8);
    passed[35] = 0x5a;
    convert("");
    assert_non_null(find(TAG_RSDP_NEW));
    assert_memory_equal((const uint8_t *)find(TAG_RSDP_NEW) + sizeof(struct tag), passed,
                        LINUX_RSDP_BYTES);
    free(passed);
}

TEST(uefis_system_table, start)
{
    static const struct {
        uint32_t signature;
        uint8_t loader;
        bool is_uefi, is_64;
        uint64_t address;
    } cases[] = {
        { 0, 0x72, false, false, 0 },
        { 0x34364c46, 0x72, false, false, 0 },
        { EFI_LOADER_64, 0x72, true, true, 0x17eec018 | UINT64_C(3) << 32 },
        { EFI_LOADER_32, 0x72, true, false, 0x17eec018 },
        { EFI_LOADER_64, 0xd0, true, false, 0 }, /* kexec: its addresses are Linux's */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t address = 0;
        bool is_64 = false;

        start(state);
        zero.loader_type = cases[i].loader;
        zero.efi_loader = cases[i].signature;
        zero.efi_system_table = 0x17eec018;
        zero.efi_system_table_high = 3;
        convert("");
        assert_int_equal(info.firmware, cases[i].is_uefi ? BOOT_UEFI : BOOT_BIOS);
        assert_int_equal(info.efi_system_table, cases[i].is_64 ? cases[i].address : 0);
        assert_int_equal(multiboot2_efi(bytes, sizeof(bytes), &address, &is_64),
                         cases[i].address != 0);
        assert_int_equal(address, cases[i].address);
        assert_int_equal(is_64, cases[i].is_64);
    }
}
