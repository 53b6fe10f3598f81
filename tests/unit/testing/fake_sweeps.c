// SPDX-License-Identifier: MIT
/* Sweeps of the faked machine, page by page: testing/fake_machine.h. */
#include "testing/fake_machine.h"

#include "calibration/selection.h"
#include "plan/plan.h"
#include "sweep/march_part.h"
#include "testing/element.h"

void fake_content_lost(const struct footprint *place)
{
    for (size_t page = 0; page < FAKE_PAGES; page++) {
        if (!place || footprint_holds(place, FAKE_BASE + page * PAGE_SIZE))
            fake.page[page].holds = -1;
    }
}

struct visit {
    const struct march_element *element;
    struct test_place place;
    struct fake_leg *leg; /* NULL: not an element of a leg */
};

static void do_op(struct fake_page *page, struct march_op op, uint64_t round)
{
    assert_true(page->n_ops + 1 < FAKE_OPS_MAX);
    page->ops[page->n_ops++] = op.write ? "01"[op.complement] : "rR"[op.complement];
    if (op.write) {
        page->holds = op.complement;
        page->holds_of = round;
        page->written_us = fake.us;
        return;
    }
    assert_int_equal(page->holds, op.complement);
    assert_int_equal(page->holds_of, round);
    if (fake.us - page->written_us > page->held_us[op.complement])
        page->held_us[op.complement] = fake.us - page->written_us;
}

static void visit_page(const struct visit *v, size_t page)
{
    uint64_t round = ((uint64_t)v->place.pass << 16 | v->place.test) << 16 | v->place.round;

    assert_false(fake_is_home(page));
    for (uint32_t i = 0; i < v->element->n_ops; i++)
        do_op(&fake.page[page], v->element->op[i], round);
    if (v->leg)
        v->leg->done[page]++;
}

static void visit_span(void *ctx, struct span s)
{
    const struct visit *v = ctx;

    for (uint64_t at = s.base; at < span_end(s); at += PAGE_SIZE)
        visit_page(v, fake_page_of(at));
    progress_swept(0, s.size * v->element->n_ops);
}

/* The leg that an element is of: a new one begins with another, or when a march begins again. */
static struct fake_leg *leg_of(const struct march_element *element, struct test_place place)
{
    struct fake_leg *leg = fake.n_legs ? &fake.leg[fake.n_legs - 1] : NULL;

    if (!place.n_legs)
        return NULL;
    if (!leg || leg->pass != place.pass || leg->test != place.test || leg->round != place.round ||
        leg->leg != place.leg || element < leg->element) {
        assert_true(fake.n_legs < FAKE_LEGS_MAX);
        leg = &fake.leg[fake.n_legs++];
        *leg = (struct fake_leg){
            .pass = place.pass, .test = place.test, .round = place.round, .leg = place.leg
        };
    }
    leg->n_elements += element != leg->element;
    leg->element = element;
    return leg;
}

static void find_fault(void)
{
    struct fault_tally tally = { 0 };

    fault_log_tally(&fake.run.found.log, &tally, FAKE_BASE, 1);
    fault_log_add_tally(&fake.run.found.log, &tally);
}

void element_run(struct run *run, const struct march_element *element, const struct data *data,
                 struct test_place place)
{
    const struct shares *shares = &run->shares;
    struct visit v = { element, place, leg_of(element, place) };
    uint32_t n = fake.n_elements++;

    fake.us += 1000;
    if (n >= fake.first_faulty && n - fake.first_faulty < fake.n_faulty)
        find_fault();
    if (n == fake.alias_at_element)
        aliases_add(&run->found.aliases, FAKE_BASE, FAKE_BASE + PAGE_SIZE);
    if (n == fake.hold_at_element) {
        aliases_add(&run->found.aliases, FAKE_BASE,
                    fake.home[fake.n_moves] * PAGE_SIZE + FAKE_BASE);
        aliases_hold(&run->found.aliases, FAKE_BASE);
        aliases_finish(&run->found.aliases);
    }
    if (n == fake.skip_at_element)
        stop_request_skip();
    if (n == fake.stop_at_element)
        stop_request();
    if (stop_is_requested() || aliases_hold_any(&run->found.aliases))
        return;
    fake.has_new_loss = n == fake.lose_at_element;
    /* The boot CPU's is done when the loss of the other is noticed. */
    for (uint32_t w = 0; w < (fake.has_new_loss ? 1 : run->plan.n_workers); w++) {
        assert_false(fake.busy_cpu && run->plan.worker_cpus[w] == fake.busy_cpu);
        assert_false(fake.has_lost && run->plan.worker_cpus[w] == 1);
        share_walk(shares,
                   (struct share_piece){ w, 0, shares->bytes[w], element->kind == MARCH_DOWN },
                   visit_span, &v);
    }
}

void element_prepare(uint32_t n_cpus)
{
}

void element_cut_shares(const struct run *run, struct test_place *place)
{
    place->n_parts = place->n_sections = 1;
}

const char *fake_ops_of(const char *name)
{
    static char ops[MARCH_ELEMENTS_MAX * MARCH_OPS_MAX + 1];
    struct march march;
    size_t n = 0;

    for (size_t i = 0; i < fake.run.selection.tests.n_tests; i++) {
        if (strcmp(fake.run.selection.tests.test[i].name, name) == 0)
            test_march(&fake.run.selection.tests.test[i], &march);
    }
    for (uint32_t i = 0; i < march.n_elements; i++) {
        const struct march_element *e = &march.element[i];

        for (uint32_t k = 0; e->kind != MARCH_PAUSE && k < e->n_ops; k++)
            ops[n++] = e->op[k].write ? "01"[e->op[k].complement] : "rR"[e->op[k].complement];
    }
    ops[n] = 0;
    return ops;
}

size_t fake_pages_with(const char *ops)
{
    size_t n = 0;

    for (size_t i = 0; i < FAKE_PAGES; i++)
        n += strstr(fake.page[i].ops, ops) != NULL;
    return n;
}

size_t fake_pages_held(uint64_t us)
{
    size_t n = 0;

    for (size_t i = 0; i < FAKE_PAGES; i++)
        n += fake.page[i].held_us[0] >= us && fake.page[i].held_us[1] >= us;
    return n;
}

static uint32_t count_legs(size_t a, size_t b)
{
    uint32_t n = 0;

    for (size_t i = 0; i < fake.n_legs; i++) {
        const struct fake_leg *leg = &fake.leg[i];

        n += leg->done[a] == leg->n_elements && leg->done[b] == leg->n_elements;
    }
    return n;
}

size_t fake_pairs_below(uint32_t n_legs)
{
    size_t n = 0;

    for (size_t a = 0; a < FAKE_PAGES; a++) {
        for (size_t b = 0; b < a; b++)
            n += count_legs(a, b) < n_legs;
    }
    return n;
}
