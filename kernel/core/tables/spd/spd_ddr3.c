// SPDX-License-Identifier: MIT
#include "spd/fields.h"

/* Annex K. */
#define AT_CRC_COVERAGE 0
#define AT_FORM         3
#define AT_DENSITY      4
#define AT_DEVICES      7
#define AT_BUS          8
#define AT_FINE_BASE    9
#define AT_BASE         10
#define AT_TCK          12
#define AT_SENSOR       32
#define AT_TCK_FINE     34
#define AT_CRC          126

#define COVERS_117    0x80u /* bytes 0 to 116, else 0 to 125 */
#define DENSITIES     10u
#define BUS_CODES     4u
#define ECC_8_BITS    1u
#define DEVICE_WIDTHS 4u

/* Intel Extreme Memory Profile 1.x. */
#define AT_XMP            176
#define AT_XMP_ON         178
#define AT_XMP_VERSION    179
#define AT_XMP_BASE       180 /* dividend and divisor of each profile */
#define AT_XMP_FINE_BASE  184
#define AT_XMP_TCK        186
#define AT_XMP_TCK_FINE   211
#define XMP_MAGIC         0x4a0cu
#define XMP_PROFILES      2u
#define XMP_PROFILE_BYTES 35u
#define XMP_HAS_FINE      0x13u /* the first version with fine cycle times */

static const uint16_t density_mbit[DENSITIES] = { 256,  512,   1024,  2048,  4096,
                                                  8192, 16384, 32768, 12288, 24576 };

/* Of medium units, each dividend/divisor ns, and signed fine ones, in ps. 0: no units. */
static int64_t cycle_ps(uint8_t medium, uint8_t dividend, uint8_t divisor, int8_t fine,
                        uint8_t fine_base)
{
    int64_t ps;

    if (!divisor)
        return 0;
    ps = ((int64_t)medium * dividend * 1000 + divisor / 2) / divisor;
    if (fine_base & 0xf)
        ps += fine * (fine_base >> 4) / (fine_base & 0xf);
    return ps;
}

static void read_speed(const struct spd_image *image)
{
    int64_t tck =
        cycle_ps(spd_byte(image, AT_TCK), spd_byte(image, AT_BASE), spd_byte(image, AT_BASE + 1),
                 (int8_t)spd_byte(image, AT_TCK_FINE), spd_byte(image, AT_FINE_BASE));

    image->spd->mt_s = spd_mt_s(SPD_DDR3, tck);
    if (image->spd->mt_s)
        image->spd->tck_ps = (uint32_t)tck;
    else
        spd_note(image, SPD_SPEED);
}

static void read_organization(const struct spd_image *image)
{
    static const uint8_t ranks[8] = { 1, 2, 3, 4, 8 };
    struct spd *spd = image->spd;
    unsigned density = spd_byte(image, AT_DENSITY) & 0xf;
    unsigned width = spd_byte(image, AT_DEVICES) & 7, bus = spd_byte(image, AT_BUS) & 7;
    unsigned ecc = spd_byte(image, AT_BUS) >> 3 & 3;
    struct spd_devices devices = { 0 };

    spd->channels = 1;
    spd->ranks = ranks[spd_byte(image, AT_DEVICES) >> 3 & 7];
    spd->device_bits = (uint8_t)(width < DEVICE_WIDTHS ? 4u << width : 0);
    if (!spd->ranks)
        spd_note(image, SPD_RANKS);
    if (!spd->device_bits)
        spd_note(image, SPD_DEVICE_WIDTH);
    if (bus < BUS_CODES && ecc <= ECC_8_BITS) {
        spd->data_bits = (uint16_t)(8u << bus);
        spd->ecc_bits = (uint16_t)(8 * ecc);
    } else {
        spd_note(image, SPD_BUS_WIDTH);
    }
    devices.bits[0] = devices.bits[1] = spd->device_bits;
    devices.mbit[0] = devices.mbit[1] = density < DENSITIES ? density_mbit[density] : 0;
    spd_set_size(image, &devices);
}

static void read_profiles(const struct spd_image *image)
{
    bool has_fine = spd_byte(image, AT_XMP_VERSION) >= XMP_HAS_FINE;

    if (spd_word(image, AT_XMP) != XMP_MAGIC)
        return;
    for (unsigned i = 0; i < XMP_PROFILES; i++) {
        size_t at = AT_XMP_BASE + 2 * i, from = XMP_PROFILE_BYTES * i;

        if (!(spd_byte(image, AT_XMP_ON) >> i & 1) || !spd_holds(image, AT_XMP_TCK_FINE + from, 1))
            continue;
        spd_add_profile(image, false, i + 1,
                        cycle_ps(spd_byte(image, AT_XMP_TCK + from), spd_byte(image, at),
                                 spd_byte(image, at + 1),
                                 (int8_t)spd_byte(image, AT_XMP_TCK_FINE + from),
                                 has_fine ? spd_byte(image, AT_XMP_FINE_BASE) : 0));
    }
}

void spd_read_ddr3(const struct spd_image *image)
{
    static const struct spd_made_at made = {
        .maker = 117, .date = 120, .serial = 122, .part = 128, .part_bytes = 18, .dram_maker = 148
    };
    size_t covered = spd_byte(image, AT_CRC_COVERAGE) & COVERS_117 ? 117 : 126;

    if (!spd_crc_is_right(image, 0, covered, AT_CRC))
        spd_note(image, SPD_BASE_CRC);
    image->spd->form = spd_byte(image, AT_FORM) & 0xf;
    image->spd->has_sensor = spd_byte(image, AT_SENSOR) & 0x80;
    read_speed(image);
    read_organization(image);
    spd_read_made(image, &made);
    read_profiles(image);
}
