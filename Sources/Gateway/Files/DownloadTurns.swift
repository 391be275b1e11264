import Channels
import ParleyProtocol
import Synchronization

/// Turns of downloads whose bytes pass through memory: encrypted files, and files in a bucket.
///
/// Each may hold some hundred kilobytes for as long as its client does not read. Downloads of one user,
/// or of one network without a user, take turns, so that memory use does not grow with their number.
final class DownloadTurns: Sendable {
  /// The number of concurrent downloads of a user.
  static let perUser = 16
  /// The number of concurrent downloads of the clients of one network that have no key.
  static let perAddress = 64

  /// The number of downloads of either that may wait, including those of clients that have disconnected.
  static let waitingLimit = 1_024

  typealias Start = @Sendable (DownloadTurn) -> Void

  private struct Line {
    var runningCount = 0
    /// The waiting downloads; those in `outgoing` are in reverse order, the oldest last.
    var incoming: [Start] = []
    var outgoing: [Start] = []

    var waitingCount: Int { incoming.count + outgoing.count }

    mutating func takeOldest() -> Start? {
      if outgoing.isEmpty {
        swap(&incoming, &outgoing)
        outgoing.reverse()
      }
      return outgoing.popLast()
    }
  }

  private let lines = Mutex<[QueryPrincipal: Line]>([:])

  /// Starts a download when its turn comes.
  ///
  /// - Parameter start: Called at once, or at the end of another download, on the thread of that
  ///   download. The turn lasts as long as the argument.
  /// - Throws: 500910 when too many wait.
  func begin(for principal: QueryPrincipal, _ start: @escaping Start) throws(ServiceError) {
    guard let limit = Self.limit(of: principal) else { return start(DownloadTurn(nil, self)) }
    let admission = lines.withLock { lines -> Admission in
      var line = lines[principal, default: Line()]
      defer { lines[principal] = line }
      if line.runningCount < limit {
        line.runningCount += 1
        return .begun
      }
      guard line.waitingCount < Self.waitingLimit else { return .refused }
      line.incoming.append(start)
      return .waiting
    }
    switch admission {
    case .begun: start(DownloadTurn(principal, self))
    case .waiting: return
    case .refused:
      throw .rateLimited(
        retryAfter: 1_000, limit: Self.waitingLimit, window: 1_000, scope: "downloads")
    }
  }

  private enum Admission {
    case begun
    case waiting
    case refused
  }

  fileprivate func end(_ principal: QueryPrincipal) {
    let next = lines.withLock { lines -> Start? in
      guard let next = lines[principal]?.takeOldest() else {
        lines[principal]?.runningCount -= 1
        if lines[principal]?.runningCount == 0 { lines[principal] = nil }
        return nil
      }
      return next
    }
    next?(DownloadTurn(principal, self))
  }

  /// `nil` for no limit: the operator's own programs, and clients whose address is not known.
  private static func limit(of principal: QueryPrincipal) -> Int? {
    switch principal {
    case .user: perUser
    case .address: perAddress
    case .apiToken, .server: nil
    }
  }
}

/// The turn of a download; ends with its last reference.
final class DownloadTurn: Sendable {
  private let principal: QueryPrincipal?
  private let turns: DownloadTurns

  fileprivate init(_ principal: QueryPrincipal?, _ turns: DownloadTurns) {
    self.principal = principal
    self.turns = turns
  }

  deinit {
    if let principal { turns.end(principal) }
  }
}
