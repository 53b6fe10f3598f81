// SPDX-License-Identifier: MIT
#include "diagnosis/module_name.c"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

static struct smbios_memory memory;
static struct decoded_controller controller;
static struct module_name name;
static const struct board_slots *known; /* or NULL */
static char text[16000];

static struct smbios_slot *add_slot(const char *locator, const char *bank, unsigned gib)
{
    struct smbios_slot *s = &memory.slot[memory.n_slot++];

    *s = (struct smbios_slot){ .is_ordinary = true, .is_populated = gib, .size_bytes = gib * GIB };
    snprintf(s->locator, sizeof(s->locator), "%s", locator);
    snprintf(s->bank, sizeof(s->bank), "%s", bank);
    if (gib) {
        snprintf(s->part, sizeof(s->part), "P%u", gib);
        snprintf(s->serial, sizeof(s->serial), "S%u", memory.n_slot);
    }
    memory.slots = memory.n_slot;
    return s;
}

static void add_channel(unsigned number, unsigned gib0, unsigned gib1)
{
    controller.channel[controller.n_channels++] = (struct decoded_channel){
        .controller = (uint8_t)number,
        .dimm = { { .bytes = gib0 * GIB }, { .bytes = gib1 * GIB } },
    };
}

static void begin(void)
{
    memory = (struct smbios_memory){ 0 };
    controller = (struct decoded_controller){ 0 };
    known = NULL;
}

static const char *said(unsigned channel, unsigned dimm, enum map_evidence evidence)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    text[0] = 0;
    name = module_name_of(&controller, &memory, (struct map_confirmed){ evidence, 0, known },
                          channel, dimm);
    module_name_append(&b, &controller, &name, channel, dimm);
    return text;
}

/* A desktop board with four slots. */
static void play_board(unsigned a1, unsigned a2, unsigned b1, unsigned b2)
{
    begin();
    add_slot("DIMM_A1", "BANK 0", a1);
    add_slot("DIMM_A2", "BANK 1", a2);
    add_slot("DIMM_B1", "BANK 2", b1);
    add_slot("DIMM_B2", "BANK 3", b2);
}

TEST(one_possibility)
{
    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "DIMM_A2: 16 GiB, part P16, serial S2");
    assert_string_equal(said(0, 1, MAP_BY_COUNT), "DIMM_B2: 8 GiB, part P8, serial S4");
    assert_int_equal(name.answer, MODULE_SLOT);
    assert_null(name.why);
}

TEST(one_channel_is_empty)
{
    play_board(16, 8, 0, 0);
    add_channel(0, 0, 0);
    add_channel(1, 8, 16); /* the controller counts the other way */
    assert_string_equal(said(1, 0, MAP_BY_TIMING), "DIMM_A2: 8 GiB, part P8, serial S2");
}

TEST(equal_modules)
{
    play_board(0, 16, 0, 16);
    add_channel(0, 0, 16);
    add_channel(1, 0, 16);
    assert_string_equal(said(1, 1, MAP_BY_TIMING),
                        "memory channel 1, 16 GiB; on the board it is DIMM_A2 or DIMM_B2: exchange "
                        "the two modules, or take one out, and test again to see which");
    assert_int_equal(name.answer, MODULE_ONE_OF);

    play_board(16, 16, 16, 16);
    add_channel(0, 16, 16);
    add_channel(1, 16, 16);
    assert_string_equal(
        said(1, 0, MAP_BY_TIMING),
        "memory channel 1, its first module, 16 GiB; on the board it is DIMM_A1, DIMM_A2, "
        "DIMM_B1 or DIMM_B2: take modules out, and test again to see which");
}

/* The registers do not say which of a channel's two modules an address is in. */
TEST(channel_alone)
{
    play_board(16, 16, 8, 0);
    add_channel(0, 8, 0);
    add_channel(1, 16, 16);
    assert_string_equal(said(1, DRAM_DIMM_UNKNOWN, MAP_BY_TIMING),
                        "memory channel 1, one of its two modules; on the board it is DIMM_A1 or "
                        "DIMM_A2: exchange the two modules, or take one out, and test again to see "
                        "which");
    assert_string_equal(said(0, DRAM_DIMM_UNKNOWN, MAP_BY_TIMING),
                        "DIMM_B1: 8 GiB, part P8, serial S3");
}

