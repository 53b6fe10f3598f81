// SPDX-License-Identifier: MIT
/* A thread that is stopped for good anywhere in its work, as a CPU that hangs or fails is. */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Who waits for the stopped one would wait for ever: the test fails then. */
#define STOPPED_TEST_MAX_S 120

struct stopped {
    pthread_t thread;
    void (*work)(void *ctx, uint64_t n); /* n: 0, 1, 2, … */
    void *ctx;
    uint32_t us; /* it works so long */
    _Atomic uint64_t n_done;
};

static atomic_bool is_stopped, is_released;

static inline void stopped_here(int signal)
{
    const struct timespec moment = { .tv_nsec = 20000 };

    atomic_store(&is_stopped, true);
    while (!atomic_load(&is_released))
        nanosleep(&moment, NULL);
}

/* By its own clock: however late the other threads are, it is in the midst of its work. */
static inline timer_t stopped_after(uint32_t us)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    struct itimerspec when = { .it_value.tv_nsec = (long)us * 1000 + 1 };
    sigset_t stop;
    timer_t timer;

    sigemptyset(&stop);
    sigaddset(&stop, SIGUSR1);
    if (pthread_sigmask(SIG_UNBLOCK, &stop, NULL) ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
        abort();
    return timer;
}

static inline void *stopped_work(void *arg)
{
    struct stopped *s = arg;
    timer_t timer = stopped_after(s->us);

    while (!atomic_load_explicit(&is_released, memory_order_relaxed)) {
        s->work(s->ctx, atomic_load_explicit(&s->n_done, memory_order_relaxed));
        atomic_fetch_add_explicit(&s->n_done, 1, memory_order_relaxed);
    }
    timer_delete(timer);
    return NULL;
}

/* Begins the work, and returns when it is stopped. */
static inline void stopped_begin(struct stopped *s)
{
    sigset_t stop;

    alarm(STOPPED_TEST_MAX_S);
    signal(SIGUSR1, stopped_here);
    sigemptyset(&stop);
    sigaddset(&stop, SIGUSR1);
    atomic_store(&is_stopped, false);
    atomic_store(&is_released, false);
    atomic_store(&s->n_done, 0);
    /* The signal is the process's: only the thread at work takes it. */
    if (pthread_sigmask(SIG_BLOCK, &stop, NULL) ||
        pthread_create(&s->thread, NULL, stopped_work, s))
        abort();
    while (!atomic_load(&is_stopped))
        sched_yield();
}

/* When nothing matters any more: what it was doing is done to its end. */
static inline void stopped_end(struct stopped *s)
{
    atomic_store(&is_released, true);
    pthread_join(s->thread, NULL);
}
