// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/last_report.h"

#include "fake_disk.h"

#include <efilib.h>

#include "boot/uefi/last_report/report_page.h"
#include "boot/uefi/sign_key.h"
#include "saved/samples.h"

EFI_GUID gEfiSimpleFileSystemProtocolGuid = { .Data1 = 1 };
EFI_GUID DevicePathProtocol = { .Data1 = 2 };
const char viewer_head[] = "<html><pre>", viewer_end[] = "</pre></html>";

#define OWN   ((EFI_HANDLE)1)
#define STICK ((EFI_HANDLE)2)

/* A machine with two volumes, which share the disk's files, and okram's variables. */
static struct {
    struct sample sample;
    bool has_report;
    bool is_signed;
    bool deletion_fails;
    bool own_is_gone, stick_is_gone;
    EFI_HANDLE opened; /* last */
    bool flips;        /* memory: variables read for the second time differ */
    unsigned reads;
} machine;

UINTN Print(IN CONST CHAR16 *format, ...)
{
    return 0;
}

bool sign_key_signed(const struct saved_report *r)
{
    assert_true(r->kind >= SAVED_UNFINISHED);
    return machine.is_signed;
}

VOID *AllocateZeroPool(IN UINTN size)
{
    return calloc(1, size);
}

VOID FreePool(IN VOID *block)
{
    free(block);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    CHAR16 digit = name[strlen(SAVED_PART_NAME) + 1];
    unsigned part = digit <= '9' ? digit - '0' : digit - 'A' + 10;
    const struct saved_variable *v = &machine.sample.variables.part[part];

    machine.reads += part == 0;
    if (!v->bytes || !machine.has_report)
        return EFI_NOT_FOUND;
    memcpy(data, v->bytes, v->size);
    *size = v->size;
    *attributes = v->attributes;
    if (machine.flips && machine.reads == 2 && part == 1)
        ((char *)data)[100] ^= 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI next_name(UINTN *size, CHAR16 *name, EFI_GUID *vendor)
{
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    if (machine.deletion_fails)
        return EFI_DEVICE_ERROR;
    machine.has_report = false;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable,
                                        .GetNextVariableName = next_name,
                                        .SetVariable = set_variable };
EFI_RUNTIME_SERVICES *RT = &runtime;

static EFI_STATUS EFIAPI close_root(EFI_FILE *file)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *volume, EFI_FILE **root)
{
    static EFI_FILE file;

    file = directory;
    file.Close = close_root;
    *root = &file;
    return EFI_SUCCESS;
}

static EFI_FILE_IO_INTERFACE volume = { .OpenVolume = open_volume };

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, VOID **out)
{
    if (protocol->Data1 == DevicePathProtocol.Data1)
        return EFI_UNSUPPORTED; /* disks without a name */
    if (handle == OWN ? machine.own_is_gone : machine.stick_is_gone)
        return EFI_INVALID_PARAMETER;
    machine.opened = handle;
    *out = &volume;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                UINTN *n, EFI_HANDLE **handles)
{
    *n = 2;
    *handles = calloc(2, sizeof(EFI_HANDLE));
    (*handles)[0] = OWN;
    (*handles)[1] = STICK;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI connect(EFI_HANDLE handle, EFI_HANDLE *drivers, EFI_DEVICE_PATH *path,
                                 BOOLEAN recursive)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *block)
{
    free(block);
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .LocateHandleBuffer = locate,
                                      .HandleProtocol = handle_protocol,
                                      .ConnectController = connect,
                                      .FreePool = free_pool };
EFI_BOOT_SERVICES *BS = &services;

static struct last_report *report;
static const struct menu_report *shown;
static char message[WARNING_TEXT_MAX];

static int make(void **state)
{
    memset(&disk, 0, sizeof(disk));
    disk.room = BYTES_MAX;
    disk.free_space = 1 << 20;
    memset(&machine, 0, sizeof(machine));
    machine.has_report = machine.is_signed = true;
    sample_finished(&machine.sample, VERDICT_FAIL, SAMPLE_JSONL, 400);
    return 0;
}

static void begin(void)
{
    report = last_report_begin();
    assert_non_null(report);
    last_report_settle(report, OWN);
    shown = last_report_shown(report);
    assert_int_equal(disk.open, 0);
}

static void write_to_the_stick(void)
{
    struct fmt_buffer b = fmt_buffer_make(message, sizeof(message));

    last_report_write(report, 0, &b);
    assert_int_equal(disk.open, 0);
}

#define NAME L"2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009"

