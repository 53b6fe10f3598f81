// SPDX-License-Identifier: MIT
#include "findings/findings.h"

#include <math.h>

#include "bandwidth/sizing.h"
#include "findings/findings_text.h"
#include "lib/splitmix.h"
#include "tests/unit/firmware/fake.h"
#include "tests/unit/unit.h"

#define NODES_MAX  8
#define DIMM_RATED 3200

/* What firmware keeps of a usual machine. */
#define KEPT (300 * MIB)

static struct smbios_memory slots;
static struct findings_node node[NODES_MAX];
static struct hmat hmat;
static struct findings_input input;
static struct spread speed[NODES_MAX][NODES_MAX];

static struct spread read_mb_s(uint32_t from, uint32_t to)
{
    return speed[from][to];
}

/* One node, one socket, nothing known of slots. */
static int begin(void **state)
{
    memset(&slots, 0, sizeof(slots));
    memset(&hmat, 0, sizeof(hmat));
    memset(speed, 0, sizeof(speed));
    for (unsigned i = 0; i < NODES_MAX; i++) /* what is behind the last does not count */
        node[i] = (struct findings_node){ .domain = 77, .ram_bytes = 99 * GIB, .cpus = 99 };
    node[0] = (struct findings_node){ .ram_bytes = GIB, .cpus = 4 };
    input = (struct findings_input){
        .sockets = 1,
        .nodes = 1,
        .has_srat = true,
        .node = node,
        .read_mb_s = read_mb_s,
        .hmat = &hmat,
    };
    return 0;
}

/* A slot with a module, or empty for size 0. */
static struct smbios_slot *add_slot(const char *locator, uint64_t size_bytes)
{
    struct smbios_slot *s = &slots.slot[slots.n_slot++];

    slots.slots++;
    slots.populated += size_bytes != 0;
    slots.installed_bytes += size_bytes;
    *s = (struct smbios_slot){ .is_populated = size_bytes != 0, .size_bytes = size_bytes };
    strcpy(s->locator, locator);
    input.slots = &slots;
    return s;
}

/* Slots A1, A2, B1, ... */
static void add_slots(unsigned n, uint64_t size_bytes)
{
    for (unsigned i = 0; i < n; i++) {
        char name[] = { 'D', 'I', 'M', 'M', '_', 0, 0, 0 };

        name[5] = (char)('A' + slots.n_slot / 2);
        name[6] = (char)('1' + slots.n_slot % 2);
        add_slot(name, size_bytes);
    }
}

/* As many modules' worth is missing; findings/unseen.h says when. */
static void leave_usable(uint64_t bytes, uint32_t n_modules)
{
    input.usable_bytes = bytes;
    input.unseen = (struct unseen){ .missing_bytes = slots.installed_bytes - bytes,
                                    .installed_bytes = slots.installed_bytes,
                                    .modules = n_modules,
                                    .of = slots.populated };
}

static void before(void)
{
    struct warnings warnings = fresh_warnings();

    findings_static(&input, &warnings);
}

static void after(void)
{
    struct warnings warnings = fresh_warnings();

    findings_measured(&input, &warnings);
}

TEST(says_what_is_missing, begin)
{
    add_slots(12, 8 * GIB);
    leave_usable(64 * GIB - KEPT, 4);
    before();
    assert_int_equal(log_.n, 1);
    assert_string_equal(
        log_.text,
        "SMBIOS lists 96 GiB in 12 slots, but only 63.7 GiB is usable: 32.3 GiB is missing, "
        "the size of 4 modules; possible reasons are a BIOS mode (mirroring, sparing, lockstep) or "
        "disabled slots; populated: DIMM_A1, DIMM_A2, DIMM_B1, DIMM_B2, DIMM_C1, DIMM_C2, "
        "DIMM_D1, DIMM_D2, DIMM_E1, DIMM_E2, DIMM_F1, DIMM_F2\n");
}

