// SPDX-License-Identifier: MIT
/*
 * QEMU's fw_cfg device, with a directory and files that it would never have. The input: room for
 * the string (1), bytes of the directory (2), the directory, and the bytes of every other item.
 * Behind its end a directory is all zeros, which are read to the last only where there is room for
 * one byte; else they would take most of the time.
 */
#include "io/fw_cfg.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/cpuid.h"
#include "io/ports.h"

#define ITEM_SIGNATURE 0x0000
#define ITEM_DIRECTORY 0x0019

/* More than all that a device of 1024 files has to say, name by name, and one of them whole. */
#define READS_MAX (4 + 4 + 1024 * 64 + 256)

static const char name[] = "opt/okram/cmdline";
static struct fuzz_input directory, content, selected;
static size_t n_reads, zeros_max;
static bool in_directory;
static jmp_buf read_enough;

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    CHECK(leaf == 1);
    return (struct cpuid_regs){ .ecx = 1u << 31 };
}

void io_out16(uint16_t port, uint16_t item)
{
    static const uint8_t signature[] = { 'Q', 'E', 'M', 'U' };

    CHECK(port == 0x510);
    in_directory = item == ITEM_DIRECTORY;
    if (item == ITEM_SIGNATURE)
        selected = (struct fuzz_input){ signature, sizeof(signature) };
    else
        selected = item == ITEM_DIRECTORY ? directory : content;
}

uint8_t io_in8(uint16_t port)
{
    CHECK(port == 0x511 && n_reads++ < READS_MAX);
    if (in_directory && !selected.left && zeros_max-- == 0)
        longjmp(read_enough, 1);
    return (uint8_t)fuzz_number(&selected, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    size_t room = 1 + fuzz_number(&in, 1);
    size_t wanted = fuzz_number(&in, 2);
    char *text = malloc(room);
    volatile enum status status;

    CHECK(text);
    directory.bytes = fuzz_bytes(&in, wanted, &directory.left);
    content = in;
    n_reads = 0;
    zeros_max = room > 1 ? 256 : READS_MAX;
    memset(text, 'x', room);
    status = STATUS_NOT_FOUND;
    if (!setjmp(read_enough))
        status = fw_cfg_read_string(name, text, room);
    if (status == STATUS_OK || status == STATUS_NO_SPACE)
        CHECK(memchr(text, 0, room));
    else
        CHECK(status == STATUS_NOT_FOUND && text[0] == 'x');
    free(text);
    return 0;
}
