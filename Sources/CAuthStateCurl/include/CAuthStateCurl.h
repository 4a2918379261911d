#pragma once
#if defined(__linux__)

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

// The part of libcurl that is used, declared here so that building needs no curl headers, and found at run time so that
// linking needs no library. `.ci/declarations/curl.c` compares every line with the real headers.
//
// In C, libcurl's handles are `void *`. Its codes are enums: those with a negative member are `int`, the others
// `unsigned int`.

struct curl_slist;
struct curl_waitfd;
struct CURLMsg;

/// One line for each function: result, name, parameters. The struct, the loader and the check are made from this table.
#define AUTHSTATE_CURL_FUNCTIONS(FUNCTION)                                                                            \
    FUNCTION(unsigned int, curl_global_init, (long))                                                                  \
    /* One exchange */                                                                                                \
    FUNCTION(void *, curl_easy_init, (void))                                                                          \
    FUNCTION(void, curl_easy_reset, (void *))                                                                         \
    FUNCTION(void, curl_easy_cleanup, (void *))                                                                       \
    FUNCTION(unsigned int, curl_easy_setopt, (void *, unsigned int, ...))                                             \
    FUNCTION(unsigned int, curl_easy_getinfo, (void *, unsigned int, ...))                                            \
    FUNCTION(unsigned int, curl_easy_pause, (void *, int))                                                            \
    FUNCTION(const char *, curl_easy_strerror, (unsigned int))                                                        \
    FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *))                             \
    FUNCTION(void, curl_slist_free_all, (struct curl_slist *))                                                        \
    /* Many exchanges on one thread */                                                                                \
    FUNCTION(void *, curl_multi_init, (void))                                                                         \
    FUNCTION(int, curl_multi_cleanup, (void *))                                                                       \
    FUNCTION(int, curl_multi_setopt, (void *, unsigned int, ...))                                                     \
    FUNCTION(int, curl_multi_add_handle, (void *, void *))                                                            \
    FUNCTION(int, curl_multi_remove_handle, (void *, void *))                                                         \
    FUNCTION(int, curl_multi_socket_action, (void *, int, int, int *))                                                \
    FUNCTION(struct CURLMsg *, curl_multi_info_read, (void *, int *))                                                 \
    /* Not called: it came with 7.66, the oldest version that is supported. */                                        \
    FUNCTION(int, curl_multi_poll, (void *, struct curl_waitfd *, unsigned int, int, int *))

