// SPDX-License-Identifier: MIT
#include "boot/uefi/network/network.h"

#include <efilib.h>
#include <stdbool.h>

#include "boot/uefi/network/boot_file.h"
#include "lib/string.h"

#define BUFFER_BYTES 65536

/* The reply by which firmware found the loader: the last one that names a file. */
static bool find_boot_file(const EFI_PXE_BASE_CODE_MODE *mode, struct boot_file *ret_file)
{
    const struct {
        BOOLEAN is_there;
        const EFI_PXE_BASE_CODE_PACKET *packet;
    } reply[] = {
        { mode->PxeReplyReceived, &mode->PxeReply },
        { mode->ProxyOfferReceived, &mode->ProxyOffer },
        { mode->DhcpAckReceived, &mode->DhcpAck },
    };

    for (UINTN i = 0; i < sizeof(reply) / sizeof(reply[0]); i++) {
        if (reply[i].is_there &&
            boot_file_of_dhcp(reply[i].packet->Raw, sizeof(reply[i].packet->Raw), ret_file) ==
                STATUS_OK)
            return true;
    }
    return false;
}

static EFI_STATUS get(EFI_PXE_BASE_CODE_PROTOCOL *pxe, const struct boot_file *file, char *path,
                      char *out, UINTN size, UINTN *ret_size)
{
    UINT64 n = BUFFER_BYTES;
    EFI_IP_ADDRESS server = { 0 };
    VOID *buffer = AllocatePool(BUFFER_BYTES);
    EFI_STATUS status;

    if (!buffer)
        return EFI_OUT_OF_RESOURCES;
    memcpy(&server, file->server, sizeof(file->server));
    status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, buffer, FALSE, &n, NULL, &server,
                        (UINT8 *)path, NULL, FALSE);
    if (!EFI_ERROR(status)) {
        *ret_size = n < size ? (UINTN)n : size;
        memcpy(out, buffer, *ret_size);
    }
    FreePool(buffer);
    return status == EFI_TFTP_ERROR ? EFI_NOT_FOUND : status;
}

EFI_STATUS tftp_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    struct boot_file file;
    char path[BOOT_FILE_MAX];

    if (EFI_ERROR(BS->HandleProtocol(device, &PxeBaseCodeProtocol, (void **)&pxe)) || !pxe->Mode ||
        !pxe->Mode->Started || pxe->Mode->UsingIpv6 || !find_boot_file(pxe->Mode, &file) ||
        boot_file_sibling(file.path, name, path, sizeof(path)) != STATUS_OK)
        return EFI_UNSUPPORTED;
    return get(pxe, &file, path, out, size, ret_size);
}
