// SPDX-License-Identifier: MIT
#include "bus_masters.h"

#include <efi.h>
#include <efilib.h>

#include "device/pci_class.h"
#include "usbdata/legacy.h"

#define COMMAND        0x04
#define COMMAND_MEMORY 0x0002u
#define COMMAND_MASTER 0x0004u
#define CLASS          0x08

typedef EFI_PCI_IO_PROTOCOL pci_function;

static uint32_t read_config(void *ctx, uint8_t offset)
{
    pci_function *f = ctx;
    uint32_t value;

    if (EFI_ERROR(f->Pci.Read(f, EfiPciIoWidthUint32, offset, 1, &value)))
        return UINT32_MAX;
    return value;
}

static uint32_t read_memory(void *ctx, uint32_t offset)
{
    pci_function *f = ctx;
    uint32_t value;

    if (!(read_config(f, COMMAND) & COMMAND_MEMORY) ||
        EFI_ERROR(f->Mem.Read(f, EfiPciIoWidthUint32, 0, offset, 1, &value)))
        return UINT32_MAX;
    return value;
}

static bool is_firmwares(pci_function *f, uint32_t class_code)
{
    const struct usb_registers registers = { read_config, read_memory, f };

    return usb_legacy_is_on((uint8_t)class_code, &registers);
}

static void clear_master(pci_function *f)
{
    uint16_t command;

    if (EFI_ERROR(f->Pci.Read(f, EfiPciIoWidthUint16, COMMAND, 1, &command)) ||
        !(command & COMMAND_MASTER))
        return;
    command &= (uint16_t)~COMMAND_MASTER;
    f->Pci.Write(f, EfiPciIoWidthUint16, COMMAND, 1, &command);
}

static void stop_network(EFI_HANDLE handle, pci_function *f, uint32_t class_code)
{
    if (!pci_class_is_network(class_code))
        return;
    BS->DisconnectController(handle, NULL, NULL);
    clear_master(f);
}

static void stop_usb(EFI_HANDLE handle, pci_function *f, uint32_t class_code)
{
    if (pci_class_is_usb(class_code) && !is_firmwares(f, class_code))
        clear_master(f);
}

static void for_each(void (*stop)(EFI_HANDLE handle, pci_function *f, uint32_t class_code))
{
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &PciIoProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++) {
        pci_function *f;

        if (!EFI_ERROR(BS->HandleProtocol(handle[i], &PciIoProtocol, (void **)&f)))
            stop(handle[i], f, read_config(f, CLASS) >> 8);
    }
    FreePool(handle);
}

void bus_masters_stop_network(void)
{
    for_each(stop_network);
}

void bus_masters_stop_usb(void)
{
    for_each(stop_usb);
}
