// SPDX-License-Identifier: MIT
#include "io/fw_cfg.h"

#include <stdint.h>

#include "io/cpuid.h"
#include "io/ports.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define PORT_SELECT    0x510
#define PORT_DATA      0x511
#define ITEM_SIGNATURE 0x0000
#define ITEM_DIRECTORY 0x0019
#define FILES_MAX      1024
#define NAME_BYTES     56

#define CPUID_HYPERVISOR (1u << 31) /* leaf 1, ECX */

static uint32_t read_be(unsigned bytes)
{
    uint32_t value = 0;

    while (bytes--)
        value = value << 8 | io_in8(PORT_DATA);
    return value;
}

enum status fw_cfg_read_string(const char *name, char *to, size_t size)
{
    uint32_t n_files;
    char found[NAME_BYTES];

    if (!(cpuid(1, 0).ecx & CPUID_HYPERVISOR))
        return STATUS_NOT_FOUND;
    io_out16(PORT_SELECT, ITEM_SIGNATURE);
    if (read_be(4) != 0x51454d55) /* "QEMU" */
        return STATUS_NOT_FOUND;
    io_out16(PORT_SELECT, ITEM_DIRECTORY);
    n_files = read_be(4);
    for (uint32_t i = 0; i < n_files && i < FILES_MAX; i++) {
        uint32_t bytes = read_be(4), item = read_be(2);

        read_be(2);
        for (size_t j = 0; j < NAME_BYTES; j++)
            found[j] = (char)io_in8(PORT_DATA);
        if (strncmp(found, name, NAME_BYTES) != 0)
            continue;
        io_out16(PORT_SELECT, (uint16_t)item);
        for (size_t j = 0; j < bytes && j < size - 1; j++)
            to[j] = (char)io_in8(PORT_DATA);
        to[min_u64(bytes, size - 1)] = 0;
        return bytes < size ? STATUS_OK : STATUS_NO_SPACE;
    }
    return STATUS_NOT_FOUND;
}
