// SPDX-License-Identifier: MIT
#include "watchdog/watchdog.h"

#include "acpi/wdat.h"
#include "bmc/bmc.h"
#include "event/notices.h"
#include "lib/fmt.h"
#include "machine/board.h"
#include "machine/tables.h"
#include "watchdog/kinds.h"

static void report(const char *name, const struct watchdog_found *found)
{
    char time[16] = "";

    if (found->state == WATCHDOG_OFF)
        return;
    if (found->has_time)
        fmt_print(time, sizeof(time), " in %u s", found->seconds_left);
    if (found->state == WATCHDOG_STOPPED)
        notice("stopped %s, which firmware had left running (it was to %s%s)", name, found->effect,
               time);
    else
        notice("firmware has left %s running, to %s%s, and it cannot be stopped", name,
               found->effect, time);
}

static void stop_tco(void)
{
    struct watchdog_found found = tco_stop(tables_map_registers);

    report("the chipset's watchdog (TCO)", &found);
}

static void stop_fch(void)
{
    struct watchdog_found found = fch_stop(tables_map_registers);

    report("the chipset's watchdog (AMD's FCH)", &found);
}

static void stop_wdat(void)
{
    const struct acpi_header *table;
    struct watchdog_found found;
    struct wdat wdat;

    if (tables_find("WDAT", &table) != STATUS_OK || wdat_read(table, &notices, &wdat) != STATUS_OK)
        return;
    if (wdat_stop(&wdat, tables_map_registers, &found) == STATUS_OK)
        report("the watchdog of the ACPI table WDAT", &found);
    else
        notice("WDAT: registers where none can be; the watchdog that it describes is left as it "
               "is");
}

static void stop_ipmi(void)
{
    struct watchdog_found found;
    struct kcs kcs;
    const char *why;
    enum status status;

    if (board.ipmi.interface != IPMI_KCS)
        return;
    why = bmc_find(&kcs);
    if (!why) {
        status = ipmi_watchdog_stop(&kcs, BMC_ANSWER_US, &found);
        why = status == STATUS_OK ? NULL : bmc_reason(status);
    }
    if (why)
        notice("the management controller cannot be asked for its watchdog: %s", why);
    else
        report("the management controller's watchdog (IPMI)", &found);
}

void watchdogs_stop(void)
{
    stop_tco();
    stop_fch();
    stop_wdat();
    stop_ipmi();
}

/* That of this run; all zeros: there is none. */
static struct watchdog_timer own;

void watchdog_start(uint32_t seconds)
{
    if (seconds && !tco_start(tables_map_registers, seconds, &own) &&
        !fch_start(tables_map_registers, seconds, &own))
        notice("watchdog=: okram knows no watchdog of this chipset that can reset the machine: if "
               "the run hangs, somebody has to");
}

void watchdog_feed(void)
{
    if (own.feed)
        own.feed(&own);
}

void watchdog_end(void)
{
    if (own.stop)
        own.stop(&own);
    own = (struct watchdog_timer){ 0 };
}
