// Proves the declarations in Sources/CAuthStateCurl against libcurl's own headers (Debian: libcurl4-openssl-dev).
// gcc -std=c11 -Wall -Werror -fsyntax-only -I Sources/CAuthStateCurl/include .ci/declarations/curl.c

#define AUTHSTATE_CHECKING_DECLARATIONS
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include "CAuthStateCurl.h"
#include <curl/curl.h>

_Static_assert(LIBCURL_VERSION_NUM >= 0x075700, "these headers are older than the newest option that is used (7.87)");

#define CHECK_CONSTANT(name, value) _Static_assert((long)(name) == (long)(value), #name);
AUTHSTATE_CURL_CONSTANTS(CHECK_CONSTANT)

#define SAME_TYPE(ours, real) __builtin_types_compatible_p(ours, real)

#define CHECK_FUNCTION(result, name, parameters)                                                                      \
    _Static_assert(SAME_TYPE(__typeof__(((struct AuthStateCurlFunctions *)0)->name), __typeof__(&name)), #name);
AUTHSTATE_CURL_FUNCTIONS(CHECK_FUNCTION)

_Static_assert(SAME_TYPE(AuthStateCurlWrite, curl_write_callback), "curl_write_callback");
_Static_assert(SAME_TYPE(AuthStateCurlWrite, curl_read_callback), "curl_read_callback");
_Static_assert(SAME_TYPE(AuthStateCurlPrerequest, curl_prereq_callback), "curl_prereq_callback");
_Static_assert(SAME_TYPE(AuthStateCurlSocketChange, curl_socket_callback), "curl_socket_callback");
_Static_assert(SAME_TYPE(AuthStateCurlTimerChange, curl_multi_timer_callback), "curl_multi_timer_callback");
// The type of the purpose is an enum, and the address is a struct of another name: only the call has to be the same.
_Static_assert(sizeof(curlsocktype) == sizeof(int), "curlsocktype");
_Static_assert(sizeof(curl_off_t) == sizeof(int64_t), "curl_off_t");

#define CHECK_MEMBER(ours, real, member)                                                                              \
    _Static_assert(offsetof(struct ours, member) == offsetof(struct real, member), #real "." #member);                \
    _Static_assert(sizeof(((struct ours *)0)->member) == sizeof(((struct real *)0)->member), #real "." #member);
#define CHECK_SIZE(ours, real) _Static_assert(sizeof(struct ours) == sizeof(struct real), #real);

CHECK_SIZE(AuthStateCurlMessage, CURLMsg)
CHECK_MEMBER(AuthStateCurlMessage, CURLMsg, msg)
CHECK_MEMBER(AuthStateCurlMessage, CURLMsg, easy_handle)
CHECK_MEMBER(AuthStateCurlMessage, CURLMsg, data)
CHECK_MEMBER(AuthStateCurlMessage, CURLMsg, data.result)

CHECK_MEMBER(AuthStateCurlAddress, curl_sockaddr, family)
CHECK_MEMBER(AuthStateCurlAddress, curl_sockaddr, socktype)
CHECK_MEMBER(AuthStateCurlAddress, curl_sockaddr, protocol)
CHECK_MEMBER(AuthStateCurlAddress, curl_sockaddr, addrlen)
CHECK_MEMBER(AuthStateCurlAddress, curl_sockaddr, addr)
CHECK_SIZE(AuthStateCurlAddress, curl_sockaddr)
_Static_assert(SAME_TYPE(curl_socket_t, int), "curl_socket_t");

CHECK_SIZE(AuthStateCurlBlob, curl_blob)
CHECK_MEMBER(AuthStateCurlBlob, curl_blob, data)
CHECK_MEMBER(AuthStateCurlBlob, curl_blob, len)
CHECK_MEMBER(AuthStateCurlBlob, curl_blob, flags)
