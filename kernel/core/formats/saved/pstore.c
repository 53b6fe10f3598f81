// SPDX-License-Identifier: MIT
#include "saved/pstore.h"

#include "lib/fmt.h"
#include "lib/string.h"

#define NAME_BEGIN  "dump-type0-1-1-"
#define FIRST_LINE  "okram#1 Part1\n"
#define FIRST_BYTES (sizeof(FIRST_LINE) - 1)

void pstore_name(int64_t time, char ret_name[PSTORE_NAME_MAX])
{
    fmt_print(ret_name, PSTORE_NAME_MAX, NAME_BEGIN "%lld-D", (long long)time);
}

bool pstore_is_name(const char *name)
{
    return strncmp(name, NAME_BEGIN, sizeof(NAME_BEGIN) - 1) == 0;
}

size_t pstore_dump(const struct saved_lines *lines, char ret_dump[PSTORE_DUMP_MAX])
{
    bool cut;

    memcpy(ret_dump, FIRST_LINE, FIRST_BYTES);
    return FIRST_BYTES + saved_lines_write(lines, SAVED_TEXT, PSTORE_DUMP_MAX - FIRST_BYTES,
                                           ret_dump + FIRST_BYTES, &cut);
}

bool pstore_is_own(const void *data, size_t bytes)
{
    return bytes >= FIRST_BYTES && memcmp(data, FIRST_LINE, FIRST_BYTES) == 0;
}
