// SPDX-License-Identifier: MIT
#include "facts/temperature_emit.h"

#include "event/events.h"
#include "machine/inventory.h"

static bool is_any_known(const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->modules.n; i++) {
        if (inventory->modules.module[i].temperature.is_known)
            return true;
    }
    return inventory->cpu.is_known;
}

static void send(const char *when)
{
    const struct inventory *inventory = inventory_get();

    if (is_any_known(inventory))
        events_send(&(struct event){
            .type = EVENT_TEMPERATURE,
            .temperature = { when, &inventory->cpu, &inventory->modules },
        });
}

void temperature_emit_begin(void)
{
    send("start");
}

void temperature_emit_poll(const struct fault_log *log)
{
    static bool had_faults;

    inventory_poll();
    if (had_faults || !fault_log_bad_pages(log))
        return;
    had_faults = true;
    send("fault");
}

void temperature_emit_finish(void)
{
    send("end");
}
