// SPDX-License-Identifier: MIT
#include "monitor.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_S 5

static int connection = -1;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

bool monitor_connect(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct timeval limit = { .tv_sec = ANSWER_S };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) < sizeof(to.sun_path)) {
        memcpy(to.sun_path, path, strlen(path) + 1);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0) {
            connection = fd;
            return true;
        }
    }
    fprintf(stderr, "okram plugin: %s: %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

static bool ask(unsigned vcpu)
{
    char text[16], answer;
    int n = snprintf(text, sizeof(text), "%u\n", vcpu);

    return send(connection, text, (size_t)n, MSG_NOSIGNAL) == n &&
           recv(connection, &answer, 1, 0) == 1;
}

void monitor_report(unsigned vcpu)
{
    pthread_mutex_lock(&one_at_a_time);
    if (connection >= 0 && !ask(vcpu)) {
        fprintf(stderr, "okram plugin: no answer to a read that ECC corrected\n");
        close(connection);
        connection = -1;
    }
    pthread_mutex_unlock(&one_at_a_time);
}
