// SPDX-License-Identifier: MIT
#include "usb_formats/trb.h"

#include "lib/string.h"

void trb_ring_init(struct trb_ring *r, void *memory, uint64_t phys, uint32_t n)
{
    memset(memory, 0, n * sizeof(struct trb));
    *r = (struct trb_ring){ .trb = memory, .phys = phys, .n = n, .cycle = TRB_CYCLE };
    r->trb[n - 1] = (struct trb){ .parameter = phys };
}

/* The cycle bit hands it over: it is written last. */
static void put(struct trb_ring *r, struct trb t)
{
    struct trb *to = &r->trb[r->at];

    to->parameter = t.parameter;
    to->status = t.status;
    __atomic_store_n(&to->control, t.control | r->cycle, __ATOMIC_RELEASE);
}

uint64_t trb_ring_add(struct trb_ring *r, struct trb t)
{
    uint64_t phys = r->phys + r->at * sizeof(t);

    put(r, t);
    if (++r->at == r->n - 1) {
        put(r, (struct trb){ .parameter = r->phys,
                             .control = trb_control(TRB_LINK, 0, 0) | TRB_TOGGLE_CYCLE });
        r->at = 0;
        r->cycle ^= TRB_CYCLE;
    }
    return phys;
}

uint32_t trb_ring_index(const struct trb_ring *r, uint64_t phys)
{
    uint64_t offset = phys - r->phys;

    if (offset % sizeof(struct trb) || offset / sizeof(struct trb) >= r->n - 1)
        return r->n;
    return (uint32_t)(offset / sizeof(struct trb));
}

uint64_t trb_ring_dequeue(const struct trb_ring *r)
{
    return (r->phys + r->at * sizeof(struct trb)) | r->cycle;
}

void event_ring_init(struct event_ring *r, void *memory, uint64_t phys, uint32_t n)
{
    memset(memory, 0, n * sizeof(struct trb));
    *r = (struct event_ring){ .trb = memory, .phys = phys, .n = n, .cycle = TRB_CYCLE };
}

bool event_ring_next(struct event_ring *r, struct trb *ret_event)
{
    const struct trb *from = &r->trb[r->at];
    uint32_t control = __atomic_load_n(&from->control, __ATOMIC_ACQUIRE);

    if ((control & TRB_CYCLE) != r->cycle)
        return false;
    *ret_event =
        (struct trb){ .parameter = from->parameter, .status = from->status, .control = control };
    if (++r->at == r->n) {
        r->at = 0;
        r->cycle ^= TRB_CYCLE;
    }
    return true;
}

uint64_t event_ring_dequeue(const struct event_ring *r)
{
    return r->phys + r->at * sizeof(struct trb);
}
