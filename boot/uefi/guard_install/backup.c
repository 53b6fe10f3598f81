// SPDX-License-Identifier: MIT
#include "backup.h"

#include "lib/json.h"
#include "lib/string.h"
#include "saved/json_line.h"

static const char *const ways[GUARD_WAYS] = {
    [GUARD_BY_DRIVER] = "driver",
    [GUARD_BY_SYSTEMD] = "systemd",
    [GUARD_BY_REFIND] = "refind",
    [GUARD_BY_WRAPPER] = "wrapper",
};

const char *guard_way_folder(enum guard_way way)
{
    static const char *const folders[GUARD_WAYS] = {
        [GUARD_BY_DRIVER] = "\\EFI\\okram",
        [GUARD_BY_SYSTEMD] = "\\EFI\\systemd\\drivers",
        [GUARD_BY_REFIND] = "\\EFI\\refind\\drivers_x64",
        [GUARD_BY_WRAPPER] = "\\EFI\\okram",
    };

    return folders[way];
}

const char *guard_way_file(enum guard_way way)
{
    return way == GUARD_BY_WRAPPER ? "okram-guard-start.efi" : "okram-guardx64.efi";
}

const char *guard_way_prefix(enum guard_way way)
{
    return way == GUARD_BY_DRIVER ? "Driver" : "Boot";
}

const char *guard_way_order(enum guard_way way)
{
    return way == GUARD_BY_DRIVER ? "DriverOrder" : "BootOrder";
}

static void write_paths(struct json *j, const char *name, unsigned n,
                        const char (*path)[BACKUP_PATH_MAX])
{
    const char *paths[BACKUP_PATHS_MAX];

    for (unsigned i = 0; i < n; i++)
        paths[i] = path[i];
    json_texts(j, name, paths, n);
}

size_t backup_write(const struct backup *backup, char *out, size_t size)
{
    char order[2 * BACKUP_ORDER_BYTES + 1];
    struct fmt_buffer b = fmt_buffer_make(out, size), hex = fmt_buffer_make(order, sizeof(order));
    struct json j = { .out = &b };

    for (size_t i = 0; backup->has_order && i < backup->order_bytes; i++)
        fmt_append(&hex, "%02x", backup->order[i]);
    fmt_append(&b, "{\"type\":\"guard-backup\"");
    json_integer(&j, "version", BACKUP_VERSION);
    json_text(&j, "way", ways[backup->way]);
    json_text_if_any(&j, "driver", backup->option);
    json_text(&j, "order", backup->has_order ? order : NULL);
    json_text_if_any(&j, "partition", backup->partition);
    write_paths(&j, "files", backup->n_files, backup->file);
    write_paths(&j, "folders", backup->n_folders, backup->folder);
    fmt_append(&b, "}\n");
    return b.cut ? 0 : b.length;
}

static int nibble(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* "" is an empty order, null is none. */
static bool read_order(const char *line, const char *hex, struct backup *b)
{
    size_t n = strlen(hex);
    const char *end, *value = json_line_find(line, "order", &end);

    b->has_order = value && *value == '"';
    if (n % 4 || n / 2 > sizeof(b->order))
        return false;
    for (size_t i = 0; i < n / 2; i++) {
        int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        b->order[i] = (uint8_t)(high << 4 | low);
    }
    b->order_bytes = n / 2;
    return true;
}

/* "Driver0003" or "Boot0003", by the way's prefix. */
static bool is_option(enum guard_way way, const char *option)
{
    const char *prefix = guard_way_prefix(way);
    size_t n = strlen(prefix);

    if (strncmp(option, prefix, n) != 0 || strlen(option) != n + 4)
        return false;
    for (const char *c = option + n; *c; c++) {
        if (!strchr("0123456789ABCDEF", *c))
            return false;
    }
    return true;
}

static bool is_partition(const char *text)
{
    for (; *text; text++) {
        if (nibble(*text) < 0 && *text != '-')
            return false;
    }
    return true;
}

/* A file that an installation makes in the folder of its driver. */
static bool is_guards_file(enum guard_way way, const char *path)
{
    static const char *const names[] = { GUARD_FOLDER "\\" GUARD_LIST_FILE,
                                         GUARD_FOLDER "\\" GUARD_OPTIONS_FILE };
    const char *folder = guard_way_folder(way);
    size_t n = strlen(folder);

    if (strncmp(path, folder, n) != 0 || path[n] != '\\')
        return false;
    path += n + 1;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(path, names[i]) == 0)
            return true;
    }
    return strcmp(path, guard_way_file(way)) == 0;
}

