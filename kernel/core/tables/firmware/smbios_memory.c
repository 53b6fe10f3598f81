// SPDX-License-Identifier: MIT
#include "firmware/smbios_memory.h"

#include "lib/string.h"

/* The fields of SMBIOS 2.1; each later version has appended some. */
struct memory_array {
    struct smbios_structure head;
    uint8_t location;
    uint8_t use;
    uint8_t ecc;
    uint32_t capacity_kib;
    uint16_t error_information;
    uint16_t n_devices;
    uint64_t extended_capacity_bytes; /* since 2.7 */
} __attribute__((packed));
_Static_assert(offsetof(struct memory_array, capacity_kib) == 0x07, "DSP0134 7.17");
_Static_assert(offsetof(struct memory_array, extended_capacity_bytes) == 0x0f, "DSP0134 7.17");

struct memory_device {
    struct smbios_structure head;
    uint16_t array;
    uint16_t error_information;
    uint16_t total_bits, data_bits;
    uint16_t size;
    uint8_t form_factor;
    uint8_t device_set;
    uint8_t locator, bank_locator; /* string numbers */
    uint8_t memory_type;
    uint16_t type_detail;
    uint16_t speed_mt_s; /* since 2.3 */
    uint8_t manufacturer, serial_number, asset_tag, part_number;
    uint8_t attributes;
    uint32_t extended_size_mib;             /* since 2.7 */
    uint16_t configured_mt_s;               /* since 2.7 */
    uint16_t min_mv, max_mv, configured_mv; /* since 2.8 */
    uint8_t technology;                     /* since 3.2 */
    uint8_t modes_and_sizes[43];
    uint32_t extended_speed_mt_s; /* since 3.3 */
    uint32_t extended_configured_mt_s;
} __attribute__((packed));
_Static_assert(offsetof(struct memory_device, memory_type) == 0x12, "DSP0134 7.18");
_Static_assert(offsetof(struct memory_device, extended_size_mib) == 0x1c, "DSP0134 7.18");
_Static_assert(offsetof(struct memory_device, configured_mt_s) == 0x20, "DSP0134 7.18");
_Static_assert(offsetof(struct memory_device, technology) == 0x28, "DSP0134 7.18");
_Static_assert(offsetof(struct memory_device, extended_speed_mt_s) == 0x54, "DSP0134 7.18");

struct device_range {
    struct smbios_structure head;
    uint32_t start_kib, end_kib;
    uint16_t device;
} __attribute__((packed));
_Static_assert(offsetof(struct device_range, device) == 0x0c, "DSP0134 7.21");

#define TYPE_MEMORY_ARRAY  16u
#define TYPE_MEMORY_DEVICE 17u
#define TYPE_DEVICE_RANGE  20u
#define ARRAY_2_1_BYTES    0x0fu
#define ARRAY_3_7_BYTES    0x17u
#define DEVICE_2_1_BYTES   0x15u
#define DEVICE_3_7_BYTES   0x64u
#define RANGE_3_7_BYTES    0x23u

#define USE_SYSTEM_MEMORY 3u
#define CAPACITY_EXTENDED 0x80000000u
#define LOCATION_CXL      0xa4u /* table 73: a CXL add-on card */
#define FORM_FACTOR_CXL   0x24u

/* Of chips without a module: table 77. */
enum form_factor {
    FORM_FACTOR_CHIP = 0x05,
    FORM_FACTOR_TSOP = 0x0a,
    FORM_FACTOR_ROW_OF_CHIPS = 0x0b,
    FORM_FACTOR_DIE = 0x10,
};

#define SPEED_EXTENDED      0xffffu
#define EXTENDED_SPEED_MASK 0x7fffffffu

#define WIDTH_UNKNOWN 0xffffu
#define MV_MIN        400
#define MV_MAX        3500

enum memory_type {
    MEMORY_TYPE_ROM = 0x08, /* ROM, flash, EEPROM, FEPROM, EPROM */
    MEMORY_TYPE_EPROM = 0x0c,
    MEMORY_TYPE_NON_VOLATILE = 0x1f,
    MEMORY_TYPE_HBM = 0x20,
    MEMORY_TYPE_HBM2 = 0x21,
    MEMORY_TYPE_HBM3 = 0x24,
};

/* Of a module: table 79. */
enum memory_technology {
    TECHNOLOGY_NVDIMM_N = 4,
    TECHNOLOGY_OPTANE = 7, /* with NVDIMM-F and NVDIMM-P between them */
};

/* The state of a walk over the structures. */
struct reading {
    struct smbios_memory *memory;
    uint16_t external[SMBIOS_ARRAYS_MAX]; /* handles of arrays that are not system memory */
    size_t n_external;
    uint16_t on_cxl[SMBIOS_ARRAYS_MAX]; /* of arrays that are on a CXL card */
    size_t n_on_cxl;
    size_t broken, nameless;
    bool breaks_off;
};

/* Whether the structure is long enough to hold the field. */
#define HAS_FIELD(s, field)                                                                        \
    ((s)->head.length >= offsetof(__typeof__(*(s)), field) + sizeof((s)->field))

