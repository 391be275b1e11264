import SQLite
import Logging

/// A part of a migration that can take long in a large database.
struct MigrationStep: Sendable {
  let name: String
  let run: @Sendable (Database) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (Database) throws -> Void) {
    self.name = name
    self.run = run
  }
}

extension [MigrationStep] {
  /// A file up to this size is brought up to date within a second or two.
  private static var quietByteLimit: Int { 128 << 20 }

  /// Runs the steps in order, and logs each of them when the database is large.
  func run(on database: Database, logger: Logger) throws {
    let pageCount = try database.number("PRAGMA page_count")
    let pageSize = try database.number("PRAGMA page_size")
    let isLarge = pageCount * pageSize > Self.quietByteLimit
    for (index, step) in enumerated() {
      if isLarge {
        logger.notice(
          "migrating the database",
          metadata: ["step": "\(index + 1) of \(count)", "task": "\(step.name)"])
      }
      try step.run(database)
    }
  }
}
