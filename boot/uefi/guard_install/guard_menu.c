// SPDX-License-Identifier: MIT
#include "guard_menu.h"

#include <efilib.h>

#include "boot/uefi/secure_boot.h"
#include "install.h"
#include "lib/date.h"
#include "lib/string.h"
#include "partitions.h"
#include "state.h"

#define ENROLL_FILE "ENROLL-GUARD.efi" /* on the stick: iso/iso.mk */
#define UNSIGNED    "written by the operating system, not by okram"

struct guard_menu {
    EFI_HANDLE own;
    bool own_is_stick; /* its loader is where firmware looks on removable media */
    bool has_found;    /* the last report has bad pages */
    bool is_new;       /* it was installed at this start of okram */
    bool is_secure, has_shim;
    bool is_enrolled; /* shim would start the guard */
    struct install_state state;
    struct partitions partitions;
    struct install_plan plan;
    bool is_warned; /* the question is asked for the second time */
    struct choice {
        enum deed deed;
        const struct guard_way *way;
        unsigned partition;
    } choice[MENU_GUARD_CHOICES_MAX];
    struct menu_guard shown;
};

static void append_pages(struct fmt_buffer *out, uint64_t n)
{
    fmt_append(out, "%lu bad page%s", (unsigned long)n, fmt_plural(n));
}

static void append_date(struct fmt_buffer *out, int64_t made)
{
    char date[24];
    struct fmt_buffer b = fmt_buffer_make(date, sizeof(date));

    date_append(&b, made);
    if (made && b.length >= 10)
        fmt_append(out, " (%.10s)", date);
}

static void append_headline(const struct guard_menu *m, struct fmt_buffer *out)
{
    const struct install_state *s = &m->state;

    if (s->has_started && s->pages.masked) {
        guard_append_count(&s->pages, out);
    } else if (s->has_started) {
        fmt_append(out, "masks nothing");
    } else if (s->has_backup && !s->backup.way->prefix[0]) {
        fmt_append(out, "installed, for %s", s->backup.way->starter);
    } else if (s->has_backup) {
        fmt_append(out, m->is_new ? "installed, starts when you restart"
                                  : "installed, not started by firmware");
    } else if (s->found.is_valid) {
        fmt_append(out, "install it for ");
        append_pages(out, s->found.list.head.n_pages);
    } else {
        fmt_append(out, "not installed");
    }
    if (install_can_add(s))
        fmt_append(out, "; the last run found more");
}

static void append_started(const struct install_state *s, struct fmt_buffer *out)
{
    guard_append_masked(&s->pages, s->why, out);
    fmt_append(out, ".\n");
}

static bool must_be_enrolled(const struct guard_menu *m)
{
    return m->is_secure && m->state.has_backup && m->state.backup.way->shim[0] && !m->is_enrolled;
}

/* As on the stick's page: packaging/stick.txt. */
static void append_enroll(struct fmt_buffer *out)
{
    fmt_append(out, "It is installed, but shim does not start it before you enroll it. At the next "
                    "start a blue screen says Security Violation. Leave the stick in, and press: "
                    "Enter; any key; then choose Enroll hash from disk, OKRAM, " ENROLL_FILE
                    ", Continue, Yes, Reboot. Otherwise each start of this machine waits there for "
                    "two keys.\n");
}

static void append_installed(const struct guard_menu *m, struct fmt_buffer *out)
{
    const struct install_state *s = &m->state;

    if (s->has_started)
        append_started(s, out);
    else if (must_be_enrolled(m))
        append_enroll(out);
    else if (m->is_new)
        fmt_append(out, "It is installed. Restart: then this page says how many pages it masks.\n");
    else if (s->has_backup && !s->backup.way->prefix[0])
        fmt_append(out, "It is installed for %s, which has not started okram.\n",
                   s->backup.way->starter);
    else if (s->has_backup)
        fmt_append(out, "It is installed, but firmware has not started it. If you have restarted "
                        "since you installed it: remove it, and install it another way.\n");
    else
        fmt_append(out, "It is not installed.\n");
    if (s->installed.is_valid) {
        fmt_append(out, "Its list has ");
        append_pages(out, s->installed.list.head.n_pages);
        append_date(out, s->installed.list.head.made);
        fmt_append(out, ".\n");
    } else if (s->installed.why) {
        fmt_append(out, "Its list, OkramGuard, cannot be used: %s.\n", s->installed.why);
    }
    if (s->installed.variable.bytes && !s->has_backup && !s->backup_why)
        fmt_append(out, "OkramGuard was not installed by okram, and is left as it is.\n");
    if (s->backup_why)
        fmt_append(out, "It cannot be removed here: " BACKUP_NAME " is damaged: %s.\n",
                   s->backup_why);
}

