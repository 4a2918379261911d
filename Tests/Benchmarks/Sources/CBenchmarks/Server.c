#include "CBenchmarks.h"

#if defined(__linux__)

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { maximumDescriptors = 4096 };

static char *answer;
static size_t answerSize;

/// The part of the blank line that ends a request that each connection has sent: requests may arrive in pieces.
static unsigned char progress[maximumDescriptors];

static int prepareAnswer(const void *body, size_t size) {
    static const char format[] =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: %zu\r\n\r\n";
    enum { headSize = sizeof format + 20 };
    answer = malloc(headSize + size);
    if (answer == NULL) return -1;
    int head = snprintf(answer, headSize, format, size);
    memcpy(answer + head, body, size);
    answerSize = (size_t)head + size;
    return 0;
}

static int listenOnLoopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 512) != 0) return -1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void watch(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

static void acceptOne(int poll, int listener) {
    int connection = accept(listener, NULL, NULL);
    if (connection < 0) return;
    if (connection >= maximumDescriptors) {
        close(connection);
        return;
    }
    int one = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    progress[connection] = 0;
    watch(poll, connection);
}

static void receive(int connection) {
    static const char end[] = "\r\n\r\n";
    char buffer[16384];
    ssize_t size = recv(connection, buffer, sizeof buffer, 0);
    if (size <= 0) {
        close(connection);
        return;
    }
    for (ssize_t i = 0; i < size; i++) {
        unsigned char place = progress[connection];
        progress[connection] = buffer[i] == end[place] ? place + 1 : buffer[i] == end[0];
        if (progress[connection] < 4) continue;
        progress[connection] = 0;
        // The answer fits into the socket's buffer, and the client waits for it before it asks again. A request's body
        // follows in the same piece: it is passed over, and must not hold a blank line.
        send(connection, answer, answerSize, MSG_NOSIGNAL);
    }
}

void BenchmarksServe(const void *body, size_t size) {
    if (prepareAnswer(body, size) != 0) return;
    int poll = epoll_create1(EPOLL_CLOEXEC);
    int listener = listenOnLoopback();
    if (poll < 0 || listener < 0) return;
    watch(poll, listener);
    watch(poll, STDIN_FILENO);
    struct epoll_event events[64];
    while (1) {
        int count = epoll_wait(poll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == STDIN_FILENO) return;
            if (descriptor == listener) {
                acceptOne(poll, listener);
            } else {
                receive(descriptor);
            }
        }
    }
}

#else

void BenchmarksServe(const void *body, size_t size) {
    (void)body;
    (void)size;
}

#endif
