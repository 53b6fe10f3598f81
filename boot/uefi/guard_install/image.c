// SPDX-License-Identifier: MIT
#include "image.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/secure_boot.h"
#include "boot/uefi/variables.h"
#include "boot/uefi/volumes.h"
#include "lib/string.h"

/* Microsoft's PE format. After the signature: 20 bytes of COFF, then the optional head. */
#define PE_HEAD_AT     0x3cu
#define MACHINE_X86_64 0x8664u
#define OPTIONAL_AT    24u
#define SUBSYSTEM_AT   (OPTIONAL_AT + 68)
#define DIRECTORIES_AT                                                                             \
    (OPTIONAL_AT + 108) /* how many there are; each is 8 bytes: address and size */
#define SIGNATURE_AT  (DIRECTORIES_AT + 4 + 4 * 8) /* the fifth: the table of certificates */
#define SECTION_BYTES 40u

#define SUBSYSTEM_APP  10u
#define SUBSYSTEM_BOOT 11u

static const struct source {
    CHAR16 *path;
    const char *name, *is; /* for messages */
    unsigned subsystem;
    UINTN max;
} sources[IMAGE_KINDS] = {
    [IMAGE_GUARD] = { L"\\EFI\\okram\\okram-guardx64.efi", "okram-guardx64.efi",
                      "a UEFI driver for x86-64", SUBSYSTEM_BOOT, 1 << 20 },
    [IMAGE_SHIM] = { L"\\EFI\\BOOT\\BOOTX64.EFI", "shim, \\EFI\\BOOT\\BOOTX64.EFI,",
                     "shim for x86-64", SUBSYSTEM_APP, 4 << 20 },
    [IMAGE_MOKMANAGER] = { L"\\EFI\\BOOT\\mmx64.efi", "MokManager, \\EFI\\BOOT\\mmx64.efi,",
                           "a UEFI program for x86-64", SUBSYSTEM_APP, 4 << 20 },
};

static unsigned get16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static unsigned long get32(const uint8_t *at)
{
    return get16(at) | (unsigned long)get16(at + 2) << 16;
}

/* The PE header of a 64-bit program of that subsystem; NULL: it is none. */
static uint8_t *find_head(const struct image *image, unsigned subsystem)
{
    UINTN size = image->size, at = size;
    uint8_t *head;

    if (size >= PE_HEAD_AT + 4 && memcmp(image->bytes, "MZ", 2) == 0)
        at = get32(image->bytes + PE_HEAD_AT);
    head = image->bytes + at;
    return at < size && size - at > SIGNATURE_AT + 8 && memcmp(head, "PE", 2) == 0 &&
                   get16(head + 4) == MACHINE_X86_64 && get16(head + SUBSYSTEM_AT) == subsystem
               ? head
               : NULL;
}

/* The text of the section .sbat, as long as *ret_size; NULL: there is none. */
static const char *find_sbat(const struct image *image, UINTN *ret_size)
{
    const uint8_t *head = find_head(image, SUBSYSTEM_APP), *end = image->bytes + image->size, *at;
    unsigned n = head ? get16(head + 6) : 0;

    at = head ? head + OPTIONAL_AT + get16(head + 20) : end;
    for (; n && at < end && (UINTN)(end - at) >= SECTION_BYTES; n--, at += SECTION_BYTES) {
        UINTN virtual_bytes = get32(at + 8), bytes = get32(at + 16), from = get32(at + 20);

        if (memcmp(at, ".sbat\0\0", 8) != 0 || from > image->size || bytes > image->size - from)
            continue;
        *ret_size = bytes < virtual_bytes ? bytes : virtual_bytes;
        return (const char *)image->bytes + from;
    }
    return NULL;
}

static struct image read_once(EFI_HANDLE own, enum image_kind kind)
{
    const struct source *s = &sources[kind];
    EFI_FILE *root = volumes_open_root(own);
    struct image image = { root ? AllocatePool(s->max) : NULL, s->max };

    if (image.bytes && EFI_ERROR(file_read(root, s->path, image.bytes, &image.size))) {
        FreePool(image.bytes);
        image.bytes = NULL;
    }
    if (root)
        root->Close(root);
    return image;
}

/* The memory is not tested, and may itself be faulty: the file is read twice. */
static bool reads_the_same(EFI_HANDLE own, enum image_kind kind, const struct image *first)
{
    struct image second = read_once(own, kind);
    bool same = second.bytes && first->size == second.size &&
                memcmp(first->bytes, second.bytes, first->size) == 0;

    if (second.bytes)
        FreePool(second.bytes);
    return same;
}

