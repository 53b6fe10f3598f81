// SPDX-License-Identifier: MIT
/* Which PCI functions the loader turns off, on firmware that the test plays. */
#define _GNU_SOURCE

#include <efi.h>
#include <efilib.h>

#include "../../../boot/uefi/bus_masters.h"
#include "../../../boot/uefi/network_cards.h"
#include "tests/unit/unit.h"

#define ON      7
#define STOPPED 3
#define BROKEN  0xdead /* a command: reads of this function fail */

static struct function {
    EFI_PCI_IO_PROTOCOL pci;
    UINT32 config[64], memory[64];
    UINTN location[4];             /* segment, bus, device, function */
    UINTN named;                   /* how often, before it was disconnected */
    bool disconnected, had_master; /* when that was done */
    bool connected, is_in_use;     /* by another program */
} functions[8];
static UINTN n_functions;
static int allocated;
static bool map_is_read; /* nothing may be allocated from then on */

EFI_GUID gEfiPciIoProtocolGuid = EFI_PCI_IO_PROTOCOL_GUID;

static EFI_STATUS EFIAPI read_config(EFI_PCI_IO_PROTOCOL *pci, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                     UINT32 offset, UINTN count, VOID *buffer)
{
    struct function *f = (struct function *)pci;

    assert_int_equal(count, 1);
    if (f->config[1] == BROKEN)
        return EFI_DEVICE_ERROR;
    memcpy(buffer, (char *)f->config + offset, (size_t)1 << width);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_config(EFI_PCI_IO_PROTOCOL *pci, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                      UINT32 offset, UINTN count, VOID *buffer)
{
    struct function *f = (struct function *)pci;

    assert_int_equal(width, EfiPciIoWidthUint16); /* the status after it is cleared by ones */
    assert_int_equal(offset, 4);
    memcpy((char *)f->config + offset, buffer, 2);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_memory(EFI_PCI_IO_PROTOCOL *pci, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                     UINT8 bar, UINT64 offset, UINTN count, VOID *buffer)
{
    struct function *f = (struct function *)pci;

    assert_int_equal(bar, 0);
    assert_int_equal(width, EfiPciIoWidthUint32);
    if (offset + 4 > sizeof(f->memory))
        return EFI_INVALID_PARAMETER;
    memcpy(buffer, (char *)f->memory + offset, 4);
    return EFI_SUCCESS;
}

static struct function *last_asked;

static EFI_STATUS EFIAPI get_location(EFI_PCI_IO_PROTOCOL *pci, UINTN *segment, UINTN *bus,
                                      UINTN *device, UINTN *number)
{
    last_asked = (struct function *)pci;
    *segment = last_asked->location[0];
    *bus = last_asked->location[1];
    *device = last_asked->location[2];
    *number = last_asked->location[3];
    return EFI_SUCCESS;
}

UINTN Print(IN CONST CHAR16 *format, ...)
{
    static const CHAR16 expected[] = L"okram: stopping the network card at %04x:%02x:%02x.%x.";
    va_list list;

    assert_memory_equal(format, expected, sizeof(expected) - sizeof(CHAR16));
    va_start(list, format);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(va_arg(list, UINTN), last_asked->location[i]);
    va_end(list);
    last_asked->named++;
    return 0;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, void **interface)
{
    assert_false(map_is_read);
    *interface = handle;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI disconnect(EFI_HANDLE handle, EFI_HANDLE driver, EFI_HANDLE child)
{
    struct function *f = handle;

    assert_null(driver);
    assert_null(child);
    assert_int_equal(f->named, 1);
    f->disconnected = true;
    f->had_master = f->config[1] & 4;
    return EFI_DEVICE_ERROR; /* what it returns must not matter */
}

static EFI_STATUS EFIAPI connect(EFI_HANDLE handle, EFI_HANDLE *drivers, EFI_DEVICE_PATH *remaining,
                                 BOOLEAN recursive)
{
    assert_null(drivers);
    assert_null(remaining);
    assert_true(recursive);
    ((struct function *)handle)->connected = true;
    return EFI_NOT_FOUND; /* nor this */
}

static EFI_BOOT_SERVICES services = {
    .HandleProtocol = handle_protocol,
    .DisconnectController = disconnect,
    .ConnectController = connect,
};
EFI_BOOT_SERVICES *BS = &services;

EFI_STATUS LibLocateHandle(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key, UINTN *n,
                           EFI_HANDLE **handles)
{
    assert_false(map_is_read);
    if (!n_functions)
        return EFI_NOT_FOUND;
    *handles = malloc(n_functions * sizeof(**handles));
    allocated++;
    for (UINTN i = 0; i < n_functions; i++)
        (*handles)[i] = &functions[i];
    *n = n_functions;
    return EFI_SUCCESS;
}

VOID FreePool(VOID *p)
{
    allocated--;
    free(p);
}

bool network_is_in_use(EFI_HANDLE controller)
{
    return ((struct function *)controller)->is_in_use;
}

static struct function *add(UINT32 class_code, UINT32 command)
{
    struct function *f = &functions[n_functions++];

    f->pci.Pci.Read = read_config;
    f->pci.Pci.Write = write_config;
    f->pci.Mem.Read = read_memory;
    f->pci.GetLocation = get_location;
    f->location[1] = n_functions;
    f->location[2] = 0x1f;
    f->config[1] = command;
    f->config[2] = class_code << 8;
    return f;
}

/* In two steps, as leave_firmware does. */
static void stop_usb(void)
{
    struct bus_masters found;

    bus_masters_find(&found);
    map_is_read = true;
    bus_masters_stop_usb(&found);
    map_is_read = false;
    bus_masters_free(&found);
}

static int set_up(void **state)
{
    memset(functions, 0, sizeof(functions));
    n_functions = 0;
    return allocated;
}

/* In the order in which their drivers can still talk to them. */
TEST(network_is_disconnected_first, set_up, set_up)
{
    struct function *wired = add(0x020000, ON | 0x00100000), *wireless = add(0x028000, ON);
    struct function *disk = add(0x010601, ON), *usb = add(0x0c0330, ON), *off = add(0x020000, 1);

    bus_masters_stop_network();
    assert_int_equal(wired->config[1], STOPPED | 0x00100000);
    assert_int_equal(wireless->config[1], STOPPED);
    assert_true(wired->disconnected && wired->had_master);
    assert_true(wireless->disconnected && off->disconnected);
    assert_int_equal(off->config[1], 1);
    assert_int_equal(disk->config[1], ON);
    assert_int_equal(usb->config[1], ON);
    assert_false(disk->disconnected || usb->disconnected);
}

TEST(network_goes_on_after_an_error, set_up, set_up)
{
    struct function *wired = add(0x020000, ON), *disk = add(0x010601, ON);
    struct function *usb = add(0x0c0330, ON);

    bus_masters_stop_network();
    bus_masters_restart_network();
    assert_true(wired->connected);
    assert_false(disk->connected || usb->connected);
}

/* GRUB's stays connected: disconnecting it would not end. */
TEST(a_card_in_use_stays_connected, set_up, set_up)
{
    struct function *net = add(0x020000, ON);

    net->is_in_use = true;
    bus_masters_stop_network();
    assert_false(net->disconnected || net->named);
    assert_int_equal(net->config[1], STOPPED);
    bus_masters_restart_network();
    assert_false(net->connected);
    assert_int_equal(net->config[1], ON);
}

/* Finding them changes nothing, for an error may follow. */
TEST(usb_goes_on_after_an_error, set_up, set_up)
{
    struct function *xhci = add(0x0c0330, ON);
    struct bus_masters found;

    bus_masters_find(&found);
    assert_int_equal(found.n, 1);
    bus_masters_free(&found);
    assert_int_equal(xhci->config[1], ON);
}

TEST(usb_is_not_disconnected, set_up, set_up)
{
    struct function *xhci = add(0x0c0330, ON), *ehci = add(0x0c0320, ON), *net = add(0x020000, ON);

    stop_usb();
    assert_int_equal(xhci->config[1], STOPPED);
    assert_int_equal(ehci->config[1], STOPPED);
    assert_int_equal(net->config[1], ON);
    assert_false(xhci->disconnected || ehci->disconnected || net->disconnected);
}

TEST(what_smm_drives_goes_on, set_up, set_up)
{
    struct function *xhci = add(0x0c0330, ON), *uhci = add(0x0c0300, ON);
    struct function *not_decoded = add(0x0c0330, ON & ~2);

    xhci->memory[4] = not_decoded->memory[4] = 0x10 << 16;
    xhci->memory[0x10] = not_decoded->memory[0x10] = 0x10001;
    xhci->memory[0x11] = not_decoded->memory[0x11] = 0x2000;
    uhci->config[0x30] = 0x2010;
    stop_usb();
    assert_int_equal(xhci->config[1], ON);
    assert_int_equal(uhci->config[1], ON);
    assert_int_equal(not_decoded->config[1], STOPPED & ~2);
}

TEST(broken_functions, set_up, set_up)
{
    struct function *usb;

    stop_usb(); /* there are none at all */
    bus_masters_stop_network();
    add(0x0c0330, BROKEN);
    usb = add(0x0c0320, ON);
    stop_usb();
    bus_masters_stop_network();
    assert_int_equal(usb->config[1], STOPPED);
}
