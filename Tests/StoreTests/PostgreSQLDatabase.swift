import Glibc
import PostgreSQL
import Synchronization
import TestSupport

@testable import Store

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

  /// Connects with limits that a slow machine does not reach.
  static func connect(to url: String) throws -> PostgreSQLConnection {
    var options = PostgreSQLConnection.Options()
    options.answerTimeout = PostgreSQLLimits.patient.answer
    return try PostgreSQLConnection(url, options)
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its address.
  static func make() throws -> String {
    let name = "store_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    let url = try server.url
    _ = try connect(to: url).execute("CREATE DATABASE \(name)")
    return url.replacing("/parley?", with: "/\(name)?")
  }
}

extension PostgreSQLLimits {
  /// Limits that a session reaches on no machine: tests hold transactions and locks until others wait.
  static var patient: PostgreSQLLimits {
    let limit = Int(Duration.seconds(600).patientMilliseconds)
    return PostgreSQLLimits(answer: limit, lock: limit, idleInTransaction: limit)
  }
}
