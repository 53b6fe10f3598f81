// SPDX-License-Identifier: MIT
#include "report_vars.h"

#include <efilib.h>

#include "lib/fmt.h"
#include "lib/string.h"

#define VARIABLE_NAME_MAX 512   /* characters, with the NUL */
#define VARIABLES_MAX     10000 /* of all vendors, that are looked through */

static EFI_GUID vendor = SAVED_GUID;

static CHAR16 *part_name(unsigned part)
{
    static CHAR16 name[] = L"OkramReport0?";

    name[sizeof(name) / sizeof(name[0]) - 2] = (CHAR16) "0123456789ABCDEF"[part];
    return name;
}

/* A variable that cannot be read counts as empty. */
static void read_variable(CHAR16 *name, uint8_t bytes[SAVED_VARIABLE_MAX],
                          struct saved_variable *ret_variable)
{
    UINTN size = SAVED_VARIABLE_MAX;
    UINT32 attributes = 0;
    EFI_STATUS status = RT->GetVariable(name, &vendor, &attributes, &size, bytes);

    *ret_variable = (struct saved_variable){ 0 };
    if (status == EFI_NOT_FOUND)
        return;
    if (EFI_ERROR(status) && status != EFI_BUFFER_TOO_SMALL)
        size = 0;
    *ret_variable = (struct saved_variable){ bytes, size, attributes };
}

static bool same(const CHAR16 *a, const CHAR16 *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/*
 * Whether it is the report's, the guard's (its list, its patrol's position and the like), the key
 * or the diagnosis.
 */
static bool is_used(const CHAR16 *name)
{
    static const CHAR16 *const others[] = {
        L"OkramGuard",       L"OkramGuardNew", L"OkramGuardStatus", L"OkramGuardMasked",
        L"OkramGuardBackup", L"OkramPatrol",   L"OkramKey",         L"OkramDiagnosis",
    };
    bool used = false;

    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        used |= same(name, others[i]);
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        used |= same(name, part_name(i));
    return used;
}

static void append_name(struct fmt_buffer *out, const CHAR16 *name)
{
    fmt_append(out, "%s", out->length ? ", " : "");
    for (unsigned i = 0; i < 32 && name[i]; i++)
        fmt_append(out, "%c", name[i] >= ' ' && name[i] <= '~' ? (char)name[i] : '?');
}

static void find_others(struct fmt_buffer *out)
{
    static CHAR16 name[VARIABLE_NAME_MAX];
    EFI_GUID guid = { 0 };

    name[0] = 0;
    for (int i = 0; i < VARIABLES_MAX; i++) {
        UINTN size = sizeof(name);

        if (EFI_ERROR(RT->GetNextVariableName(&size, name, &guid)))
            return;
        if (memcmp(&guid, &vendor, sizeof(guid)) == 0 && !is_used(name))
            append_name(out, name);
    }
}

void report_vars_read(struct report_vars *ret_vars)
{
    struct report_vars *v = ret_vars;
    struct fmt_buffer others = fmt_buffer_make(v->others, sizeof(v->others));

    memset(v->bytes, 0, sizeof(v->bytes));
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        read_variable(part_name(i), v->bytes[i], &v->variables.part[i]);
    find_others(&others);
}

static EFI_STATUS delete_variable(CHAR16 *name)
{
    EFI_STATUS status = RT->SetVariable(name, &vendor, 0, 0, NULL);

    return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

EFI_STATUS report_vars_delete(const struct saved_report *report)
{
    EFI_STATUS status = EFI_SUCCESS;

    for (unsigned i = 0; i < SAVED_PARTS_MAX && !EFI_ERROR(status); i++) {
        if (report->used_parts >> i & 1)
            status = delete_variable(part_name(i));
    }
    return status;
}
