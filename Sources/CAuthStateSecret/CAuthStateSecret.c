#include "CAuthStateSecret.h"

#if defined(__linux__)

#include <dlfcn.h>

static struct AuthStateSecretFunctions functions;

const char *AuthStateSecretLoad(void) {
    const char *const library = "libsecret-1.so.0";
    // GLib's symbols are found through the same handle: dlsym looks into the libraries that this one needs, too. GLib never
    // unloads what it has started, so the handle stays open on success.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return library;
    }
    // POSIX promises that a function pointer fits in what dlsym returns; the cast goes through the pointer's address
    // because ISO C has no conversion between the two.
#define AUTHSTATE_LOAD(result, name, parameters, arguments)                                                           \
    *(void **)&functions.name = dlsym(handle, #name);                                                                    \
    if (functions.name == NULL) {                                                                                        \
        return #name;                                                                                                 \
    }
    AUTHSTATE_SECRET_FUNCTIONS(AUTHSTATE_LOAD)
#undef AUTHSTATE_LOAD
    return NULL;
}

#define AUTHSTATE_CALL(result, name, parameters, arguments)                                                           \
    result AuthState_##name parameters { return functions.name arguments; }
AUTHSTATE_SECRET_FUNCTIONS(AUTHSTATE_CALL)
#undef AUTHSTATE_CALL

static const AuthStateSecretSchema schema = {
    .name = "org.authstatekit.SealingKey",
    .flags = AuthStateSecret_SECRET_SCHEMA_NONE,
    .attributes = {{"application", AuthStateSecret_SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
};

const AuthStateSecretSchema *AuthStateSecretSealingKeySchema(void) { return &schema; }

struct _GHashTable *AuthStateSecretSealingKeyAttributes(const char *application) {
    struct _GHashTable *attributes = functions.g_hash_table_new(functions.g_str_hash, functions.g_str_equal);
    functions.g_hash_table_insert(attributes, (void *)"application", (void *)application);
    return attributes;
}

#endif
