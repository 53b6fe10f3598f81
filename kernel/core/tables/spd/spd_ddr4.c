// SPDX-License-Identifier: MIT
#include "spd/fields.h"

/* Annex L. */
#define AT_FORM           3
#define AT_DENSITY        4
#define AT_ADDRESSES      5
#define AT_PACKAGE        6
#define AT_SECOND_PACKAGE 10
#define AT_DEVICES        12
#define AT_BUS            13
#define AT_SENSOR         14
#define AT_TIME_BASES     17
#define AT_TCK            18
#define AT_TAA            24
#define AT_TRCD           25
#define AT_TRP            26
#define AT_TRAS_UPPER     27
#define AT_TRAS           28
#define AT_TRP_FINE       121
#define AT_TRCD_FINE      122
#define AT_TAA_FINE       123
#define AT_TCK_FINE       125
#define BASE_BYTES        126 /* then their CRC */
#define AT_MODULE         128
#define MODULE_BYTES      126

#define DENSITIES     10u
#define DEVICE_WIDTHS 4u
#define BUS_CODES     4u
#define ECC_8_BITS    1u
#define RANKS_DIFFER  0x40u
#define STACKED_3DS   2u /* of byte 6, bits 1:0: each die is a rank of its own */
#define MEDIUM_PS     125

/* Intel Extreme Memory Profile 2.0. */
#define AT_XMP            384
#define AT_XMP_ON         386
#define AT_XMP_TCK        396 /* of the first profile, as are those below */
#define AT_XMP_TAA        401
#define AT_XMP_TRCD       402
#define AT_XMP_TRP        403
#define AT_XMP_TRAS_UPPER 404
#define AT_XMP_TRAS       405
#define AT_XMP_TRP_FINE   428
#define AT_XMP_TRCD_FINE  429
#define AT_XMP_TAA_FINE   430
#define AT_XMP_TCK_FINE   431
#define XMP_MAGIC         0x4a0cu
#define XMP_PROFILES      2u
#define XMP_PROFILE_BYTES 47u

static const uint16_t density_mbit[DENSITIES] = { 256,  512,   1024,  2048,  4096,
                                                  8192, 16384, 32768, 12288, 24576 };

/* Medium units at `at`, signed picoseconds at `fine`. */
static int64_t time_ps(const struct spd_image *image, size_t at, size_t fine)
{
    return spd_byte(image, at) * MEDIUM_PS + (int8_t)spd_byte(image, fine);
}

/* tRAS has twelve bits and no fine units. */
static int64_t active_ps(const struct spd_image *image, size_t upper, size_t lower)
{
    return ((spd_byte(image, upper) & 0xf) << 8 | spd_byte(image, lower)) * MEDIUM_PS;
}

static void read_speed(const struct spd_image *image)
{
    struct spd_times times = {
        .tck = time_ps(image, AT_TCK, AT_TCK_FINE),
        .taa = time_ps(image, AT_TAA, AT_TAA_FINE),
        .trcd = time_ps(image, AT_TRCD, AT_TRCD_FINE),
        .trp = time_ps(image, AT_TRP, AT_TRP_FINE),
        .tras = active_ps(image, AT_TRAS_UPPER, AT_TRAS),
    };

    if (spd_byte(image, AT_TIME_BASES) != 0) /* no other is defined */
        times.tck = 0;
    spd_set_speed(image, &times);
}

/* Of a package's dies together; 0: no such density. */
static uint64_t package_mbit(unsigned density, uint8_t package)
{
    uint64_t mbit = density < DENSITIES ? density_mbit[density] : 0;

    return (package & 3) == STACKED_3DS ? mbit * ((package >> 4 & 7) + 1u) : mbit;
}

/* The ranks 1, 3, ... may have smaller devices (byte 10): one or two steps of density. */
static uint64_t odd_package_mbit(const struct spd_image *image, unsigned density)
{
    uint8_t package = spd_byte(image, AT_SECOND_PACKAGE);
    unsigned steps = package >> 2 & 3;

    return steps > density || steps == 3 ? 0 : package_mbit(density - steps, package);
}

