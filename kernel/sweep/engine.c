#include "sweep/engine.h"

#include "lib/panic.h"

/* Lines flushed before the first of them is read: enough to make their one fence cheap. */
#define FLUSH_LINES 512

static void run_ops(const struct sweep *s, const struct march_element *e, const struct data *data,
                    const struct line_run *run)
{
    const struct march_op *op = e->op;

    if (e->n_ops == 1 && op[0].write)
        s->ops->fill(run, data, op[0].complement);
    else if (e->n_ops == 1)
        s->ops->verify(run, data, op[0].complement, &s->faults);
    else if (e->n_ops == 2 && !op[0].write && op[1].write)
        s->ops->verify_write(run, data, op[0].complement, op[1].complement, &s->faults);
    else
        s->ops->sequence(run, data, op, e->n_ops, s->has_clflushopt, &s->faults);
}

void sweep_element(const struct sweep *s, const struct march_element *e, const struct data *data,
                   struct slice slice)
{
    bool down = e->kind == MARCH_DOWN;
    bool flush = e->n_ops && e->op[0].before == MARCH_FLUSH;

    ASSERT(e->kind != MARCH_PAUSE);
    for (uint64_t done = 0, n; done < slice.n_lines; done += n) {
        uint64_t left = slice.n_lines - done, first;
        struct line_run run;

        n = flush && left > FLUSH_LINES ? FLUSH_LINES : left;
        first = down ? left - 1 : done;
        run = (struct line_run){
            .first = slice.virt + first,
            .phys = slice.phys + first * sizeof(struct line),
            .n_lines = n,
            .down = down,
        };
        if (flush)
            lines_flush(&run, s->has_clflushopt);
        run_ops(s, e, data, &run);
    }
    lines_fence();
}
