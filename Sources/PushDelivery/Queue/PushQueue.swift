import DequeModule
import ParleyProtocol

/// The pushes that reach a device one after the other.
enum PushLine: Sendable, Hashable {
  /// - `name`: A token, or the endpoint of a subscription.
  case device(PushTokenType, name: String)
  /// The notices of one channel to the operator's own service.
  case service(channelURL: String)
}

/// The pushes that wait for being sent.
///
/// Pushes of one line are sent one after the other, in the order in which they were added. Hosts take turns,
/// and no host has more than half of all requests in progress, so that a host that hangs does not delay the
/// others. Has no clock: times are any milliseconds that never go back.
struct PushQueue<Push> {
  /// A push that may be sent, and that is in progress until ``end(_:at:)``.
  struct Turn {
    var push: Push
    let line: PushLine
    let host: String
  }

  private struct Line {
    var waiting: Deque<(push: Push, host: String)> = []
    var isInFlight = false
  }

  private struct Host {
    /// The lines whose next push goes to the host.
    var ready: Deque<PushLine> = []
    var inFlightCount = 0
    var waitingCount = 0
    var isHeld = false
    /// The time at which a request ended, or at which the first of those in progress began.
    var lastChange = Int64.min
  }

  /// The time after which a host that answers nothing counts as stalled, in milliseconds.
  private static var stallTime: Int64 { 2_000 }

  /// Maximum number of requests in progress; at least 2.
  var concurrency: Int { didSet { concurrency = max(2, concurrency) } }
  private var lines: [PushLine: Line] = [:]
  private var hosts: [String: Host] = [:]
  /// The hosts with ready lines, in the order of their turns.
  private var order: Deque<String> = []
  private(set) var waitingCount = 0
  private(set) var inFlightCount = 0

  /// - Parameter concurrency: Maximum number of requests in progress; at least 2.
  init(concurrency: Int) { self.concurrency = max(2, concurrency) }

  /// The number of pushes that wait or are in progress.
  var count: Int { waitingCount + inFlightCount }

  private var hostLimit: Int { concurrency / 2 }

  mutating func append(_ push: Push, to line: PushLine, host: String) {
    waitingCount += 1
    hosts[host, default: Host()].waitingCount += 1
    lines[line, default: Line()].waiting.append((push, host))
    if let entry = lines[line], !entry.isInFlight, entry.waiting.count == 1 {
      makeReady(line, host)
    }
  }

  /// Adds a push that precedes all others of its line and host.
  mutating func prepend(_ push: Push, to line: PushLine, host: String) {
    waitingCount += 1
    hosts[host, default: Host()].waitingCount += 1
    let former = lines[line]?.waiting.first?.host
    lines[line, default: Line()].waiting.prepend((push, host))
    guard lines[line]?.isInFlight == false else { return }
    if let former { hosts[former]?.ready.removeAll { $0 == line } }
    if hosts[host]?.ready.isEmpty == true, !order.contains(host) { order.prepend(host) }
    hosts[host]?.ready.prepend(line)
  }

  /// The next push in turn; `nil` when none may be sent.
  mutating func next(at now: Int64) -> Turn? {
    guard inFlightCount < concurrency else { return nil }
    for _ in 0..<order.count {
      guard let name = order.popFirst(), var host = hosts[name] else { continue }
      guard !host.isHeld, host.inFlightCount < hostLimit, let line = host.ready.popFirst(),
        let entry = lines[line]?.waiting.popFirst()
      else {
        order.append(name)
        continue
      }
      lines[line]?.isInFlight = true
      if host.inFlightCount == 0 { host.lastChange = now }
      host.inFlightCount += 1
      host.waitingCount -= 1
      hosts[name] = host
      if !host.ready.isEmpty { order.append(name) }
      waitingCount -= 1
      inFlightCount += 1
      return Turn(push: entry.push, line: line, host: name)
    }
    return nil
  }

  /// Ends the turn of a push.
  mutating func end(_ turn: Turn, at now: Int64) {
    release(turn, at: now)
    settle(turn.line)
    removeHostIfIdle(turn.host)
  }

  /// Ends the turn of a push that was not sent, and that stays the next one of its line.
  mutating func putBack(_ turn: Turn, at now: Int64) {
    release(turn, at: now)
    waitingCount += 1
    hosts[turn.host]?.waitingCount += 1
    lines[turn.line]?.waiting.prepend((turn.push, turn.host))
    settle(turn.line)
  }

  /// Sends nothing to a host until ``resume(_:)``.
  mutating func hold(_ host: String) { hosts[host]?.isHeld = true }

  mutating func resume(_ host: String) {
    hosts[host]?.isHeld = false
    removeHostIfIdle(host)
  }

  /// Resumes all hosts.
  mutating func resumeAll() {
    for name in Array(hosts.keys) { resume(name) }
  }

  /// Whether a host has all of its requests in progress, or is held, and has answered none for 2 s.
  func isStalled(_ name: String, at now: Int64) -> Bool {
    guard let host = hosts[name], host.isHeld || host.inFlightCount >= hostLimit else {
      return false
    }
    return now - Self.stallTime > host.lastChange
  }

  /// Removes the waiting pushes that satisfy a condition; those in progress end normally.
  mutating func remove(where isRemoved: (Push) -> Bool) -> [Push] {
    var removed: [Push] = []
    for (line, entry) in lines where !entry.waiting.isEmpty {
      var kept: Deque<(push: Push, host: String)> = []
      for item in entry.waiting {
        if isRemoved(item.push) {
          removed.append(item.push)
          hosts[item.host]?.waitingCount -= 1
        } else {
          kept.append(item)
        }
      }
      guard kept.count < entry.waiting.count else { continue }
      if !entry.isInFlight, let host = entry.waiting.first?.host {
        hosts[host]?.ready.removeAll { $0 == line }
      }
      lines[line]?.waiting = kept
      if !entry.isInFlight { settle(line) }
    }
    waitingCount -= removed.count
    order.removeAll { hosts[$0]?.ready.isEmpty ?? true }
    for name in Array(hosts.keys) { removeHostIfIdle(name) }
    return removed
  }

  private mutating func release(_ turn: Turn, at now: Int64) {
    inFlightCount -= 1
    hosts[turn.host]?.inFlightCount -= 1
    hosts[turn.host]?.lastChange = now
    lines[turn.line]?.isInFlight = false
  }

  /// Gives the next push of a line without a request in progress its place, or forgets the line.
  private mutating func settle(_ line: PushLine) {
    if let next = lines[line]?.waiting.first {
      makeReady(line, next.host)
    } else {
      lines[line] = nil
    }
  }

  private mutating func makeReady(_ line: PushLine, _ name: String) {
    if hosts[name]?.ready.isEmpty == true, !order.contains(name) { order.append(name) }
    hosts[name]?.ready.append(line)
  }

  private mutating func removeHostIfIdle(_ name: String) {
    guard let host = hosts[name], host.inFlightCount == 0, host.waitingCount == 0, !host.isHeld
    else { return }
    hosts[name] = nil
  }
}
