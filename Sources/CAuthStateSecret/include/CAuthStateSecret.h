#pragma once

// The part of libsecret, and of GLib below it, that is used: declared here so that building needs no headers, and found at
// run time so that linking needs no library. `.ci/declarations/secret.c` compares every line with the real headers.
//
// GLib's enums have no negative member: they are `unsigned int`. Its `gboolean` is `int`.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

struct _GCancellable;
struct _GDBusConnection;
struct _GDBusAuthObserver;
struct _GHashTable;
struct _GVariant;
struct _GVariantType;
struct _SecretCollection;
struct _SecretItem;
struct _SecretService;
struct _SecretValue;

/// The layout of `GError`.
struct AuthStateGError {
    uint32_t domain;
    int code;
    char *message;
};

/// The layout of `GList`.
struct AuthStateGList {
    void *data;
    struct AuthStateGList *next;
    struct AuthStateGList *prev;
};

/// The layout of `SecretSchemaAttribute`.
typedef struct {
    const char *name;
    unsigned int type;
} AuthStateSecretAttribute;

/// The layout of `SecretSchema`.
typedef struct {
    const char *name;
    unsigned int flags;
    AuthStateSecretAttribute attributes[32];
    int reserved;
    void *reserved1[7];
} AuthStateSecretSchema;

typedef void (*AuthStateGDestroy)(void *object);
typedef unsigned int (*AuthStateGHash)(const void *key);
typedef int (*AuthStateGEqual)(const void *a, const void *b);

/// One line for each function: result, name, parameters, arguments. The struct, the loader, the functions that Swift calls and
/// the check are made from this table.
#define AUTHSTATE_SECRET_FUNCTIONS(FUNCTION)                                                                          \
    /* The service */                                                                                                 \
    FUNCTION(size_t, secret_service_get_type, (void), ())                                                             \
    FUNCTION(struct _SecretService *, secret_service_open_sync,                                                       \
             (size_t type, const char *name, unsigned int flags, struct _GCancellable *cancellable,                   \
              struct AuthStateGError **error),                                                                        \
             (type, name, flags, cancellable, error))                                                                 \
    FUNCTION(struct AuthStateGList *, secret_service_search_sync,                                                     \
             (struct _SecretService *service, const AuthStateSecretSchema *schema, struct _GHashTable *attributes,    \
              unsigned int flags, struct _GCancellable *cancellable, struct AuthStateGError **error),                 \
             (service, schema, attributes, flags, cancellable, error))                                                \
    FUNCTION(int, secret_service_unlock_sync,                                                                         \
             (struct _SecretService *service, struct AuthStateGList *objects, struct _GCancellable *cancellable,      \
              struct AuthStateGList **unlocked, struct AuthStateGError **error),                                      \
             (service, objects, cancellable, unlocked, error))                                                        \
    /* A collection, its items and their secrets */                                                                   \
    FUNCTION(struct _SecretCollection *, secret_collection_for_alias_sync,                                            \
             (struct _SecretService *service, const char *alias, unsigned int flags,                                  \
              struct _GCancellable *cancellable, struct AuthStateGError **error),                                     \
             (service, alias, flags, cancellable, error))                                                             \
    FUNCTION(int, secret_collection_get_locked, (struct _SecretCollection *collection), (collection))                 \
    FUNCTION(struct _SecretItem *, secret_item_create_sync,                                                           \
             (struct _SecretCollection *collection, const AuthStateSecretSchema *schema,                              \
              struct _GHashTable *attributes, const char *label, struct _SecretValue *value, unsigned int flags,      \
              struct _GCancellable *cancellable, struct AuthStateGError **error),                                     \
             (collection, schema, attributes, label, value, flags, cancellable, error))                               \
    FUNCTION(struct _SecretValue *, secret_item_get_secret, (struct _SecretItem *item), (item))                       \
    FUNCTION(uint64_t, secret_item_get_created, (struct _SecretItem *item), (item))                                   \
    FUNCTION(struct _SecretValue *, secret_value_new, (const char *secret, ptrdiff_t length, const char *type),       \
             (secret, length, type))                                                                                  \
    FUNCTION(const char *, secret_value_get, (struct _SecretValue *value, size_t *length), (value, length))           \
    FUNCTION(void, secret_value_unref, (void *value), (value))                                                        \
    /* D-Bus */                                                                                                       \
    FUNCTION(char *, g_dbus_address_get_for_bus_sync,                                                                 \
             (int bus, struct _GCancellable *cancellable, struct AuthStateGError **error), (bus, cancellable, error)) \
    FUNCTION(struct _GDBusConnection *, g_dbus_connection_new_for_address_sync,                                       \
             (const char *address, unsigned int flags, struct _GDBusAuthObserver *observer,                           \
              struct _GCancellable *cancellable, struct AuthStateGError **error),                                     \
             (address, flags, observer, cancellable, error))                                                          \
    FUNCTION(struct _GVariant *, g_dbus_connection_call_sync,                                                         \
             (struct _GDBusConnection *connection, const char *name, const char *path, const char *interface,         \
              const char *method, struct _GVariant *arguments, const struct _GVariantType *type, unsigned int flags,  \
              int milliseconds, struct _GCancellable *cancellable, struct AuthStateGError **error),                   \
             (connection, name, path, interface, method, arguments, type, flags, milliseconds, cancellable, error))   \
    FUNCTION(int, g_dbus_connection_close_sync,                                                                       \
             (struct _GDBusConnection *connection, struct _GCancellable *cancellable,                                 \
              struct AuthStateGError **error),                                                                        \
             (connection, cancellable, error))                                                                        \
    FUNCTION(struct _GVariant *, g_variant_new_string, (const char *text), (text))                                    \
    FUNCTION(struct _GVariant *, g_variant_new_uint32, (uint32_t number), (number))                                   \
    FUNCTION(struct _GVariant *, g_variant_new_tuple, (struct _GVariant *const *members, size_t count),               \
             (members, count))                                                                                        \
    FUNCTION(struct _GVariant *, g_variant_get_child_value, (struct _GVariant *tuple, size_t index), (tuple, index))  \
    FUNCTION(uint32_t, g_variant_get_uint32, (struct _GVariant *number), (number))                                    \
    FUNCTION(void, g_variant_unref, (struct _GVariant *variant), (variant))                                           \
    /* Memory, errors and the end of waiting */                                                                       \
    FUNCTION(unsigned int, g_str_hash, (const void *text), (text))                                                    \
    FUNCTION(int, g_str_equal, (const void *a, const void *b), (a, b))                                                \
    FUNCTION(struct _GHashTable *, g_hash_table_new, (AuthStateGHash hash, AuthStateGEqual equal), (hash, equal))     \
    FUNCTION(int, g_hash_table_insert, (struct _GHashTable *table, void *key, void *value), (table, key, value))      \
    FUNCTION(void, g_hash_table_unref, (struct _GHashTable *table), (table))                                          \
    FUNCTION(struct AuthStateGList *, g_list_append, (struct AuthStateGList *list, void *data), (list, data))         \
    FUNCTION(void, g_list_free, (struct AuthStateGList *list), (list))                                                \
    FUNCTION(void, g_object_unref, (void *object), (object))                                                          \
    FUNCTION(void, g_free, (void *memory), (memory))                                                                  \
    FUNCTION(void, g_error_free, (struct AuthStateGError *error), (error))                                            \
    FUNCTION(uint32_t, g_io_error_quark, (void), ())                                                                  \
    FUNCTION(uint32_t, g_dbus_error_quark, (void), ())                                                                \
    FUNCTION(struct _GCancellable *, g_cancellable_new, (void), ())                                                   \
    FUNCTION(void, g_cancellable_cancel, (struct _GCancellable *cancellable), (cancellable))

