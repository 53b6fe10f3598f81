// SPDX-License-Identifier: MIT
/* OkramGuardBackup, which any program may have written. The input is the variable's data. */
#include "boot/uefi/guard_install/backup.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Each is in the folder of the guard or on the way to it. */
static void check_paths(const struct guard_way *way, unsigned n,
                        const char (*path)[BACKUP_PATH_MAX])
{
    const char *folder = way->folder;

    CHECK(n <= BACKUP_PATHS_MAX);
    for (unsigned i = 0; i < n; i++) {
        size_t length = strnlen(path[i], BACKUP_PATH_MAX), common = strlen(folder);

        CHECK(length && length < BACKUP_PATH_MAX && !strstr(path[i], ".."));
        CHECK(memcmp(path[i], folder, length < common ? length : common) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char again[4 * BACKUP_MAX];
    static struct backup first, second;
    const char *why = NULL;
    char *line = malloc(size + 1);
    uint16_t number;

    memcpy(line, data, size);
    line[size] = 0;
    if (backup_read(line, &first, &why)) {
        CHECK(first.way && first.order_bytes <= BACKUP_ORDER_BYTES);
        CHECK(!first.option[0] || guard_way_number(first.way, first.option, &number));
        CHECK(first.order_bytes % 2 == 0 && (first.has_order || !first.order_bytes));
        check_paths(first.way, first.n_files, first.file);
        check_paths(first.way, first.n_folders, first.folder);
        CHECK(backup_write(&first, again, sizeof(again)));
        CHECK(backup_read(again, &second, &why));
        CHECK(memcmp(&second, &first, sizeof(first)) == 0);
    } else {
        CHECK(why && why[0]);
    }
    free(line);
    return 0;
}
