#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/// Has SQLite keep no statistics of its memory, which cost a lock at every allocation. To be called
/// before anything else of SQLite's, while no other thread uses it; false when it is too late.
bool csqlite_forgo_memory_statistics(void);

/// sqlite3_bind_text with a copy of the bytes, which Swift cannot ask for.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, size_t count);

/// Registers a VFS over the default one, once. It writes what SQLite appends to a write-ahead log with
/// one call, in place of two for each page, and has the log's file grow in steps of 1 MiB. Returns its
/// name for sqlite3_open_v2; NULL when there is no VFS below or it can't be registered. Not to be called
/// by two threads at a time.
const char *csqlite_gathering_vfs(void);

/// sqlite3_bind_blob with a copy of the bytes.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// sqlite3_result_text with a copy of the text.
void csqlite_result_text(sqlite3_context *context, const char *text);

/// Has a name in double quotes that is no column's be an error, not a text.
void csqlite_forbid_quoted_texts(sqlite3 *database);
