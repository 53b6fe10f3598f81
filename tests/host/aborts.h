// SPDX-License-Identifier: MIT
/* Whether a call meets a panic of tests/host/panic.c: in a process of its own, which ends so. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool aborts(void (*call)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        fclose(stderr); /* its reason is expected */
        call();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}