static void append_found(const struct guard_menu *m, struct fmt_buffer *out)
{
    const struct install_state *s = &m->state;

    if (s->found.is_valid) {
        fmt_append(out, "The last run that found faults has listed ");
        append_pages(out, s->found.list.head.n_pages);
        append_date(out, s->found.list.head.made);
        fmt_append(out, ".\n");
        if (!s->found.is_signed)
            fmt_append(out,
                       "That list, OkramGuardNew, was " UNSIGNED ": it has no valid signature.\n");
    } else if (s->found.why) {
        fmt_append(out, "The list of the last run, OkramGuardNew, cannot be used: %s.\n",
                   s->found.why);
    } else if (m->has_found) {
        fmt_append(out, "The last run found bad memory, but its list could not be kept: its "
                        "warnings say why.\n");
    } else if (!s->has_backup && !s->installed.variable.bytes && !s->has_started) {
        fmt_append(out, "No bad memory is known. Run a test first.\n");
    }
}

/* A TPM measures drivers, too. Nothing is appended if there is nothing to choose. */
static void append_windows(const struct install_state *s, struct fmt_buffer *out)
{
    if (s->has_backup || s->found.is_valid)
        fmt_append(
            out,
            "Before you install, extend or remove it: suspend BitLocker, or have its recovery key "
            "ready, and shut Windows down with shutdown /s /f /t 0, because a changed memory map "
            "breaks hibernation and fast start-up.\n");
}

static void append_partitions(const struct guard_menu *m, struct fmt_buffer *out)
{
    const struct partitions *p = &m->partitions;

    if (!p->n)
        fmt_append(out, "There is no EFI system partition that can be written to%s.\n",
                   p->n_read_only ? ": it is read-only" : "");
    if (p->n_left_out)
        fmt_append(out, "%u more EFI system partition%s not listed.\n", p->n_left_out,
                   p->n_left_out == 1 ? " is" : "s are");
}

static void add_choice(struct guard_menu *m, struct choice choice, const char *label,
                       const char *where)
{
    struct menu_guard *s = &m->shown;

    if (s->n_choices == MENU_GUARD_CHOICES_MAX)
        return;
    m->choice[s->n_choices] = choice;
    fmt_print(s->choice[s->n_choices++], sizeof(s->choice[0]), "%s%s", label, where);
}

/* Under Secure Boot firmware starts what is signed by a key of its own, and shim what is enrolled.
 */
static bool is_offered(const struct guard_menu *m, const struct guard_way *way, bool is_signed)
{
    if (way->shim[0])
        return m->has_shim;
    return way->row[0] && (!m->is_secure || (is_signed && strcmp(way->prefix, "Driver") == 0));
}

static void add_way(struct guard_menu *m, const struct guard_way *way)
{
    bool is_first = !m->shown.n_choices || m->choice[0].way == way;

    for (unsigned i = 0; i < m->partitions.n; i++) {
        const struct choice c = { DEED_INSTALL, way, i };

        if (m->partitions.n == 1 && !is_first)
            add_choice(m, c, way->row, "");
        else
            add_choice(m, c, is_first ? "Install it on " : way->row_on,
                       m->partitions.partition[i].name);
    }
}

/* For each partition the way that works as Secure Boot is now, then the others. */
static void add_ways(struct guard_menu *m)
{
    bool is_signed = image_is_signed(m->own);

    for (int pass = 0; pass < 2; pass++) {
        for (const struct guard_way *way = guard_ways; way->name; way++) {
            bool is_first = m->is_secure && m->has_shim ? way->shim[0] : way == guard_ways;

            if (is_first == !pass && is_offered(m, way, is_signed))
                add_way(m, way);
        }
    }
}

static void append_secure(const struct guard_menu *m, struct fmt_buffer *out)
{
    const struct install_state *s = &m->state;
    bool is_signed, by_shim = s->has_backup ? s->backup.way->shim[0] : m->has_shim;

    if (!s->has_backup && !s->found.is_valid)
        return;
    is_signed = image_is_signed(m->own);
    if (m->is_secure && by_shim)
        fmt_append(out, "Secure Boot is on, and shim starts the guard%s.\n",
                   m->is_enrolled ? "" : " once you have enrolled it");
    else if (m->is_secure)
        fmt_append(out,
                   "Secure Boot is on: firmware starts the guard only if it is signed by a "
                   "key that firmware trusts%s.\n",
                   is_signed ? "" : ", and this one is not signed");
    else if (!is_signed && !(s->has_backup && by_shim))
        fmt_append(out, "The guard is not signed: once Secure Boot is on, it %s.\n",
                   m->has_shim ? "starts only by shim" : "does not start");
}

static void make_page(struct guard_menu *m)
{
    const struct install_state *s = &m->state;
    struct fmt_buffer page = fmt_buffer_make(m->shown.page, sizeof(m->shown.page));

    fmt_append(&page, "The guard keeps Windows and Linux away from the bad memory.\n");
    append_windows(s, &page);
    append_secure(m, &page);
    append_installed(m, &page);
    append_found(m, &page);
    m->shown.n_choices = 0;
    if (install_can_add(s))
        add_choice(m, (struct choice){ .deed = DEED_ADD }, "Add the bad pages of the last run", "");
    if (s->has_backup)
        add_choice(m, (struct choice){ .deed = DEED_REMOVE }, "Remove the guard", "");
    if (s->has_backup || s->backup_why || s->installed.variable.bytes || !s->found.is_valid)
        return;
    append_partitions(m, &page);
    add_ways(m);
}

