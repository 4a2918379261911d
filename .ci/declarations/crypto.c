// Compares our declarations of libcrypto with the real headers: a wrong prototype or constant does not compile.
// Run: gcc -std=c11 -Wall -Werror -fsyntax-only -I Sources/CAuthStateCrypto/include .ci/declarations/crypto.c
// Needs Debian's libssl-dev.

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/x509.h>

// Names the enumerators out of the way: here the constants' names are the real headers' macros.
#define AUTHSTATE_CHECKING_DECLARATIONS
#include "CAuthStateCrypto.h"

#define CHECK_FUNCTION(result, name, parameters)                                                                      \
    _Static_assert(                                                                                                   \
        __builtin_types_compatible_p(__typeof__(&name), __typeof__(((struct AuthStateCryptoFunctions *)0)->name)),    \
        #name " is declared otherwise in the real headers");
AUTHSTATE_CRYPTO_FUNCTIONS(CHECK_FUNCTION)

#define CHECK_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value in the real headers");
AUTHSTATE_CRYPTO_CONSTANTS(CHECK_CONSTANT)

_Static_assert(OPENSSL_VERSION_MAJOR == 3, "the headers are not those of libcrypto.so.3");
