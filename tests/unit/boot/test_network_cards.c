// SPDX-License-Identifier: MIT
/* Which addresses of network cards the loader lists, on firmware that the test plays. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static EFI_BOOT_SERVICES services = { .HandleProtocol = handle_protocol };
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
