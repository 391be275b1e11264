/// The way from the command line to the store.
enum StoreCopying {
  /// The failure of a program that was built without PostgreSQL.
  struct Missing: Error, CustomStringConvertible {
    let description = "this program was built without PostgreSQL"
  }

  /// Copies the store of a directory into a database.
  static func copy(from directory: String, to url: String) throws -> [String: Int] {
    throw Missing()
  }
}
