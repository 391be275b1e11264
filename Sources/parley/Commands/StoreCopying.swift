internal import Reactor
internal import Store

/// The copying of a SQLite store into PostgreSQL.
enum StoreCopying {
  /// Copies the store of a directory into a database, and returns the number of rows of each table.
  ///
  /// - Throws: `StoreError`, or ``Failure`` for a database that is not empty.
  static func copy(from directory: String, to url: String) throws -> [String: Int] {
    do {
      return try StoreCopy(from: directory, to: url, at: SystemClock.unixMilliseconds).run()
    } catch StoreError.exists {
      throw Failure(description: "the database holds data already; copy into an empty one")
    }
  }

  /// A reason against the copy, for the operator.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
