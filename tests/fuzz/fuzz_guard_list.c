// SPDX-License-Identifier: MIT
/*
 * A list of bad pages from a variable or a file, which anybody may have written, on a machine of a
 * few pieces of RAM. The input: flags (1), 4 pieces of 8 bytes each (use, first page, pages), then
 * the list.
 */
#include "guardlist/guard_choose.h"
#include "guardlist/guard_list.h"
#include "guardlist/ram_use.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/crc32c.h"

#define MEND   1u /* the list's magic, version, lengths and CRC are made right */
#define RUNS   2  /* the flags above are the most runs that are left, less one */
#define PIECES 4
#define ROOM   (1u << 16)

static uint8_t masked_bytes[ROOM];

static void mend(uint8_t *bytes, size_t size)
{
    struct guard_list_head head;

    if (size < GUARD_LIST_HEAD_1)
        return;
    memcpy(&head, bytes, GUARD_LIST_HEAD_1);
    memcpy(head.magic, GUARD_LIST_MAGIC, sizeof(head.magic));
    head.version = head.version & 1 ? 1 : GUARD_LIST_VERSION;
    head.head_bytes = head.version == 1 ? GUARD_LIST_HEAD_1 : GUARD_LIST_HEAD;
    head.bytes = (uint32_t)size;
    memcpy(bytes, &head, GUARD_LIST_HEAD_1);
    head.crc32c = crc32c(bytes + 12, size - 12);
    memcpy(bytes, &head, GUARD_LIST_HEAD_1);
}

static struct guard_ram_use take_pieces(struct fuzz_input *in, struct guard_piece *piece)
{
    struct guard_ram_use pieces = { piece, PIECES };

    for (unsigned i = 0; i < PIECES; i++) {
        piece[i].use = (enum guard_use)(fuzz_number(in, 1) & 3);
        piece[i].first = fuzz_number(in, 4);
        piece[i].n = fuzz_number(in, 3);
    }
    guard_ram_use_sort(&pieces);
    return pieces;
}

static void check_runs(const struct guard_list *list)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_back_reader back = guard_list_read_back(list);
    struct guard_run run;
    uint64_t next = 0, n_pages = 0, back_pages = 0;
    uint32_t n = 0, n_back = 0;

    for (; guard_reader_next(&reader, &run); n++) {
        CHECK(run.n && run.first >= next + !!n);
        CHECK(run.first < GUARD_LIST_PAGES && run.n <= GUARD_LIST_PAGES - run.first);
        next = run.first + run.n;
        n_pages += run.n;
    }
    for (; guard_back_reader_next(&back, &run); n_back++) {
        CHECK(run.n && run.first + run.n <= next - !!n_back);
        next = run.first;
        back_pages += run.n;
    }
    CHECK(n == list->head.n_runs && n_back == n);
    CHECK(n_pages == list->head.n_pages && back_pages == n_pages);
}

/* What is masked is listed, and unusable already. */
static void check_tally(const struct guard_list *list, const struct guard_ram_use *pieces)
{
    struct guard_writer masked = guard_writer_begin(masked_bytes, sizeof(masked_bytes));
    struct guard_tally t;
    struct guard_list again;
    struct guard_reader reader;
    struct guard_run run;
    const char *why;
    size_t size;

    guard_tally(list, pieces, &masked, NULL, &t);
    CHECK(t.free + t.held + t.kept + t.masked + t.outside == list->head.n_pages);
    size = guard_writer_end(&masked, &list->head.machine, 0);
    if (!size)
        return;
    CHECK(guard_list_open(masked_bytes, size, &again, &why) == STATUS_OK);
    CHECK(again.head.n_pages == t.masked);
    for (reader = guard_list_read(&again); guard_reader_next(&reader, &run);)
        CHECK(guard_ram_use_part(pieces, run).use == GUARD_UNUSABLE);
    (void)guard_takes_too_much(list, pieces);
}

/* A list with fewer runs is no longer than the list, but for its head, and holds it. */
static void check_join(const struct guard_list *list, uint32_t max_runs)
{
    uint64_t *gap = malloc(list->head.n_runs * sizeof(*gap) + 1);
    size_t size = list->head.bytes + GUARD_LIST_HEAD - list->head.head_bytes;
    uint8_t *out = malloc(size);
    struct guard_list joined;
    const char *why;

    CHECK(gap && out);
    size = guard_join(list, max_runs, UINT64_MAX, &(struct guard_output){ out, size, gap });
    CHECK(guard_list_open(out, size, &joined, &why) == STATUS_OK);
    CHECK(joined.head.n_runs <= max_runs && guard_list_holds(&joined, list));
    free(gap);
    free(out);
}

/* What is chosen has few runs, and is not in the room, which is free. */
static void check_choice(const struct guard_list *list, const struct guard_ram_use *pieces,
                         uint32_t max_runs)
{
    const struct guard_limits limits = { max_runs, 3 };
    void *buffer = malloc(guard_choose_bytes(list));
    struct guard_choice choice;
    struct guard_reader reader;
    struct guard_run run;

    CHECK(buffer);
    if (guard_choose(list, pieces, &limits, buffer, &choice) == STATUS_OK) {
        const struct guard_run *room[] = { &choice.room.low, &choice.room.large };

        CHECK(choice.list.head.n_runs <= max_runs + 2);
        for (size_t i = 0; i < 2; i++) {
            CHECK(!room[i]->n || guard_ram_use_part(pieces, *room[i]).use == GUARD_FREE);
            reader = guard_list_read(&choice.list);
            while (guard_reader_next(&reader, &run))
                CHECK(run.first + run.n <= room[i]->first ||
                      run.first >= room[i]->first + room[i]->n);
        }
    }
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    struct guard_piece piece[PIECES];
    struct guard_ram_use pieces = take_pieces(&in, piece);
    uint8_t *copy = fuzz_copy(in.bytes, in.left);
    struct guard_list list;
    const char *why = NULL;

    if (flags & MEND)
        mend(copy, in.left);
    if (guard_list_open(copy, in.left, &list, &why) == STATUS_OK) {
        CHECK(!why && list.head.bytes <= in.left);
        check_runs(&list);
        check_tally(&list, &pieces);
        check_join(&list, 1 + (uint32_t)(flags >> RUNS));
        check_choice(&list, &pieces, 1 + (uint32_t)(flags >> RUNS));
    } else {
        CHECK(why && *why);
    }
    free(copy);
    return 0;
}