/// One line for each constant: name and value. They are imported as `AuthStateCurl_NAME`.
#define AUTHSTATE_CURL_CONSTANTS(CONSTANT)                                                                            \
    CONSTANT(CURL_GLOBAL_DEFAULT, 3)                                                                                  \
    CONSTANT(CURL_ERROR_SIZE, 256)                                                                                    \
    CONSTANT(CURL_SSLVERSION_TLSv1_2, 6)                                                                              \
    CONSTANT(CURL_HTTP_VERSION_2_0, 3)                                                                                \
    CONSTANT(CURL_HTTP_VERSION_2TLS, 4)                                                                               \
    CONSTANT(CURLPROTO_HTTP, 1)                                                                                       \
    CONSTANT(CURLPROTO_HTTPS, 2)                                                                                      \
    CONSTANT(CURL_PREREQFUNC_OK, 0)                                                                                   \
    CONSTANT(CURL_PREREQFUNC_ABORT, 1)                                                                                \
    CONSTANT(CURL_POLL_IN, 1)                                                                                         \
    CONSTANT(CURL_POLL_OUT, 2)                                                                                        \
    CONSTANT(CURL_POLL_REMOVE, 4)                                                                                     \
    CONSTANT(CURL_CSELECT_IN, 1)                                                                                      \
    CONSTANT(CURL_CSELECT_OUT, 2)                                                                                     \
    CONSTANT(CURL_SOCKET_TIMEOUT, -1)                                                                                 \
    CONSTANT(CURL_SOCKET_BAD, -1)                                                                                     \
    CONSTANT(CURLPAUSE_RECV, 1)                                                                                       \
    CONSTANT(CURLPAUSE_SEND, 4)                                                                                       \
    CONSTANT(CURL_READFUNC_PAUSE, 0x10000001)                                                                         \
    CONSTANT(CURL_BLOB_COPY, 1)                                                                                       \
    CONSTANT(CURLMSG_DONE, 1)                                                                                         \
    /* Options whose value is a long */                                                                               \
    CONSTANT(CURLOPT_NOBODY, 44)                                                                                      \
    CONSTANT(CURLOPT_UPLOAD, 46)                                                                                      \
    CONSTANT(CURLOPT_POST, 47)                                                                                        \
    CONSTANT(CURLOPT_NETRC, 51)                                                                                       \
    CONSTANT(CURLOPT_FOLLOWLOCATION, 52)                                                                              \
    CONSTANT(CURLOPT_FRESH_CONNECT, 74)                                                                               \
    CONSTANT(CURLOPT_SSLVERSION, 32)                                                                                  \
    CONSTANT(CURLOPT_HTTP_VERSION, 84)                                                                                \
    CONSTANT(CURLOPT_NOSIGNAL, 99)                                                                                    \
    CONSTANT(CURLOPT_TIMEOUT_MS, 155)                                                                                 \
    CONSTANT(CURLOPT_CONNECTTIMEOUT_MS, 156)                                                                          \
    CONSTANT(CURLOPT_PROTOCOLS, 181)                                                                                  \
    CONSTANT(CURLOPT_TCP_KEEPALIVE, 213)                                                                              \
    CONSTANT(CURLOPT_PATH_AS_IS, 234)                                                                                 \
    CONSTANT(CURLOPT_SUPPRESS_CONNECT_HEADERS, 265)                                                                   \
    CONSTANT(CURLOPT_HTTP09_ALLOWED, 285)                                                                             \
    CONSTANT(CURLOPT_MAXAGE_CONN, 288)                                                                                \
    CONSTANT(CURLOPT_QUICK_EXIT, 322)                                                                                 \
    /* Options whose value is a pointer */                                                                            \
    CONSTANT(CURLOPT_WRITEDATA, 10001)                                                                                \
    CONSTANT(CURLOPT_URL, 10002)                                                                                      \
    CONSTANT(CURLOPT_READDATA, 10009)                                                                                 \
    CONSTANT(CURLOPT_PROXY, 10004)                                                                                    \
    CONSTANT(CURLOPT_ERRORBUFFER, 10010)                                                                              \
    CONSTANT(CURLOPT_USERAGENT, 10018)                                                                                \
    CONSTANT(CURLOPT_HTTPHEADER, 10023)                                                                               \
    CONSTANT(CURLOPT_SSLCERT, 10025)                                                                                  \
    CONSTANT(CURLOPT_HEADERDATA, 10029)                                                                               \
    CONSTANT(CURLOPT_CUSTOMREQUEST, 10036)                                                                            \
    CONSTANT(CURLOPT_CAINFO, 10065)                                                                                   \
    CONSTANT(CURLOPT_SSLKEY, 10087)                                                                                   \
    CONSTANT(CURLOPT_ACCEPT_ENCODING, 10102)                                                                          \
    CONSTANT(CURLOPT_PRIVATE, 10103)                                                                                  \
    CONSTANT(CURLOPT_OPENSOCKETDATA, 10164)                                                                           \
    CONSTANT(CURLOPT_COPYPOSTFIELDS, 10165)                                                                           \
    CONSTANT(CURLOPT_NOPROXY, 10177)                                                                                  \
    CONSTANT(CURLOPT_PREREQDATA, 10313)                                                                               \
    /* Options whose value is a function, an offset or a blob */                                                      \
    CONSTANT(CURLOPT_WRITEFUNCTION, 20011)                                                                            \
    CONSTANT(CURLOPT_READFUNCTION, 20012)                                                                             \
    CONSTANT(CURLOPT_HEADERFUNCTION, 20079)                                                                           \
    CONSTANT(CURLOPT_OPENSOCKETFUNCTION, 20163)                                                                       \
    CONSTANT(CURLOPT_PREREQFUNCTION, 20312)                                                                           \
    CONSTANT(CURLOPT_POSTFIELDSIZE_LARGE, 30120)                                                                      \
    CONSTANT(CURLOPT_INFILESIZE_LARGE, 30115)                                                                         \
    CONSTANT(CURLOPT_CAINFO_BLOB, 40309)                                                                              \
    CONSTANT(CURLMOPT_MAXCONNECTS, 6)                                                                                 \
    CONSTANT(CURLMOPT_MAX_HOST_CONNECTIONS, 7)                                                                        \
    CONSTANT(CURLMOPT_SOCKETDATA, 10002)                                                                              \
    CONSTANT(CURLMOPT_TIMERDATA, 10005)                                                                               \
    CONSTANT(CURLMOPT_SOCKETFUNCTION, 20001)                                                                          \
    CONSTANT(CURLMOPT_TIMERFUNCTION, 20004)                                                                           \
    /* Information about an exchange */                                                                               \
    CONSTANT(CURLINFO_PRIVATE, 0x100015)                                                                              \
    CONSTANT(CURLINFO_CAINFO, 0x10003d)                                                                               \
    CONSTANT(CURLINFO_CAPATH, 0x10003e)                                                                               \
    CONSTANT(CURLINFO_RESPONSE_CODE, 0x200002)                                                                        \
    CONSTANT(CURLINFO_REQUEST_SIZE, 0x20000c)                                                                         \
    CONSTANT(CURLINFO_HTTP_CONNECTCODE, 0x200016)                                                                     \
    CONSTANT(CURLINFO_OS_ERRNO, 0x200019)                                                                             \
    CONSTANT(CURLINFO_HTTP_VERSION, 0x20002e)                                                                         \
    CONSTANT(CURLINFO_TOTAL_TIME_T, 0x600032)                                                                         \
    /* How an exchange ends */                                                                                        \
    CONSTANT(CURLE_OK, 0)                                                                                             \
    CONSTANT(CURLE_UNSUPPORTED_PROTOCOL, 1)                                                                           \
    CONSTANT(CURLE_URL_MALFORMAT, 3)                                                                                  \
    CONSTANT(CURLE_COULDNT_RESOLVE_PROXY, 5)                                                                          \
    CONSTANT(CURLE_COULDNT_RESOLVE_HOST, 6)                                                                           \
    CONSTANT(CURLE_COULDNT_CONNECT, 7)                                                                                \
    CONSTANT(CURLE_WEIRD_SERVER_REPLY, 8)                                                                             \
    CONSTANT(CURLE_PARTIAL_FILE, 18)                                                                                  \
    CONSTANT(CURLE_OUT_OF_MEMORY, 27)                                                                                 \
    CONSTANT(CURLE_OPERATION_TIMEDOUT, 28)                                                                            \
    CONSTANT(CURLE_SSL_CONNECT_ERROR, 35)                                                                             \
    CONSTANT(CURLE_ABORTED_BY_CALLBACK, 42)                                                                           \
    CONSTANT(CURLE_GOT_NOTHING, 52)                                                                                   \
    CONSTANT(CURLE_SSL_CERTPROBLEM, 58)                                                                               \
    CONSTANT(CURLE_SSL_CIPHER, 59)                                                                                    \
    CONSTANT(CURLE_PEER_FAILED_VERIFICATION, 60)                                                                      \
    CONSTANT(CURLE_BAD_CONTENT_ENCODING, 61)                                                                          \
    CONSTANT(CURLE_SSL_CACERT_BADFILE, 77)                                                                            \
    CONSTANT(CURLE_SSL_ISSUER_ERROR, 83)                                                                              \
    CONSTANT(CURLE_SSL_PINNEDPUBKEYNOTMATCH, 90)                                                                      \
    CONSTANT(CURLE_SSL_INVALIDCERTSTATUS, 91)                                                                         \
    CONSTANT(CURLE_PROXY, 97)                                                                                         \
    CONSTANT(CURLE_SSL_CLIENTCERT, 98)

