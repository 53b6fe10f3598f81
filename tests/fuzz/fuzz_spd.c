// SPDX-License-Identifier: MIT
/* The SPD of a memory module. */
#include "spd/spd.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            return false;
    }
    return true;
}

static void check(const struct spd *spd, size_t size)
{
    CHECK(spd_bytes(spd->type) && spd_type_name(spd->type)[0]);
    CHECK(spd->problems >> SPD_PROBLEMS == 0);
    CHECK((spd->problems >> SPD_SHORT & 1) == (size < spd_bytes(spd->type)));
    CHECK(memchr(spd->part, 0, sizeof(spd->part)) && is_printable(spd->part));
    CHECK(spd->n_profiles <= SPD_PROFILES_MAX);
    for (size_t i = 0; i < spd->n_profiles; i++)
        CHECK(spd->profile[i].mt_s >= 400 && spd->profile[i].mt_s <= 20000);
    CHECK(!spd->mt_s == !spd->tck_ps && spd->mt_s <= 20000);
    CHECK(!spd->year == !spd->week && spd->week <= 53 && spd->year <= 2099);
    CHECK(!spd->has_serial || (spd->serial && spd->serial != UINT32_MAX));
    CHECK(!spd->size_bytes || (spd->ranks && spd->device_bits && spd->data_bits));
    CHECK(spd->size_bytes % (UINT64_C(1) << 17) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = fuzz_copy(bytes, size);
    struct spd spd;

    if (spd_read(copy, size, &spd) == STATUS_OK)
        check(&spd, size);
    free(copy);
    return 0;
}
