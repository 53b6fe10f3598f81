// SPDX-License-Identifier: MIT
#include "backup.h"

#include "lib/json.h"
#include "lib/string.h"
#include "saved/json_line.h"

const struct guard_way guard_ways[] = {
#define WAY(name, folder, file, prefix, ...)                                                       \
    { name, folder, file, prefix, prefix "Order", __VA_ARGS__ },
#include "tools/okramlib/guard/ways.inc"
#undef WAY
    { 0 },
};

const struct guard_way *guard_way_named(const char *name)
{
    for (const struct guard_way *way = guard_ways; way->name; way++) {
        if (strcmp(name, way->name) == 0)
            return way;
    }
    return NULL;
}

bool guard_way_number(const struct guard_way *way, const char *option, uint16_t *ret_number)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t n = strlen(way->prefix);
    unsigned number = 0;

    if (!n || strncmp(option, way->prefix, n) != 0 || strlen(option) != n + 4)
        return false;
    for (const char *digit = option + n; *digit; digit++) {
        const char *found = strchr(digits, *digit);

        if (!found)
            return false;
        number = number << 4 | (unsigned)(found - digits);
    }
    *ret_number = (uint16_t)number;
    return true;
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
    json_text(&j, "way", backup->way->name);
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

static bool is_partition(const char *text)
{
    for (; *text; text++) {
        if (nibble(*text) < 0 && *text != '-')
            return false;
    }
    return true;
}

/* A file that an installation makes in the folder of its driver. */
static bool is_guards_file(const struct guard_way *way, const char *path)
{
    size_t n = strlen(way->folder);

    if (strncmp(path, way->folder, n) != 0 || path[n] != '\\')
        return false;
    path += n + 1;
    if (way->shim[0] && (strcmp(path, way->shim) == 0 || strcmp(path, GUARD_MOKMANAGER_FILE) == 0))
        return true;
    return strcmp(path, way->file) == 0 || strcmp(path, GUARD_FOLDER "\\" GUARD_LIST_FILE) == 0 ||
           strcmp(path, GUARD_FOLDER "\\" GUARD_OPTIONS_FILE) == 0;
}

/* A folder on the way to these files. */
static bool is_guards_folder(const struct guard_way *way, const char *path)
{
    char last[BACKUP_PATH_MAX];
    size_t n = strlen(path);

    fmt_print(last, sizeof(last), "%s\\" GUARD_FOLDER "\\", way->folder);
    return n > 1 && path[n - 1] != '\\' && strncmp(last, path, n) == 0 && last[n] == '\\';
}

/* An array of strings, all of them the guard's; empty if there is no such key. */
static bool read_paths(const char *line, const char *key, const struct guard_way *way,
                       bool (*is_guards)(const struct guard_way *way, const char *path),
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
    uint16_t number;

    if (strlen(line) >= BACKUP_MAX)
        return "it is too long";
    if (!json_line_is_object(line))
        return "it is not one line of JSON";
    if (!has(line, "type", "guard-backup"))
        return "its type is not guard-backup";
    if (!has(line, "version", "1"))
        return "it is of another version";
    b->way = json_line_value(line, "way", way, sizeof(way)) ? guard_way_named(way) : NULL;
    if (!b->way)
        return "its way is unknown";
    if (!read_text(line, "driver", b->option, sizeof(b->option)) ||
        (b->option[0] && !guard_way_number(b->way, b->option, &number)))
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
