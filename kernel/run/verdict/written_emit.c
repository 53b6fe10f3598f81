// SPDX-License-Identifier: MIT
#include "verdict/written_emit.h"

#include "event/notices.h"
#include "firmware/pci_class.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "machine/board.h"

#define NAMED_MAX 5
#define LIST_SIZE 240

static void append(struct fmt_buffer *b, const struct bus_master *m)
{
    fmt_append(b, "%s%02x:%02x.%u (%s, %04x:%04x)", b->length ? ", " : "", pci_bus(m->function),
               pci_device(m->function), pci_number(m->function), pci_class_name(m->class_code),
               m->id & 0xffff, m->id >> 16);
}

void written_emit(const struct external *external, const struct kind_verdict *verdict)
{
    const struct bus_masters *on = &board.bus_masters;
    size_t named = min_u64(min_u64(on->n, BUS_MASTERS_MAX), NAMED_MAX);
    char list[LIST_SIZE] = "";
    struct fmt_buffer b = fmt_buffer_make(list, sizeof(list));

    if (!on->n || !(verdict->looks_written || external_ever(external)))
        return;
    for (size_t i = 0; i < named; i++)
        append(&b, &on->master[i]);
    if (on->n > named)
        fmt_append(&b, ", and %zu more", on->n - named);
    notice("memory changed as if a device had written there; these can, as bus masters that okram "
           "has left on: %s",
           list);
}
