// SPDX-License-Identifier: MIT
#include "fake_uefi.h"

#include <assert.h>
#include <efilib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/guard_install/partitions.h"
#include "boot/uefi/secure_boot.h"
#include "boot/uefi/sign_key.h"
#include "boot/uefi/variables.h"

struct fake_uefi fake_uefi;

struct handle {
    EFI_FILE file;
    char path[FAKE_NAME_MAX];
    bool is_stick;
    size_t position;
};

static bool fails(void)
{
    fake_uefi.writes++;
    return fake_uefi.writes == fake_uefi.fails_at ||
           (fake_uefi.is_cut && fake_uefi.writes > fake_uefi.fails_at);
}

struct fake_thing *fake_find(struct fake_thing *in, const char *name)
{
    for (unsigned i = 0; i < FAKE_THINGS_MAX; i++) {
        if (in[i].is_there && strcmp(in[i].name, name) == 0)
            return &in[i];
    }
    return NULL;
}

/* NULL: there is no room. */
static struct fake_thing *make(struct fake_thing *in, const char *name)
{
    struct fake_thing *thing = fake_find(in, name);

    for (unsigned i = 0; i < FAKE_THINGS_MAX && !thing; i++)
        thing = in[i].is_there ? NULL : &in[i];
    if (thing) {
        memset(thing, 0, sizeof(*thing));
        thing->is_there = true;
        snprintf(thing->name, sizeof(thing->name), "%s", name);
    }
    return thing;
}

static bool fill(struct fake_thing *thing, const void *bytes, size_t size)
{
    if (!thing || size > FAKE_BYTES_MAX)
        return false;
    memset(thing->bytes, 0, sizeof(thing->bytes));
    if (size)
        memcpy(thing->bytes, bytes, size);
    thing->size = size;
    return true;
}

void fake_set(struct fake_thing *in, const char *name, UINT32 attributes, const void *bytes,
              size_t size)
{
    struct fake_thing *thing = make(in, name);

    assert(fill(thing, bytes, size));
    thing->attributes = attributes;
}

/* Names are cut where firmware would refuse them. */
static void narrow(char to[FAKE_NAME_MAX], const CHAR16 *from)
{
    size_t n = 0;

    for (; from[n] && n + 1 < FAKE_NAME_MAX; n++)
        to[n] = (char)from[n];
    to[n] = 0;
}

static void join(char out[2 * FAKE_NAME_MAX], const struct handle *h, const CHAR16 *name)
{
    char text[FAKE_NAME_MAX];

    narrow(text, name);
    snprintf(out, 2 * FAKE_NAME_MAX, "%s%s%s", text[0] == '\\' ? "" : h->path,
             text[0] == '\\' ? "" : "\\", text);
    out[FAKE_NAME_MAX - 1] = 0;
}

static EFI_FILE *make_handle(const char *path, bool is_stick);

