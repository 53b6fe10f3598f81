// SPDX-License-Identifier: MIT
#include "last_report.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/sign_key.h"
#include "boot/uefi/volumes.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "report_page.h"
#include "report_text.h"
#include "saved/saved_read.h"

/*
 * The files of a report in the directory \okram of a volume: NAME.jsonl and NAME.html. No existing
 * file is overwritten: the name gets a number.
 */

enum { REPORT_JSONL, REPORT_HTML, REPORT_FILES };

struct report_content {
    struct fmt_buffer file[REPORT_FILES];
};

#define NUMBERS_MAX      1000 /* names that are tried */
#define DIRECTORY_BLOCKS 4    /* that a directory may need for their names */

static const char *const extensions[REPORT_FILES] = { "jsonl", "html" };

static void file_name(const char *name, unsigned file, CHAR16 out[REPORT_NAME_MAX])
{
    char text[REPORT_NAME_MAX];
    size_t n = 0;

    fmt_print(text, sizeof(text), "%s.%s", name, extensions[file]);
    do {
        out[n] = (CHAR16)text[n];
    } while (text[n++]);
}

static bool holds(EFI_FILE *directory, CHAR16 *name, const struct fmt_buffer *content)
{
    return file_holds(directory, name, content->text, content->length);
}

static EFI_STATUS check_room(EFI_FILE *root, const struct report_content *content)
{
    UINTN bytes[REPORT_FILES];

    for (unsigned i = 0; i < REPORT_FILES; i++)
        bytes[i] = content->file[i].length;
    return file_check_room(root, DIRECTORY_BLOCKS, bytes, REPORT_FILES);
}

static EFI_STATUS open_directory(EFI_FILE *root, const struct report_content *content,
                                 EFI_FILE **ret_directory)
{
    static CHAR16 name[] = L"okram";
    EFI_STATUS status;

    if (file_is_absent(root, name)) {
        status = check_room(root, content);
        if (EFI_ERROR(status))
            return status;
    }
    return root->Open(root, ret_directory, name,
                      EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                      EFI_FILE_DIRECTORY);
}

/* Whether each file of that name is absent, or already has the bytes to write. */
static bool is_free(EFI_FILE *directory, const char *name, const struct report_content *content)
{
    CHAR16 path[REPORT_NAME_MAX];

    for (unsigned i = 0; i < REPORT_FILES; i++) {
        file_name(name, i, path);
        if (!file_is_absent(directory, path) && !holds(directory, path, &content->file[i]))
            return false;
    }
    return true;
}

static EFI_STATUS write_files(EFI_FILE *root, EFI_FILE *directory, const char *name,
                              const struct report_content *content)
{
    unsigned written = 0; /* bit n: file n was written now */
    CHAR16 path[REPORT_NAME_MAX];
    EFI_STATUS status = EFI_SUCCESS;

    for (unsigned i = 0; i < REPORT_FILES && !EFI_ERROR(status); i++) {
        const struct fmt_buffer *file = &content->file[i];

        file_name(name, i, path);
        if (holds(directory, path, file))
            continue;
        if (!written)
            status = check_room(root, content);
        if (EFI_ERROR(status))
            break;
        status = file_write_new(directory, path, file->text, file->length);
        written |= 1u << i;
    }
    for (unsigned i = 0; i < REPORT_FILES && EFI_ERROR(status); i++) {
        file_name(name, i, path);
        if (written >> i & 1)
            file_delete(directory, path);
    }
    return status;
}

/*
 * Writes the missing files and reads them back: after EFI_SUCCESS both are on the volume.
 * Files of an earlier try with the same bytes are kept. After an error those written now are
 * deleted. ret_name: the name without extension.
 */
