// SPDX-License-Identifier: MIT
/* What a run does about heat: limits, pauses, heating, events, notices. */
#include <stdarg.h>

#include "facts/heating.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "interrupt/idle.h"
#include "machine/inventory.h"
#include "memory/arena.h"
#include "progress/progress.h"
#include "run/run.h"
#include "tests/unit/unit.h"

#define S UINT64_C(1000000)

static struct run run;
static struct inventory inventory;
static struct heat_account account;
static struct event_temperature last;
static uint64_t bad_pages, us, bytes, paused_us, pause_us;
static char sent[256]; /* a letter an event, by its time */
static char said[1024], shown[128], text[128];
static unsigned polls;
static bool is_held, is_stopped;

uint64_t fault_log_bad_pages(const struct fault_log *log)
{
    return bad_pages;
}

uint64_t fault_log_faults(const struct fault_log *log)
{
    return 3 * bad_pages;
}

const struct inventory *inventory_get(void)
{
    return &inventory;
}

void inventory_poll(const struct heat_times *times)
{
    assert_int_equal(times->now_us, us);
    pause_us = times->pause_us;
    polls++;
}

void events_send(struct event *e)
{
    size_t n = strlen(sent);

    assert_int_equal(e->type, EVENT_TEMPERATURE);
    last = e->temperature;
    snprintf(text, sizeof(text), "%s", last.text);
    assert_ptr_equal(last.cpu, &inventory.cpu);
    sent[n] = last.when[0];
    sent[n + 1] = 0;
}

uint64_t tsc_elapsed_us(void)
{
    return us;
}

uint64_t progress_total_swept(void)
{
    return bytes;
}

void progress_paused(uint64_t more_us)
{
    paused_us += more_us;
}

void progress_heat(const char *what)
{
    snprintf(shown, sizeof(shown), "%s", what);
}

void cpu_pool_hold(bool hold)
{
    is_held = hold;
}

bool stop_is_requested(void)
{
    return is_stopped;
}

void *arena_alloc(uint64_t size)
{
    assert_int_equal(size, sizeof(account));
    memset(&account, 0, sizeof(account));
    return &account;
}

static void note(void *ctx, const char *what)
{
    size_t n = strlen(said);

    snprintf(said + n, sizeof(said) - n, "%s%s", n ? "; " : "", what);
}

const struct warnings notices = { .warn = note };

void idle_wait(uint32_t wait_us)
{
    us += wait_us;
}

static void cool_down(void *ctx)
{
    inventory.modules.module[1].temperature.now_mc -= 1000;
    heating_poll(&run);
}

static void set(struct temperature *t, int degrees)
{
    *t = (struct temperature){ .is_known = true, .now_mc = degrees * 1000 };
}

/* Two modules, of which the second has a sensor, unless 0; and the CPU's. */
static void begin(int module, int cpu)
{
    memset(&run, 0, sizeof(run));
    memset(&inventory, 0, sizeof(inventory));
    run.poll = (struct cpu_poll){ cool_down, NULL };
    us = 1 * S;
    bytes = bad_pages = paused_us = polls = 0;
    is_held = is_stopped = false;
    sent[0] = said[0] = shown[0] = 0;
    inventory.modules.n = 2;
    if (module)
        set(&inventory.modules.module[1].temperature, module);
    if (cpu) {
        set(&inventory.cpu, cpu);
        inventory.cpu_max_mc = 100000;
    }
    heating_prepare(&run.heating);
}

static void poll_at(int module, uint64_t s)
{
    inventory.modules.module[1].temperature.now_mc = module * 1000;
    us = s * S;
    bytes += 1000000;
    heating_poll(&run);
}

TEST(none_are_sent_where_none_is_known)
{
    begin(0, 0);
    heating_poll(&run);
    assert_int_equal(polls, 0); /* it has not begun */
    heating_begin(&run);
    heating_poll(&run);
    us = 1000 * S;
    heating_poll(&run);
    heating_finish(&run);
    assert_string_equal(sent, "");
    assert_string_equal(said, "");
    assert_int_equal(polls, 2);
    assert_int_equal(atomic_load(&run.heating.now), 0);
}

