// SPDX-License-Identifier: MIT
/* Installing the guard and removing it (change.h), on firmware in which any write can fail. */
#include "boot/uefi/guard_install/install.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/guard_install/change.h"
#include "boot/uefi/guard_install/this_machine.h"
#include "boot/uefi/secure_boot.h"
#include "boot/uefi/sign_key.h"
#include "guardlist/guard_sign.h"
#include "guardlist/samples.h"

#define THINGS_MAX 12
#define BYTES_MAX  2048
#define IMAGE_SIZE 600
#define DISK       ((EFI_HANDLE)1)
#define STICK      ((EFI_HANDLE)2)

/* Files and folders of the disk by path, and variables by name. */
struct thing {
    bool is_there, is_folder;
    char name[100];
    UINT32 attributes;
    UINTN size;
    uint8_t bytes[BYTES_MAX];
};

static struct {
    struct thing file[THINGS_MAX], var[THINGS_MAX];
} world, before;

static unsigned changes, fails_at, open_handles, pools;
static bool is_full, is_secure, other_machine, has_key, lists_itself;
static uint64_t store_room, largest;
static uint8_t image[IMAGE_SIZE];

struct handle {
    EFI_FILE file;
    char path[100];
    bool is_stick;
    unsigned position;
};

/* Whether this write fails. */
static bool fails(void)
{
    return ++changes == fails_at;
}

static void narrow(const CHAR16 *from, char *to)
{
    do {
        *to++ = (char)*from;
    } while (*from++);
}

static struct thing *find(struct thing *in, const char *name)
{
    for (unsigned i = 0; i < THINGS_MAX; i++) {
        if (in[i].is_there && strcmp(in[i].name, name) == 0)
            return &in[i];
    }
    return NULL;
}

static struct thing *add(struct thing *in, const char *name)
{
    unsigned i = 0;

    while (i < THINGS_MAX && in[i].is_there)
        i++;
    assert_true(i < THINGS_MAX);
    in[i] = (struct thing){ .is_there = true };
    snprintf(in[i].name, sizeof(in[i].name), "%s", name);
    return &in[i];
}

static void forget(struct thing *thing)
{
    *thing = (struct thing){ 0 };
}

/* In whatever order. */
static void assert_same(struct thing *now, struct thing *then)
{
    for (unsigned i = 0; i < THINGS_MAX; i++) {
        struct thing *other = then[i].is_there ? find(now, then[i].name) : NULL;

        if (now[i].is_there)
            assert_non_null(find(then, now[i].name));
        if (then[i].is_there) {
            assert_non_null(other);
            assert_memory_equal(other, &then[i], sizeof(*other));
        }
    }
}

static void assert_as_before(void)
{
    assert_same(world.file, before.file);
    assert_same(world.var, before.var);
}

static void join(char out[200], const struct handle *h, const CHAR16 *name)
{
    char text[100];

    narrow(name, text);
    snprintf(out, 200, "%s%s%s", text[0] == '\\' ? "" : h->path, text[0] == '\\' ? "" : "\\", text);
}

static EFI_FILE *make_handle(const char *path, bool stick);

