import Cluster
import Synchronization

/// The network of one of several servers in the test's process.
///
/// What is sent waits until the test delivers it, in order.
final class DrivenNetwork: ClusterNetwork {
  private struct State {
    var ring: ServerRing
    /// Messages that leave with the next that leave.
    var enqueued: [Message] = []
    var sent: [Message] = []
    /// The resets of the links to other servers.
    var resetCounts: [ServerID: Int] = [:]

    mutating func depart() {
      sent += enqueued
      enqueued = []
    }
  }

  typealias Message = (message: [UInt8], receiver: ServerID)

  let local: ClusterMember
  private let state: Mutex<State>

  init(_ local: ClusterMember, in ring: ServerRing) {
    self.local = local
    state = Mutex(State(ring: ring))
  }

  var ring: ServerRing {
    get { state.withLock(\.ring) }
    set { state.withLock { $0.ring = newValue } }
  }

  func send(_ message: [UInt8], to server: ServerID) {
    state.withLock { state in
      state.enqueued.append((message, server))
      state.depart()
    }
  }

  func enqueue(_ message: [UInt8], to server: ServerID, knowing resetCount: Int?) {
    state.withLock { state in
      if let resetCount, resetCount != state.resetCounts[server] ?? 0 { return }
      state.enqueued.append((message, server))
    }
  }

  /// Drops what has not left for a server.
  ///
  /// - Returns: The resets of the link so far.
  func reset(to server: ServerID) -> Int {
    state.withLock { state in
      state.enqueued.removeAll { $0.receiver == server }
      state.sent.removeAll { $0.receiver == server }
      state.resetCounts[server, default: 0] += 1
      return state.resetCounts[server] ?? 0
    }
  }

  func flush() { state.withLock { $0.depart() } }

  /// Takes out what was sent.
  func takeSent() -> [Message] {
    state.withLock { state in
      defer { state.sent = [] }
      return state.sent
    }
  }
}
