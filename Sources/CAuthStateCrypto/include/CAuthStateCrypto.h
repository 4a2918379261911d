#pragma once
#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

// The part of libcrypto 3 that is used, declared here so that building needs no OpenSSL headers, and found at run time
// so that linking needs no library. `.ci/declarations/crypto.c` compares every line with the real headers.

typedef struct engine_st ENGINE;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct ossl_init_settings_st OPENSSL_INIT_SETTINGS;
typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;

/// One line for each function: result, name, parameters. The struct, the loader and the check are made from this table.
#define AUTHSTATE_CRYPTO_FUNCTIONS(FUNCTION)                                                                          \
    /* Life cycle */                                                                                                  \
    FUNCTION(int, OPENSSL_init_crypto, (uint64_t, const OPENSSL_INIT_SETTINGS *))                                     \
    /* Digests */                                                                                                     \
    FUNCTION(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX *, const char *, const char *))                                    \
    FUNCTION(int, EVP_Digest,                                                                                         \
             (const void *, size_t, unsigned char *, unsigned int *, const EVP_MD *, ENGINE *))                       \
    FUNCTION(int, EVP_DigestInit_ex, (EVP_MD_CTX *, const EVP_MD *, ENGINE *))                                        \
    FUNCTION(int, EVP_DigestUpdate, (EVP_MD_CTX *, const void *, size_t))                                             \
    FUNCTION(int, EVP_DigestFinal_ex, (EVP_MD_CTX *, unsigned char *, unsigned int *))                                \
    FUNCTION(unsigned char *, HMAC,                                                                                   \
             (const EVP_MD *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned int *))     \
    /* Ciphers */                                                                                                     \
    FUNCTION(EVP_CIPHER *, EVP_CIPHER_fetch, (OSSL_LIB_CTX *, const char *, const char *))                            \
    FUNCTION(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void))                                                            \
    FUNCTION(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *))                                                           \
    FUNCTION(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *, int, int, void *))                                          \
    FUNCTION(int, EVP_CipherInit_ex,                                                                                  \
             (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const unsigned char *, const unsigned char *, int))     \
    FUNCTION(int, EVP_CipherUpdate, (EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int))           \
    FUNCTION(int, EVP_CipherFinal_ex, (EVP_CIPHER_CTX *, unsigned char *, int *))                                     \
    /* Signatures */                                                                                                  \
    FUNCTION(EVP_MD_CTX *, EVP_MD_CTX_new, (void))                                                                    \
    FUNCTION(void, EVP_MD_CTX_free, (EVP_MD_CTX *))                                                                   \
    FUNCTION(int, EVP_DigestVerifyInit, (EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, ENGINE *, EVP_PKEY *))        \
    FUNCTION(int, EVP_DigestVerify, (EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t))     \
    FUNCTION(int, EVP_DigestSignInit, (EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, ENGINE *, EVP_PKEY *))          \
    FUNCTION(int, EVP_DigestSign, (EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t))           \
    FUNCTION(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_pkey, (OSSL_LIB_CTX *, EVP_PKEY *, const char *))                  \
    FUNCTION(int, EVP_PKEY_CTX_set_signature_md, (EVP_PKEY_CTX *, const EVP_MD *))                                    \
    FUNCTION(int, EVP_PKEY_CTX_ctrl_str, (EVP_PKEY_CTX *, const char *, const char *))                                \
    FUNCTION(int, EVP_PKEY_verify_init, (EVP_PKEY_CTX *))                                                             \
    FUNCTION(int, EVP_PKEY_verify,                                                                                    \
             (EVP_PKEY_CTX *, const unsigned char *, size_t, const unsigned char *, size_t))                          \
    /* Keys */                                                                                                        \
    FUNCTION(EVP_PKEY *, d2i_PUBKEY, (EVP_PKEY **, const unsigned char **, long))                                     \
    FUNCTION(EVP_PKEY *, d2i_AutoPrivateKey, (EVP_PKEY **, const unsigned char **, long))                             \
    FUNCTION(int, i2d_PUBKEY, (const EVP_PKEY *, unsigned char **))                                                   \
    FUNCTION(int, i2d_PrivateKey, (const EVP_PKEY *, unsigned char **))                                               \
    FUNCTION(int, EVP_PKEY_get_raw_private_key, (const EVP_PKEY *, unsigned char *, size_t *))                        \
    FUNCTION(void, EVP_PKEY_free, (EVP_PKEY *))                                                                       \
    FUNCTION(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_name, (OSSL_LIB_CTX *, const char *, const char *))                \
    FUNCTION(void, EVP_PKEY_CTX_free, (EVP_PKEY_CTX *))                                                               \
    FUNCTION(int, EVP_PKEY_keygen_init, (EVP_PKEY_CTX *))                                                             \
    FUNCTION(int, EVP_PKEY_keygen, (EVP_PKEY_CTX *, EVP_PKEY **))                                                     \
    /* Errors */                                                                                                      \
    FUNCTION(void, ERR_clear_error, (void))

/// One line for each constant: name and value. They are imported as `AuthStateCrypto_NAME`.
#define AUTHSTATE_CRYPTO_CONSTANTS(CONSTANT)                                                                          \
    CONSTANT(OPENSSL_INIT_NO_ATEXIT, 0x00080000)                                                                      \
    CONSTANT(EVP_CTRL_AEAD_GET_TAG, 0x10)                                                                             \
    CONSTANT(EVP_CTRL_AEAD_SET_TAG, 0x11)

/// The functions, under their real names.
struct AuthStateCryptoFunctions {
#define AUTHSTATE_MEMBER(result, name, parameters) result(*name) parameters;
    AUTHSTATE_CRYPTO_FUNCTIONS(AUTHSTATE_MEMBER)
#undef AUTHSTATE_MEMBER
};

#ifndef AUTHSTATE_CHECKING_DECLARATIONS
#define AUTHSTATE_ENUMERATOR(name, value) AuthStateCrypto_##name = value,
enum { AUTHSTATE_CRYPTO_CONSTANTS(AUTHSTATE_ENUMERATOR) };
#undef AUTHSTATE_ENUMERATOR
#endif

/// Opens `library` and fills `functions`. Returns NULL when everything was found, else the name of what is missing:
/// the library's own name, or the first symbol it lacks. Keeps no state: any thread may call it at any time.
const char *AuthStateCryptoLoad(const char *library, struct AuthStateCryptoFunctions *functions);

#endif
