// SPDX-License-Identifier: MIT
#include "ecc/ecc.h"

#include "lib/fmt.h"
#include "machine/machine.h"

static struct ecc_count count;

void ecc_add(struct fault_log *log, const struct ecc_error *error)
{
    fault_log_add_errors(log, error->count);
    ecc_count_add(&count, error);
}

/* Controllers and channels are numbered within the CPU's own package. */
void ecc_channel_name(const struct mca_record *record, char ret[ECC_CHANNEL_SIZE])
{
    struct fmt_buffer b = fmt_buffer_make(ret, ECC_CHANNEL_SIZE);
    uint32_t node = machine.nodes.node[machine.cpu_node[record->cpu]].domain;

    if (record->channel.kind == MCA_CHANNEL_UMC)
        fmt_append(&b, "node %u, UMC %u", node, record->channel.number);
    else if (record->channel.kind == MCA_CHANNEL_CODE)
        fmt_append(&b, "node %u, bank %u, channel %u", node, record->bank, record->channel.number);
}

void ecc_add_machine_check(struct fault_log *log, const struct mca_record *record)
{
    char channel[ECC_CHANNEL_SIZE];

    if (!record->of_memory)
        return;
    ecc_channel_name(record, channel);
    ecc_add(log, &(struct ecc_error){
                     .count = record->count,
                     .corrected = record->corrected,
                     .has_page = record->is_memory,
                     .channel = channel,
                 });
}

void ecc_find_page(uint64_t n_errors)
{
    ecc_count_find_page(&count, n_errors);
}

const struct ecc_count *ecc_so_far(void)
{
    return &count;
}
