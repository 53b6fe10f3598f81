// SPDX-License-Identifier: MIT
#include "tools/plugin/dram.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

TEST(an_address_is_one_place)
{
    for (size_t m = 0; m < dram_n_maps; m++) {
        const struct published_map *map = &dram_maps[m];
        uint64_t random = m;

        for (int i = 0; i < 1000; i++) {
            uint64_t address = splitmix_next(&random) >> (64 - map->bits);
            struct published_place place = dram_place_of(map, address);

            if (dram_address_of(map, &place) != address)
                fail_msg("%s: 0x%lx", map->name, (unsigned long)address);
        }
    }
}

/* By hand, from the sources that dram_maps.c names. */
static const struct {
    const char *map;
    uint64_t address;
    struct published_place place;
} places[] = {
    { "sandy-bridge", 0x40, { .field = { [DRAM_CHANNEL] = 1 } } },
    { "sandy-bridge", 0x44000, { .row = 1 } }, /* both bits of the bank's function */
    { "sandy-bridge", 0x4000, { .field = { [DRAM_BANK] = 1 } } },
    { "sandy-bridge", 0x80, { .column = 0x40 } }, /* bit 6 is not a column's */
    { "skylake", 0x100, { .field = { [DRAM_CHANNEL] = 1 } } },
    { "skylake", 0x4000, { .field = { [DRAM_GROUP] = 1 } } },
    { "zen3", 0x20000, { .field = { [DRAM_RANK] = 1 } } },
    { "zen4", 0x40, { .field = { [DRAM_SUBCHANNEL] = 1 } } },
    { "raptor-lake", 0x40, { .column = 0x40 } },
    { "raptor-lake", 0x1000, { .field = { [DRAM_SUBCHANNEL] = 1, [DRAM_GROUP] = 1 } } },
};

TEST(places_are_as_published)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct published_place p = dram_place_of(dram_map_find(places[i].map), places[i].address);

        if (memcmp(&p, &places[i].place, sizeof(p)) != 0)
            fail_msg("%s: 0x%lx", places[i].map, (unsigned long)places[i].address);
    }
}

TEST(sizes_add_up)
{
    for (size_t m = 0; m < dram_n_maps; m++) {
        uint64_t bytes = (uint64_t)dram_rows(&dram_maps[m]) * dram_columns(&dram_maps[m]);

        for (unsigned f = 0; f < DRAM_FIELDS; f++)
            bytes *= dram_field_values(&dram_maps[m], f);
        assert_int_equal(bytes, UINT64_C(1) << dram_maps[m].bits);
    }
}

TEST(other_names_are_not_found)
{
    assert_null(dram_map_find("pentium"));
    assert_non_null(dram_map_find("zen4"));
}
