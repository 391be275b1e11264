#pragma once
#include <stdbool.h>

/// Registers a VFS over SQLite's default one, and makes it the default, whose writes to write-ahead
/// logs can be made to fail. Must be called before a database is opened.
bool faulty_disk_install(void);

/// Lets the last of each `interval` writes to a write-ahead log write half of its bytes and report
/// SQLITE_FULL. With 0, the state at the beginning, none fails.
void faulty_disk_fail_log_writes(int interval);
