// SPDX-License-Identifier: MIT
/*
 * Prints on COM1 what the TPM was given: the event log (TCG EFI Protocol Specification, 6.5) and
 * the answer to TPM2_PCR_Read of PCR 12, in hexadecimal. If there is a \okram.efi, it is started,
 * and this is printed when it calls ExitBootServices. Then powers off.
 */
#include <efi.h>
#include <efilib.h>

#include "com1.h"
#include "start_okram.h"

#define CRYPTO_LOG 2

struct tcg2 {
    void *get_capability;
    EFI_STATUS(EFIAPI *get_event_log)
    (struct tcg2 *this, UINT32 format, UINT64 *first, UINT64 *last, BOOLEAN *is_cut);
    void *hash_log_extend_event;
    EFI_STATUS(EFIAPI *submit)
    (struct tcg2 *this, UINT32 n, const UINT8 *command, UINT32 n_answer, UINT8 *answer);
};

static void hex(const UINT8 *bytes, UINTN n)
{
    for (UINTN i = 0; i < n; i++) {
        com1_send("0123456789abcdef"[bytes[i] >> 4]);
        com1_send("0123456789abcdef"[bytes[i] & 15]);
    }
}

static UINT32 get32(const UINT8 *at)
{
    return at[0] | (UINT32)at[1] << 8 | (UINT32)at[2] << 16 | (UINT32)at[3] << 24;
}

/* The last entry's end: its number of digests by algorithm, then the event. */
static UINTN entry_bytes(const UINT8 *entry)
{
    const UINT8 *at = entry + 12;

    for (UINT32 i = get32(entry + 8); i > 0; i--) {
        UINT32 algorithm = at[0] | (UINT32)at[1] << 8;

        at += 2 + (algorithm == 4 ? 20 : algorithm == 0xb ? 32 : algorithm == 0xc ? 48 : 64);
    }
    return (UINTN)(at - entry) + 4 + get32(at);
}

static void show(void)
{
    static EFI_GUID guid = {
        0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f }
    };
    /* TPM 2.0 Library, part 3, 22.4: the SHA-256 bank's PCR 12 */
    static const UINT8 read_pcr[] = { 0x80, 1, 0, 0, 0, 20, 0, 0, 1,    0x7e,
                                      0,    0, 0, 1, 0, 11, 3, 0, 0x10, 0 };
    UINT8 answer[256] = { 0 };
    UINT64 first, last;
    BOOLEAN is_cut;
    struct tcg2 *tcg2;

    if (EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&tcg2))) {
        com1_text("\nlog none\n");
        return;
    }
    if (!EFI_ERROR(tcg2->get_event_log(tcg2, CRYPTO_LOG, &first, &last, &is_cut)) && first) {
        com1_text("\nlog ");
        hex((const UINT8 *)(UINTN)first,
            (UINTN)(last - first) + entry_bytes((const UINT8 *)(UINTN)last));
    }
    if (!EFI_ERROR(tcg2->submit(tcg2, sizeof(read_pcr), read_pcr, sizeof(answer), answer))) {
        com1_text("\npcr ");
        hex(answer, 64);
    }
    com1_text("\n");
}

static EFI_STATUS EFIAPI end(EFI_HANDLE image, UINTN key)
{
    show();
    com1_text("log end\n");
    RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    return EFI_SUCCESS;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    InitializeLib(image, system_table);
    BS->ExitBootServices = end;
    start_okram(image);
    return end(image, 0);
}
