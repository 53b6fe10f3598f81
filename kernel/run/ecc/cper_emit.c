// SPDX-License-Identifier: MIT
#include "ecc/cper_emit.h"

#include "acpi/error_block.h"
#include "arch/tsc.h"
#include "ecc/ecc.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/fmt.h"
#include "machine/error_sources.h"
#include "machine/machine.h"
#include "mce/error_count.h"

#define POLL_EVERY_US 100000

/* Errors of the CPU, of PCI Express and others. */
struct elsewhere {
    uint64_t corrected, uncorrected;
};

static struct cper_count counts;
static struct elsewhere elsewhere;
static uint64_t next_poll;
static bool has_told_of_short;

static void send(const struct cper_report *r)
{
    events_send(&(struct event){
        .type = EVENT_CPER,
        .cper = { .source = r->source, .memory = &r->memory, .count = r->count },
    });
}

/* An error whose section is too short counts, but without an address. */
static enum status read_section(uint32_t source, const struct error_section *section,
                                struct cper_memory *ret)
{
    enum status status = cper_memory_read(section, ret);

    if (status != STATUS_INVALID)
        return status;
    if (!has_told_of_short)
        notice("error source %u of the HEST: a report on memory of %zu bytes is too short; counted "
               "without an address",
               source, section->bytes);
    has_told_of_short = true;
    *ret = (struct cper_memory){ .severity = section->severity };
    return STATUS_OK;
}

static void count_elsewhere(uint32_t severity)
{
    if (severity == ERROR_CORRECTED)
        elsewhere.corrected++;
    else if (severity != ERROR_INFORMATION)
        elsewhere.uncorrected++;
}

static void count_memory(struct fault_log *log, uint32_t source, struct cper_memory *m)
{
    char module[ECC_CHANNEL_SIZE];
    struct fmt_buffer b = fmt_buffer_make(module, sizeof(module));
    struct cper_report report;

    m->has_page =
        m->has_page && m->severity != ERROR_INFORMATION && machine_has_memory_at(m->addr, 1);
    if (m->has_page)
        fault_log_mark_page(log, m->addr);
    cper_append_module(&b, m);
    if (m->severity != ERROR_INFORMATION)
        ecc_add(log, &(struct ecc_error){
                         .count = 1,
                         .corrected = m->severity == ERROR_CORRECTED,
                         .has_page = m->has_page,
                         .channel = module,
                     });
    if (cper_count_add(&counts, source, m, &report))
        send(&report);
}

static void receive(struct fault_log *log, uint32_t source, struct error_block *block)
{
    struct error_section section;
    struct cper_memory memory;

    while (error_block_next(block, &section)) {
        if (read_section(source, &section, &memory) == STATUS_OK)
            count_memory(log, source, &memory);
        else
            count_elsewhere(section.severity);
    }
}

static void warn_of_old(struct fault_log *log, uint32_t source, struct error_block *block)
{
    struct error_section section;
    struct cper_memory m = { 0 };
    size_t n = 0, n_memory = 0;
    char place[100] = "";
    struct fmt_buffer b = fmt_buffer_make(place, sizeof(place));

    for (; error_block_next(block, &section); n++) {
        struct cper_memory memory;

        if (cper_memory_read(&section, &memory) == STATUS_OK && !n_memory++)
            m = memory;
    }
    if (n_memory)
        fmt_append(&b, ", %zu of memory: %s", n_memory, cper_severity_name(m.severity));
    if (m.has_addr)
        fmt_append(&b, ", address 0x%lx", m.addr);
    notice("error source %u of the HEST has %zu report%s from before okram started%s", source, n,
           fmt_plural(n), place);
}

static void look(struct fault_log *log,
                 void (*take)(struct fault_log *log, uint32_t source, struct error_block *block))
{
    for (size_t i = 0; i < error_sources_count(); i++) {
        struct error_block block;

        if (error_source_take(i, &block) == STATUS_OK)
            take(log, error_source_id(i), &block);
    }
}

void cper_emit_begin(void)
{
    look(NULL, warn_of_old);
    next_poll = tsc_now() + tsc_from_us(POLL_EVERY_US);
}

void cper_emit_poll(struct fault_log *log)
{
    if (!next_poll || tsc_now() < next_poll)
        return;
    next_poll = tsc_now() + tsc_from_us(POLL_EVERY_US);
    look(log, receive);
}

void cper_emit_finish(struct fault_log *log)
{
    struct cper_report report;

    look(log, receive);
    while (cper_count_next_unsent(&counts, &report))
        send(&report);
    if (counts.uncounted)
        notice("firmware reported %lu more errors of memory than can be listed", counts.uncounted);
    if (elsewhere.corrected || elsewhere.uncorrected)
        notice("firmware reported errors that are not of memory: %lu uncorrected, %lu corrected; "
               "the CPU, a device or the board may be faulty",
               elsewhere.uncorrected, elsewhere.corrected);
}
