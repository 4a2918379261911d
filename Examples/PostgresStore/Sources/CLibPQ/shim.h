#include <libpq-fe.h>

// Macros that are character literals do not reach Swift.
static const int authstate_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int authstate_diag_message = PG_DIAG_MESSAGE_PRIMARY;
