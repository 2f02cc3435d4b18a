#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int latch_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// SQLITE_TRANSIENT, as above.
static inline int latch_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift does not import.
static inline int latch_sqlite3_db_config_flag(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// sqlite3_config is variadic, which Swift does not import.
static inline int latch_sqlite3_config_flag(int option, int value) {
    return sqlite3_config(option, value);
}

// Extended result codes are macros computed from other macros, which Swift does not import.
static const int LATCH_SQLITE_READONLY_DBMOVED = SQLITE_READONLY_DBMOVED;
static const int LATCH_SQLITE_IOERR_CORRUPTFS = SQLITE_IOERR_CORRUPTFS;
static const int LATCH_SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE;
static const int LATCH_SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int LATCH_SQLITE_CONSTRAINT_ROWID = SQLITE_CONSTRAINT_ROWID;
static const int LATCH_SQLITE_CONSTRAINT_FOREIGNKEY = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int LATCH_SQLITE_CONSTRAINT_NOTNULL = SQLITE_CONSTRAINT_NOTNULL;
static const int LATCH_SQLITE_CONSTRAINT_CHECK = SQLITE_CONSTRAINT_CHECK;