/* The lines of an SBAT text; false at its end. */
struct sbat_line {
    const char *name;
    size_t length;
    uint64_t generation;
};

static bool next_line(const char **at, const char *end, struct sbat_line *ret_line)
{
    const char *p = *at;

    *ret_line = (struct sbat_line){ .name = p };
    if (p >= end || !*p)
        return false;
    while (p < end && *p && *p != ',' && *p != '\n')
        p++;
    ret_line->length = (size_t)(p - ret_line->name);
    for (p += p < end && *p == ','; p < end && *p >= '0' && *p <= '9'; p++)
        ret_line->generation = ret_line->generation * 10 + (uint64_t)(*p - '0');
    while (p < end && *p && *p++ != '\n')
        ;
    *at = p;
    return true;
}

/* The generation of a component; false: the text has none of that name. */
static bool find_component(const char *text, UINTN size, const struct sbat_line *wanted,
                           uint64_t *ret_generation)
{
    const char *end = text + size;
    struct sbat_line line;

    while (next_line(&text, end, &line)) {
        if (line.length == wanted->length && memcmp(line.name, wanted->name, line.length) == 0) {
            *ret_generation = line.generation;
            return true;
        }
    }
    return false;
}

bool image_is_revoked(const struct image *shim, const char *level)
{
    const char *end = level + strlen(level);
    struct sbat_line least;
    uint64_t generation;
    UINTN size;
    const char *own = find_sbat(shim, &size);

    while (own && next_line(&level, end, &least)) {
        if (find_component(own, size, &least, &generation) && generation < least.generation)
            return true;
    }
    return false;
}

static bool is_of_kind(const struct image *image, enum image_kind kind)
{
    static const struct sbat_line shim = { "shim", 4, 0 };
    uint64_t generation;
    UINTN size;
    const char *sbat;

    if (image->size == sources[kind].max || !find_head(image, sources[kind].subsystem))
        return false;
    if (kind != IMAGE_SHIM)
        return true;
    sbat = find_sbat(image, &size);
    return sbat && find_component(sbat, size, &shim, &generation);
}

bool image_read(EFI_HANDLE own, enum image_kind kind, struct image *ret_image,
                struct fmt_buffer *message)
{
    const struct source *s = &sources[kind];
    struct image image = read_once(own, kind);
    bool is_good = false;

    if (!image.bytes)
        fmt_append(message, "%s cannot be read from the volume that okram was started from.",
                   s->name);
    else if (!reads_the_same(own, kind, &image))
        fmt_append(message, "%s differs when it is read twice: memory here is faulty.", s->name);
    else if (!is_of_kind(&image, kind))
        fmt_append(message, "%s is not %s.", s->name, s->is);
    else
        is_good = true;
    if (is_good)
        *ret_image = image;
    else if (image.bytes)
        FreePool(image.bytes);
    return is_good;
}

bool image_has_shim(EFI_HANDLE own)
{
    EFI_FILE *root = volumes_open_root(own);
    bool has = root && file_exists(root, sources[IMAGE_SHIM].path) &&
               file_exists(root, sources[IMAGE_MOKMANAGER].path);

    if (root)
        root->Close(root);
    return has;
}

void image_make_application(struct image *guard)
{
    uint8_t *head = find_head(guard, SUBSYSTEM_BOOT);

    if (head)
        head[SUBSYSTEM_AT] = SUBSYSTEM_APP;
}

bool image_is_signed(EFI_HANDLE own)
{
    struct image guard = read_once(own, IMAGE_GUARD);
    const uint8_t *head = guard.bytes ? find_head(&guard, SUBSYSTEM_BOOT) : NULL;
    bool is = head && get32(head + DIRECTORIES_AT) > 4 && get32(head + SIGNATURE_AT) &&
              get32(head + SIGNATURE_AT + 4);

    if (guard.bytes)
        FreePool(guard.bytes);
    return is;
}

/* Of shim's protocol, which is not of firmware's calling convention. */
struct shim_lock {
    EFI_STATUS (*verify)(void *bytes, UINT32 size);
};

bool image_is_enrolled(EFI_HANDLE own)
{
    const struct shim_lock *lock;
    struct image guard;
    bool is;

    if (!secure_boot_is_on() || EFI_ERROR(BS->LocateProtocol(&variable_shim, NULL, (void **)&lock)))
        return false;
    guard = read_once(own, IMAGE_GUARD);
    is = guard.bytes && !EFI_ERROR(lock->verify(guard.bytes, (UINT32)guard.size));
    if (guard.bytes)
        FreePool(guard.bytes);
    return is;
}
