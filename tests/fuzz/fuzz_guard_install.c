// SPDX-License-Identifier: MIT
/*
 * Installing the guard, adding to its list and removing it, on a machine whose variables and files
 * hold anything, and where any write may fail. The input: flags (1), the write that fails (1; 0:
 * none), a change of the image (byte 1, bit 1), and things: what (1), bytes of it (2), which
 * follow; the first of an unknown kind ends them. Then what is done, a byte each.
 */
#include "boot/uefi/guard_install/install.h"

#include <stdlib.h>
#include <string.h>

#include "boot/uefi/guard_install/load_option.h"
#include "fake_uefi.h"
#include "fuzz.h"
#include "lib/warn.h"

#define SECURE      1u
#define DISK_FULL   2u
#define STORE_FULL  4u
#define LIST_LONG   8u
#define OTHERS_LIST 16u /* there is more RAM now */
#define ENROLLED    32u

#define LIST_RUNS_MAX 64
#define TEXT_BYTES    8192
#define DONE_MAX      16

static const char *const variables[] = { "OkramGuard", "OkramGuardNew", "OkramGuardStatus",
                                         BACKUP_NAME,  "DriverOrder",   "BootOrder",
                                         "Driver0000", "Boot0001",      "OkramPatrol",
                                         "SbatLevel" };
static const char *const files[] = { "\\EFI\\BOOT\\BOOTX64.EFI", "\\EFI\\okram\\notes.txt",
                                     "\\EFI\\okram\\okram-guardx64.efi",
                                     "\\EFI\\okram\\okram\\guard.list",
                                     "\\EFI\\systemd\\drivers\\okram-guardx64.efi" };
static const char *const folders[] = { "\\EFI", "\\EFI\\okram", "\\EFI\\BOOT" };

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define FIRST_FILE 0x40u
#define FIRST_LIST 0x80u /* a variable with a sound list of the runs that follow */
#define FOLDERS    0xc0u
#define SHIM_SBAT  0xc1u /* shim on the stick, with these bytes as its .sbat */
#define SBAT_MAX   200u

static bool is_changed;
static struct fake_thing files_before[FAKE_THINGS_MAX], variables_before[FAKE_THINGS_MAX];

static void set_list(const char *name, const uint8_t *bytes, size_t n)
{
    struct guard_run run[LIST_RUNS_MAX];
    uint64_t page = 0x100;
    size_t n_runs = 0;

    for (size_t i = 0; i + 1 < n && n_runs < LIST_RUNS_MAX; i += 2) {
        page += 1 + bytes[i];
        run[n_runs++] = (struct guard_run){ page, 1 + bytes[i + 1] % 16u };
        page += 1 + bytes[i + 1] % 16u;
    }
    fake_set_list(name, run, n_runs);
}

/* False: it was none. */
static bool add_thing(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_number(in, 1);
    size_t wanted = fuzz_number(in, 2), n;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &n);

    n = n < FAKE_BYTES_MAX ? n : FAKE_BYTES_MAX;
    if (what < COUNT(variables) && n) /* one without bytes is none */
        fake_set(fake_uefi.variable, variables[what], n % 2 ? VARIABLE_KEPT : VARIABLE_SHARED,
                 bytes, n);
    else if (what - FIRST_FILE < COUNT(files))
        fake_set(fake_uefi.file, files[what - FIRST_FILE], 0, bytes, n);
    else if (what - FIRST_LIST < 2)
        set_list(variables[what - FIRST_LIST], bytes, n);
    else if (what == FOLDERS) {
        for (size_t i = 0; i < COUNT(folders); i++) {
            fake_set(fake_uefi.file, folders[i], 0, NULL, 0);
            fake_find(fake_uefi.file, folders[i])->is_folder = true;
        }
    } else if (what == SHIM_SBAT) {
        char sbat[SBAT_MAX + 1] = "";

        if (n)
            memcpy(sbat, bytes, n < SBAT_MAX ? n : SBAT_MAX);
        fake_set_shim(sbat);
    } else {
        return false;
    }
    return true;
}

static void change_image(struct fuzz_input *in)
{
    size_t at = FAKE_PE_AT + fuzz_number(in, 1);
    unsigned bit = (unsigned)fuzz_number(in, 1);

    if (bit & 8)
        fake_image[at] ^= (uint8_t)(1u << (bit & 7));
    if (bit & 16)
        memset(fake_image + 0x3c, (int)at, 4);
}

static bool is_guards(const char *path)
{
    return strstr(path, "\\okram-guard") || strstr(path, "\\guard.") ||
           strstr(path, "\\okram\\shimx64.") || strstr(path, "\\okram\\mmx64.");
}

