// SPDX-License-Identifier: MIT
#include "measure.h"

#include <efilib.h>
#include <stdbool.h>

#include "lib/string.h"

#define EV_IPL         13u /* TCG PC Client Platform Firmware Profile 1.05, 10.4.1 */
#define HEADER_VERSION 1

struct tcg2_event {
    UINT32 size; /* of all, including the name and its NUL */
    struct {
        UINT32 size;
        UINT16 version;
        UINT32 pcr, type;
    } __attribute__((packed)) header;
    char name[];
} __attribute__((packed));
_Static_assert(sizeof(struct tcg2_event) == 18, "TCG EFI Protocol Specification, 6.6.3");

struct tcg2_capability {
    UINT8 size; /* the caller's, then firmware's */
    UINT8 version[2], protocol[2];
    UINT32 hashes, logs;
    UINT8 has_tpm;
    UINT8 rest[19]; /* commands' sizes, manufacturer, banks of PCRs */
};
_Static_assert(sizeof(struct tcg2_capability) == 36 &&
                   offsetof(struct tcg2_capability, has_tpm) == 16,
               "TCG EFI Protocol Specification, 6.4.4");

struct tcg2_protocol {
    EFI_STATUS(EFIAPI *get_capability)(struct tcg2_protocol *this, struct tcg2_capability *out);
    void *get_event_log;
    EFI_STATUS(EFIAPI *hash_log_extend_event)
    (struct tcg2_protocol *this, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 n,
     struct tcg2_event *event);
};

/* The log entry is the name, then the text. */
static EFI_STATUS extend(struct tcg2_protocol *tcg2, const char *name, const char *text,
                         const void *bytes, UINTN n)
{
    UINTN n_name = strlen(name), n_text = strlen(text);
    UINTN size = sizeof(struct tcg2_event) + n_name + n_text + 1;
    struct tcg2_event *event = AllocateZeroPool(size);
    EFI_STATUS status;

    if (!event)
        return EFI_OUT_OF_RESOURCES;
    event->size = (UINT32)size;
    event->header.size = sizeof(event->header);
    event->header.version = HEADER_VERSION;
    event->header.pcr = MEASURE_PCR;
    event->header.type = EV_IPL;
    memcpy(event->name, name, n_name);
    memcpy(event->name + n_name, text, n_text);
    status = tcg2->hash_log_extend_event(tcg2, 0, (UINTN)bytes, n, event);
    FreePool(event);
    return status;
}

static bool has_tpm(struct tcg2_protocol *tcg2)
{
    struct tcg2_capability c = { .size = sizeof(c) };

    return !EFI_ERROR(tcg2->get_capability(tcg2, &c)) && c.has_tpm;
}

static void measure(const char *name, const char *text, const void *bytes, UINTN n)
{
    static EFI_GUID guid = {
        0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f }
    };
    struct tcg2_protocol *tcg2;
    EFI_STATUS status;

    if (EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&tcg2)) || !has_tpm(tcg2))
        return;
    status = extend(tcg2, name, text, bytes, n);
    if (EFI_ERROR(status))
        Print(L"okram: the TPM has not measured %a (%r).\r\n", name, status);
}

void measure_text(const char *name, const char *text)
{
    measure(name, text, text, strlen(text));
}

void measure_bytes(const char *name, const void *bytes, UINTN n)
{
    measure(name, "", bytes, n);
}
