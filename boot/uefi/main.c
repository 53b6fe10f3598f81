// SPDX-License-Identifier: MIT
/*
 * okram.efi, started by UEFI firmware, a boot manager or a shell: fills struct boot_info, loads the
 * kernel that it contains, calls ExitBootServices and enters the kernel.
 */
#include <efi.h>
#include <efilib.h>

#include "boot/boot_info.h"
#include "boot/check/image_check.h"
#include "bus_masters.h"
#include "diagnosis/cycles_kept.h"
#include "diagnosis/diagnosis_menu.h"
#include "efi_map.h"
#include "firmware_tables.h"
#include "framebuffer.h"
#include "guard_install/guard_menu.h"
#include "handover.h"
#include "io/fw_cfg.h"
#include "kernel_blob.h"
#include "last_report/last_report.h"
#include "leave.h"
#include "lib/string.h"
#include "load_options.h"
#include "measure.h"
#include "menu/menu.h"
#include "network_cards.h"
#include "options/options.h"
#include "own_folder.h"
#include "place_kernel.h"
#include "secure_boot.h"
#include "sign/secret.h"
#include "sign_key.h"
#include "stack_guard.h"
#include "volume.h"

static EFI_STATUS refuse(EFI_STATUS status, const CHAR16 *why)
{
    Print(L"okram: %s (%r). Nothing was tested.\r\n", why, status);
    return status;
}

/* Both copies of the kernel are in untested memory. */
static bool open_kernel(struct image_copies *kernel)
{
    const struct image_copy copy[] = {
        { kernel_blob, kernel_blob_size },
        { kernel_blob_second, kernel_blob_size },
    };

    return image_copies_open(copy, 2, kernel) == STATUS_OK &&
           image_copies_first_lost(kernel) == kernel->check->n_pages;
}

/* A page of boot_info, as long as firmware's page tables are on. */
static void *info_page(const struct placed_kernel *placed, uint32_t page)
{
    return page_pointer(placed->pages.page[placed->check->boot_info + page]);
}

static void print_place(const struct good_pages *pages)
{
    uint32_t pieces = 1;

    for (uint32_t i = 1; i < pages->n; i++)
        pieces += pages->page[i] != pages->page[i - 1] + 1;
    Print(L"okram: the kernel is at 0x%lx", (uint64_t)pages->page[0] << PAGE_SHIFT);
    if (pieces > 1)
        Print(L" and elsewhere, in %d pieces", pieces);
    Print(L".\r\n");
}

static void store_map(const struct efi_map *map, const struct placed_kernel *placed,
                      struct boot_info *info)
{
    const struct boot_region *region = efi_map_convert(map, info);

    placed_write(placed,
                 placed->check->boot_info * (uint64_t)IMAGE_PAGE +
                     offsetof(struct boot_info, region),
                 region, info->n_regions * sizeof(*region));
}

/* The options, until it is known where the kernel will be. */
struct loader_options {
    const EFI_LOADED_IMAGE *loader;
    CHAR16 *own_path;
    struct volume_conf conf;
    char cmdline[BOOT_CMDLINE_MAX]; /* load options, then the menu's choices */
    char qemu[BOOT_CMDLINE_MAX];    /* the kernel reads them itself */
    bool is_cut;
    bool wrong_is_shown; /* what is wrong in the options, by the menu */
    uint8_t sign_key[SIGN_KEY_BYTES];
    bool has_sign_key;
    uint8_t mac[BOOT_MACS_MAX][BOOT_MAC_BYTES];
    uint32_t n_macs;
    struct last_report *last;         /* or NULL */
    struct guard_menu *guard;         /* or NULL */
    struct diagnosis_menu *diagnosis; /* or NULL */
};

static void save_conf(void *ctx, const char *words, struct fmt_buffer *message)
{
    struct loader_options *o = ctx;

    volume_save_conf(o->loader, o->own_path, &o->conf, words, message);
}

static void write_report(void *ctx, unsigned volume, struct fmt_buffer *message)
{
    struct loader_options *o = ctx;

    last_report_write(o->last, volume, message);
}

static void change_guard(void *ctx, enum menu_action action, unsigned choice,
                         struct fmt_buffer *message)
{
    struct loader_options *o = ctx;

    guard_menu_act(o->guard, action, choice, message);
}