/* The first faults once, however many follow. */
TEST(at_the_start_the_first_faults_and_the_end)
{
    begin(40, 0);
    heating_begin(&run);
    assert_string_equal(text, "traffic pauses above 95 C (modules)");
    assert_string_equal(last.governs, "module");
    poll_at(40, 2);
    assert_string_equal(sent, "s");
    bad_pages = 1;
    poll_at(40, 3);
    assert_string_equal(sent, "sf");
    assert_int_equal(last.faults, 3);
    bad_pages = 2;
    poll_at(40, 4);
    heating_finish(&run);
    assert_string_equal(sent, "sfe");
    assert_int_equal(heat_unpack(atomic_load(&run.heating.now)).module.mc, 40000);
}

TEST(samples_become_fewer)
{
    begin(40, 0);
    heating_begin(&run);
    for (uint64_t s = 1; s <= 20000; s++)
        poll_at(40, s);
    assert_in_range(strlen(sent), 90, 140);
    assert_int_equal(last.mb_s * 10, 10);
}

TEST(traffic_pauses_above_the_limit)
{
    begin(40, 50);
    heating_begin(&run);
    assert_string_equal(text, "traffic pauses above 95 C (modules), 99 C (CPU)");
    poll_at(96, 2);
    assert_true(is_held);
    assert_string_equal(shown, "paused: 96 C (in a slot without a name), until 85 C");
    poll_at(86, 8);
    assert_true(is_held);
    assert_int_equal(pause_us, 6 * S);
    assert_string_equal(sent, "sp");
    poll_at(85, 9);
    assert_false(is_held);
    assert_string_equal(shown, "");
    assert_string_equal(sent, "spr");
    assert_int_equal(last.pauses, 1);
    assert_int_equal(last.paused_seconds, 7);
    assert_int_equal(paused_us, 7 * S);

    set(&inventory.cpu, 101);
    poll_at(40, 10);
    assert_int_equal(pause_us, 0);
    assert_string_equal(shown, "paused: 101 C (CPU), until 89 C");
    is_stopped = true; /* nobody is to wait for a machine to cool down */
    poll_at(40, 11);
    assert_false(is_held);
    heating_finish(&run);
    assert_int_equal(last.paused_seconds, 8);
}

/* Its own: Intel's sensor says no more than that. */
TEST(a_cpu_at_its_own_limit_pauses)
{
    static const struct {
        int degrees;
        uint32_t option;
        bool is_held;
    } cases[] = { { 99, 0, false },
                  { 100, 0, true },
                  { 100, 100, false },
                  { 101, 100, true },
                  { 100, OPTIONS_DEGREES_OFF, false } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(0, 50);
        run.options.cpu_max = cases[i].option;
        heating_begin(&run);
        set(&inventory.cpu, cases[i].degrees);
        us = 2 * S;
        heating_poll(&run);
        if (is_held != cases[i].is_held)
            fail_msg("case %zu", i);
    }
}

/* So long as modules are cool enough, their temperature does not make it longer. */
TEST(a_pause_is_for_what_caused_it)
{
    begin(88, 50);
    heating_begin(&run);
    set(&inventory.cpu, 101);
    poll_at(88, 2);
    assert_string_equal(shown, "paused: 101 C (CPU), until 89 C");
    set(&inventory.cpu, 89);
    poll_at(88, 3);
    assert_false(is_held);
    poll_at(96, 4);
    set(&inventory.cpu, 101);
    poll_at(85, 5);
    assert_string_equal(shown, "paused: 101 C (CPU), until 89 C");
}

