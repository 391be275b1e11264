import DequeModule

/// Something that waits for its turn among those of its host.
protocol HostRequest {
  /// Unique in its queue.
  var id: UInt64 { get }
  var hostKey: String { get }
}

/// Whose turn is next: hosts take turns, each with a few transfers at a time.
///
/// A flood of requests for one slow host keeps its own waiting and nobody else's. All operations
/// but ``removeWaiting(where:)`` take constant time on average.
struct HostTurns<Request: HostRequest> {
  private struct HostQueue {
    var active = 0
    /// Waiting requests in the order of their coming, among them some that wait no more.
    var arrivals = Deque<UInt64>()
    var waitingCount = 0
    var isListed = false

    var isIdle: Bool { active == 0 && waitingCount == 0 && !isListed }
  }

  private let maximumActive: Int
  private let maximumActivePerHost: Int
  private var waiting: [UInt64: Request] = [:]
  private var hosts: [String: HostQueue] = [:]
  /// Hosts that may start a transfer, in the order of their turns.
  private var turns = Deque<String>()
  private(set) var activeCount = 0
  var waitingCount: Int { waiting.count }

  init(maximumActive: Int, maximumActivePerHost: Int) {
    self.maximumActive = max(1, maximumActive)
    self.maximumActivePerHost = max(1, maximumActivePerHost)
  }

  mutating func append(_ request: Request) {
    waiting[request.id] = request
    hosts[request.hostKey, default: HostQueue()].arrivals.append(request.id)
    hosts[request.hostKey]?.waitingCount += 1
    list(request.hostKey)
  }

  /// The next request that may begin; it counts as active until ``finish(_:)``.
  mutating func start() -> Request? {
    while activeCount < maximumActive, let host = turns.popFirst() {
      hosts[host]?.isListed = false
      guard let request = popFirst(of: host) else {
        forgetIfIdle(host)
        continue
      }
      hosts[host]?.active += 1
      activeCount += 1
      list(host)
      return request
    }
    return nil
  }

  /// A transfer to `host` has ended.
  mutating func finish(_ host: String) {
    guard let active = hosts[host]?.active, active > 0 else { return }
    hosts[host]?.active = active - 1
    activeCount -= 1
    forgetIfIdle(host)
    list(host)
  }

  /// Takes out the waiting request of this number.
  mutating func removeWaiting(_ id: UInt64) -> Request? {
    guard let request = waiting.removeValue(forKey: id) else { return nil }
    noteDeparture(from: request.hostKey)
    sweep(request.hostKey)
    forgetIfIdle(request.hostKey)
    return request
  }

  /// Takes out all waiting requests that `isEnded` says, in the order of their numbers.
  mutating func removeWaiting(where isEnded: (Request) -> Bool) -> [Request] {
    let ended = waiting.values.filter(isEnded).map(\.id).sorted()
    return ended.compactMap { removeWaiting($0) }
  }

  private mutating func popFirst(of host: String) -> Request? {
    while let id = hosts[host]?.arrivals.popFirst() {
      guard let request = waiting.removeValue(forKey: id) else { continue }
      noteDeparture(from: host)
      return request
    }
    return nil
  }

  private mutating func noteDeparture(from host: String) { hosts[host]?.waitingCount -= 1 }

  /// Numbers of those who wait no more are dropped in one go when they have become the many.
  private mutating func sweep(_ host: String) {
    guard let queue = hosts[host], queue.arrivals.count > 2 * queue.waitingCount + 64 else {
      return
    }
    hosts[host]?.arrivals.removeAll { [waiting] in waiting[$0] == nil }
  }

  private mutating func forgetIfIdle(_ host: String) {
    if hosts[host]?.isIdle == true { hosts[host] = nil }
  }

  private mutating func list(_ host: String) {
    guard let queue = hosts[host], !queue.isListed, queue.waitingCount > 0,
      queue.active < maximumActivePerHost
    else { return }
    hosts[host]?.isListed = true
    turns.append(host)
  }
}
