#pragma once

// The part of libpq that is used, declared here so that building needs no PostgreSQL headers, and found at run time so that
// linking needs no library. `.ci/declarations/postgres.c` compares every line with the real header.
//
// libpq's enums have no negative member: they are `unsigned int`.

struct pg_conn;
struct pg_result;

/// The layout of `PQconninfoOption`.
struct AuthStatePQOption {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
};

/// The layout of `PGnotify`.
struct AuthStatePQNotification {
    char *relname;
    int be_pid;
    char *extra;
    void *next;
};

/// Called with a warning of the server.
typedef void (*AuthStatePQNotice)(void *context, const char *message);

/// One line for each function: result, name, parameters, arguments. The struct, the loader, the functions that Swift calls and
/// the check are made from this table.
#define AUTHSTATE_PQ_FUNCTIONS(FUNCTION)                                                                              \
    /* One connection */                                                                                              \
    FUNCTION(struct AuthStatePQOption *, PQconninfoParse, (const char *text, char **problem), (text, problem))        \
    FUNCTION(void, PQconninfoFree, (struct AuthStatePQOption *options), (options))                                    \
    FUNCTION(struct pg_conn *, PQconnectdbParams,                                                                     \
             (const char *const *keywords, const char *const *values, int expands), (keywords, values, expands))      \
    FUNCTION(struct pg_conn *, PQconnectStartParams,                                                                  \
             (const char *const *keywords, const char *const *values, int expands), (keywords, values, expands))      \
    FUNCTION(unsigned int, PQconnectPoll, (struct pg_conn *connection), (connection))                                 \
    FUNCTION(unsigned int, PQsetErrorVerbosity, (struct pg_conn *connection, unsigned int value), (connection, value))\
    FUNCTION(unsigned int, PQpingParams,                                                                              \
             (const char *const *keywords, const char *const *values, int expands), (keywords, values, expands))      \
    FUNCTION(unsigned int, PQstatus, (const struct pg_conn *connection), (connection))                                \
    FUNCTION(int, PQsetnonblocking, (struct pg_conn *connection, int value), (connection, value))                     \
    FUNCTION(AuthStatePQNotice, PQsetNoticeProcessor,                                                                 \
             (struct pg_conn *connection, AuthStatePQNotice notice, void *context), (connection, notice, context))    \
    FUNCTION(char *, PQerrorMessage, (const struct pg_conn *connection), (connection))                                \
    FUNCTION(int, PQsocket, (const struct pg_conn *connection), (connection))                                         \
    FUNCTION(void, PQfinish, (struct pg_conn *connection), (connection))                                              \
    /* One statement */                                                                                               \
    FUNCTION(int, PQsendQuery, (struct pg_conn *connection, const char *statement), (connection, statement))          \
    FUNCTION(int, PQsendQueryParams,                                                                                  \
             (struct pg_conn *connection, const char *statement, int count, const unsigned int *types,                \
              const char *const *values, const int *lengths, const int *formats, int resultFormat),                   \
             (connection, statement, count, types, values, lengths, formats, resultFormat))                           \
    FUNCTION(int, PQsendPrepare,                                                                                      \
             (struct pg_conn *connection, const char *name, const char *statement, int count,                         \
              const unsigned int *types),                                                                             \
             (connection, name, statement, count, types))                                                             \
    FUNCTION(int, PQsendQueryPrepared,                                                                                \
             (struct pg_conn *connection, const char *name, int count, const char *const *values,                     \
              const int *lengths, const int *formats, int resultFormat),                                              \
             (connection, name, count, values, lengths, formats, resultFormat))                                       \
    FUNCTION(int, PQsetSingleRowMode, (struct pg_conn *connection), (connection))                                     \
    FUNCTION(int, PQflush, (struct pg_conn *connection), (connection))                                                \
    FUNCTION(int, PQconsumeInput, (struct pg_conn *connection), (connection))                                         \
    FUNCTION(int, PQisBusy, (struct pg_conn *connection), (connection))                                               \
    FUNCTION(struct pg_result *, PQgetResult, (struct pg_conn *connection), (connection))                             \
    FUNCTION(struct AuthStatePQNotification *, PQnotifies, (struct pg_conn *connection), (connection))                \
    FUNCTION(void, PQfreemem, (void *memory), (memory))                                                               \
    /* One result */                                                                                                  \
    FUNCTION(unsigned int, PQresultStatus, (const struct pg_result *result), (result))                                \
    FUNCTION(char *, PQresultErrorField, (const struct pg_result *result, int field), (result, field))                \
    FUNCTION(int, PQntuples, (const struct pg_result *result), (result))                                              \
    FUNCTION(int, PQnfields, (const struct pg_result *result), (result))                                              \
    FUNCTION(int, PQgetisnull, (const struct pg_result *result, int row, int column), (result, row, column))          \
    FUNCTION(int, PQgetlength, (const struct pg_result *result, int row, int column), (result, row, column))          \
    FUNCTION(char *, PQgetvalue, (const struct pg_result *result, int row, int column), (result, row, column))        \
    FUNCTION(void, PQclear, (struct pg_result *result), (result))

