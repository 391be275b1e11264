import Configuration
package import Logging
import Reactor
import Synchronization
import Transport

/// The listening sockets of the process, which outlive the gateways that serve them in turn.
///
/// A server that rejoins its cluster keeps its ports, and answers health checks throughout.
package final class Entrance: Sendable {
  private enum State {
    case closed
    case open([BoundAddress], [[ShardListener]], StartingServer?)
  }

  private let plan: GatewayPlan
  private let logger: Logger
  private let state = Mutex(State.closed)

  /// Opens nothing: sockets are opened when a gateway needs them.
  package init(_ plan: GatewayPlan, logger: Logger) {
    self.plan = plan
    self.logger = logger
  }

  deinit { close() }

  /// The bound addresses; empty while the entrance is closed.
  var addresses: [BoundAddress] {
    state.withLock { if case .open(let addresses, _, _) = $0 { addresses } else { [] } }
  }

  /// Opens the sockets, unless they are open, and answers that the server is not ready.
  func open() throws {
    try state.withLock { state in
      var (addresses, listeners): ([BoundAddress], [[ShardListener]])
      switch state {
      case .open(_, _, _?): return
      case .open(let bound, let sockets, nil): (addresses, listeners) = (bound, sockets)
      case .closed: (addresses, listeners) = try plan.listen()
      }
      // With SQLite, a start does not wait.
      let waits = plan.settings.store.engine == .postgreSQL
      let starting =
        waits ? try StartingServer(listeners.flatMap(\.self), plan.settings, logger: logger) : nil
      state = .open(addresses, listeners, starting)
    }
  }

  /// Sets the reason for waiting that answers contain.
  func setReason(_ reason: String) {
    state.withLock { state in
      if case .open(_, _, let starting?) = state { starting.setReason(reason) }
    }
  }

  /// Hands copies of the sockets to the shards, and stops answering.
  func handOver() throws -> [[ShardListener]] {
    try state.withLock { state in
      guard case .open(let addresses, let listeners, let starting) = state else { return [] }
      starting?.close()
      state = .open(addresses, listeners, nil)
      return try listeners.map { try $0.map { try $0.duplicate() } }
    }
  }

  /// Closes the sockets.
  ///
  /// Those of the shards stay open.
  func close() {
    state.withLock { state in
      guard case .open(_, let listeners, let starting) = state else { return }
      starting?.close()
      for listener in listeners.joined() { Socket.close(listener.descriptor) }
      state = .closed
    }
  }
}

extension GatewayPlan {
  /// Opens the sockets of all listeners, and returns a list for each shard.
  fileprivate func listen() throws -> (addresses: [BoundAddress], listeners: [[ShardListener]]) {
    var bound: [BoundAddress] = []
    var listeners = (0..<shardCount).map { _ in [ShardListener]() }
    for target in listening.targets {
      let (address, sockets) = try target.open(count: shardCount)
      bound.append(BoundAddress(address: address.description, purpose: target.purpose))
      for (index, socket) in sockets.enumerated() {
        listeners[index].append(
          ShardListener(
            descriptor: socket, security: target.security, proxyHeader: target.proxyHeader,
            servesMetrics: target.servesMetrics,
            answersLoopbackNamesOnly: target.answersLoopbackNamesOnly,
            pool: target.purpose == .operations ? .operations : .clients))
      }
    }
    return (bound, listeners)
  }
}

/// An address that the gateway listens on.
package struct BoundAddress: Sendable {
  package enum Purpose: String, Sendable {
    case plain
    case tls
    case operations
    /// Without TLS, behind proxies that send the client's address in a PROXY header.
    case proxied
  }

  /// A numeric host and a port.
  package let address: String
  package let purpose: Purpose
}

/// A listening socket of one shard.
struct ShardListener: Sendable {
  var descriptor: Int32
  let security: Listener.Security
  let proxyHeader: ProxyHeaderPolicy
  let servesMetrics: Bool
  let answersLoopbackNamesOnly: Bool
  let pool: SocketPool

  fileprivate func duplicate() throws(SystemError) -> ShardListener {
    var copy = self
    copy.descriptor = try Socket.duplicate(descriptor)
    return copy
  }
}