static EFI_STATUS report_files_write(EFI_FILE *root, const struct saved_report *report,
                                     const struct report_content *content,
                                     char ret_name[REPORT_NAME_MAX])
{
    EFI_FILE *directory;
    EFI_STATUS status;

    for (unsigned i = 0; i < REPORT_FILES; i++) {
        if (content->file[i].cut)
            return EFI_BUFFER_TOO_SMALL;
    }
    status = open_directory(root, content, &directory);
    if (EFI_ERROR(status))
        return status;
    status = EFI_ACCESS_DENIED;
    for (unsigned n = 1; n <= NUMBERS_MAX; n++) {
        struct fmt_buffer name = fmt_buffer_make(ret_name, REPORT_NAME_MAX);

        report_append_name(report, n, &name);
        if (!is_free(directory, ret_name, content))
            continue;
        status = write_files(root, directory, ret_name, content);
        break;
    }
    directory->Close(directory);
    return status;
}

/* The UEFI variables in which the kernel keeps its report (saved/saved.h), by runtime services. */

struct report_vars {
    struct saved_variables variables;
    uint8_t bytes[SAVED_PARTS_MAX][SAVED_VARIABLE_MAX];
    char
        others[128]; /* names with okram's GUID that okram does not use, separated by ", ", or "" */
};

#define VARIABLE_NAME_MAX 512   /* characters, with the NUL */
#define VARIABLES_MAX     10000 /* of all vendors, that are looked through */

static EFI_GUID report_vendor = SAVED_GUID;

static CHAR16 *part_name(unsigned part)
{
    static CHAR16 name[] = L"OkramReport0?";

    name[sizeof(name) / sizeof(name[0]) - 2] = (CHAR16) "0123456789ABCDEF"[part];
    return name;
}

/* A variable that cannot be read counts as empty. */
static void read_variable(CHAR16 *name, uint8_t bytes[SAVED_VARIABLE_MAX],
                          struct saved_variable *ret_variable)
{
    UINTN size = SAVED_VARIABLE_MAX;
    UINT32 attributes = 0;
    EFI_STATUS status = RT->GetVariable(name, &report_vendor, &attributes, &size, bytes);

    *ret_variable = (struct saved_variable){ 0 };
    if (status == EFI_NOT_FOUND)
        return;
    if (EFI_ERROR(status) && status != EFI_BUFFER_TOO_SMALL)
        size = 0;
    *ret_variable = (struct saved_variable){ bytes, size, attributes };
}

static bool same(const CHAR16 *a, const CHAR16 *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Whether it is the report's, or another that okram writes. */
static bool is_used(const CHAR16 *name)
{
    static const CHAR16 *const others[] = {
        L"OkramGuard",       L"OkramGuardNew", L"OkramGuardStatus", L"OkramGuardMasked",
        L"OkramGuardBackup", L"OkramPatrol",   L"OkramKey",         L"OkramDiagnosis",
        L"OkramCycles",      L"OkramCpuTrial",
    };
    bool used = false;

    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        used |= same(name, others[i]);
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        used |= same(name, part_name(i));
    return used;
}

static void append_name(struct fmt_buffer *out, const CHAR16 *name)
{
    fmt_append(out, "%s", out->length ? ", " : "");
    for (unsigned i = 0; i < 32 && name[i]; i++)
        fmt_append(out, "%c", name[i] >= ' ' && name[i] <= '~' ? (char)name[i] : '?');
}

static void find_others(struct fmt_buffer *out)
{
    static CHAR16 name[VARIABLE_NAME_MAX];
    EFI_GUID guid = { 0 };

    name[0] = 0;
    for (int i = 0; i < VARIABLES_MAX; i++) {
        UINTN size = sizeof(name);

        if (EFI_ERROR(RT->GetNextVariableName(&size, name, &guid)))
            return;
        if (memcmp(&guid, &report_vendor, sizeof(guid)) == 0 && !is_used(name))
            append_name(out, name);
    }
}

static void report_vars_read(struct report_vars *ret_vars)
{
    struct report_vars *v = ret_vars;
    struct fmt_buffer others = fmt_buffer_make(v->others, sizeof(v->others));

    memset(v->bytes, 0, sizeof(v->bytes));
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++)
        read_variable(part_name(i), v->bytes[i], &v->variables.part[i]);
    find_others(&others);
}

