// SPDX-License-Identifier: MIT
#include "boot/uefi/volumes.h"

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

#define HANDLES_MAX 8

EFI_GUID gEfiSimpleFileSystemProtocolGuid = { .Data1 = 1 };
EFI_GUID DevicePathProtocol = { .Data1 = 2 };

/* Volumes of firmware; the handle of number n is n + 1. */
static struct volume {
    const CHAR16 *label;
    UINTN label_bytes;
    bool read_only, no_info, no_root, gone;
    bool has_windows;          /* its boot manager */
    const uint8_t (*nodes)[2]; /* of its path, up to a type of 0; 9: without a length */
    bool has_no_path;
    UINT64 size, free;
} volume[HANDLES_MAX];
static unsigned n_volumes, n_open, connected, blocks;

struct root {
    EFI_FILE file;
    struct volume *volume;
};

static EFI_STATUS EFIAPI close_root(EFI_FILE *file)
{
    n_open--;
    free(file);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(EFI_FILE *file, EFI_GUID *type, UINTN *size, VOID *out)
{
    const struct volume *v = ((struct root *)file)->volume;
    EFI_FILE_SYSTEM_INFO *info = out;

    if (v->no_info)
        return EFI_DEVICE_ERROR;
    memset(info, 0, offsetof(EFI_FILE_SYSTEM_INFO, VolumeLabel));
    info->ReadOnly = v->read_only;
    info->VolumeSize = v->size;
    info->FreeSpace = v->free;
    assert_true(*size >= offsetof(EFI_FILE_SYSTEM_INFO, VolumeLabel) + v->label_bytes);
    memcpy((char *)out + offsetof(EFI_FILE_SYSTEM_INFO, VolumeLabel), v->label, v->label_bytes);
    *size = offsetof(EFI_FILE_SYSTEM_INFO, VolumeLabel) + v->label_bytes;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE *file)
{
    n_open--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE *root, EFI_FILE **file, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    static const CHAR16 boot_manager[] = L"\\EFI\\Microsoft\\Boot\\bootmgfw.efi";
    static EFI_FILE opened = { .Close = close_file };

    assert_memory_equal(name, boot_manager, sizeof(boot_manager));
    assert_int_equal(mode, EFI_FILE_MODE_READ);
    if (!((struct root *)root)->volume->has_windows)
        return EFI_NOT_FOUND;
    n_open++;
    *file = &opened;
    return EFI_SUCCESS;
}

/* Each volume has a path of its own. */
static uint8_t paths[HANDLES_MAX][20];

/* Nodes of 4 bytes, a type and a subtype each, then the end. */
static void set_path(uint8_t *path, const uint8_t (*nodes)[2])
{
    for (; nodes && (*nodes)[0]; nodes++, path += 4)
        memcpy(path, (uint8_t[]){ (*nodes)[0], (*nodes)[1], (*nodes)[0] == 9 ? 0 : 4, 0 }, 4);
    memcpy(path, "\x7f\xff\4\0", 4);
}

static struct {
    EFI_FILE_IO_INTERFACE protocol;
    struct volume *volume;
} interface[HANDLES_MAX];

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *this, EFI_FILE **file)
{
    struct volume *v = NULL;
    struct root *root;

    for (int i = 0; i < HANDLES_MAX; i++)
        v = this == &interface[i].protocol ? interface[i].volume : v;
    if (v->no_root)
        return EFI_NO_MEDIA;
    root = calloc(1, sizeof(*root));
    root->file = (EFI_FILE){ .Close = close_root, .GetInfo = get_info, .Open = open_file };
    root->volume = v;
    n_open++;
    *file = &root->file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, VOID **out)
{
    UINTN n = (UINTN)handle - 1;

    if (protocol->Data1 == 2) {
        set_path(paths[n], volume[n].nodes);
        *out = paths[n];
        return volume[n].has_no_path ? EFI_UNSUPPORTED : EFI_SUCCESS;
    }
    if (volume[n].gone)
        return EFI_INVALID_PARAMETER;
    interface[n].protocol.OpenVolume = open_volume;
    interface[n].volume = &volume[n];
    *out = &interface[n].protocol;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                UINTN *n, EFI_HANDLE **handles)
{
    *n = n_volumes;
    if (!*n)
        return EFI_NOT_FOUND;
    *handles = calloc(*n, sizeof(EFI_HANDLE));
    blocks++;
    for (UINTN i = 0; i < *n; i++)
        (*handles)[i] = (EFI_HANDLE)(i + 1);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI connect(EFI_HANDLE handle, EFI_HANDLE *drivers, EFI_DEVICE_PATH *path,
                                 BOOLEAN recursive)
{
    connected++;
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI free_pool(VOID *block)
{
    blocks--;
    free(block);
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .LocateHandleBuffer = locate,
                                      .HandleProtocol = handle_protocol,
                                      .ConnectController = connect,
                                      .FreePool = free_pool };
EFI_BOOT_SERVICES *BS = &services;

static void add(struct volume v)
{
    volume[n_volumes++] = v;
}

static void find(EFI_HANDLE own, struct volumes *found)
{
    connected = 0;
    volumes_find_writable(own, found);
    assert_int_equal(n_open + blocks, 0);
    assert_int_equal(connected, n_volumes);
}

TEST(finds_those_that_can_be_written_to)
{
    static const CHAR16 long_one[] = L"A label that is longer than any";
    struct volumes found;

    n_volumes = 0;
    find(NULL, &found);
    assert_int_equal(found.n, 0);
    add((struct volume){ .label = L"OWN", .label_bytes = 8 });
    add((struct volume){ .label = L"STICK", .label_bytes = 12, .size = 8 << 20, .free = 1 << 19 });
    add((struct volume){ .label = L"CD", .label_bytes = 6, .read_only = true });
    add((struct volume){ .label = L"", .label_bytes = 2, .size = 1 << 20 });
    add((struct volume){ .no_info = true });
    add((struct volume){ .no_root = true });
    add((struct volume){ .gone = true });
    add((struct volume){ .label = long_one, .label_bytes = sizeof(long_one) - 2 }); /* no NUL */
    find((EFI_HANDLE)1, &found);
    assert_int_equal(found.n, 3);
    assert_string_equal(found.name[0], "STICK (8 MiB, 512 KiB free)");
    assert_string_equal(found.name[1], "a disk without a name (1 MiB, 0 B free)");
    assert_ptr_equal(strstr(found.name[2], "A label that is longer t ("), found.name[2]);
    assert_ptr_equal(found.handle[0], (EFI_HANDLE)2);
}

TEST(takes_no_more_than_fit)
{
    static const CHAR16 odd[] = { 'A', 0x1b, 0xe4, 0x2028, 'B', 0 };
    struct volumes found;

    n_volumes = 0;
    for (int i = 0; i < HANDLES_MAX; i++)
        add((struct volume){ .label = odd, .label_bytes = sizeof(odd) });
    find(NULL, &found);
    assert_int_equal(found.n, VOLUMES_MAX);
    assert_ptr_equal(strstr(found.name[0], "A???B ("), found.name[0]);
    assert_null(volumes_open_root(NULL));
}

/* By its label and how its disk is connected; the sizes are always there. */
TEST(is_named_by_its_disk)
{
    static const uint8_t usb[][2] = { { 2, 1 }, { 3, 18 }, { 3, 5 }, { 0 } };
    static const uint8_t nvme[][2] = { { 1, 1 }, { 3, 23 }, { 4, 1 }, { 0 } };
    static const uint8_t none[][2] = { { 1, 1 }, { 9, 1 }, { 3, 5 }, { 0 } };
    const struct volume plain = { .label = L"", .size = 100 << 20, .free = 60 << 20, .nodes = usb };
    static const char *const names[] = {
        "USB disk (100 MiB, 60 MiB free)",
        "Windows' boot partition on NVMe disk (100 MiB)",
        "ESP on NVMe disk (100 MiB, 60 MiB free)",
        "a disk without a name (100 MiB, 60 MiB free)",
        "ESP (100 MiB, 60 MiB free)",
    };
    struct volumes found;

    n_volumes = 0;
    for (int i = 0; i < 5; i++)
        add(plain);
    volume[1].has_windows = true;
    volume[1].nodes = volume[2].nodes = nvme;
    volume[3].nodes = none;
    volume[4].has_no_path = true;
    volume[2].label = volume[4].label = L"ESP";
    volume[2].label_bytes = volume[4].label_bytes = 8;
    find(NULL, &found);
    assert_int_equal(found.n, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(found.name[i], names[i]);
}
