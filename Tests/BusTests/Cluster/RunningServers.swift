import Cluster
import Bus
import Dispatch
import Synchronization
import TestSupport
import Testing

/// Gives the tests of a suite a PostgreSQL, which ends with them.
struct RunningRegistry: SuiteTrait, TestScoping {
  @TaskLocal static var current: PostgreSQLServer?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let server = try PostgreSQLServer()
    let result: Result<Void, any Error>
    do {
      try await Self.$current.withValue(server) { try await body() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    try server.remove()
    try result.get()
  }
}

extension Trait where Self == RunningRegistry {
  static var withRegistry: RunningRegistry { RunningRegistry() }
}

/// A server of the cluster, with what its delegate was told.
final class TestServer: ClusterDelegate {
  private struct State {
    var messages: [(server: ServerID, message: [UInt8])] = []
    var resets: [ServerID] = []
    var ring: ServerRing?
    var leaveReason: String?
  }

  let network: ClusterLoop
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  init(
    _ name: String, _ registry: PostgreSQLServer, _ broker: MemoryBroker,
    _ change: (inout ClusterOptions) -> Void = { _ in }
  ) throws {
    var options = ClusterOptions(registryURL: registry.url, serverName: name, version: "1")
    options.timing.beat = 100
    // A server that a slow machine holds up is neither dead nor deaf.
    options.timing.serverTimeout = 600_000
    options.timing.isolation = 600_000
    change(&options)
    network = try ClusterLoop(options, bus: broker.maker)
    network.start(self)
  }

  var id: ServerID { network.local.id }
  var resets: [ServerID] { state.withLock(\.resets) }
  var leaveReason: String? { state.withLock(\.leaveReason) }
  var ring: ServerRing? { state.withLock(\.ring) }

  func messages(from server: ServerID) -> [[UInt8]] {
    state.withLock { $0.messages.filter { $0.server == server }.map(\.message) }
  }

  /// Waits until a condition holds, which is looked at after each call of the delegate.
  func wait(
    for what: String, _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let deadline = Deadline.standard
    while !condition() {
      guard !deadline.hasPassed else {
        Issue.record("\(what) did not come", sourceLocation: sourceLocation)
        return
      }
      // Figures change without a call.
      _ = changed.wait(timeout: .now() + .milliseconds(100))
    }
  }

  /// Waits for a ring of some servers that are homes.
  func wait(
    forHomes homes: [TestServer], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    wait(
      for: "the ring", { Set(ring?.homes.map(\.id) ?? []) == Set(homes.map(\.id)) },
      sourceLocation: sourceLocation)
  }

  func received(_ message: [UInt8], from server: ServerID) {
    state.withLock { $0.messages.append((server, message)) }
    changed.signal()
  }

  func linkWasReset(with server: ServerID, count: Int) {
    state.withLock { $0.resets.append(server) }
    changed.signal()
  }

  func ringDidChange(_ ring: ServerRing) {
    state.withLock { $0.ring = ring }
    changed.signal()
  }

  func silenceDidChange(_ servers: Set<ServerID>) {}

  func mustLeave(reason: String) {
    state.withLock { $0.leaveReason = reason }
    changed.signal()
  }
}
