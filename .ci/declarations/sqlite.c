// Proves the declarations in Sources/CAuthStateSQLite against SQLite's own header (Debian: libsqlite3-dev).
// gcc -std=c11 -Wall -Werror -fsyntax-only -I Sources/CAuthStateSQLite/include .ci/declarations/sqlite.c

#define AUTHSTATE_CHECKING_DECLARATIONS
#include "CAuthStateSQLite.h"
#include <sqlite3.h>

#define CHECK_CONSTANT(name, value) _Static_assert((long)(SQLITE_##name) == (long)(value), #name);
AUTHSTATE_SQLITE_CONSTANTS(CHECK_CONSTANT)

#define SAME_TYPE(ours, real) __builtin_types_compatible_p(ours, real)

#define CHECK_FUNCTION(result, name, parameters, arguments)                                                           \
    _Static_assert(SAME_TYPE(__typeof__(((struct AuthStateSQLiteFunctions *)0)->name), __typeof__(&sqlite3_##name)), #name);
AUTHSTATE_SQLITE_FUNCTIONS(CHECK_FUNCTION)

_Static_assert(SAME_TYPE(AuthStateSQLiteRelease, sqlite3_destructor_type), "sqlite3_destructor_type");
