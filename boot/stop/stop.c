// SPDX-License-Identifier: MIT
#include "boot/stop/stop.h"

#include "boot/boot_info.h"
#include "boot/stop/wants_qemu_exit.h"
#include "io/fw_cfg.h"
#include "io/ports.h"

#define EXIT_PORT   0xf4
#define EXIT_FAILED 2

_Noreturn void stop(const char *conf, const char *cmdline)
{
    char qemu[BOOT_CMDLINE_MAX];
    bool asked = wants_qemu_exit(cmdline, wants_qemu_exit(conf, false));

    if (fw_cfg_read_string("opt/okram/cmdline", qemu, sizeof(qemu)) != STATUS_NOT_FOUND)
        asked = wants_qemu_exit(qemu, asked);
    if (asked)
        io_out8(EXIT_PORT, EXIT_FAILED);
    for (;;)
        __asm__ volatile("cli; hlt");
}
