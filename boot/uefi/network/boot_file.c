// SPDX-License-Identifier: MIT
#include "boot/uefi/network/boot_file.h"

#include "lib/string.h"

/* RFC 2131, 2 */
#define SIADDR     20
#define FILE       108
#define FILE_BYTES 128
#define COOKIE     236
#define OPTIONS    240

/* RFC 2132 */
enum { PAD = 0, SERVER_ID = 54, BOOT_FILE_NAME = 67, END = 255 };

static const uint8_t cookie[4] = { 99, 130, 83, 99 };
static const uint8_t no_address[4];

/* An option's content, and its length; NULL: the packet does not have it, or not whole. */
static const uint8_t *find_option(const uint8_t *packet, size_t size, uint8_t code,
                                  uint8_t *ret_length)
{
    for (size_t at = OPTIONS; at < size && packet[at] != END;) {
        if (packet[at] == PAD) {
            at++;
            continue;
        }
        if (size - at < 2 || size - at - 2 < packet[at + 1])
            return NULL;
        if (packet[at] == code) {
            *ret_length = packet[at + 1];
            return packet + at + 2;
        }
        at += 2 + packet[at + 1];
    }
    return NULL;
}

static void copy_path(const uint8_t *from, size_t max, char *to)
{
    size_t n = 0;

    while (n < max && from[n])
        n++;
    memcpy(to, from, n);
    to[n] = 0;
}

enum status boot_file_of_dhcp(const uint8_t *packet, size_t size, struct boot_file *ret_file)
{
    const uint8_t *option;
    uint8_t length;

    if (size < OPTIONS || memcmp(packet + COOKIE, cookie, sizeof(cookie)) != 0)
        return STATUS_NOT_FOUND;
    option = find_option(packet, size, BOOT_FILE_NAME, &length);
    if (option)
        copy_path(option, length, ret_file->path);
    else
        copy_path(packet + FILE, FILE_BYTES, ret_file->path);
    memcpy(ret_file->server, packet + SIADDR, sizeof(ret_file->server));
    option = find_option(packet, size, SERVER_ID, &length);
    if (memcmp(ret_file->server, no_address, sizeof(no_address)) == 0 && option && length == 4)
        memcpy(ret_file->server, option, sizeof(ret_file->server));
    return ret_file->path[0] && memcmp(ret_file->server, no_address, sizeof(no_address)) != 0
               ? STATUS_OK
               : STATUS_NOT_FOUND;
}

enum status boot_file_sibling(const char *path, const char *name, char *out, size_t size)
{
    size_t folder = 0, n = strlen(name) + 1;

    for (size_t i = 0; path[i] && path[i] != '?' && path[i] != '#'; i++) {
        if (path[i] == '/' || path[i] == '\\')
            folder = i + 1;
    }
    if (folder > size || n > size - folder)
        return STATUS_NO_SPACE;
    memcpy(out, path, folder);
    memcpy(out + folder, name, n);
    return STATUS_OK;
}
