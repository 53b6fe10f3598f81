// SPDX-License-Identifier: MIT
#include "lib/minmax.h"
#include "spd/fields.h"

#define AT_TYPE   2
#define MIN_BYTES 128u /* with less, nothing but the type is said */

/* An EEPROM as it leaves its factory, or a bus that nobody drives. */
static bool is_blank(const uint8_t *bytes, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (bytes[i] != bytes[0])
            return false;
    }
    return bytes[0] == 0 || bytes[0] == 0xff;
}

static void read_type(const struct spd_image *image)
{
    switch (image->spd->type) {
    case SPD_DDR3: spd_read_ddr3(image); break;
    case SPD_DDR4: spd_read_ddr4(image); break;
    case SPD_DDR5: spd_read_ddr5(image); break;
    }
}

enum status spd_read(const uint8_t *bytes, size_t n, struct spd *ret_spd)
{
    struct spd spd = { 0 };
    struct spd_image image = { .byte = bytes, .n = n, .spd = &spd };

    if (n <= AT_TYPE)
        return STATUS_INVALID;
    if (is_blank(bytes, n))
        return STATUS_NOT_FOUND;
    spd.type = bytes[AT_TYPE];
    image.n = min_u64(n, spd_bytes(spd.type));
    if (image.n < spd_bytes(spd.type))
        spd_note(&image, SPD_SHORT);
    if (image.n >= MIN_BYTES)
        read_type(&image);
    *ret_spd = spd;
    return spd_bytes(spd.type) ? STATUS_OK : STATUS_UNSUPPORTED;
}
