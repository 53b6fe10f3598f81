// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/last_report.c" /* the variables, which it reads and deletes */

#include <efi.h>
#include <efilib.h>

#include "saved/samples.h"
#include "tests/unit/unit.h"

#define STORE_MAX 24

/* Firmware's variables, in the order in which they were made. */
static struct {
    struct stored {
        CHAR16 name[32];
        EFI_GUID vendor;
        UINT32 attributes;
        UINTN size;
        uint8_t bytes[2048];
    } var[STORE_MAX];
    unsigned n, deletions, fails_at; /* the deletion that fails, from 1 */
    bool names_fail, endless, broken;
} store;

static const EFI_GUID okram = SAVED_GUID;
static struct sample sample;
static struct report_vars vars;
static struct saved_report report;

static bool same_name(const CHAR16 *a, const CHAR16 *b)
{
    for (; *a && *a == *b; a++, b++) {
    }
    return *a == *b;
}

static struct stored *find(const CHAR16 *name, const EFI_GUID *vendor)
{
    for (unsigned i = 0; i < store.n; i++) {
        if (same_name(store.var[i].name, name) &&
            memcmp(&store.var[i].vendor, vendor, sizeof(*vendor)) == 0)
            return &store.var[i];
    }
    return NULL;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    const struct stored *v = find(name, vendor);
    bool fits;

    if (!v)
        return EFI_NOT_FOUND;
    if (store.broken)
        return EFI_DEVICE_ERROR;
    fits = v->size <= *size;
    *size = v->size;
    *attributes = v->attributes;
    if (fits)
        memcpy(data, v->bytes, v->size);
    return fits ? EFI_SUCCESS : EFI_BUFFER_TOO_SMALL;
}

static EFI_STATUS EFIAPI next_name(UINTN *size, CHAR16 *name, EFI_GUID *vendor)
{
    const struct stored *v = name[0] ? find(name, vendor) : NULL;
    unsigned next = v ? (unsigned)(v - store.var) + 1 : 0;

    if (store.names_fail)
        return EFI_DEVICE_ERROR;
    if (store.endless)
        next %= store.n;
    if (next >= store.n)
        return EFI_NOT_FOUND;
    assert_true(*size >= sizeof(store.var[0].name));
    memcpy(name, store.var[next].name, sizeof(store.var[0].name));
    *vendor = store.var[next].vendor;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    struct stored *v = find(name, vendor);

    assert_int_equal(size, 0); /* nothing but deletions */
    if (!v)
        return EFI_NOT_FOUND;
    if (++store.deletions == store.fails_at)
        return EFI_DEVICE_ERROR;
    *v = store.var[--store.n];
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES services = { .GetVariable = get_variable,
                                         .GetNextVariableName = next_name,
                                         .SetVariable = set_variable };
EFI_RUNTIME_SERVICES *RT = &services;

static void put(const char *name, EFI_GUID vendor, const void *bytes, UINTN size)
{
    struct stored *v = &store.var[store.n++];

    memset(v, 0, sizeof(*v));
    for (size_t i = 0; name[i]; i++)
        v->name[i] = (CHAR16)name[i];
    v->vendor = vendor;
    v->attributes = SAVED_ATTRIBUTES;
    v->size = size;
    memcpy(v->bytes, bytes, size);
}

static int put_sample(void **state)
{
    memset(&store, 0, sizeof(store));
    sample_finished(&sample, VERDICT_FAIL, SAMPLE_JSONL, 200);
    for (unsigned i = 0; i < sample.n_parts; i++) {
        char name[] = SAVED_PART_NAME "00";

        name[strlen(name) - 1] += (char)i;
        put(name, okram, sample.part[i], sample.variables.part[i].size);
    }
    put("Boot0000", (EFI_GUID){ 1, 2, 3, { 0 } }, "x", 1);
    return 0;
}

static enum saved_kind read_again(void)
{
    report_vars_read(&vars);
    saved_read(&vars.variables, &report);
    return report.kind;
}

TEST(reads)
{
    memset(&store, 0, sizeof(store));
    assert_int_equal(read_again(), SAVED_NOTHING);
    assert_string_equal(vars.others, "");
    put_sample(NULL);
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_string_equal(report.jsonl, sample.jsonl);
    assert_string_equal(vars.others, "");
}

TEST(names_what_is_not_okrams, put_sample)
{
    static const uint8_t long_one[SAVED_VARIABLE_MAX + 1];

    put("OkramX", okram, "x", 1);
    put("OkramReport0F", okram, long_one, sizeof(long_one));
    put("OkramReport10", okram, "x", 1);
    put("OkramGuard", okram, "x", 1);
    put("OkramCycles", okram, "x", 1);
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_int_equal(report.invalid_parts, 0x8000);
    assert_string_equal(vars.others, "OkramX, OkramReport10");

    store.endless = true; /* firmware that begins anew */
    assert_int_equal(read_again(), SAVED_WHOLE);
    store.names_fail = true;
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_string_equal(vars.others, "");
    store.broken = true;
    assert_int_equal(read_again(), SAVED_UNREADABLE);
}

TEST(deletes_what_is_okrams, put_sample)
{
    put("OkramReport0F", okram, "x", 1);
    put("OkramX", okram, "x", 1);
    read_again();
    assert_int_equal(report_vars_delete(&report), EFI_SUCCESS);
    assert_int_equal(store.n, 3);
    assert_non_null(find(L"OkramReport0F", &okram));
    assert_non_null(find(L"OkramX", &okram));
}

TEST(leaves_what_was_not_read, put_sample)
{
    find(L"OkramReport01", &okram)->name[12] = '9';
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_int_equal(report_vars_delete(&report), EFI_SUCCESS);
    assert_null(find(L"OkramReport00", &okram));
    assert_int_equal(store.n, sample.n_parts); /* Boot0000 */
}

/* Interrupted at any moment: the report is whole, or there is none. */
TEST(leaves_no_half_report, put_sample)
{
    for (unsigned n = 1; n <= sample.n_parts; n++) {
        put_sample(NULL);
        store.fails_at = n;
        read_again();
        assert_true(EFI_ERROR(report_vars_delete(&report)));
        assert_int_equal(read_again(), n == 1 ? SAVED_WHOLE : SAVED_NOTHING);
    }
}
