// SPDX-License-Identifier: MIT
#include "spd/fields.h"

/* JESD400-5. */
#define AT_FORM         3
#define AT_FIRST        4 /* density, addresses, width and bank groups of even ranks' devices */
#define AT_SECOND       8 /* of odd ranks', where they differ */
#define TO_WIDTH        2
#define AT_ADDRESSES    5
#define AT_BANKS        7
#define AT_TCK          20
#define AT_TIMES        30
#define AT_ORGANIZATION 234
#define AT_BUS          235
#define BASE_BYTES      510 /* then their CRC */

#define DENSITIES     9u
#define DEVICE_WIDTHS 4u
#define BUS_CODES     4u
#define CHANNEL_CODES 4u
#define RANKS_DIFFER  0x40u

/* Intel Extreme Memory Profile 3.0: a head, and five profiles, each with its CRC. */
#define AT_XMP            640
#define AT_XMP_ON         643
#define AT_XMP_PROFILE    704
#define XMP_MAGIC         0x4a0cu
#define XMP_BLOCK_BYTES   62 /* then their CRC */
#define XMP_PROFILE_BYTES 64u
#define XMP_MAKER         3u /* profiles of the maker's, then two of the user's */
#define XMP_PROFILES      5u
#define XMP_TO_TCK        5u
#define XMP_TO_TIMES      13u

/* AMD Extended Profiles for Overclocking, where XMP has its third and fourth profile. */
#define AT_EXPO            832
#define AT_EXPO_ON         837
#define AT_EXPO_TCK        846
#define AT_EXPO_TIMES      848
#define EXPO_BYTES         126 /* then their CRC */
#define EXPO_PROFILES      2u
#define EXPO_PROFILE_BYTES 40u
#define EXPO_ON_BITS       4u /* a profile */

static const uint16_t density_gbit[DENSITIES] = { 0, 4, 8, 12, 16, 24, 32, 48, 64 };

/* By bits 7:5 of a package: one die, two behind one load, and stacks (3DS). 0: not defined. */
static const uint8_t dies_added[8] = { 1, 1, 2, 4, 8, 16 };

/* tAA, tRCD, tRP and tRAS follow each other, in ps. */
static struct spd_times times_at(const struct spd_image *image, size_t tck, size_t at)
{
    return (struct spd_times){ spd_word(image, tck), spd_word(image, at), spd_word(image, at + 2),
                               spd_word(image, at + 4), spd_word(image, at + 6) };
}

static void read_speed(const struct spd_image *image)
{
    struct spd_times times = times_at(image, AT_TCK, AT_TIMES);

    spd_set_speed(image, &times);
}

static void read_devices(const struct spd_image *image, size_t at, uint64_t *ret_mbit,
                         unsigned *ret_bits)
{
    uint8_t package = spd_byte(image, at), width = spd_byte(image, at + TO_WIDTH) >> 5;

    *ret_mbit = (package & 0x1f) < DENSITIES
                    ? UINT64_C(1024) * density_gbit[package & 0x1f] * dies_added[package >> 5]
                    : 0;
    *ret_bits = width < DEVICE_WIDTHS ? 4u << width : 0;
}

static void read_addresses(const struct spd_image *image)
{
    uint8_t addresses = spd_byte(image, AT_ADDRESSES), banks = spd_byte(image, AT_BANKS);
    unsigned density = spd_byte(image, AT_FIRST) & 0x1f;

    spd_set_addresses(image, (addresses & 0x1f) + 16, (addresses >> 5) + 10,
                      (banks >> 5) + (banks & 7),
                      density < DENSITIES ? UINT64_C(1024) * density_gbit[density] : 0);
}

static void read_bus(const struct spd_image *image)
{
    static const uint8_t ecc_bits[4] = { 0, 4, 8 };
    struct spd *spd = image->spd;
    uint8_t bus = spd_byte(image, AT_BUS);
    unsigned width = bus & 7, ecc = bus >> 3 & 3, channels = bus >> 5;

    if (width >= BUS_CODES || ecc == 3 || channels >= CHANNEL_CODES) {
        spd_note(image, SPD_BUS_WIDTH);
        return;
    }
    spd->channels = (uint8_t)(1u << channels);
    spd->data_bits = (uint16_t)(spd->channels * (8u << width));
    spd->ecc_bits = (uint16_t)(spd->channels * ecc_bits[ecc]);
}

