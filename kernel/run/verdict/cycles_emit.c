// SPDX-License-Identifier: MIT
#include "verdict/cycles_emit.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/crc32c.h"
#include "machine/board.h"
#include "machine/inventory.h"
#include "machine/machine.h"
#include "progress/progress.h"

#define RAM_UNIT (UINT64_C(64) << 20) /* firmware takes a little more or less at each start */

static uint32_t add_to(uint32_t crc, const void *bytes, size_t n)
{
    return crc32c_by_nibbles(crc, bytes, n);
}

/* What is fitted, wherever it is; not 0. */
static uint32_t memory_id(const struct modules *modules)
{
    uint64_t ram = machine.ram_bytes / RAM_UNIT;
    uint32_t sum = 0;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];
        uint32_t crc = add_to(~0u, &m->size_bytes, sizeof(m->size_bytes));

        crc = add_to(crc, m->part, sizeof(m->part));
        sum += add_to(crc, m->serial, sizeof(m->serial));
    }
    return add_to(sum, &ram, sizeof(ram)) | 1;
}

void cycles_emit_begin(struct run *run)
{
    struct cycles *c = &run->options.cycles;

    if (c->wanted && !cycles_begin(c, memory_id(&inventory_get()->modules)))
        notice("the memory is not that of the starts before: %u start%s no longer count, and "
               "cycles=%u begins anew; was a module changed, or not found by the firmware?",
               c->dropped, fmt_plural(c->dropped), c->wanted);
}

/* The loader gives a number to starts that it can keep. */
static void warn_of_restart(const struct cycles *c, const char *word, bool keeps_report)
{
    if (cycles_left(c) && (!c->id || !keeps_report))
        notice("the count of the starts cannot be kept here over a restart: for the next of the %u "
               "starts that are left, restart the machine and give okram the option cycles=%s",
               cycles_left(c), word);
}

void cycles_emit_end(struct run *run, bool keeps_report)
{
    int64_t seconds = (int64_t)(tsc_elapsed_us() / 1000000);
    struct cycles *c = &run->options.cycles;
    char word[CYCLES_WORD_MAX] = "";
    struct fmt_buffer w = fmt_buffer_make(word, sizeof(word));

    if (!c->wanted)
        return;
    cycles_ran(c, fault_log_errors(&run->found.log), progress_total_swept(),
               board.started ? (uint64_t)(board.started + seconds) : 0);
    cycles_append(&w, c);
    warn_of_restart(c, word, keeps_report);
    events_send(&(struct event){
        .type = EVENT_CYCLES, .cycles = { c, confidence_part(c->with_errors, c->starts), word } });
}
