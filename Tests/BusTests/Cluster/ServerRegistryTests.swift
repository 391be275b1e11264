import Cluster
import PostgreSQL
import TestSupport
import Testing

@testable import Bus

@Suite("The registry of servers", .serialized, .withRegistry, .onOwnThreads)
struct ServerRegistryTests {
  private let server: PostgreSQLServer
  private let observer: PostgreSQLConnection

  init() throws {
    server = try #require(RunningRegistry.current)
    observer = try PostgreSQLConnection(server.url)
    try observer.execute(script: "DROP TABLE IF EXISTS servers, lost_servers, registry")
  }

  @Test("a heartbeat after a lost connection takes the lock again immediately")
  func lostConnection() throws {
    let id = ServerID(rawValue: 77)
    let options = ClusterOptions(registryURL: server.url, serverName: "a", version: "1")
    let registry = ServerRegistry(id, options)
    _ = try registry.register()
    #expect(try !isFree(id))
    let ended = try observer.execute(
      """
      SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity
      WHERE application_name = 'parley cluster'
      """)
    #expect(ended.count == 1)
    #expect(try isFree(id))
    let answer = try registry.beat(.live, isOnBus: true)
    #expect(answer.view.records.map(\.member.id) == [id] && answer.isReconnected)
    #expect(try !registry.beat(.live, isOnBus: true).isReconnected)
    #expect(try !isFree(id))
    try registry.leave()
  }

  @Test("a heartbeat without a route to the registry fails once, and the next one connects")
  func away() throws {
    let options = ClusterOptions(registryURL: server.url, serverName: "a", version: "1")
    let registry = ServerRegistry(ServerID(rawValue: 78), options)
    _ = try registry.register()
    try server.stop(.fast)
    #expect(throws: ClusterError.self) { try registry.beat(.live, isOnBus: true) }
    #expect(throws: ClusterError.self) { try registry.beat(.live, isOnBus: true) }
    try server.start()
    #expect(try registry.beat(.live, isOnBus: true).isReconnected)
    try registry.leave()
  }

  /// Whether nobody has a server's lock.
  private func isFree(_ id: ServerID) throws -> Bool {
    let taken = try observer.execute(
      "SELECT pg_try_advisory_xact_lock_shared($1)", [.integer(Int64(bitPattern: id.rawValue))])
    return taken.integer(0, 0) == 1
  }
}
