#pragma once
#include <libpq-fe.h>

// Codes of error fields are character constants, which Swift does not import as integers.
static const int LATCH_PG_DIAG_SQLSTATE = PG_DIAG_SQLSTATE;
static const int LATCH_PG_DIAG_MESSAGE_PRIMARY = PG_DIAG_MESSAGE_PRIMARY;
static const int LATCH_PG_DIAG_CONSTRAINT_NAME = PG_DIAG_CONSTRAINT_NAME;
