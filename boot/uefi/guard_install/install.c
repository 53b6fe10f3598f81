// SPDX-License-Identifier: MIT
#include "lib/panic.h"

#include "install.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/secure_boot.h"
#include "guardlist/guard_list.h"
#include "lib/string.h"
#include "load_option.h"
#include "saved/saved_write.h"

#define LIST_MAX      (UINTN)(64 << 10)
#define VARIABLE_HEAD 128u /* of the store's room: header and name */
#define FOLDER_BLOCKS 8    /* of the volume's room: for new folders */
#define NUMBERS       0x10000u

/* shim reads the variable in which it keeps the generations that it still starts. */
static bool check_level(const struct image *shim, struct fmt_buffer *message)
{
    struct variable level = variable_read("SbatLevel", &variable_shim);
    bool is_revoked = level.bytes && image_is_revoked(shim, (const char *)level.bytes);

    variable_free(&level);
    if (is_revoked)
        fmt_append(message, "The shim of this stick is older than this machine accepts: under "
                            "Secure Boot it would switch the machine off. Make a new stick.");
    return !is_revoked;
}

static bool plan_images(EFI_HANDLE own, struct install_plan *p, struct fmt_buffer *message)
{
    const struct guard_way *way = p->backup.way;
    bool is_entry = strcmp(way->prefix, "Boot") == 0;

    if (!image_read(own, IMAGE_GUARD, &p->image[IMAGE_GUARD], message))
        return false;
    p->must_be_enrolled = way->shim[0] && secure_boot_is_on() && !image_is_enrolled(own);
    if (way->shim[0])
        return image_read(own, IMAGE_SHIM, &p->image[IMAGE_SHIM], message) &&
               image_read(own, IMAGE_MOKMANAGER, &p->image[IMAGE_MOKMANAGER], message) &&
               check_level(&p->image[IMAGE_SHIM], message);
    if (is_entry && secure_boot_is_on()) {
        fmt_append(message, "Under Secure Boot the guard can be a boot entry only by shim: it is "
                            "signed as a driver.");
        return false;
    }
    if (is_entry)
        image_make_application(&p->image[IMAGE_GUARD]);
    return true;
}

static bool join_lists(const struct guard_list *before, const struct guard_list *found,
                       struct install_plan *p)
{
    struct guard_list list;
    const char *why;

    p->list = AllocatePool(LIST_MAX);
    p->list_bytes = p->list ? guard_merge(before, found, p->list, LIST_MAX) : 0;
    if (!p->list_bytes || guard_list_open(p->list, p->list_bytes, &list, &why) != STATUS_OK ||
        !guard_list_holds(&list, found))
        return false;
    p->n_pages = list.head.n_pages;
    return true;
}

/* The list of the last run, joined with the one before unless that is another machine's. NULL:
 * none. */
static bool plan_list(const struct install_state *s, const struct guard_list *before,
                      struct install_plan *p, struct fmt_buffer *message)
{
    const char *why;

    if (!s->found.is_valid) {
        fmt_append(message, "No bad memory is known. Run a test first.");
        return false;
    }
    if (!s->has_here) {
        fmt_append(message, "Firmware does not give its memory map.");
        return false;
    }
    why = guard_fingerprint_differs(&s->found.list.head.machine, &s->here);
    if (why) {
        fmt_append(
            message,
            "The list of the last run is not used: %s changed since it was made. Test again.", why);
        return false;
    }
    if (before && guard_fingerprint_differs(&before->head.machine, &s->here))
        before = NULL;
    if (join_lists(before, &s->found.list, p))
        return true;
    fmt_append(message, "The list takes more than %lu KiB, or memory here is faulty.",
               (unsigned long)(LIST_MAX >> 10));
    return false;
}

/* Whether the list, and all else that will be written, fits in the store. */
static bool plan_store(const struct install_plan *p, bool *ret_in_file, struct fmt_buffer *message)
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
    *ret_in_file = p->list_bytes + VARIABLE_HEAD > largest ||
                   p->list_bytes + VARIABLE_HEAD > remaining - least;
    if (!*ret_in_file || !secure_boot_is_on())
        return true;
    fmt_append(message, "The list is too long for a UEFI variable, and under Secure Boot the guard "
                        "takes no file.");
    return false;
}

static struct change *add_variable(struct install_plan *p, const char *name, const EFI_GUID *vendor,
                                   UINT32 attributes, const void *bytes, UINTN size)
{
    struct change *c = changes_add(&p->changes, CHANGE_VARIABLE, name);

    c->vendor = vendor;
    c->attributes = attributes;
    c->bytes = bytes;
    c->size = size;
    return c;
}