static EFI_STATUS EFIAPI open_file(EFI_FILE *this, EFI_FILE **out, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    const struct handle *h = (void *)this;
    struct fake_thing *thing;
    char path[2 * FAKE_NAME_MAX];

    join(path, h, name);
    if (h->is_stick) {
        if (!fake_find(fake_uefi.stick, path) &&
            (strcmp(path, "\\EFI\\okram\\okram-guardx64.efi") != 0 || !fake_uefi.image))
            return EFI_NOT_FOUND;
        *out = make_handle(path, true);
        return EFI_SUCCESS;
    }
    thing = fake_find(fake_uefi.file, path);
    if (!thing && !(mode & EFI_FILE_MODE_CREATE))
        return EFI_NOT_FOUND;
    if (!thing) {
        thing = fails() ? NULL : make(fake_uefi.file, path);
        if (!thing)
            return EFI_VOLUME_FULL;
        thing->is_folder = attributes & EFI_FILE_DIRECTORY;
    }
    *out = make_handle(path, false);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE *this)
{
    fake_uefi.open_handles--;
    free(this);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(EFI_FILE *this)
{
    struct fake_thing *thing = fake_find(fake_uefi.file, ((struct handle *)this)->path);
    bool failed = !thing || fails();

    if (!failed)
        thing->is_there = false;
    close_file(this);
    return failed ? EFI_WARN_DELETE_FAILURE : EFI_SUCCESS;
}

/* One entry at a time, as the protocol has it. */
static EFI_STATUS read_folder(struct handle *h, UINTN *size, EFI_FILE_INFO *info)
{
    size_t n = strlen(h->path);

    if (fake_uefi.lists_itself) {
        info->FileName[0] = '.';
        info->FileName[1] = 0;
        *size = offsetof(EFI_FILE_INFO, FileName) + 4;
        return EFI_SUCCESS;
    }
    while (h->position < FAKE_THINGS_MAX) {
        const struct fake_thing *t = &fake_uefi.file[h->position++];

        if (!t->is_there || strncmp(t->name, h->path, n) != 0 || t->name[n] != '\\')
            continue;
        info->FileName[0] = 'x';
        info->FileName[1] = 0;
        *size = offsetof(EFI_FILE_INFO, FileName) + 4;
        return EFI_SUCCESS;
    }
    *size = 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(EFI_FILE *this, UINTN *size, VOID *out)
{
    struct handle *h = (void *)this;
    const struct fake_thing *thing =
        fake_find(h->is_stick ? fake_uefi.stick : fake_uefi.file, h->path);
    const uint8_t *bytes = thing ? thing->bytes : fake_uefi.image;
    UINTN n;

    if (!thing && !h->is_stick)
        return EFI_DEVICE_ERROR;
    if (thing && thing->is_folder)
        return read_folder(h, size, out);
    n = (thing ? thing->size : fake_uefi.image_bytes) - h->position;
    *size = n < *size ? n : *size;
    if (*size)
        memcpy(out, bytes + h->position, *size);
    h->position += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE *this, UINTN *size, VOID *bytes)
{
    struct fake_thing *thing = fake_find(fake_uefi.file, ((struct handle *)this)->path);

    if (fails())
        return EFI_DEVICE_ERROR;
    return fill(thing, bytes, *size) ? EFI_SUCCESS : EFI_VOLUME_FULL;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE *this)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(EFI_FILE *this, EFI_GUID *type, UINTN *size, VOID *out)
{
    static const EFI_GUID of_system = EFI_FILE_SYSTEM_INFO_ID;

    if (memcmp(type, &of_system, sizeof(of_system)) != 0)
        memset(out, 0, offsetof(EFI_FILE_INFO, FileName));
    else
        *(EFI_FILE_SYSTEM_INFO *)out =
            (EFI_FILE_SYSTEM_INFO){ .FreeSpace = fake_uefi.disk_room, .BlockSize = 512 };
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_info(EFI_FILE *this, EFI_GUID *type, UINTN size, VOID *info)
{
    struct handle folder = *(struct handle *)this;
    struct fake_thing *thing = fake_find(fake_uefi.file, folder.path);
    char path[2 * FAKE_NAME_MAX], *end = strrchr(folder.path, '\\');

    if (fails() || !thing || !end)
        return EFI_DEVICE_ERROR;
    *end = 0;
    join(path, &folder, ((EFI_FILE_INFO *)info)->FileName);
    if (fake_find(fake_uefi.file, path))
        return EFI_ACCESS_DENIED;
    snprintf(thing->name, sizeof(thing->name), "%.*s", FAKE_NAME_MAX - 1, path);
    return EFI_SUCCESS;
}

static EFI_FILE *make_handle(const char *path, bool is_stick)
{
    struct handle *h = calloc(1, sizeof(*h));

    assert(h);
    h->file = (EFI_FILE){ .Open = open_file,
                          .Close = close_file,
                          .Delete = delete_file,
                          .Read = read_file,
                          .Write = write_file,
                          .Flush = flush_file,
                          .GetInfo = get_info,
                          .SetInfo = set_info };
    snprintf(h->path, sizeof(h->path), "%.*s", FAKE_NAME_MAX - 1, path);
    h->is_stick = is_stick;
    fake_uefi.open_handles++;
    return &h->file;
}

EFI_FILE *volumes_open_root(EFI_HANDLE handle)
{
    return handle ? make_handle("", handle == FAKE_STICK) : NULL;
}

EFI_HANDLE partitions_handle(const char *guid)
{
    return strcmp(guid, FAKE_PARTITION) == 0 ? FAKE_DISK : NULL;
}

void partitions_find(EFI_HANDLE own, struct partitions *ret_partitions)
{
    static const HARDDRIVE_DEVICE_PATH node;

    *ret_partitions = (struct partitions){ .n = fake_uefi.n_partitions };
    for (unsigned i = 0; i < fake_uefi.n_partitions; i++)
        ret_partitions->partition[i] = (struct partition){ .handle = FAKE_DISK,
                                                           .name = { i ? 'F' : 'E', 'S', 'P' },
                                                           .guid = FAKE_PARTITION,
                                                           .node = &node };
}

bool secure_boot_is_on(void)
{
    return fake_uefi.is_secure;
}

bool sign_key_read(uint8_t ret_key[SIGN_KEY_BYTES])
{
    if (fake_uefi.key)
        memcpy(ret_key, fake_uefi.key, SIGN_KEY_BYTES);
    return fake_uefi.key != NULL;
}

bool firmware_tables_open_smbios(struct smbios *ret_smbios)
{
    return false;
}

static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                        UINTN *descriptor_bytes, UINT32 *version)
{
    bool fits = *size >= sizeof(*map);

    *size = *descriptor_bytes = sizeof(*map);
    if (fits)
        *map = (EFI_MEMORY_DESCRIPTOR){ .Type = EfiConventionalMemory,
                                        .NumberOfPages = fake_uefi.ram_pages,
                                        .Attribute = EFI_MEMORY_WB };
    return fits ? EFI_SUCCESS : EFI_BUFFER_TOO_SMALL;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *ret_address)
{
    void *pages = AllocatePool(n * EFI_PAGE_SIZE);

    *ret_address = (uintptr_t)pages;
    return pages ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN n)
{
    FreePool((void *)(uintptr_t)address);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, VOID **ret_bytes)
{
    *ret_bytes = AllocatePool(size);
    return *ret_bytes ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

struct guard_fingerprint fake_machine(void)
{
    struct guard_fingerprint machine;

    guard_fingerprint_read(NULL, fake_uefi.ram_pages * EFI_PAGE_SIZE, &machine);
    return machine;
}

VOID *AllocatePool(UINTN size)
{
    if (fake_uefi.no_memory)
        return NULL;
    fake_uefi.pools++;
    return malloc(size ? size : 1);
}

VOID *AllocateZeroPool(UINTN size)
{
    void *block = AllocatePool(size);

    return block ? memset(block, 0, size) : NULL;
}

VOID FreePool(VOID *block)
{
    fake_uefi.pools--;
    free(block);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *wide, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *out)
{
    const struct fake_thing *v;
    UINTN room = *size;
    char name[FAKE_NAME_MAX];

    narrow(name, wide);
    v = fake_find(fake_uefi.variable, name);
    if (EFI_ERROR(fake_uefi.read_status))
        return fake_uefi.read_status;
    if (!v)
        return EFI_NOT_FOUND;
    *size = v->size;
    *attributes = v->attributes;
    if (v->size > room)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(out, v->bytes, v->size);
    if (fake_uefi.damaged_reads) {
        fake_uefi.damaged_reads--;
        ((uint8_t *)out)[v->size - 1] ^= 4;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *wide, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *bytes)
{
    struct fake_thing *v;
    char name[FAKE_NAME_MAX];

    narrow(name, wide);
    v = fake_find(fake_uefi.variable, name);
    if (!size && !v)
        return EFI_NOT_FOUND;
    if (fails())
        return EFI_OUT_OF_RESOURCES;
    if (v && size && v->attributes != attributes)
        return EFI_INVALID_PARAMETER;
    if (!size) {
        v->is_there = false;
        return EFI_SUCCESS;
    }
    v = v ? v : make(fake_uefi.variable, name);
    if (!fill(v, bytes, size))
        return EFI_OUT_OF_RESOURCES;
    v->attributes = attributes;
    v->bytes[0] ^= fake_uefi.damages_write;
    fake_uefi.damages_write = false;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *all, UINT64 *remaining, UINT64 *most)
{
    *all = 1 << 18;
    *remaining = fake_uefi.store_room;
    *most = fake_uefi.largest_variable;
    return fake_uefi.query_status;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *ret_time, EFI_TIME_CAPABILITIES *capabilities)
{
    *ret_time = fake_uefi.time;
    return fake_uefi.time_status;
}

static EFI_STATUS verify(void *bytes, UINT32 size)
{
    return fake_uefi.is_enrolled ? EFI_SUCCESS : EFI_SECURITY_VIOLATION;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *protocol, VOID *registration, VOID **ret)
{
    static struct {
        EFI_STATUS (*verify)(void *bytes, UINT32 size);
    } lock = { verify };

    *ret = &lock;
    return fake_uefi.has_shim_lock ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable,
                                        .SetVariable = set_variable,
                                        .QueryVariableInfo = query,
                                        .GetTime = get_time };
static EFI_SYSTEM_TABLE system_table = { .Hdr.Revision = 2 << 16 };
static EFI_BOOT_SERVICES boot = { .GetMemoryMap = get_memory_map,
                                  .AllocatePages = allocate_pages,
                                  .FreePages = free_pages,
                                  .AllocatePool = allocate_pool,
                                  .LocateProtocol = locate_protocol };
EFI_RUNTIME_SERVICES *RT = &runtime;
EFI_BOOT_SERVICES *BS = &boot;
EFI_SYSTEM_TABLE *ST = &system_table;

uint8_t fake_image[FAKE_IMAGE_BYTES];

void fake_begin(void)
{
    uint8_t *head = fake_image + FAKE_PE_AT;

    memset(&fake_uefi, 0, sizeof(fake_uefi));
    memset(fake_image, 0, sizeof(fake_image));
    memcpy(fake_image, "MZ", 2);
    fake_image[0x3c] = FAKE_PE_AT;
    memcpy(head, "PE\0\0\x64\x86", 6);
    head[92] = 11;
    fake_uefi.image = fake_image;
    fake_uefi.image_bytes = FAKE_IMAGE_BYTES;
    fake_uefi.ram_pages = 1 << 20;
    fake_uefi.disk_room = 1 << 20;
    fake_uefi.store_room = 1 << 18;
    fake_uefi.largest_variable = 0x8000;
    fake_uefi.n_partitions = 1;
}

/* A PE file with one section. */
static void set_program(const char *path, const char *sbat)
{
    enum { SECTION = FAKE_PE_AT + 24 + 240, TEXT = 0x300 };
    uint8_t file[TEXT + 256] = "MZ", *head = file + FAKE_PE_AT, *section = file + SECTION;

    assert(strlen(sbat) < 256);
    file[0x3c] = FAKE_PE_AT;
    memcpy(head, "PE\0\0\x64\x86\1", 7);
    head[20] = 240; /* bytes of the optional head */
    head[92] = 10;
    memcpy(section, ".sbat", 5);
    section[8] = (uint8_t)strlen(sbat);
    section[17] = 1; /* 256 bytes in the file, from TEXT on */
    section[21] = TEXT >> 8;
    memcpy(file + TEXT, sbat, strlen(sbat));
    fake_set(fake_uefi.stick, path, 0, file, sizeof(file));
}

void fake_set_shim(const char *sbat)
{
    set_program(FAKE_SHIM, sbat);
    set_program(FAKE_MOKMANAGER, "");
}

size_t fake_set_list(const char *name, const struct guard_run *run, size_t n)
{
    const struct guard_fingerprint machine = fake_machine();
    uint8_t list[FAKE_BYTES_MAX];
    struct guard_writer writer = guard_writer_begin(list, sizeof(list));
    size_t size;

    for (size_t i = 0; i < n; i++)
        guard_writer_add(&writer, run[i]);
    size = guard_writer_end(&writer, &machine, 1795305600);
    if (size)
        fake_set(fake_uefi.variable, name, VARIABLE_SHARED, list, size);
    return size;
}
