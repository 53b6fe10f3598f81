// SPDX-License-Identifier: MIT
#include "run_file/stick_file.h"

#include "lib/field_rows.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "saved/json_line.h"
#include "saved/saved_write.h"
#include "run_file/fat.h"

#define NUMBER_BEGIN "<!-- run "
#define NUMBER_END   " -->\n"
#define NUMBER_BYTES (sizeof(NUMBER_BEGIN NUMBER_END) - 1 + 10) /* ten digits */
#define RECORDS_END  "</pre><pre hidden>\n"
#define LINE_MAX     (STICK_STATE_BYTES - NUMBER_BYTES - sizeof(RECORDS_END))

void stick_file_name(unsigned n, char ret_name[STICK_NAME_MAX])
{
    fmt_print(ret_name, STICK_NAME_MAX, n == STICK_NEXT ? "next.cfg" : "run-%u.html", n);
}

static uint32_t bytes_of(unsigned n)
{
    return n == STICK_NEXT ? STICK_NEXT_BYTES : STICK_FILE_BYTES;
}

/* A line of text in a comment, filled up with spaces. */
void stick_mark(unsigned n, uint32_t kernel, uint64_t offset, char ret_mark[STICK_MARK_BYTES])
{
    static const char *const begin[] = { "<!--", "#" }, *const end[] = { "-->\n", "\n" };
    bool is_next = n == STICK_NEXT;
    char text[STICK_MARK_BYTES], name[STICK_NAME_MAX];
    size_t length;

    stick_file_name(n, name);
    length = fmt_print(text, sizeof(text),
                       "%s okram writes the %s into this file, in place. Do not edit it. file=%s "
                       "kernel=0x%08x offset=%lu bytes=%u version=1 ",
                       begin[is_next], is_next ? "next start" : "report of a run", name, kernel,
                       (unsigned long)offset, bytes_of(n));
    memset(ret_mark, ' ', STICK_MARK_BYTES);
    memcpy(ret_mark, text, length);
    memcpy(ret_mark + STICK_MARK_BYTES - strlen(end[is_next]), end[is_next], strlen(end[is_next]));
}

/* The blocks that hold these bytes, which begin one; a page at most. */
static bool read_at(struct disk *d, uint64_t at, uint32_t bytes, uint8_t *to)
{
    return d->read(d->ctx, at / DISK_BLOCK, bytes / DISK_BLOCK, to);
}

static enum stick_result check_mark(struct disk *d, const struct stick_file *file)
{
    char mark[STICK_MARK_BYTES];

    d->fat_at = 0;
    if (!read_at(d, file->at, STICK_MARK_BYTES, d->fat))
        return STICK_FAILED;
    stick_mark(file->n, file->kernel, file->offset, mark);
    return memcmp(d->fat, mark, sizeof(mark)) == 0 ? STICK_WRITTEN : STICK_NOT_MARKED;
}

/*
 * Writes what is in d->data behind a mark that is right, and reads it back: flash may take what is
 * written, and not have it, and what went elsewhere is the last that does.
 */
static enum stick_result write_at(struct disk *d, const struct stick_file *file, size_t at,
                                  uint32_t bytes)
{
    enum stick_result result = check_mark(d, file);

    if (result != STICK_WRITTEN)
        return result;
    if (!d->write(d->ctx, (file->at + at) / DISK_BLOCK, bytes / DISK_BLOCK, d->data) ||
        !read_at(d, file->at + at, bytes, d->fat) || memcmp(d->fat, d->data, bytes) != 0)
        return STICK_FAILED;
    return STICK_WRITTEN;
}

/* The number of the run that a state sector names; 0: none. */
static uint64_t number_of(const uint8_t *state)
{
    const char *s = (const char *)state + STICK_STATE_BYTES - NUMBER_BYTES;
    uint64_t n = 0;

    if (memcmp(s, NUMBER_BEGIN, sizeof(NUMBER_BEGIN) - 1) != 0)
        return 0;
    s += sizeof(NUMBER_BEGIN) - 1;
    for (unsigned i = 0; i < 10; i++) {
        if (s[i] < '0' || s[i] > '9')
            return 0;
        n = 10 * n + (uint64_t)(s[i] - '0');
    }
    return memcmp(s + 10, NUMBER_END, sizeof(NUMBER_END) - 1) == 0 ? n : 0;
}

