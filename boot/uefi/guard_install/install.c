// SPDX-License-Identifier: MIT
#include "install.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/secure_boot.h"
#include "lib/string.h"
#include "load_option.h"
#include "saved/saved_write.h"

#define SOURCE         L"\\EFI\\okram\\okram-guardx64.efi" /* on okram's own volume */
#define DESCRIPTION    "okram guard"
#define IMAGE_MAX      (UINTN)(1 << 20)
#define ORDER_SHOWN    6
#define VARIABLE_HEAD  128u /* of the store's room: header and name */
#define NUMBERS        0x10000u
#define PE_HEAD_AT     0x3cu
#define MACHINE_X86_64 0x8664u
#define SUBSYSTEM_AT   92u  /* after the PE signature: 20 bytes of COFF, 68 of the optional head */
#define DIRECTORIES_AT 132u /* how many there are; each is 8 bytes: address and size */
#define SIGNATURE_AT   (DIRECTORIES_AT + 4 + 4 * 8) /* the fifth: the table of certificates */
#define SUBSYSTEM_BOOT 11u
#define SUBSYSTEM_APP  10u

static unsigned get16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static UINTN pe_head(const uint8_t *file)
{
    return get16(file + PE_HEAD_AT) | (UINTN)get16(file + PE_HEAD_AT + 2) << 16;
}

/* Whether a file is a 64-bit PE driver for boot services. */
static bool is_driver(const uint8_t *file, UINTN size)
{
    UINTN head;

    if (size < PE_HEAD_AT + 4 || file[0] != 'M' || file[1] != 'Z')
        return false;
    head = pe_head(file);
    return head < size && size - head > SUBSYSTEM_AT + 2 && file[head] == 'P' &&
           file[head + 1] == 'E' && get16(file + head + 4) == MACHINE_X86_64 &&
           get16(file + head + SUBSYSTEM_AT) == SUBSYSTEM_BOOT;
}

static uint8_t *read_source(EFI_HANDLE own, UINTN *ret_size)
{
    EFI_FILE *root = volumes_open_root(own);
    uint8_t *bytes = root ? AllocatePool(IMAGE_MAX) : NULL;

    *ret_size = IMAGE_MAX;
    if (bytes && EFI_ERROR(file_read(root, SOURCE, bytes, ret_size))) {
        FreePool(bytes);
        bytes = NULL;
    }
    if (root)
        root->Close(root);
    return bytes;
}

static unsigned long get32(const uint8_t *at)
{
    return get16(at) | (unsigned long)get16(at + 2) << 16;
}

bool install_is_signed(EFI_HANDLE own)
{
    UINTN size;
    uint8_t *file = read_source(own, &size);
    const uint8_t *head = file && is_driver(file, size) ? file + pe_head(file) : NULL;
    bool is = head && size - pe_head(file) > SIGNATURE_AT + 8 && get32(head + DIRECTORIES_AT) > 4 &&
              get32(head + SIGNATURE_AT) && get32(head + SIGNATURE_AT + 4);

    if (file)
        FreePool(file);
    return is;
}

/* The memory is not tested, and may itself be faulty: the file is read twice. */
static bool read_image(EFI_HANDLE own, struct install_plan *p, struct fmt_buffer *message)
{
    UINTN size, again;
    uint8_t *first = read_source(own, &size), *second = first ? read_source(own, &again) : NULL;
    bool same = second && size == again && memcmp(first, second, size) == 0;

    if (second)
        FreePool(second);
    p->image.bytes = first;
    p->image.size = size;
    if (!first)
        fmt_append(message, "The file \\EFI\\okram\\okram-guardx64.efi cannot be read from the "
                            "volume that okram was started from.");
    else if (!same)
        fmt_append(message, "okram-guardx64.efi differs when it is read twice: memory here is "
                            "faulty.");
    else if (size == IMAGE_MAX || !is_driver(first, size))
        fmt_append(message, "okram-guardx64.efi is not a UEFI driver for x86-64.");
    else
        return true;
    return false;
}