static bool has_html(void)
{
    return find(NAME L".html") != NULL;
}

/* Whether it is the sample's records between these texts. */
static bool is_file(const CHAR16 *path, const char *before, const char *after)
{
    const struct content *c = find(path);
    char wanted[sizeof(machine.sample.jsonl) + 64];
    size_t n = fmt_print(wanted, sizeof(wanted), "%s%s%s", before, machine.sample.jsonl, after);

    return c && c->size == n && memcmp(c->bytes, wanted, n) == 0;
}

TEST(nothing_to_show, make)
{
    machine.has_report = false;
    assert_null(last_report_begin());
    assert_int_equal(disk.calls, 0);
}

TEST(writes_without_being_asked, make)
{
    begin();
    assert_true(is_file(NAME L".jsonl", "", ""));
    assert_true(is_file(NAME L".html", viewer_head, viewer_end));
    assert_null(find(NAME L".txt"));
    assert_false(machine.has_report);
    assert_string_equal(shown->headline, "FAIL, 1 bad page, 2026-11-22 13:14");
    assert_non_null(strstr(shown->page, SAMPLE_LINE "\n"));
    assert_non_null(strstr(shown->page, shown->notice));
    assert_non_null(strstr(shown->notice, "and its UEFI variables were deleted."));
    assert_int_equal(shown->n_volumes, 0);
    free(report);
}

TEST(says_who_wrote_it)
{
    for (int i = 0; i < 2; i++) {
        make(NULL);
        machine.is_signed = i;
        begin();
        assert_int_equal(!strstr(shown->page, "written by the operating system, not by okram"), i);
        free(report);
    }
}

TEST(variables_stay_until_the_files_are_there)
{
    static const char *const why[] = { "read-only", "full", "error", "cannot open it", "faulty" };

    for (int i = 0; i < 5; i++) {
        make(NULL);
        disk.read_only = i == 0;
        disk.free_space = i == 1 ? 0 : disk.free_space;
        disk.flips_bits = i == 2;
        machine.own_is_gone = i == 3;
        machine.flips = i == 4;
        begin();
        assert_true(machine.has_report);
        assert_false(has_html());
        assert_non_null(strstr(shown->notice, why[i]));
        assert_non_null(strstr(shown->page, "It stays in the UEFI variables."));
        /* Memory that is faulty writes nothing anywhere. */
        assert_int_equal(shown->n_volumes, i == 4 ? 0 : 1);
        free(report);
    }
}

TEST(another_volume_takes_it, make)
{
    machine.own_is_gone = machine.stick_is_gone = true;
    begin();
    assert_int_equal(shown->n_volumes, 0);
    free(report);

    machine.stick_is_gone = false;
    begin();
    assert_int_equal(shown->n_volumes, 1);
    machine.stick_is_gone = true; /* pulled out */
    write_to_the_stick();
    assert_non_null(strstr(message, "firmware cannot open it. It stays in the UEFI variables."));
    assert_true(machine.has_report);
    assert_int_equal(shown->n_volumes, 1);

    machine.stick_is_gone = false;
    write_to_the_stick();
    assert_ptr_equal(machine.opened, STICK);
    assert_true(has_html());
    assert_false(machine.has_report);
    assert_int_equal(shown->n_volumes, 0);
    assert_non_null(strstr(shown->page, message));
    free(report);
}

TEST(variables_that_cannot_be_deleted, make)
{
    machine.deletion_fails = true;
    begin();
    assert_true(has_html());
    assert_non_null(strstr(shown->notice, "could not be deleted: error 0x8000000000000007."));
    free(report);
}

TEST(what_is_not_okrams, make)
{
    machine.sample.variables.part[1].attributes = 3;
    begin();
    assert_string_equal(shown->headline, "INCOMPLETE, 1 bad page, 2026-11-22 13:14");
    assert_non_null(strstr(shown->page, "OkramReport01 is damaged or not okram's. This is what"));
    assert_non_null(strstr(shown->page, "left as they are: OkramReport01.\n"));
    assert_true(has_html());
    free(report);

    make(NULL);
    machine.sample.variables.part[0].attributes = 3;
    begin();
    assert_true(machine.has_report);
    assert_int_equal(disk.calls, 0);
    assert_string_equal(shown->headline, "NOT READABLE");
    assert_string_equal(shown->page,
                        "The variable OkramReport00 is damaged or not okram's: its attributes are "
                        "not those of okram's variables.\nThe variable is left as it is.\n");
    free(report);
}