static struct change *add_file(struct install_plan *p, const char *path, const void *bytes,
                               UINTN size)
{
    struct change *c = changes_add(&p->changes, CHANGE_FILE, path);

    c->bytes = bytes;
    c->size = size;
    return c;
}

/* path NULL: into the variable. */
static void add_list(struct install_plan *p, const char *path)
{
    struct change *c = path ? add_file(p, path, p->list, p->list_bytes)
                            : add_variable(p, "OkramGuard", &variable_okram, VARIABLE_KEPT, p->list,
                                           p->list_bytes);

    fmt_print(c->what, sizeof(c->what), ": %lu bad page%s", (unsigned long)p->n_pages,
              fmt_plural(p->n_pages));
}

/* The missing folders on the way to a file. */
static void list_folders(EFI_FILE *root, const char *path, struct backup *b)
{
    for (size_t n = 1; path[n]; n++) {
        char folder[BACKUP_PATH_MAX];
        bool is_new = path[n] == '\\';

        string_copy(folder, path, n + 1 < sizeof(folder) ? n + 1 : sizeof(folder));
        for (unsigned i = 0; i < b->n_folders; i++)
            is_new &= strcmp(b->folder[i], folder) != 0;
        if (!is_new || !changes_is_absent(root, folder))
            continue;
        ASSERT(b->n_folders < BACKUP_PATHS_MAX);
        string_copy(b->folder[b->n_folders++], folder, BACKUP_PATH_MAX);
    }
}

/* The backup has the file, unless it exists, and the missing folders. */
static void list_file(EFI_FILE *root, const char *path, struct backup *b)
{
    if (changes_is_absent(root, path))
        string_copy(b->file[b->n_files++], path, BACKUP_PATH_MAX);
    list_folders(root, path, b);
}

/* The driver's file, then shim's. */
static void image_path(const struct guard_way *way, enum image_kind kind,
                       char path[BACKUP_PATH_MAX])
{
    const char *const names[] = { [IMAGE_GUARD] = way->file,
                                  [IMAGE_SHIM] = way->shim,
                                  [IMAGE_MOKMANAGER] = GUARD_MOKMANAGER_FILE };

    fmt_print(path, BACKUP_PATH_MAX, "%s\\%s", way->folder, names[kind]);
}

/* list: its path, or NULL. */
static bool plan_files(struct install_plan *p, const struct partition *partition, const char *list,
                       struct fmt_buffer *message)
{
    EFI_FILE *root = volumes_open_root(partition->handle);
    UINTN bytes[IMAGE_KINDS + 1];
    char path[BACKUP_PATH_MAX];
    EFI_STATUS status;
    unsigned n = 0;

    if (!root) {
        fmt_append(message, "Firmware cannot open %s.", partition->name);
        return false;
    }
    for (unsigned i = 0; i < IMAGE_KINDS; i++) {
        if (!p->image[i].bytes)
            continue;
        bytes[n++] = p->image[i].size;
        image_path(p->backup.way, i, path);
        list_file(root, path, &p->backup);
    }
    if (list) {
        bytes[n++] = p->list_bytes;
        list_file(root, list, &p->backup);
    }
    status = file_check_room(root, FOLDER_BLOCKS, bytes, n);
    root->Close(root);
    if (EFI_ERROR(status)) {
        fmt_append(message, "Nothing can be written to %s: ", partition->name);
        file_append_reason(status, message);
    }
    return !EFI_ERROR(status);
}

/* The first number that is not in use and not in the order. */
static bool find_number(const struct guard_way *way, const struct variable *order, char name[12],
                        uint16_t *ret_number)
{
    for (unsigned n = 0; n < NUMBERS; n++) {
        fmt_print(name, 12, "%s%04X", way->prefix, n);
        if (load_order_has(order->bytes, order->size, (uint16_t)n) ||
            variable_exists(name, &variable_boot))
            continue;
        *ret_number = (uint16_t)n;
        return true;
    }
    return false;
}

static bool check_order(const struct guard_way *way, const struct variable *order,
                        struct fmt_buffer *message)
{
    if (order->status != EFI_NOT_FOUND && !order->bytes)
        fmt_append(message, "Firmware cannot read %s.", way->order);
    else if (order->size % 2 || order->size > BACKUP_ORDER_BYTES)
        fmt_append(message, "%s has %lu bytes: it is %s, and is left as it is.", way->order,
                   (unsigned long)order->size, order->size % 2 ? "malformed" : "full");
    else if (strcmp(way->prefix, "Boot") == 0 && !order->size)
        fmt_append(message, "BootOrder is empty: firmware would start nothing after the guard.");
    else
        return true;
    return false;
}

