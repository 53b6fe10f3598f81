// SPDX-License-Identifier: MIT
/*
 * Load options and orders of the boot manager. The input: a number (2), room for an option (2),
 * bytes of an order (1), of a partition's node (1) and of a name (1), and all three.
 */
#include "boot/uefi/guard_install/load_option.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static unsigned count(const uint8_t *order, size_t size, uint16_t number)
{
    unsigned n = 0;

    for (size_t at = 0; at + 1 < size; at += 2)
        n += (order[at] | order[at + 1] << 8) == number;
    return n;
}

static void check_order(const uint8_t *bytes, size_t size, uint16_t number)
{
    uint8_t *order = fuzz_copy(bytes, size), *with = malloc(size + 2), *without = malloc(size + 2);
    size_t n_with, n_without, again;

    CHECK(with && without);
    n_with = load_order_with(order, size, number, with);
    n_without = load_order_without(order, size, number, without);
    CHECK(n_with == n_without + 2 && n_without <= size && n_with % 2 == 0);
    CHECK(count(with, 2, number) == 1 && count(with, n_with, number) == 1);
    CHECK(memcmp(with + 2, without, n_without) == 0);
    CHECK(!load_order_has(without, n_without, number) && load_order_has(with, n_with, number));
    CHECK(load_order_has(order, size, number) == (count(order, size, number) > 0));
    again = load_order_without(with, n_with, number, with); /* in place, as the guard does */
    CHECK(again == n_without && memcmp(with, without, again) == 0);
    free(without);
    free(with);
    free(order);
}

/* The head, and the lengths in it, lead to the data (UEFI 2.10, 3.1.3). */
static void check_option(const uint8_t *out, size_t size, size_t node_bytes, const char *file)
{
    size_t path_bytes = out[4] | (size_t)out[5] << 8, at = 6 + 2 * sizeof("okram guard");
    size_t file_bytes = out[at + node_bytes + 2] | (size_t)out[at + node_bytes + 3] << 8;

    CHECK(path_bytes == node_bytes + file_bytes + 4 && at + path_bytes == size);
    CHECK(file_bytes == 4 + 2 * (strlen(file) + 1));
    CHECK(memcmp(out + at + path_bytes - 4, "\x7f\xff\4\0", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint16_t number = (uint16_t)fuzz_number(&in, 2);
    size_t room = fuzz_number(&in, 2) % 2048, n[3], got[3], made;
    const uint8_t *part[3];
    uint8_t *out = malloc(room + 1);
    char *name;

    CHECK(out);
    for (size_t i = 0; i < 3; i++)
        n[i] = fuzz_number(&in, 1);
    for (size_t i = 0; i < 3; i++)
        part[i] = fuzz_bytes(&in, n[i], &got[i]);
    name = fuzz_text(part[2], got[2]);
    check_order(part[0], got[0], number);
    out[room] = 0x5a;
    made = load_option_make(part[1], got[1], name, out, room);
    CHECK(made <= room && out[room] == 0x5a);
    if (made)
        check_option(out, made, got[1], name);
    free(name);
    free(out);
    return 0;
}
