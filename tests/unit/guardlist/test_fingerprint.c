// SPDX-License-Identifier: MIT
#include "guardlist/fingerprint.h"

#include "samples.h"

struct module {
    uint16_t size;
    uint32_t extended_mib;
    const char *locator, *serial, *part;
    uint8_t length;
};

struct table {
    uint8_t bytes[2048];
    size_t length;
};

static void add_text(struct table *t, const char *text)
{
    strcpy((char *)t->bytes + t->length, text);
    t->length += strlen(text) + 1;
}

static void add_system(struct table *t, uint8_t length, uint8_t uuid)
{
    uint8_t s[27] = { 1, length };

    memset(s + 8, uuid, 16);
    if (uuid != 0 && uuid != 0xff)
        s[23] ^= 1;
    memcpy(t->bytes + t->length, s, length);
    t->length += length + 2u;
}

static void add_module(struct table *t, struct module m)
{
    uint8_t s[0x28] = { 17, m.length ? m.length : sizeof(s) };

    memcpy(s + 0x0c, &m.size, 2);
    s[0x10] = 1;
    s[0x18] = 2;
    s[0x1a] = 3;
    memcpy(s + 0x1c, &m.extended_mib, 4);
    memcpy(t->bytes + t->length, s, s[1]);
    t->length += s[1];
    add_text(t, m.locator);
    add_text(t, m.serial);
    add_text(t, m.part);
    t->length++;
}

/* The table's copy has exactly its size, so that ASan sees a read past its end. */
static struct guard_fingerprint read_table(const struct table *t)
{
    uint8_t *copy = malloc(t->length ? t->length : 1);
    struct smbios smbios = {
        .structures = copy, .length = t->length, .n_structures = UINT32_MAX, .major = 3
    };
    struct guard_fingerprint f;

    memcpy(copy, t->bytes, t->length);
    memset(&f, 0xaa, sizeof(f));
    guard_fingerprint_read(&smbios, 512 * MIB, &f);
    free(copy);
    return f;
}

static const struct module first = { 4096, 0, "DIMM_A1", "11111111", "PART", 0 };
static const struct module second = { 0x7fff, 65536, "DIMM_B1", "22222222", "PART", 0 };
static const struct module empty = { 0, 0, "DIMM_C1", "none", "none", 0 };

static struct guard_fingerprint read_modules(struct module a, struct module b)
{
    struct table t = { .length = 0 };

    add_system(&t, 27, 7);
    add_module(&t, a);
    add_module(&t, b);
    return read_table(&t);
}

TEST(adds_up_what_is_installed)
{
    struct table t = { .length = 0 };
    struct guard_fingerprint f;

    add_module(&t, first);
    add_module(&t, empty);
    add_module(&t, second);
    add_system(&t, 27, 7);
    add_system(&t, 27, 8); /* the first one counts */
    add_module(&t, (struct module){ 0x8000 | 512, 0, " ", " ", " ", 0 });
    add_module(&t, (struct module){ 0xffff, 0, "?", "?", "?", 0 });
    f = read_table(&t);
    assert_int_equal(f.n_modules, 4);
    assert_true(f.installed_bytes == (4096 + 65536) * MIB + MIB / 2);
    assert_true(f.ram_bytes == 512 * MIB);
    assert_int_equal(f.board[0], 7);
    assert_int_equal(f.board[15], 6);
}

TEST(reads_what_is_there)
{
    struct table t = { .length = 0 };
    struct guard_fingerprint f;

    guard_fingerprint_read(NULL, 5, &f);
    assert_true(f.ram_bytes == 5 && !f.n_modules && !f.installed_bytes && !f.modules_crc32c);

    add_system(&t, 8, 7); /* of SMBIOS 2.0, without a UUID */
    add_module(&t, (struct module){ 64, 0, "A", "B", "C", 0x15 }); /* of 2.1, without a serial */
    f = read_table(&t);
    assert_int_equal(f.board[0], 0);
    assert_int_equal(f.n_modules, 1);
    assert_true(f.installed_bytes == 64 * MIB);

    for (size_t length = t.length; t.length > 0; t.length--) {
        f = read_table(&t);
        assert_in_range(f.n_modules, 0, length);
    }
}

