// SPDX-License-Identifier: MIT
#include "boot/uefi/measure.h"

#include <efilib.h>

#include "tests/unit/unit.h"

/* Firmware with a TPM, and what it was given last. */
static struct {
    bool has_tcg2, has_tpm;
    EFI_STATUS status;
    unsigned n, said, pools;
    uint8_t data[64], event[96];
    UINT64 n_data;
} firmware;

static EFI_STATUS EFIAPI extend(void *this, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 n,
                                const uint8_t *event)
{
    UINT32 size;

    assert_int_equal(flags, 0);
    memcpy(&size, event, sizeof(size));
    assert_in_range(size, 18, sizeof(firmware.event));
    assert_in_range(n, 0, sizeof(firmware.data));
    memcpy(firmware.event, event, size);
    memcpy(firmware.data, (const void *)data, n);
    firmware.n_data = n;
    firmware.n++;
    return firmware.status;
}

static EFI_STATUS EFIAPI get_capability(void *this, uint8_t *out)
{
    assert_int_equal(out[0], 36);
    out[16] = firmware.has_tpm;
    return EFI_SUCCESS;
}

static struct {
    EFI_STATUS(EFIAPI *get_capability)(void *, uint8_t *);
    void *get_event_log;
    EFI_STATUS(EFIAPI *extend)(void *, UINT64, EFI_PHYSICAL_ADDRESS, UINT64, const uint8_t *);
} tcg2 = { get_capability, NULL, extend };

static EFI_STATUS EFIAPI locate(EFI_GUID *protocol, VOID *registration, VOID **out)
{
    static const EFI_GUID wanted = {
        0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f }
    };

    assert_memory_equal(protocol, &wanted, sizeof(wanted));
    *out = &tcg2;
    return firmware.has_tcg2 ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_BOOT_SERVICES services = { .LocateProtocol = locate };
EFI_BOOT_SERVICES *BS = &services;

UINTN Print(IN CONST CHAR16 *format, ...)
{
    firmware.said++;
    return 0;
}

VOID *AllocateZeroPool(UINTN size)
{
    firmware.pools++;
    return calloc(1, size);
}

VOID FreePool(VOID *block)
{
    firmware.pools--;
    free(block);
}

static int begin(void **state)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.has_tcg2 = firmware.has_tpm = true;
    return 0;
}

static int end(void **state)
{
    assert_int_equal(firmware.pools, 0);
    return 0;
}

/* The head as the specification has it, byte by byte; the text is what is hashed. */
TEST(options_are_in_the_log, begin, end)
{
    static const uint8_t head[] = { 32, 0, 0, 0, 14, 0, 0, 0, 1, 0, 12, 0, 0, 0, 13, 0, 0, 0 };

    measure_text("name: ", "a=b x=y");
    assert_int_equal(firmware.n, 1);
    assert_memory_equal(firmware.event, head, sizeof(head));
    assert_string_equal((char *)firmware.event + sizeof(head), "name: a=b x=y");
    assert_int_equal(firmware.n_data, 7);
    assert_memory_equal(firmware.data, "a=b x=y", 7);
    measure_text("name: ", "");
    assert_int_equal(firmware.n, 2);
    assert_int_equal(firmware.n_data, 0);
    assert_int_equal(firmware.said, 0);
}

TEST(of_bytes_the_log_has_the_name, begin, end)
{
    static const uint8_t bytes[] = { 0, 1, 0xff };

    measure_bytes("list", bytes, sizeof(bytes));
    assert_int_equal(firmware.event[0], 18 + 5);
    assert_string_equal((char *)firmware.event + 18, "list");
    assert_int_equal(firmware.n_data, 3);
    assert_memory_equal(firmware.data, bytes, 3);
}

TEST(without_a_tpm_nothing_is_done, begin, end)
{
    firmware.has_tcg2 = false;
    measure_text("name: ", "a=b");
    assert_int_equal(firmware.n, 0);
    firmware.has_tcg2 = true;
    firmware.has_tpm = false;
    measure_text("name: ", "a=b");
    assert_int_equal(firmware.n, 0);
    assert_int_equal(firmware.said, 0);
}

TEST(what_fails_is_said, begin, end)
{
    firmware.status = EFI_VOLUME_FULL;
    measure_text("name: ", "a=b");
    assert_int_equal(firmware.said, 1);
}