/* Whether the list, and all else that will be written, fits in the store. */
static bool plan_store(struct install_plan *p, struct fmt_buffer *message)
{
    uint64_t remaining, largest;
    uint64_t least = SAVED_KEEP_FREE + BACKUP_MAX + INSTALL_OPTION_MAX + BACKUP_ORDER_BYTES;

    if (!variable_room(VARIABLE_SHARED, &remaining, &largest)) {
        remaining = UINT64_MAX;
        largest = SAVED_VARIABLE_MAX;
    }
    if (remaining < least) {
        fmt_append(message, "UEFI's store of variables has %lu bytes left, too few.",
                   (unsigned long)remaining);
        return false;
    }
    if (p->list.size + VARIABLE_HEAD <= largest &&
        p->list.size + VARIABLE_HEAD <= remaining - least)
        return true;
    if (secure_boot_is_on()) {
        fmt_append(message,
                   "The list is too long for a UEFI variable, and under Secure Boot the guard "
                   "takes no file.");
        return false;
    }
    p->list_file.bytes = p->list.bytes;
    p->list_file.size = p->list.size;
    return true;
}

/* The first number that is not in use and not in the order. */
static bool find_number(const char *prefix, const struct variable *order, char name[12],
                        uint16_t *ret_number)
{
    for (unsigned n = 0; n < NUMBERS; n++) {
        fmt_print(name, 12, "%s%04X", prefix, n);
        if (load_order_has(order->bytes, order->size, (uint16_t)n) ||
            variable_exists(name, &variable_boot))
            continue;
        *ret_number = (uint16_t)n;
        return true;
    }
    return false;
}

static bool make_option(struct install_plan *p, const char *order_name,
                        const struct variable *order, struct fmt_buffer *message)
{
    const char *prefix = guard_way_prefix(p->way);
    char file[2 * BACKUP_PATH_MAX];
    uint16_t number;

    if (order->status != EFI_NOT_FOUND && !order->bytes) {
        fmt_append(message, "Firmware cannot read %s.", order_name);
        return false;
    }
    if (order->size % 2 || order->size > BACKUP_ORDER_BYTES) {
        fmt_append(message, "%s has %lu bytes: it is %s, and is left as it is.", order_name,
                   (unsigned long)order->size, order->size % 2 ? "malformed" : "full");
        return false;
    }
    if (p->way == GUARD_BY_WRAPPER && !order->size) {
        fmt_append(message, "BootOrder is empty: firmware would start nothing after the guard.");
        return false;
    }
    if (!find_number(prefix, order, p->backup.option, &number)) {
        fmt_append(message, "All 65536 variables %s#### are in use.", prefix);
        return false;
    }
    fmt_print(file, sizeof(file), "%s\\%s", p->image.folder, p->image.name);
    p->option_bytes = load_option_make(DESCRIPTION, p->partition.node, PARTITION_NODE, file, NULL,
                                       0, p->option, sizeof(p->option));
    p->order_bytes = load_order_with(order->bytes, order->size, number, p->order);
    p->order_attributes = order->bytes ? order->attributes : VARIABLE_SHARED;
    p->backup.has_order = order->bytes != NULL;
    p->backup.order_bytes = order->size;
    if (order->bytes)
        memcpy(p->backup.order, order->bytes, order->size);
    return p->option_bytes != 0;
}

static bool plan_start(struct install_plan *p, struct fmt_buffer *message)
{
    struct variable order;
    bool ok;

    if (p->way != GUARD_BY_DRIVER && p->way != GUARD_BY_WRAPPER)
        return true;
    order = variable_read(guard_way_order(p->way), &variable_boot);
    ok = make_option(p, guard_way_order(p->way), &order, message);
    variable_free(&order);
    return ok;
}

/*
 * EDK2 does not start a driver as a boot entry, so the copy for that is marked as an application.
 */
static bool plan_image(struct install_plan *p, struct fmt_buffer *message)
{
    uint8_t *file = (uint8_t *)p->image.bytes;

    if (p->way != GUARD_BY_WRAPPER)
        return true;
    if (secure_boot_is_on()) {
        fmt_append(message, "Under Secure Boot the guard cannot be a boot entry: it is signed as a "
                            "driver.");
        return false;
    }
    file[pe_head(file) + SUBSYSTEM_AT] = SUBSYSTEM_APP;
    return true;
}

