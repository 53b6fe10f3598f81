// SPDX-License-Identifier: MIT
/* The device path of a loader that firmware has started from the network, node by node. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <efi.h>
#include <efilib.h>

static struct {
    _Alignas(8) uint8_t bytes[1024];
    size_t size;
} network_path;

static inline void path_begin(void)
{
    memset(&network_path, 0, sizeof(network_path));
}

static inline void path_add(uint8_t type, uint8_t subtype, const void *content, size_t n)
{
    uint8_t *node = network_path.bytes + network_path.size;

    node[0] = type;
    node[1] = subtype;
    node[2] = (uint8_t)(4 + n);
    node[3] = (uint8_t)((4 + n) >> 8);
    if (n)
        memcpy(node + 4, content, n);
    network_path.size += 4 + n;
}

/* A card's address, as EDK II's drivers have it: 32 bytes, 6 of them used, and the type. */
static inline void path_add_mac(const uint8_t mac[6], uint8_t if_type)
{
    uint8_t content[33] = { 0 };

    memcpy(content, mac, 6);
    content[32] = if_type;
    path_add(3, 11, content, sizeof(content));
}

static inline void path_add_ipv4(const uint8_t local[4], const uint8_t subnet[4])
{
    uint8_t content[23] = { 0 };

    memcpy(content, local, 4);
    memcpy(content + 19, subnet, 4);
    path_add(3, 12, content, sizeof(content));
}

static inline void path_add_uri(const char *uri)
{
    path_add(3, 24, uri, strlen(uri));
}

static inline EFI_DEVICE_PATH *path_end(void)
{
    path_add(0x7f, 0xff, NULL, 0);
    return (EFI_DEVICE_PATH *)(void *)network_path.bytes;
}
