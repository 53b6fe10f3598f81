// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/last_report.h"

#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/network/network.h"
#include "lib/fmt.h"

#define FOLDER   "reports/"
#define ATTEMPTS 3
#define PAUSE_US 2000000

/* Whether another attempt may end differently: RFC 9110, 15.5 and 15.6; RFC 8470, 6585. */
static bool is_worth_another(EFI_STATUS status, unsigned code)
{
    if (status == EFI_UNSUPPORTED)
        return false;
    return !code || code >= 500 || code == 408 || code == 425 || code == 429;
}

static EFI_STATUS put(EFI_HANDLE device, const struct report_packet *packet, unsigned *ret_code)
{
    char name[sizeof(FOLDER) + REPORT_PACKET_NAME_MAX];
    EFI_STATUS status = EFI_NOT_STARTED;

    fmt_print(name, sizeof(name), FOLDER "%s", packet->name);
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        if (i)
            BS->Stall(PAUSE_US);
        status = http_put_sibling(device, name, packet->bytes, packet->size, ret_code);
        if (!EFI_ERROR(status) || !is_worth_another(status, *ret_code))
            break;
    }
    return status;
}

static void print_failure(EFI_STATUS status, unsigned code)
{
    if (code)
        Print(L"okram: the server does not take the report: it answers %d.", code);
    else
        Print(L"okram: the report could not be sent: %r.", status);
    Print(L" It stays in the UEFI variables. Nothing is tested, for the next run would replace "
          L"it.\r\n");
}

/* Any program of a running system can leave a report that says that nothing is bad. */
static bool leaves(const struct last_report *last, enum option_send send)
{
    if (send != OPTION_SEND_LEAVE)
        return false;
    if (last_report_is_signed(last))
        return true;
    Print(L"okram: this report is not signed by okram on this machine: memory is tested.\r\n");
    return false;
}

bool send_report(const struct last_report *last, enum option_send send, EFI_HANDLE device)
{
    static struct report_packet packet;
    char uuid[SMBIOS_UUID_MAX];
    unsigned code = 0;
    EFI_STATUS status;

    if (send == OPTION_SEND_OFF || !last)
        return true;
    firmware_tables_uuid(uuid);
    if (last_report_pack(last, uuid, &packet) != STATUS_OK)
        return true;
    status = put(device, &packet, &code);
    if (status == EFI_UNSUPPORTED) {
        Print(L"okram: the last run's report is not sent: okram was not started by UEFI's HTTP "
              L"boot over IPv4.\r\n");
        return !leaves(last, send);
    }
    if (EFI_ERROR(status)) {
        print_failure(status, code);
        return false;
    }
    Print(L"okram: the report of the last run was sent: %a\r\n", packet.name);
    return !leaves(last, send);
}
