// SPDX-License-Identifier: MIT
/* How modules run by the memory controllers, beside JEDEC's figures and profiles of their SPDs. */
#include "spd/image.h"
#include "spd/module_lines.h"
#include "spd/modules.h"

static const struct decoded_timing jedec = { 19, 19, 19, 43, 2, 0, 2666 };
static const struct decoded_timing profile = { 16, 18, 18, 36, 2, 0, 3200 };

static struct image image[2];
static struct module_spd spds[2];
static struct modules modules;
static struct decoded_controller controller;

/* Two modules of DDR4: JEDEC 2666 (19-19-19-43), XMP 3200 (16-18-18-36); each in a channel. */
static int begin(void **state)
{
    controller = (struct decoded_controller){ .family = "a family", .n_channels = 4 };
    for (unsigned i = 0; i < 2; i++) {
        image[i] = image_load("ddr4-udimm");
        spds[i] =
            (struct module_spd){ .address = (uint8_t)(0x50 + i), .spd = image_read(&image[i]) };
        controller.channel[2 * i].dimm[1] = (struct decoded_dimm){ .bytes = 8 * GIB, .ranks = 1 };
        controller.channel[2 * i].timing = profile;
        controller.channel[2 * i + 1].timing =
            (struct decoded_timing){ 5, 8, 8, 28, 1, 0, 800 }; /* no module: the registers' own */
    }
    modules_make(NULL, spds, 2, &modules);
    return 0;
}

static enum module_setting setting_with(struct decoded_timing timing)
{
    controller.channel[0].timing = controller.channel[2].timing = timing;
    modules.module[0].running = (struct decoded_timing){ 0 };
    modules_set_running(&modules, &controller);
    return module_setting(&modules.module[0]);
}

static void assert_line(size_t i, unsigned line, const char *text)
{
    char out[192];
    struct fmt_buffer b = fmt_buffer_make(out, sizeof(out));

    module_append_line(&b, &modules.module[i], line);
    assert_string_equal(out, text);
}

TEST(a_profile_is_an_overclock, begin)
{
    assert_int_equal(setting_with(profile), MODULE_SETTING_OVERCLOCK);
    assert_true(module_is_above_jedec(&modules.module[0]));
    assert_true(module_runs_by_profile(&modules.module[0]));
    assert_line(0, 2, "runs at 3200 MT/s 16-18-18-36 2T; JEDEC 2666 (19-19-19-43)");
    assert_line(0, 5, "an overclock, beyond JEDEC's figures in its SPD: faults may come from it");
}

TEST(as_jedec_says_is_slower_than_the_profile, begin)
{
    assert_int_equal(setting_with(jedec), MODULE_SETTING_BELOW_PROFILE);
    assert_false(module_is_above_jedec(&modules.module[0]));
    assert_line(0, 5, "slower than its fastest profile, 3200 MT/s");
    spds[0].spd.n_profiles = 0;
    modules.module[0].profile_mt_s = 0;
    assert_int_equal(setting_with(jedec), MODULE_SETTING_JEDEC);
    assert_line(0, 5, "");
}

TEST(fewer_clocks_at_the_same_speed_are_an_overclock, begin)
{
    struct decoded_timing t = jedec;

    t.mts = 2667; /* another way to write 2666 */
    assert_int_equal(setting_with(t), MODULE_SETTING_BELOW_PROFILE);
    t.rp = 18;
    assert_int_equal(setting_with(t), MODULE_SETTING_OVERCLOCK_PART);
    assert_line(0, 5,
                "an overclock, slower than its profile of 3200 MT/s: faults may come from it");
}

/* Clocks are whole, and of DDR5 even: at lower speeds they may be fewer by what rounding adds. */
TEST(at_lower_speeds_clocks_may_be_fewer, begin)
{
    struct decoded_timing t = { 15, 15, 15, 35, 1, 0, 2133 };

    assert_int_equal(setting_with(t), MODULE_SETTING_BELOW_PROFILE);
    t.cl = 12;
    assert_int_equal(setting_with(t), MODULE_SETTING_OVERCLOCK_PART);
}

TEST(a_profile_with_more_clocks_is_not_reached, begin)
{
    struct decoded_timing t = profile;

    t.cl = 17; /* made even or odd by the board */
    assert_int_equal(setting_with(t), MODULE_SETTING_OVERCLOCK);
    t.cl = 22;
    assert_int_equal(setting_with(t), MODULE_SETTING_OVERCLOCK_PART);
}

/* A profile of JEDEC's speed with fewer clocks: by the speed alone it may be on. */
TEST(timings_say_whether_a_profile_is_on, begin)
{
    struct module *m = &modules.module[0];

    spds[0].spd.profile[0] = (struct spd_profile){ false, 1, 2666, { 15, 15, 15, 35 } };
    spds[0].spd.n_profiles = 1;
    m->profile_mt_s = 2666;
    m->configured_mt_s = 2666;
    assert_true(module_runs_by_profile(m));
    assert_int_equal(setting_with(jedec), MODULE_SETTING_BELOW_PROFILE);
    assert_false(module_runs_by_profile(m));
}

TEST(firmware_alone_says_the_speed, begin)
{
    struct module *m = &modules.module[0];

    assert_int_equal(module_setting(m), MODULE_SETTING_UNKNOWN);
    assert_null(module_setting_word(module_setting(m)));
    m->configured_mt_s = 2666;
    assert_int_equal(module_setting(m), MODULE_SETTING_BELOW_PROFILE);
    m->configured_mt_s = 3200;
    assert_int_equal(module_setting(m), MODULE_SETTING_OVERCLOCK);
    assert_line(0, 2, "runs at 3200 MT/s; JEDEC 2666 (19-19-19-43)");
}

/* The controllers' word counts, not firmware's. */
TEST(controllers_come_first, begin)
{
    modules.module[0].configured_mt_s = 3200;
    assert_int_equal(setting_with(jedec), MODULE_SETTING_BELOW_PROFILE);
    assert_int_equal(module_mt_s(&modules.module[0]), 2666);
}

TEST(channels_that_differ_say_nothing_of_equal_modules, begin)
{
    controller.channel[2].timing = jedec;
    modules_set_running(&modules, &controller);
    assert_int_equal(modules.module[0].running.cl, 0);
    assert_int_equal(modules.module[1].running.mts, 0);
    spds[1].spd.ranks = 2; /* unequal ones are known apart */
    controller.channel[2].dimm[1].ranks = 2;
    modules_set_running(&modules, &controller);
    assert_int_equal(modules.module[0].running.cl, 16);
    assert_int_equal(modules.module[1].running.cl, 19);
}

TEST(a_module_that_no_channel_has_runs_as_all_do, begin)
{
    modules.module[0].size_bytes = 32 * GIB;
    modules_set_running(&modules, &controller);
    assert_int_equal(modules.module[0].running.mts, 3200);
    controller = (struct decoded_controller){ 0 };
    modules_make(NULL, spds, 2, &modules);
    modules_set_running(&modules, &controller);
    assert_int_equal(modules.module[0].running.mts, 0);
}