static bool plan_files(struct install_plan *p, struct fmt_buffer *message)
{
    EFI_FILE *root = volumes_open_root(p->partition.handle);
    EFI_STATUS status;
    bool ok;

    if (!root) {
        fmt_append(message, "Firmware cannot open %s.", p->partition.name);
        return false;
    }
    status = file_check_room(root, PLACE_FOLDER_BLOCKS,
                             (UINTN[]){ p->image.size, p->list_file.size }, 2);
    ok = place_list(root, &p->image, &p->backup) &&
         (!p->list_file.bytes || place_list(root, &p->list_file, &p->backup));
    root->Close(root);
    if (EFI_ERROR(status)) {
        fmt_append(message, "Nothing can be written to %s: ", p->partition.name);
        file_append_reason(status, message);
    } else if (!ok) {
        fmt_append(message, "There are too many folders to make.");
    }
    return ok && !EFI_ERROR(status);
}

static bool plan_all(EFI_HANDLE own, const struct install_state *s, struct install_plan *p,
                     struct fmt_buffer *message)
{
    if (s->backup_why) {
        fmt_append(message, "UEFI variable " BACKUP_NAME " is damaged (%s): it is left as it is.",
                   s->backup_why);
        return false;
    }
    if (s->has_backup || s->installed.variable.bytes) {
        fmt_append(message, "The guard is installed already%s.",
                   s->has_backup ? "" : ", but not by okram: remove the variable OkramGuard first");
        return false;
    }
    if (!read_image(own, p, message) || !list_make(s, &p->list, message) ||
        !plan_store(p, message) || !plan_start(p, message) || !plan_image(p, message) ||
        !plan_files(p, message))
        return false;
    p->line_bytes = backup_write(&p->backup, p->line, sizeof(p->line));
    if (!p->line_bytes)
        fmt_append(message, "The backup would be longer than %d bytes.", BACKUP_MAX);
    return p->line_bytes != 0;
}

bool install_plan_make(EFI_HANDLE own, const struct install_state *state, enum guard_way way,
                       const struct partition *partition, struct install_plan *ret_plan,
                       struct fmt_buffer *message)
{
    struct install_plan *p = ret_plan;

    *p = (struct install_plan){ .way = way, .partition = *partition, .backup.way = way };
    string_copy(p->backup.partition, partition->guid, sizeof(p->backup.partition));
    string_copy(p->image.folder, guard_way_folder(way), sizeof(p->image.folder));
    string_copy(p->image.name, guard_way_file(way), sizeof(p->image.name));
    fmt_print(p->list_file.folder, sizeof(p->list_file.folder), "%s\\" GUARD_FOLDER,
              guard_way_folder(way));
    string_copy(p->list_file.name, GUARD_LIST_FILE, sizeof(p->list_file.name));
    if (plan_all(own, state, p, message))
        return true;
    install_plan_free(p);
    return false;
}

void install_plan_free(struct install_plan *plan)
{
    if (plan->image.bytes)
        FreePool((void *)plan->image.bytes);
    if (plan->list.bytes)
        FreePool(plan->list.bytes);
    plan->image.bytes = NULL;
    plan->list.bytes = NULL;
}

static void append_order(struct fmt_buffer *out, const uint8_t *order, size_t bytes)
{
    for (size_t at = 0; at + 1 < bytes && at < 2 * ORDER_SHOWN; at += 2)
        fmt_append(out, "%s%04X", at ? "," : "", get16(order + at));
    if (!bytes)
        fmt_append(out, "none");
    else if (bytes > 2 * ORDER_SHOWN)
        fmt_append(out, ",... (%lu entries)", (unsigned long)(bytes / 2));
}

void install_plan_show(const struct install_plan *plan, struct fmt_buffer *out)
{
    const struct install_plan *p = plan;
    const struct backup *b = &p->backup;

    fmt_append(out, "On %s:\n", p->partition.name);
    fmt_append(out, "- %s\\%s, %lu bytes\n", p->image.folder, p->image.name,
               (unsigned long)p->image.size);
    if (p->list_file.bytes)
        fmt_append(out, "- %s\\%s, %lu bytes: %lu bad page%s\n", p->list_file.folder,
                   p->list_file.name, (unsigned long)p->list.size, (unsigned long)p->list.n_pages,
                   fmt_plural(p->list.n_pages));
    fmt_append(out, "In UEFI variables:\n");
    if (!p->list_file.bytes)
        fmt_append(out, "- OkramGuard, %lu bytes: %lu bad page%s\n", (unsigned long)p->list.size,
                   (unsigned long)p->list.n_pages, fmt_plural(p->list.n_pages));
    if (p->option_bytes) {
        fmt_append(out, "- %s \"" DESCRIPTION "\": %s\\%s\n", b->option, p->image.folder,
                   p->image.name);
        fmt_append(out, "- %s: from ", guard_way_order(p->way));
        append_order(out, b->order, b->order_bytes);
        fmt_append(out, " to ");
        append_order(out, p->order, p->order_bytes);
        fmt_append(out, "\n");
    }
    fmt_append(out, "- " BACKUP_NAME ", %lu bytes: what is needed to remove it all\n",
               (unsigned long)p->line_bytes);
}

