#include "CAuthStateCurl.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static struct AuthStateCurlFunctions curl;

const char *AuthStateCurlLoad(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        return "libcurl.so.4";
    }
    // POSIX promises that a function pointer fits in what dlsym returns; the cast goes through the pointer's address
    // because ISO C has no conversion between the two.
#define AUTHSTATE_LOAD(result, name, parameters)                                                                      \
    *(void **)&curl.name = dlsym(handle, #name);                                                                      \
    if (curl.name == NULL) {                                                                                          \
        dlclose(handle);                                                                                              \
        return #name;                                                                                                 \
    }
    AUTHSTATE_CURL_FUNCTIONS(AUTHSTATE_LOAD)
#undef AUTHSTATE_LOAD
    return NULL;
}

long AuthStateCurlGlobalInit(void) { return curl.curl_global_init(AuthStateCurl_CURL_GLOBAL_DEFAULT); }

void *AuthStateCurlEasyInit(void) { return curl.curl_easy_init(); }
void AuthStateCurlEasyReset(void *easy) { curl.curl_easy_reset(easy); }
void AuthStateCurlEasyCleanup(void *easy) { curl.curl_easy_cleanup(easy); }

void AuthStateCurlEasyPause(void *easy, long what) { curl.curl_easy_pause(easy, (int)what); }

long AuthStateCurlSetLong(void *easy, long option, long value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

long AuthStateCurlSetPointer(void *easy, long option, const void *value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

long AuthStateCurlSetOffset(void *easy, long option, int64_t value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

long AuthStateCurlSetWrite(void *easy, long option, AuthStateCurlWrite value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

long AuthStateCurlSetPrerequest(void *easy, long option, AuthStateCurlPrerequest value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

long AuthStateCurlSetOpenSocket(void *easy, long option, AuthStateCurlOpenSocket value) {
    return curl.curl_easy_setopt(easy, (unsigned int)option, value);
}

int AuthStateCurlOpenPrivateSocket(const struct AuthStateCurlAddress *address) {
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    unsigned int milliseconds = 120 * 1000;
    // A system without it has its own number.
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return descriptor;
}

int AuthStateCurlAddressBytes(const struct AuthStateCurlAddress *address, unsigned char bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        memcpy(bytes, &((const struct sockaddr_in *)address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        memcpy(bytes, &((const struct sockaddr_in6 *)address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

long AuthStateCurlSetBlob(void *easy, long option, const void *bytes, size_t count) {
    struct AuthStateCurlBlob blob = {(void *)bytes, count, AuthStateCurl_CURL_BLOB_COPY};
    return curl.curl_easy_setopt(easy, (unsigned int)option, &blob);
}

long AuthStateCurlGetLong(void *easy, long info) {
    long value = 0;
    return curl.curl_easy_getinfo(easy, (unsigned int)info, &value) == AuthStateCurl_CURLE_OK ? value : 0;
}

int64_t AuthStateCurlGetOffset(void *easy, long info) {
    int64_t value = 0;
    return curl.curl_easy_getinfo(easy, (unsigned int)info, &value) == AuthStateCurl_CURLE_OK ? value : 0;
}

void *AuthStateCurlGetPointer(void *easy, long info) {
    void *value = NULL;
    return curl.curl_easy_getinfo(easy, (unsigned int)info, &value) == AuthStateCurl_CURLE_OK ? value : NULL;
}

const char *AuthStateCurlMessageFor(long code) { return curl.curl_easy_strerror((unsigned int)code); }

struct curl_slist *AuthStateCurlListAppend(struct curl_slist *list, const char *line) {
    return curl.curl_slist_append(list, line);
}

void AuthStateCurlListFree(struct curl_slist *list) { curl.curl_slist_free_all(list); }

void *AuthStateCurlMultiInit(void) { return curl.curl_multi_init(); }
void AuthStateCurlMultiCleanup(void *multi) { curl.curl_multi_cleanup(multi); }

void AuthStateCurlMultiSetLong(void *multi, long option, long value) {
    curl.curl_multi_setopt(multi, (unsigned int)option, value);
}

long AuthStateCurlMultiAdd(void *multi, void *easy) { return curl.curl_multi_add_handle(multi, easy); }
void AuthStateCurlMultiRemove(void *multi, void *easy) { curl.curl_multi_remove_handle(multi, easy); }

void AuthStateCurlMultiSetCallbacks(
    void *multi, void *context, AuthStateCurlSocketChange socket, AuthStateCurlTimerChange timer) {
    curl.curl_multi_setopt(multi, AuthStateCurl_CURLMOPT_SOCKETFUNCTION, socket);
    curl.curl_multi_setopt(multi, AuthStateCurl_CURLMOPT_SOCKETDATA, context);
    curl.curl_multi_setopt(multi, AuthStateCurl_CURLMOPT_TIMERFUNCTION, timer);
    curl.curl_multi_setopt(multi, AuthStateCurl_CURLMOPT_TIMERDATA, context);
}

void AuthStateCurlMultiAct(void *multi, int socket, long events) {
    int running = 0;
    curl.curl_multi_socket_action(multi, socket, (int)events, &running);
}

int AuthStateCurlOpenBell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int AuthStateCurlOpenWatch(void) { return epoll_create1(EPOLL_CLOEXEC); }

int AuthStateCurlWatchBell(int watch, int bell) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = bell};
    return epoll_ctl(watch, EPOLL_CTL_ADD, bell, &event);
}

void AuthStateCurlWatchOnce(int watch, int socket, short events) {
    struct epoll_event event = {.events = (uint32_t)events | EPOLLONESHOT, .data.fd = socket};
    // One that is not known is new, or has the number of one that was closed.
    if (epoll_ctl(watch, EPOLL_CTL_MOD, socket, &event) != 0) epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event);
}

int AuthStateCurlAwait(int watch, struct pollfd *ready, int most, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(watch, events, most < 64 ? most : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        ready[index].fd = events[index].data.fd;
        // The numbers of epoll are those of poll.
        ready[index].revents = (short)events[index].events;
    }
    return count;
}

void *AuthStateCurlMultiNextDone(void *multi, long *code) {
    int remaining = 0;
    struct AuthStateCurlMessage *message;
    while ((message = (struct AuthStateCurlMessage *)curl.curl_multi_info_read(multi, &remaining)) != NULL) {
        if (message->msg == AuthStateCurl_CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
