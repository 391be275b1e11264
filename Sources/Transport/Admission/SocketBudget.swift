internal import Synchronization

/// The number of a pool's sockets across all event loops of the process, and its limit.
///
/// The remaining descriptors of the process are for its own files and transfers.
package final class SocketBudget: Sendable {
  enum Verdict: Sendable, Equatable {
    /// There is room.
    case atEase
    /// The socket may stay, but another one has to be closed.
    case short
    /// Another socket has to be closed first.
    case exhausted
  }

  /// The time of the last activity of the longest silent connection of one event loop.
  private final class Oldest: Sendable {
    let time = Atomic<Int64>(.max)
  }

  private let limit: Int
  private let overdraft: Int
  private let count = Atomic<Int>(0)
  private let oldest: [Oldest]

  /// - Parameters:
  ///   - limit: The number of sockets up to which no connection is closed.
  ///   - overdraft: Additional sockets that are allowed while another event loop makes room, or when all
  ///     connections have sessions.
  package init(limit: Int, overdraft: Int, loops: Int) {
    self.limit = limit
    self.overdraft = overdraft
    oldest = (0..<loops).map { _ in Oldest() }
  }

  /// Counts one more socket.
  func take() -> Verdict {
    let (_, count) = count.add(1, ordering: .relaxed)
    if count <= limit { return .atEase }
    return count <= limit + overdraft ? .short : .exhausted
  }

  func give() { count.subtract(1, ordering: .relaxed) }

  /// Records the longest silence on one event loop; `nil` when none of its connections may be closed.
  func note(_ time: Int64?, on loop: Int) {
    oldest[loop].time.store(time ?? .max, ordering: .relaxed)
  }

  /// The event loop with the longest silent connection, as last recorded.
  var loopWithOldest: Int? {
    let times = oldest.map { $0.time.load(ordering: .relaxed) }
    guard let least = times.min(), least < .max else { return nil }
    return times.firstIndex(of: least)
  }
}

/// The two kinds of listener, whose connections have separate limits.
package enum SocketPool: UInt8, Sendable, CaseIterable {
  case clients
  /// The operator's tools: health checks and metrics stay reachable when clients use up their share.
  case operations

  var index: Int { Int(rawValue) }
}

/// A transport's share of the sockets of the process.
package struct SocketSharing: Sendable {
  /// This event loop's number.
  package let loop: Int
  private let clients: SocketBudget
  private let operations: SocketBudget
  /// Asks another event loop to close its longest silent connection.
  let askToShed: @Sendable (_ loop: Int, SocketPool) -> Void

  package init(
    loop: Int, clients: SocketBudget, operations: SocketBudget,
    askToShed: @escaping @Sendable (_ loop: Int, SocketPool) -> Void
  ) {
    self.loop = loop
    self.clients = clients
    self.operations = operations
    self.askToShed = askToShed
  }

  func budget(of pool: SocketPool) -> SocketBudget {
    switch pool {
    case .clients: clients
    case .operations: operations
    }
  }
}
