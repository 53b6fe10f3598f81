// SPDX-License-Identifier: MIT
/*
 * Writes MSRs as a faulty firmware would leave them, then starts \okram.efi. \msrs holds 64-bit
 * words: 1 for all CPUs or 0 for the boot CPU only, then pairs of a number and a value.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define WORDS_MAX 32

static UINT64 words[WORDS_MAX];
static UINTN n_words;

/* UEFI PI 1.7, vol. 2, 13.4.1. */
struct mp_services {
    void *get_number, *get_info;
    EFI_STATUS(EFIAPI *startup_all)
    (struct mp_services *self, void(EFIAPI *procedure)(void *argument), BOOLEAN single,
     EFI_EVENT event, UINTN timeout_us, void *argument, UINTN **failed);
};

static void EFIAPI write_msrs(void *unused)
{
    for (UINTN i = 1; i + 1 < n_words; i += 2)
        __asm__ volatile("wrmsr"
                         :
                         : "c"((UINT32)words[i]), "a"((UINT32)words[i + 1]),
                           "d"((UINT32)(words[i + 1] >> 32))
                         : "memory");
}

static EFI_STATUS read_words(EFI_HANDLE volume)
{
    EFI_FILE_HANDLE root = LibOpenRoot(volume), file;
    UINTN size = sizeof(words);
    EFI_STATUS status;

    if (!root)
        return EFI_NOT_FOUND;
    status = root->Open(root, &file, L"\\msrs", EFI_FILE_MODE_READ, 0);
    if (EFI_ERROR(status))
        return status;
    status = file->Read(file, &size, words);
    n_words = size / sizeof(words[0]);
    return status;
}

static EFI_STATUS write_others(void)
{
    EFI_GUID guid = {
        0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 }
    };
    struct mp_services *mp;
    EFI_STATUS status = BS->LocateProtocol(&guid, NULL, (void **)&mp);

    if (EFI_ERROR(status))
        return status;
    return mp->startup_all(mp, write_msrs, FALSE, NULL, 0, NULL, NULL);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    EFI_STATUS status;

    InitializeLib(image, system_table);
    status = read_words(volume_of(image));
    if (!EFI_ERROR(status) && words[0])
        status = write_others();
    if (EFI_ERROR(status))
        return status;
    write_msrs(NULL);
    return start_okram(image);
}
