import CCurl
import Curl
import Reactor
import Synchronization
import TestPeers
import TestSupport

/// The outcomes of requests, as their completions saw them.
final class Outcomes: Sendable {
  enum Outcome: Sendable, Equatable {
    case answered(String)
    case failed(UInt32)
    case refused, expired, cancelled
  }

  private let outcomes = Mutex<[UInt64: [Outcome]]>([:])

  func add(_ outcome: Outcome, of id: UInt64) {
    outcomes.withLock { $0[id, default: []].append(outcome) }
  }

  /// By request; a request that was answered once has one.
  var all: [UInt64: [Outcome]] { outcomes.withLock { $0 } }

  func wait(for count: Int) throws {
    try Deadline.standard.wait(for: "\(count) outcomes") { all.count >= count }
  }
}

struct QueuedGet: CurlQueueRequest, Sendable {
  let id: UInt64
  let url: String
  let deadline: ContinuousClock.Instant

  init(_ id: UInt64, _ url: String, within time: Duration = .seconds(60)) {
    self.id = id
    self.url = url
    deadline = .now.advanced(by: time)
  }
}

final class GetTransfer: CurlQueueTransfer {
  let request: QueuedGet
  let easy: CurlEasy
  private let response: BoundedResponse

  init?(_ request: QueuedGet) {
    guard let easy = CurlEasy() else { return nil }
    self.request = request
    self.easy = easy
    response = BoundedResponse(to: easy, maximumBytes: 100)
    easy.set(CURLOPT_URL, to: request.url)
  }

  var body: [UInt8] { response.body }
}

/// First come, first served.
struct OrderedTurns: CurlQueueTurns {
  let places: Int
  let room: Int
  private var waiting: [QueuedGet] = []
  private var activeCount = 0

  init(places: Int, room: Int) {
    self.places = places
    self.room = room
  }

  var waitingCount: Int { waiting.count }

  func admits(_ request: QueuedGet) -> Bool { waiting.count < room }

  mutating func append(_ request: QueuedGet) { waiting.append(request) }

  mutating func start() -> QueuedGet? {
    guard activeCount < places, !waiting.isEmpty else { return nil }
    activeCount += 1
    return waiting.removeFirst()
  }

  mutating func finish(_ request: QueuedGet) { activeCount -= 1 }

  mutating func removeWaiting(_ id: UInt64) -> QueuedGet? {
    waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
  }

  mutating func removeWaiting(where isEnded: (QueuedGet) -> Bool) -> [QueuedGet] {
    defer { waiting.removeAll(where: isEnded) }
    return waiting.filter(isEnded)
  }
}

/// Gets URLs in turn, and keeps the outcomes.
final class QueueOwner: CurlLoopOwner {
  enum Request: Sendable {
    case get(QueuedGet)
    case cancel(UInt64)
  }

  typealias Thread = CurlThread<Request>

  private var queue: CurlQueue<OrderedTurns, GetTransfer>
  private let outcomes: Outcomes

  init(_ loop: CurlLoop<GetTransfer>, places: Int, room: Int, _ outcomes: Outcomes) {
    queue = CurlQueue(loop, turns: OrderedTurns(places: places, room: room))
    self.outcomes = outcomes
  }

  static func start(places: Int, room: Int = 1000, _ outcomes: Outcomes) throws -> Thread {
    try Thread(name: "curl-test", priority: .normal, maximumConnections: places) {
      QueueOwner($0, places: places, room: room, outcomes)
    }
  }

  func receive(_ request: Request) {
    switch request {
    case .get(let get) where queue.admits(get): queue.append(get)
    case .get(let get): outcomes.add(.refused, of: get.id)
    case .cancel(let id):
      if let cancelled = queue.cancel(id) { outcomes.add(.cancelled, of: cancelled.request.id) }
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    for request in queue.removeExpired(at: .now) { outcomes.add(.expired, of: request.id) }
    while let request = queue.next() {
      guard let transfer = GetTransfer(request) else {
        queue.giveUp(request)
        continue
      }
      _ = queue.begin(transfer)
    }
    return queue.wakeUp
  }

  func didEnd(_ transfer: GetTransfer, _ result: CURLcode) {
    queue.end(transfer)
    outcomes.add(
      result == CURLE_OK
        ? .answered(String(decoding: transfer.body, as: UTF8.self)) : .failed(result.rawValue),
      of: transfer.request.id)
  }

  func stop() {
    for cancelled in queue.removeAll() { outcomes.add(.cancelled, of: cancelled.request.id) }
  }
}
