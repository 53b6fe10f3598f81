// SPDX-License-Identifier: MIT
/*
 * A stick whose file system is not as it should be: changes of a byte each, then what a run does
 * with it, some of whose reads fail. Whatever is written is in the place of the report, behind a
 * mark that is right there.
 */
#include <string.h>

#include "../unit/run_file/played_disk.h"
#include "fuzz.h"

#define CHANGES_MAX 64
#define READ_FAILS  0xff

static struct played_disk *p;
static struct fuzz_input *input;

static uint64_t number_at(const uint8_t *from)
{
    return from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 | (uint64_t)from[3] << 24;
}

/* The number of the file whose mark the bytes at m are, in a volume that begins in a partition; 0:
 * of none. */
static unsigned marked(uint64_t m)
{
    char mark[STICK_MARK_BYTES];

    if (memcmp(p->bytes + m, "<!-- okram writes", 17) != 0 &&
        memcmp(p->bytes + m, "# okram writes", 14) != 0)
        return 0;
    for (unsigned i = 0; i < FAT_PARTITIONS; i++) {
        uint64_t base = number_at(p->bytes + 446 + 16 * i + 8) * DISK_BLOCK;

        for (unsigned n = 1; n <= STICK_NEXT && base <= m; n++) {
            stick_mark(n, PLAYED_KERNEL, m - base, mark);
            if (memcmp(p->bytes + m, mark, sizeof(mark)) == 0)
                return n;
        }
    }
    return 0;
}

static bool write_checked(void *ctx, uint64_t first, uint32_t n, const void *from)
{
    uint64_t at = first * DISK_BLOCK, end = at + (uint64_t)n * DISK_BLOCK;
    unsigned next = at >= STICK_MARK_BYTES ? marked(at - STICK_MARK_BYTES) : 0;
    bool is_allowed = next == STICK_NEXT && n == 1;

    /* A mark begins a block; the write's end is that of one. */
    for (uint64_t m = end > STICK_END_AT ? end - STICK_END_AT : 0;
         m + STICK_STATE_AT <= at && !is_allowed; m += DISK_BLOCK)
        is_allowed = marked(m) && marked(m) < STICK_NEXT;
    CHECK(is_allowed);
    return played_write(ctx, first, n, from);
}

static bool read_or_fail(void *ctx, uint64_t first, uint32_t n, void *to)
{
    return fuzz_number(input, 1) != READ_FAILS && played_read(ctx, first, n, to);
}

static void change(struct fuzz_input *in)
{
    uint8_t *const areas[] = {
        p->bytes + 446, p->boot,    p->fat,     p->root,
        p->folder,      p->file[1], p->file[2], p->file[1] + STICK_STATE_AT
    };
    static const unsigned bytes[] = { 66, 96, 8448, 128, 512, 512, 512, 512 };
    unsigned area = fuzz_number(in, 1) % 8;
    unsigned at = (unsigned)fuzz_number(in, 2) % bytes[area];

    areas[area][at] = (uint8_t)fuzz_number(in, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char records[] = "{\"type\":\"start\"}\n";
    const struct saved_state state = { .seconds = 1, .test = "mats+" };
    struct fuzz_input in = { bytes, size };
    struct stick_file files[STICK_FILES], next;
    uint64_t run = 0;
    size_t n;

    p = played_begin(1);
    for (uint64_t left = fuzz_number(&in, 1) % CHANGES_MAX; left; left--)
        change(&in);
    input = &in;
    p->disk.read = read_or_fail;
    p->disk.write = write_checked;
    n = stick_find(&p->disk, PLAYED_KERNEL, files, &next);
    CHECK(n <= STICK_FILES);
    if (n && next.n)
        stick_write_next(&p->disk, &next, "tests=quick", "start 2 of 3");
    if (n) {
        struct stick_file file = stick_choose(files, n, "", &run);
        struct stick_written written = { .n = 0 };
        const struct stick_report report = { run, &state, records, sizeof(records) - 1 };

        CHECK(file.n >= 1 && file.n <= STICK_FILES && run);
        stick_write(&p->disk, &file, &report, &written);
        stick_write(&p->disk, &file, &report, &written);
    }
    played_end(p);
    return 0;
}
