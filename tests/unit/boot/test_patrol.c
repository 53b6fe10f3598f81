// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/guard/patrol.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "faulty.h"

#include <efilib.h>

#include "boot/guard/clock.h"
#include "boot/guard/memory.h"
#include "boot/guard/patrol/patrol_walk.h"

#define PAGES          (UINT64_C(8) << 8) /* 8 MiB */
#define MEMORY_BYTES   (PAGES * EFI_PAGE_SIZE)
#define BIT(page, bit) ((page)*EFI_PAGE_SIZE * 8 + (bit))
#define NV_BS          3u
#define SECOND         UINT64_C(1000000)

/* A machine with free pages, one variable, a clock and a keyboard. */
static struct {
    uint64_t first; /* page number */
    bool is_taken[PAGES];
    unsigned allocations;
    EFI_STATUS map_status;

    bool has_place;
    uint8_t place[16];
    UINTN page_list_bytes;
    UINT32 place_attributes;
    EFI_STATUS write_status;
    unsigned writes, unfinished; /* that were written first */
    uint64_t write_us;

    uint64_t now_us, look_us; /* a look at the clock takes so long */
    uint64_t key_at_us;       /* 0: no key */
} m;

static struct guard_patrol patrol;

static struct patrol_cursor place(void)
{
    uint64_t packed;

    assert_true(m.has_place);
    memcpy(&packed, m.place, sizeof(packed));
    return patrol_cursor_unpack(packed);
}

uint64_t guard_clock_us(void)
{
    return m.now_us += m.look_us;
}

static struct guard_piece piece[3];

/* Held memory between two pieces that are free. */
EFI_STATUS guard_memory_read(struct guard_memory *ret_memory)
{
    piece[0] = (struct guard_piece){ m.first, PAGES / 2, GUARD_FREE };
    piece[1] = (struct guard_piece){ m.first + PAGES / 2, 1, GUARD_HELD };
    piece[2] = (struct guard_piece){ m.first + PAGES / 2 + 1, PAGES / 2 - 1, GUARD_FREE };
    ret_memory->pieces = (struct guard_ram_use){ piece, COUNT(piece) };
    return m.map_status;
}

void guard_memory_free(struct guard_memory *memory)
{
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *address)
{
    uint64_t first = *address / EFI_PAGE_SIZE - m.first;

    assert_int_equal(type, AllocateAddress);
    assert_int_equal(memory_type, EfiUnusableMemory);
    assert_int_equal(*address % EFI_PAGE_SIZE, 0);
    assert_true(n > 0 && first + n <= PAGES);
    assert_true(first + n <= PAGES / 2 || first > PAGES / 2);
    for (UINTN i = 0; i < n; i++) {
        if (m.is_taken[first + i])
            return EFI_NOT_FOUND;
    }
    memset(m.is_taken + first, true, n);
    m.allocations++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN n)
{
    uint64_t first = address / EFI_PAGE_SIZE - m.first;

    assert_true(n > 0 && first + n <= PAGES);
    for (UINTN i = 0; i < n; i++)
        assert_true(m.is_taken[first + i]);
    memset(m.is_taken + first, false, n);
    return EFI_SUCCESS;
}

static bool has_key(void)
{
    return m.key_at_us && m.now_us >= m.key_at_us;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    return has_key() ? EFI_SUCCESS : EFI_NOT_READY;
}

