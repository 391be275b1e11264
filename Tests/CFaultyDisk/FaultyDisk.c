#include "CFaultyDisk.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

static sqlite3_vfs *below;
static sqlite3_vfs faulty;
/// The methods of the files below, with another xWrite. All logs have the same methods.
static sqlite3_io_methods methods;
static const sqlite3_io_methods *methodsBelow;
static atomic_int failingInterval;
static atomic_int writes;

static int logWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int number = atomic_fetch_add(&writes, 1) + 1;
  int interval = atomic_load(&failingInterval);
  if (interval > 0 && number % interval == 0) {
    methodsBelow->xWrite(file, bytes, count / 2, offset);
    return SQLITE_FULL;
  }
  return methodsBelow->xWrite(file, bytes, count, offset);
}

static int faultyOpen(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  (void)vfs;
  int outcome = below->xOpen(below, name, file, flags, outFlags);
  if (outcome != SQLITE_OK || !(flags & SQLITE_OPEN_WAL)) return outcome;
  methodsBelow = file->pMethods;
  methods = *file->pMethods;
  methods.xWrite = logWrite;
  file->pMethods = &methods;
  return SQLITE_OK;
}

bool faulty_disk_install(void) {
  below = sqlite3_vfs_find(NULL);
  if (!below) return false;
  faulty = *below;
  faulty.zName = "faulty-disk";
  faulty.pNext = NULL;
  faulty.xOpen = faultyOpen;
  return sqlite3_vfs_register(&faulty, 1) == SQLITE_OK;
}

void faulty_disk_fail_log_writes(int interval) { atomic_store(&failingInterval, interval); }
