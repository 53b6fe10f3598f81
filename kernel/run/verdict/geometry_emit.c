// SPDX-License-Identifier: MIT
#include "verdict/geometry_emit.h"

#include "controller/controllers.h"
#include "event/events.h"
#include "lib/string.h"
#include "machine/inventory.h"
#include "machine/machine.h"

static struct geometry found;

void geometry_emit(const struct run *run)
{
    struct geometry_facts facts = {
        .modules = &inventory_get()->modules,
        .controller = &controllers_get()->decoded,
        .ram_bytes = machine.ram_bytes,
        .tested_bytes = run->plan.tested_bytes,
    };
    struct geometry now;
    struct alias alias;

    if (aliases_largest(&run->found.aliases, &alias))
        facts.alias = (struct geometry_alias){ alias.pages, alias.addr, alias.partner,
                                               alias.various ? 0 : alias.address_bits };
    geometry_find(&facts, &now);
    if (!now.finding || strcmp(now.text, found.text) == 0)
        return;
    found = now;
    events_send(&(struct event){ .type = EVENT_GEOMETRY, .geometry = &found });
}

const struct geometry *geometry_emit_found(void)
{
    return &found;
}