TEST(counts_in_modules_where_it_can, begin)
{
    add_slots(2, 8 * GIB);
    leave_usable(8 * GIB - KEPT, 1);
    before();
    assert_warned(&log_, 1, "8.3 GiB is missing, the size of 1 module;");
    input.unseen.at_least = true; /* of several sizes */
    before();
    assert_warned(&log_, 1, "8.3 GiB is missing;");
    leave_usable(12 * GIB, 0);
    before();
    assert_warned(&log_, 1, "4 GiB is missing;");
    input.unseen.missing_bytes = 3 * GIB; /* firmware has the rest: as the result says it */
    before();
    assert_warned(&log_, 1, "but only 12 GiB is usable: 3 GiB is missing;");
    input.unseen.missing_bytes = 0;
    before();
    assert_int_equal(log_.n, 0);
}

/* SPDs that add up to more than SMBIOS lists. */
TEST(names_modules_by_their_addresses, begin)
{
    add_slots(1, 8 * GIB);
    leave_usable(8 * GIB - KEPT, 1);
    input.unseen.installed_bytes = 16 * GIB;
    input.unseen.missing_bytes = 8 * GIB + KEPT;
    input.unseen.n_at = 1;
    input.unseen.at[0] = 0x51;
    before();
    assert_warned(&log_, 1,
                  "the SPDs of the modules add up to 16 GiB, but SMBIOS lists only 8 GiB, and only "
                  "7.7 GiB is usable: 8.3 GiB is missing: the module at SMBus address 0x51; ");
    input.unseen.n_at = 2;
    input.unseen.at[1] = 0x52;
    before();
    assert_warned(&log_, 1, ": 1 of the modules at SMBus addresses 0x51, 0x52; ");
    input.unseen.modules = 2;
    before();
    assert_warned(&log_, 1, ": the modules at SMBus addresses 0x51, 0x52; ");
    input.unseen.modules = 0; /* less than one is missing */
    before();
    assert_null(strstr(log_.text, "SMBus"));
    input.slots = NULL;
    before();
    assert_warned(&log_, 1, "but SMBIOS lists none, and only 7.7 GiB is usable");
}

TEST(names_the_slots_it_may_be, begin)
{
    add_slots(4, 8 * GIB);
    add_slots(2, 0);
    leave_usable(16 * GIB, 2);
    before();
    assert_warned(&log_, 2, "SMBIOS lists 32 GiB in 4 of 6 slots, but only 16 GiB is usable");
    assert_warned(&log_, 2, "populated: DIMM_A1, DIMM_A2, DIMM_B1, DIMM_B2\n");
    assert_warned(&log_, 2, "2 of 6 slots are empty or disabled: DIMM_C1, DIMM_C2\n");

    for (unsigned i = 0; i < 3; i++) {
        slots.slot[i].has_range = i < 2;
        slots.slot[i].configured_mt_s = 2400;
    }
    before();
    assert_warned(&log_, 4, "SMBIOS gives them no address range: DIMM_B1, DIMM_B2\n");
    assert_warned(&log_, 4, "SMBIOS gives it no configured speed: DIMM_B2\n");

    for (unsigned i = 0; i < 4; i++) {
        slots.slot[i].has_range = true;
        slots.slot[i].configured_mt_s = 2400;
    }
    before();
    assert_int_equal(log_.n, 2);

    input.unseen.missing_bytes = 0; /* empty slots alone are not a finding */
    slots.slot[0].has_range = false;
    before();
    assert_int_equal(log_.n, 0);
}

TEST(names_slots_that_have_no_name_of_their_own, begin)
{
    strcpy(add_slot("DIMM 0", 8 * GIB)->bank, "P0 CHANNEL A");
    strcpy(add_slot("DIMM 0", 8 * GIB)->bank, "P0 CHANNEL B");
    strcpy(add_slot("DIMM 1", 8 * GIB)->bank, "P0 CHANNEL B");
    add_slot("", 8 * GIB);
    leave_usable(16 * GIB, 2);
    before();
    assert_warned(&log_, 1,
                  "populated: P0 CHANNEL A DIMM 0, P0 CHANNEL B DIMM 0, DIMM 1, slot 4\n");
}

static bool is_not_third(const void *ctx, uint32_t i)
{
    return i != 2;
}

static void ten_bytes(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    fmt_append(out, "module %03u", i);
}