TEST(without_a_proof_nothing_is_said)
{
    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    assert_string_equal(said(1, 1, MAP_BY_REGISTERS), "");
    assert_string_equal(name.why, "no measurement has confirmed the registers");
    assert_string_equal(said(1, 1, MAP_CONTRADICTED), "");
    assert_string_equal(name.why, "the registers contradict what was measured");
    assert_string_equal(said(1, 0, MAP_BY_COUNT), "");
    assert_string_equal(name.why, "the registers list no module there");
}

TEST(sizes_that_differ)
{
    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 32);
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "memory channel 1, 32 GiB");
    assert_string_equal(name.why, "the controller's registers and firmware's list of modules have "
                                  "other sizes");
    assert_string_equal(said(0, 1, MAP_BY_TIMING), "memory channel 0, 8 GiB");
}

/* Firmware lists one module of that size, the registers several: as halves of larger ones, or
 * because one of the lists is wrong. */
TEST(several_of_a_size_by_the_registers)
{
    begin();
    add_slot("DIMM1", "", 16);
    add_slot("DIMM2", "", 8);
    for (unsigned i = 0; i < 4; i++)
        add_channel(i, i < 2 ? 8 : 4, 0);
    assert_string_equal(said(0, 0, MAP_BY_COUNT), "memory channel 0, 8 GiB");
    play_board(16, 0, 32, 0);
    add_channel(0, 16, 0);
    add_channel(1, 16, 0);
    assert_string_equal(said(0, 0, MAP_BY_TIMING), "memory channel 0, 16 GiB");
    play_board(16, 0, 8, 0); /* all of them have other sizes together */
    add_channel(0, 16, 0);
    add_channel(1, 32, 0);
    assert_string_equal(said(0, 0, MAP_BY_TIMING), "memory channel 0, 16 GiB");
}

TEST(names_that_firmware_writes)
{
    static const struct {
        const char *locator[2], *bank[2], *said;
    } board[] = {
        { { "ChannelA-DIMM0", "ChannelB-DIMM0" }, { "BANK 0", "BANK 2" }, "ChannelB-DIMM0" },
        { { "DIMM 0", "DIMM 0" }, { "P0 CHANNEL A", "P0 CHANNEL B" }, "P0 CHANNEL B DIMM 0" },
        { { "DIMMA1", "DIMMB1" }, { "", "" }, "DIMMB1" },
        { { "DDR4_A2", "DDR4_B2" }, { "", "" }, "DDR4_B2" },
        { { "A1", "B1" }, { "BANK 0", "BANK 0" }, "B1" },
        { { "Controller0-ChannelA", "Controller1-ChannelA" },
          { "BANK 0", "BANK 0" },
          "Controller1-ChannelA" },
        { { "Controller0-DIMMA1", "Controller1-DIMMB1" },
          { "BANK 0", "BANK 0" },
          "Controller1-DIMMB1" },
        { { "dimm_a1", "Dimm_b1" }, { "", "" }, "Dimm_b1" },
    };

    for (size_t i = 0; i < COUNT(board); i++) {
        char wanted[80];

        begin();
        add_slot(board[i].locator[0], board[i].bank[0], 8);
        add_slot(board[i].locator[1], board[i].bank[1], 16);
        add_channel(0, 8, 0);
        add_channel(1, 16, 0);
        snprintf(wanted, sizeof(wanted), "%s: 16 GiB, part P16, serial S2", board[i].said);
        assert_string_equal(said(1, 0, MAP_BY_TIMING), wanted);
    }
}