/* The variable that starts the file, and the order; they are the last changes. */
static bool plan_start(struct install_plan *p, const struct partition *partition,
                       const struct variable *order, struct fmt_buffer *message)
{
    const struct guard_way *way = p->backup.way;
    const bool by_shim = way->shim[0];
    struct backup *b = &p->backup;
    char file[BACKUP_PATH_MAX];
    struct change *c;
    uint16_t number;
    size_t size;

    if (!check_order(way, order, message))
        return false;
    if (!find_number(way, order, b->option, &number)) {
        fmt_append(message, "All 65536 variables %s#### are in use.", way->prefix);
        return false;
    }
    b->has_order = order->bytes != NULL;
    b->order_bytes = order->size;
    if (order->bytes)
        memcpy(b->order, order->bytes, order->size);
    image_path(way, by_shim ? IMAGE_SHIM : IMAGE_GUARD, file);
    size = load_option_make(partition->node, PARTITION_NODE, file, by_shim ? way->file : "",
                            p->option, sizeof(p->option));
    c = add_variable(p, b->option, &variable_boot, VARIABLE_SHARED, p->option, size);
    fmt_print(c->what, sizeof(c->what), ": starts %s", file);
    size = load_order_with(order->bytes, order->size, number, p->order);
    c = add_variable(p, way->order, &variable_boot,
                     order->bytes ? order->attributes : VARIABLE_SHARED, p->order, size);
    if (order->size)
        fmt_print(c->what, sizeof(c->what), ": %04X first, then the %lu that are there", number,
                  (unsigned long)(size / 2 - 1));
    return true;
}

static bool is_installed(const struct install_state *s, struct fmt_buffer *message)
{
    if (s->backup_why)
        fmt_append(message, "UEFI variable " BACKUP_NAME " is damaged (%s): it is left as it is.",
                   s->backup_why);
    else if (s->has_backup)
        fmt_append(message, "The guard is installed already.");
    else if (s->installed.variable.bytes)
        fmt_append(message, "The guard is installed already, but not by okram: remove the variable "
                            "OkramGuard first.");
    else
        return false;
    return true;
}

/* The changes, in the order of ways.inc; the backup is written once all is known. */
static bool plan_changes(struct install_plan *p, const struct partition *partition, bool in_file,
                         struct fmt_buffer *message)
{
    const struct guard_way *way = p->backup.way;
    char path[BACKUP_PATH_MAX], list[BACKUP_PATH_MAX];
    struct variable order;
    struct change *backup;
    bool ok;

    fmt_print(list, sizeof(list), "%s\\" GUARD_FOLDER "\\" GUARD_LIST_FILE, way->folder);
    if (!plan_files(p, partition, in_file ? list : NULL, message))
        return false;
    p->changes.partition = partition->handle;
    backup = add_variable(p, BACKUP_NAME, &variable_okram, VARIABLE_SHARED, p->line, 0);
    fmt_print(backup->what, sizeof(backup->what), ": what removing it needs");
    for (unsigned i = 0; i < p->backup.n_folders; i++)
        changes_add(&p->changes, CHANGE_FOLDER, p->backup.folder[i])->bytes = "";
    for (unsigned i = 0; i < IMAGE_KINDS; i++) {
        image_path(way, i, path);
        if (p->image[i].bytes)
            add_file(p, path, p->image[i].bytes, p->image[i].size);
    }
    add_list(p, in_file ? list : NULL);
    order = variable_read(way->order, &variable_boot);
    ok = plan_start(p, partition, &order, message);
    variable_free(&order);
    if (!ok)
        return false;
    backup->size = backup_write(&p->backup, p->line, sizeof(p->line));
    if (!backup->size)
        fmt_append(message, "The backup would be longer than %d bytes.", BACKUP_MAX);
    return backup->size != 0;
}

bool install_plan_make(EFI_HANDLE own, const struct install_state *state,
                       const struct guard_way *way, const struct partition *partition,
                       struct install_plan *ret_plan, struct fmt_buffer *message)
{
    struct install_plan *p = ret_plan;
    bool in_file;

    *p = (struct install_plan){ .deed = DEED_INSTALL, .backup.way = way };
    string_copy(p->backup.partition, partition->guid, sizeof(p->backup.partition));
    if (!is_installed(state, message) && plan_images(own, p, message) &&
        plan_list(state, NULL, p, message) && plan_store(p, &in_file, message) &&
        plan_changes(p, partition, in_file, message))
        return true;
    install_plan_free(p);
    return false;
}

