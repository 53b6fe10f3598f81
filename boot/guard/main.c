// SPDX-License-Identifier: MIT
/*
 * okram-guard.efi, a driver that firmware or a boot manager starts before any operating system:
 * takes the bad pages of a list out of the memory map, says what it did, and goes.
 */
#include <efi.h>
#include <efilib.h>

#include "attempt.h"
#include "boot/uefi/file.h"
#include "boot/uefi/load_options.h"
#include "boot/uefi/measure.h"
#include "boot/uefi/own_folder.h"
#include "boot/uefi/secure_boot.h"
#include "boot/uefi/stack_guard.h"
#include "clock.h"
#include "guardlist/guard_choose.h"
#include "guardlist/guard_options.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "memory.h"
#include "patrol.h"
#include "source.h"
#include "status.h"
#include "take_pages.h"

/* A list of pages that are masked may have more runs than the list that they are of. */
#define LIST_SPARE 0x10000u

#define OPTIONS_MAX 1024 /* bytes of the options' text */

static EFI_LOADED_IMAGE *driver;
static struct guard_options options;
static struct guard_patrol patrol;
static struct guard_source source;
static struct guard_choice choice; /* what is masked of the source's pages */
static bool is_secure_boot;        /* or may be on */
static bool has_ignored_options;
static struct guard_fingerprint machine;
static struct guard_status status;

static void stop(const char *why)
{
    source.state = GUARD_STOPPED;
    fmt_print(source.why, sizeof(source.why), "%s", why);
}

/* Its buffer is never freed. */
static bool choose(const struct guard_memory *memory)
{
    void *buffer = AllocatePool(guard_choose_bytes(&source.list));

    if (buffer &&
        guard_choose(&source.list, &memory->pieces, &options.limits, buffer, &choice) == STATUS_OK)
        return true;
    choice = (struct guard_choice){ .list = source.list };
    stop("out of memory while reading it");
    return false;
}

static void take(const struct guard_memory *memory)
{
    if (guard_takes_too_much(&choice.list, &memory->pieces))
        stop("more than half of the free memory is listed");
    else if (!guard_take_pages(&choice.list, &memory->pieces))
        stop("it took longer than a minute");
}

/* What the map says now of all that is listed. */
static void tally(const struct guard_memory *memory, struct guard_writer *masked,
                  struct guard_writer *usable)
{
    struct guard_tally chosen;
    uint64_t left;

    guard_tally(&choice.list, &memory->pieces, masked, NULL, &chosen);
    guard_tally(&source.list, &memory->pieces, NULL, usable, &status.tally);
    status.n_between =
        chosen.masked > status.tally.masked ? chosen.masked - status.tally.masked : 0;
    left = status.tally.free > chosen.free ? status.tally.free - chosen.free : 0;
    if (source.state == GUARD_STOPPED)
        left = 0;
    status.n_room = min_u64(left, choice.room.n_listed);
    status.n_beyond = left - status.n_room;
}

/* The pages that an operating system would use go into Linux's table, except the memory that it
 * boots in. */
static uint64_t reserve(const struct guard_list *usable, uint8_t *bytes, size_t size)
{
    const struct guard_room low = { .low = choice.room.low };
    struct guard_list reserved;
    const char *why;

    if (guard_list_open(bytes, guard_room_cut(usable, &low, bytes, size), &reserved, &why) !=
        STATUS_OK)
        return 0;
    return guard_linux_table_set(&reserved, choice.list.head.n_runs);
}

/* Counts, and stores what is masked. */
static void count(const struct guard_memory *memory)
{
    UINTN size = source.list.head.bytes + LIST_SPARE;
    uint8_t *bytes = AllocatePool(3 * size);
    struct guard_writer masked, usable;
    struct guard_list usable_list;
    const char *why;

    if (!bytes) {
        tally(memory, NULL, NULL);
        return;
    }
    masked = guard_writer_begin(bytes, size);
    usable = guard_writer_begin(bytes + size, size);
    tally(memory, &masked, &usable);
    guard_status_store_masked(bytes, guard_writer_end(&masked, &machine, source.list.head.made));
    if (guard_list_open(bytes + size, guard_writer_end(&usable, &machine, 0), &usable_list, &why) ==
        STATUS_OK)
        status.reserved = reserve(&usable_list, bytes + 2 * size, size);
    FreePool(bytes);
}

static void mask(const struct guard_memory *before)
{
    struct guard_memory after;

    take(before);
    if (EFI_ERROR(guard_memory_read(&after)))
        return;
    count(&after);
    guard_memory_free(&after);
}

/*
 * Reads the load options, then, unless Secure Boot is on, okram\guard.conf in the driver's folder.
 * True: some are ignored, because any operating system can write load options.
 */
static bool read_options(struct guard_options *ret_options)
{
    CHAR16 *path = own_folder_path(driver);
    EFI_FILE *folder = is_secure_boot ? NULL : own_folder_open(driver, path, false);
    char text[OPTIONS_MAX];
    UINTN size = sizeof(text) - 1;

    *ret_options = guard_options_default();
    load_options_text(driver->LoadOptions, driver->LoadOptionsSize, path, text, sizeof(text));
    measure_text("okram_guard_options: ", text);
    guard_options_read(text, ret_options);
    if (is_secure_boot)
        return guard_options_distrust(ret_options);
    if (!folder)
        return false;
    if (!EFI_ERROR(file_read(folder, L"okram\\guard.conf", text, &size))) {
        text[size] = 0;
        measure_text("okram_guard_conf: ", text);
        guard_options_read(text, ret_options);
    }
    folder->Close(folder);
    return false;
}

