// SPDX-License-Identifier: MIT
#include "start/take_over.h"

#include "arch/nmi.h"
#include "arch/paging.h"
#include "arch/smp.h"
#include "clock/clock.h"
#include "console/console.h"
#include "facts/describe.h"
#include "facts/identity_emit.h"
#include "interrupt/unexpected.h"
#include "machine/error_sources.h"
#include "machine/inventory.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/tables.h"
#include "mce/mca.h"
#include "self/candidate_pages.h"
#include "self/probe.h"
#include "watchdog/watchdog.h"

void take_over_cpu(const struct boot_info *boot)
{
    paging_begin();       /* in place of the loader's page tables */
    console_begin(boot);  /* a panic is shown on any screen from here on */
    smp_start_boot_cpu(); /* its own tables: an exception is reported, and is no silent reset */
    unexpected_begin();
    nmi_begin();
    mca_enable();
    clock_begin();
}

void take_over_memory(const struct boot_info *boot, const struct options *options)
{
    const struct spans tested = { .span = (struct span *)options->range, .n = options->n_ranges };

    probe_begin(boot);      /* pages that the loader found bad are never used */
    machine_read_map(boot); /* which memory there is */
    smp_take_over();        /* from here on no other CPU runs firmware's code... */
    machine_stop_dma(boot); /* ...and no device writes to memory */
    machine_take_memory(boot, &tested, candidate_pages_check);
    tables_open(boot); /* for the date and the serial port */
}

void explore_machine(const struct boot_info *boot, const struct options *options)
{
    tables_read(boot);                   /* CPUs, nodes, modules, clocks, power */
    watchdogs_stop();                    /* none resets the machine meanwhile */
    watchdog_start(options->watchdog_s); /* but for the run's own */
    power_button_begin(&platform.power, &platform.power_button); /* it ends the run, as q does */
    error_sources_find();                   /* where firmware reports errors of memory */
    clock_calibrate(&platform.clocks);      /* the time stamp counter, by those clocks */
    identity_emit(boot, options->identity); /* which run of which machine */
    describe_step("tables are read, clocks compared");
    inventory_read(options->spd); /* what modules say of themselves, and temperatures */
}
