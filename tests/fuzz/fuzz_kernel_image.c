/* The kernel's ELF file, as the UEFI loader reads and places it. */
#include "boot/uefi/kernel_image.h"

#include <stdlib.h>

#include "fuzz.h"
#include "lib/span.h"

#define PLACED_MAX (1u << 24)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *file = fuzz_copy(bytes, size), *to;
    struct kernel_image image;

    if (kernel_image_open(file, size, &image) == STATUS_OK) {
        CHECK(image.size_bytes % PAGE_SIZE == 0 && image.size_bytes <= UINT64_C(1) << 31);
        CHECK(image.entry < image.size_bytes);
        if (image.size_bytes <= PLACED_MAX) {
            to = malloc(image.size_bytes);
            CHECK(to);
            kernel_image_place(&image, to);
            free(to);
        }
    }
    free(file);
    return 0;
}