static void diagnose(void *ctx, enum menu_action action, unsigned choice,
                     struct fmt_buffer *message)
{
    struct loader_options *o = ctx;

    diagnosis_menu_act(o->diagnosis, action, choice, message);
}

/* False: okram returns to firmware. */
static bool run_menu(struct loader_options *o)
{
    const struct menu_texts texts = { { o->conf.text, o->cmdline, o->qemu },
                                      o->last ? last_report_shown(o->last) : NULL,
                                      o->guard ? guard_menu_shown(o->guard) : NULL,
                                      o->diagnosis ? diagnosis_menu_shown(o->diagnosis) : NULL,
                                      menu_machine_find() };
    const struct menu_saver saver = { save_conf, o, write_report, change_guard, diagnose };
    char chosen[BOOT_CMDLINE_MAX];
    struct fmt_buffer c = fmt_buffer_make(chosen, sizeof(chosen));
    size_t n = strlen(o->cmdline);
    struct menu_end end;

    end = menu_run(&texts, &saver, &c);
    o->wrong_is_shown = end.wrong_is_shown;
    if (end.leaves || c.length == 0)
        return !end.leaves;
    if (n + 1 < sizeof(o->cmdline) && n)
        o->cmdline[n++] = ' ';
    if (string_copy(o->cmdline + n, chosen, sizeof(o->cmdline) - n) >= sizeof(o->cmdline) - n)
        o->is_cut = true;
    return true;
}

/* Measures all options that the kernel gets. */
static void measure_options(const struct loader_options *o)
{
    measure_text("okram_conf: ", o->conf.text);
    measure_text("okram_cmdline: ", o->cmdline);
    measure_text("okram_qemu: ", o->qemu);
}

/* As the kernel will have them. */
static const struct options *kernel_options(const struct loader_options *o)
{
    static struct options options;

    options_set_defaults(&options);
    options_parse(&options, o->conf.text, &warnings_silent);
    options_parse(&options, o->cmdline, &warnings_silent);
    options_parse(&options, o->qemu, &warnings_silent);
    return &options;
}

/* What the kernel cannot ask firmware for any more. */
static void prepare(struct loader_options *o)
{
    const struct options *options = kernel_options(o);

    o->has_sign_key = options->save && sign_key_get(o->sign_key);
    if (options->identity == OPTION_IDENTITY_FULL)
        o->n_macs = network_cards_list(o->mac);
}

/* False: okram returns to firmware, with nothing tested. */
static bool read_options(const EFI_LOADED_IMAGE *loader, struct loader_options *ret_options)
{
    struct loader_options *o = ret_options;

    o->loader = loader;
    o->own_path = own_folder_path(loader);
    volume_read_conf(loader, o->own_path, &o->conf);
    o->is_cut = !load_options_text(loader->LoadOptions, loader->LoadOptionsSize, o->own_path,
                                   o->cmdline, sizeof(o->cmdline));
    fw_cfg_read_string("opt/okram/cmdline", o->qemu, sizeof(o->qemu));
    o->last = last_report_begin();
    if (!send_report(o->last, kernel_options(o)->send, loader->DeviceHandle)) {
        measure_options(o); /* they decided */
        return false;
    }
    o->diagnosis = diagnosis_menu_begin(o->last ? last_report_jsonl(o->last) : NULL);
    cycles_kept_restore(kernel_options(o), o->last ? last_report_jsonl(o->last) : NULL, o->cmdline,
                        sizeof(o->cmdline));
    if (o->last)
        last_report_settle(o->last, loader->DeviceHandle); /* once the diagnosis has its result */
    o->guard = guard_menu_begin(loader->DeviceHandle, o->own_path,
                                o->last && last_report_has_bad_pages(o->last));
    if (!run_menu(o))
        return false;
    cycles_kept_begin(kernel_options(o), o->cmdline, sizeof(o->cmdline));
    measure_options(o);
    prepare(o);
    return true;
}

/* Returns to firmware once the options are read. */
static EFI_STATUS give_up(struct loader_options *options, EFI_STATUS status, const CHAR16 *why)
{
    secret_wipe(options->sign_key, sizeof(options->sign_key));
    return refuse(status, why);
}

/* The same after the network was stopped. */
static EFI_STATUS give_back(struct loader_options *options, EFI_STATUS status, const CHAR16 *why)
{
    bus_masters_restart_network();
    return give_up(options, status, why);
}

