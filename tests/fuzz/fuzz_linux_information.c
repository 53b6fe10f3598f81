// SPDX-License-Identifier: MIT
/*
 * What the Linux boot protocol passes, made into Multiboot2 boot information, and that read again.
 * The input: flags (1), the module's start and end (4 each), the zero page, and the command line,
 * which is the okram.conf, too.
 */
#include "boot/linux_protocol/information.h"

#include <stdlib.h>
#include <string.h>

#include "boot/multiboot2/tags.h"
#include "fuzz.h"
#include "memory_map_checks.h"
#include "lib/minmax.h"
#include "options/words.h"

#define HAS_LINE 1u
#define HAS_CONF 2u
#define HAS_RSDP 4u
#define IS_RSDP  8u

static struct boot_info info;

/* As it is in memory: up to its NUL, or, where it is too long, without one that may be read. */
static char *line_of(const struct fuzz_input *in)
{
    size_t n = in->left < LINUX_COMMAND_LINE_MAX ? in->left : LINUX_COMMAND_LINE_MAX;

    return n < LINUX_COMMAND_LINE_MAX ? fuzz_text(in->bytes, n) : fuzz_copy(in->bytes, n);
}

/* Words that loaders add are not in it, nor is anything that was not in the line. */
static void check_line(const char *line, size_t n)
{
    const char *rest = info.cmdline;
    struct word word;

    if (!line) {
        CHECK(!info.cmdline[0]);
        return;
    }
    CHECK(strlen(info.cmdline) <= strnlen(line, n));
    while (word_next(&rest, &word))
        CHECK(strncmp(word.text, "BOOT_IMAGE=", 11) != 0 || info.truncated || strchr(line, '#') ||
              strpbrk(line, "\"'\xef"));
}

/* All of it up to a NUL, or as much as there is room for. */
static void check_conf(const char *conf, size_t size)
{
    size_t n = conf ? strnlen(conf, size) : 0;

    if (n < sizeof(info.conf))
        CHECK(strlen(info.conf) == n);
    else
        CHECK(strlen(info.conf) == sizeof(info.conf) - 1 && info.truncated);
    CHECK(!conf || strncmp(info.conf, conf, strlen(info.conf)) == 0);
}

static void check_map(const struct zero_page *zero)
{
    size_t n = zero->n_entries < ZERO_PAGE_ENTRIES ? zero->n_entries : ZERO_PAGE_ENTRIES;

    CHECK(info.n_regions == n && !info.regions_lost);
    for (size_t i = 0; i < n; i++)
        CHECK(info.region[i].base == zero->entry[i].base &&
              info.region[i].size == zero->entry[i].size &&
              info.region[i].firmware_type == zero->entry[i].type);
    memory_map_checks(info.region, info.n_regions, info.regions_lost, 46);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    struct linux_module copy = { (uint32_t)fuzz_number(&in, 4), (uint32_t)fuzz_number(&in, 4) };
    struct zero_page *zero = calloc(1, sizeof(*zero));
    uint8_t *made = malloc(LINUX_INFORMATION_MAX);
    size_t got;
    const uint8_t *page = fuzz_bytes(&in, sizeof(*zero), &got);
    char *line = flags & HAS_LINE ? line_of(&in) : NULL;
    char *conf = flags & HAS_CONF ? fuzz_copy(in.bytes, in.left) : NULL;
    char *read = flags & HAS_CONF ? fuzz_copy(in.bytes, in.left) : NULL; /* UTF-16 as ASCII */
    uint8_t *rsdp = flags & HAS_RSDP ? calloc(1, LINUX_RSDP_BYTES) : NULL;
    const struct linux_texts texts = { line, conf, (uint32_t)in.left, rsdp };
    bool is_uefi;
    uint32_t n;

    CHECK(zero && made);
    memcpy(zero, page, got);
    if (rsdp)
        memcpy(rsdp, "RSD PTR ", flags & IS_RSDP ? 8 : 7);
    n = linux_information(zero, &texts, &copy, made);
    CHECK(n % 8 == 0 && n <= LINUX_INFORMATION_MAX && memcmp(made, &n, sizeof(n)) == 0);
    memset(&info, 0, sizeof(info));
    multiboot2_read(made, n, &info);
    is_uefi = zero->efi_loader == EFI_LOADER_32 || zero->efi_loader == EFI_LOADER_64;
    CHECK((info.firmware == BOOT_UEFI) == is_uefi && !info.smbios);
    CHECK(!info.rsdp == !(rsdp && flags & IS_RSDP));
    CHECK(strstr(info.loader, "Linux boot protocol"));
    check_line(line, LINUX_COMMAND_LINE_MAX);
    check_conf(read, read ? conf_text_make(read, min_u64(in.left, 2 * (BOOT_CONF_MAX + 1))) : 0);
    check_map(zero);
    free(rsdp);
    free(read);
    free(conf);
    free(line);
    free(made);
    free(zero);
    return 0;
}
