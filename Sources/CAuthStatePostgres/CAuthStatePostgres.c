#include "CAuthStatePostgres.h"

#include <dlfcn.h>
#include <stddef.h>

static struct AuthStatePQFunctions pq;

static const char *const names[] = {
#if defined(__APPLE__)
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
#else
    "libpq.so.5",
#endif
};

const char *AuthStatePQLoad(void) {
    void *handle = NULL;
    for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        return names[0];
    }
    // POSIX promises that a function pointer fits in what dlsym returns; the cast goes through the pointer's address
    // because ISO C has no conversion between the two.
#define AUTHSTATE_FIND(result, name, parameters, arguments) *(void **)&pq.name = dlsym(handle, #name);
#define AUTHSTATE_LOAD(result, name, parameters, arguments)                                                           \
    AUTHSTATE_FIND(result, name, parameters, arguments)                                                               \
    if (pq.name == NULL) {                                                                                            \
        dlclose(handle);                                                                                              \
        return #name;                                                                                                 \
    }
    AUTHSTATE_PQ_FUNCTIONS(AUTHSTATE_LOAD)
    AUTHSTATE_PQ_PIPELINE_FUNCTIONS(AUTHSTATE_FIND)
#undef AUTHSTATE_LOAD
#undef AUTHSTATE_FIND
    return NULL;
}

int AuthStatePQHasPipelines(void) {
#define AUTHSTATE_HAS(result, name, parameters, arguments) && pq.name != NULL
    return 1 AUTHSTATE_PQ_PIPELINE_FUNCTIONS(AUTHSTATE_HAS);
#undef AUTHSTATE_HAS
}

#define AUTHSTATE_CALL(result, name, parameters, arguments)                                                           \
    result AuthState##name parameters { return pq.name arguments; }
AUTHSTATE_PQ_FUNCTIONS(AUTHSTATE_CALL)
AUTHSTATE_PQ_PIPELINE_FUNCTIONS(AUTHSTATE_CALL)
#undef AUTHSTATE_CALL