static EFI_STATUS delete_variable(CHAR16 *name)
{
    EFI_STATUS status = RT->SetVariable(name, &report_vendor, 0, 0, NULL);

    return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

/*
 * Deletes the parts that the report was read from, OkramReport00 first: a power cut then leaves
 * all, or parts without the first, which are not a report and are overwritten by the next run. The
 * other way round a head would be left that counts parts that are gone. After an error with the
 * first nothing was deleted.
 */
static EFI_STATUS report_vars_delete(const struct saved_report *report)
{
    EFI_STATUS status = EFI_SUCCESS;

    for (unsigned i = 0; i < SAVED_PARTS_MAX && !EFI_ERROR(status); i++) {
        if (report->used_parts >> i & 1)
            status = delete_variable(part_name(i));
    }
    return status;
}

#define LINE_SHOWN_MAX 200

struct texts {
    char jsonl[SAVED_JSONL_MAX], html[REPORT_PAGE_MAX];
};

struct last_report {
    struct report_vars vars;
    struct saved_report saved;
    struct report_content content;
    struct texts texts;
    struct volumes volumes;
    struct menu_report shown;
};

static struct last_report *read_report(void)
{
    struct last_report *r = AllocateZeroPool(sizeof(*r));

    if (!r)
        return NULL;
    report_vars_read(&r->vars);
    saved_read(&r->vars.variables, &r->saved);
    return r;
}

static void make_content(struct last_report *r)
{
    struct fmt_buffer *file = r->content.file;

    file[REPORT_JSONL] = fmt_buffer_make(r->texts.jsonl, sizeof(r->texts.jsonl));
    file[REPORT_HTML] = fmt_buffer_make(r->texts.html, sizeof(r->texts.html));
    fmt_append(&file[REPORT_JSONL], "%s", r->saved.jsonl);
    report_append_page(&r->saved, &file[REPORT_HTML]);
}

/*
 * The memory is not tested yet, and may itself be faulty: the files' bytes are made a second time,
 * in other memory.
 */
static bool is_reproduced(const struct last_report *r)
{
    struct last_report *second = read_report();
    bool same = false;

    if (!second)
        return false;
    if (second->saved.kind == r->saved.kind) {
        make_content(second);
        same = memcmp(&second->texts, &r->texts, sizeof(r->texts)) == 0;
    }
    FreePool(second);
    return same;
}

static bool has_report(const struct last_report *r)
{
    return r->saved.kind >= SAVED_UNFINISHED;
}

static void append_invalid(const struct last_report *r, struct fmt_buffer *out)
{
    uint32_t invalid = r->saved.invalid_parts & ~UINT32_C(1);
    const char *others = r->vars.others;
    unsigned n = 0;

    if (r->saved.kind == SAVED_UNREADABLE) /* the first part */
        fmt_append(out, "The variable is left as it is.\n");
    if (!invalid && !others[0])
        return;
    fmt_append(out, "Damaged or not okram's, and left as they are:");
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        if (invalid >> i & 1)
            fmt_append(out, "%s " SAVED_PART_NAME "%02X", n++ ? "," : "", i);
    }
    fmt_append(out, "%s%s%s.\n", n && others[0] ? "," : "", others[0] ? " " : "", others);
}

/* `done`: a sentence about the files. */
static void show(struct last_report *r, const char *done)
{
    static char line[REPORT_LINE_MAX];
    struct menu_report *s = &r->shown;
    struct fmt_buffer headline = fmt_buffer_make(s->headline, sizeof(s->headline));
    struct fmt_buffer page = fmt_buffer_make(s->page, sizeof(s->page));

    if (r->saved.kind == SAVED_NOTHING)
        fmt_append(&headline, "none; but variables that are not okram's");
    else
        report_append_headline(&r->saved, &headline);
    string_copy(s->notice, done, sizeof(s->notice));
    report_append_summary(&r->saved, &page);
    if (has_report(r) && !sign_key_signed(&r->saved))
        fmt_append(&page,
                   "It has no valid signature: it is damaged, or was written by the operating "
                   "system, not by okram.\n");
    report_line(&r->saved, line);
    if (line[0])
        fmt_append(&page, "%.*s%s\n", LINE_SHOWN_MAX, line,
                   strlen(line) > LINE_SHOWN_MAX ? " ... (the files hold all of it)" : "");
    if (done[0])
        fmt_append(&page, "%s\n", done);
    append_invalid(r, &page);
    s->n_volumes = r->volumes.n;
    for (unsigned i = 0; i < r->volumes.n; i++)
        s->volume[i] = r->volumes.name[i];
}

