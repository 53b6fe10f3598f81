// SPDX-License-Identifier: MIT
#include "guardlist/guard_list.h"

#include "lib/crc32c.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define CRC_FROM offsetof(struct guard_list_head, version)

#define SIGNED_AS "okram guard list" /* with its NUL, before what is signed */

/* A number of GUARD_LIST_PAGES or less has at most 6 bytes in LEB128. */
#define NUMBER_BYTES_MAX 6

/* STATUS_INVALID: it does not end, or is longer than such a number has to be. */
static enum status read_number(const uint8_t **at, const uint8_t *end, uint64_t *ret_number)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < NUMBER_BYTES_MAX && *at + i < end; i++) {
        uint8_t byte = (*at)[i];

        number |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte & 0x80)
            continue;
        if (i && !byte)
            return STATUS_INVALID;
        *at += i + 1;
        *ret_number = number;
        return STATUS_OK;
    }
    return STATUS_INVALID;
}

/* The run at reader->at; *ret_good are the pages between it and the one before. */
static enum status read_run(struct guard_reader *reader, uint64_t *ret_good,
                            struct guard_run *ret_run)
{
    uint64_t good, more;

    if (read_number(&reader->at, reader->end, &good) != STATUS_OK ||
        read_number(&reader->at, reader->end, &more) != STATUS_OK)
        return STATUS_INVALID;
    if (good >= GUARD_LIST_PAGES - reader->next_page ||
        more >= GUARD_LIST_PAGES - reader->next_page - good)
        return STATUS_INVALID;
    *ret_good = good;
    *ret_run = (struct guard_run){ reader->next_page + good, more + 1 };
    reader->next_page = ret_run->first + ret_run->n;
    return STATUS_OK;
}

/* 0: such a version is not known. */
static unsigned head_bytes_of(unsigned version)
{
    return version == GUARD_LIST_VERSION ? GUARD_LIST_HEAD : version == 1 ? GUARD_LIST_HEAD_1 : 0;
}

static const char *head_is_wrong(const void *bytes, size_t size, const struct guard_list_head *head)
{
    if (memcmp(head->magic, GUARD_LIST_MAGIC, sizeof(head->magic)) != 0)
        return "it does not begin with \"" GUARD_LIST_MAGIC "\"";
    if (!head_bytes_of(head->version) || head->head_bytes != head_bytes_of(head->version))
        return "it is of another version";
    if (head->bytes < head->head_bytes || head->bytes > GUARD_LIST_MAX)
        return "its length is impossible";
    if (head->bytes > size)
        return "it is cut off";
    if (crc32c((const uint8_t *)bytes + CRC_FROM, head->bytes - CRC_FROM) != head->crc32c)
        return "its CRC-32C is wrong";
    return NULL;
}

static const char *runs_are_wrong(const struct guard_list *list)
{
    struct guard_reader reader = guard_list_read(list);
    uint64_t n_pages = 0;
    uint32_t n_runs = 0;

    for (; reader.at < reader.end; n_runs++) {
        struct guard_run run;
        uint64_t good;

        if (read_run(&reader, &good, &run) != STATUS_OK)
            return "a run of pages in it is malformed";
        if (n_runs && !good)
            return "two runs of pages in it touch";
        n_pages += run.n;
    }
    if (n_runs != list->head.n_runs || n_pages != list->head.n_pages)
        return "it has not as many pages as its head says";
    return NULL;
}

enum status guard_list_open(const void *bytes, size_t size, struct guard_list *ret_list,
                            const char **ret_why)
{
    const uint8_t *first = bytes;
    struct guard_list list = { 0 };
    const char *why = "it is shorter than its head";

    if (size >= GUARD_LIST_HEAD_1) {
        memcpy(&list.head, bytes, GUARD_LIST_HEAD_1);
        why = head_is_wrong(bytes, size, &list.head);
        if (!why) {
            memcpy(&list.head, bytes, list.head.head_bytes);
            list.runs = first + list.head.head_bytes;
            list.end = first + list.head.bytes;
            why = runs_are_wrong(&list);
        }
    }
    if (why) {
        *ret_why = why;
        return STATUS_INVALID;
    }
    *ret_list = list;
    return STATUS_OK;
}

struct guard_reader guard_list_read(const struct guard_list *list)
{
    return (struct guard_reader){ .at = list->runs, .end = list->end };
}

bool guard_reader_next(struct guard_reader *reader, struct guard_run *ret_run)
{
    uint64_t good;

    return reader->at < reader->end && read_run(reader, &good, ret_run) == STATUS_OK;
}

struct guard_back_reader guard_list_read_back(const struct guard_list *list)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run;

    while (guard_reader_next(&reader, &run))
        ;
    return (struct guard_back_reader){ list->runs, list->end, reader.next_page };
}

/* The number that ends at reader->at: all its bytes but the last have bit 7. */
static uint64_t read_number_back(struct guard_back_reader *reader)
{
    uint64_t number = *--reader->at;

    while (reader->at > reader->begin && reader->at[-1] & 0x80)
        number = number << 7 | (*--reader->at & 0x7f);
    return number;
}

bool guard_back_reader_next(struct guard_back_reader *reader, struct guard_run *ret_run)
{
    if (reader->at == reader->begin)
        return false;
    ret_run->n = read_number_back(reader) + 1;
    ret_run->first = reader->end_page - ret_run->n;
    reader->end_page = ret_run->first - read_number_back(reader);
    return true;
}

