import Curl
import DequeModule
import Logging
import Reactor
import Synchronization

/// Sends requests to a bucket, from any thread, on a thread of its own.
///
/// Each request is answered once, on that thread, unless it was cancelled.
final class S3Client: Sendable {
  /// The maximum number of idle connections.
  private static let connectionCount = 16

  private let thread: CurlThread<S3Call>
  private let lastID = Atomic<UInt64>(0)

  /// - Throws: ``CurlError`` when the thread or libcurl cannot be started.
  init(_ account: S3Account, logger: Logger) throws(CurlError) {
    thread = try CurlThread(
      name: "s3", priority: .normal, maximumConnections: Self.connectionCount
    ) { loop in
      S3Loop(loop, account: account, health: S3Health(logger: logger))
    }
  }

  /// Sends a request.
  ///
  /// - Returns: Its number, for ``cancel(_:)``.
  @discardableResult
  func send(
    _ request: S3Request,
    completion: @escaping @Sendable (Result<S3Response, S3Error>) -> Void
  ) -> UInt64 {
    let id = lastID.add(1, ordering: .relaxed).newValue
    let order = S3Order(
      id: id, request: request, deadline: .now.advanced(by: request.patience.duration),
      completion: completion)
    if !thread.post(.send(order)) { completion(.failure(.closed)) }
    return id
  }

  /// Ends a request without an answer, if it has not been answered.
  func cancel(_ id: UInt64) {
    _ = thread.post(.cancel(id))
  }

  /// Ends all requests and waits for the thread's end.
  func stop() {
    thread.stop()
  }
}

/// A call to the thread.
enum S3Call: Sendable {
  case send(S3Order)
  case cancel(UInt64)
}

extension S3Request.Patience {
  /// The time from the beginning of a request to the end of its last attempt.
  fileprivate var duration: Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .unlimited: .seconds(31_536_000)
    }
  }
}

/// Requests in the order of arrival, a limited number of them at the same time.
struct S3Turns: CurlQueueTurns {
  /// The maximum number of requests in progress.
  private static let activeLimit = 64
  private static let waitingLimit = 16_384

  private var waiting = Deque<S3Order>()
  private var activeCount = 0

  var waitingCount: Int { waiting.count }

  func admits(_ request: S3Order) -> Bool { waitingCount < Self.waitingLimit }

  mutating func append(_ request: S3Order) { waiting.append(request) }

  mutating func start() -> S3Order? {
    guard activeCount < Self.activeLimit, let next = waiting.popFirst() else { return nil }
    activeCount += 1
    return next
  }

  mutating func finish(_ request: S3Order) { activeCount -= 1 }

  mutating func removeWaiting(_ id: UInt64) -> S3Order? {
    waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
  }

  mutating func removeWaiting(where isEnded: (S3Order) -> Bool) -> [S3Order] {
    let ended = waiting.filter(isEnded)
    if !ended.isEmpty { waiting.removeAll(where: isEnded) }
    return Array(ended)
  }
}
