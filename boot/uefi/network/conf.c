// SPDX-License-Identifier: MIT
#include "boot/uefi/network/conf.h"

#include "boot/uefi/network/http.h"
#include "boot/uefi/network/tftp.h"

EFI_STATUS network_conf_read(const EFI_LOADED_IMAGE *loader, char *out, UINTN size, UINTN *ret_size)
{
    EFI_STATUS status;

    if (!loader->DeviceHandle)
        return EFI_NOT_FOUND;
    status = http_read_sibling(loader->DeviceHandle, "okram.conf", out, size, ret_size);
    if (status == EFI_UNSUPPORTED)
        status = tftp_read_sibling(loader->DeviceHandle, "okram.conf", out, size, ret_size);
    return status == EFI_UNSUPPORTED ? EFI_NOT_FOUND : status;
}
