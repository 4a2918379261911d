// Proves the declarations in Sources/CAuthStateSecret against the headers of libsecret and GLib (Debian: libsecret-1-dev).
// gcc -std=c11 -Wall -Werror -fsyntax-only -I Sources/CAuthStateSecret/include $(pkg-config --cflags libsecret-1)
//     .ci/declarations/secret.c

// The structs have names of our own; here they have the real ones, so that whole functions are compared.
#define AUTHSTATE_CHECKING_DECLARATIONS
#include "CAuthStateSecret.h"
#include <libsecret/secret.h>
#include <stddef.h>

#define CHECK_CONSTANT(name, value) _Static_assert((long)(name) == (long)(value), #name);
AUTHSTATE_SECRET_CONSTANTS(CHECK_CONSTANT)

#define SAME_TYPE(ours, real) __builtin_types_compatible_p(ours, real)

// Macros that cast stand before the functions of these names.
#undef g_object_unref
#undef g_hash_table_insert

#define AuthStateGError _GError
#define AuthStateGList _GList
#define AuthStateSecretSchema SecretSchema
// GCC has another type for a function that is declared with the attribute `const`.
struct RealFunctions {
#define REAL_MEMBER(result, name, parameters, arguments)                                                              \
    result(*name) parameters;                                                                                         \
    __attribute__((const)) result(*name##_const) parameters;
    AUTHSTATE_SECRET_FUNCTIONS(REAL_MEMBER)
};
#define CHECK_FUNCTION(result, name, parameters, arguments)                                                           \
    _Static_assert(SAME_TYPE(__typeof__(((struct RealFunctions *)0)->name), __typeof__(&name)) ||                      \
                       SAME_TYPE(__typeof__(((struct RealFunctions *)0)->name##_const), __typeof__(&name)),           \
                   #name);
AUTHSTATE_SECRET_FUNCTIONS(CHECK_FUNCTION)
#undef AuthStateGError
#undef AuthStateGList
#undef AuthStateSecretSchema

_Static_assert(SAME_TYPE(AuthStateGHash, GHashFunc), "GHashFunc");
_Static_assert(SAME_TYPE(AuthStateGEqual, GEqualFunc), "GEqualFunc");

#define CHECK_MEMBER(ours, real, member)                                                                              \
    _Static_assert(offsetof(ours, member) == offsetof(real, member), #real "." #member);                              \
    _Static_assert(sizeof(((ours *)0)->member) == sizeof(((real *)0)->member), #real "." #member);
#define CHECK_SIZE(ours, real) _Static_assert(sizeof(ours) == sizeof(real), #real);

CHECK_SIZE(struct AuthStateGError, GError)
CHECK_MEMBER(struct AuthStateGError, GError, domain)
CHECK_MEMBER(struct AuthStateGError, GError, code)
CHECK_MEMBER(struct AuthStateGError, GError, message)

CHECK_SIZE(struct AuthStateGList, GList)
CHECK_MEMBER(struct AuthStateGList, GList, data)
CHECK_MEMBER(struct AuthStateGList, GList, next)

CHECK_SIZE(AuthStateSecretAttribute, SecretSchemaAttribute)
CHECK_MEMBER(AuthStateSecretAttribute, SecretSchemaAttribute, name)
CHECK_MEMBER(AuthStateSecretAttribute, SecretSchemaAttribute, type)

CHECK_SIZE(AuthStateSecretSchema, SecretSchema)
CHECK_MEMBER(AuthStateSecretSchema, SecretSchema, name)
CHECK_MEMBER(AuthStateSecretSchema, SecretSchema, flags)
CHECK_MEMBER(AuthStateSecretSchema, SecretSchema, attributes)
CHECK_MEMBER(AuthStateSecretSchema, SecretSchema, reserved)
