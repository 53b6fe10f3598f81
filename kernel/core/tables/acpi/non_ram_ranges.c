// SPDX-License-Identifier: MIT
#include "acpi/non_ram_ranges.h"

#include "acpi/acpi.h"
#include "lib/string.h"

#define WHY_WINDOW "no memory there: a window for CXL memory"
#define WHY_EMPTY  "no memory there: a range for hot-plug"

static bool is_other(enum boot_region_kind kind)
{
    return kind == BOOT_REGION_PERSISTENT || kind == BOOT_REGION_UNACCEPTED;
}

/* What is reserved or a device's may be in a range without memory. */
static bool is_empty(const struct memory_map *map, struct span span)
{
    for (size_t i = 0; i < map->n_regions; i++) {
        const struct memory_region *r = &map->region[i];

        if ((memory_kind_is_ram(r->kind) || is_other(r->kind)) &&
            span_intersect(r->span, span).size)
            return false;
    }
    return true;
}

static size_t n_windows(const struct memory_tables *t)
{
    return t->cedt ? t->cedt->n : 0;
}

/* The SRAT has a range for each CXL window: the window says more. */
static bool is_in_window(const struct memory_tables *t, struct span span)
{
    for (size_t i = 0; i < n_windows(t); i++) {
        if (span_intersect(t->cedt->window[i], span).size)
            return true;
    }
    return false;
}

size_t non_ram_ranges_max(const struct memory_tables *t)
{
    return t->map->n_regions + n_windows(t) + (t->srat ? t->srat->n_memory : 0);
}

/* Candidate i of the regions, the windows and the ranges, in this order. why NULL: it is none. */
static struct other_memory candidate(const struct memory_tables *t, size_t i)
{
    const struct memory_map *map = t->map;
    struct span span;

    if (i < map->n_regions) {
        const struct memory_region *r = &map->region[i];

        return (struct other_memory){ r->span,
                                      is_other(r->kind) ? memory_kind_name(r->kind) : NULL };
    }
    i -= map->n_regions;
    if (i < n_windows(t)) {
        span = t->cedt->window[i];
        return (struct other_memory){ span, is_empty(map, span) ? WHY_WINDOW : NULL };
    }
    span = t->srat->memory[i - n_windows(t)].span;
    return (struct other_memory){ span, is_empty(map, span) && !is_in_window(t, span) ? WHY_EMPTY
                                                                                      : NULL };
}

bool non_ram_ranges_next(const struct memory_tables *tables, size_t *at,
                         struct other_memory *ret_other)
{
    while (*at < non_ram_ranges_max(tables)) {
        *ret_other = candidate(tables, (*at)++);
        if (ret_other->why)
            return true;
    }
    return false;
}

struct cedt_head {
    uint8_t type, reserved;
    uint16_t length; /* this head counts, too */
} __attribute__((packed));

/* A fixed memory window; after it the host bridges that share it. */
struct cedt_window {
    struct cedt_head head;
    uint32_t reserved;
    uint64_t base, size;
} __attribute__((packed));
_Static_assert(sizeof(struct cedt_window) == 24, "CXL 3.1, 9.18.1.3");

#define CEDT_WINDOW 1

enum defect { BROKEN, LOST, CUT_OFF, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [BROKEN] = "malformed memory windows, ignored",
    [LOST] = "memory windows beyond the first 64, not listed",
    [CUT_OFF] = "a structure has an impossible length; bytes not read",
};
_Static_assert(CEDT_WINDOWS_MAX == 64, "as in defect_text");

static void read_window(struct cedt *cedt, const uint8_t *bytes, size_t length, uint64_t *defects)
{
    struct cedt_window w;

    if (length < sizeof(w)) {
        defects[BROKEN]++;
        return;
    }
    memcpy(&w, bytes, sizeof(w));
    if (w.size == 0 || w.base + (w.size - 1) < w.base)
        defects[BROKEN]++;
    else if (cedt->n == CEDT_WINDOWS_MAX)
        defects[LOST]++;
    else
        cedt->window[cedt->n++] = (struct span){ w.base, w.size };
}

enum status cedt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct cedt *ret_cedt)
{
    const uint8_t *at = (const uint8_t *)table, *end = at + table->length;
    uint64_t defects[DEFECTS] = { 0 };
    struct cedt_head head;

    if (!acpi_table_holds(table, sizeof(*table), "CEDT", warnings))
        return STATUS_INVALID;
    ret_cedt->n = 0;
    for (at += sizeof(*table); (size_t)(end - at) >= sizeof(head); at += head.length) {
        memcpy(&head, at, sizeof(head));
        if (head.length < sizeof(head) || head.length > end - at)
            break;
        if (head.type == CEDT_WINDOW)
            read_window(ret_cedt, at, head.length, defects);
    }
    defects[CUT_OFF] = (uint64_t)(end - at);
    warn_counts(warnings, "CEDT", defect_text, defects, DEFECTS);
    return STATUS_OK;
}

/* The BIOS' data area: how many KiB of base memory are free. memdisk's driver is after them. */
#define BDA_FREE_KIB 0x413u
#define FREE_KIB_MIN 64u
#define BASE_END     0xa0000u
#define ALIGNMENT    16u

struct memdisk_info {
    uint16_t bytes; /* with this field */
    uint8_t minor, major;
    uint32_t address, sectors;
    uint8_t others[14]; /* and more, from version 3.00 on */
} __attribute__((packed));
_Static_assert(sizeof(struct memdisk_info) == 26, "doc/memdisk.txt, before 3.00");

struct mbft {
    struct acpi_header header;
    uint32_t safe_hook;
    struct memdisk_info disk;
} __attribute__((packed));
_Static_assert(sizeof(struct mbft) == 36 + 4 + 26, "memdisk/mstructs.h");

static bool read_table(const struct phys_reader *reader, uint64_t phys, uint64_t *ret_disk)
{
    const struct mbft *t = phys_map(reader, phys, sizeof(*t));
    uint32_t length;

    if (!t || memcmp(t->header.signature, "mBFT", 4) != 0)
        return false;
    length = t->header.length;
    if (length < sizeof(*t) || length > BASE_END - phys ||
        length != offsetof(struct mbft, disk) + t->disk.bytes)
        return false;
    t = phys_map(reader, phys, length);
    if (!t || !checksum_ok(t, length))
        return false;
    *ret_disk = t->disk.address;
    return true;
}

bool mbft_next(const struct phys_reader *reader, uint64_t *at, uint64_t *ret_disk)
{
    const uint8_t *kib = phys_map(reader, BDA_FREE_KIB, 2);
    uint64_t phys = *at;

    if (!phys && kib)
        phys = (uint64_t)(kib[0] | kib[1] << 8) << 10;
    if (phys < FREE_KIB_MIN << 10)
        return false;
    for (; phys + sizeof(struct mbft) <= BASE_END; phys += ALIGNMENT) {
        if (read_table(reader, phys, ret_disk)) {
            *at = phys + ALIGNMENT;
            return true;
        }
    }
    *at = BASE_END;
    return false;
}