/* Appends what was done; false: the report is in the variables only. */
static bool write_to(struct last_report *r, EFI_HANDLE handle, const char *where,
                     struct fmt_buffer *message)
{
    EFI_FILE *root = volumes_open_root(handle);
    char name[REPORT_NAME_MAX];
    EFI_STATUS status = EFI_NO_MEDIA;

    if (root) {
        status = report_files_write(root, &r->saved, &r->content, name);
        root->Close(root);
    }
    if (EFI_ERROR(status)) {
        fmt_append(message, "The report was not written to %s: ", where);
        if (root)
            file_append_reason(status, message);
        else
            fmt_append(message, "firmware cannot open it.");
        fmt_append(message, " It stays in the UEFI variables.");
        return false;
    }
    fmt_append(message, "The report was written to \\okram\\%s.html and .jsonl on %s", name, where);
    status = report_vars_delete(&r->saved);
    if (EFI_ERROR(status))
        fmt_append(message, ", but its UEFI variables could not be deleted: error 0x%lx.",
                   (unsigned long)status);
    else
        fmt_append(message, ", and its UEFI variables were deleted.");
    return true;
}

static void begin_files(struct last_report *r, EFI_HANDLE own, struct fmt_buffer *message)
{
    make_content(r);
    if (!is_reproduced(r)) {
        fmt_append(message, "The report was not written: memory here is faulty or too small. It "
                            "stays in the UEFI variables.");
        return;
    }
    if (!write_to(r, own, "the volume okram was started from", message))
        volumes_find_writable(own, &r->volumes);
}

struct last_report *last_report_begin(void)
{
    struct last_report *r = read_report();

    if (r && r->saved.kind == SAVED_NOTHING && !r->saved.invalid_parts && !r->vars.others[0]) {
        FreePool(r);
        return NULL;
    }
    return r;
}

void last_report_settle(struct last_report *report, EFI_HANDLE own)
{
    struct last_report *r = report;
    char done[WARNING_TEXT_MAX] = "";
    struct fmt_buffer message = fmt_buffer_make(done, sizeof(done));

    if (has_report(r))
        begin_files(r, own, &message);
    show(r, done);
    Print(L"okram: last report: %a\r\n", r->shown.headline);
    if (done[0])
        Print(L"okram: %a\r\n", done);
}

enum status last_report_pack(const struct last_report *report, const char *uuid,
                             struct report_packet *ret_packet)
{
    if (report->saved.kind != SAVED_UNFINISHED && report->saved.kind != SAVED_WHOLE)
        return STATUS_NOT_FOUND;
    return report_packet_make(&report->vars.variables, uuid, ret_packet);
}

const struct menu_report *last_report_shown(const struct last_report *report)
{
    return &report->shown;
}

bool last_report_is_signed(const struct last_report *report)
{
    return sign_key_signed(&report->saved);
}

bool last_report_has_bad_pages(const struct last_report *report)
{
    return has_report(report) && report->saved.state.bad_pages;
}

const char *last_report_jsonl(const struct last_report *report)
{
    return report->saved.jsonl;
}

void last_report_write(struct last_report *report, unsigned volume, struct fmt_buffer *message)
{
    struct last_report *r = report;

    if (volume >= r->volumes.n)
        return;
    if (write_to(r, r->volumes.handle[volume], r->volumes.name[volume], message)) {
        r->volumes.n = 0;
        show(r, message->text);
    }
}