TEST(names_that_do_not_say_the_channel)
{
    static const char *const locator[][2] = {
        { "DIMM1", "DIMM2" },   { "DIMM 0", "DIMM 1" },   { "", "" },
        { "Slot 1", "Slot 2" }, { "SODIMM1", "SODIMM2" }, { "M1", "RAM1" },
    };

    for (size_t i = 0; i < COUNT(locator); i++) {
        begin();
        add_slot(locator[i][0], "BANK 0", 8);
        add_slot(locator[i][1], "BANK 1", 16);
        add_channel(0, 8, 0);
        add_channel(1, 16, 0);
        assert_string_equal(said(1, 0, MAP_BY_TIMING),
                            "memory channel 1, the only module of 16 GiB: part "
                            "P16, serial S2");
        assert_string_equal(name.why, "firmware's names of the slots do not say the channel");
    }
}

/* Firmware's number of a controller is an assignment: not the other way round. */
TEST(controllers_that_firmware_numbers)
{
    begin();
    add_slot("Controller0-ChannelA-DIMM0", "BANK 0", 16);
    add_slot("Controller1-ChannelA-DIMM0", "BANK 0", 16);
    add_channel(1, 16, 0);
    add_channel(0, 16, 0);
    assert_string_equal(said(0, 0, MAP_BY_TIMING),
                        "Controller1-ChannelA-DIMM0: 16 GiB, part P16, serial S2");
    strcpy(memory.slot[0].locator, "ChannelA-DIMM0");
    said(0, 0, MAP_BY_TIMING);
    assert_int_equal(name.answer, MODULE_PLACE);
}

TEST(lists_that_say_nothing)
{
    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    memory.slot[3].is_soldered = true;
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "memory channel 1, 16 GiB");
    assert_string_equal(name.why, "the memory is soldered");

    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    memory.slot[3].size_bytes = 0;
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "memory channel 1, 16 GiB");

    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    strcpy(memory.slot[3].locator, "DIMM_A2");
    strcpy(memory.slot[3].bank, "BANK 1");
    said(1, 1, MAP_BY_TIMING);
    assert_string_equal(name.why, "firmware has one name for several slots");

    begin(); /* two sockets whose channels have the same letters */
    for (unsigned i = 0; i < 4; i++)
        add_slot("DIMM 0", i % 2 ? "P1 CHANNEL A" : "P0 CHANNEL A", 8 + i);
    strcpy(memory.slot[2].locator, "DIMM 1");
    strcpy(memory.slot[3].locator, "DIMM 1");
    add_channel(0, 8, 9);
    add_channel(1, 10, 11);
    said(0, 0, MAP_BY_TIMING);
    assert_int_equal(name.answer, MODULE_PLACE);
}

/* Two channels by bit 8: DIMM_B2 and DIMM_A2. */
static void play_words(struct kind_words *words, const uint64_t *addr, size_t n)
{
    play_board(0, 16, 0, 8);
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    controller.map = (struct dram_map){
        .n_zones = 1,
        .zone = { { .end = 16 * GIB,
                    .n_functions = 1,
                    .function = { 0x100 },
                    .channel = { 0, 1 },
                    .removed = 0x100 } },
        .n_channels = 2,
        .channel = { { .n_selects = 1, .select = { { .end = 8 * GIB, .number = 4 } } },
                     { .n_selects = 1, .select = { { .end = 8 * GIB, .number = 4 } } } },
    };
    words->n = n;
    for (size_t i = 0; i < n; i++)
        words->word[i] = (struct kind_word){ .addr = addr[i] };
}

static const char *said_of_words(const struct kind_words *words, enum map_evidence evidence)
{
    static struct modules_with_words modules;
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    text[0] = 0;
    if (modules_with_words_make(&controller, &memory,
                                (struct map_confirmed){ evidence, 16 * GIB, NULL }, words,
                                &modules))
        modules_with_words_append(&b, &controller, &modules);
    return text;
}