static void read_organization(const struct spd_image *image)
{
    struct spd *spd = image->spd;
    uint8_t organization = spd_byte(image, AT_DEVICES), bus = spd_byte(image, AT_BUS);
    unsigned density = spd_byte(image, AT_DENSITY) & 0xf, width = organization & 7;
    struct spd_devices devices = { 0 };

    spd->channels = 1;
    spd->ranks = (organization >> 3 & 7) + 1;
    spd->ranks_differ = organization & RANKS_DIFFER;
    spd->device_bits = (uint8_t)(width < DEVICE_WIDTHS ? 4u << width : 0);
    if (!spd->device_bits)
        spd_note(image, SPD_DEVICE_WIDTH);
    if ((bus & 7) < BUS_CODES && (bus >> 3 & 3) <= ECC_8_BITS) {
        spd->data_bits = (uint16_t)(8u << (bus & 7));
        spd->ecc_bits = (uint16_t)(8 * (bus >> 3 & 3));
    } else {
        spd_note(image, SPD_BUS_WIDTH);
    }
    devices.bits[0] = devices.bits[1] = spd->device_bits;
    devices.mbit[0] = package_mbit(density, spd_byte(image, AT_PACKAGE));
    devices.mbit[1] = spd->ranks_differ ? odd_package_mbit(image, density) : devices.mbit[0];
    spd_set_size(image, &devices);
    spd_set_addresses(image, (spd_byte(image, AT_ADDRESSES) >> 3 & 7) + 12,
                      (spd_byte(image, AT_ADDRESSES) & 7) + 9,
                      (spd_byte(image, AT_DENSITY) >> 6) + (spd_byte(image, AT_DENSITY) >> 4 & 3) +
                          2u,
                      density < DENSITIES ? density_mbit[density] : 0);
}

/* A profile's tRAS is whole clocks, rounded up to medium units: the shortest that it may be. */
static struct spd_times profile_times(const struct spd_image *image, size_t from)
{
    int64_t tras = active_ps(image, AT_XMP_TRAS_UPPER + from, AT_XMP_TRAS + from);

    return (struct spd_times){
        .tck = time_ps(image, AT_XMP_TCK + from, AT_XMP_TCK_FINE + from),
        .taa = time_ps(image, AT_XMP_TAA + from, AT_XMP_TAA_FINE + from),
        .trcd = time_ps(image, AT_XMP_TRCD + from, AT_XMP_TRCD_FINE + from),
        .trp = time_ps(image, AT_XMP_TRP + from, AT_XMP_TRP_FINE + from),
        .tras = tras ? tras - MEDIUM_PS + 1 : 0,
    };
}

static void read_profiles(const struct spd_image *image)
{
    if (spd_word(image, AT_XMP) != XMP_MAGIC)
        return;
    for (unsigned i = 0; i < XMP_PROFILES; i++) {
        size_t from = XMP_PROFILE_BYTES * i;
        struct spd_times times = profile_times(image, from);

        if (spd_byte(image, AT_XMP_ON) >> i & 1 && spd_holds(image, AT_XMP_TCK_FINE + from, 1))
            spd_add_profile(image, false, i + 1, &times);
    }
}

void spd_read_ddr4(const struct spd_image *image)
{
    static const struct spd_made_at made = {
        .maker = 320, .date = 323, .serial = 325, .part = 329, .part_bytes = 20, .dram_maker = 350
    };

    if (!spd_crc_is_right(image, 0, BASE_BYTES, BASE_BYTES))
        spd_note(image, SPD_BASE_CRC);
    if (!spd_crc_is_right(image, AT_MODULE, MODULE_BYTES, AT_MODULE + MODULE_BYTES))
        spd_note(image, SPD_MODULE_CRC);
    image->spd->form = spd_byte(image, AT_FORM) & 0xf;
    image->spd->has_sensor = spd_byte(image, AT_SENSOR) & 0x80;
    read_speed(image);
    read_organization(image);
    spd_read_made(image, &made);
    read_profiles(image);
}
