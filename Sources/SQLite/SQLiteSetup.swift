import CSQLite

/// Settings for all databases of a process, made before the first is opened.
package enum SQLiteSetup {
  /// Disables SQLite's memory statistics, which are unused and take a lock at each allocation.
  ///
  /// Must be called while no other thread uses SQLite. Has no effect once a database was opened.
  package static func forgoMemoryStatistics() {
    _ = csqlite_forgo_memory_statistics()
  }

  /// The name of the VFS that gathers the writes to a log; `nil` for the default.
  nonisolated(unsafe) static let gatheringSystem = csqlite_gathering_vfs()
}
