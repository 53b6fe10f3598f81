// SPDX-License-Identifier: MIT
/*
 * Whether firmware drives a USB controller, by registers that lead anywhere. The input: the
 * interface (1), bits that all reads have (4), and configuration space and registers, of which a
 * read takes a word by its offset.
 */
#include "usb_formats/legacy.h"

#include <string.h>

#include "fuzz.h"

#define READS_MAX (2 * 64 + 3) /* of a list of capabilities that goes in a circle */

struct space {
    const uint8_t *bytes;
    size_t size;
    uint32_t always;
    unsigned reads;
};

static uint32_t read_memory(void *ctx, uint32_t offset)
{
    struct space *s = ctx;
    uint32_t value = 0;

    CHECK(offset % 4 == 0 && s->reads++ < READS_MAX);
    if (s->size >= sizeof(value))
        memcpy(&value, s->bytes + offset % (s->size - sizeof(value) + 1), sizeof(value));
    return value | s->always;
}

static uint32_t read_config(void *ctx, uint8_t offset)
{
    return read_memory(ctx, offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint8_t interface = (uint8_t)fuzz_number(&in, 1);
    struct space s = { .always = (uint32_t)fuzz_number(&in, 4) };
    const struct usb_registers registers = { read_config, read_memory, &s };
    bool is_on;

    s.bytes = in.bytes;
    s.size = in.left;
    is_on = usb_legacy_is_on(interface, &registers);
    if (s.always == UINT32_MAX)
        CHECK(!is_on);
    if (is_on)
        CHECK(interface == USB_UHCI || interface == USB_OHCI || interface == USB_EHCI ||
              interface == USB_XHCI);
    return 0;
}