static void read_organization(const struct spd_image *image)
{
    struct spd *spd = image->spd;
    uint8_t organization = spd_byte(image, AT_ORGANIZATION);
    struct spd_devices devices;

    read_devices(image, AT_FIRST, &devices.mbit[0], &devices.bits[0]);
    spd->device_bits = (uint8_t)devices.bits[0];
    if (!spd->device_bits)
        spd_note(image, SPD_DEVICE_WIDTH);
    read_addresses(image);
    if (!spd_holds(image, AT_ORGANIZATION, 2))
        return;
    spd->ranks = (organization >> 3 & 7) + 1;
    spd->ranks_differ = organization & RANKS_DIFFER;
    read_devices(image, spd->ranks_differ ? AT_SECOND : AT_FIRST, &devices.mbit[1],
                 &devices.bits[1]);
    read_bus(image);
    spd_set_size(image, &devices);
}

static bool has_expo(const struct spd_image *image)
{
    return spd_word(image, AT_EXPO) == ('E' | 'X' << 8) &&
           spd_word(image, AT_EXPO + 2) == ('P' | 'O' << 8);
}

static void read_expo(const struct spd_image *image)
{
    if (!spd_crc_is_right(image, AT_EXPO, EXPO_BYTES, AT_EXPO + EXPO_BYTES))
        spd_note(image, SPD_PROFILE_CRC);
    for (unsigned i = 0; i < EXPO_PROFILES; i++) {
        size_t from = EXPO_PROFILE_BYTES * i, at = AT_EXPO_TCK + from;
        struct spd_times times = times_at(image, at, AT_EXPO_TIMES + from);

        if (spd_byte(image, AT_EXPO_ON) >> EXPO_ON_BITS * i & 1 && spd_holds(image, at, 2) &&
            times.tck)
            spd_add_profile(image, true, i + 1, &times);
    }
}

/* A profile of the user's has no bit that says whether it is on: one with the right CRC is. */
static void read_xmp_profile(const struct spd_image *image, unsigned i)
{
    size_t at = AT_XMP_PROFILE + XMP_PROFILE_BYTES * i;
    bool is_right = spd_crc_is_right(image, at, XMP_BLOCK_BYTES, at + XMP_BLOCK_BYTES);
    bool is_makers = i < XMP_MAKER;
    struct spd_times times = times_at(image, at + XMP_TO_TCK, at + XMP_TO_TIMES);

    if (!spd_holds(image, at, XMP_PROFILE_BYTES) || !times.tck ||
        (is_makers ? !(spd_byte(image, AT_XMP_ON) >> i & 1) : !is_right))
        return;
    if (!is_right)
        spd_note(image, SPD_PROFILE_CRC);
    spd_add_profile(image, false, i + 1, &times);
}

static bool is_where_expo_is(unsigned profile)
{
    size_t at = AT_XMP_PROFILE + XMP_PROFILE_BYTES * profile;

    return at >= AT_EXPO && at < AT_EXPO + EXPO_BYTES;
}

static void read_xmp(const struct spd_image *image)
{
    if (spd_word(image, AT_XMP) != XMP_MAGIC)
        return;
    if (!spd_crc_is_right(image, AT_XMP, XMP_BLOCK_BYTES, AT_XMP + XMP_BLOCK_BYTES))
        spd_note(image, SPD_PROFILE_CRC);
    for (unsigned i = 0; i < XMP_PROFILES; i++) {
        if (!has_expo(image) || !is_where_expo_is(i))
            read_xmp_profile(image, i);
    }
}

void spd_read_ddr5(const struct spd_image *image)
{
    static const struct spd_made_at made = {
        .maker = 512, .date = 515, .serial = 517, .part = 521, .part_bytes = 30, .dram_maker = 552
    };

    if (!spd_crc_is_right(image, 0, BASE_BYTES, BASE_BYTES))
        spd_note(image, SPD_BASE_CRC);
    image->spd->form = spd_byte(image, AT_FORM) & 0xf;
    read_speed(image);
    read_organization(image);
    spd_read_made(image, &made);
    read_xmp(image);
    if (has_expo(image))
        read_expo(image);
}