/* Of a sector that the disk may have filled with anything. */
static void take_state(uint8_t *sector, struct stick_file *file)
{
    file->run = number_of(sector);
    sector[STICK_STATE_BYTES - 1] = 0;
    if (!json_line_value((const char *)sector, "started", file->started, sizeof(file->started)) ||
        strcmp(file->started, "null") == 0)
        file->started[0] = 0;
}

enum status stick_place(const struct fat_volume *v, unsigned n, struct stick_file *ret_file)
{
    struct fat_file folder, file;
    struct stick_file f = { .n = n };
    char name[] = "RUN-1~1 HTM"; /* the short one of run-1.html */

    if (n == STICK_NEXT)
        string_copy(name, "NEXT    CFG", sizeof(name));
    else
        name[4] = (char)('0' + n);
    if (fat_find(v, v->root, STICK_FOLDER, &folder) != STATUS_OK || !folder.is_folder ||
        fat_find(v, folder.cluster, name, &file) != STATUS_OK || file.is_folder ||
        file.is_read_only || file.bytes != bytes_of(n) || fat_place(v, &file, &f.at) != STATUS_OK)
        return STATUS_NOT_FOUND;
    f.offset = f.at - v->base;
    *ret_file = f;
    return STATUS_OK;
}

static bool find_file(const struct fat_volume *v, unsigned n, uint32_t kernel,
                      struct stick_file *ret_file)
{
    if (stick_place(v, n, ret_file) != STATUS_OK)
        return false;
    ret_file->kernel = kernel;
    return check_mark(v->disk, ret_file) == STICK_WRITTEN;
}

static size_t find_in(const struct fat_volume *v, uint32_t kernel,
                      struct stick_file ret_file[STICK_FILES], struct stick_file *ret_next)
{
    size_t n_found = 0;

    if (!find_file(v, STICK_NEXT, kernel, ret_next))
        ret_next->n = 0;
    for (unsigned n = 1; n <= STICK_FILES; n++) {
        struct stick_file f;

        if (!find_file(v, n, kernel, &f) ||
            !read_at(v->disk, f.at + STICK_STATE_AT, STICK_STATE_BYTES, v->disk->data))
            continue;
        take_state(v->disk->data, &f);
        ret_file[n_found++] = f;
    }
    return n_found;
}

size_t stick_find(struct disk *d, uint32_t kernel, struct stick_file ret_file[STICK_FILES],
                  struct stick_file *ret_next)
{
    for (unsigned i = 0; i < FAT_PARTITIONS; i++) {
        struct fat_partition p;
        struct fat_volume v;
        size_t n = 0;

        if (fat_find_partition(d, i, &p) == STATUS_OK && fat_open(d, p, &v) == STATUS_OK)
            n = find_in(&v, kernel, ret_file, ret_next);
        if (n)
            return n;
    }
    return 0;
}

struct stick_file stick_choose(const struct stick_file *file, size_t n, const char *started,
                               uint64_t *run)
{
    struct stick_file oldest = { .n = 0 };
    uint64_t newest = 0;

    for (size_t i = 0; i < n; i++) {
        if (*run && file[i].run == *run && strcmp(file[i].started, started) == 0)
            return file[i];
        if (!oldest.n || file[i].run < oldest.run)
            oldest = file[i];
        newest = max_u64(newest, file[i].run);
    }
    *run = newest < UINT32_MAX ? newest + 1 : 1;
    return oldest;
}

size_t stick_escape(char *to, size_t n, size_t room, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        bool is_special = text[i] == '<' || text[i] == '&';

        if (n + 7 >= room) /* with the NUL of what is printed */
            return room;
        if (is_special)
            n += fmt_print(to + n, room - n, "\\u%04x", (unsigned)text[i]);
        else
            to[n++] = text[i];
    }
    return n;
}

