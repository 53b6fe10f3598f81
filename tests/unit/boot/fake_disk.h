// SPDX-License-Identifier: MIT
/* A FAT volume for tests of the loader, which can fail at any call that changes it. */
#pragma once

#include <efi.h>

#include "tests/unit/unit.h"

#define FILES_MAX 12
#define BYTES_MAX 8192

/*
 * All files are in one directory, whatever directory they are opened in. A rename to a name that is
 * there is refused.
 */
static struct {
    struct content {
        bool is_there;
        CHAR16 name[80];
        UINTN size;
        char bytes[BYTES_MAX];
    } file[FILES_MAX];
    UINTN room;        /* bytes that can be written to a file */
    UINT64 free_space; /* as the volume says */
    bool read_only;
    bool flips_bits;     /* what is written is not what is read */
    unsigned calls;      /* that change something, so far */
    unsigned fails_at;   /* which of them fails, from 1; 0: none */
    unsigned fails_from; /* this and all later ones fail: the volume is gone */
    unsigned open;       /* handles */
} disk;

struct handle {
    EFI_FILE file;
    struct content *content;
    UINTN position;
};

static bool same_name(const CHAR16 *a, const CHAR16 *b)
{
    for (; *a && *a == *b; a++, b++) {
    }
    return *a == *b;
}

static struct content *find(const CHAR16 *name)
{
    for (int i = 0; i < FILES_MAX; i++) {
        if (disk.file[i].is_there && same_name(disk.file[i].name, name))
            return &disk.file[i];
    }
    return NULL;
}

static void set_name(struct content *c, const CHAR16 *name)
{
    UINTN n = 0;

    do {
        assert_true(n < 80);
        c->name[n] = name[n];
    } while (name[n++]);
}

static struct content *create(const CHAR16 *name)
{
    for (int i = 0; i < FILES_MAX; i++) {
        if (disk.file[i].is_there)
            continue;
        disk.file[i] = (struct content){ .is_there = true };
        set_name(&disk.file[i], name);
        return &disk.file[i];
    }
    fail();
    return NULL;
}

static bool breaks(void)
{
    disk.calls++;
    return disk.calls == disk.fails_at || (disk.fails_from && disk.calls >= disk.fails_from);
}

static EFI_STATUS EFIAPI close_file(EFI_FILE *file)
{
    disk.open--;
    free(file);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(EFI_FILE *file)
{
    bool fails = breaks();

    if (!fails)
        ((struct handle *)file)->content->is_there = false;
    close_file(file);
    return fails ? EFI_WARN_DELETE_FAILURE : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(EFI_FILE *file, UINTN *size, void *to)
{
    struct handle *h = (struct handle *)file;
    UINTN left = h->content->size - h->position;

    *size = *size < left ? *size : left;
    memcpy(to, h->content->bytes + h->position, *size);
    if (disk.flips_bits && *size)
        *(char *)to ^= 4;
    h->position += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE *file, UINTN *size, void *from)
{
    struct content *c = ((struct handle *)file)->content;
    UINTN n = *size < disk.room ? *size : disk.room;

    memcpy(c->bytes, from, n);
    c->size = n;
    if (n < *size) {
        *size = n;
        return EFI_VOLUME_FULL;
    }
    return breaks() ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE *file)
{
    return breaks() ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(EFI_FILE *file, EFI_GUID *type, UINTN *size, void *info)
{
    assert_true(*size >=
                offsetof(EFI_FILE_INFO, FileName) + sizeof(((struct handle *)file)->content->name));
    memset(info, 0, *size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_info(EFI_FILE *file, EFI_GUID *type, UINTN size, void *info)
{
    const EFI_FILE_INFO *i = info;

    assert_int_equal(i->Size, size);
    if (breaks())
        return EFI_DEVICE_ERROR;
    if (find(i->FileName))
        return EFI_ACCESS_DENIED;
    set_name(((struct handle *)file)->content, i->FileName);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE *directory, EFI_FILE **file, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    struct content *c = find(name);
    struct handle *h;

    if (mode & EFI_FILE_MODE_WRITE && disk.read_only)
        return EFI_WRITE_PROTECTED;
    if (!c && !(mode & EFI_FILE_MODE_CREATE))
        return EFI_NOT_FOUND;
    if (mode & EFI_FILE_MODE_CREATE && breaks())
        return EFI_DEVICE_ERROR;
    h = calloc(1, sizeof(*h));
    assert_non_null(h);
    h->content = c ? c : create(name);
    h->file = (EFI_FILE){ .Open = open_file,
                          .Close = close_file,
                          .Delete = delete_file,
                          .Read = read_file,
                          .Write = write_file,
                          .Flush = flush_file,
                          .GetInfo = get_info,
                          .SetInfo = set_info };
    disk.open++;
    *file = &h->file;
    return EFI_SUCCESS;
}

static inline EFI_STATUS EFIAPI volume_info(EFI_FILE *file, EFI_GUID *type, UINTN *size, void *info)
{
    EFI_FILE_SYSTEM_INFO *i = info;

    assert_true(*size > sizeof(*i));
    *i = (EFI_FILE_SYSTEM_INFO){ .BlockSize = 512, .FreeSpace = disk.free_space };
    return EFI_SUCCESS;
}

static EFI_FILE directory = { .Open = open_file, .GetInfo = volume_info };

static inline void put(const CHAR16 *name, const char *text)
{
    struct content *c = create(name);

    c->size = strlen(text);
    memcpy(c->bytes, text, c->size);
}
