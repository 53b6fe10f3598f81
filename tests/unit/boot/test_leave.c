// SPDX-License-Identifier: MIT
#include "fake_firmware.h"

#include "boot/stop/stop.h"
#include "boot/uefi/bus_masters.h"
#include "boot/uefi/leave.h"
#include "io/serial.h"

#define TRIES 8

static struct boot_info info = { .cmdline = "tests=quick exit=qemu" };

static jmp_buf stopped;
static const char *stopped_with[2];
static char said[256];
static EFI_STATUS exit_status; /* of all calls but the last */
static unsigned exits, failing;
static unsigned found, freed, usb_stopped;
static UINTN usb_stopped_after; /* after how many maps */

/* Where the real ones would be. */

_Noreturn void stop(const char *conf, const char *cmdline)
{
    stopped_with[0] = conf;
    stopped_with[1] = cmdline;
    longjmp(stopped, 1);
}

enum status serial_init(void)
{
    return STATUS_OK;
}

void serial_set_carriage_return(bool on)
{
}

void serial_write(const char *text, size_t n)
{
    assert_true(strlen(said) + n < sizeof(said));
    strncat(said, text, n);
}

/* Before the map is read. */
void bus_masters_find(struct bus_masters *ret_found)
{
    assert_int_equal(firmware.maps, 0);
    found++;
}

void bus_masters_free(struct bus_masters *masters)
{
    freed++;
}

void bus_masters_stop_usb(const struct bus_masters *masters)
{
    assert_int_equal(found, 1);
    assert_false(firmware.exit_called);
    usb_stopped++;
    usb_stopped_after = firmware.maps;
}

static EFI_STATUS EFIAPI exit_boot_services(EFI_HANDLE image, UINTN key)
{
    firmware.exit_called = true;
    assert_int_equal(key, firmware.maps); /* a fresh one each time */
    return exits++ < failing ? exit_status : EFI_SUCCESS;
}

/* Leaves firmware whose first `failures` calls to ExitBootServices fail with that. */
static EFI_STATUS leave(EFI_STATUS failure, unsigned failures, UINTN capacity)
{
    static uint8_t buffer[8192];
    struct efi_map map = { .buffer = buffer, .capacity_bytes = capacity };

    services.ExitBootServices = exit_boot_services;
    firmware_make();
    firmware_free();
    exit_status = failure;
    failing = failures;
    exits = 0;
    found = freed = usb_stopped = 0;
    said[0] = 0;
    stopped_with[0] = NULL;
    if (setjmp(stopped))
        return EFI_ABORTED;
    return leave_firmware(NULL, &map, &info, "conf");
}

static void assert_stopped(void)
{
    assert_non_null(strstr(said, "okram: ExitBootServices failed"));
    assert_string_equal(stopped_with[0], "conf");
    assert_ptr_equal(stopped_with[1], info.cmdline);
}

TEST(left_at_once)
{
    assert_int_equal(leave(EFI_SUCCESS, 0, 8192), EFI_SUCCESS);
    assert_int_equal(exits, 1);
    assert_string_equal(said, "");
    assert_int_equal(usb_stopped, 1);
    assert_int_equal(usb_stopped_after, 1);
}

TEST(left_with_a_fresh_map)
{
    for (unsigned failures = 1; failures < TRIES; failures++) {
        assert_int_equal(leave(EFI_INVALID_PARAMETER, failures, 8192), EFI_SUCCESS);
        assert_int_equal(exits, failures + 1);
        assert_string_equal(said, "");
    }
}

/* fake_firmware.h's Print fails the test once ExitBootServices has been called. */
TEST(never_left)
{
    assert_int_equal(leave(EFI_INVALID_PARAMETER, 1000, 8192), EFI_ABORTED);
    assert_int_equal(exits, TRIES);
    assert_stopped();
    assert_int_equal(leave(EFI_DEVICE_ERROR, 1000, 8192), EFI_ABORTED);
    assert_int_equal(exits, 1);
    assert_stopped();
}

/* ExitBootServices is not called without a map: firmware is as it was. */
TEST(no_map)
{
    assert_int_equal(leave(EFI_SUCCESS, 0, 100), EFI_BUFFER_TOO_SMALL);
    assert_int_equal(exits, 0);
    assert_string_equal(said, "");
    assert_null(stopped_with[0]);
    assert_int_equal(usb_stopped, 0);
    assert_int_equal(freed, 1);
}
