// SPDX-License-Identifier: MIT
/* Which files the loader asks a server for, and when it stops. */
#include "boot/uefi/network/network.h"

#include "boot/network_path.h"
#include "boot/uefi/firmware_tables.h"
#include "tests/unit/unit.h"

#define BY_UUID "okram.conf-33221100-5544-7766-8899-aabbccddeeff"
#define BY_MAC  "okram.conf-52-54-00-ab-0c-ff"

static struct {
    bool by_tftp;     /* the loader came by PXE */
    const char *has;  /* the server's file */
    EFI_STATUS fails; /* the answer to each request */
    char asked[4][64];
    unsigned n;
} server;

static EFI_DEVICE_PATH *path;
static bool has_smbios;

EFI_DEVICE_PATH *DevicePathFromHandle(EFI_HANDLE handle)
{
    return path;
}

void firmware_tables_uuid(char ret_uuid[SMBIOS_UUID_MAX])
{
    strcpy(ret_uuid, has_smbios ? "33221100-5544-7766-8899-aabbccddeeff" : "");
}

static EFI_STATUS answer(const char *name, char *out, UINTN size, UINTN *ret_size)
{
    assert_true(server.n < 4);
    strcpy(server.asked[server.n++], name);
    if (server.fails)
        return server.fails;
    if (!server.has || strcmp(name, server.has) != 0)
        return EFI_NOT_FOUND;
    out[0] = 'x';
    *ret_size = 1;
    return EFI_SUCCESS;
}

EFI_STATUS http_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size)
{
    return server.by_tftp ? EFI_UNSUPPORTED : answer(name, out, size, ret_size);
}

EFI_STATUS tftp_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size)
{
    return server.by_tftp ? answer(name, out, size, ret_size) : EFI_UNSUPPORTED;
}

static void make_path(uint8_t if_type)
{
    path_begin();
    path_add(2, 1, "\xd0\x41\x03\x0a\0\0\0", 8);
    path_add_mac((uint8_t[]){ 0x52, 0x54, 0, 0xab, 0x0c, 0xff }, if_type);
    path_add_ipv4((uint8_t[4]){ 0 }, (uint8_t[4]){ 0 });
    path = path_end();
}

static int start(void **state)
{
    memset(&server, 0, sizeof(server));
    has_smbios = true;
    make_path(1);
    return 0;
}

static char name[CONF_NAME_SIZE];

static EFI_STATUS read_conf(void)
{
    int device;
    const EFI_LOADED_IMAGE loader = { .DeviceHandle = &device };
    char out[1];
    UINTN n = 0;
    EFI_STATUS status = network_conf_read(&loader, out, sizeof(out), &n, name);

    assert_int_equal(n, status == EFI_SUCCESS);
    return status;
}

static void assert_asked(unsigned n, const char *first, const char *second, const char *third)
{
    assert_int_equal(server.n, n);
    assert_string_equal(server.asked[0], first);
    if (n > 1)
        assert_string_equal(server.asked[1], second);
    if (n > 2)
        assert_string_equal(server.asked[2], third);
}

TEST(the_first_that_is_there, start)
{
    static const char *const all[] = { BY_UUID, BY_MAC, "okram.conf" };

    for (unsigned i = 0; i < 6; i++) {
        start(state);
        server.by_tftp = i % 2;
        server.has = all[i / 2];
        assert_int_equal(read_conf(), EFI_SUCCESS);
        assert_asked(i / 2 + 1, BY_UUID, BY_MAC, "okram.conf");
        assert_string_equal(name, all[i / 2]);
    }
}

TEST(none_is_there, start)
{
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_int_equal(server.n, 3);
}

TEST(a_server_that_fails_is_asked_once, start)
{
    static const EFI_STATUS failure[] = { EFI_TIMEOUT, EFI_PROTOCOL_ERROR, EFI_BUFFER_TOO_SMALL };

    for (size_t i = 0; i < 6; i++) {
        start(state);
        server.by_tftp = i % 2;
        server.fails = failure[i / 2];
        assert_int_equal(read_conf(), failure[i / 2]);
        assert_int_equal(server.n, 1);
    }
}

TEST(what_is_not_known_is_not_asked_for, start)
{
    has_smbios = false;
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_asked(2, BY_MAC, "okram.conf", NULL);
    start(state);
    make_path(32); /* InfiniBand */
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_asked(2, BY_UUID, "okram.conf", NULL);
    start(state);
    path_begin();
    path_add(3, 11, "\x52\x54\0\x12\x34\x56", 6); /* cut */
    path = path_end();
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_asked(2, BY_UUID, "okram.conf", NULL);
    start(state);
    path = NULL;
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_asked(2, BY_UUID, "okram.conf", NULL);
    start(state);
    path = NULL;
    has_smbios = false;
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_asked(1, "okram.conf", NULL, NULL);
}

TEST(not_from_the_network, start)
{
    const EFI_LOADED_IMAGE loader = { 0 };
    UINTN n;

    server.fails = EFI_UNSUPPORTED;
    assert_int_equal(read_conf(), EFI_NOT_FOUND);
    assert_int_equal(server.n, 1);
    assert_int_equal(network_conf_read(&loader, NULL, 0, &n, name), EFI_NOT_FOUND);
    assert_int_equal(server.n, 1);
}