static void check_same(struct fake_thing *now, struct fake_thing *then)
{
    for (unsigned i = 0; i < FAKE_THINGS_MAX; i++) {
        const struct fake_thing *same;

        if (!then[i].is_there || then[i].is_folder || is_guards(then[i].name))
            continue;
        same = fake_find(now, then[i].name);
        CHECK(same && same->size == then[i].size && same->attributes == then[i].attributes);
        CHECK(memcmp(same->bytes, then[i].bytes, same->size) == 0);
    }
}

static void check_text(struct fmt_buffer *out, const char *text)
{
    CHECK(memchr(text, 0, TEXT_BYTES) && !out->cut);
    for (; *text; text++)
        CHECK((*text >= ' ' && *text <= '~') || *text == '\n');
}

/* Nothing is done with the list of another machine, nor without one. */
static bool install(const struct install_state *state, const struct guard_way *way)
{
    static struct install_plan plan;
    static const HARDDRIVE_DEVICE_PATH node;
    const struct partition partition = {
        .handle = FAKE_DISK, .name = "ESP", .guid = FAKE_PARTITION, .node = &node
    };
    char text[TEXT_BYTES];
    struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));
    bool done;

    if (!install_plan_make(FAKE_STICK, state, way, &partition, &plan, &out)) {
        check_text(&out, text);
        CHECK(text[0] && !plan.image[IMAGE_GUARD].bytes && !plan.list);
        return false;
    }
    CHECK(state->found.is_valid && !is_changed && !state->has_backup);
    changes_show(&plan.changes, &out);
    done = install_do(&plan, &out);
    check_text(&out, text);
    if (done) {
        const struct fake_thing *order = fake_find(fake_uefi.variable, way->order);
        uint16_t number;

        CHECK(order && guard_way_number(way, plan.backup.option, &number));
        CHECK(load_order_has(order->bytes, order->size, number));
        CHECK(order->size == plan.backup.order_bytes + 2);
    }
    install_plan_free(&plan);
    return done;
}

static void check_state(const struct install_state *s)
{
    CHECK(memchr(s->what, 0, sizeof(s->what)) && memchr(s->why, 0, sizeof(s->why)));
    CHECK(!s->has_backup || !s->backup_why);
    for (const char *p = s->why; *p; p++)
        CHECK(*p >= ' ' && *p <= '~');
    if (s->installed.is_valid)
        CHECK(!s->installed.why);
}

static void change(const struct install_state *state, bool removes)
{
    static struct install_plan plan;
    char text[TEXT_BYTES];
    struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));
    bool is_planned =
        removes ? install_plan_remove(state, &plan, &out) : install_plan_add(state, &plan, &out);

    if (is_planned) {
        changes_show(&plan.changes, &out);
        if (install_do(&plan, &out) && removes)
            CHECK(!fake_find(fake_uefi.variable, BACKUP_NAME));
        install_plan_free(&plan);
    }
    check_text(&out, text);
}

/* The number of the way that is installed, or one of these. */
enum { REMOVE = 4, ADD, BY_SHIM, ACTS };

static void act(uint64_t what)
{
    struct install_state state;

    memcpy(files_before, fake_uefi.file, sizeof(files_before));
    memcpy(variables_before, fake_uefi.variable, sizeof(variables_before));
    install_state_read(&state);
    check_state(&state);
    if (what == BY_SHIM || (what < REMOVE && guard_ways[what].row[0])) {
        if (!install(&state, what == BY_SHIM ? guard_way_named("shim") : &guard_ways[what]))
            check_same(fake_uefi.variable, variables_before);
    } else if (what == REMOVE && state.has_backup) {
        change(&state, true);
    } else if (what == ADD && install_can_add(&state)) {
        change(&state, false);
    }
    check_same(fake_uefi.file, files_before);
    install_state_free(&state);
    CHECK(!fake_uefi.pools && !fake_uefi.open_handles);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);

    fake_begin();
    fake_uefi.fails_at = (unsigned)fuzz_number(&in, 1);
    change_image(&in);
    fake_uefi.is_secure = flags & SECURE;
    fake_uefi.has_shim_lock = fake_uefi.is_enrolled = flags & ENROLLED;
    fake_uefi.disk_room = flags & DISK_FULL ? 4096 : 1 << 20;
    fake_uefi.store_room = flags & STORE_FULL ? 12000 : 1 << 18;
    fake_uefi.largest_variable = flags & LIST_LONG ? 100 : 0x8000;
    for (unsigned i = 0; i < 2 * FAKE_THINGS_MAX && in.left && add_thing(&in); i++)
        ;
    is_changed = flags & OTHERS_LIST;
    fake_uefi.ram_pages += is_changed ? fake_uefi.ram_pages : 0;
    for (unsigned i = 0; i < DONE_MAX && in.left; i++)
        act(fuzz_number(&in, 1) % ACTS);
    return 0;
}
