/// Who is fetched next: hosts take turns, each with a few transfers at a time.
///
/// A flood of links to one slow host keeps its own links waiting and nobody else's. All operations
/// but ``removeWaiting(where:)`` take constant time on average.
struct FetchQueue {
  private struct HostQueue {
    var active = 0
    /// Waiting fetches in the order of their coming, among them some that wait no more.
    var arrivals = ArrivalQueue<UInt64>()
    var waitingCount = 0
    var isListed = false

    var isIdle: Bool { active == 0 && waitingCount == 0 && !isListed }
  }

  private let maximumActive: Int
  private let maximumActivePerHost: Int
  private var waiting: [UInt64: Fetch] = [:]
  private var hosts: [String: HostQueue] = [:]
  /// Hosts that may start a transfer, in the order of their turns.
  private var turns = ArrivalQueue<String>()
  private(set) var activeCount = 0
  var waitingCount: Int { waiting.count }

  init(maximumActive: Int, maximumActivePerHost: Int) {
    self.maximumActive = max(1, maximumActive)
    self.maximumActivePerHost = max(1, maximumActivePerHost)
  }

  mutating func append(_ fetch: Fetch) {
    waiting[fetch.id] = fetch
    hosts[fetch.hostKey, default: HostQueue()].arrivals.append(fetch.id)
    hosts[fetch.hostKey]?.waitingCount += 1
    list(fetch.hostKey)
  }

  /// The next fetch that may begin; it counts as active until ``finish(_:)``.
  mutating func start() -> Fetch? {
    while activeCount < maximumActive, let host = turns.popFirst() {
      hosts[host]?.isListed = false
      guard let fetch = popFirst(of: host) else {
        forgetIfIdle(host)
        continue
      }
      hosts[host]?.active += 1
      activeCount += 1
      list(host)
      return fetch
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

  /// Takes out the waiting fetch of this number.
  mutating func removeWaiting(_ id: UInt64) -> Fetch? {
    guard let fetch = waiting.removeValue(forKey: id) else { return nil }
    noteDeparture(from: fetch.hostKey)
    sweep(fetch.hostKey)
    forgetIfIdle(fetch.hostKey)
    return fetch
  }

  /// Takes out all waiting fetches that `isEnded` says, in the order of their numbers.
  mutating func removeWaiting(where isEnded: (Fetch) -> Bool) -> [Fetch] {
    let ended = waiting.values.filter(isEnded).map(\.id).sorted()
    return ended.compactMap { removeWaiting($0) }
  }

  private mutating func popFirst(of host: String) -> Fetch? {
    while let id = hosts[host]?.arrivals.popFirst() {
      guard let fetch = waiting.removeValue(forKey: id) else { continue }
      noteDeparture(from: host)
      return fetch
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
