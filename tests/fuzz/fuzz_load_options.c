// SPDX-License-Identifier: MIT
/* EFI load options. The input: room for the text (1), flags (1), and the options. */
#include "boot/uefi/load_options.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define HAS_PATH 1u

static const uint16_t own_path[] = { '\\', 'E', 'F', 'I', '\\', 'o', 'k', 'r',
                                     'a',  'm', '.', 'e', 'f',  'i', 0 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    size_t room = 1 + fuzz_number(&in, 1);
    uint64_t flags = fuzz_number(&in, 1);
    uint8_t *options = fuzz_copy(in.bytes, in.left);
    char *text = malloc(room);
    size_t length;

    CHECK(text);
    load_options_text(options, in.left, flags & HAS_PATH ? own_path : NULL, text, room);
    CHECK(memchr(text, 0, room));
    length = strlen(text);
    for (size_t i = 0; i < length; i++)
        CHECK((text[i] >= ' ' && text[i] <= '~') || text[i] == '\t');
    free(text);
    free(options);
    return 0;
}
