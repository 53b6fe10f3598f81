// SPDX-License-Identifier: MIT
#include "boot/uefi/sign_key.h"

#include <efi.h>
#include <efilib.h>

#include "saved/saved_read.h"
#include "saved/saved_write.h"
#include "tests/unit/unit.h"

/* Firmware, with a variable OkramKey of a size, or without one. */
static struct {
    UINT32 attributes;
    UINTN size;
    uint8_t bytes[64];
    uint64_t room;
    bool has_rng, refuses;
    unsigned writes;
} firmware;

static uint8_t freed[SIGN_KEY_BYTES];
static UINTN pool_bytes;

VOID *AllocateZeroPool(UINTN size)
{
    pool_bytes = size;
    return calloc(1, size);
}

VOID FreePool(VOID *block)
{
    memcpy(freed, block, pool_bytes < sizeof(freed) ? pool_bytes : sizeof(freed));
    free(block);
}

static void assert_name(const CHAR16 *name)
{
    static const char wanted[] = "OkramKey";

    for (size_t i = 0; i < sizeof(wanted); i++)
        assert_int_equal(name[i], wanted[i]);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *out)
{
    UINTN room = *size;

    assert_name(name);
    if (!firmware.size)
        return EFI_NOT_FOUND;
    *size = firmware.size;
    *attributes = firmware.attributes;
    if (firmware.size > room)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(out, firmware.bytes, firmware.size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *bytes)
{
    assert_name(name);
    if (firmware.refuses && size)
        return EFI_WRITE_PROTECTED;
    if (size && firmware.size && firmware.attributes != attributes)
        return EFI_INVALID_PARAMETER;
    firmware.attributes = attributes;
    firmware.size = size;
    if (size)
        memcpy(firmware.bytes, bytes, size);
    firmware.writes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *all, UINT64 *remaining, UINT64 *most)
{
    *all = *most = 1 << 18;
    *remaining = firmware.room;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *ret_time, EFI_TIME_CAPABILITIES *capabilities)
{
    return EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI get_rng(void *this, EFI_GUID *algorithm, UINTN bytes, UINT8 *out)
{
    memset(out, 0xa5, bytes);
    return EFI_SUCCESS;
}

static struct {
    void *get_info;
    EFI_STATUS(EFIAPI *get_rng)(void *this, EFI_GUID *algorithm, UINTN bytes, UINT8 *out);
} rng = { NULL, get_rng };

static EFI_STATUS EFIAPI locate(EFI_GUID *protocol, VOID *registration, VOID **out)
{
    assert_int_equal(protocol->Data1, 0x3152bca5);
    *out = &rng;
    return firmware.has_rng ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI count(UINT64 *out)
{
    *out = 5;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable,
                                        .SetVariable = set_variable,
                                        .QueryVariableInfo = query,
                                        .GetTime = get_time };
static EFI_BOOT_SERVICES services = { .LocateProtocol = locate,
                                      .Stall = stall,
                                      .GetNextMonotonicCount = count };
static EFI_SYSTEM_TABLE system_table = { .Hdr.Revision = 2 << 16 };
EFI_RUNTIME_SERVICES *RT = &runtime;
EFI_BOOT_SERVICES *BS = &services;
EFI_SYSTEM_TABLE *ST = &system_table;

static int begin(void **state)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.room = 1 << 17;
    firmware.has_rng = true;
    return 0;
}

static void put(UINT32 attributes, UINTN size)
{
    firmware.attributes = attributes;
    firmware.size = size;
    memset(firmware.bytes, 7, size);
}

TEST(is_made_once, begin)
{
    uint8_t key[SIGN_KEY_BYTES], again[SIGN_KEY_BYTES];

    assert_false(sign_key_read(key));
    assert_true(sign_key_get(key));
    assert_int_equal(firmware.attributes, 3); /* no run-time access */
    assert_int_equal(firmware.size, SIGN_KEY_BYTES);
    assert_memory_equal(firmware.bytes, key, sizeof(key));
    assert_true(sign_key_get(again));
    assert_memory_equal(again, key, sizeof(key));
    assert_true(sign_key_read(again));
    assert_memory_equal(again, key, sizeof(key));
    assert_int_equal(firmware.writes, 1);
}

/* Every one differs, also from such as firmware gives the same random bytes. */
TEST(is_another_one_each_time, begin)
{
    uint8_t keys[20][SIGN_KEY_BYTES];

    for (unsigned i = 0; i < COUNT(keys); i++) {
        begin(NULL);
        firmware.has_rng = i % 2;
        assert_true(sign_key_get(keys[i]));
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(keys[i], keys[k], SIGN_KEY_BYTES);
    }
}

TEST(one_that_a_system_can_have_written_is_replaced, begin)
{
    static const struct {
        UINT32 attributes;
        UINTN size;
    } odd[] = { { 7, 32 }, { 2, 32 }, { 3, 31 }, { 3, 33 }, { 3, 1 }, { 0x13, 32 } };
    uint8_t key[SIGN_KEY_BYTES], sevens[SIGN_KEY_BYTES];

    memset(sevens, 7, sizeof(sevens));
    for (unsigned i = 0; i < COUNT(odd); i++) {
        put(odd[i].attributes, odd[i].size);
        assert_false(sign_key_read(key));
        assert_true(sign_key_get(key));
        assert_memory_not_equal(key, sevens, sizeof(key));
        assert_int_equal(firmware.attributes, 3);
        assert_memory_equal(firmware.bytes, key, sizeof(key));
    }
    put(3, 32);
    assert_true(sign_key_get(key));
    assert_memory_equal(key, sevens, sizeof(key));
}

TEST(a_store_without_room_gets_none, begin)
{
    static const uint8_t none[SIGN_KEY_BYTES];
    uint8_t key[SIGN_KEY_BYTES];

    firmware.room = SAVED_KEEP_FREE;
    assert_false(sign_key_get(key));
    assert_int_equal(firmware.writes, 0);
    firmware.room = 1 << 17;
    firmware.refuses = true;
    assert_false(sign_key_get(key));
    assert_memory_equal(key, none, sizeof(key));
}

/* What is given back to firmware does not hold the key. */
TEST(does_not_stay_in_memory, begin)
{
    static const uint8_t none[SIGN_KEY_BYTES];
    uint8_t key[SIGN_KEY_BYTES];

    put(3, 32);
    assert_true(sign_key_read(key));
    assert_memory_equal(freed, none, sizeof(none));
}

TEST(a_report_is_signed_by_this_key, begin)
{
    static struct saved_report report = {
        .kind = SAVED_UNFINISHED, .phase = SAVED_RUNNING, .has_hmac = true, .jsonl = "{}\n"
    };
    uint8_t key[SIGN_KEY_BYTES];

    assert_false(sign_key_signed(&report));
    assert_true(sign_key_get(key));
    assert_false(sign_key_signed(&report));
    saved_hmac(SAVED_RUNNING, "{}\n", 3, key, report.hmac);
    assert_true(sign_key_signed(&report));
    firmware.bytes[3] ^= 1;
    assert_false(sign_key_signed(&report));
}
