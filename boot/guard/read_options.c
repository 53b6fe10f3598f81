// SPDX-License-Identifier: MIT
#include "read_options.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/load_options.h"
#include "boot/uefi/measure.h"
#include "boot/uefi/own_folder.h"

#define TEXT_MAX 1024

bool guard_read_options(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                        struct guard_options *ret_options)
{
    CHAR16 *path = own_folder_path(driver);
    EFI_FILE *folder = is_secure_boot ? NULL : own_folder_open(driver, path, false);
    char text[TEXT_MAX];
    UINTN size = sizeof(text) - 1;

    *ret_options = guard_options_default();
    load_options_text(driver->LoadOptions, driver->LoadOptionsSize, path, text, sizeof(text));
    measure_text("okram_guard_options: ", text);
    guard_options_read(text, ret_options);
    if (is_secure_boot)
        return guard_options_distrust(ret_options);
    if (!folder)
        return false;
    if (!EFI_ERROR(file_read(folder, L"okram\\guard.conf", text, &size))) {
        text[size] = 0;
        measure_text("okram_guard_conf: ", text);
        guard_options_read(text, ret_options);
    }
    folder->Close(folder);
    return false;
}
