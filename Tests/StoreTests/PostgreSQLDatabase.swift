import Glibc
import PostgreSQL
import Synchronization
import TestSupport

/// Databases of a server that the tests of this process share.
enum PostgreSQLDatabase {
  private static let started = Result {
    let server = try PostgreSQLServer()
    atexit { try? PostgreSQLDatabase.server.remove() }
    return server
  }
  private static let count = Atomic<Int>(0)

  static var server: PostgreSQLServer {
    get throws { try started.get() }
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its address.
  static func make() throws -> String {
    let name = "store_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    let url = try server.url
    _ = try PostgreSQLConnection(url).execute("CREATE DATABASE \(name)")
    return url.replacing("/parley?", with: "/\(name)?")
  }
}
