// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with a GetMemoryMap that says how large the map is, and then fails. When okram
 * has returned, COM1 says of each USB and each network function on PCI whether it still is a bus
 * master, and of the network functions whether a driver is on them.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define COM1          0x3f8
#define MASTER        4
#define CLASS_USB     0x0c03
#define CLASS_NETWORK 0x0200

static EFI_GET_MEMORY_MAP get_memory_map;

static void com1_line(const char *text)
{
    for (; *text; text++)
        __asm__ volatile("outb %b0, %w1" : : "a"(*text), "d"(COM1));
}

static EFI_STATUS EFIAPI failing_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                     UINTN *descriptor_bytes, UINT32 *version)
{
    if (*size)
        return EFI_DEVICE_ERROR;
    return get_memory_map(size, map, key, descriptor_bytes, version);
}

static BOOLEAN has_driver(EFI_HANDLE handle)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entry = NULL;
    UINTN n = 0;
    BOOLEAN found = FALSE;

    if (EFI_ERROR(BS->OpenProtocolInformation(handle, &PciIoProtocol, &entry, &n)))
        return FALSE;
    for (UINTN i = 0; i < n; i++)
        found |= (entry[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER) != 0;
    FreePool(entry);
    return found;
}

static void say(EFI_HANDLE handle, EFI_PCI_IO_PROTOCOL *f)
{
    UINT32 id[3];

    f->Pci.Read(f, EfiPciIoWidthUint32, 0, 3, id);
    if (id[2] >> 16 == CLASS_USB)
        com1_line(id[1] & MASTER ? "usb: on\r\n" : "usb: OFF\r\n");
    if (id[2] >> 16 == CLASS_NETWORK)
        com1_line(id[1] & MASTER && has_driver(handle) ? "network: on\r\n" : "network: OFF\r\n");
}

static void say_all(const char *when)
{
    EFI_HANDLE *handle;
    UINTN n;

    com1_line(when);
    if (EFI_ERROR(LibLocateHandle(ByProtocol, &PciIoProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++) {
        EFI_PCI_IO_PROTOCOL *f;

        if (!EFI_ERROR(BS->HandleProtocol(handle[i], &PciIoProtocol, (void **)&f)))
            say(handle[i], f);
    }
}

/* Firmware that boots fast has not connected the network's drivers. */
static void connect_all(void)
{
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &PciIoProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++)
        BS->ConnectController(handle[i], NULL, NULL, TRUE);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_STATUS status;

    InitializeLib(image, system_table);
    connect_all();
    say_all("before okram\r\n");
    get_memory_map = BS->GetMemoryMap;
    BS->GetMemoryMap = failing_map;
    status = start_okram(image);
    BS->GetMemoryMap = get_memory_map;
    say_all("after okram\r\n");
    com1_line("end\r\n");
    return status;
}
