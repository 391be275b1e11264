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

  private static let gathersLogWrites = csqlite_gather_log_writes()

  /// Writes what a commit appends to a write-ahead log with one system call, from now on.
  ///
  /// Holds for databases that are opened afterwards. Without it a commit costs more system calls;
  /// nothing else differs.
  package static func gatherLogWrites() { _ = gathersLogWrites }
}