static bool is_ram(uint8_t memory_type)
{
    return !(memory_type >= MEMORY_TYPE_ROM && memory_type <= MEMORY_TYPE_EPROM) &&
           memory_type != MEMORY_TYPE_NON_VOLATILE;
}

static enum smbios_ecc ecc_of(uint8_t value)
{
    static const enum smbios_ecc kinds[] = {
        [3] = SMBIOS_ECC_NONE,      [4] = SMBIOS_ECC_PARITY, [5] = SMBIOS_ECC_SINGLE_BIT,
        [6] = SMBIOS_ECC_MULTI_BIT, [7] = SMBIOS_ECC_CRC,
    };

    return value < sizeof(kinds) / sizeof(kinds[0]) ? kinds[value] : SMBIOS_ECC_UNKNOWN;
}

static uint64_t capacity_of(const struct memory_array *a)
{
    if (a->capacity_kib != CAPACITY_EXTENDED)
        return (uint64_t)a->capacity_kib << 10;
    return HAS_FIELD(a, extended_capacity_bytes) ? a->extended_capacity_bytes : 0;
}

static void read_array(struct reading *r, const struct memory_array *a)
{
    struct smbios_memory *m = r->memory;

    if (a->head.length < ARRAY_2_1_BYTES)
        r->broken++;
    else if (a->use != USE_SYSTEM_MEMORY) {
        if (r->n_external < SMBIOS_ARRAYS_MAX)
            r->external[r->n_external++] = a->head.handle;
    } else if (m->n_array < SMBIOS_ARRAYS_MAX) {
        if (a->location == LOCATION_CXL)
            r->on_cxl[r->n_on_cxl++] = a->head.handle;
        m->array[m->n_array++] = (struct smbios_array){
            .handle = a->head.handle,
            .n_devices = a->n_devices,
            .capacity_bytes = capacity_of(a),
            .ecc = ecc_of(a->ecc),
        };
    }
}

static bool is_among(const uint16_t *handle, size_t n, uint16_t wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (handle[i] == wanted)
            return true;
    }
    return false;
}

/* Of some other memory firmware's map may have less than its size, or nothing. */
static bool is_ordinary(const struct reading *r, const struct memory_device *d)
{
    bool is_persistent = HAS_FIELD(d, technology) && d->technology >= TECHNOLOGY_NVDIMM_N &&
                         d->technology <= TECHNOLOGY_OPTANE;
    bool is_hbm = d->memory_type == MEMORY_TYPE_HBM || d->memory_type == MEMORY_TYPE_HBM2 ||
                  d->memory_type == MEMORY_TYPE_HBM3;

    return !is_persistent && !is_hbm && d->form_factor != FORM_FACTOR_CXL &&
           !is_among(r->on_cxl, r->n_on_cxl, d->array);
}

/* STATUS_NOT_FOUND: the size is unknown. */
static enum status size_of(const struct memory_device *d, uint64_t *ret_bytes)
{
    bool has_extended = HAS_FIELD(d, extended_size_mib);

    if (d->size == SMBIOS_SIZE_UNKNOWN || (d->size == SMBIOS_SIZE_EXTENDED && !has_extended))
        return STATUS_NOT_FOUND;
    *ret_bytes = smbios_size_bytes(d->size, has_extended ? d->extended_size_mib : 0);
    return STATUS_OK;
}

static uint32_t rated_mt_s(const struct memory_device *d)
{
    if (!HAS_FIELD(d, speed_mt_s))
        return 0;
    if (d->speed_mt_s != SPEED_EXTENDED)
        return d->speed_mt_s;
    return HAS_FIELD(d, extended_speed_mt_s) ? d->extended_speed_mt_s & EXTENDED_SPEED_MASK : 0;
}

static uint32_t configured_mt_s(const struct memory_device *d)
{
    if (!HAS_FIELD(d, configured_mt_s))
        return 0;
    if (d->configured_mt_s != SPEED_EXTENDED)
        return d->configured_mt_s;
    return HAS_FIELD(d, extended_configured_mt_s)
               ? d->extended_configured_mt_s & EXTENDED_SPEED_MASK
               : 0;
}

/* Some firmware has volts, or all ones. */
static uint32_t configured_mv(const struct memory_device *d)
{
    uint32_t mv = HAS_FIELD(d, configured_mv) ? d->configured_mv : 0;

    return mv >= MV_MIN && mv <= MV_MAX ? mv : 0;
}

static uint16_t known_bits(uint16_t bits)
{
    return bits == WIDTH_UNKNOWN ? 0 : bits;
}

static void read_name(struct reading *r, const struct smbios_cursor *c,
                      const struct memory_device *d, uint8_t number, char name[SMBIOS_NAME_SIZE])
{
    if (smbios_string(c, &d->head, number, name, SMBIOS_NAME_SIZE) == STATUS_INVALID)
        r->nameless++;
}

