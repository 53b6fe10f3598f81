/* The kernel's ELF file, carried inside the loader: kernel_blob.asm. */
#pragma once

#include <stddef.h>
#include <stdint.h>

extern const uint8_t kernel_blob[];
extern const uint64_t kernel_blob_size;