/* With separators five names have 60 bytes; else 20 bytes are for how many more there are. */
TEST(cuts_long_lists)
{
    static const struct {
        size_t room;
        const char *list;
    } cases[] = {
        { 60, "module 000, module 001, module 003, module 004, module 005" },
        { 59, "module 000, module 001, module 003 and 2 more" },
        { 56, "module 000, module 001, module 003 and 2 more" },
        { 55, "module 000, module 001 and 3 more" },
        { 32, "module 000 and 4 more" },
        { 31, "5 more" },
    };
    struct findings_text t;

    for (size_t i = 0; i < COUNT(cases); i++) {
        findings_begin(&t);
        fmt_append(&t.buffer, "populated: ");
        t.buffer.size = t.buffer.length + cases[i].room + 1;
        findings_list(&t, 6, is_not_third, ten_bytes, NULL);
        assert_string_equal(t.text + strlen("populated: "), cases[i].list);
    }
    assert_int_equal(findings_count(6, is_not_third, NULL), 5);

    for (unsigned n = 1; n <= SMBIOS_SLOTS_MAX; n++) {
        begin(NULL);
        add_slots(n, 8 * GIB);
        leave_usable(GIB, n - 1);
        before(); /* the log checks the length */
        assert_int_equal(log_.n, 1);
    }
}

TEST(tells_of_slow_modules)
{
    static const struct {
        uint32_t rated, configured;
        bool in_mhz, warns;
    } cases[] = {
        { 3200, 3200, false, false }, { 3200, 3136, false, false }, { 3200, 3135, false, true },
        { 2667, 2666, false, false }, { 3200, 3600, false, false }, { 0, 2133, false, false },
        { 3200, 0, false, false },    { 1333, 667, false, true },   { 1333, 667, true, false },
        { 1333, 666, true, false },   { 1333, 665, true, true },    { 1333, 1066, true, true },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct smbios_slot *s;

        begin(NULL);
        s = add_slot("DIMM_A1", 8 * GIB);
        input.usable_bytes = 8 * GIB;
        s->rated_mt_s = cases[i].rated;
        s->configured_mt_s = cases[i].configured;
        slots.speeds_in_mhz = cases[i].in_mhz;
        before();
        assert_int_equal(log_.n, cases[i].warns);
    }
}

static void set_speed(unsigned i, uint32_t configured_mt_s)
{
    slots.slot[i].rated_mt_s = DIMM_RATED;
    slots.slot[i].configured_mt_s = configured_mt_s;
}

TEST(groups_modules_of_a_speed, begin)
{
    add_slots(4, 8 * GIB);
    add_slots(1, 0);
    input.usable_bytes = 32 * GIB;
    for (unsigned i = 0; i < 5; i++)
        set_speed(i, 2133);
    before();
    assert_warned(&log_, 1, "all 4 modules run at 2133 MT/s, rated 3200\n");

    set_speed(1, DIMM_RATED);
    set_speed(3, 2400);
    before();
    assert_warned(&log_, 2, "2 modules run at 2133 MT/s, rated 3200: DIMM_A1, DIMM_B1\n");
    assert_warned(&log_, 2, "1 module runs at 2400 MT/s, rated 3200: DIMM_B2\n");

    begin(NULL); /* not a flood */
    add_slots(12, 8 * GIB);
    input.usable_bytes = 96 * GIB;
    for (unsigned i = 0; i < 12; i++)
        set_speed(i, 1000 + i);
    before();
    assert_int_equal(log_.n, 4);
}

