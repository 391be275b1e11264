#include "CSQLite.h"

#include <limits.h>

bool csqlite_forgo_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

void csqlite_forbid_quoted_texts(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)NULL);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, size_t count) {
  if (count > INT_MAX) return SQLITE_TOOBIG;
  // Without bytes there is no address, which would stand for NULL.
  return sqlite3_bind_text(
      statement, index, count > 0 ? bytes : "", (int)count, SQLITE_TRANSIENT);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
  if (count > INT_MAX) return SQLITE_TOOBIG;
  return sqlite3_bind_blob(
      statement, index, count > 0 ? bytes : "", (int)count, SQLITE_TRANSIENT);
}

void csqlite_result_text(sqlite3_context *context, const char *text) {
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}
