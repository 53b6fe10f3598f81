// SPDX-License-Identifier: MIT
/* When temperatures are sent. */
#include <string.h>

#include "facts/temperature_emit.h"
#include "event/events.h"
#include "machine/inventory.h"
#include "tests/unit/unit.h"

static struct inventory inventory;
static uint64_t bad_pages;
static char sent[64]; /* a letter an event, by its time */
static unsigned polls;

uint64_t fault_log_bad_pages(const struct fault_log *log)
{
    return bad_pages;
}

const struct inventory *inventory_get(void)
{
    return &inventory;
}

void inventory_poll(void)
{
    polls++;
}

void events_send(struct event *e)
{
    size_t n = strlen(sent);

    assert_int_equal(e->type, EVENT_TEMPERATURE);
    assert_ptr_equal(e->temperature.cpu, &inventory.cpu);
    assert_ptr_equal(e->temperature.modules, &inventory.modules);
    sent[n] = e->temperature.when[0];
    sent[n + 1] = 0;
}

TEST(none_are_sent_where_none_is_known)
{
    inventory.modules.n = 2;
    temperature_emit_begin();
    temperature_emit_poll(NULL);
    temperature_emit_finish();
    assert_string_equal(sent, "");
    assert_int_equal(polls, 1);
}

/* The first faults once, however many follow. */
TEST(at_the_start_the_first_faults_and_the_end)
{
    inventory.modules.module[1].temperature.is_known = true;
    temperature_emit_begin();
    temperature_emit_poll(NULL);
    assert_string_equal(sent, "s");
    bad_pages = 1;
    temperature_emit_poll(NULL);
    assert_string_equal(sent, "sf");
    bad_pages = 2;
    temperature_emit_poll(NULL);
    temperature_emit_finish();
    assert_string_equal(sent, "sfe");
    assert_int_equal(polls, 4);
}

TEST(the_processors_alone_is_enough)
{
    memset(&inventory, 0, sizeof(inventory));
    inventory.cpu.is_known = true;
    sent[0] = 0;
    temperature_emit_finish();
    assert_string_equal(sent, "e");
}