TEST(compares_sockets_with_nodes)
{
    static const struct {
        uint32_t sockets, nodes, cpus_of_last;
        bool has_srat;
        const char *text; /* NULL: nothing to say */
    } cases[] = {
        { 1, 1, 4, false, NULL },
        { 0, 1, 4, false, NULL }, /* unknown */
        { 2, 1, 4, false,
          "2 sockets but one node: node interleaving is on, or firmware provides no "
          "SRAT\n" },
        { 2, 1, 4, true,
          "2 sockets but one node: node interleaving is on, so that 1 of 2 lines or pages are remote to each CPU\n" },
        { 2, 2, 4, true, NULL },
        { 2, 2, 0, true, "2 sockets but one node" }, /* the other is memory without CPUs */
        { 1, 4, 4, true, NULL },
        { 4, 2, 4, true, "4 sockets but only 2 nodes with CPUs" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        for (uint32_t n = 0; n < cases[i].nodes; n++)
            node[n] = (struct findings_node){ .domain = n, .ram_bytes = GIB, .cpus = 4 };
        node[cases[i].nodes - 1].cpus = cases[i].cpus_of_last;
        input.sockets = cases[i].sockets;
        input.nodes = cases[i].nodes;
        input.has_srat = cases[i].has_srat;
        before();
        if (cases[i].text)
            assert_warned(&log_, 1, cases[i].text);
        else
            assert_int_equal(log_.n, 0);
    }
}

TEST(compares_nodes)
{
    static const struct {
        uint64_t ram[3];
        uint32_t cpus[3];
        unsigned n;
        const char *text;
    } cases[] = {
        { { 64 * GIB, 64 * GIB - KEPT, 64 * GIB }, { 8, 8, 8 }, 0, "" },
        { { 64 * GIB, 56 * GIB, 64 * GIB }, { 8, 8, 8 }, 0, "" },
        { { 64 * GIB, 56 * GIB - MIB, 64 * GIB },
          { 8, 8, 8 },
          1,
          "nodes are unequal: node 3 has 56 GiB of RAM, node 2 has 64 GiB\n" },
        { { 2 * GIB, GIB, 2 * GIB }, { 8, 8, 8 }, 0, "" },
        { { 2 * GIB + 1, GIB, 2 * GIB }, { 8, 8, 8 }, 1, "nodes are unequal: node 3 has 1 GiB" },
        { { 64 * GIB, 16 * GIB, 64 * GIB }, { 8, 0, 8 }, 0, "" }, /* memory without CPUs */
        { { 64 * GIB, 64 * GIB, 64 * GIB },
          { 8, 8, 7 },
          1,
          "nodes are unequal: node 4 has 7 CPUs, node 2 has 8\n" },
        { { 64 * GIB, 64 * GIB, 64 * GIB }, { 2, 1, 0 }, 1, "node 3 has 1 CPU, node 2 has 2\n" },
        { { 64 * GIB, 0, 64 * GIB },
          { 8, 8, 8 },
          1,
          "1 node has CPUs but no RAM, so all memory is remote to it (slots empty or disabled?): node 3\n" },
        { { 64 * GIB, 0, 0 },
          { 8, 8, 8 },
          1,
          "2 nodes have CPUs but no RAM, so all memory is remote to them (slots empty or disabled?): nodes 3, 4\n" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        input.nodes = 3;
        for (uint32_t n = 0; n < 3; n++)
            node[n] = (struct findings_node){ .domain = n + 2,
                                              .ram_bytes = cases[i].ram[n],
                                              .cpus = cases[i].cpus[n] };
        before();
        assert_warned(&log_, cases[i].n, cases[i].text);
    }
}

static struct spread always(float mb_s)
{
    return (struct spread){ .n = mb_s > 0 ? 5 : 0, .mean = mb_s };
}

/* Without any spread. 0: it cannot be measured. */
static void measure(uint32_t n, float local_mb_s, float remote_mb_s)
{
    node[n] = (struct findings_node){ .domain = n, .ram_bytes = GIB, .cpus = 4 };
    for (uint32_t to = 0; to < NODES_MAX; to++)
        speed[n][to] = always(to == n ? local_mb_s : remote_mb_s);
    input.nodes = n + 1;
}

TEST(compares_local_with_remote, begin)
{
    measure(0, 20000, 12000);
    measure(1, 20000, 19800);
    after();
    assert_int_equal(log_.n, 0);

    measure(1, 20000, 19900); /* less than 1 % */
    after();
    assert_warned(
        &log_, 1,
        "node 1 reads its local memory at 20000 MB/s, no faster than remote memory at 19900 "
        "(below 101 % of that: p < 0.005, corrected for 2 comparisons): ");

    speed[1][1].n = 1; /* the spread is unknown */
    after();
    assert_int_equal(log_.n, 0);

    measure(0, 20000, 25000);
    measure(1, 20000, 20000);
    measure(2, 20000, 21000);
    after();
    assert_warned(
        &log_, 1,
        "node 0 reads its local memory at 20000 MB/s, no faster than remote memory at 25000 "
        "(below 101 % of that: p < 0.005, corrected for 6 comparisons); "
        "likewise nodes 1, 2: the nodes");

    measure(0, 0, 25000); /* no memory of its own */
    measure(1, 0, 0);
    after();
    assert_int_equal(log_.n, 0);
}

TEST(compares_nodes_with_each_other, begin)
{
    measure(0, 20000, 10000);
    measure(1, 15000, 10000);
    after();
    assert_int_equal(log_.n, 0);

    measure(1, 14999, 10000);
    after();
    assert_warned(
        &log_, 1,
        "node 1 reads its local memory at 14999 MB/s, node 0 at 20000 "
        "(below 75 % of that: p < 0.005, corrected for 2 comparisons): possible reasons are fewer");
    assert_null(strstr(log_.text, "so does"));

    measure(2, 7000, 5000);
    after();
    assert_warned(
        &log_, 1,
        "node 2 reads its local memory at 7000 MB/s, node 0 at 20000 "
        "(below 75 % of that: p < 0.005, corrected for 6 comparisons): possible reasons are fewer");
    assert_warned(&log_, 1, "; likewise node 1\n");

    node[1].cpus = node[2].cpus = 3; /* fewer CPUs are not a fault of the memory */
    measure(2, 15000, 5000);
    node[2].cpus = 3;
    after();
    assert_int_equal(log_.n, 0);

    measure(2, 0, 0);
    after();
    assert_int_equal(log_.n, 0);
}

#define RUNS 5

static uint64_t random_state;

static double gauss(void)
{
    double u = (double)((splitmix_mix(random_state += SPLITMIX_STEP) >> 11) + 1) / 0x1p53;
    double v = (double)(splitmix_mix(random_state += SPLITMIX_STEP) >> 11) / 0x1p53;

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* A row of runs: with `disturbed`, one of ten runs loses a tenth besides. */
static struct spread noisy(double mb_s, double noise, bool disturbed)
{
    struct stats s = { 0 };

    for (unsigned i = 0; i < RUNS; i++) {
        bool is_disturbed = disturbed && splitmix_mix(random_state += SPLITMIX_STEP) % 10 == 0;

        stats_add(&s, mb_s * (1 + noise * gauss()) * (is_disturbed ? 0.9 : 1));
    }
    return (struct spread){ RUNS, (float)s.mean, (float)stats_stddev(&s) };
}

/* n nodes, of which node 0 has this share of the usual speed with its own memory. */
struct boot {
    uint32_t n;
    double own_share, others_share, noise; /* of remote memory's speed */
    bool is_disturbed;
};

/* In how many of so many boots this is said. */
static unsigned said_in_boots(struct boot b, const char *part, unsigned boots)
{
    unsigned said = 0;

    begin(NULL);
    input.nodes = b.n;
    for (unsigned i = 0; i < boots; i++) {
        for (uint32_t from = 0; from < b.n; from++) {
            node[from] = (struct findings_node){ .domain = from, .ram_bytes = GIB, .cpus = 4 };
            for (uint32_t to = 0; to < b.n; to++)
                speed[from][to] = noisy(from != to  ? 10000
                                        : from == 0 ? 10000 * b.own_share
                                                    : 10000 * b.others_share,
                                        b.noise, b.is_disturbed);
        }
        after();
        said += strstr(log_.text, part) != NULL;
    }
    return said;
}

/* Nothing is wrong: in fewer than 1 % of boots it is said that something is. */
TEST(noise_is_no_finding)
{
    static const struct boot boots[] = {
        { .own_share = 1.02, .others_share = 1.02, .noise = 0.02 },
        { .own_share = 1.02, .others_share = 1.02, .noise = 0.02, .is_disturbed = true },
        { .own_share = 1.01, .others_share = 1.01, .noise = 0.002 }, /* at the limit */
        { .own_share = 1.50, .others_share = 1.98, .noise = 0.02 },  /* a node at 76 % */
    };

    for (size_t i = 0; i < COUNT(boots); i++) {
        for (uint32_t n = 2; n <= 8; n *= 2) {
            struct boot b = boots[i];

            b.n = n;
            assert_true(said_in_boots(b, "node", 10000) < 100);
        }
    }
}

/* docs/bandwidth.md has these: the share of boots of 2, 4, 8 nodes in which node 0 is found. */
TEST(what_is_there_is_found)
{
    static const struct {
        const char *said;
        double own_share, others_share, noise;
        unsigned percent[3]; /* at least */
    } cases[] = {
        { "no faster", 1.00, 1.5, 0.002, { 96, 90, 70 } },
        { "no faster", 1.00, 1.5, 0.02, { 0, 0, 0 } },
        { "no faster", 0.98, 1.5, 0.02, { 5, 2, 0 } },
        { "no faster", 0.95, 1.5, 0.02, { 55, 38, 20 } },
        { "no faster", 0.90, 1.5, 0.02, { 97, 96, 88 } },
        { "no faster", 0.80, 1.5, 0.02, { 99, 99, 99 } },
        { "no faster", 0.50, 1.5, 0.02, { 99, 99, 99 } },
        { "reasons are", 1.40, 2.0, 0.02, { 70, 40, 15 } },
        { "reasons are", 1.30, 2.0, 0.02, { 97, 95, 85 } },
        { "reasons are", 1.20, 2.0, 0.02, { 99, 98, 97 } },
        { "reasons are", 1.00, 2.0, 0.02, { 99, 99, 99 } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned k = 0; k < 3; k++) {
            struct boot b = { 2u << k, cases[i].own_share, cases[i].others_share, cases[i].noise,
                              false };
            unsigned percent = said_in_boots(b, cases[i].said, 1000) / 10;

            assert_in_range(percent, cases[i].percent[k], 100);
        }
    }
}

/* Of domains 0 and 1: 400 units of their own memory, 100 of the other's. */
static void add_side_cache(uint32_t domain, uint64_t size_bytes)
{
    hmat.cache[hmat.n_caches++] = (struct hmat_cache){ .domain = domain, .size_bytes = size_bytes };
}

TEST(tells_of_memory_side_caches)
{
    static const struct {
        uint64_t cache_bytes, array_bytes;
        const char *text; /* NULL: nothing to say */
    } cases[] = {
        { 16 * GIB, 64 * MIB,
          "node 0 has a memory-side cache of 16 GiB: arrays of 64 MiB were read there, so "
          "bandwidth and latency are those of the cache\n" },
        { 64 * MIB, 64 * MIB,
          "64 MiB were read there, so bandwidth and latency are those of the cache\n" },
        { 64 * MIB, 64 * MIB + 64,
          "64 MiB were read there, so bandwidth and latency are partly those of the cache\n" },
        { 64 * MIB, 256 * MIB - 64, "are partly those of the cache\n" },
        { 64 * MIB, 256 * MIB, NULL },
        { 64 * MIB, GIB, NULL },
        { 16 * GIB, 0, NULL }, /* nothing was read there */
        { 0, 64 * MIB, NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        add_side_cache(0, cases[i].cache_bytes);
        add_side_cache(1, 16 * GIB);
        node[0].array_bytes = cases[i].array_bytes;
        after();
        if (cases[i].text)
            assert_warned(&log_, 1, cases[i].text);
        else
            assert_int_equal(log_.n, 0);
        input.hmat = NULL;
        after();
        assert_int_equal(log_.n, 0);
    }
}

/* Those whose arrays a cache holds and those where it holds a part are reported separately. */
TEST(groups_memory_side_caches, begin)
{
    for (uint32_t n = 0; n < NODES_MAX; n++) {
        measure(n, 0, 0);
        node[n].array_bytes = 64 * MIB;
    }
    add_side_cache(0, 32 * MIB);
    add_side_cache(1, GIB);
    add_side_cache(2, 8 * GIB);
    add_side_cache(3, 2 * GIB);
    after();
    assert_warned(&log_, 2,
                  "node 2 has a memory-side cache of 8 GiB; likewise nodes 1, 3: arrays of 64 MiB "
                  "were read there, so bandwidth and latency are those of the cache\n");
    assert_warned(&log_, 2,
                  "node 0 has a memory-side cache of 32 MiB: arrays of 64 MiB were read there, so "
                  "bandwidth and latency are partly those of the cache\n");
}

TEST(tells_of_ecc_that_is_not_used)
{
    static const struct memory_ecc fine[] = { { MEMORY_ECC_UNKNOWN, NULL },
                                              { MEMORY_ECC_ON, "smbios" },
                                              { MEMORY_ECC_OFF, "controller" } };

    for (size_t i = 0; i < COUNT(fine); i++) {
        begin(NULL);
        input.ecc = fine[i];
        before();
        assert_int_equal(log_.n, 0);
    }
    begin(NULL);
    input.ecc = (struct memory_ecc){ MEMORY_ECC_UNUSED, "controller" };
    before();
    assert_warned(&log_, 1,
                  "ECC is off by the registers of the memory controller, although the modules have "
                  "it: errors of memory are neither corrected nor reported; see whether the BIOS "
                  "setup can turn it on\n");
    input.ecc.by = "smbios";
    before();
    assert_warned(
        &log_, 1,
        "ECC is off by SMBIOS, although the modules have it: errors of memory are neither "
        "corrected nor reported; see whether the BIOS setup can turn it on\n");
}

#define FINDINGS_TYPES_MIB (UINT64_C(1) << 20)
#define FINDINGS_TYPES_GIB (UINT64_C(1) << 30)

static char said[WARNING_TEXT_MAX];
static int n_said;

static void take(void *ctx, const char *text)
{
    n_said++;
    assert_true(strlen(text) < WARNING_TEXT_MAX);
    strcpy(said, text);
}

static const struct warnings warnings = { .warn = take };

TEST(not_write_back)
{
    struct findings_type t = { 512 * FINDINGS_TYPES_MIB,
                               { 4 * FINDINGS_TYPES_GIB, 512 * FINDINGS_TYPES_MIB },
                               "uncacheable",
                               151.4,
                               9000 };

    findings_not_write_back(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 512 MiB of RAM is not write-back, 0x100000000-0x11fffffff is "
                        "uncacheable: swept at 151 MB/s, other RAM at 9000 MB/s; operating systems "
                        "are slow there or leave it out: a BIOS update may help");
    t.usual_mb_s = 0;
    findings_not_write_back(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 512 MiB of RAM is not write-back, 0x100000000-0x11fffffff is "
                        "uncacheable; operating systems are slow there or leave it out: a BIOS "
                        "update may help");
    assert_int_equal(n_said, 2);
    t.bytes = 0;
    findings_not_write_back(&t, &warnings);
    assert_int_equal(n_said, 2);
}

TEST(unequal)
{
    struct findings_unequal_type t = {
        4096, { 0x9e000, 4096 }, 7, 3, "write-through", "uncacheable", 8000, 12.3
    };

    n_said = 0;
    findings_unequal_types(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 4 KiB of RAM has different types for 7 CPUs than for the boot CPU: "
                        "0x9e000-0x9efff is uncacheable for cpu 3 (swept at 12 MB/s), "
                        "write-through for cpu 0 (8000 MB/s); CPUs may read stale data there: a "
                        "BIOS update may help");
    t = (struct findings_unequal_type){
        .bytes = FINDINGS_TYPES_MIB, .n_cpus = 1, .boot_type = "a", .type = "b"
    };
    findings_unequal_types(&t, &warnings);
    assert_non_null(strstr(said, "for 1 CPU than"));
    assert_null(strstr(said, "MB/s"));
    t.bytes = 0;
    findings_unequal_types(&t, &warnings);
    assert_int_equal(n_said, 2);
}

/* The longest numbers are not cut. */
TEST(longest)
{
    const uint64_t much = UINT64_C(63) << 40;
    struct findings_unequal_type t = {
        much, { much, much }, 1023, 1023, "write-combining", "of a reserved type", 1e6, 1e6
    };
    struct findings_type own = { much, { much, much }, "of a reserved type", 1e6, 1e6 };

    findings_unequal_types(&t, &warnings);
    assert_non_null(strstr(said, "may help"));
    findings_not_write_back(&own, &warnings);
    assert_non_null(strstr(said, "may help"));
}
