// SPDX-License-Identifier: MIT
/*
 * What `tools/okram badram` hands to build/badram on its standard input, and the cover and the
 * lines made of it: which one but the badram line is by the input's length. The RAM is 2 MiB in two
 * parts.
 */
#include "tools/badram/input.h"

#include <stdio.h>
#include <stdlib.h>

#include "bootcfg/lines.h"
#include "fuzz.h"
#include "given_up.h"
#include "line_checks.h"
#include "tools/badram/message.h"

#define MIB UINT64_C(0x100000)

static const struct span ram[] = { { 0, MIB }, { UINT64_C(1) << 32, MIB } };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void use(const struct input *input, enum line_kind other)
{
    static struct page_extent extent[COUNT(ram)];
    static struct page_index space;
    static struct fault_log log;
    void *copy;

    CHECK(page_index_init(&space, extent, COUNT(ram), ram, COUNT(ram)) == STATUS_OK);
    copy = allocate(fault_log_copy_bytes(&space));
    fault_log_init(&log, &space, &(struct fault_log_memory){ .copy = { copy } });
    input_mark(input, &log);
    for (size_t i = 0; i < input->n_runs; i++) {
        uint64_t first = input->run[i].first << PAGE_SHIFT;

        if (first < ram[0].size)
            CHECK(fault_log_is_bad(&log, first));
    }
    line_checks(&log, 64, 119, other);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct input input;
    uint8_t *text = fuzz_copy(bytes, size);

    if (size == 0)
        return free(text), 0;
    free(input.run);
    free(input.pattern);
    input = (struct input){ 0 };
    stdin = fmemopen(text, size, "r");
    CHECK(stdin);
    if (setjmp(given_up) == 0) {
        input_read(&input);
        use(&input, (enum line_kind)(size % LINE_KINDS));
    }
    fclose(stdin);
    free(text);
    return 0;
}
