// Proves the declarations in Sources/CAuthStatePostgres against libpq's own header (Debian: libpq-dev).
// gcc -std=c11 -Wall -Werror -fsyntax-only -I Sources/CAuthStatePostgres/include -I /usr/include/postgresql
//     .ci/declarations/postgres.c

// The structs have names of our own; here they have the real ones, so that whole functions are compared.
#define AUTHSTATE_CHECKING_DECLARATIONS
#include "CAuthStatePostgres.h"
#include <libpq-fe.h>
#include <stddef.h>

#define CHECK_CONSTANT(name, value) _Static_assert((long)(name) == (long)(value), #name);
AUTHSTATE_PQ_CONSTANTS(CHECK_CONSTANT)

#define SAME_TYPE(ours, real) __builtin_types_compatible_p(ours, real)

#define AuthStatePQOption _PQconninfoOption
#define AuthStatePQNotification pgNotify
struct RealFunctions {
#define REAL_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    AUTHSTATE_PQ_FUNCTIONS(REAL_MEMBER)
    AUTHSTATE_PQ_PIPELINE_FUNCTIONS(REAL_MEMBER)
};
#define CHECK_FUNCTION(result, name, parameters, arguments)                                                           \
    _Static_assert(SAME_TYPE(__typeof__(((struct RealFunctions *)0)->name), __typeof__(&name)), #name);
AUTHSTATE_PQ_FUNCTIONS(CHECK_FUNCTION)
AUTHSTATE_PQ_PIPELINE_FUNCTIONS(CHECK_FUNCTION)
#undef AuthStatePQOption
#undef AuthStatePQNotification

_Static_assert(SAME_TYPE(AuthStatePQNotice, PQnoticeProcessor), "PQnoticeProcessor");
_Static_assert(SAME_TYPE(Oid, unsigned int), "Oid");

#define CHECK_MEMBER(ours, real, member)                                                                              \
    _Static_assert(offsetof(struct ours, member) == offsetof(real, member), #real "." #member);                       \
    _Static_assert(sizeof(((struct ours *)0)->member) == sizeof(((real *)0)->member), #real "." #member);
#define CHECK_SIZE(ours, real) _Static_assert(sizeof(struct ours) == sizeof(real), #real);

CHECK_SIZE(AuthStatePQOption, PQconninfoOption)
CHECK_MEMBER(AuthStatePQOption, PQconninfoOption, keyword)
CHECK_MEMBER(AuthStatePQOption, PQconninfoOption, val)
CHECK_MEMBER(AuthStatePQOption, PQconninfoOption, dispsize)

CHECK_SIZE(AuthStatePQNotification, PGnotify)
CHECK_MEMBER(AuthStatePQNotification, PGnotify, relname)
CHECK_MEMBER(AuthStatePQNotification, PGnotify, be_pid)
CHECK_MEMBER(AuthStatePQNotification, PGnotify, extra)