static EFI_STATUS run(void)
{
    struct guard_memory memory;
    EFI_STATUS result = guard_memory_read(&memory);

    if (EFI_ERROR(result))
        return result;
    guard_memory_machine(&memory, &machine);
    is_secure_boot = secure_boot_may_be_on();
    guard_source_find(driver, &machine, is_secure_boot, &source);
    has_ignored_options = read_options(&options);
    if (source.state == GUARD_MASKED && choose(&memory))
        mask(&memory);
    guard_memory_free(&memory);
    status.source = &source;
    status.us = guard_clock_us();
    guard_status_store(&status);
    return EFI_SUCCESS;
}

/* Found pages that are not among the chosen ones are free again. Both ascend. */
static void give_back(void)
{
    struct guard_reader reader = guard_list_read(&choice.list);
    struct guard_run run = { 0 };

    for (uint32_t i = 0; i < patrol.n_found; i++) {
        while (run.first + run.n <= patrol.found[i] && guard_reader_next(&reader, &run))
            ;
        if (patrol.found[i] < run.first || patrol.found[i] >= run.first + run.n)
            BS->FreePages(patrol.found[i] << EFI_PAGE_SHIFT, 1);
    }
}

/* before: the memory map, in which the pages that were found are free. */
static void mask_found(const struct guard_memory *before)
{
    struct guard_memory now;

    guard_add_found(driver, is_secure_boot, &machine, &patrol, &source);
    if (source.state != GUARD_MASKED || !choose(before))
        return;
    give_back();
    if (EFI_ERROR(guard_memory_read(&now)))
        return;
    mask(&now);
    guard_memory_free(&now);
}

static void test_memory(void)
{
    struct guard_memory before;

    if (EFI_ERROR(guard_memory_read(&before)))
        return;
    if (!options.is_quiet)
        Print(L"okram-guard: testing memory for up to %d s; any key ends it.\r\n",
              options.patrol_s);
    guard_patrol_run(options.patrol_s, &patrol);
    status.patrol = &patrol;
    if (patrol.n_found)
        mask_found(&before);
    guard_memory_free(&before);
    guard_status_store(&status);
}

/* Not where the list is wrong: what is found cannot be added to it, and all is to be tested. */
static void finish(void)
{
    if (options.patrol_s && (source.state == GUARD_MASKED || source.state == GUARD_NONE))
        guard_attempt(test_memory);
    if (options.is_quiet)
        return;
    guard_status_print(&status);
    if (options.wrong[0])
        Print(L"okram-guard: unknown guard option \"%a\".\r\n", options.wrong);
    if (has_ignored_options)
        Print(L"okram-guard: runs= and quiet= are ignored under Secure Boot.\r\n");
}

/* Firmware may have freed bad pages that it held, and there is a console now. */
static void EFIAPI at_ready_to_boot(EFI_EVENT event, void *ctx)
{
    struct guard_memory memory;

    BS->CloseEvent(event);
    if (source.state == GUARD_MASKED && guard_status_held(&status) &&
        !EFI_ERROR(guard_memory_read(&memory))) {
        mask(&memory);
        guard_memory_free(&memory);
        guard_status_store(&status);
    }
    finish();
}

/*
 * Whether firmware has set BootCurrent (UEFI 2.10, 3.3) and thus starts a boot entry: if that is
 * the guard, it must end with an error, so that firmware goes on to the next entry (3.1.1).
 */
static bool is_in_boot_order(void)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    UINT16 number;
    UINTN size = sizeof(number);

    return !EFI_ERROR(RT->GetVariable(L"BootCurrent", &global, NULL, &size, &number));
}

/* Firmware itself starts drivers before there is a console, a boot manager much later. */
static bool is_early(void)
{
    EFI_LOADED_IMAGE *parent;

    return driver->ParentHandle &&
           !EFI_ERROR(
               BS->HandleProtocol(driver->ParentHandle, &LoadedImageProtocol, (void **)&parent)) &&
           parent->ImageCodeType != EfiLoaderCode && !is_in_boot_order();
}

static bool wait_for_ready_to_boot(void)
{
    /* EFI_EVENT_GROUP_READY_TO_BOOT (UEFI 2.10, 7.1.2) */
    static EFI_GUID ready_to_boot = {
        0x7ce88fb3, 0x4bd7, 0x4679, { 0x87, 0xa8, 0xa8, 0xd8, 0xde, 0xe5, 0x0d, 0x2b }
    };
    EFI_EVENT event;

    return !EFI_ERROR(BS->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, at_ready_to_boot, NULL,
                                        &ready_to_boot, &event));
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

STACK_GUARD_NONE EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_STATUS result;

    stack_guard_seed();
    InitializeLib(image, system_table);
    guard_attempt_begin(image);
    guard_clock_start();
    result = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&driver);
    if (!EFI_ERROR(result))
        result = run();
    if (EFI_ERROR(result)) {
        Print(L"okram-guard: no bad page masked (%r).\r\n", result);
        return EFI_ABORTED;
    }
    if (is_early() && wait_for_ready_to_boot())
        return EFI_SUCCESS;
    finish();
    /* No error, but a driver that can be unloaded: systemd-boot connects no drivers anew then. */
    return EFI_ABORTED;
}
