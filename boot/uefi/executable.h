/* Leave to run code in memory that the loader has allocated. */
#pragma once

#include <stdint.h>

/*
 * Makes pages writable and executable in firmware's page tables, where firmware lets a loader
 * change that (EFI_MEMORY_ATTRIBUTE_PROTOCOL of UEFI 2.10). Elsewhere code pages are so.
 */
void executable_make(uint64_t base, uint64_t n_pages);
