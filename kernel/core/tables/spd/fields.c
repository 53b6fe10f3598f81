// SPDX-License-Identifier: MIT
#include "spd/fields.h"

#define TCK_MIN_PS 100
#define TCK_MAX_PS 5000
#define CLOCKS_MAX 511 /* no memory has more */

uint8_t spd_byte(const struct spd_image *image, size_t at)
{
    return at < image->n ? image->byte[at] : 0;
}

uint16_t spd_word(const struct spd_image *image, size_t at)
{
    return (uint16_t)(spd_byte(image, at) | spd_byte(image, at + 1) << 8);
}

bool spd_holds(const struct spd_image *image, size_t at, size_t n)
{
    return at <= image->n && n <= image->n - at;
}

void spd_note(const struct spd_image *image, enum spd_problem problem)
{
    image->spd->problems |= UINT32_C(1) << problem;
}

/* CRC-16 of polynomial 0x1021 that begins with 0 (annex K, bytes 126 and 127). */
static uint16_t spd_crc(const uint8_t *bytes, size_t n)
{
    uint16_t crc = 0;

    for (size_t i = 0; i < n; i++) {
        crc ^= (uint16_t)(bytes[i] << 8);
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

bool spd_crc_is_right(const struct spd_image *image, size_t at, size_t n, size_t crc_at)
{
    return !spd_holds(image, at, n) || !spd_holds(image, crc_at, 2) ||
           spd_crc(image->byte + at, n) == spd_word(image, crc_at);
}

/*
 * DDR3's and DDR4's speeds are multiples of 33 1/3 MT/s whose names leave out what is after the
 * point, DDR5's of 100. Cycle times are rounded to picoseconds, so the nearest such speed is it.
 */
/* A cycle time as the speed by which such memory is named. 0: no memory has it. */
static uint32_t spd_mt_s(uint8_t type, int64_t tck_ps)
{
    int64_t thirds; /* of a MT/s */

    if (tck_ps < TCK_MIN_PS || tck_ps > TCK_MAX_PS)
        return 0;
    thirds = 6000000 / tck_ps;
    if (type == SPD_DDR5)
        return (uint32_t)((thirds + 150) / 300 * 100);
    return (uint32_t)((thirds + 50) / 100 * 100 / 3);
}

/* The clocks until the time has passed; a little less counts as passed. 0: impossible. */
static uint16_t clocks(uint8_t type, int64_t ps, int64_t tck_ps)
{
    int64_t n =
        type == SPD_DDR5 ? (ps * 997 / tck_ps + 1000) / 1000 : (ps * 1000 / tck_ps + 974) / 1000;

    return ps > 0 && n <= CLOCKS_MAX ? (uint16_t)n : 0;
}

struct spd_timings spd_timings(uint8_t type, const struct spd_times *times)
{
    struct spd_timings t = { 0 };

    if (!spd_mt_s(type, times->tck))
        return t;
    t.cl = clocks(type, times->taa, times->tck);
    t.rcd = clocks(type, times->trcd, times->tck);
    t.rp = clocks(type, times->trp, times->tck);
    t.ras = clocks(type, times->tras, times->tck);
    if (!t.cl || !t.rcd || !t.rp || !t.ras)
        return (struct spd_timings){ 0 };
    t.cl += type == SPD_DDR5 && t.cl % 2;
    return t;
}

void spd_set_speed(const struct spd_image *image, const struct spd_times *times)
{
    struct spd *spd = image->spd;

    spd->mt_s = spd_mt_s(spd->type, times->tck);
    if (!spd->mt_s) {
        spd_note(image, SPD_SPEED);
        return;
    }
    spd->tck_ps = (uint32_t)times->tck;
    spd->timings = spd_timings(spd->type, times);
}

void spd_add_profile(const struct spd_image *image, bool is_expo, unsigned number,
                     const struct spd_times *times)
{
    struct spd *spd = image->spd;
    uint32_t mt_s = spd_mt_s(spd->type, times->tck);

    if (!mt_s)
        spd_note(image, SPD_PROFILE_SPEED);
    else if (spd->n_profiles < SPD_PROFILES_MAX)
        spd->profile[spd->n_profiles++] =
            (struct spd_profile){ is_expo, (uint8_t)number, mt_s, spd_timings(spd->type, times) };
}

/* The upper bit of both bytes is parity (annex K, bytes 117 and 118). 0: no maker has that code. */
static uint16_t maker_of(uint16_t word)
{
    uint16_t code = word >> 8 & 0x7f;

    return code == 0 || code == 0x7f ? 0 : (uint16_t)((word & 0x7f) << 8 | code);
}

static bool is_bcd(uint8_t byte)
{
    return (byte & 0xf) <= 9 && byte >> 4 <= 9;
}

static unsigned from_bcd(uint8_t byte)
{
    return (byte >> 4) * 10u + (byte & 0xf);
}

/* Some modules have binary numbers: where the year cannot be BCD, the week is not taken for it. */
static void read_date(const struct spd_image *image, size_t at)
{
    uint8_t year = spd_byte(image, at), week = spd_byte(image, at + 1);
    bool in_bcd = is_bcd(year);
    unsigned year_number = in_bcd ? from_bcd(year) : year;
    unsigned week_number = in_bcd ? from_bcd(week) : week;

    if ((year == 0 && week == 0) || (year == 0xff && week == 0xff)) /* the maker does not say */
        return;
    if (year_number > 99 || (in_bcd && !is_bcd(week)) || week_number < 1 || week_number > 53) {
        spd_note(image, SPD_DATE);
        return;
    }
    image->spd->year = (uint16_t)(2000 + year_number);
    image->spd->week = (uint8_t)week_number;
}

static void read_serial(const struct spd_image *image, size_t at)
{
    uint32_t serial = 0;

    for (size_t i = 0; i < 4; i++)
        serial = serial << 8 | spd_byte(image, at + i);
    if (serial == 0 || serial == UINT32_MAX) {
        spd_note(image, SPD_SERIAL);
        return;
    }
    image->spd->serial = serial;
    image->spd->has_serial = true;
}

/* Blanks fill it up; some makers use zeros. */
static void read_part(const struct spd_image *image, size_t at, size_t n)
{
    char *part = image->spd->part;
    size_t length = 0;

    for (size_t i = 0; i < n && spd_byte(image, at + i); i++) {
        uint8_t c = spd_byte(image, at + i);

        part[i] = (char)(c >= ' ' && c <= '~' ? c : '?');
        if (c != ' ' && c != 0xff)
            length = i + 1;
    }
    part[length] = 0;
}

void spd_read_made(const struct spd_image *image, const struct spd_made_at *at)
{
    if (!spd_holds(image, at->maker, 2))
        return;
    image->spd->maker = maker_of(spd_word(image, at->maker));
    image->spd->dram_maker = maker_of(spd_word(image, at->dram_maker));
    if (spd_holds(image, at->date, 2))
        read_date(image, at->date);
    if (spd_holds(image, at->serial, 4))
        read_serial(image, at->serial);
    read_part(image, at->part, at->part_bytes);
}

void spd_set_size(const struct spd_image *image, const struct spd_devices *devices)
{
    const uint32_t of_organization = 1u << SPD_DEVICE_WIDTH | 1u << SPD_BUS_WIDTH | 1u << SPD_RANKS;
    struct spd *spd = image->spd;
    uint64_t mbit = 0;

    for (unsigned rank = 0; rank < spd->ranks; rank++) {
        unsigned kind = rank & 1;

        if (!devices->bits[kind] || !devices->mbit[kind] || spd->data_bits < devices->bits[kind]) {
            mbit = 0;
            break;
        }
        mbit += devices->mbit[kind] * (spd->data_bits / devices->bits[kind]);
    }
    spd->size_bytes = mbit << 17;
    if (!mbit && !(spd->problems & of_organization))
        spd_note(image, SPD_SIZE);
}

void spd_set_addresses(const struct spd_image *image, unsigned row_bits, unsigned column_bits,
                       unsigned bank_bits, uint64_t die_mbit)
{
    struct spd *spd = image->spd;
    unsigned address_bits = row_bits + column_bits + bank_bits;
    uint64_t bits = (uint64_t)spd->device_bits << (address_bits < 48 ? address_bits : 48);
    uint64_t die = die_mbit << 20;

    if (!bits || !die)
        return;
    if (die > bits || die <= bits / 2) {
        spd_note(image, SPD_ADDRESSES);
        return;
    }
    spd->row_bits = (uint8_t)row_bits;
    spd->column_bits = (uint8_t)column_bits;
    spd->bank_bits = (uint8_t)bank_bits;
}
