// SPDX-License-Identifier: MIT
/*
 * A DHCP reply, in which the loader finds where it was fetched from, and the name of a file next to
 * it. The input: the room for that name (1), then the packet.
 */
#include "boot/uefi/network/boot_file.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define NAME "okram.conf"

/* The path up to its last slash, and the name, whole or not at all. */
static void check_sibling(const char *path, size_t room)
{
    char *out = malloc(room + 1);
    size_t n;

    CHECK(out);
    out[room] = 0x5a;
    if (boot_file_sibling(path, NAME, out, room) == STATUS_OK) {
        n = strlen(out);
        CHECK(n < room && n >= sizeof(NAME) - 1);
        CHECK(strcmp(out + n - (sizeof(NAME) - 1), NAME) == 0);
        n -= sizeof(NAME) - 1;
        CHECK(strncmp(out, path, n) == 0 && (!n || strchr("/\\", out[n - 1])));
    } else {
        CHECK(room < strlen(path) + sizeof(NAME));
    }
    CHECK(out[room] == 0x5a);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t none[4];
    struct fuzz_input in = { bytes, size };
    size_t room = fuzz_number(&in, 1) * 2;
    uint8_t *packet = fuzz_copy(in.bytes, in.left);
    struct boot_file file;

    memset(&file, 0x5a, sizeof(file));
    if (boot_file_of_dhcp(packet, in.left, &file) == STATUS_OK) {
        CHECK(memchr(file.path, 0, sizeof(file.path)) && file.path[0]);
        CHECK(memcmp(file.server, none, sizeof(none)) != 0);
        check_sibling(file.path, room);
        check_sibling(file.path, sizeof(file.path) + sizeof(NAME));
    }
    free(packet);
    return 0;
}
