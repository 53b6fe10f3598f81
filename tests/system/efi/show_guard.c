// SPDX-License-Identifier: MIT
/*
 * Prints on COM1 what an operating system would see of the guard: its variables, and firmware's
 * memory map, a descriptor a line. Then powers off.
 */
#include <efi.h>
#include <efilib.h>

#include "com1.h"

#define ROOM     (1u << 20) /* bytes of a variable */
#define MAP_ROOM (8u << 20)

#define OKRAM_GUID                                                                                 \
    {                                                                                              \
        0x6f6b7261, 0x6d52, 0x4a4d,                                                                \
        {                                                                                          \
            0x9e, 0x15, 0xb5, 0x25, 0x02, 0x97, 0xc0, 0xde                                         \
        }                                                                                          \
    }

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

static void hex(UINT64 n, unsigned digits)
{
    while (digits-- > 0)
        com1_send("0123456789abcdef"[n >> 4 * digits & 15]);
}

static void show_variable(CHAR16 *name, const char *title, BOOLEAN is_text)
{
    static EFI_GUID vendor = OKRAM_GUID;
    UINTN size = ROOM;
    UINT32 attributes = 0;
    UINT8 *bytes = AllocatePool(size);
    EFI_STATUS status = RT->GetVariable(name, &vendor, &attributes, &size, bytes);

    com1_text(title);
    if (EFI_ERROR(status)) {
        com1_text(" none\n");
        return;
    }
    com1_send(' ');
    hex(attributes, 8);
    com1_send(' ');
    for (UINTN i = 0; i < size; i++) {
        if (!is_text)
            hex(bytes[i], 2);
        else if (bytes[i] != '\n')
            com1_send((char)bytes[i]);
    }
    com1_send('\n');
}

static void show_map(void)
{
    UINTN size = MAP_ROOM, key, step;
    UINT32 version;
    UINT8 *map = AllocatePool(size);

    if (!map || EFI_ERROR(BS->GetMemoryMap(&size, (void *)map, &key, &step, &version))) {
        com1_text("guard map none\n");
        return;
    }
    for (UINTN at = 0; at + step <= size; at += step) {
        const EFI_MEMORY_DESCRIPTOR *d = (const void *)(map + at);

        com1_text("guard map ");
        hex(d->Type, 2);
        com1_send(' ');
        hex(d->PhysicalStart >> EFI_PAGE_SHIFT, 10);
        com1_send(' ');
        hex(d->NumberOfPages, 10);
        com1_send('\n');
    }
}

/* Linux's table, link by link. */
static void show_linux_table(void)
{
    static EFI_GUID guid = {
        0x888eb0c6, 0x8ede, 0x4ff5, { 0xa8, 0xf0, 0x9a, 0xee, 0x5c, 0xb9, 0x77, 0xc2 }
    };
    const UINT64 *table;

    if (EFI_ERROR(LibGetSystemConfigurationTable(&guid, (void **)&table)))
        return;
    for (; table; table = (const UINT64 *)(UINTN)table[1]) {
        for (UINTN i = 0; i < table[0] >> 32; i++) {
            com1_text("guard reserve ");
            hex(table[2 + 2 * i], 16);
            com1_send(' ');
            hex(table[3 + 2 * i], 16);
            com1_send('\n');
        }
    }
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    InitializeLib(image, system_table);
    com1_text("\nguard shown\n");
    show_variable(L"OkramGuardStatus", "guard status", TRUE);
    show_variable(L"OkramGuardMasked", "guard masked", FALSE);
    show_variable(L"OkramGuard", "guard list", FALSE);
    show_linux_table();
    show_map();
    com1_text("guard end\n");
    RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    return EFI_SUCCESS;
}
