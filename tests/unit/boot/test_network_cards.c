// SPDX-License-Identifier: MIT
/* Which network cards the loader knows and which are in use, on firmware that the test plays. */

#include <efi.h>
#include <efilib.h>

#include "../../../boot/uefi/network_cards.h"
#include "tests/unit/unit.h"

#define CARDS 20

static struct card {
    EFI_SIMPLE_NETWORK protocol;
    EFI_SIMPLE_NETWORK_MODE mode;
    bool is_gone; /* firmware does not have the protocol any more */
} cards[CARDS];
static UINTN n_cards;
static int allocated;

/* Any call of a card would be one too many: its functions are NULL. */
static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, void **interface)
{
    struct card *c = handle;

    if (c->is_gone)
        return EFI_UNSUPPORTED;
    *interface = &c->protocol;
    return EFI_SUCCESS;
}

#define PATH_BYTES 16

static struct {
    UINT8 bytes[PATH_BYTES];
} paths[CARDS + 1]; /* each card's, and the PCI function's */
static UINT32 attributes[CARDS];
static const EFI_HANDLE function = &paths[CARDS];

/* Nodes of 4 bytes with that type, and an end. */
static void set_path(void *path, const char *types)
{
    EFI_DEVICE_PATH *node = path;

    for (; *types; types++, node++)
        *node = (EFI_DEVICE_PATH){ (UINT8)*types, 1, { sizeof(*node), 0 } };
    *node = (EFI_DEVICE_PATH){ END_DEVICE_PATH_TYPE,
                               END_ENTIRE_DEVICE_PATH_SUBTYPE,
                               { sizeof(*node), 0 } };
}

EFI_DEVICE_PATH *DevicePathFromHandle(EFI_HANDLE handle)
{
    void *path = handle == function ? function : &paths[(struct card *)handle - cards];

    return *(UINT8 *)path ? path : NULL;
}

INTN CompareMem(CONST VOID *a, CONST VOID *b, UINTN n)
{
    return memcmp(a, b, n);
}

static EFI_STATUS EFIAPI open_information(EFI_HANDLE handle, EFI_GUID *protocol,
                                          EFI_OPEN_PROTOCOL_INFORMATION_ENTRY **entry, UINTN *n)
{
    struct card *c = handle;

    if (c->is_gone)
        return EFI_UNSUPPORTED;
    *entry = calloc(2, sizeof(**entry));
    (*entry)[1].Attributes = attributes[c - cards];
    allocated++;
    *n = 2;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .HandleProtocol = handle_protocol,
                                      .OpenProtocolInformation = open_information };
EFI_BOOT_SERVICES *BS = &services;

EFI_STATUS LibLocateHandle(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key, UINTN *n,
                           EFI_HANDLE **handles)
{
    static const EFI_GUID simple_network = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

    assert_int_equal(type, ByProtocol);
    assert_memory_equal(protocol, &simple_network, sizeof(simple_network));
    if (!n_cards)
        return EFI_NOT_FOUND;
    *handles = malloc(n_cards * sizeof(**handles));
    allocated++;
    for (UINTN i = 0; i < n_cards; i++)
        (*handles)[i] = &cards[i];
    *n = n_cards;
    return EFI_SUCCESS;
}

VOID FreePool(VOID *p)
{
    allocated--;
    free(p);
}

static struct card *add(const char *permanent, const char *current)
{
    struct card *c = &cards[n_cards++];

    *c = (struct card){ .protocol.Mode = &c->mode };
    c->mode.IfType = 1;
    c->mode.HwAddressSize = 6;
    memcpy(c->mode.PermanentAddress.Addr, permanent, 6);
    memcpy(c->mode.CurrentAddress.Addr, current, 6);
    return c;
}

static uint8_t mac[BOOT_MACS_MAX][BOOT_MAC_BYTES];

static uint32_t list(void)
{
    uint32_t n = network_cards_list(mac);

    assert_int_equal(allocated, 0);
    n_cards = 0;
    return n;
}

#define ZEROS "\0\0\0\0\0\0"
#define ONES  "\xff\xff\xff\xff\xff\xff"

TEST(each_address_once)
{
    assert_int_equal(list(), 0);
    add("\x52\x54\0\0\0\1", "\x52\x54\0\0\0\x11");
    add(ZEROS, "\x52\x54\0\0\0\2");
    add("\x52\x54\0\0\0\1", "\x52\x54\0\0\0\x12");
    add(ONES, "\x52\x54\0\0\0\3");
    assert_int_equal(list(), 3);
    assert_memory_equal(mac, "\x52\x54\0\0\0\1\x52\x54\0\0\0\2\x52\x54\0\0\0\3", 18);
}

TEST(what_is_not_an_ethernet_address_is_left_out)
{
    add(ZEROS, ONES);
    add("\x52\x54\0\0\0\1", ZEROS)->mode.IfType = 32; /* InfiniBand */
    add("\x52\x54\0\0\0\2", ZEROS)->mode.HwAddressSize = 8;
    add("\x52\x54\0\0\0\3", ZEROS)->protocol.Mode = NULL;
    add("\x52\x54\0\0\0\4", ZEROS)->is_gone = true;
    add("\x52\x54\0\0\0\5", ZEROS);
    assert_int_equal(list(), 1);
    assert_memory_equal(mac, "\x52\x54\0\0\0\5", 6);
}

TEST(no_more_than_there_is_room_for)
{
    for (char i = 0; i < CARDS; i++) {
        char address[] = { 0x52, 0x54, 0, 0, 1, i };

        add(address, ZEROS);
    }
    assert_int_equal(list(), BOOT_MACS_MAX);
    assert_int_equal(mac[BOOT_MACS_MAX - 1][5], BOOT_MACS_MAX - 1);
}

static bool is_in_use(const char *path, UINT32 attribute)
{
    bool found;

    n_cards = 0;
    set_path(function, "ab");
    add(ZEROS, ZEROS); /* of another function, and in use */
    set_path(&paths[0], "ac");
    attributes[0] = EFI_OPEN_PROTOCOL_EXCLUSIVE;
    add(ZEROS, ZEROS);
    set_path(&paths[1], path);
    attributes[1] = attribute;
    found = network_is_in_use(function);
    assert_int_equal(allocated, 0);
    return found;
}

TEST(in_use_is_what_a_program_opened_for_itself)
{
    assert_true(is_in_use("abd", EFI_OPEN_PROTOCOL_EXCLUSIVE | EFI_OPEN_PROTOCOL_GET_PROTOCOL));
    assert_true(is_in_use("ab", EFI_OPEN_PROTOCOL_EXCLUSIVE));
    assert_false(is_in_use("abd", EFI_OPEN_PROTOCOL_BY_DRIVER));
    assert_false(is_in_use("a", EFI_OPEN_PROTOCOL_EXCLUSIVE)); /* the function's parent */
    assert_false(is_in_use("", EFI_OPEN_PROTOCOL_EXCLUSIVE));
}

TEST(not_known_to_be_in_use)
{
    assert_false(is_in_use("abd", 0));
    cards[1].is_gone = true;
    attributes[1] = EFI_OPEN_PROTOCOL_EXCLUSIVE;
    assert_false(network_is_in_use(function));
    cards[1].is_gone = false;
    assert_true(network_is_in_use(function));
    *(UINT8 *)function = 0; /* it has no path */
    assert_false(network_is_in_use(function));
    n_cards = 0;
    set_path(function, "ab");
    assert_false(network_is_in_use(function));
    assert_int_equal(allocated, 0);
}
