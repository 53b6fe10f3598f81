// SPDX-License-Identifier: MIT
/*
 * What the loader asks firmware's PXE driver, which the test plays, and what it makes of answers.
 * Packets, blocks and their repetition are the driver's.
 */
#include "boot/uefi/network/network.h"

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

EFI_GUID gEfiPxeBaseCodeProtocolGuid = { .Data1 = 1 };

static struct {
    EFI_STATUS status;
    const char *text;
    size_t size;
    char path[256];
    uint8_t address[4];
    unsigned asked;
} server;

static EFI_PXE_BASE_CODE_MODE mode;
static int allocated, device;
static bool has_no_pool, has_no_pxe;

VOID *AllocatePool(UINTN size)
{
    if (has_no_pool)
        return NULL;
    allocated++;
    return malloc(size);
}

VOID FreePool(VOID *p)
{
    allocated--;
    free(p);
}

static EFI_STATUS EFIAPI mtftp(EFI_PXE_BASE_CODE_PROTOCOL *this, EFI_PXE_BASE_CODE_TFTP_OPCODE op,
                               VOID *buffer, BOOLEAN overwrite, UINT64 *size, UINTN *block_size,
                               EFI_IP_ADDRESS *address, UINT8 *path,
                               EFI_PXE_BASE_CODE_MTFTP_INFO *info, BOOLEAN dont_use_buffer)
{
    assert_int_equal(op, EFI_PXE_BASE_CODE_TFTP_READ_FILE);
    assert_false(overwrite || dont_use_buffer);
    server.asked++;
    strcpy(server.path, (char *)path);
    memcpy(server.address, address, 4);
    if (EFI_ERROR(server.status))
        return server.status;
    if (server.size > *size)
        return EFI_BUFFER_TOO_SMALL;
    *size = server.size;
    if (server.size)
        memcpy(buffer, server.text, server.size);
    return EFI_SUCCESS;
}

static EFI_PXE_BASE_CODE_PROTOCOL pxe;

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, VOID **ret)
{
    assert_ptr_equal(handle, &device);
    *ret = &pxe;
    return has_no_pxe ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .HandleProtocol = handle_protocol };
EFI_BOOT_SERVICES *BS = &services;

/* A DHCP reply that names a file of a server. */
static void reply(EFI_PXE_BASE_CODE_PACKET *packet, uint8_t last, const char *file)
{
    uint8_t *raw = packet->Raw;

    memset(raw, 0, sizeof(packet->Raw));
    memcpy(raw + 20, (uint8_t[]){ 10, 0, 2, last }, 4);
    strcpy((char *)raw + 108, file);
    memcpy(raw + 236, (uint8_t[]){ 99, 130, 83, 99, 255 }, 5);
}

static int start(void **state)
{
    memset(&server, 0, sizeof(server));
    memset(&mode, 0, sizeof(mode));
    server.text = "tests=quick\n";
    server.size = 12;
    mode.Started = TRUE;
    mode.DhcpAckReceived = TRUE;
    reply(&mode.DhcpAck, 2, "sub/okram.efi");
    pxe = (EFI_PXE_BASE_CODE_PROTOCOL){ .Mtftp = mtftp, .Mode = &mode };
    has_no_pool = has_no_pxe = false;
    return 0;
}

static char out[4096];
static UINTN n;

static EFI_STATUS read_into(size_t size)
{
    char *block = malloc(size);
    EFI_STATUS status;

    assert_non_null(block);
    memset(out, 0, sizeof(out));
    n = 0;
    status = tftp_read_sibling(&device, "okram.conf", block, size, &n);
    assert_true(n <= size);
    memcpy(out, block, n);
    free(block);
    assert_int_equal(allocated, 0);
    return status;
}

TEST(the_file_next_to_the_loader, start)
{
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_string_equal(out, "tests=quick\n");
    assert_string_equal(server.path, "sub/okram.conf");
    assert_memory_equal(server.address, ((uint8_t[]){ 10, 0, 2, 2 }), 4);
    server.size = 0;
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, 0);
}

/* The last one that names a file is that by which firmware has the loader. */
TEST(of_several_replies, start)
{
    mode.ProxyOfferReceived = TRUE;
    reply(&mode.ProxyOffer, 3, "proxy/okram.efi");
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_string_equal(server.path, "proxy/okram.conf");
    assert_int_equal(server.address[3], 3);
    mode.PxeReplyReceived = TRUE;
    reply(&mode.PxeReply, 4, "pxe/okram.efi");
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_string_equal(server.path, "pxe/okram.conf");
    reply(&mode.PxeReply, 4, ""); /* such as one of a boot menu */
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_string_equal(server.path, "proxy/okram.conf");
}

TEST(no_more_than_there_is_room_for, start)
{
    assert_int_equal(read_into(5), EFI_SUCCESS);
    assert_int_equal(n, 5);
    assert_string_equal(out, "tests");
}

TEST(a_file_of_any_length, start)
{
    static char large[65537];

    memset(large, 'a', sizeof(large));
    server.text = large;
    server.size = 65536;
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, sizeof(out));
    server.size = 65537;
    assert_int_equal(read_into(sizeof(out)), EFI_BUFFER_TOO_SMALL);
    assert_int_equal(n, 0);
}

TEST(what_the_driver_says, start)
{
    server.status = EFI_TFTP_ERROR; /* the server's error packet, whichever */
    assert_int_equal(read_into(sizeof(out)), EFI_NOT_FOUND);
    server.status = EFI_TIMEOUT;
    assert_int_equal(read_into(sizeof(out)), EFI_TIMEOUT);
    server.status = EFI_ICMP_ERROR;
    assert_int_equal(read_into(sizeof(out)), EFI_ICMP_ERROR);
    assert_int_equal(server.asked, 3);
}

TEST(not_by_pxe_over_ipv4, start)
{
    has_no_pxe = true;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    pxe.Mode = NULL;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    mode.Started = FALSE;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    mode.UsingIpv6 = TRUE;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    mode.DhcpAckReceived = FALSE; /* and no other reply */
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    assert_int_equal(server.asked, 0);
    start(state);
    has_no_pool = true;
    assert_int_equal(read_into(sizeof(out)), EFI_OUT_OF_RESOURCES);
}