/// One line for each constant: name and value. They are imported as `AuthStateSecret_NAME`.
#define AUTHSTATE_SECRET_CONSTANTS(CONSTANT)                                                                          \
    CONSTANT(SECRET_SCHEMA_NONE, 0)                                                                                   \
    CONSTANT(SECRET_SCHEMA_ATTRIBUTE_STRING, 0)                                                                       \
    CONSTANT(SECRET_SERVICE_OPEN_SESSION, 2)                                                                          \
    CONSTANT(SECRET_SEARCH_ALL, 2)                                                                                    \
    CONSTANT(SECRET_SEARCH_UNLOCK, 4)                                                                                 \
    CONSTANT(SECRET_SEARCH_LOAD_SECRETS, 8)                                                                           \
    CONSTANT(SECRET_COLLECTION_NONE, 0)                                                                               \
    CONSTANT(SECRET_ITEM_CREATE_NONE, 0)                                                                              \
    CONSTANT(G_BUS_TYPE_SESSION, 2)                                                                                   \
    CONSTANT(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, 1)                                                        \
    CONSTANT(G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, 8)                                                       \
    CONSTANT(G_DBUS_CALL_FLAGS_NONE, 0)                                                                               \
    CONSTANT(G_IO_ERROR_CANCELLED, 19)                                                                                \
    CONSTANT(G_DBUS_ERROR_SERVICE_UNKNOWN, 2)                                                                         \
    CONSTANT(G_DBUS_ERROR_NAME_HAS_NO_OWNER, 3)

/// The functions, under their real names.
struct AuthStateSecretFunctions {
#define AUTHSTATE_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    AUTHSTATE_SECRET_FUNCTIONS(AUTHSTATE_MEMBER)
#undef AUTHSTATE_MEMBER
};

#ifndef AUTHSTATE_CHECKING_DECLARATIONS

#define AUTHSTATE_ENUMERATOR(name, value) AuthStateSecret_##name = value,
enum { AUTHSTATE_SECRET_CONSTANTS(AUTHSTATE_ENUMERATOR) };
#undef AUTHSTATE_ENUMERATOR

/// Opens libsecret and finds its functions. Returns NULL when everything was found, else the name of what is missing: the
/// library's own name, or the first symbol it lacks. Call it once, before every other function here.
const char *AuthStateSecretLoad(void);

/// The schema of sealing keys: one attribute, `application`.
const AuthStateSecretSchema *AuthStateSecretSealingKeySchema(void);

/// Makes the attributes of an application's sealing keys; the text has to outlive them.
struct _GHashTable *AuthStateSecretSealingKeyAttributes(const char *application);

// The libraries' functions: AuthState_g_free is g_free.
#define AUTHSTATE_DECLARE(result, name, parameters, arguments) result AuthState_##name parameters;
AUTHSTATE_SECRET_FUNCTIONS(AUTHSTATE_DECLARE)
#undef AUTHSTATE_DECLARE
#endif

#endif
