#pragma once

// The part of SQLite that is used, declared here so that building needs no SQLite headers, and found at run time so that
// linking needs no library. `.ci/declarations/sqlite.c` compares every line with the real header.

struct sqlite3;
struct sqlite3_stmt;

/// Called when another connection has the database; a result of zero ends the wait.
typedef int (*AuthStateSQLiteWait)(void *context, int count);

/// Called with the bytes of a parameter after their use; NULL where they outlive it.
typedef void (*AuthStateSQLiteRelease)(void *bytes);

/// One line for each function: result, name without `sqlite3_`, parameters, arguments. The struct, the loader, the functions
/// that Swift calls and the check are made from this table.
#define AUTHSTATE_SQLITE_FUNCTIONS(FUNCTION)                                                                          \
    FUNCTION(int, threadsafe, (void), ())                                                                             \
    FUNCTION(int, libversion_number, (void), ())                                                                      \
    FUNCTION(const char *, errstr, (int code), (code))                                                                \
    /* One connection */                                                                                              \
    FUNCTION(int, open_v2, (const char *name, struct sqlite3 **connection, int flags, const char *system),            \
             (name, connection, flags, system))                                                                       \
    FUNCTION(int, close, (struct sqlite3 *connection), (connection))                                                  \
    FUNCTION(int, extended_errcode, (struct sqlite3 *connection), (connection))                                       \
    FUNCTION(int, system_errno, (struct sqlite3 *connection), (connection))                                           \
    FUNCTION(int, busy_handler, (struct sqlite3 *connection, AuthStateSQLiteWait wait, void *context),                \
             (connection, wait, context))                                                                             \
    FUNCTION(int, file_control, (struct sqlite3 *connection, const char *name, int operation, void *value),           \
             (connection, name, operation, value))                                                                    \
    FUNCTION(int, db_cacheflush, (struct sqlite3 *connection), (connection))                                          \
    FUNCTION(int, get_autocommit, (struct sqlite3 *connection), (connection))                                         \
    /* One statement */                                                                                               \
    FUNCTION(int, prepare_v3,                                                                                         \
             (struct sqlite3 *connection, const char *text, int length, unsigned int flags,                           \
              struct sqlite3_stmt **statement, const char **rest),                                                    \
             (connection, text, length, flags, statement, rest))                                                      \
    FUNCTION(int, finalize, (struct sqlite3_stmt *statement), (statement))                                            \
    FUNCTION(int, bind_blob64,                                                                                        \
             (struct sqlite3_stmt *statement, int index, const void *bytes, unsigned long long length,                \
              AuthStateSQLiteRelease release),                                                                        \
             (statement, index, bytes, length, release))                                                              \
    FUNCTION(int, bind_int64, (struct sqlite3_stmt *statement, int index, long long value), (statement, index, value))\
    FUNCTION(int, bind_double, (struct sqlite3_stmt *statement, int index, double value), (statement, index, value))  \
    FUNCTION(int, step, (struct sqlite3_stmt *statement), (statement))                                                \
    FUNCTION(int, reset, (struct sqlite3_stmt *statement), (statement))                                               \
    FUNCTION(int, clear_bindings, (struct sqlite3_stmt *statement), (statement))                                      \
    /* One row */                                                                                                     \
    FUNCTION(const void *, column_blob, (struct sqlite3_stmt *statement, int index), (statement, index))              \
    FUNCTION(int, column_bytes, (struct sqlite3_stmt *statement, int index), (statement, index))                      \
    FUNCTION(long long, column_int64, (struct sqlite3_stmt *statement, int index), (statement, index))                \
    FUNCTION(double, column_double, (struct sqlite3_stmt *statement, int index), (statement, index))

/// One line for each constant: name without `SQLITE_` and value. They are imported as `AuthStateSQLite_NAME`.
#define AUTHSTATE_SQLITE_CONSTANTS(CONSTANT)                                                                          \
    CONSTANT(OK, 0)                                                                                                   \
    CONSTANT(BUSY, 5)                                                                                                 \
    CONSTANT(LOCKED, 6)                                                                                               \
    CONSTANT(READONLY, 8)                                                                                             \
    CONSTANT(IOERR, 10)                                                                                               \
    CONSTANT(CORRUPT, 11)                                                                                             \
    CONSTANT(FULL, 13)                                                                                                \
    CONSTANT(CANTOPEN, 14)                                                                                            \
    CONSTANT(PROTOCOL, 15)                                                                                            \
    CONSTANT(NOTADB, 26)                                                                                              \
    CONSTANT(ROW, 100)                                                                                                \
    CONSTANT(DONE, 101)                                                                                               \
    CONSTANT(OPEN_READWRITE, 0x2)                                                                                     \
    CONSTANT(OPEN_CREATE, 0x4)                                                                                        \
    CONSTANT(OPEN_URI, 0x40)                                                                                          \
    CONSTANT(OPEN_NOMUTEX, 0x8000)                                                                                    \
    CONSTANT(OPEN_NOFOLLOW, 0x1000000)                                                                                \
    CONSTANT(PREPARE_PERSISTENT, 1)                                                                                   \
    CONSTANT(FCNTL_PERSIST_WAL, 10)

/// The functions, under their real names without the prefix.
struct AuthStateSQLiteFunctions {
#define AUTHSTATE_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    AUTHSTATE_SQLITE_FUNCTIONS(AUTHSTATE_MEMBER)
#undef AUTHSTATE_MEMBER
};

#ifndef AUTHSTATE_CHECKING_DECLARATIONS

#define AUTHSTATE_ENUMERATOR(name, value) AuthStateSQLite_##name = value,
enum { AUTHSTATE_SQLITE_CONSTANTS(AUTHSTATE_ENUMERATOR) };
#undef AUTHSTATE_ENUMERATOR

/// Opens SQLite and finds its functions. Returns NULL when everything was found, else the name of what is missing: the
/// library's own name, or the first symbol it lacks. Call it once, before every other function here.
const char *AuthStateSQLiteLoad(void);

// SQLite's functions: AuthStateSQLite_step is sqlite3_step.
#define AUTHSTATE_DECLARE(result, name, parameters, arguments) result AuthStateSQLite_##name parameters;
AUTHSTATE_SQLITE_FUNCTIONS(AUTHSTATE_DECLARE)
#undef AUTHSTATE_DECLARE

#endif
