// SPDX-License-Identifier: MIT
#include "backup.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "save/json_line.h"

static const char *const ways[GUARD_WAYS] = {
    [GUARD_BY_DRIVER] = "driver",
    [GUARD_BY_SYSTEMD] = "systemd",
    [GUARD_BY_REFIND] = "refind",
    [GUARD_BY_WRAPPER] = "wrapper",
};

const char *guard_way_name(enum guard_way way)
{
    return ways[way];
}

const char *guard_way_prefix(enum guard_way way)
{
    return way == GUARD_BY_DRIVER ? "Driver" : "Boot";
}

const char *guard_way_order(enum guard_way way)
{
    return way == GUARD_BY_DRIVER ? "DriverOrder" : "BootOrder";
}

static void append_paths(struct fmt_buffer *b, const char *key, unsigned n,
                         const char (*path)[BACKUP_PATH_MAX])
{
    fmt_append(b, ",\"%s\":[", key);
    for (unsigned i = 0; i < n; i++) {
        fmt_append(b, "%s\"", i ? "," : "");
        fmt_append_json(b, path[i]);
        fmt_append(b, "\"");
    }
    fmt_append(b, "]");
}

static void append_text(struct fmt_buffer *b, const char *key, const char *text)
{
    if (text[0])
        fmt_append(b, ",\"%s\":\"%s\"", key, text);
    else
        fmt_append(b, ",\"%s\":null", key);
}

size_t backup_write(const struct backup *backup, char *out, size_t size)
{
    struct fmt_buffer b = fmt_buffer_make(out, size);

    fmt_append(&b, "{\"type\":\"guard-backup\",\"version\":%d,\"way\":\"%s\"", BACKUP_VERSION,
               ways[backup->way]);
    append_text(&b, "driver", backup->option);
    fmt_append(&b, ",\"order\":%s", backup->has_order ? "\"" : "null");
    for (size_t i = 0; backup->has_order && i < backup->order_bytes; i++)
        fmt_append(&b, "%02x", backup->order[i]);
    fmt_append(&b, "%s", backup->has_order ? "\"" : "");
    append_text(&b, "partition", backup->partition);
    append_paths(&b, "files", backup->n_files, backup->file);
    append_paths(&b, "folders", backup->n_folders, backup->folder);
    fmt_append(&b, "}\n");
    return b.cut ? 0 : b.length;
}

static int nibble(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

static bool read_order(const char *hex, struct backup *b)
{
    size_t n = strlen(hex);

    if (n % 4 || n / 2 > sizeof(b->order))
        return false;
    for (size_t i = 0; i < n / 2; i++) {
        int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        b->order[i] = (uint8_t)(high << 4 | low);
    }
    b->order_bytes = n / 2;
    b->has_order = true;
    return true;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

/* The next that is no blank, behind this sign; NULL: it is not there. */
static const char *past(const char *at, char sign)
{
    at = at ? skip_blanks(at) : NULL;
    return at && *at == sign ? skip_blanks(at + 1) : NULL;
}

/* A string of an array: from behind its quote to its end, which is returned; NULL: it is none. */
static const char *read_path(const char *at, char out[BACKUP_PATH_MAX])
{
    size_t n = 0;

    for (; *at != '"'; at++) {
        at += *at == '\\';
        if (*at < ' ' || *at > '~' || n + 1 == BACKUP_PATH_MAX)
            return NULL;
        out[n++] = *at;
    }
    out[n] = 0;
    return at + 1;
}

/* An array of strings; no such key: an empty one. */
static bool read_paths(const char *line, const char *key, char (*path)[BACKUP_PATH_MAX],
                       unsigned *ret_n)
{
    char quoted[16];
    const char *at;

    fmt_print(quoted, sizeof(quoted), "\"%s\"", key);
    at = strstr(line, quoted);
    *ret_n = 0;
    if (!at)
        return true;
    at = past(past(at + strlen(quoted), ':'), '[');
    while (at && *at == '"') {
        if (*ret_n == BACKUP_PATHS_MAX)
            return false;
        at = read_path(at + 1, path[(*ret_n)++]);
        if (at && *skip_blanks(at) != ']')
            at = past(at, ',');
    }
    return at && *skip_blanks(at) == ']';
}

static bool read_way(const char *name, enum guard_way *ret_way)
{
    for (unsigned i = 0; i < GUARD_WAYS; i++) {
        if (strcmp(name, ways[i]) == 0) {
            *ret_way = (enum guard_way)i;
            return true;
        }
    }
    return false;
}

static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (!(*text >= '0' && *text <= '9') && !(*text >= 'A' && *text <= 'Z') &&
            !(*text >= 'a' && *text <= 'z') && *text != '-')
            return false;
    }
    return true;
}

/* Letters, digits and dashes, or "" of null and of a key that is not there. */
static bool read_text(const char *line, const char *key, char *out, size_t size)
{
    char value[2 * BACKUP_ORDER_BYTES + 1];

    out[0] = 0;
    if (!json_line_value(line, key, value, sizeof(value)) || strcmp(value, "null") == 0)
        return true;
    return is_plain(value) && string_copy(out, value, size) < size;
}

bool backup_read(const char *line, struct backup *ret_backup, const char **ret_why)
{
    static char order[2 * BACKUP_ORDER_BYTES + 1];
    struct backup b = { 0 };
    char value[20];

    *ret_why = "it is no backup of the guard's";
    if (!json_line_value(line, "type", value, sizeof(value)) || strcmp(value, "guard-backup") != 0)
        return false;
    *ret_why = "it is of another version";
    if (!json_line_value(line, "version", value, sizeof(value)) || strcmp(value, "1") != 0)
        return false;
    *ret_why = "a part of it is malformed";
    if (!json_line_value(line, "way", value, sizeof(value)) || !read_way(value, &b.way) ||
        !read_text(line, "driver", b.option, sizeof(b.option)) ||
        !read_text(line, "partition", b.partition, sizeof(b.partition)) ||
        !read_paths(line, "files", b.file, &b.n_files) ||
        !read_paths(line, "folders", b.folder, &b.n_folders))
        return false;
    if (json_line_value(line, "order", order, sizeof(order)) && strcmp(order, "null") != 0 &&
        !read_order(order, &b))
        return false;
    *ret_backup = b;
    return true;
}
