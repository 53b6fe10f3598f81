// SPDX-License-Identifier: MIT
/* When okram sends the last run's report, and whether it tests after that. */
#include "boot/uefi/last_report/last_report.h"

#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/network/network.h"
#include "tests/unit/unit.h"

static struct {
    EFI_STATUS status[3]; /* of each attempt */
    unsigned code[3], attempts, pauses, lines;
    bool has_report, is_signed;
} fake;

static int last, device;

UINTN Print(IN CONST CHAR16 *format, ...)
{
    fake.lines++;
    return 0;
}

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    assert_in_range(microseconds, 1, 10000000);
    fake.pauses++;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .Stall = stall };
EFI_BOOT_SERVICES *BS = &services;

void firmware_tables_uuid(char ret_uuid[SMBIOS_UUID_MAX])
{
    strcpy(ret_uuid, "4c4c4544-0042-3510-8052-b4c04f4e4b32");
}

enum status last_report_pack(const struct last_report *report, const char *uuid,
                             struct report_packet *ret_packet)
{
    assert_ptr_equal(report, &last);
    if (!fake.has_report)
        return STATUS_NOT_FOUND;
    fmt_print(ret_packet->name, sizeof(ret_packet->name), "%s-12345678.jsonl", uuid);
    ret_packet->size = 3;
    memcpy(ret_packet->bytes, "{}\n", 3);
    return STATUS_OK;
}

bool last_report_is_signed(const struct last_report *report)
{
    assert_ptr_equal(report, &last);
    return fake.is_signed;
}

EFI_STATUS http_put_sibling(EFI_HANDLE handle, const char *name, const void *bytes, UINTN size,
                            unsigned *ret_code)
{
    assert_ptr_equal(handle, &device);
    assert_string_equal(name, "reports/4c4c4544-0042-3510-8052-b4c04f4e4b32-12345678.jsonl");
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "{}\n", 3);
    assert_true(fake.attempts < 3);
    *ret_code = fake.code[fake.attempts];
    return fake.status[fake.attempts++];
}

static int start(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.has_report = fake.is_signed = true;
    for (unsigned i = 0; i < 3; i++)
        fake.code[i] = 201;
    return 0;
}

static bool goes_on(enum option_send send)
{
    return send_report((const struct last_report *)&last, send, &device);
}

TEST(sent_at_once, start)
{
    assert_true(goes_on(OPTION_SEND_ON));
    assert_int_equal(fake.attempts, 1);
    start(NULL);
    assert_false(goes_on(OPTION_SEND_LEAVE));
    assert_int_equal(fake.attempts, 1);
    assert_int_equal(fake.lines, 1);
}

/* A report that anybody can have written does not stand for a test. */
TEST(unsigned_is_tested, start)
{
    fake.is_signed = false;
    assert_true(goes_on(OPTION_SEND_LEAVE));
    assert_int_equal(fake.attempts, 1);
    assert_int_equal(fake.lines, 2);
}

TEST(nothing_to_send, start)
{
    assert_true(goes_on(OPTION_SEND_OFF));
    assert_true(send_report(NULL, OPTION_SEND_LEAVE, &device));
    fake.has_report = false;
    assert_true(goes_on(OPTION_SEND_LEAVE));
    assert_int_equal(fake.attempts + fake.lines, 0);
}

/* The next run would replace what has not arrived. */
TEST(what_the_server_does_not_take_is_kept, start)
{
    for (unsigned i = 0; i < 3; i++) {
        fake.status[i] = EFI_TIMEOUT;
        fake.code[i] = 0;
    }
    assert_false(goes_on(OPTION_SEND_ON));
    assert_int_equal(fake.attempts, 3);
    assert_int_equal(fake.pauses, 2);
}

TEST(some_answers_will_not_change, start)
{
    static const struct {
        unsigned code, attempts;
    } answer[] = { { 403, 1 }, { 413, 1 }, { 301, 1 }, { 408, 3 }, { 429, 3 }, { 503, 3 } };

    for (size_t i = 0; i < sizeof(answer) / sizeof(answer[0]); i++) {
        start(NULL);
        for (unsigned k = 0; k < 3; k++) {
            fake.status[k] = EFI_PROTOCOL_ERROR;
            fake.code[k] = answer[i].code;
        }
        assert_false(goes_on(OPTION_SEND_ON));
        assert_int_equal(fake.attempts, answer[i].attempts);
    }
}

TEST(sent_by_a_later_attempt, start)
{
    fake.status[0] = EFI_TIMEOUT;
    fake.code[0] = 0;
    assert_true(goes_on(OPTION_SEND_ON));
    assert_int_equal(fake.attempts, 2);
}

TEST(not_started_by_http, start)
{
    fake.status[0] = EFI_UNSUPPORTED;
    fake.code[0] = 0;
    assert_false(goes_on(OPTION_SEND_LEAVE));
    assert_int_equal(fake.attempts, 1);
    assert_int_equal(fake.lines, 1);
    start(NULL);
    fake.status[0] = EFI_UNSUPPORTED;
    fake.code[0] = 0;
    assert_true(goes_on(OPTION_SEND_ON));
    fake.attempts = 0;
    fake.is_signed = false;
    assert_true(goes_on(OPTION_SEND_LEAVE));
}