/// The same for what libpq has since PostgreSQL 14: several statements sent at once.
#define AUTHSTATE_PQ_PIPELINE_FUNCTIONS(FUNCTION)                                                                     \
    FUNCTION(int, PQenterPipelineMode, (struct pg_conn *connection), (connection))                                    \
    FUNCTION(int, PQexitPipelineMode, (struct pg_conn *connection), (connection))                                     \
    FUNCTION(int, PQpipelineSync, (struct pg_conn *connection), (connection))

/// One line for each constant: name and value. They are imported as `AuthStatePQ_NAME`.
#define AUTHSTATE_PQ_CONSTANTS(CONSTANT)                                                                              \
    CONSTANT(CONNECTION_OK, 0)                                                                                        \
    CONSTANT(PQPING_OK, 0)                                                                                            \
    CONSTANT(PGRES_POLLING_READING, 1)                                                                                \
    CONSTANT(PGRES_POLLING_WRITING, 2)                                                                                \
    CONSTANT(PGRES_POLLING_OK, 3)                                                                                     \
    CONSTANT(PQERRORS_SQLSTATE, 3)                                                                                    \
    CONSTANT(PGRES_COMMAND_OK, 1)                                                                                     \
    CONSTANT(PGRES_TUPLES_OK, 2)                                                                                      \
    CONSTANT(PGRES_SINGLE_TUPLE, 9)                                                                                   \
    CONSTANT(PGRES_PIPELINE_SYNC, 10)                                                                                 \
    CONSTANT(PG_DIAG_SQLSTATE, 'C')                                                                                   \
    CONSTANT(PG_DIAG_MESSAGE_PRIMARY, 'M')

/// The functions, under their real names.
struct AuthStatePQFunctions {
#define AUTHSTATE_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    AUTHSTATE_PQ_FUNCTIONS(AUTHSTATE_MEMBER)
    AUTHSTATE_PQ_PIPELINE_FUNCTIONS(AUTHSTATE_MEMBER)
#undef AUTHSTATE_MEMBER
};

#ifndef AUTHSTATE_CHECKING_DECLARATIONS

#define AUTHSTATE_ENUMERATOR(name, value) AuthStatePQ_##name = value,
enum { AUTHSTATE_PQ_CONSTANTS(AUTHSTATE_ENUMERATOR) };
#undef AUTHSTATE_ENUMERATOR

/// Opens libpq and finds its functions. Returns NULL when everything was found, else the name of what is missing: the
/// library's own name, or the first symbol it lacks. Call it once, before every other function here.
const char *AuthStatePQLoad(void);

/// Whether the library has the functions for several statements at once; without them none of those may be called.
int AuthStatePQHasPipelines(void);

// libpq's functions: AuthStatePQfinish is PQfinish.
#define AUTHSTATE_DECLARE(result, name, parameters, arguments) result AuthState##name parameters;
AUTHSTATE_PQ_FUNCTIONS(AUTHSTATE_DECLARE)
AUTHSTATE_PQ_PIPELINE_FUNCTIONS(AUTHSTATE_DECLARE)
#undef AUTHSTATE_DECLARE

#endif
