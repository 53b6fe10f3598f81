// SPDX-License-Identifier: MIT
#include "bus_masters.h"

#include <efi.h>
#include <efilib.h>

#include "firmware/pci_class.h"
#include "network_cards.h"
#include "usb_formats/legacy.h"

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

static void set_master(pci_function *f, bool on)
{
    uint16_t command;

    if (EFI_ERROR(f->Pci.Read(f, EfiPciIoWidthUint16, COMMAND, 1, &command)) ||
        !!(command & COMMAND_MASTER) == on)
        return;
    command ^= COMMAND_MASTER;
    f->Pci.Write(f, EfiPciIoWidthUint16, COMMAND, 1, &command);
}

static void for_each_network(void (*act)(EFI_HANDLE handle, pci_function *f))
{
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &PciIoProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++) {
        pci_function *f;

        if (!EFI_ERROR(BS->HandleProtocol(handle[i], &PciIoProtocol, (void **)&f)) &&
            pci_class_is_network(read_config(f, CLASS) >> 8))
            act(handle[i], f);
    }
    FreePool(handle);
}

/* Before its driver is asked to stop: some do not come back. */
static void say_which(pci_function *f)
{
    UINTN segment = 0, bus = 0, device = 0, number = 0;

    f->GetLocation(f, &segment, &bus, &device, &number);
    Print(L"okram: stopping the network card at %04x:%02x:%02x.%x. If nothing follows, its driver "
          L"hangs.\r\n",
          segment, bus, device, number);
}

static void disconnect(EFI_HANDLE handle, pci_function *f)
{
    if (!network_is_in_use(handle)) {
        say_which(f);
        BS->DisconnectController(handle, NULL, NULL);
    }
    set_master(f, false);
}

/* Connects the driver, which turns bus mastering on. */
static void connect(EFI_HANDLE handle, pci_function *f)
{
    if (network_is_in_use(handle))
        set_master(f, true);
    else
        BS->ConnectController(handle, NULL, NULL, TRUE);
}

void bus_masters_stop_network(void)
{
    for_each_network(disconnect);
}

void bus_masters_restart_network(void)
{
    for_each_network(connect);
}

/* HandleProtocol may allocate memory, too. Its results overwrite the handles. */
void bus_masters_find(struct bus_masters *ret_found)
{
    EFI_HANDLE *handle;
    UINTN n;

    *ret_found = (struct bus_masters){ 0 };
    if (EFI_ERROR(LibLocateHandle(ByProtocol, &PciIoProtocol, NULL, &n, &handle)))
        return;
    ret_found->function = handle;
    for (UINTN i = 0; i < n; i++) {
        void *f;

        if (!EFI_ERROR(BS->HandleProtocol(handle[i], &PciIoProtocol, &f)))
            ret_found->function[ret_found->n++] = f;
    }
}

void bus_masters_free(struct bus_masters *found)
{
    if (found->function)
        FreePool(found->function);
    *found = (struct bus_masters){ 0 };
}

void bus_masters_stop_usb(const struct bus_masters *found)
{
    for (UINTN i = 0; i < found->n; i++) {
        pci_function *f = found->function[i];
        uint32_t class_code = read_config(f, CLASS) >> 8;

        if (pci_class_is_usb(class_code) && !is_firmwares(f, class_code))
            set_master(f, false);
    }
}