/* What was done so far. */
enum step { STEP_BACKUP, STEP_FILES, STEP_LIST, STEP_OPTION, STEP_ORDER, STEPS };

static EFI_STATUS write_files(const struct install_plan *p)
{
    EFI_FILE *root = volumes_open_root(p->partition.handle);
    EFI_STATUS status;

    if (!root)
        return EFI_NO_MEDIA;
    status = place_write(root, &p->image);
    if (!EFI_ERROR(status) && p->list_file.bytes)
        status = place_write(root, &p->list_file);
    root->Close(root);
    return status;
}

static EFI_STATUS do_step(const struct install_plan *p, enum step step)
{
    switch (step) {
    case STEP_BACKUP:
        return variable_write(BACKUP_NAME, &variable_okram, VARIABLE_SHARED, p->line,
                              p->line_bytes);
    case STEP_FILES: return write_files(p);
    case STEP_LIST:
        return p->list_file.bytes ? EFI_SUCCESS
                                  : variable_write("OkramGuard", &variable_okram, VARIABLE_KEPT,
                                                   p->list.bytes, p->list.size);
    case STEP_OPTION:
        return p->option_bytes ? variable_write(p->backup.option, &variable_boot, VARIABLE_SHARED,
                                                p->option, p->option_bytes)
                               : EFI_SUCCESS;
    default:
        return p->option_bytes ? variable_write(guard_way_order(p->way), &variable_boot,
                                                p->order_attributes, p->order, p->order_bytes)
                               : EFI_SUCCESS;
    }
}

static void undo_step(const struct install_plan *p, enum step step)
{
    const struct backup *b = &p->backup;
    EFI_FILE *root;

    switch (step) {
    case STEP_BACKUP: variable_delete(BACKUP_NAME, &variable_okram); break;
    case STEP_FILES:
        root = volumes_open_root(p->partition.handle);
        if (root) {
            place_remove(root, b);
            root->Close(root);
        }
        break;
    case STEP_LIST: variable_delete("OkramGuard", &variable_okram); break;
    case STEP_OPTION:
        if (p->option_bytes)
            variable_delete(b->option, &variable_boot);
        break;
    default:
        if (p->option_bytes && b->has_order)
            variable_write(guard_way_order(p->way), &variable_boot, p->order_attributes, b->order,
                           b->order_bytes);
        else if (p->option_bytes)
            variable_delete(guard_way_order(p->way), &variable_boot);
        break;
    }
}

static void append_failure(const struct install_plan *p, enum step step, EFI_STATUS status,
                           struct fmt_buffer *out)
{
    if (step == STEP_FILES) {
        fmt_append(out, "The guard was not installed: %s could not be written to. ",
                   p->partition.name);
        file_append_reason(status, out);
    } else {
        fmt_append(out,
                   "The guard was not installed: firmware refused the variable %s "
                   "(error 0x%lx).",
                   step == STEP_BACKUP   ? BACKUP_NAME
                   : step == STEP_LIST   ? "OkramGuard"
                   : step == STEP_OPTION ? p->backup.option
                                         : guard_way_order(p->way),
                   (unsigned long)status);
    }
    fmt_append(out, " What was written before has been removed.");
}

bool install_do(const struct install_plan *plan, struct fmt_buffer *message)
{
    for (int step = STEP_BACKUP; step < STEPS; step++) {
        EFI_STATUS status = do_step(plan, (enum step)step);

        if (!EFI_ERROR(status))
            continue;
        append_failure(plan, (enum step)step, status, message);
        for (; step >= 0; step--)
            undo_step(plan, (enum step)step);
        return false;
    }
    fmt_append(message,
               "The guard is installed. From the next start of this machine on, it masks "
               "%lu bad page%s before any operating system starts.",
               (unsigned long)plan->list.n_pages, fmt_plural(plan->list.n_pages));
    return true;
}