TEST(modules_of_faulty_words)
{
    static struct kind_words words;

    play_words(&words, (uint64_t[]){ 0x100, 0x300, 0x10100 }, 3);
    assert_string_equal(said_of_words(&words, MAP_BY_TIMING),
                        "all 3 faulty words are in DIMM_A2: 16 GiB, part P16, serial S2; by the "
                        "memory controller's registers, which timing confirms");
    assert_string_equal(said_of_words(&words, MAP_BY_REGISTERS), "");
    assert_string_equal(said_of_words(&words, MAP_CONTRADICTED), "");
    play_words(&words, (uint64_t[]){ 0x40 }, 1);
    assert_string_equal(said_of_words(&words, MAP_BY_COUNT),
                        "the faulty word is in DIMM_B2: 8 GiB, part P8, serial S4; by the memory "
                        "controller's registers, which counting of reads confirms");
    assert_string_equal(said_of_words(&words, MAP_BY_GROUPS),
                        "the faulty word is in DIMM_B2: 8 GiB, part P8, serial S4; by the memory "
                        "controller's registers, which timing confirms; counting of reads confirms "
                        "which addresses share a channel");
    play_words(&words, (uint64_t[]){ 0x40, 0x100, 0x140 }, 3);
    assert_string_equal(said_of_words(&words, MAP_BY_TIMING),
                        "faults in both modules: 1 of 3 words in DIMM_B2: 8 GiB, part P8, serial "
                        "S4; 2 of 3 words in DIMM_A2: 16 GiB, part P16, serial S2; by the memory "
                        "controller's registers, which timing confirms");
}

/* Where faults are in all modules none of them is the cause; the machine's verdict needs that. */
TEST(faults_of_all_modules)
{
    static struct modules_with_words m;
    static struct kind_words words;
    const struct map_confirmed confirmed = { MAP_BY_TIMING, 16 * GIB, NULL };

    play_words(&words, NULL, 0);
    for (; words.n < 16; words.n++) /* four of them in DIMM_B2, twelve in DIMM_A2 */
        words.word[words.n].addr = 0x400 * words.n + (words.n % 4 ? 0x100 : 0);
    assert_true(modules_with_words_make(&controller, &memory, confirmed, &words, &m));
    assert_int_equal(m.n_fitted, 2);
    assert_false(m.channels_counted);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.module[0].words, 4);
    assert_int_equal(m.module[1].words, 12);
    assert_true(modules_with_words_are_all(&m));
    words.n = 15; /* too few to say so */
    assert_true(modules_with_words_make(&controller, &memory, confirmed, &words, &m));
    assert_false(modules_with_words_are_all(&m));
    for (; words.n < 40; words.n++) /* not even */
        words.word[words.n].addr = 0x400 * words.n + 0x100;
    assert_true(modules_with_words_make(&controller, &memory, confirmed, &words, &m));
    assert_int_equal(m.n, 2);
    assert_false(modules_with_words_are_all(&m));
    words.n = 1;
    assert_true(modules_with_words_make(&controller, &memory, confirmed, &words, &m));
    assert_false(modules_with_words_are_all(&m));
    for (words.n = 0; words.n < 16; words.n++)
        words.word[words.n].addr = 0x400 * words.n + (words.n % 2 ? 0x100 : 0);
    controller.channel[0].dimm[0].bytes = 8 * GIB; /* a third has none */
    assert_true(modules_with_words_make(&controller, &memory, confirmed, &words, &m));
    assert_false(modules_with_words_are_all(&m));
    assert_non_null(strstr(said_of_words(&words, MAP_BY_TIMING), "faults in 2 of 3 modules: "));
}

static const char *said_short(const struct kind_words *words)
{
    static struct modules_with_words m;
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    assert_true(modules_with_words_make(
        &controller, &memory, (struct map_confirmed){ MAP_BY_TIMING, 16 * GIB, NULL }, words, &m));
    modules_with_words_append_short(&b, &controller, &m);
    return text;
}