static EFI_STATUS EFIAPI open_file(EFI_FILE *this, EFI_FILE **out, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    struct handle *h = (void *)this;
    struct thing *thing;
    char path[200];

    join(path, h, name);
    if (h->is_stick) {
        if (strcmp(path, "\\EFI\\okram\\okram-guardx64.efi") != 0)
            return EFI_NOT_FOUND;
        *out = make_handle(path, true);
        return EFI_SUCCESS;
    }
    thing = find(world.file, path);
    if (!thing && !(mode & EFI_FILE_MODE_CREATE))
        return EFI_NOT_FOUND;
    if (!thing) {
        if (fails())
            return EFI_VOLUME_FULL;
        thing = add(world.file, path);
        thing->is_folder = attributes & EFI_FILE_DIRECTORY;
    }
    *out = make_handle(path, false);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE *this)
{
    open_handles--;
    free(this);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(EFI_FILE *this)
{
    struct handle *h = (void *)this;
    struct thing *thing = find(world.file, h->path);

    assert_non_null(thing);
    forget(thing);
    return close_file(this);
}

/* Of a folder: its entries' names. */
static EFI_STATUS read_folder(struct handle *h, UINTN *size, VOID *out)
{
    size_t n = strlen(h->path);

    EFI_FILE_INFO *info = out;

    if (lists_itself) { /* and never what is in it, nor an end */
        info->FileName[0] = '.';
        info->FileName[1] = 0;
        *size = offsetof(EFI_FILE_INFO, FileName) + 4;
        return EFI_SUCCESS;
    }
    while (h->position < THINGS_MAX) {
        const struct thing *t = &world.file[h->position++];

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
    const struct thing *thing = h->is_stick ? NULL : find(world.file, h->path);
    const uint8_t *bytes = thing ? thing->bytes : image;
    UINTN n = (thing ? thing->size : IMAGE_SIZE) - h->position;

    if (thing && thing->is_folder)
        return read_folder(h, size, out);
    *size = n < *size ? n : *size;
    memcpy(out, bytes + h->position, *size);
    h->position += (unsigned)*size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE *this, UINTN *size, VOID *bytes)
{
    struct thing *thing = find(world.file, ((struct handle *)this)->path);

    assert_true(*size <= BYTES_MAX);
    if (fails())
        return EFI_DEVICE_ERROR;
    memcpy(thing->bytes, bytes, *size);
    thing->size = *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE *this)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(EFI_FILE *this, EFI_GUID *type, UINTN *size, VOID *out)
{
    static const EFI_GUID of_system = EFI_FILE_SYSTEM_INFO_ID;

    if (memcmp(type, &of_system, sizeof(of_system)) != 0) {
        memset(out, 0, offsetof(EFI_FILE_INFO, FileName));
        return EFI_SUCCESS;
    }
    *(EFI_FILE_SYSTEM_INFO *)out =
        (EFI_FILE_SYSTEM_INFO){ .FreeSpace = is_full ? 8 * 512 + IMAGE_SIZE - 1 : 1 << 20,
                                .BlockSize = 512 };
    return EFI_SUCCESS;
}

/* Renames. */
static EFI_STATUS EFIAPI set_info(EFI_FILE *this, EFI_GUID *type, UINTN size, VOID *info)
{
    struct handle *h = (void *)this, folder = *h;
    struct thing *thing = find(world.file, h->path);
    char path[200];

    if (fails())
        return EFI_DEVICE_ERROR;
    *strrchr(folder.path, '\\') = 0;
    join(path, &folder, ((EFI_FILE_INFO *)info)->FileName);
    assert_null(find(world.file, path));
    snprintf(thing->name, sizeof(thing->name), "%.99s", path);
    return EFI_SUCCESS;
}

static EFI_FILE *make_handle(const char *path, bool stick)
{
    struct handle *h = calloc(1, sizeof(*h));

    h->file = (EFI_FILE){ .Open = open_file,
                          .Close = close_file,
                          .Delete = delete_file,
                          .Read = read_file,
                          .Write = write_file,
                          .Flush = flush_file,
                          .GetInfo = get_info,
                          .SetInfo = set_info };
    snprintf(h->path, sizeof(h->path), "%s", path);
    h->is_stick = stick;
    open_handles++;
    return &h->file;
}

EFI_FILE *volumes_open_root(EFI_HANDLE handle)
{
    return handle ? make_handle("", handle == STICK) : NULL;
}

EFI_HANDLE partitions_handle(const char *guid)
{
    return strcmp(guid, "0f0e0d0c-01") == 0 ? DISK : NULL;
}

EFI_STATUS this_machine_fingerprint(struct guard_fingerprint *ret_machine)
{
    *ret_machine = sample_machine;
    ret_machine->n_modules += other_machine;
    return EFI_SUCCESS;
}

static const uint8_t key[SIGN_KEY_BYTES] = { 2, 7, 1, 8 };

bool sign_key_read(uint8_t ret_key[SIGN_KEY_BYTES])
{
    if (has_key)
        memcpy(ret_key, key, sizeof(key));
    return has_key;
}

bool secure_boot_is_on(void)
{
    return is_secure;
}

VOID *AllocatePool(UINTN size)
{
    pools++;
    return malloc(size);
}

VOID *AllocateZeroPool(UINTN size)
{
    pools++;
    return calloc(1, size);
}

VOID FreePool(VOID *block)
{
    pools--;
    free(block);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *wide, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *out)
{
    const struct thing *v;
    UINTN room = *size;
    char name[100];

    narrow(wide, name);
    v = find(world.var, name);
    if (!v)
        return EFI_NOT_FOUND;
    *size = v->size;
    *attributes = v->attributes;
    if (v->size > room)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(out, v->bytes, v->size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *wide, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *bytes)
{
    struct thing *v;
    char name[100];

    narrow(wide, name);
    v = find(world.var, name);
    if (!size) {
        if (v)
            forget(v);
        return v ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    if (fails())
        return EFI_OUT_OF_RESOURCES;
    if (v && v->attributes != attributes)
        return EFI_INVALID_PARAMETER;
    assert_true(size <= BYTES_MAX);
    v = v ? v : add(world.var, name);
    v->attributes = attributes;
    v->size = size;
    memset(v->bytes, 0, sizeof(v->bytes));
    memcpy(v->bytes, bytes, size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *all, UINT64 *remaining, UINT64 *most)
{
    *all = 1 << 18;
    *remaining = store_room;
    *most = largest;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable,
                                        .SetVariable = set_variable,
                                        .QueryVariableInfo = query };
static EFI_SYSTEM_TABLE system_table = { .Hdr.Revision = 2 << 16 };
EFI_RUNTIME_SERVICES *RT = &runtime;
EFI_SYSTEM_TABLE *ST = &system_table;

static void set(const char *name, UINT32 attributes, const void *bytes, UINTN size)
{
    struct thing *v = find(world.var, name);

    v = v ? v : add(world.var, name);
    v->attributes = attributes;
    v->size = size;
    memcpy(v->bytes, bytes, size);
}

static const struct guard_run found[] = { { 0x3000, 1 }, { 0x3100, 2 } };

/* A computer whose last run has found three pages, and a driver of somebody else's. */
static int begin(void **state)
{
    uint8_t list[200];

    memset(&world, 0, sizeof(world));
    memset(image, 0x5a, sizeof(image));
    memcpy(image, "MZ", 2);
    memcpy(image + 0x3c, "\x80\0\0\0", 4);
    memcpy(image + 0x80, "PE\0\0\x64\x86", 6);
    memcpy(image + 0x80 + 92, "\x0b\0", 2);
    set("OkramGuardNew", 7, list, make_list(found, 2, list, sizeof(list)));
    set("Driver0000", 7, "x", 1);
    set("DriverOrder", 7, "\0\0\1\0", 4);
    set("BootOrder", 7, "\0\0", 2);
    fails_at = changes = open_handles = pools = 0;
    is_full = is_secure = other_machine = has_key = false;
    store_room = 1 << 18;
    largest = 0x8000;
    before = world;
    return 0;
}

static int end(void **state)
{
    assert_int_equal(open_handles, 0);
    assert_int_equal(pools, 0);
    return 0;
}

static char said[WARNING_TEXT_MAX];
static HARDDRIVE_DEVICE_PATH node;

static bool install(enum guard_way way)
{
    struct fmt_buffer message = fmt_buffer_make(said, sizeof(said));
    struct partition partition = {
        .handle = DISK, .name = "ESP", .guid = "0f0e0d0c-01", .node = &node
    };
    static struct install_plan plan;
    struct install_state state;
    bool done;

    install_state_read(&state);
    done = install_plan_make(STICK, &state, way, &partition, &plan, &message);
    if (done) {
        done = install_do(&plan, &message);
        install_plan_free(&plan);
    } else {
        assert_as_before();
        assert_int_equal(changes, 0);
    }
    install_state_free(&state);
    return done;
}

static bool remove_it(void)
{
    struct fmt_buffer message = fmt_buffer_make(said, sizeof(said));
    struct install_state state;
    bool done;

    install_state_read(&state);
    done = state.has_backup && change_remove(&state, &message);
    install_state_free(&state);
    return done;
}

static bool add_found(void)
{
    struct fmt_buffer message = fmt_buffer_make(said, sizeof(said));
    struct install_state state;
    bool done;

    install_state_read(&state);
    done = change_can_add(&state) && change_add(&state, &message);
    install_state_free(&state);
    return done;
}

static void assert_variable(const char *name, UINT32 attributes, const void *bytes, UINTN size)
{
    const struct thing *v = find(world.var, name);

    assert_non_null(v);
    assert_int_equal(v->attributes, attributes);
    assert_int_equal(v->size, size);
    assert_memory_equal(v->bytes, bytes, size);
}

static void all_is_written_and_removed_again(void **state)
{
    const struct thing *list, *file;

    assert_true(install(GUARD_BY_DRIVER));
    list = find(before.var, "OkramGuardNew");
    assert_variable("OkramGuard", 3, list->bytes, list->size);
    assert_variable("DriverOrder", 7, "\2\0\0\0\1\0", 6); /* 1 is in the order, if nowhere else */
    assert_non_null(find(world.var, "Driver0002"));
    file = find(world.file, "\\EFI\\okram\\okram-guardx64.efi");
    assert_non_null(file);
    assert_memory_equal(file->bytes, image, IMAGE_SIZE);
    assert_true(remove_it());
    assert_as_before();
}

static bool found_is_signed(void)
{
    struct install_state state;
    bool is_signed;

    install_state_read(&state);
    is_signed = state.found.is_signed;
    install_state_free(&state);
    return is_signed;
}

/* By this machine's key, which may not be there. */
static void it_is_known_who_made_the_list(void **state)
{
    struct thing *list = find(world.var, "OkramGuardNew");
    uint8_t other[SIGN_KEY_BYTES] = { 2, 7, 1, 9 };

    has_key = true;
    assert_false(found_is_signed());
    guard_list_sign(list->bytes, key);
    assert_true(found_is_signed());
    has_key = false;
    assert_false(found_is_signed());
    has_key = true;
    guard_list_sign(list->bytes, other);
    assert_false(found_is_signed());
    forget(list);
    assert_false(found_is_signed());
}

static void a_second_time_it_is_not_installed(void **state)
{
    assert_true(install(GUARD_BY_DRIVER));
    before = world;
    changes = 0;
    assert_false(install(GUARD_BY_SYSTEMD));
    assert_string_equal(said, "The guard is installed already.");
    forget(find(world.var, BACKUP_NAME));
    before = world;
    assert_false(install(GUARD_BY_SYSTEMD));
    assert_non_null(strstr(said, "but not by okram"));
}

/* EDK2 starts no driver from BootOrder. */
static void a_boot_entry_is_an_application(void **state)
{
    const struct thing *file;

    is_secure = true;
    assert_false(install(GUARD_BY_WRAPPER));
    assert_non_null(strstr(said, "Under Secure Boot the guard cannot be a boot entry"));
    is_secure = false;
    assert_true(install(GUARD_BY_WRAPPER));
    assert_variable("BootOrder", 7, "\1\0\0\0", 4);
    assert_variable("DriverOrder", 7, "\0\0\1\0", 4);
    file = find(world.file, "\\EFI\\okram\\okram-guard-start.efi");
    assert_non_null(file);
    image[0x80 + 92] = 10;
    assert_memory_equal(file->bytes, image, IMAGE_SIZE);
    assert_true(remove_it());
    assert_as_before();
}

/* Whatever fails, all is as it was. */
static void what_fails_is_taken_back(void **state)
{
    static const enum guard_way ways[] = { GUARD_BY_DRIVER, GUARD_BY_SYSTEMD, GUARD_BY_WRAPPER };

    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        bool done = false;
        unsigned n = 1;

        for (; !done; n++) {
            begin(NULL);
            largest = i ? 100 : largest; /* the list goes into a file */
            fails_at = n;
            done = install(ways[i]);
            if (!done) {
                assert_as_before();
                assert_non_null(strstr(said, "The guard was not installed: "));
            }
        }
        assert_true(n > 6);
        fails_at = 0;
        assert_true(remove_it());
        assert_as_before();
    }
}

static void what_is_wrong_is_said_before_anything_is_written(void **state)
{
    image[0x80 + 92] = 10;
    assert_false(install(GUARD_BY_DRIVER));
    assert_string_equal(said, "okram-guardx64.efi is not a UEFI driver for x86-64.");
    image[0x80 + 92] = 11;
    is_full = true;
    assert_false(install(GUARD_BY_DRIVER));
    assert_string_equal(said, "Nothing can be written to ESP: the volume is full.");
    is_full = false;
    other_machine = true;
    assert_false(install(GUARD_BY_DRIVER));
    assert_non_null(strstr(said, "the memory modules changed since it was made. Test again."));
    other_machine = false;
    store_room = 5 * 1024;
    assert_false(install(GUARD_BY_DRIVER));
    assert_string_equal(said, "UEFI's store of variables has 5120 bytes left, too few.");
    store_room = 1 << 18;
    largest = 100;
    is_secure = true;
    assert_false(install(GUARD_BY_DRIVER));
    assert_non_null(strstr(said, "under Secure Boot the guard takes no file."));
    is_secure = false;
    largest = 0x8000;
    set("DriverOrder", 7, "\0\0\1\0\1", 5);
    forget(find(world.var, "BootOrder"));
    before = world;
    assert_false(install(GUARD_BY_DRIVER));
    assert_non_null(strstr(said, "DriverOrder has 5 bytes: it is malformed"));
    assert_false(install(GUARD_BY_WRAPPER));
    assert_string_equal(said, "BootOrder is empty: firmware would start nothing after the guard.");
    assert_true(install(GUARD_BY_REFIND)); /* which needs no order */
}

static void what_others_have_changed_since_then_stays(void **state)
{
    assert_true(install(GUARD_BY_DRIVER));
    set("DriverOrder", 7, "\5\0\2\0\0\0", 6);
    add(world.file, "\\EFI\\okram\\notes.txt");
    assert_true(remove_it());
    assert_variable("DriverOrder", 7, "\5\0\0\0", 4);
    assert_non_null(find(world.file, "\\EFI\\okram\\notes.txt"));
    assert_null(find(world.file, "\\EFI\\okram\\okram-guardx64.efi"));

    begin(NULL);
    assert_true(install(GUARD_BY_DRIVER));
    set("Driver0002", 7, "others", 6);
    assert_true(remove_it());
    assert_variable("Driver0002", 7, "others", 6);
}

/* A broken file system: it is not empty as far as can be seen, so it stays. */
static void a_folder_without_an_end_stays(void **state)
{
    assert_true(install(GUARD_BY_DRIVER));
    lists_itself = true;
    assert_true(remove_it());
    lists_itself = false;
    assert_non_null(find(world.file, "\\EFI\\okram"));
    assert_null(find(world.file, "\\EFI\\okram\\okram-guardx64.efi"));
}

/* A backup that lists a file which no installation makes is forged: nothing of it is believed. */
static void nothing_else_is_deleted(void **state)
{
    static const char backup[] =
        "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\",\"driver\":\"Driver0000\","
        "\"partition\":\"0f0e0d0c-01\",\"files\":[\"\\\\EFI\\\\BOOT\\\\BOOTX64.EFI\"],"
        "\"folders\":[\"\\\\EFI\"]}";
    struct install_state odd;

    add(world.file, "\\EFI")->is_folder = true;
    add(world.file, "\\EFI\\BOOT\\BOOTX64.EFI");
    before = world;
    set(BACKUP_NAME, 7, backup, sizeof(backup) - 1);
    assert_false(remove_it());
    install_state_read(&odd);
    assert_string_equal(odd.backup_why, "its files are not those of the guard");
    install_state_free(&odd);
    forget(find(world.var, BACKUP_NAME));
    assert_as_before();
}

static void more_pages_join_the_list(void **state)
{
    static const struct guard_run more[] = { { 0x100, 1 }, { 0x3001, 1 } };
    static const struct guard_run both[] = { { 0x100, 1 }, { 0x3000, 2 }, { 0x3100, 2 } };
    uint8_t list[200];
    size_t size;

    for (int in_file = 0; in_file < 2; in_file++) {
        unsigned n = 1;

        begin(NULL);
        largest = in_file ? 100 : largest;
        assert_true(install(GUARD_BY_DRIVER));
        assert_false(add_found() && !in_file); /* nothing new */
        set("OkramGuardNew", 7, list, make_list(more, 2, list, sizeof(list)));
        before = world;
        for (fails_at = changes + 1; !add_found(); fails_at = changes + ++n)
            assert_as_before();
        assert_true(n >= (in_file ? 4 : 2));
        fails_at = 0;
        size = make_list(both, 3, list, sizeof(list));
        if (!in_file) {
            assert_int_equal(find(world.var, "OkramGuard")->size, size);
            assert_same_list(find(world.var, "OkramGuard")->bytes, list, size);
        }
        assert_int_equal(find(world.var, "OkramGuard") != NULL, !in_file);
        assert_true(remove_it());
    }
}

/* The fifth data directory, of a file that says that it has that many. */
static void a_signature(void **state)
{
    uint8_t *head = image + 0x80;

    memset(head + 92 + 2, 0, IMAGE_SIZE - 0x80 - 94);
    assert_false(install_is_signed(STICK));
    head[168] = 1;
    head[172] = 8;
    assert_false(install_is_signed(STICK)); /* there are 0 */
    head[132] = 16;
    assert_true(install_is_signed(STICK));
    head[168] = 0;
    assert_false(install_is_signed(STICK));
    head[168] = 1;
    head[172] = 0;
    assert_false(install_is_signed(STICK));
    head[172] = 8;
    head[132] = 4;
    assert_false(install_is_signed(STICK));
    head[132] = 5;
    assert_true(install_is_signed(STICK));
    image[0] = 0;
    assert_false(install_is_signed(STICK));
    assert_false(install_is_signed(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_is_written_and_removed_again, begin, end),
        cmocka_unit_test_setup_teardown(it_is_known_who_made_the_list, begin, end),
        cmocka_unit_test_setup_teardown(a_second_time_it_is_not_installed, begin, end),
        cmocka_unit_test_setup_teardown(a_boot_entry_is_an_application, begin, end),
        cmocka_unit_test_setup_teardown(what_fails_is_taken_back, begin, end),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said_before_anything_is_written, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_others_have_changed_since_then_stays, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_without_an_end_stays, begin, end),
        cmocka_unit_test_setup_teardown(nothing_else_is_deleted, begin, end),
        cmocka_unit_test_setup_teardown(more_pages_join_the_list, begin, end),
        cmocka_unit_test_setup_teardown(a_signature, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