/* A folder on the way to these files. */
static bool is_guards_folder(enum guard_way way, const char *path)
{
    char last[BACKUP_PATH_MAX];
    size_t n = strlen(path);

    fmt_print(last, sizeof(last), "%s\\" GUARD_FOLDER "\\", guard_way_folder(way));
    return n > 1 && path[n - 1] != '\\' && strncmp(last, path, n) == 0 && last[n] == '\\';
}

/* An array of strings, all of them the guard's; empty if there is no such key. */
static bool read_paths(const char *line, const char *key, enum guard_way way,
                       bool (*is_guards)(enum guard_way way, const char *path),
                       char (*path)[BACKUP_PATH_MAX], unsigned *ret_n)
{
    const char *end, *at = json_line_find(line, key, &end);
    char text[BACKUP_PATH_MAX];

    *ret_n = 0;
    if (!at)
        return true;
    if (*at != '[')
        return false;
    while (json_line_texts(&at, end, text, sizeof(text))) {
        if (*ret_n == BACKUP_PATHS_MAX || !is_guards(way, text))
            return false;
        string_copy(path[(*ret_n)++], text, BACKUP_PATH_MAX);
    }
    return *at == ']';
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

/* A string's content; "" for null or a missing key. */
static bool read_text(const char *line, const char *key, char *out, size_t size)
{
    const char *end, *value = json_line_find(line, key, &end);

    out[0] = 0;
    if (!value || (end - value == 4 && memcmp(value, "null", 4) == 0))
        return true;
    return *value == '"' && json_line_value(line, key, out, size);
}

static bool has(const char *line, const char *key, const char *value)
{
    char found[20];

    return json_line_value(line, key, found, sizeof(found)) && strcmp(found, value) == 0;
}

/* What is wrong; NULL: nothing. */
static const char *read_all(const char *line, struct backup *b)
{
    static char order[2 * BACKUP_ORDER_BYTES + 1];
    char way[20];

    if (strlen(line) >= BACKUP_MAX)
        return "it is too long";
    if (!json_line_is_object(line))
        return "it is not one line of JSON";
    if (!has(line, "type", "guard-backup"))
        return "its type is not guard-backup";
    if (!has(line, "version", "1"))
        return "it is of another version";
    if (!json_line_value(line, "way", way, sizeof(way)) || !read_way(way, &b->way))
        return "its way is unknown";
    if (!read_text(line, "driver", b->option, sizeof(b->option)) ||
        (b->option[0] && !is_option(b->way, b->option)))
        return "its driver is not a Driver#### or Boot####";
    if (!read_text(line, "partition", b->partition, sizeof(b->partition)) ||
        !is_partition(b->partition))
        return "its partition is not a GUID";
    if (!read_text(line, "order", order, sizeof(order)) || !read_order(line, order, b))
        return "its order is not a list of numbers";
    if (!read_paths(line, "files", b->way, is_guards_file, b->file, &b->n_files))
        return "its files are not those of the guard";
    if (!read_paths(line, "folders", b->way, is_guards_folder, b->folder, &b->n_folders))
        return "its folders are not those of the guard";
    return NULL;
}

bool backup_read(const char *line, struct backup *ret_backup, const char **ret_why)
{
    struct backup b = { 0 };
    const char *why = read_all(line, &b);

    if (why)
        *ret_why = why;
    else
        *ret_backup = b;
    return !why;
}
