/// Who is fetched next: hosts take turns, each with a few transfers at a time.
///
/// A flood of links to one slow host keeps its own links waiting and nobody else's.
struct FetchQueue {
  private struct HostQueue {
    var active = 0
    var waiting: [Fetch] = []
    var isListed = false
  }

  private let maximumActive: Int
  private let maximumActivePerHost: Int
  private var hosts: [String: HostQueue] = [:]
  /// Hosts that may start a transfer, in the order of their turns.
  private var turns: [String] = []
  private var nextTurn = 0
  private(set) var activeCount = 0
  private(set) var waitingCount = 0

  init(maximumActive: Int, maximumActivePerHost: Int) {
    self.maximumActive = max(1, maximumActive)
    self.maximumActivePerHost = max(1, maximumActivePerHost)
  }

  mutating func append(_ fetch: Fetch) {
    let host = fetch.hostKey
    hosts[host, default: HostQueue()].waiting.append(fetch)
    waitingCount += 1
    list(host)
  }

  /// The next fetch that may begin; it counts as active until ``finish(_:)``.
  mutating func start() -> Fetch? {
    guard activeCount < maximumActive else { return nil }
    while nextTurn < turns.count {
      let host = turns[nextTurn]
      nextTurn += 1
      compactTurns()
      hosts[host]?.isListed = false
      guard var queue = hosts[host], let fetch = queue.waiting.first else { continue }
      queue.waiting.removeFirst()
      queue.active += 1
      hosts[host] = queue
      activeCount += 1
      waitingCount -= 1
      list(host)
      return fetch
    }
    return nil
  }

  /// A transfer to `host` has ended.
  mutating func finish(_ host: String) {
    guard var queue = hosts[host], queue.active > 0 else { return }
    queue.active -= 1
    activeCount -= 1
    hosts[host] = queue.active == 0 && queue.waiting.isEmpty ? nil : queue
    list(host)
  }

  /// Takes out all waiting fetches that `isEnded` says.
  mutating func removeWaiting(where isEnded: (Fetch) -> Bool) -> [Fetch] {
    var removed: [Fetch] = []
    for (host, queue) in hosts where queue.waiting.contains(where: isEnded) {
      var queue = queue
      removed += queue.waiting.filter(isEnded)
      queue.waiting.removeAll(where: isEnded)
      hosts[host] = queue.active == 0 && queue.waiting.isEmpty ? nil : queue
    }
    waitingCount -= removed.count
    return removed
  }

  private mutating func list(_ host: String) {
    guard let queue = hosts[host], !queue.isListed, !queue.waiting.isEmpty,
      queue.active < maximumActivePerHost
    else { return }
    hosts[host]?.isListed = true
    turns.append(host)
  }

  private mutating func compactTurns() {
    guard nextTurn >= 256, nextTurn * 2 >= turns.count else { return }
    turns.removeFirst(nextTurn)
    nextTurn = 0
  }
}