/// The functions, under their real names.
struct AuthStateCurlFunctions {
#define AUTHSTATE_MEMBER(result, name, parameters) result(*name) parameters;
    AUTHSTATE_CURL_FUNCTIONS(AUTHSTATE_MEMBER)
#undef AUTHSTATE_MEMBER
};

/// The layout of `struct CURLMsg`.
struct AuthStateCurlMessage {
    unsigned int msg;
    void *easy_handle;
    union {
        void *whatever;
        unsigned int result;
    } data;
};

/// The layout of `struct curl_blob`.
struct AuthStateCurlBlob {
    void *data;
    size_t len;
    unsigned int flags;
};

/// The layout of `struct curl_sockaddr`: `addrlen` bytes of `addr` count, which goes on beyond its declared size.
struct AuthStateCurlAddress {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    /// A `struct sockaddr`: its header would bring types of the C library into this module.
    unsigned short addr[8];
};

/// Takes a piece of a header section or of a body; any result but `size * count` ends the exchange. Also fills a buffer with bytes of
/// a request's body: returns their number, 0 at the end, or CURL_READFUNC_PAUSE.
typedef size_t (*AuthStateCurlWrite)(char *bytes, size_t size, size_t count, void *context);

/// Called to open the socket of a new connection; CURL_SOCKET_BAD refuses the address.
typedef int (*AuthStateCurlOpenSocket)(void *context, int purpose, struct AuthStateCurlAddress *address);

/// Called when a connection stands and the request is about to be sent over it.
typedef int (*AuthStateCurlPrerequest)(void *context, char *remote, char *local, int remotePort, int localPort);

/// Tells which events of a socket to wait for from now on, CURL_POLL_IN and the like.
typedef int (*AuthStateCurlSocketChange)(void *easy, int socket, int events, void *context, void *assigned);