/* Whatever of a module changes is seen. */
TEST(each_module_counts)
{
    struct guard_fingerprint f = read_modules(first, second), g;
    static const struct module changed[] = {
        { 4096, 0, "DIMM_A1", "11111112", "PART", 0 },
        { 4096, 0, "DIMM_A1", "11111111", "PARS", 0 },
        { 4096, 0, "DIMM_A1", "1111111", "PART1", 0 },
        { 4096, 0, "DIMM_A2", "11111111", "PART", 0 },
        { 4097, 0, "DIMM_A1", "11111111", "PART", 0 },
        { 4096, 0, "DIMM_A11", "1111111", "PART", 0 },
        { 0, 0, "DIMM_A1", "11111111", "PART", 0 },
    };

    g = read_modules(first, second);
    assert_null(guard_fingerprint_differs(&f, &g));
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
        g = read_modules(changed[i], second);
        assert_string_equal(guard_fingerprint_differs(&f, &g), "the memory modules");
    }
    g = read_modules(second, first);
    assert_string_equal(guard_fingerprint_differs(&f, &g), "the memory modules");
}

TEST(each_uuid_counts)
{
    static const struct {
        uint8_t a, b;
        bool same;
    } pairs[] = {
        { 7, 7, true },     { 7, 8, false },   { 0, 7, false },
        { 7, 0xff, false }, { 0, 0xff, true }, { 0xff, 0xff, true },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct table a = { .length = 0 }, b = { .length = 0 };
        struct guard_fingerprint f, g;
        const char *what;

        add_system(&a, 27, pairs[i].a);
        add_system(&b, 27, pairs[i].b);
        f = read_table(&a);
        g = read_table(&b);
        what = guard_fingerprint_differs(&f, &g);
        if (pairs[i].same)
            assert_null(what);
        else
            assert_string_equal(what, "the computer");
    }
}

/* As in a list: compared with the machine itself, in either order. */
TEST(a_hidden_board_is_known_again)
{
    static const struct {
        uint8_t listed, here;
        bool same;
    } pairs[] = {
        { 7, 7, true }, { 7, 8, false },    { 0, 7, false },   { 7, 0, false },
        { 0, 0, true }, { 0xff, 7, false }, { 0xff, 0, true }, { 7, 0xff, false },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct table a = { .length = 0 }, b = { .length = 0 };
        struct guard_fingerprint listed, here;

        add_system(&a, 27, pairs[i].listed);
        add_system(&b, 27, pairs[i].here);
        listed = read_table(&a);
        here = read_table(&b);
        guard_fingerprint_hide(&listed, "list", 4);
        assert_true(!guard_fingerprint_differs(&listed, &here) == pairs[i].same);
        assert_true(!guard_fingerprint_differs(&here, &listed) == pairs[i].same);
    }
}

TEST(another_salt_is_another_hash)
{
    struct table t = { .length = 0 };
    struct guard_fingerprint raw, a, b, again;

    add_system(&t, 27, 7);
    raw = a = b = again = read_table(&t);
    guard_fingerprint_hide(&a, "list", 4);
    guard_fingerprint_hide(&b, "last", 4);
    guard_fingerprint_hide(&again, "list", 4);
    assert_memory_equal(&a, &again, sizeof(a));
    assert_memory_not_equal(a.salt, b.salt, sizeof(a.salt));
    assert_memory_not_equal(a.board, b.board, sizeof(a.board));
    assert_memory_not_equal(a.board, raw.board, sizeof(a.board));
    assert_string_equal(guard_fingerprint_differs(&a, &b), "the computer");
    assert_null(guard_fingerprint_differs(&a, &again));
    guard_fingerprint_hide(&again, "more", 4); /* only once */
    assert_memory_equal(&a, &again, sizeof(a));
}

TEST(ram_may_differ_by_a_64th)
{
    static const struct {
        uint64_t a, b;
        bool same;
    } sizes[] = {
        { 6400, 6300, true },     { 6400, 6299, false }, { 6300, 6400, true },
        { 6299, 6400, false },    { 0, 0, true },        { 0, 1, false },
        { UINT64_MAX, 0, false },
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct guard_fingerprint f = { .ram_bytes = sizes[i].a }, g = { .ram_bytes = sizes[i].b };
        const char *what = guard_fingerprint_differs(&f, &g);

        if (sizes[i].same)
            assert_null(what);
        else
            assert_string_equal(what, "the size of RAM");
    }
}
