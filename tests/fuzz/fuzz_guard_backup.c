// SPDX-License-Identifier: MIT
/* OkramGuardBackup, which any program may have written. The input is the variable's data. */
#include "boot/uefi/guard_install/backup.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check_paths(unsigned n, const char (*path)[BACKUP_PATH_MAX])
{
    CHECK(n <= BACKUP_PATHS_MAX);
    for (unsigned i = 0; i < n; i++)
        CHECK(memchr(path[i], 0, BACKUP_PATH_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char again[4 * BACKUP_MAX];
    static struct backup first, second;
    const char *why = NULL;
    char *line = malloc(size + 1);

    memcpy(line, data, size);
    line[size] = 0;
    if (backup_read(line, &first, &why)) {
        CHECK(first.way < GUARD_WAYS && first.order_bytes <= BACKUP_ORDER_BYTES);
        CHECK(first.order_bytes % 2 == 0 && (first.has_order || !first.order_bytes));
        check_paths(first.n_files, first.file);
        check_paths(first.n_folders, first.folder);
        CHECK(backup_write(&first, again, sizeof(again)));
        CHECK(backup_read(again, &second, &why));
        CHECK(second.way == first.way && second.n_files == first.n_files);
        CHECK(strcmp(second.option, first.option) == 0);
        CHECK(memcmp(second.file, first.file, sizeof(first.file)) == 0);
        CHECK(memcmp(second.order, first.order, sizeof(first.order)) == 0);
    } else {
        CHECK(why && why[0]);
    }
    free(line);
    return 0;
}
