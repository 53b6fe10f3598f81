// SPDX-License-Identifier: MIT
#include "memory/footprint.h"

enum status footprint_copy(struct footprint *to, const struct footprint *from)
{
    if (page_list_copy(&to->data, &from->data) != STATUS_OK)
        return STATUS_NO_SPACE;
    return page_list_copy(&to->tables, &from->tables);
}

bool footprint_holds(const struct footprint *at, uint64_t phys)
{
    uint64_t offset;

    return page_list_offset(&at->data, phys, &offset) == STATUS_OK ||
           page_list_offset(&at->tables, phys, &offset) == STATUS_OK;
}