/* The record, without what does not fit into a sector with the rest. */
static size_t state_line(const struct saved_state *state, char *out)
{
    struct saved_state s = *state;

    for (unsigned i = 0;; i++) {
        struct fmt_buffer b = fmt_buffer_make(out, LINE_MAX);
        struct json j = { .out = &b };

        fmt_append(&b, "{\"t\":%u,\"type\":\"state\"", s.seconds);
        fields_write(&j, saved_state_fields, SAVED_STATE_FIELDS, &s);
        fmt_append(&b, "}\n");
        if (!b.cut && !strchr(out, '<') && !strchr(out, '&'))
            return b.length;
        ASSERT(i == 0);
        s.board[0] = 0;
    }
}

/* is_end: the page has no record after this one. */
static enum stick_result write_state(struct disk *d, const struct stick_file *file,
                                     const struct stick_report *report, bool is_end)
{
    char *sector = (char *)d->data, number[NUMBER_BYTES + 1], line[LINE_MAX];
    size_t n = state_line(report->state, line);

    memset(sector, ' ', STICK_STATE_BYTES);
    memcpy(sector, line, n);
    if (is_end)
        memcpy(sector + n, RECORDS_END, sizeof(RECORDS_END) - 1);
    fmt_print(number, sizeof(number), NUMBER_BEGIN "%010lu" NUMBER_END, (unsigned long)report->run);
    memcpy(sector + STICK_STATE_BYTES - NUMBER_BYTES, number, NUMBER_BYTES);
    return write_at(d, file, STICK_STATE_AT, STICK_STATE_BYTES);
}

/* From the page that holds byte `from` on, with spaces after the last record. */
static enum stick_result write_records(struct disk *d, const struct stick_file *file,
                                       const struct stick_report *report, size_t from, size_t end)
{
    enum stick_result result = STICK_WRITTEN;

    for (size_t at = from - from % DISK_DATA_MAX; at < end && result == STICK_WRITTEN;
         at += DISK_DATA_MAX) {
        size_t n = at < report->n ? min_u64(report->n - at, DISK_DATA_MAX) : 0;

        memset(d->data, ' ', DISK_DATA_MAX);
        memcpy(d->data, report->records + at, n);
        result = write_at(d, file, STICK_RECORDS_AT + at, DISK_DATA_MAX);
    }
    return result;
}

enum stick_result stick_write(struct disk *d, const struct stick_file *file,
                              const struct stick_report *report, struct stick_written *written)
{
    enum stick_result result;
    bool was_begun = written->has_begun;
    size_t from = was_begun ? written->n : 0;
    size_t end = was_begun ? report->n : STICK_RECORDS_BYTES;

    ASSERT(report->n <= STICK_RECORDS_BYTES && from <= report->n);
    result = write_state(d, file, report, !was_begun);
    if (result == STICK_WRITTEN)
        result = write_records(d, file, report, from, end);
    if (result == STICK_WRITTEN && !was_begun)
        result = write_state(d, file, report, false);
    if (result == STICK_WRITTEN)
        *written = (struct stick_written){ true, report->n };
    return result;
}

/* In a string of GRUB's between quotation marks that hold everything but themselves. */
static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~' || *text == '\'')
            return false;
    }
    return true;
}

enum stick_result stick_write_next(struct disk *d, const struct stick_file *next,
                                   const char *options, const char *name)
{
    char text[DISK_BLOCK + 1];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (*options)
        fmt_append(&b, "set tests='%s'\nset chosen='%s'\n", options, name);
    if (b.cut || !is_plain(options) || !is_plain(name))
        return STICK_TOO_LONG;
    memset(d->data, ' ', DISK_BLOCK);
    memcpy(d->data, text, b.length);
    d->data[DISK_BLOCK - 1] = '\n';
    if (read_at(d, next->at + STICK_MARK_BYTES, DISK_BLOCK, d->fat) &&
        memcmp(d->fat, d->data, DISK_BLOCK) == 0)
        return STICK_WRITTEN;
    return write_at(d, next, STICK_MARK_BYTES, DISK_BLOCK);
}
