#include "firmware/smbios_memory.h"

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
    uint16_t speed_mt_s;
    uint8_t manufacturer, serial_number, asset_tag, part_number;
    uint8_t attributes;
    uint32_t extended_size_mib; /* since 2.7 */
} __attribute__((packed));
_Static_assert(offsetof(struct memory_device, memory_type) == 0x12, "DSP0134 7.18");
_Static_assert(offsetof(struct memory_device, extended_size_mib) == 0x1c, "DSP0134 7.18");

#define TYPE_MEMORY_DEVICE 17u
#define DEVICE_2_1_BYTES   0x15u
#define SIZE_UNKNOWN       0xffffu
#define SIZE_EXTENDED      0x7fffu
#define SIZE_IN_KIB        0x8000u
#define EXTENDED_SIZE_MASK 0x7fffffffu

enum memory_type {
    MEMORY_TYPE_ROM = 0x08, /* ROM, flash, EEPROM, FEPROM, EPROM */
    MEMORY_TYPE_EPROM = 0x0c,
    MEMORY_TYPE_NON_VOLATILE = 0x1f,
};

static bool is_ram(uint8_t memory_type)
{
    return !(memory_type >= MEMORY_TYPE_ROM && memory_type <= MEMORY_TYPE_EPROM) &&
           memory_type != MEMORY_TYPE_NON_VOLATILE;
}

static void add_device(struct smbios_memory *m, const struct memory_device *d)
{
    m->slots++;
    if (d->size == 0)
        return;
    m->populated++;
    if (d->size == SIZE_UNKNOWN)
        m->unknown++;
    else if (d->size == SIZE_EXTENDED && d->head.length < sizeof(*d))
        m->unknown++;
    else if (d->size == SIZE_EXTENDED)
        m->installed_bytes += (uint64_t)(d->extended_size_mib & EXTENDED_SIZE_MASK) << 20;
    else if (d->size & SIZE_IN_KIB)
        m->installed_bytes += (uint64_t)(d->size & ~SIZE_IN_KIB) << 10;
    else
        m->installed_bytes += (uint64_t)d->size << 20;
}

enum status smbios_memory_read(const struct smbios *smbios, const struct warnings *warnings,
                               struct smbios_memory *ret_memory)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;
    struct smbios_memory m = { 0 };
    size_t broken = 0;

    while ((s = smbios_next(&c))) {
        const struct memory_device *d = (const void *)s;

        if (s->type != TYPE_MEMORY_DEVICE)
            continue;
        if (s->length < DEVICE_2_1_BYTES)
            broken++;
        else if (is_ram(d->memory_type))
            add_device(&m, d);
    }
    if (c.malformed || broken)
        warn_print(warnings,
                   "SMBIOS: the list of structures is broken; the installed memory may be more");
    if (m.slots == 0)
        return STATUS_NOT_FOUND;
    *ret_memory = m;
    return STATUS_OK;
}