/* It is known at the start: no value of it is true, and no other sensor stands in for it. */
TEST(a_sensor_that_lies_from_the_start)
{
    static const struct {
        int cpu;
        uint32_t module_max, hot;
        const char *governs, *said;
    } cases[] = {
        { 0, 60, 0, "time",
          "no memory module has a temperature sensor that can be trusted: pauses are timed" },
        { 50, 60, 0, "time",
          "no memory module has a temperature sensor that can be trusted: pauses are timed" },
        { 50, 0, 0, "cpu", "" },
        { 0, 0, 0, NULL, "" },
        { 0, 0, 80, NULL,
          "neither a memory module nor the CPU has a temperature sensor that can be trusted: hot= "
          "is 5 minutes of traffic before the tests" },
        { 50, 0, 80, "cpu",
          "no memory module has a temperature sensor that can be trusted: the CPU's temperature "
          "governs, also how hot hot= makes it" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(0, cases[i].cpu);
        inventory.modules.module[1].temperature =
            (struct temperature){ .is_known = true, .doubt = SENSOR_JUMPS, .is_empty = true };
        run.options.module_max = cases[i].module_max;
        run.options.hot = cases[i].hot;
        heating_begin(&run);
        assert_string_equal(said, cases[i].said);
        assert_string_equal(sent, "s");
        assert_int_equal(last.governs == NULL, cases[i].governs == NULL);
        if (cases[i].governs)
            assert_string_equal(last.governs, cases[i].governs);
        for (us = 1 * S; us <= 90 * S; us += 89 * S) {
            heating_poll(&run);
            assert_false(is_held);
        }
        us = 91 * S;
        heating_poll(&run);
        assert_int_equal(is_held, cases[i].module_max != 0);
    }
}

TEST(a_limit_that_no_pause_gets_below)
{
    static const struct {
        int module, cpu;
        uint32_t module_max, cpu_max, hot;
        const char *said;
    } cases[] = {
        { 40, 50, 50, 60, 0, "" },
        { 40, 50, 30, 0, 0,
          "temperature.max= may be too low: modules are at 40 C already, and each pause lasts "
          "until 20 C, or 5 minutes" },
        { 41, 0, 50, 0, 0,
          "temperature.max= may be too low: modules are at 41 C already, and each pause lasts "
          "until 40 C, or 5 minutes" },
        { 40, 50, 0, 55, 0,
          "temperature.max= may be too low: the CPU is at 50 C already, and each pause lasts "
          "until 45 C, or 5 minutes" },
        { 90, 95, 0, 0, 0, "" }, /* nobody has given one */
        { 90, 95, OPTIONS_DEGREES_OFF, OPTIONS_DEGREES_OFF, 0, "" },
        { 44, 0, 50, 0, 48, "" }, /* held by short pauses */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(cases[i].module, cases[i].cpu);
        run.options.module_max = cases[i].module_max;
        run.options.cpu_max = cases[i].cpu_max;
        run.options.hot = cases[i].hot;
        heating_begin(&run);
        assert_string_equal(said, cases[i].said);
    }
}

TEST(a_pause_that_does_not_cool_is_told_once)
{
    begin(40, 50);
    run.options.module_max = 50;
    heating_begin(&run);
    poll_at(51, 2);
    poll_at(41, 301);
    assert_true(is_held);
    assert_string_equal(said, "");
    poll_at(41, 302);
    assert_false(is_held);
    assert_string_equal(said, "a pause of 5 minutes did not cool the modules to 40 C: cooling is "
                              "poor, or temperature.max= is too low");
    said[0] = 0;
    poll_at(51, 400);
    poll_at(41, 700);
    assert_false(is_held);
    assert_string_equal(said, "");

    begin(40, 50);
    heating_begin(&run);
    set(&inventory.cpu, 100);
    poll_at(40, 2);
    poll_at(40, 302);
    assert_non_null(strstr(said, "did not cool the CPU to 89 C"));
}

TEST(a_sensor_that_is_doubted_does_not_hold_the_run)
{
    begin(40, 0);
    run.options.module_max = 60;
    heating_begin(&run);
    poll_at(40, 2);
    inventory.modules.module[1].temperature.doubt = SENSOR_JUMPS;
    poll_at(127, 3);
    assert_false(is_held);
    poll_at(127, 91);
    assert_false(is_held);
    poll_at(127, 92); /* 90 s of traffic: by time */
    assert_true(is_held);
    assert_string_equal(shown, "paused to cool down, by time");
    assert_string_equal(last.governs, "time");
    poll_at(127, 122);
    assert_false(is_held);
    assert_int_equal(heat_unpack(atomic_load(&run.heating.now)).module.is_known, false);
}

TEST(which_sensor_governs)
{
    static const struct {
        int module, cpu;
        uint32_t module_max, cpu_max, hot;
        const char *governs, *text, *said;
    } cases[] = {
        { 40, 50, 0, 0, 0, "module", "traffic pauses above 95 C (modules), 99 C (CPU)", "" },
        { 0, 50, 0, 0, 0, "cpu", "traffic pauses above 99 C (CPU, which alone has a sensor)", "" },
        { 0, 50, 85, 0, 0, "cpu", "traffic pauses above 99 C (CPU, which alone has a sensor)",
          "no memory module has a temperature sensor that okram can read: the CPU's temperature "
          "governs" },
        { 0, 50, 0, 90, OPTIONS_DEGREES_MOST, "cpu",
          "traffic pauses above 89 C (CPU, which alone has a sensor)",
          "also how hot hot= makes it" },
        { 40, 0, OPTIONS_DEGREES_OFF, OPTIONS_DEGREES_OFF, 0, NULL, "", "" },
        { 40, 0, 85, 0, 84, "module", "traffic pauses above 84 C (modules)",
          "hot=84 is less than 2 degrees below the limit: modules are held at 83 C" },
        { 40, 0, 0, 0, 80, "module", "traffic pauses above 81 C (modules)", "" },
        { 0, 50, 0, 90, 89, "cpu", "traffic pauses above 89 C (CPU, which alone has a sensor)",
          "hot=89 is less than 2 degrees below the limit: the CPU is held at 88 C" },
        { 40, 0, 0, 90, 0, "module", "traffic pauses above 95 C (modules)",
          "the CPU has no temperature sensor that okram can read: its limit has no effect" },
        { 40, 50, 0, 90, 0, "module", "traffic pauses above 95 C (modules), 90 C (CPU)", "" },
        { 0, 50, 0, 90, 0, "cpu", "traffic pauses above 90 C (CPU, which alone has a sensor)", "" },
        { 0, 0, 85, 0, 0, NULL, NULL, "temperature.max= has no effect" },
        { 0, 0, OPTIONS_DEGREES_OFF, 90, 0, NULL, NULL, "temperature.max= has no effect" },
        { 0, 0, 0, 0, 80, NULL, NULL, "hot= is 5 minutes of traffic before the tests" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(cases[i].module, cases[i].cpu);
        run.options.module_max = cases[i].module_max;
        run.options.cpu_max = cases[i].cpu_max;
        run.options.hot = cases[i].hot;
        heating_begin(&run);
        if (!strstr(said, cases[i].said) || (!cases[i].said[0] && said[0]))
            fail_msg("case %zu: %s", i, said);
        assert_int_equal(strlen(sent), cases[i].text != NULL);
        if (!cases[i].text)
            continue;
        assert_string_equal(text, cases[i].text);
        assert_int_equal(last.governs == NULL, cases[i].governs == NULL);
        if (cases[i].governs)
            assert_string_equal(last.governs, cases[i].governs);
    }
}

TEST(modules_are_heated_and_held)
{
    begin(40, 0);
    assert_false(heating_wants(&run));
    run.selection.tests.is_hot = true;
    run.options.hot = 80;
    heating_begin(&run);
    assert_true(heating_wants(&run));
    poll_at(60, 10);
    assert_string_equal(shown, "heating: 60 C, to 80 C");
    assert_true(heating_wants(&run));
    poll_at(80, 20);
    assert_false(heating_wants(&run));
    assert_string_equal(sent, "ssh");
    poll_at(82, 21);
    assert_true(is_held);
    assert_string_equal(shown, "paused: 82 C (in a slot without a name), until 80 C");
    poll_at(80, 22);
    assert_false(is_held);
    assert_string_equal(sent, "ssh"); /* no record of each */
    poll_at(76, 23);
    assert_true(heating_wants(&run));
    poll_at(80, 24);
    assert_false(heating_wants(&run));
    assert_string_equal(sent, "ssh"); /* nor of each time that they are heated again */
    poll_at(76, 25);
    assert_true(heating_wants(&run));
    is_stopped = true;
    assert_false(heating_wants(&run));
}

TEST(no_hotter)
{
    begin(40, 0);
    run.selection.tests.is_hot = true; /* the level alone */
    heating_begin(&run);
    assert_int_equal(run.heating.goal.target_mc, 93000);
    assert_true(heating_wants(&run));
    poll_at(60, 30);
    assert_true(heating_wants(&run));
    poll_at(60, 91);
    assert_false(heating_wants(&run));
    assert_string_equal(said, "the modules get no hotter than 60 C: the tests run at that "
                              "temperature");
    begin(40, 0);
    run.selection.tests.is_hot = true;
    run.options.hot = OPTIONS_DEGREES_OFF; /* a person's word */
    heating_begin(&run);
    assert_false(heating_wants(&run));
}

TEST(a_cpu_gets_no_hotter_where_it_alone_has_a_sensor)
{
    begin(0, 50);
    run.options.hot = 80;
    heating_begin(&run);
    said[0] = 0;
    assert_true(heating_wants(&run));
    us = 61 * S;
    assert_false(heating_wants(&run));
    assert_string_equal(said, "the CPU gets no hotter than 50 C: the tests run at that "
                              "temperature");
}

/* Hotter than it is to be: no pause would cool it. */
TEST(what_is_hot_already)
{
    static const struct {
        int module, cpu;
        uint32_t hot;
        const char *said;
    } cases[] = {
        { 51, 90, 50, "" },
        { 52, 90, 50, "hot= has no effect: modules are at 52 C already" },
        { 0, 90, 50, "hot= has no effect: the CPU is at 90 C already" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(cases[i].module, cases[i].cpu);
        run.options.hot = cases[i].hot;
        heating_begin(&run);
        assert_non_null(strstr(said, cases[i].said));
        assert_int_equal(strstr(text, "above 51 C") != NULL, !cases[i].said[0]);
        assert_false(heating_wants(&run));
        heating_poll(&run);
        assert_false(is_held);
    }
}

/* Neither for how hot modules are to be, nor for the temperatures at which faults came. */
TEST(a_cpu_does_not_stand_in_for_modules)
{
    begin(40, 85);
    run.options.hot = 80;
    heating_begin(&run);
    assert_true(heating_wants(&run));
    poll_at(45, 2);
    inventory.modules.module[1].temperature.doubt = SENSOR_JUMPS;
    bad_pages = 1;
    poll_at(127, 3);
    assert_true(heating_wants(&run));
    assert_string_equal(shown, "heating");
    assert_int_equal(account.faults, 0);
    us += HEAT_BLIND_US;
    assert_false(heating_wants(&run));
    assert_string_equal(said, "");
}

TEST(waiting_for_the_end_of_a_pause)
{
    begin(40, 0);
    heating_begin(&run);
    heating_wait(&run);
    assert_int_equal(us, 1 * S);
    poll_at(97, 2);
    heating_wait(&run);
    assert_false(is_held);
    assert_int_equal(inventory.modules.module[1].temperature.now_mc, 85000);
}
