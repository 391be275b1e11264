import CSQLite

/// Choices for all databases of a process, made before the first is opened.
package enum SQLiteSetup {
  /// Has SQLite not count the memory that it uses, which nobody asks for and which takes a lock at
  /// each allocation.
  ///
  /// To be called while no other thread uses SQLite. Has no effect once a database was opened.
  package static func forgoMemoryStatistics() {
    _ = csqlite_forgo_memory_statistics()
  }

  /// The name of the file system under which the writes to a log are gathered; `nil` for the default.
  nonisolated(unsafe) static let gatheringSystem = csqlite_gathering_vfs()
}
