// SPDX-License-Identifier: MIT
#include "add_found.h"

#include <efilib.h>

#include "guardlist/guard_list.h"
#include "keep_list.h"
#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/sort.h"

/* Two numbers with at most 6 bytes each. */
#define BYTES_A_PAGE 12u

static int64_t now(void)
{
    EFI_TIME t;

    return EFI_ERROR(RT->GetTime(&t, NULL))
               ? 0
               : date_seconds(&(struct date){ t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second });
}

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* The pages that were found as a list of their own, in `bytes`. */
static size_t list_found(struct guard_patrol *patrol, const struct guard_fingerprint *machine,
                         uint8_t *bytes, size_t size)
{
    struct guard_writer writer = guard_writer_begin(bytes, size);

    sort(patrol->found, patrol->n_found, sizeof(patrol->found[0]), is_lower, NULL);
    for (uint32_t i = 0; i < patrol->n_found; i++)
        guard_writer_add(&writer, (struct guard_run){ patrol->found[i], 1 });
    return guard_writer_end(&writer, machine, now());
}

/* Not freed: the list stays in use. */
static uint8_t *make_list(const struct guard_list *old, const struct guard_fingerprint *machine,
                          struct guard_patrol *patrol, size_t *ret_bytes)
{
    size_t found_room = GUARD_LIST_HEAD + patrol->n_found * BYTES_A_PAGE, size;
    size_t room = found_room + (old ? old->head.bytes + patrol->n_found * BYTES_A_PAGE : 0);
    uint8_t *bytes = AllocatePool(found_room + room);
    struct guard_list found;
    const char *why;

    *ret_bytes = 0;
    if (!bytes)
        return NULL;
    size = list_found(patrol, old ? &old->head.machine : machine, bytes + room, found_room);
    if (guard_list_open(bytes + room, size, &found, &why) == STATUS_OK)
        *ret_bytes = guard_merge(old, &found, bytes, room);
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
