// SPDX-License-Identifier: MIT
#include "sign_key.h"

#include <efi.h>
#include <efilib.h>

#include "io/cpu_random.h"
#include "lib/string.h"
#include "saved/saved_read.h"
#include "saved/saved_write.h"
#include "sign/secret.h"
#include "variables.h"

#define NAME          "OkramKey"
#define VARIABLE_COST (128 + SIGN_KEY_BYTES)

#define TIMINGS 256

/* UEFI 2.10, 37.5 */
struct rng_protocol {
    EFI_STATUS(EFIAPI *get_info)(struct rng_protocol *this, UINTN *bytes, EFI_GUID *algorithms);
    EFI_STATUS(EFIAPI *get_rng)
    (struct rng_protocol *this, EFI_GUID *algorithm, UINTN bytes, UINT8 *out);
};

/* What the key is made of. A missing source is 0. */
struct sources {
    uint8_t firmware[64];
    uint64_t rdseed[8], rdrand[8];
    uint64_t timing[TIMINGS];
    EFI_TIME time;
    uint64_t count;
};

bool sign_key_read(uint8_t ret_key[SIGN_KEY_BYTES])
{
    struct variable v = variable_read(NAME, &variable_okram);
    bool is_good = v.bytes && v.size == SIGN_KEY_BYTES && v.attributes == VARIABLE_KEPT;

    if (is_good)
        memcpy(ret_key, v.bytes, SIGN_KEY_BYTES);
    variable_free(&v);
    return is_good;
}

static void ask_firmware(uint8_t *out, UINTN bytes)
{
    static EFI_GUID guid = {
        0x3152bca5, 0xeade, 0x433d, { 0x86, 0x2e, 0xc0, 0x1c, 0xdc, 0x29, 0x1f, 0x44 }
    };
    struct rng_protocol *rng;

    if (!EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&rng)) &&
        EFI_ERROR(rng->get_rng(rng, NULL, bytes, out)))
        memset(out, 0, bytes);
}

static void ask_cpu(struct sources *s)
{
    if (cpu_has_rdrand()) {
        for (unsigned i = 0; i < sizeof(s->rdrand) / sizeof(s->rdrand[0]); i++)
            s->rdrand[i] = cpu_rdrand();
    }
    if (cpu_has_rdseed()) {
        for (unsigned i = 0; i < sizeof(s->rdseed) / sizeof(s->rdseed[0]); i++)
            s->rdseed[i] = cpu_rdseed();
    }
}

/* A wait by firmware's timer never takes the same number of the CPU's ticks twice. */
static void take_timings(struct sources *s)
{
    for (unsigned i = 0; i < TIMINGS; i++) {
        BS->Stall(1);
        s->timing[i] = __builtin_ia32_rdtsc();
    }
    RT->GetTime(&s->time, NULL);
    BS->GetNextMonotonicCount(&s->count);
}

static void make(uint8_t ret_key[SIGN_KEY_BYTES])
{
    static const char purpose[] = "okram key";
    struct sources s;

    memset(&s, 0, sizeof(s));
    ask_firmware(s.firmware, sizeof(s.firmware));
    ask_cpu(&s);
    take_timings(&s);
    hmac_sha256(purpose, sizeof(purpose), &(struct hmac_part){ &s, sizeof(s) }, 1, ret_key);
    secret_wipe(&s, sizeof(s));
}

static bool has_room(void)
{
    uint64_t remaining, largest;

    return !variable_room(VARIABLE_KEPT, &remaining, &largest) ||
           remaining >= SAVED_KEEP_FREE + VARIABLE_COST;
}

bool sign_key_get(uint8_t ret_key[SIGN_KEY_BYTES])
{
    if (sign_key_read(ret_key))
        return true;
    if (!has_room())
        return false;
    make(ret_key);
    if (!EFI_ERROR(variable_write(NAME, &variable_okram, VARIABLE_KEPT, ret_key, SIGN_KEY_BYTES)))
        return true;
    secret_wipe(ret_key, SIGN_KEY_BYTES);
    return false;
}

bool sign_key_signed(const struct saved_report *report)
{
    uint8_t key[SIGN_KEY_BYTES];
    bool is_signed = sign_key_read(key) && saved_is_signed(report, key);

    secret_wipe(key, sizeof(key));
    return is_signed;
}
