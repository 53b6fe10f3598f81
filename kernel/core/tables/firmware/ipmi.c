// SPDX-License-Identifier: MIT
#include "firmware/ipmi.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/string.h"

#define TYPE_IPMI 38

struct ipmi_device {
    struct smbios_structure head;
    uint8_t interface, revision, i2c_address, storage;
    uint64_t base;
    uint8_t modifier;
} __attribute__((packed));
_Static_assert(sizeof(struct ipmi_device) == 17, "DSP0134 7.39");

#define BASE_IS_IO        1u
#define MODIFIER_BASE_LOW (1u << 4) /* bit 0 of the address */
#define MODIFIER_SPACING  6

static void read_device(const struct ipmi_device *d, struct smbios_ipmi *ret)
{
    static const uint8_t spacings[] = { 1, 4, 16, 0 };
    uint8_t modifier = d->head.length >= sizeof(*d) ? d->modifier : 0;

    *ret = (struct smbios_ipmi){
        .interface = d->interface <= IPMI_SSIF ? d->interface : IPMI_NONE,
        .is_memory = !(d->base & BASE_IS_IO),
        .base = (d->base & ~(uint64_t)BASE_IS_IO) | !!(modifier & MODIFIER_BASE_LOW),
        .spacing = spacings[modifier >> MODIFIER_SPACING],
    };
}

void smbios_ipmi_read(const struct smbios *smbios, struct smbios_ipmi *ret_ipmi)
{
    struct smbios_cursor c = smbios_structures(smbios);
    const struct smbios_structure *s;

    *ret_ipmi = (struct smbios_ipmi){ .interface = IPMI_NONE };
    while ((s = smbios_next(&c))) {
        if (s->type != TYPE_IPMI || s->length < offsetof(struct ipmi_device, modifier))
            continue;
        read_device((const void *)s, ret_ipmi);
        return;
    }
}

static void put(uint8_t *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

void sel_record_make(const struct sel_verdict *verdict, uint8_t ret_record[SEL_RECORD_BYTES])
{
    memset(ret_record, 0, SEL_RECORD_BYTES);
    ret_record[2] = SEL_RECORD_TYPE;
    memcpy(ret_record + 3, "okram", 5);
    ret_record[8] = (uint8_t)(verdict->status[0] - 'a' + 'A');
    ret_record[9] = verdict->is_complete;
    put(ret_record + 10, 4, min_u64(verdict->bad_pages, UINT32_MAX));
    put(ret_record + 14, 2, min_u64(verdict->passes, UINT16_MAX));
}
