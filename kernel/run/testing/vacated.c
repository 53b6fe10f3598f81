// SPDX-License-Identifier: MIT
#include "testing/vacated.h"

#include "progress/progress.h"
#include "event/stop.h"
#include "plan/share.h"
#include "testing/element.h"
#include "testing/relocation.h"

static bool move(const struct test_run *run, struct vacated *v)
{
    if (!v->relocate)
        return true;
    if (relocate(run, v->avoid, &v->place[v->n]) != STATUS_OK)
        return false;
    v->n++;
    return true;
}

static void account(struct run *run, const struct vacated *v, bool with_unpaired)
{
    if (v->completes)
        tested_remaining(&run->tested);
    if (v->pairs == VACATED_ALL_PAIRS)
        unpaired_all_is_tested(&run->unpaired);
    else if (with_unpaired)
        unpaired_vacated_is_tested(&run->unpaired);
}

bool vacated_run(struct test_run *run, struct vacated *v, struct rounds rounds)
{
    const struct unpaired *unpaired = &run->whole->unpaired;
    const struct test_place place = run->place;
    bool with_unpaired;

    if (!move(run, v))
        return false;
    with_unpaired = v->pairs == VACATED_WITH_UNPAIRED && !unpaired_holds_okram(unpaired);
    share_vacated(&run->whole->shares, v->place, v->n, with_unpaired ? &unpaired->memory : NULL);
    element_cut_shares(run->whole, &run->place);
    progress_add_repeat(v->add_bytes);
    rounds_run(run, rounds);
    run->place = place;
    if (!stop_is_requested())
        account(run->whole, v, with_unpaired);
    share_main(&run->whole->shares);
    return true;
}