static EFI_STATUS EFIAPI read_key(SIMPLE_INPUT_INTERFACE *in, EFI_INPUT_KEY *key)
{
    assert_true(has_key());
    m.key_at_us = 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, void *data)
{
    if (!m.has_place)
        return EFI_NOT_FOUND;
    if (*size < m.page_list_bytes) {
        *size = m.page_list_bytes;
        return EFI_BUFFER_TOO_SMALL;
    }
    *size = m.page_list_bytes;
    *attributes = m.place_attributes;
    memcpy(data, m.place, m.page_list_bytes);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      void *data)
{
    m.now_us += m.write_us;
    if (EFI_ERROR(m.write_status))
        return m.write_status;
    m.has_place = size > 0;
    if (!size)
        return EFI_SUCCESS;
    m.page_list_bytes = size;
    m.place_attributes = attributes;
    memcpy(m.place, data, size);
    m.unfinished = m.writes ? m.unfinished : place().unfinished;
    m.writes++;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES boot_services = {
    .AllocatePages = allocate_pages,
    .FreePages = free_pages,
    .CheckEvent = check_event,
};
static EFI_RUNTIME_SERVICES runtime_services = {
    .GetVariable = get_variable,
    .SetVariable = set_variable,
};
static SIMPLE_INPUT_INTERFACE in = { .ReadKeyStroke = read_key };
static EFI_SYSTEM_TABLE system_table = { .ConIn = &in };

EFI_BOOT_SERVICES *BS = &boot_services;
EFI_RUNTIME_SERVICES *RT = &runtime_services;
EFI_SYSTEM_TABLE *ST = &system_table;

static void make(const struct faulty_cell *cell, size_t n)
{
    memset(&m, 0, sizeof(m));
    m.first = (uintptr_t)faulty_make(MEMORY_BYTES, cell, n) / EFI_PAGE_SIZE;
    m.look_us = 10;
}

static void put_place(uint64_t page, uint8_t unfinished, uint16_t lap)
{
    uint64_t packed = patrol_cursor_pack((struct patrol_cursor){ page, unfinished, lap });

    m.has_place = true;
    m.place_attributes = NV_BS;
    m.page_list_bytes = sizeof(packed);
    memcpy(m.place, &packed, sizeof(packed));
}

static size_t n_taken(void)
{
    size_t n = 0;

    for (size_t i = 0; i < PAGES; i++)
        n += m.is_taken[i];
    return n;
}

static void run(unsigned seconds)
{
    m.writes = 0;
    m.allocations = 0;
    guard_patrol_run(seconds, &patrol);
}

static void assert_ended(const char *why)
{
    assert_non_null(patrol.why);
    assert_string_equal(patrol.why, why);
}

TEST(all_of_sound_memory, NULL, faulty_free_after)
{
    make(NULL, 0);
    run(5);
    assert_null(patrol.why);
    assert_int_equal(patrol.bytes, (PAGES - 1) * EFI_PAGE_SIZE);
    assert_int_equal(patrol.free_bytes, patrol.bytes);
    assert_int_equal(patrol.n_found, 0);
    assert_int_equal(n_taken(), 0);
    assert_int_equal(m.writes, 2);
    assert_int_equal(m.unfinished, 1);
    assert_int_equal(place().unfinished, 0);
    assert_int_equal(place().lap, 1);
}

/* It is kept, and what is around it is given back; the next patrol does not meet it. */
TEST(bad_pages, NULL, faulty_free_after)
{
    static const uint64_t bad[] = { 0, 300, 301, PAGES / 2 + 1, PAGES - 1 };
    struct faulty_cell cell[COUNT(bad)];

    for (size_t i = 0; i < COUNT(bad); i++)
        cell[i] = (struct faulty_cell){ STUCK1, BIT(bad[i], 77), 0 };
    make(cell, COUNT(cell));
    run(5);
    assert_int_equal(patrol.n_found, COUNT(bad));
    assert_int_equal(n_taken(), COUNT(bad));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(patrol.found[i], m.first + bad[i]);
        assert_true(m.is_taken[bad[i]]);
    }
    run(5);
    assert_int_equal(patrol.n_found, 0);
    assert_int_equal(n_taken(), COUNT(bad));
}

/* A bad page is found within as many boots as its memory takes, each within its time. */
TEST(boot_after_boot)
{
    static const struct faulty_cell cell = { STUCK0, BIT(PAGES - 2, 4), 0 };

    for (uint64_t look_us = 5000; look_us < 40000; look_us += 7000) {
        uint64_t tested = 0, least = UINT64_MAX;
        unsigned boots = 0;

        make(&cell, 1);
        m.look_us = look_us;
        m.write_us = 20000;
        do {
            uint64_t before = m.now_us;

            run(2);
            assert_true(m.now_us - before <= 2 * SECOND);
            assert_true(patrol.us <= 2 * SECOND && patrol.bytes > 0);
            assert_null(patrol.why);
            tested += patrol.n_found ? 0 : patrol.bytes;
            least = patrol.bytes < least ? patrol.bytes : least;
            boots++;
        } while (!patrol.n_found);
        assert_int_equal(patrol.found[0], m.first + PAGES - 2);
        assert_true(boots <= MEMORY_BYTES / least + 1);
        assert_true(tested <= MEMORY_BYTES);
        faulty_free();
    }
}

TEST(ended_by_a_key, NULL, faulty_free_after)
{
    make(NULL, 0);
    m.key_at_us = 1;
    run(5);
    assert_ended("a key was pressed");
    assert_int_equal(patrol.bytes, 0);
    assert_int_equal(place().unfinished, 0);

    m.look_us = 1000;
    m.key_at_us = m.now_us + SECOND / 20;
    run(5);
    assert_ended("a key was pressed");
    assert_true(patrol.us < SECOND / 20 + 10 * m.look_us);
    assert_true(patrol.bytes > 0 && patrol.bytes < MEMORY_BYTES - EFI_PAGE_SIZE);
    assert_int_equal(patrol.next, m.first * EFI_PAGE_SIZE + patrol.bytes);
    assert_int_equal(place().page, patrol.next / EFI_PAGE_SIZE);
    assert_int_equal(n_taken(), 0);

    ST->ConIn = NULL;
    m.key_at_us = 1;
    run(5);
    ST->ConIn = &in;
    assert_null(patrol.why);
}

