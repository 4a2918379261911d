#include "CAuthStateCrypto.h"

#if defined(__linux__)

#include <dlfcn.h>

const char *AuthStateCryptoLoad(const char *library, struct AuthStateCryptoFunctions *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return library;
    }
    // POSIX promises that a function pointer fits in what dlsym returns; the cast goes through the pointer's address
    // because ISO C has no conversion between the two.
#define AUTHSTATE_LOAD(result, name, parameters)                                                                      \
    *(void **)&functions->name = dlsym(handle, #name);                                                                \
    if (functions->name == NULL) {                                                                                    \
        dlclose(handle);                                                                                              \
        return #name;                                                                                                 \
    }
    AUTHSTATE_CRYPTO_FUNCTIONS(AUTHSTATE_LOAD)
#undef AUTHSTATE_LOAD
    // At exit OpenSSL would free its tables while threads still use them. Only the first call takes effect.
    functions->OPENSSL_init_crypto(AuthStateCrypto_OPENSSL_INIT_NO_ATEXIT, NULL);
    return NULL;
}

#endif
