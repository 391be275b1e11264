import Logging
import Synchronization
import Telemetry

/// The log lines about refused requests: the first few of each kind in a second, then their number.
///
/// Called on any thread. Values from outside are escaped by the log's handler.
final class RefusalLog: Sendable {
  /// The kinds of refusal.
  ///
  /// Each has its own lines.
  enum Kind: Int, CaseIterable, Sendable {
    case accessToken
    case apiToken
    case origin
    case host
    case address
    case silentConnection
    case noRoom
    case fullStorage

    fileprivate var message: Logger.Message {
      switch self {
      case .accessToken: "an access token was refused"
      case .apiToken: "an API token was refused"
      case .origin: "a request was refused by its Origin"
      case .host: "a request was refused by its Host"
      case .address: "a connection was refused: its address has too many"
      case .silentConnection: "out of sockets: the connection silent longest was closed"
      case .noRoom: "out of sockets: a connection was refused"
      case .fullStorage: "an upload was refused: there is no room for files"
      }
    }

    fileprivate var level: Logger.Level {
      switch self {
      case .accessToken: .info
      case .apiToken, .origin, .host, .address, .silentConnection, .noRoom,
        .fullStorage:
        .warning
      }
    }
  }

  private let logger: Logger
  private let rates = Mutex([LineRate](repeating: LineRate(), count: Kind.allCases.count))
  /// Whether there are suppressed lines whose number is not yet logged.
  private let owesSummary = Atomic(false)

  init(logger: Logger) {
    self.logger = logger
  }

  /// Writes a line, or counts it.
  ///
  /// - Parameter now: Milliseconds of the steady clock.
  func note(_ kind: Kind, at now: Int64, _ metadata: Logger.Metadata = [:]) {
    let isWritten = rates.withLock { rates in
      let isWritten = rates[kind.rawValue].admit(at: now)
      if !isWritten { owesSummary.store(true, ordering: .relaxed) }
      return isWritten
    }
    if isWritten { logger.log(level: kind.level, kind.message, metadata: metadata) }
  }

  /// Writes the number of suppressed lines of each kind, once their second is over.
  func writeSummaries(at now: Int64) {
    guard owesSummary.load(ordering: .relaxed) else { return }
    var counts: [(Kind, Int)] = []
    rates.withLock { rates in
      for kind in Kind.allCases {
        guard let count = rates[kind.rawValue].takeSuppressed(at: now) else { continue }
        counts.append((kind, count))
      }
      owesSummary.store(rates.contains(where: \.hasSuppressed), ordering: .relaxed)
    }
    for (kind, count) in counts {
      logger.log(level: kind.level, kind.message, metadata: ["more": "\(count)"])
    }
  }
}
