#include "CAuthStateSQLite.h"

#include <dlfcn.h>
#include <stddef.h>

static struct AuthStateSQLiteFunctions functions;

#if defined(__APPLE__)
static const char libraryName[] = "/usr/lib/libsqlite3.dylib";
#else
static const char libraryName[] = "libsqlite3.so.0";
#endif

const char *AuthStateSQLiteLoad(void) {
    void *handle = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return libraryName;
    }
    // POSIX promises that a function pointer fits in what dlsym returns; the cast goes through the pointer's address
    // because ISO C has no conversion between the two.
#define AUTHSTATE_LOAD(result, name, parameters, arguments)                                                           \
    *(void **)&functions.name = dlsym(handle, "sqlite3_" #name);                                                      \
    if (functions.name == NULL) {                                                                                     \
        dlclose(handle);                                                                                              \
        return "sqlite3_" #name;                                                                                      \
    }
    AUTHSTATE_SQLITE_FUNCTIONS(AUTHSTATE_LOAD)
#undef AUTHSTATE_LOAD
    return NULL;
}

#define AUTHSTATE_CALL(result, name, parameters, arguments)                                                           \
    result AuthStateSQLite_##name parameters { return functions.name arguments; }
AUTHSTATE_SQLITE_FUNCTIONS(AUTHSTATE_CALL)
#undef AUTHSTATE_CALL