TEST(in_few_words)
{
    static struct kind_words words;

    play_words(&words, (uint64_t[]){ 0x40, 0x100 }, 2);
    assert_string_equal(said_short(&words), "in both modules");
    memory.slot[0].is_populated = true;
    memory.slot[0].size_bytes = controller.channel[1].dimm[0].bytes = 8 * GIB;
    assert_string_equal(said_short(&words), "in 2 of 3 modules: DIMM_B2, DIMM_A2");
    strcpy(memory.slot[1].locator, "DIMM2");
    assert_string_equal(said_short(&words), "in 2 of 3 modules: memory channel 0, 8 GiB; memory "
                                            "channel 1, its second module, 16 GiB");
    words.n = 1;
    assert_string_equal(said_short(&words), "in memory channel 0, 8 GiB");
}

/* The timing was of memory below 16 GiB alone. */
TEST(a_word_beyond_what_was_confirmed)
{
    static struct kind_words words;

    play_words(&words, (uint64_t[]){ 0x100, 17 * GIB }, 2);
    controller.map.zone[0].end = 32 * GIB;
    for (unsigned i = 0; i < 2; i++)
        controller.map.channel[i].select[0].end = 16 * GIB;
    assert_string_equal(said_of_words(&words, MAP_BY_TIMING), "");
    words.n = 1;
    assert_non_null(strstr(said_of_words(&words, MAP_BY_TIMING), "DIMM_A2"));
}

/* As many as there can be: each channel's modules, and words whose module is not known. */
TEST(words_in_all_modules)
{
    static struct kind_words words;

    play_words(&words, NULL, 0);
    controller.n_channels = DRAM_CHANNELS_MAX;
    controller.map = (struct dram_map){
        .n_zones = 2,
        .zone = { { .end = GIB, .n_functions = 4, .function = { 0x1000, 0x2000, 0x4000, 0x8000 } },
                  { .start = GIB,
                    .end = 2 * GIB,
                    .n_functions = 3,
                    .function = { 0x1000, 0x2000, 0x4000 } } }
    };
    for (unsigned c = 0; c < DRAM_CHANNELS_MAX; c++) {
        struct dram_channel *m = &controller.map.channel[c];

        controller.channel[c] = controller.channel[1];
        controller.channel[c].dimm[0].bytes = 16 * GIB;
        controller.map.zone[c / 16].channel[c % 16] = (uint8_t)c;
        m->n_selects = 3;
        for (unsigned d = 0; d < 3; d++) {
            m->select[d] = (struct dram_select){
                .end = 2 * GIB, .mask = 0x300000, .value = d << 20, .number = (uint8_t)(d << 2)
            };
            words.word[words.n++].addr =
                c / 16 * GIB | (uint64_t)(c % 16) << 12 | (uint64_t)d << 20;
        }
    }
    said_of_words(&words, MAP_BY_TIMING);
    assert_non_null(strstr(
        text, "1 of 72 words in memory channel 0, its first module, 16 GiB; 1 of 72 words in"));
}

TEST(slots_that_are_suspect)
{
    static struct modules_with_words modules;
    static struct kind_words words;

    play_words(&words, (uint64_t[]){ 0x100 }, 1);
    assert_true(modules_with_words_make(&controller, &memory,
                                        (struct map_confirmed){ MAP_BY_TIMING, 16 * GIB, NULL },
                                        &words, &modules));
    assert_int_equal(modules_with_words_slots(&modules, &memory), 1 << 1);
    memory.slot[0].is_soldered = true; /* and is not counted */
    memory.slot[1].size_bytes = memory.slot[3].size_bytes;
    modules.module[0].name = (struct module_name){
        .n_candidates = 2,
        .candidate = { &memory.slot[1], &memory.slot[3] },
    };
    assert_int_equal(modules_with_words_slots(&modules, &memory), 1 << 0 | 1 << 2);
    modules.module[0].name.n_candidates = 0;
    assert_int_equal(modules_with_words_slots(&modules, &memory), 0);
}

/* Then the map is not this machine's, or a word is not in DRAM. */
TEST(a_word_without_a_place)
{
    static struct kind_words words;

    play_words(&words, (uint64_t[]){ 0x40, 17 * GIB }, 2);
    assert_string_equal(said_of_words(&words, MAP_BY_TIMING), "");
    play_words(&words, (uint64_t[]){ 0x40 }, 1);
    controller.unknown = "why";
    assert_string_equal(said_of_words(&words, MAP_BY_TIMING), "");
}

