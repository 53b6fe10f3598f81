// SPDX-License-Identifier: MIT
#include "add_found.h"

#include <efilib.h>

#include "keep_list.h"
#include "lib/fmt.h"
#include "patrol/patrol_join.h"

/* A page may split a run: two runs of two numbers with at most 6 bytes each. */
#define BYTES_A_PAGE 24u

/* Seconds from 1970 to a date of this century; 0: it is none. */
static int64_t seconds_of(const EFI_TIME *t)
{
    static const uint16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    const int64_t days_to_2000 = 10957;
    int64_t years = t->Year - 2000, days;

    if (years < 0 || years > 99 || t->Month < 1 || t->Month > 12 || t->Day < 1 || t->Day > 31)
        return 0;
    days = days_to_2000 + years * 365 + (years + 3) / 4 + before[t->Month - 1] + t->Day - 1;
    days += years % 4 == 0 && t->Month > 2;
    return ((days * 24 + t->Hour) * 60 + t->Minute) * 60 + t->Second;
}

static int64_t now(void)
{
    EFI_TIME time;

    return EFI_ERROR(RT->GetTime(&time, NULL)) ? 0 : seconds_of(&time);
}

/* Not freed: the list stays in use. */
static uint8_t *make_list(const struct guard_list *old, const struct guard_fingerprint *machine,
                          struct guard_patrol *patrol, size_t *ret_bytes)
{
    size_t room = (old ? old->head.bytes : GUARD_LIST_HEAD) + patrol->n_found * BYTES_A_PAGE;
    uint8_t *bytes = AllocatePool(room);
    struct guard_writer writer = guard_writer_begin(bytes, bytes ? room : 0);

    patrol_join(old, patrol->found, patrol->n_found, &writer);
    *ret_bytes = guard_writer_end(&writer, old ? &old->head.machine : machine, now());
    return bytes;
}

void guard_add_found(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                     const struct guard_fingerprint *machine, struct guard_patrol *patrol,
                     struct guard_source *source)
{
    bool has_list = source->state == GUARD_MASKED;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;
    const char *why;
    size_t size;
    uint8_t *bytes = make_list(has_list ? &source->list : NULL, machine, patrol, &size);

    if (guard_list_open(bytes, size, &source->list, &why) == STATUS_OK) {
        source->state = GUARD_MASKED;
        source->why[0] = 0;
        status = guard_list_keep(driver, is_secure_boot, bytes, size, &source->origin);
    }
    if (EFI_ERROR(status))
        fmt_print(source->why, sizeof(source->why),
                  "the list cannot be written (0x%llx), new bad pages are masked at this boot only",
                  (unsigned long long)status);
}
