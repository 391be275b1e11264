#include "CSQLite.h"

#include <limits.h>

bool csqlite_forgo_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, size_t count) {
  if (count > INT_MAX) return SQLITE_TOOBIG;
  // Without bytes there is no address, which would stand for NULL.
  return sqlite3_bind_text(
      statement, index, count > 0 ? bytes : "", (int)count, SQLITE_TRANSIENT);
}