/* A run with one module shows where its slot is; then one of two equal modules has a name. */
TEST(a_board_that_an_earlier_run_has_shown)
{
    static struct board_slots slots;

    play_board(0, 16, 0, 0);
    add_channel(0, 0, 0);
    add_channel(1, 0, 16);
    board_slots_find(&controller, &memory, &slots);
    assert_int_equal(slots.n, 1);
    assert_ptr_equal(slots.at[0].slot, &memory.slot[1]);
    assert_int_equal(slots.at[0].channel, 1);
    assert_int_equal(slots.at[0].dimm, 1);

    play_board(0, 16, 0, 16);
    add_channel(0, 0, 16);
    add_channel(1, 0, 16);
    known = &slots;
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "DIMM_A2: 16 GiB, part P16, serial S2");
    assert_string_equal(said(0, 1, MAP_BY_TIMING), "DIMM_B2: 16 GiB, part P16, serial S4");
    assert_string_equal(said(1, 1, MAP_BY_REGISTERS), "");
    slots.at[0].channel = 0; /* the other board */
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "DIMM_B2: 16 GiB, part P16, serial S4");
    board_slots_find(&controller, &memory, &slots);
    assert_int_equal(slots.n, 0);

    play_board(16, 16, 16, 16);
    add_channel(0, 16, 16);
    add_channel(1, 16, 16);
    assert_true(board_slots_read("DIMM_B1", &memory, &slots));
    known = &slots;
    assert_string_equal(said(0, 1, MAP_BY_TIMING), "DIMM_B2: 16 GiB, part P16, serial S4");
    assert_non_null(strstr(said(1, 0, MAP_BY_TIMING), "on the board it is DIMM_A1 or DIMM_A2"));
}

TEST(boards_as_they_are_handed_in)
{
    static struct board_slots slots;

    play_board(0, 8, 0, 16); /* the sizes say the opposite */
    add_channel(0, 0, 8);
    add_channel(1, 0, 16);
    assert_true(board_slots_read("DIMM_B1+DIMM_B2,DIMM_A1+DIMM_A2", &memory, &slots));
    assert_int_equal(slots.n, 4);
    known = &slots;
    assert_string_equal(said(1, 1, MAP_BY_TIMING), "memory channel 1, 16 GiB");

    begin(); /* firmware's names say no channel; two slots have one */
    add_slot("DIMM 0", "P0 BANK A", 8);
    add_slot("DIMM 0", "P0 BANK B", 8);
    add_slot("SLOT 3", "", 8);
    add_channel(0, 8, 8);
    add_channel(1, 8, 0);
    assert_true(board_slots_read("P0_BANK_B_DIMM_0+P0_BANK_A_DIMM_0,SLOT_3", &memory, &slots));
    known = &slots;
    assert_string_equal(said(0, 1, MAP_BY_COUNT), "P0 BANK A DIMM 0: 8 GiB, part P8, serial S1");
    assert_true(board_slots_read("-,-+SLOT_3", &memory, &slots));
    assert_int_equal(slots.n, 1);
    assert_int_equal(slots.at[0].channel, 1);
    assert_int_equal(slots.at[0].dimm, 1);
    assert_false(board_slots_read("-", &memory, &slots));
    assert_false(board_slots_read("DIMM_0", &memory, &slots));
    assert_false(board_slots_read("SLOT_3,SLOT_4", &memory, &slots));
    assert_false(board_slots_read("SLOT_3+SLOT_3+SLOT_3", &memory, &slots));
    assert_false(board_slots_read("", &memory, &slots));
}

/* --- simulated boards --------------------------------------------------------------------------
 */

struct played_board {
    unsigned channels, slots;             /* of a channel */
    unsigned letter_of[4];                /* of each channel of the controller */
    bool is_reversed[4];                  /* its first module is in the second slot */
    const struct smbios_slot *slot[4][2]; /* by the controller's channel and module */
};