void install_plan_free(struct install_plan *plan)
{
    for (unsigned i = 0; i < IMAGE_KINDS; i++) {
        if (plan->image[i].bytes)
            FreePool(plan->image[i].bytes);
        plan->image[i] = (struct image){ 0 };
    }
    if (plan->list)
        FreePool(plan->list);
    plan->list = NULL;
}

/* The list's file, by the backup; NULL: the list is in the variable. */
static const char *list_path(const struct backup *b)
{
    static const char end[] = "\\" GUARD_LIST_FILE;

    for (unsigned i = 0; i < b->n_files; i++) {
        size_t n = strlen(b->file[i]);

        if (n >= sizeof(end) && strcmp(b->file[i] + n - strlen(end), end) == 0)
            return b->file[i];
    }
    return NULL;
}

/* NULL: it has no file, or is missing. */
static EFI_HANDLE partition_of(const struct backup *b)
{
    return b->n_files ? partitions_handle(b->partition) : NULL;
}

static void begin_change(struct install_plan *p, enum deed deed, const struct install_state *state)
{
    *p = (struct install_plan){ .deed = deed, .backup = state->backup };
    p->changes.partition = partition_of(&p->backup);
}

/* Whether a list in the variable leaves 5 KiB of the store free. */
static bool has_room(const struct install_plan *p, struct fmt_buffer *message)
{
    uint64_t remaining, largest, needed = p->list_bytes + VARIABLE_HEAD;

    if (!variable_room(VARIABLE_KEPT, &remaining, &largest) ||
        (needed <= largest && needed + SAVED_KEEP_FREE <= remaining))
        return true;
    fmt_append(message,
               "The list is too long for UEFI's store of variables, which has %lu bytes left.",
               (unsigned long)remaining);
    return false;
}