/* All except the memory map, which is added after ExitBootServices. */
static void fill_boot_info(struct boot_info *info, char *conf, const struct loader_options *options)
{
    static const enum boot_secure_boot secure_boot[] = {
        [SECURE_BOOT_OFF] = BOOT_SECURE_OFF,
        [SECURE_BOOT_ON] = BOOT_SECURE_ON,
        [SECURE_BOOT_UNKNOWN] = BOOT_SECURE_UNKNOWN,
    };

    info->magic = BOOT_INFO_MAGIC;
    info->version = BOOT_INFO_VERSION;
    info->size = sizeof(*info);
    info->firmware = BOOT_UEFI;
    info->rsdp = firmware_tables_rsdp();
    info->smbios = firmware_tables_smbios();
    info->efi_system_table = handover_system_table();
    info->efi_services = firmware_tables_services();
    string_copy(info->loader, handover_loader, sizeof(info->loader));
    string_copy(conf, options->conf.text, BOOT_CONF_MAX);
    string_copy(info->cmdline, options->cmdline, sizeof(info->cmdline));
    info->wrong_is_shown = options->wrong_is_shown;
    info->truncated = options->is_cut || options->conf.is_cut;
    info->n_macs = options->n_macs;
    memcpy(info->mac, options->mac, sizeof(info->mac));
    info->secure_boot = secure_boot[secure_boot_state()];
    info->framebuffer = framebuffer_set_up();
    if (!info->framebuffer.base)
        Print(
            L"okram: no screen has a linear framebuffer: the report goes to the serial port.\r\n");
}

/* As late as possible, so that the key is in no memory that is given back to firmware. */
static void hand_over_key(struct loader_options *options, struct boot_info *info)
{
    info->has_sign_key = options->has_sign_key;
    memcpy(info->sign_key, options->sign_key, sizeof(info->sign_key));
    secret_wipe(options->sign_key, sizeof(options->sign_key));
}

/* Firmware's entry. Some 32-bit firmware does not align the stack. */
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

STACK_GUARD_NONE __attribute__((force_align_arg_pointer)) EFI_STATUS EFIAPI
efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct image_copies kernel;
    static struct bad_pages bad;
    static struct loader_options options;
    struct placed_kernel placed;
    struct efi_map map;
    struct boot_info *info;
    char *conf;
    uint64_t root;
    EFI_LOADED_IMAGE *loader;
    const char *sentence;
    EFI_STATUS status;

    stack_guard_seed();
    InitializeLib(image, system_table);
    /* Firmware resets the machine if a loader has not left it after five minutes. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);
    Print(L"okram %a: starting\r\n", OKRAM_VERSION);

    sentence = handover_check();
    if (sentence) {
        Print(L"%a\r\n", sentence);
        return EFI_UNSUPPORTED;
    }
    sentence = handover_limits();
    if (sentence)
        Print(L"okram: %a\r\n", sentence);
    status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status))
        return refuse(status, L"no EFI_LOADED_IMAGE_PROTOCOL");
    if (!open_kernel(&kernel))
        return refuse(EFI_LOAD_ERROR, L"both copies of the kernel in okram.efi are damaged, by "
                                      L"faulty memory or in the file");
    if (!read_options(loader, &options))
        return EFI_ABORTED; /* so that firmware goes on with its next boot entry */
    status = place_kernel(&kernel, &bad, &placed);
    if (EFI_ERROR(status))
        return give_up(&options, status, L"the kernel cannot be loaded");
    print_place(&placed.pages);
    root = handover_tables(&placed);
    info = info_page(&placed, BOOT_INFO_HEAD);
    conf = info_page(&placed, BOOT_INFO_CONF);
    fill_boot_info(info, conf, &options);

    bus_masters_stop_network();
    status = handover_map_buffer(&placed, root, &map);
    if (EFI_ERROR(status))
        return give_back(&options, status, L"there is no fault-free memory for the memory map");
    bad_pages_store(&bad, info);
    status = leave_firmware(image, &map, info, conf);
    if (EFI_ERROR(status))
        return give_back(&options, status, L"GetMemoryMap failed");
    hand_over_key(&options, info);
    store_map(&map, &placed, info);
    handover_enter(root, placed.check->entry);
}
