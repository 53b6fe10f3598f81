// SPDX-License-Identifier: MIT
#include "spd/fields.h"

/* Annex K. */
#define AT_CRC_COVERAGE 0
#define AT_FORM         3
#define AT_DENSITY      4
#define AT_ADDRESSES    5
#define AT_DEVICES      7
#define AT_BUS          8
#define AT_FINE_BASE    9
#define AT_BASE         10
#define AT_TCK          12
#define AT_TAA          16
#define AT_TRCD         18
#define AT_TRP          20
#define AT_TRAS_UPPER   21
#define AT_TRAS         22
#define AT_SENSOR       32
#define AT_TCK_FINE     34
#define AT_TAA_FINE     35
#define AT_TRCD_FINE    36
#define AT_TRP_FINE     37
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
#define AT_XMP_TCK        186 /* of the first profile, as are those below */
#define AT_XMP_TAA        187
#define AT_XMP_TRP        191
#define AT_XMP_TRCD       192
#define AT_XMP_TRAS_UPPER 194
#define AT_XMP_TRAS       195
#define AT_XMP_TCK_FINE   211
#define XMP_MAGIC         0x4a0cu
#define XMP_PROFILES      2u
#define XMP_PROFILE_BYTES 35u
#define XMP_HAS_FINE      0x13u /* the first version with fine cycle times */

static const uint16_t density_mbit[DENSITIES] = { 256,  512,   1024,  2048,  4096,
                                                  8192, 16384, 32768, 12288, 24576 };

/* A medium unit is dividend/divisor ns; the lower half of `fine` divides its upper one, in ps. */
struct bases {
    uint8_t dividend, divisor, fine;
};

/* Of medium units and signed fine ones, in ps. 0: no units. */
static int64_t time_ps(const struct bases *b, unsigned medium, uint8_t fine)
{
    int64_t ps;

    if (!b->divisor)
        return 0;
    ps = ((int64_t)medium * b->dividend * 1000 + b->divisor / 2) / b->divisor;
    if (b->fine & 0xf)
        ps += (int8_t)fine * (b->fine >> 4) / (b->fine & 0xf);
    return ps;
}

/* The shortest time that these units stand for: times without fine units were rounded up to them.
 */
static int64_t coarse_ps(const struct bases *b, unsigned medium)
{
    return medium ? time_ps(b, medium - 1, 0) + 1 : 0;
}

/* tRAS has twelve bits. */
static unsigned active_units(const struct spd_image *image, size_t upper, size_t lower)
{
    return (spd_byte(image, upper) & 0xfu) << 8 | spd_byte(image, lower);
}

static void read_speed(const struct spd_image *image)
{
    struct bases b = { spd_byte(image, AT_BASE), spd_byte(image, AT_BASE + 1),
                       spd_byte(image, AT_FINE_BASE) };
    struct spd_times times = {
        .tck = time_ps(&b, spd_byte(image, AT_TCK), spd_byte(image, AT_TCK_FINE)),
        .taa = time_ps(&b, spd_byte(image, AT_TAA), spd_byte(image, AT_TAA_FINE)),
        .trcd = time_ps(&b, spd_byte(image, AT_TRCD), spd_byte(image, AT_TRCD_FINE)),
        .trp = time_ps(&b, spd_byte(image, AT_TRP), spd_byte(image, AT_TRP_FINE)),
        .tras = time_ps(&b, active_units(image, AT_TRAS_UPPER, AT_TRAS), 0),
    };

    spd_set_speed(image, &times);
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
    spd_set_addresses(image, (spd_byte(image, AT_ADDRESSES) >> 3 & 7) + 12,
                      (spd_byte(image, AT_ADDRESSES) & 7) + 9,
                      (spd_byte(image, AT_DENSITY) >> 4 & 7) + 3, devices.mbit[0]);
}

/*
 * Programs that know XMP agree on the fine units of its cycle time alone; the other times are whole
 * clocks that were rounded up.
 */
static struct spd_times profile_times(const struct spd_image *image, unsigned i)
{
    bool has_fine = spd_byte(image, AT_XMP_VERSION) >= XMP_HAS_FINE;
    size_t base = AT_XMP_BASE + 2 * i, from = XMP_PROFILE_BYTES * i;
    struct bases b = { spd_byte(image, base), spd_byte(image, base + 1),
                       has_fine ? spd_byte(image, AT_XMP_FINE_BASE) : 0 };

    return (struct spd_times){
        .tck = time_ps(&b, spd_byte(image, AT_XMP_TCK + from),
                       spd_byte(image, AT_XMP_TCK_FINE + from)),
        .taa = coarse_ps(&b, spd_byte(image, AT_XMP_TAA + from)),
        .trcd = coarse_ps(&b, spd_byte(image, AT_XMP_TRCD + from)),
        .trp = coarse_ps(&b, spd_byte(image, AT_XMP_TRP + from)),
        .tras = coarse_ps(&b, active_units(image, AT_XMP_TRAS_UPPER + from, AT_XMP_TRAS + from)),
    };
}

static void read_profiles(const struct spd_image *image)
{
    if (spd_word(image, AT_XMP) != XMP_MAGIC)
        return;
    for (unsigned i = 0; i < XMP_PROFILES; i++) {
        size_t last = AT_XMP_TCK_FINE + XMP_PROFILE_BYTES * i;
        struct spd_times times = profile_times(image, i);

        if (spd_byte(image, AT_XMP_ON) >> i & 1 && spd_holds(image, last, 1))
            spd_add_profile(image, false, i + 1, &times);
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
