// SPDX-License-Identifier: MIT
#include "machine_facts/support.h"

#include <stdarg.h>

#include "lib/fmt.h"
#include "lib/string.h"

const char *support_kind_name(uint32_t kind)
{
    switch ((enum boot_region_kind)kind) { /* no default: gcc says what is missing */
    case BOOT_REGION_USABLE:
        return "usable";
    case BOOT_REGION_ACPI_RECLAIM:
        return "ACPI tables";
    case BOOT_REGION_ACPI_NVS:
        return "ACPI NVS";
    case BOOT_REGION_RUNTIME:
        return "UEFI run time";
    case BOOT_REGION_RESERVED:
        return "reserved";
    case BOOT_REGION_BAD:
        return "bad";
    case BOOT_REGION_MMIO:
        return "device";
    case BOOT_REGION_PERSISTENT:
        return "persistent";
    case BOOT_REGION_SPECIFIC:
        return "specific-purpose";
    case BOOT_REGION_UNACCEPTED:
        return "unaccepted";
    }
    return "unknown";
}

void support_add(struct support_facts *facts, const char *name, const char *format, ...)
{
    struct support_fact *f = &facts->fact[facts->n];
    va_list args;

    if (facts->n == SUPPORT_FACTS_MAX)
        return;
    facts->n++;
    string_copy(f->name, name, sizeof(f->name));
    va_start(args, format);
    fmt_vprint(f->value, sizeof(f->value), format, args);
    va_end(args);
}

void support_copy_id(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    while (n && (to[n - 1] == ' ' || !from[n - 1]))
        n--;
    to[n] = 0;
}