static void read_state(struct guard_menu *m)
{
    struct fmt_buffer headline = fmt_buffer_make(m->shown.headline, sizeof(m->shown.headline));

    install_state_free(&m->state);
    install_state_read(&m->state);
    append_headline(m, &headline);
}

/* \EFI\BOOT\..., in upper or lower case. */
static bool is_removable_path(const CHAR16 *path)
{
    static const char folder[] = "\\efi\\boot\\";

    for (unsigned i = 0; folder[i]; i++) {
        CHAR16 c = path ? path[i] : 0;

        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        if (c != (CHAR16)folder[i])
            return false;
    }
    return true;
}

struct guard_menu *guard_menu_begin(EFI_HANDLE own, const CHAR16 *own_path, bool has_found)
{
    struct guard_menu *m = AllocateZeroPool(sizeof(*m));

    if (!m)
        return NULL;
    m->own = own;
    m->own_is_stick = is_removable_path(own_path);
    m->has_found = has_found;
    read_state(m);
    return m;
}

const struct menu_guard *guard_menu_shown(const struct guard_menu *menu)
{
    return &menu->shown;
}

static void open_page(struct guard_menu *m)
{
    m->shown.question[0] = 0;
    read_state(m);
    m->is_secure = secure_boot_is_on();
    m->has_shim = image_has_shim(m->own);
    m->is_enrolled = image_is_enrolled(m->own);
    partitions_find(m->own_is_stick ? m->own : NULL, &m->partitions);
    make_page(m);
}

/* Whether bad pages would come from a list that any system could have written. */
static bool takes_unsigned(const struct guard_menu *m, const struct choice *c)
{
    return c->deed != DEED_REMOVE && !m->state.found.is_signed;
}

/* Asks a second question, instead of the first. */
static void warn(struct guard_menu *m)
{
    struct fmt_buffer question = fmt_buffer_make(m->shown.question, sizeof(m->shown.question));

    m->is_warned = true;
    fmt_append(&question, "Once more: the list with ");
    append_pages(&question, m->state.found.list.head.n_pages);
    fmt_append(&question,
               " was " UNSIGNED
               ". The guard would take these pages from every operating system of this "
               "computer. Continue only if you wrote the list yourself, with okram guard "
               "install, or if it is from an okram that did not sign its lists yet. "
               "Otherwise go back, and test again.\n");
}

static bool make_plan(struct guard_menu *m, const struct choice *c, struct fmt_buffer *message)
{
    switch (c->deed) {
    case DEED_INSTALL:
        return install_plan_make(m->own, &m->state, c->way, &m->partitions.partition[c->partition],
                                 &m->plan, message);
    case DEED_ADD: return install_plan_add(&m->state, &m->plan, message);
    default: return install_plan_remove(&m->state, &m->plan, message);
    }
}

static void ask(struct guard_menu *m, const struct choice *c, struct fmt_buffer *message)
{
    struct fmt_buffer question = fmt_buffer_make(m->shown.question, sizeof(m->shown.question));

    install_plan_free(&m->plan);
    m->is_warned = false;
    if (takes_unsigned(m, c))
        fmt_append(&question, "The list was " UNSIGNED ".\n");
    if (!make_plan(m, c, message)) {
        m->shown.question[0] = 0;
        return;
    }
    fmt_append(&question, c->deed == DEED_REMOVE ? "This will be deleted or changed, in this order"
                                                 : "This will be written, in this order");
    if (c->deed == DEED_INSTALL)
        fmt_append(&question, "; the files to %s", m->partitions.partition[c->partition].name);
    fmt_append(&question, ":\n");
    changes_show(&m->plan.changes, &question);
}

static void change(struct guard_menu *m, const struct choice *c, struct fmt_buffer *message)
{
    if (takes_unsigned(m, c) && !m->is_warned) {
        warn(m);
        return;
    }
    m->is_warned = false;
    if (install_do(&m->plan, message) && c->deed != DEED_ADD)
        m->is_new = c->deed == DEED_INSTALL;
    install_plan_free(&m->plan);
    open_page(m);
}

void guard_menu_act(struct guard_menu *menu, enum menu_action action, unsigned choice,
                    struct fmt_buffer *message)
{
    if (action == MENU_OPENS_GUARD)
        open_page(menu);
    else if (choice >= menu->shown.n_choices)
        return;
    else if (action == MENU_ASKS_GUARD)
        ask(menu, &menu->choice[choice], message);
    else if (action == MENU_CHANGES_GUARD)
        change(menu, &menu->choice[choice], message);
}
