// A VFS over the default one that gathers what SQLite writes to a write-ahead log.
//
// SQLite writes each page of a commit with two calls, a header of 24 bytes and the page, one behind
// the other in the file (wal.c, walWriteOneFrame). Here they gather in a buffer and reach the kernel
// as one write. What gathered is written before the log is synced, read, cut or closed, before a
// write elsewhere in it, and before the log's index, in shared memory, can name a frame
// (xShmBarrier, between the two copies of the index's header that a reader compares). So no reader,
// in this process or another, sees a frame that is not in the file.

#include "CSQLite.h"

#include <stdlib.h>
#include <string.h>

/// More than this gathered is written early: some thirty pages. SQLite's own VFS takes the size of
/// a write modulo 128 KiB (os_unix.c, seekAndWriteFd), so a write must stay below that.
enum { GATHERED_LIMIT = 131071 };

/// The log's file grows by this much.
enum { GROWTH = 1 << 20 };

typedef struct LogFile LogFile;

/// A database's file. Its own is the real file behind it in memory.
typedef struct {
  sqlite3_file base;
  /// The log of the same connection, while it is open.
  LogFile *log;
} DatabaseFile;

struct LogFile {
  sqlite3_file base;
  /// `NULL` when the database's file is unknown or closed.
  DatabaseFile *database;
  unsigned char *gathered;
  int count;
  /// Where in the file the gathered bytes belong.
  sqlite3_int64 offset;
  /// The outcome of a write that nobody could be given yet.
  int pending;
  /// The file is at least this long.
  sqlite3_int64 length;
};

static sqlite3_vfs *systemVFS;
static sqlite3_vfs gatheringVFS;
static sqlite3_io_methods databaseMethods;
static sqlite3_io_methods logMethods;

/// The real file lies behind whichever of ours is larger.
enum {
  OWN_SIZE = ((sizeof(LogFile) > sizeof(DatabaseFile) ? sizeof(LogFile) : sizeof(DatabaseFile))
              + 15) & ~15
};

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)((char *)file + OWN_SIZE);
}

/// Makes the file longer before a write that would do so. Where that fails, the write itself shows
/// whether there is room for it.
static void grow(LogFile *log, sqlite3_int64 end) {
  static const unsigned char zeros[1 << 16];
  sqlite3_file *file = real(&log->base);
  if (end <= log->length) return;
  if (file->pMethods->xFileSize(file, &log->length) != SQLITE_OK) return;
  if (end <= log->length) return;
  sqlite3_int64 wanted = (end / GROWTH + 1) * GROWTH;
  while (log->length < wanted) {
    sqlite3_int64 rest = wanted - log->length;
    int count = rest < (sqlite3_int64)sizeof zeros ? (int)rest : (int)sizeof zeros;
    if (file->pMethods->xWrite(file, zeros, count, log->length) != SQLITE_OK) return;
    log->length += count;
  }
}

static int writeOut(LogFile *log, const void *bytes, int count, sqlite3_int64 offset) {
  grow(log, offset + count);
  return real(&log->base)->pMethods->xWrite(real(&log->base), bytes, count, offset);
}

/// Writes what has gathered, and gives the outcome that is still owed.
static int settle(LogFile *log) {
  int outcome = log->pending;
  log->pending = SQLITE_OK;
  if (log->count > 0) {
    int written = writeOut(log, log->gathered, log->count, log->offset);
    log->count = 0;
    if (outcome == SQLITE_OK) outcome = written;
  }
  return outcome;
}

// MARK: The log

static int logClose(sqlite3_file *file) {
  LogFile *log = (LogFile *)file;
  int outcome = settle(log);
  if (log->database) log->database->log = NULL;
  free(log->gathered);
  log->gathered = NULL;
  int closed = real(file)->pMethods->xClose(real(file));
  return outcome == SQLITE_OK ? closed : outcome;
}

static int logWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  LogFile *log = (LogFile *)file;
  int continues = log->count > 0 && offset == log->offset + log->count;
  if (log->count > 0 && (!continues || log->count + count > GATHERED_LIMIT)) {
    int outcome = settle(log);
    if (outcome != SQLITE_OK) return outcome;
  }
  if (!log->gathered) log->gathered = malloc(GATHERED_LIMIT);
  if (!log->gathered || count > GATHERED_LIMIT) {
    return writeOut(log, bytes, count, offset);
  }
  if (log->count == 0) log->offset = offset;
  memcpy(log->gathered + log->count, bytes, (size_t)count);
  log->count += count;
  return SQLITE_OK;
}

