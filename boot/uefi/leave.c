// SPDX-License-Identifier: MIT
#include "lib/panic.h" /* before gnu-efi's headers, which have an ASSERT, too */

#include "leave.h"

#include <efilib.h>

#include "boot/stop/stop.h"
#include "bus_masters.h"
#include "io/serial.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define EXIT_TRIES 8

/* A broken invariant in the loader, which cannot go on. */
void panic(const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    Print(L"okram: internal error: %a. Nothing was tested; restart the machine.\r\n", text);
    stop("", "");
}

static _Noreturn void fail(EFI_STATUS status, const struct boot_info *info, const char *conf)
{
    char text[96];

    serial_init();
    serial_set_carriage_return(true);
    fmt_print(text, sizeof(text),
              "okram: ExitBootServices failed (0x%lx). Nothing was tested; restart the machine.\n",
              (unsigned long)status);
    serial_write(text, strlen(text));
    stop(conf, info->cmdline);
}

EFI_STATUS leave_firmware(EFI_HANDLE image, struct efi_map *map, const struct boot_info *info,
                          const char *conf)
{
    struct bus_masters masters;
    EFI_STATUS status;

    bus_masters_find(&masters);
    /* Printed now: afterwards the console must not be used. */
    Print(L"okram: leaving firmware. If nothing follows, ExitBootServices failed.\r\n");
    status = efi_map_read(map);
    if (EFI_ERROR(status)) {
        bus_masters_free(&masters);
        return status;
    }
    bus_masters_stop_usb(&masters);
    status = BS->ExitBootServices(image, map->key);
    /* From the first call on only the memory services may be called, even if it fails. */
    for (int i = 1; i < EXIT_TRIES && status == EFI_INVALID_PARAMETER; i++) {
        status = efi_map_read(map);
        if (!EFI_ERROR(status))
            status = BS->ExitBootServices(image, map->key);
    }
    if (EFI_ERROR(status))
        fail(status, info, conf);
    return EFI_SUCCESS;
}
