// SPDX-License-Identifier: MIT
#include "variables.h"

#include <efilib.h>

#include "lib/string.h"
#include "saved/saved.h"
#include "sign/secret.h"

#define NAME_MAX          32
#define UEFI_2_0          (2u << 16)
#define BOOT_NUMBER_BYTES 2 /* of BootCurrent and BootNext: UEFI 2.10, 3.3 */

EFI_GUID variable_okram = SAVED_GUID;
EFI_GUID variable_boot = EFI_GLOBAL_VARIABLE;
EFI_GUID variable_shim = {
    0x605dab50, 0xe046, 0x4300, { 0xab, 0xb6, 0x3d, 0xd8, 0x10, 0xdd, 0x8b, 0x23 }
};

static void to_name(const char *text, CHAR16 out[NAME_MAX])
{
    UINTN n = 0;

    for (; text[n] && n + 1 < NAME_MAX; n++)
        out[n] = (CHAR16)text[n];
    out[n] = 0;
}

/* size: the buffer's, then the data's. */
static EFI_STATUS get(const char *text, const EFI_GUID *vendor, UINT32 *attributes, UINTN *size,
                      void *out)
{
    CHAR16 name[NAME_MAX];

    to_name(text, name);
    return RT->GetVariable(name, (EFI_GUID *)vendor, attributes, size, out);
}

static EFI_STATUS set(const char *text, const EFI_GUID *vendor, UINT32 attributes, UINTN size,
                      const void *bytes)
{
    CHAR16 name[NAME_MAX];

    to_name(text, name);
    return RT->SetVariable(name, (EFI_GUID *)vendor, attributes, size, (void *)bytes);
}

struct variable variable_read(const char *name, const EFI_GUID *vendor)
{
    struct variable v = { 0 };
    UINTN size = 0;
    UINT8 none;

    v.status = get(name, vendor, &v.attributes, &size, &none);
    if (v.status != EFI_BUFFER_TOO_SMALL) {
        v.status = EFI_ERROR(v.status) ? v.status : EFI_NOT_FOUND;
        return v;
    }
    v.status = EFI_OUT_OF_RESOURCES;
    if (size <= VARIABLE_BYTES_MAX)
        v.bytes = AllocateZeroPool(size + 1);
    if (!v.bytes)
        return v;
    v.size = size;
    v.status = get(name, vendor, &v.attributes, &v.size, v.bytes);
    if (EFI_ERROR(v.status) || v.size > size)
        variable_free(&v);
    return v;
}

void variable_free(struct variable *variable)
{
    if (variable->bytes) {
        secret_wipe(variable->bytes, variable->size);
        FreePool(variable->bytes);
    }
    variable->bytes = NULL;
    variable->size = 0;
}

bool variable_exists(const char *name, const EFI_GUID *vendor)
{
    UINT32 attributes;
    UINTN size = 0;
    UINT8 none;

    return get(name, vendor, &attributes, &size, &none) == EFI_BUFFER_TOO_SMALL;
}

static bool is_there(const char *name, const EFI_GUID *vendor, UINT32 attributes, const void *bytes,
                     UINTN size)
{
    struct variable v = variable_read(name, vendor);
    bool same = v.bytes && v.size == size && v.attributes == attributes &&
                memcmp(v.bytes, bytes, size) == 0;

    variable_free(&v);
    return same;
}

EFI_STATUS variable_write(const char *name, const EFI_GUID *vendor, UINT32 attributes,
                          const void *bytes, UINTN size)
{
    EFI_STATUS status = EFI_SUCCESS;
    UINT32 now = attributes;
    UINTN none = 0;
    UINT8 nowhere;

    if (get(name, vendor, &now, &none, &nowhere) == EFI_BUFFER_TOO_SMALL && now != attributes)
        status = variable_delete(name, vendor);
    if (!EFI_ERROR(status))
        status = set(name, vendor, attributes, size, bytes);
    if (!EFI_ERROR(status) && !is_there(name, vendor, attributes, bytes, size))
        status = EFI_DEVICE_ERROR;
    return status;
}

EFI_STATUS variable_delete(const char *name, const EFI_GUID *vendor)
{
    EFI_STATUS status = set(name, vendor, 0, 0, NULL);

    return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

void variable_boot_again(void)
{
    struct variable current = variable_read("BootCurrent", &variable_boot);

    if (current.bytes && current.size == BOOT_NUMBER_BYTES)
        (void)variable_write("BootNext", &variable_boot, VARIABLE_SHARED, current.bytes,
                             current.size);
    variable_free(&current);
}

bool variable_room(UINT32 attributes, uint64_t *ret_remaining, uint64_t *ret_largest)
{
    UINT64 all, remaining, largest;

    if (ST->Hdr.Revision < UEFI_2_0 ||
        EFI_ERROR(RT->QueryVariableInfo(attributes, &all, &remaining, &largest)))
        return false;
    *ret_remaining = remaining;
    *ret_largest = largest;
    return true;
}
