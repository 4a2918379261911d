#if defined(__linux__)

#define _GNU_SOURCE
#include "Plan.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int isProvider(int socket) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    if (FaultsCurrentPlan.port == 0 || getpeername(socket, (struct sockaddr *)&peer, &length) != 0) return 0;
    return peer.sin_family == AF_INET && ntohs(peer.sin_port) == FaultsCurrentPlan.port;
}

// libcurl hands a request as short as a renewal over in one piece.
ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    int watched = isProvider(socket);
    if (watched) FaultsReach(FaultsPhaseBeforeSend);
    ssize_t sent = FAULTS_NEXT(send)(socket, bytes, count, flags);
    if (watched && sent > 0) FaultsReach(FaultsPhaseSent);
    return sent;
}

ssize_t recv(int socket, void *bytes, size_t count, int flags) {
    ssize_t received = FAULTS_NEXT(recv)(socket, bytes, count, flags);
    if (received > 0 && isProvider(socket)) FaultsReach(FaultsPhaseReceived);
    return received;
}

#endif