/* After two patrols that did not come to their end, and where that could not be noted. */
TEST(does_not_begin, NULL, faulty_free_after)
{
    make(NULL, 0);
    put_place(m.first + 5, PATROL_UNFINISHED_MAX, 3);
    run(5);
    assert_non_null(patrol.why);
    assert_int_equal(m.allocations + m.writes, 0);
    assert_int_equal(patrol.next, (m.first + 5) * EFI_PAGE_SIZE);
    assert_int_equal(patrol.lap, 3);

    put_place(m.first + 5, PATROL_UNFINISHED_MAX - 1, 3);
    m.write_status = EFI_OUT_OF_RESOURCES;
    run(5);
    assert_non_null(patrol.why);
    assert_int_equal(m.allocations, 0);

    m.write_status = EFI_SUCCESS;
    run(5);
    assert_null(patrol.why);
    assert_int_equal(m.unfinished, PATROL_UNFINISHED_MAX);
    assert_int_equal(place().unfinished, 0);

    m.map_status = EFI_OUT_OF_RESOURCES;
    run(5);
    assert_non_null(patrol.why);
    assert_int_equal(m.allocations, 0);
    assert_int_equal(place().unfinished, 0);
}

TEST(no_time, NULL, faulty_free_after)
{
    make(NULL, 0);
    run(0);
    assert_int_equal(m.allocations, 0);
    m.write_us = 3 * SECOND; /* longer than was promised: then at least no memory is tested */
    run(2);
    assert_int_equal(m.allocations, 0);
    assert_int_equal(n_taken(), 0);
}

/* As written by something else: it is replaced. */
TEST(external_places, NULL, faulty_free_after)
{
    static const struct {
        UINTN bytes;
        UINT32 attributes;
    } external[] = { { 8, 7 }, { 7, NV_BS }, { 9, NV_BS }, { 1, NV_BS } };

    make(NULL, 0);
    for (size_t i = 0; i < COUNT(external); i++) {
        memset(m.place, 0xff, sizeof(m.place));
        m.has_place = true;
        m.page_list_bytes = external[i].bytes;
        m.place_attributes = external[i].attributes;
        run(5);
        assert_null(patrol.why);
        assert_int_equal(m.place_attributes, NV_BS);
        assert_int_equal(m.page_list_bytes, 8);
        assert_int_equal(place().lap, 1);
    }
    /* A page that no memory has: from the lowest on. */
    put_place(UINT64_MAX, 0, UINT16_MAX);
    run(5);
    assert_null(patrol.why);
    assert_int_equal(patrol.bytes, (PAGES - 1) * EFI_PAGE_SIZE);
    assert_int_equal(place().lap, 0);
}

/* What firmware has taken since the map was read is left alone. */
TEST(memory_taken_meanwhile, NULL, faulty_free_after)
{
    static const uint64_t taken[] = { 0, 500, PAGES - 1 };

    make(NULL, 0);
    for (size_t i = 0; i < COUNT(taken); i++)
        m.is_taken[taken[i]] = true;
    run(60);
    assert_null(patrol.why);
    assert_int_equal(n_taken(), COUNT(taken));
    assert_true(patrol.bytes >= (PAGES - 1) * EFI_PAGE_SIZE - COUNT(taken) * PATROL_BLOCK_MIN);
    assert_true(patrol.bytes <= (PAGES - 1 - COUNT(taken)) * EFI_PAGE_SIZE);
}

/* All pages are the same one: as if address lines were broken. */
TEST(too_many_bad_pages, NULL, faulty_free_after)
{
    int file = (int)syscall(SYS_memfd_create, "ram", 0);
    uint8_t *memory;

    make(NULL, 0);
    memory = faulty.memory;
    assert_true(file >= 0 && ftruncate(file, EFI_PAGE_SIZE) == 0);
    for (size_t i = 0; i < PAGES; i++)
        assert_ptr_equal(mmap(memory + i * EFI_PAGE_SIZE, EFI_PAGE_SIZE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, file, 0),
                         memory + i * EFI_PAGE_SIZE);
    run(60);
    assert_ended("there are too many bad pages: test with okram");
    assert_int_equal(patrol.n_found, GUARD_PATROL_FOUND_MAX);
    assert_int_equal(place().unfinished, 0);
    close(file);
}