struct guard_writer guard_writer_begin(void *bytes, size_t size)
{
    return (struct guard_writer){ .bytes = bytes,
                                  .size = min_u64(size, GUARD_LIST_MAX),
                                  .used = GUARD_LIST_HEAD,
                                  .is_full = size < GUARD_LIST_HEAD };
}

static void write_number(struct guard_writer *writer, uint64_t number)
{
    do {
        uint8_t more = number > 0x7f ? 0x80 : 0;

        if (writer->is_full || writer->used == writer->size) {
            writer->is_full = true;
            return;
        }
        writer->bytes[writer->used++] = (uint8_t)(number & 0x7f) | more;
        number >>= 7;
    } while (number);
}

/* Writes the run that nothing joins any more. */
static void write_last(struct guard_writer *writer)
{
    struct guard_run *last = &writer->last;

    if (!last->n)
        return;
    write_number(writer, last->first - writer->next_page);
    write_number(writer, last->n - 1);
    writer->next_page = last->first + last->n;
    writer->n_pages += last->n;
    writer->n_runs++;
    last->n = 0;
}

void guard_writer_add(struct guard_writer *writer, struct guard_run run)
{
    struct guard_run *last = &writer->last;

    if (!run.n)
        return;
    if (run.first >= GUARD_LIST_PAGES || run.n > GUARD_LIST_PAGES - run.first ||
        run.first < (last->n ? last->first : writer->next_page)) {
        writer->is_full = true;
        return;
    }
    if (last->n && run.first <= last->first + last->n) {
        last->n = max_u64(last->n, run.first + run.n - last->first);
        return;
    }
    write_last(writer);
    *last = run;
}

size_t guard_writer_end(struct guard_writer *writer, const struct guard_fingerprint *machine,
                        int64_t made)
{
    struct guard_list_head head = {
        .magic = GUARD_LIST_MAGIC,
        .version = GUARD_LIST_VERSION,
        .head_bytes = GUARD_LIST_HEAD,
        .made = made,
        .machine = *machine,
    };
    uint64_t salt_from[2]; /* what lists of one machine differ in */

    write_last(writer);
    if (writer->is_full)
        return 0;
    head.bytes = (uint32_t)writer->used;
    head.n_runs = writer->n_runs;
    head.n_pages = writer->n_pages;
    salt_from[0] = (uint64_t)made;
    salt_from[1] = crc32c(writer->bytes + GUARD_LIST_HEAD, writer->used - GUARD_LIST_HEAD);
    guard_fingerprint_hide(&head.machine, salt_from, sizeof(salt_from));
    memcpy(writer->bytes, &head, sizeof(head));
    head.crc32c = crc32c(writer->bytes + CRC_FROM, head.bytes - CRC_FROM);
    memcpy(writer->bytes, &head, sizeof(head));
    return writer->used;
}

size_t guard_merge(const struct guard_list *first, const struct guard_list *second, void *out,
                   size_t size)
{
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader a = { 0 }, b = guard_list_read(second);
    struct guard_run run_a, run_b;
    bool has_a, has_b = guard_reader_next(&b, &run_b);

    if (first)
        a = guard_list_read(first);
    has_a = first && guard_reader_next(&a, &run_a);
    while (has_a || has_b) {
        if (has_a && (!has_b || run_a.first <= run_b.first)) {
            guard_writer_add(&writer, run_a);
            has_a = guard_reader_next(&a, &run_a);
        } else {
            guard_writer_add(&writer, run_b);
            has_b = guard_reader_next(&b, &run_b);
        }
    }
    return guard_writer_end(&writer, &second->head.machine, second->head.made);
}

bool guard_list_holds(const struct guard_list *whole, const struct guard_list *part)
{
    struct guard_reader w = guard_list_read(whole), p = guard_list_read(part);
    struct guard_run have = { 0 }, wanted;

    while (guard_reader_next(&p, &wanted)) {
        while (have.first + have.n <= wanted.first) {
            if (!guard_reader_next(&w, &have))
                return false;
        }
        if (wanted.first < have.first || wanted.first + wanted.n > have.first + have.n)
            return false;
    }
    return true;
}

static void compute_hmac(const struct guard_list_head *head, const uint8_t *runs,
                         const uint8_t key[HMAC_BYTES], uint8_t ret_hmac[HMAC_BYTES])
{
    struct guard_list_head unsigned_head = *head;
    const struct hmac_part part[] = {
        { SIGNED_AS, sizeof(SIGNED_AS) },
        { (const uint8_t *)&unsigned_head + CRC_FROM, sizeof(unsigned_head) - CRC_FROM },
        { runs, head->bytes - GUARD_LIST_HEAD },
    };

    memset(unsigned_head.hmac, 0, sizeof(unsigned_head.hmac));
    hmac_sha256(key, HMAC_BYTES, part, sizeof(part) / sizeof(part[0]), ret_hmac);
}

void guard_list_sign(uint8_t *bytes, const uint8_t key[HMAC_BYTES])
{
    struct guard_list_head head;

    memcpy(&head, bytes, sizeof(head));
    compute_hmac(&head, bytes + GUARD_LIST_HEAD, key, head.hmac);
    memcpy(bytes, &head, sizeof(head));
    head.crc32c = crc32c(bytes + CRC_FROM, head.bytes - CRC_FROM);
    memcpy(bytes, &head, sizeof(head));
}

bool guard_list_is_signed(const struct guard_list *list, const uint8_t key[HMAC_BYTES])
{
    uint8_t hmac[HMAC_BYTES];

    if (list->head.version < GUARD_LIST_VERSION)
        return false;
    compute_hmac(&list->head, list->runs, key, hmac);
    return hmac_equals(hmac, list->head.hmac);
}
