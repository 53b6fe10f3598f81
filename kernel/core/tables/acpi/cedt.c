// SPDX-License-Identifier: MIT
#include "acpi/cedt.h"

#include "lib/string.h"

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