/* The bytes of the list in a file, and its header; NULL: there is none that is whole. */
static uint8_t *read_list(EFI_HANDLE partition, const char *path, struct guard_list *ret_list)
{
    EFI_FILE *root = partition ? volumes_open_root(partition) : NULL;
    uint8_t *bytes;
    const char *why;
    UINTN size;

    if (!root)
        return NULL;
    bytes = changes_read_file(root, path, LIST_MAX, &size);
    root->Close(root);
    if (bytes && guard_list_open(bytes, size, ret_list, &why) != STATUS_OK) {
        FreePool(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* The list that the guard takes. */
struct taken {
    const char *path; /* its file; NULL: it is in the variable, which the guard reads first */
    uint8_t *bytes;   /* of the file */
    struct guard_list in_file;
    const struct guard_list *list; /* NULL: there is none that is whole */
};

/* The caller frees its bytes. */
static void open_taken(const struct install_state *s, EFI_HANDLE partition, struct taken *ret_taken)
{
    struct taken *t = ret_taken;

    *t = (struct taken){ .list = s->installed.is_valid ? &s->installed.list : NULL };
    if (!s->installed.variable.bytes)
        t->path = list_path(&s->backup);
    if (t->path)
        t->bytes = read_list(partition, t->path, &t->in_file);
    if (t->bytes)
        t->list = &t->in_file;
}

bool install_can_add(const struct install_state *state)
{
    struct taken taken;
    bool can;

    if (!state->found.is_valid || !state->has_backup)
        return false;
    open_taken(state, partition_of(&state->backup), &taken);
    can = !taken.list ||
          (state->has_here && guard_fingerprint_differs(&taken.list->head.machine, &state->here)) ||
          !guard_list_holds(taken.list, &state->found.list);
    if (taken.bytes)
        FreePool(taken.bytes);
    return can;
}

bool install_plan_add(const struct install_state *state, struct install_plan *ret_plan,
                      struct fmt_buffer *message)
{
    struct taken taken;
    bool ok;

    begin_change(ret_plan, DEED_ADD, state);
    open_taken(state, ret_plan->changes.partition, &taken);
    ok = plan_list(state, taken.list, ret_plan, message) &&
         (taken.path || has_room(ret_plan, message));
    if (taken.bytes)
        FreePool(taken.bytes);
    if (ok)
        add_list(ret_plan, taken.path);
    else
        install_plan_free(ret_plan);
    return ok;
}

/* Whether Driver#### now belongs to other software. */
static bool is_of_others(const char *name)
{
    static const CHAR16 wanted[] = L"okram-guard";
    const UINTN n = sizeof(wanted) - sizeof(wanted[0]);
    struct variable v = variable_read(name, &variable_boot);
    bool found = v.status == EFI_NOT_FOUND;

    for (UINTN at = 0; at + n <= v.size && !found; at++)
        found = memcmp(v.bytes + at, wanted, n) == 0;
    variable_free(&v);
    return !found;
}

/* First the order, so that firmware no longer starts it; what others have added there stays. */
static bool remove_start(struct install_plan *p, uint16_t number, struct fmt_buffer *message)
{
    const struct guard_way *way = p->backup.way;
    struct variable now = variable_read(way->order, &variable_boot);
    bool is_usable = (now.bytes || now.status == EFI_NOT_FOUND) && now.size <= sizeof(p->order);
    struct change *c;

    if (is_usable && now.size % 2 == 0 && load_order_has(now.bytes, now.size, number)) {
        size_t left = load_order_without(now.bytes, now.size, number, p->order);

        c = add_variable(p, way->order, &variable_boot, now.attributes, left ? p->order : NULL,
                         left);
        fmt_print(c->what, sizeof(c->what), ": %s is taken out", p->backup.option);
    }
    if (!is_usable)
        fmt_append(message, "%s cannot be read, or is too long to change.", way->order);
    variable_free(&now);
    add_variable(p, p->backup.option, &variable_boot, 0, NULL, 0);
    return is_usable;
}

bool install_plan_remove(const struct install_state *state, struct install_plan *ret_plan,
                         struct fmt_buffer *message)
{
    struct install_plan *p = ret_plan;
    const struct backup *b = &p->backup;
    uint16_t number;

    begin_change(p, DEED_REMOVE, state);
    if (guard_way_number(b->way, b->option, &number) && !is_of_others(b->option) &&
        !remove_start(p, number, message))
        return false;
    add_variable(p, "OkramGuard", &variable_okram, 0, NULL, 0);
    add_variable(p, "OkramPatrol", &variable_okram, 0, NULL, 0);
    for (unsigned i = 0; i < b->n_files; i++)
        changes_add(&p->changes, CHANGE_FILE, b->file[i]);
    for (unsigned i = b->n_folders; i-- > 0 && p->changes.partition;) {
        struct change *c = changes_add(&p->changes, CHANGE_FOLDER, b->folder[i]);

        fmt_print(c->what, sizeof(c->what), ", if it is empty");
    }
    add_variable(p, BACKUP_NAME, &variable_okram, 0, NULL, 0);
    return true;
}

static void append_failure(const struct install_plan *p, const struct change *failed,
                           EFI_STATUS status, struct fmt_buffer *out)
{
    static const char *const deeds[] = { [DEED_INSTALL] = "The guard was not installed",
                                         [DEED_ADD] = "No page was added",
                                         [DEED_REMOVE] = "The guard was not removed" };

    fmt_append(out, "%s: ", deeds[p->deed]);
    if (failed->kind == CHANGE_VARIABLE)
        fmt_append(out, "firmware refused to change the variable %s (error 0x%lx).", failed->name,
                   (unsigned long)status);
    else if (!p->changes.partition)
        fmt_append(out, "the partition %s, which has its files, is missing.", p->backup.partition);
    else {
        fmt_append(out, "%s could not be %s: ", failed->name,
                   failed->bytes ? "written" : "deleted");
        file_append_reason(status, out);
    }
    if (p->deed == DEED_INSTALL)
        fmt_append(out, " What was written before has been removed.");
    if (p->deed != DEED_REMOVE)
        return;
    if (failed != p->changes.change && p->backup.way->prefix[0])
        fmt_append(out, " It no longer starts.");
    fmt_append(out, " " BACKUP_NAME " stays, so that removing can be tried again.");
}

bool install_do(struct install_plan *plan, struct fmt_buffer *message)
{
    const struct change *failed;
    unsigned long n = (unsigned long)plan->n_pages;
    EFI_STATUS status = changes_do(&plan->changes, plan->deed != DEED_REMOVE, &failed);

    if (EFI_ERROR(status))
        append_failure(plan, failed, status, message);
    else if (plan->deed == DEED_INSTALL)
        fmt_append(message,
                   "The guard is installed. From the next start of this machine on, %sit masks "
                   "%lu bad page%s before any operating system starts.",
                   plan->must_be_enrolled ? "once it is enrolled, " : "", n, fmt_plural(n));
    else if (plan->deed == DEED_ADD)
        fmt_append(message, "The guard's list now has %lu bad page%s. Restart to mask all.", n,
                   fmt_plural(n));
    else
        fmt_append(message, "The guard is removed: variables, orders and files are as before. "
                            "Pages that it masked at this start stay masked until the next.");
    return !EFI_ERROR(status);
}