/// Tells after how many milliseconds to call libcurl although no socket is ready; -1 for never.
typedef int (*AuthStateCurlTimerChange)(void *multi, long milliseconds, void *context);

#ifndef AUTHSTATE_CHECKING_DECLARATIONS

#define AUTHSTATE_ENUMERATOR(name, value) AuthStateCurl_##name = value,
enum { AUTHSTATE_CURL_CONSTANTS(AUTHSTATE_ENUMERATOR) };
#undef AUTHSTATE_ENUMERATOR

/// Opens libcurl and finds its functions. Returns NULL when everything was found, else the name of what is missing: the
/// library's own name, or the first symbol it lacks. Call it until it finds everything, before every other function here.
const char *AuthStateCurlLoad(void);

// libcurl's functions, with the variadic ones given one type a call. Codes and options are `long`, which is Swift's Int.

long AuthStateCurlGlobalInit(void);

void *AuthStateCurlEasyInit(void);
void AuthStateCurlEasyReset(void *easy);
void AuthStateCurlEasyCleanup(void *easy);
/// Pauses directions, also from within a callback, and lets the others go on: CURLPAUSE_RECV, CURLPAUSE_SEND, both or none.
void AuthStateCurlEasyPause(void *easy, long what);
long AuthStateCurlSetLong(void *easy, long option, long value);
long AuthStateCurlSetPointer(void *easy, long option, const void *value);
long AuthStateCurlSetOffset(void *easy, long option, int64_t value);
long AuthStateCurlSetWrite(void *easy, long option, AuthStateCurlWrite value);
long AuthStateCurlSetPrerequest(void *easy, long option, AuthStateCurlPrerequest value);
long AuthStateCurlSetOpenSocket(void *easy, long option, AuthStateCurlOpenSocket value);
/// libcurl copies the bytes.
long AuthStateCurlSetBlob(void *easy, long option, const void *bytes, size_t count);
/// 0 when the information is not there.
long AuthStateCurlGetLong(void *easy, long info);
/// 0 when the information is not there.
int64_t AuthStateCurlGetOffset(void *easy, long info);
/// NULL when the information is not there.
void *AuthStateCurlGetPointer(void *easy, long info);
const char *AuthStateCurlMessageFor(long code);

struct curl_slist *AuthStateCurlListAppend(struct curl_slist *list, const char *line);
void AuthStateCurlListFree(struct curl_slist *list);

void *AuthStateCurlMultiInit(void);
void AuthStateCurlMultiCleanup(void *multi);
void AuthStateCurlMultiSetLong(void *multi, long option, long value);
long AuthStateCurlMultiAdd(void *multi, void *easy);
void AuthStateCurlMultiRemove(void *multi, void *easy);
/// Calls these functions, with the context, whenever what libcurl waits for changes.
void AuthStateCurlMultiSetCallbacks(
    void *multi, void *context, AuthStateCurlSocketChange socket, AuthStateCurlTimerChange timer);
/// Lets libcurl work on a socket that is ready, or on what is due when the socket is CURL_SOCKET_TIMEOUT.
void AuthStateCurlMultiAct(void *multi, int socket, long events);
/// Opens a socket that is closed on exec: a child process must not hold the connection, nor reach into it.
///
/// Its connection breaks when the other side has acknowledged, or taken, nothing for two minutes. libcurl uses an HTTP/2 connection
/// again after an exchange has timed out, also one that the network has lost without a word; the system would try for a quarter
/// of an hour.
int AuthStateCurlOpenPrivateSocket(const struct AuthStateCurlAddress *address);
/// Copies an IPv4 or IPv6 address in network order; returns its number of bytes, 0 for another family.
int AuthStateCurlAddressBytes(const struct AuthStateCurlAddress *address, unsigned char bytes[16]);
/// A descriptor that becomes readable when eight bytes are written to it; -1 when none is left.
int AuthStateCurlOpenBell(void);
/// A descriptor that watches sockets (epoll); -1 when none is left.
int AuthStateCurlOpenWatch(void);
/// Watches a descriptor that can be read when it is rung; -1 when that fails.
int AuthStateCurlWatchBell(int watch, int bell);
/// Watches a socket for events of poll, in place of those of before, until it has been reported once.
void AuthStateCurlWatchOnce(int watch, int socket, short events);
/// Waits for events, and writes at most so many (64) of them; returns their number, or -1.
int AuthStateCurlAwait(int watch, struct pollfd *ready, int most, int milliseconds);
/// The next exchange that has ended, and how; NULL when there is none.
void *AuthStateCurlMultiNextDone(void *multi, long *code);

#endif
#endif