static void name_slot(unsigned style, unsigned channel, unsigned slot, unsigned gib)
{
    char locator[32], bank[32] = "";
    char letter = (char)('A' + channel);

    switch (style) {
    case 0: snprintf(locator, sizeof(locator), "Channel%c-DIMM%u", letter, slot); break;
    case 1:
        snprintf(locator, sizeof(locator), "DIMM %u", slot);
        snprintf(bank, sizeof(bank), "P0 CHANNEL %c", letter);
        break;
    case 2: snprintf(locator, sizeof(locator), "DIMM_%c%u", letter, slot + 1); break;
    case 3: snprintf(locator, sizeof(locator), "DIMM%u", 2 * channel + slot + 1); break;
    default: snprintf(locator, sizeof(locator), "DIMM %u", slot); break;
    }
    add_slot(locator, bank, gib);
}

/* Letters and slots as a board has them, which nothing says. */
static void draw_board(struct played_board *b, uint64_t *random)
{
    static const unsigned channels[] = { 1, 2, 2, 2, 4 }, gib[] = { 0, 8, 8, 16, 16, 32 };
    unsigned style = (unsigned)splitmix_below(random, 5),
             equal = gib[1 + splitmix_below(random, 5)];
    bool all_equal = splitmix_below(random, 2);

    begin();
    b->channels = channels[splitmix_below(random, COUNT(channels))];
    b->slots = 1 + (unsigned)splitmix_below(random, 2);
    for (unsigned c = 0; c < b->channels; c++) {
        unsigned other = (unsigned)splitmix_below(random, c + 1);

        b->letter_of[c] = c;
        b->letter_of[c] = b->letter_of[other];
        b->letter_of[other] = c;
        b->is_reversed[c] = splitmix_below(random, 2);
    }
    for (unsigned letter = 0; letter < b->channels; letter++) {
        for (unsigned slot = 0; slot < b->slots; slot++)
            name_slot(style, letter, slot,
                      all_equal ? equal : gib[splitmix_below(random, COUNT(gib))]);
    }
    for (unsigned c = 0; c < b->channels; c++) {
        unsigned size[2] = { 0 };

        for (unsigned d = 0; d < b->slots; d++) {
            unsigned slot = b->slots == 2 && b->is_reversed[c] ? 1 - d : d;

            b->slot[c][d] = &memory.slot[b->letter_of[c] * b->slots + slot];
            size[d] = (unsigned)(b->slot[c][d]->size_bytes / GIB);
        }
        add_channel(c, size[0], size[1]);
    }
}

static bool is_candidate(const struct smbios_slot *slot)
{
    for (unsigned i = 0; i < name.n_candidates && i < COUNT(name.candidate); i++) {
        if (name.candidate[i] == slot)
            return true;
    }
    return name.n_candidates > COUNT(name.candidate);
}

TEST(simulated_boards)
{
    unsigned named = 0, several = 0, place = 0, n = 0;
    uint64_t random = 1;

    while (n < 100000) {
        struct played_board b;
        unsigned c, d;

        draw_board(&b, &random);
        c = (unsigned)splitmix_below(&random, b.channels);
        d = (unsigned)splitmix_below(&random, b.slots);
        if (!b.slot[c][d]->size_bytes)
            continue;
        n++;
        said(c, d, MAP_BY_TIMING);
        if (name.slot)
            assert_ptr_equal(name.slot, b.slot[c][d]);
        if (name.answer == MODULE_ONE_OF)
            assert_true(is_candidate(b.slot[c][d]));
        named += name.slot != NULL;
        several += name.answer == MODULE_ONE_OF;
        place += name.answer == MODULE_PLACE && !name.slot;
    }
    print_message("of %u faults on simulated boards: module named %.1f %%, one of several %.1f %%, "
                  "channel alone %.1f %%, wrong 0\n",
                  n, named * 100.0 / n, several * 100.0 / n, place * 100.0 / n);
    assert_in_range(named, n / 5, n);
    assert_int_equal(named + several + place, n);
}
