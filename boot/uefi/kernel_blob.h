// SPDX-License-Identifier: MIT
/* The kernel's image in two copies, part of the loader: kernel_blob.asm. */
#pragma once

#include <stdint.h>

extern const uint8_t kernel_blob[], kernel_blob_second[];
extern const uint64_t kernel_blob_size; /* bytes of each */