static int logRead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int outcome = settle((LogFile *)file);
  if (outcome != SQLITE_OK) return outcome;
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int logTruncate(sqlite3_file *file, sqlite3_int64 size) {
  LogFile *log = (LogFile *)file;
  int outcome = settle(log);
  if (outcome != SQLITE_OK) return outcome;
  log->length = 0;
  return real(file)->pMethods->xTruncate(real(file), size);
}

static int logSync(sqlite3_file *file, int flags) {
  int outcome = settle((LogFile *)file);
  if (outcome != SQLITE_OK) return outcome;
  return real(file)->pMethods->xSync(real(file), flags);
}

static int logFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  int outcome = settle((LogFile *)file);
  if (outcome != SQLITE_OK) return outcome;
  return real(file)->pMethods->xFileSize(real(file), size);
}

// MARK: The database's file

static int databaseClose(sqlite3_file *file) {
  DatabaseFile *database = (DatabaseFile *)file;
  if (database->log) database->log->database = NULL;
  return real(file)->pMethods->xClose(real(file));
}

static void databaseShmBarrier(sqlite3_file *file) {
  LogFile *log = ((DatabaseFile *)file)->log;
  // A barrier has no outcome: what went wrong is said by the next call that has one.
  if (log && log->count > 0) log->pending = settle(log);
  real(file)->pMethods->xShmBarrier(real(file));
}

// MARK: What both hand on

static int handRead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int handWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int handTruncate(sqlite3_file *file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}

static int handSync(sqlite3_file *file, int flags) {
  return real(file)->pMethods->xSync(real(file), flags);
}

static int handFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int handLock(sqlite3_file *file, int lock) {
  return real(file)->pMethods->xLock(real(file), lock);
}

static int handUnlock(sqlite3_file *file, int lock) {
  return real(file)->pMethods->xUnlock(real(file), lock);
}

static int handCheckReservedLock(sqlite3_file *file, int *isReserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), isReserved);
}

static int handFileControl(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int handSectorSize(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int handDeviceCharacteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int handShmMap(sqlite3_file *file, int page, int size, int extends, void volatile **area) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extends, area);
}

static int handShmLock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static int handShmUnmap(sqlite3_file *file, int removes) {
  return real(file)->pMethods->xShmUnmap(real(file), removes);
}

static int handFetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
  return real(file)->pMethods->xFetch(real(file), offset, count, page);
}

static int handUnfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  return real(file)->pMethods->xUnfetch(real(file), offset, page);
}

// MARK: Opening

static int gatheringOpen(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  (void)vfs;
  if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
    return systemVFS->xOpen(systemVFS, name, file, flags, outFlags);
  }
  memset(file, 0, OWN_SIZE);
  int outcome = systemVFS->xOpen(systemVFS, name, real(file), flags, outFlags);
  if (outcome != SQLITE_OK) {
    // SQLite closes a file whose methods are set, even when it was not opened.
    if (real(file)->pMethods) real(file)->pMethods->xClose(real(file));
    return outcome;
  }
  if (flags & SQLITE_OPEN_MAIN_DB) {
    file->pMethods = &databaseMethods;
    return SQLITE_OK;
  }
  LogFile *log = (LogFile *)file;
  sqlite3_file *database = name ? sqlite3_database_file_object(name) : NULL;
  if (database && database->pMethods == &databaseMethods) {
    log->database = (DatabaseFile *)database;
    log->database->log = log;
  }
  file->pMethods = &logMethods;
  return SQLITE_OK;
}

const char *csqlite_gathering_vfs(void) {
  if (systemVFS) return gatheringVFS.zName;
  sqlite3_vfs *found = sqlite3_vfs_find(NULL);
  if (!found) return NULL;
  sqlite3_io_methods handing = {
      3, databaseClose, handRead, handWrite, handTruncate, handSync, handFileSize, handLock,
      handUnlock, handCheckReservedLock, handFileControl, handSectorSize,
      handDeviceCharacteristics, handShmMap, handShmLock, databaseShmBarrier, handShmUnmap,
      handFetch, handUnfetch};
  databaseMethods = handing;
  logMethods = handing;
  logMethods.xClose = logClose;
  logMethods.xRead = logRead;
  logMethods.xWrite = logWrite;
  logMethods.xTruncate = logTruncate;
  logMethods.xSync = logSync;
  logMethods.xFileSize = logFileSize;
  gatheringVFS = *found;
  gatheringVFS.zName = "parley";
  gatheringVFS.pNext = NULL;
  gatheringVFS.szOsFile = OWN_SIZE + found->szOsFile;
  gatheringVFS.xOpen = gatheringOpen;
  if (sqlite3_vfs_register(&gatheringVFS, 0) != SQLITE_OK) return NULL;
  systemVFS = found;
  return gatheringVFS.zName;
}