/* What is missing stays "", without a warning: much firmware has nothing there. */
static void read_made(const struct smbios_cursor *c, const struct memory_device *d,
                      struct smbios_slot *slot)
{
    smbios_string(c, &d->head, d->manufacturer, slot->maker, sizeof(slot->maker));
    smbios_string(c, &d->head, d->part_number, slot->part, sizeof(slot->part));
    smbios_string(c, &d->head, d->serial_number, slot->serial, sizeof(slot->serial));
}

static bool is_soldered(const struct memory_device *d)
{
    return d->form_factor == FORM_FACTOR_CHIP || d->form_factor == FORM_FACTOR_TSOP ||
           d->form_factor == FORM_FACTOR_ROW_OF_CHIPS || d->form_factor == FORM_FACTOR_DIE;
}

static void read_device(struct reading *r, const struct smbios_cursor *c,
                        const struct memory_device *d)
{
    struct smbios_memory *m = r->memory;
    struct smbios_slot slot = { 0 };

    if (d->head.length < DEVICE_2_1_BYTES) {
        r->broken++;
        return;
    }
    if (!is_ram(d->memory_type) || is_among(r->external, r->n_external, d->array))
        return;
    slot.handle = d->head.handle;
    slot.memory_type = d->memory_type;
    slot.is_populated = d->size != 0;
    slot.is_ordinary = is_ordinary(r, d);
    slot.is_soldered = is_soldered(d);
    slot.rated_mt_s = rated_mt_s(d);
    slot.configured_mt_s = configured_mt_s(d);
    slot.configured_mv = configured_mv(d);
    slot.total_bits = known_bits(d->total_bits);
    slot.data_bits = known_bits(d->data_bits);
    read_name(r, c, d, d->locator, slot.locator);
    read_name(r, c, d, d->bank_locator, slot.bank);
    if (slot.is_populated && HAS_FIELD(d, part_number))
        read_made(c, d, &slot);

    m->slots++;
    m->populated += slot.is_populated;
    if (size_of(d, &slot.size_bytes) == STATUS_OK)
        m->installed_bytes += slot.size_bytes;
    else
        m->unknown++;
    if (m->n_slot < SMBIOS_SLOTS_MAX)
        m->slot[m->n_slot++] = slot;
}

static void read_range(struct reading *r, const struct device_range *range)
{
    if (range->head.length < sizeof(*range)) {
        r->broken++;
        return;
    }
    for (uint32_t i = 0; i < r->memory->n_slot; i++) {
        if (r->memory->slot[i].handle == range->device)
            r->memory->slot[i].has_range = true;
    }
}

/*
 * Longer than its type is in 3.7, although firmware reports no later version: the length is wrong,
 * and the walk would continue inside another structure.
 */
static bool is_too_long(const struct smbios *smbios, const struct smbios_structure *s)
{
    if (smbios->major > 3 || (smbios->major == 3 && smbios->minor > 7))
        return false;
    switch (s->type) {
    case TYPE_MEMORY_ARRAY: return s->length > ARRAY_3_7_BYTES;
    case TYPE_MEMORY_DEVICE: return s->length > DEVICE_3_7_BYTES;
    case TYPE_DEVICE_RANGE: return s->length > RANGE_3_7_BYTES;
    default: return false;
    }
}

/* One walk for each type: a structure may refer to one that comes after it. */
static void read_all(struct reading *r, const struct smbios *smbios, uint8_t type)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;

    while ((s = smbios_next(&c))) {
        if (is_too_long(smbios, s)) {
            r->breaks_off = true;
            return;
        }
        if (s->type != type)
            continue;
        if (type == TYPE_MEMORY_ARRAY)
            read_array(r, (const void *)s);
        else if (type == TYPE_MEMORY_DEVICE)
            read_device(r, &c, (const void *)s);
        else
            read_range(r, (const void *)s);
    }
    r->breaks_off = c.malformed;
}

enum status smbios_memory_read(const struct smbios *smbios, const struct warnings *warnings,
                               struct smbios_memory *ret_memory)
{
    struct reading r = { .memory = ret_memory };

    memset(ret_memory, 0, sizeof(*ret_memory));
    ret_memory->speeds_in_mhz = smbios->major < 3 || (smbios->major == 3 && smbios->minor < 1);
    read_all(&r, smbios, TYPE_MEMORY_ARRAY);
    read_all(&r, smbios, TYPE_MEMORY_DEVICE);
    read_all(&r, smbios, TYPE_DEVICE_RANGE);
    if (r.breaks_off || r.broken)
        warn_print(warnings, "SMBIOS: malformed list of structures; more memory may be installed");
    if (r.nameless)
        warn_print(warnings, "SMBIOS: unreadable names of memory slots, ignored: %zu", r.nameless);
    return ret_memory->slots ? STATUS_OK : STATUS_NOT_FOUND;
}

const char *smbios_memory_type_name(uint8_t type)
{
    static const char *const names[] = {
        [0x12] = "DDR",    [0x13] = "DDR2",   [0x18] = "DDR3", [0x1a] = "DDR4",
        [0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x22] = "DDR5", [0x23] = "LPDDR5",
    };

    return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "";
}
