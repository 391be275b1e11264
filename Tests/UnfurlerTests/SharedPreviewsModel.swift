import LinkPreview
import Synchronization

@testable import Unfurler

/// The database of several preview services in memory, and the bus between them.
final class SharedPreviewsModel: Sendable {
  private struct Row {
    var entry: PreviewEntry?
    var publishedAt = Int64.min
    var claimedBy: Int?
    var claimedUntil = Int64.min
  }

  private struct State {
    var rows: [Link: Row] = [:]
    var services: [Int: PreviewService] = [:]
    var isReachable = true
    var losesNotices = false
    var claims: [Link] = []
  }

  private let clock: ManualClock
  private let state = Mutex(State())

  init(_ clock: ManualClock) { self.clock = clock }

  /// The claims that were granted.
  var claims: [Link] { state.withLock { $0.claims } }

  func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }
  func loseNotices() { state.withLock { $0.losesNotices = true } }
  func join(_ service: PreviewService, as number: Int) {
    state.withLock { $0.services[number] = service }
  }

  func member(_ number: Int) -> some SharedPreviews { Member(model: self, number: number) }

  private func send(_ notice: PreviewNotice, from sender: Int) {
    let services = state.withLock { state in
      state.losesNotices ? [] : state.services.filter { $0.key != sender }.map(\.value)
    }
    guard let notice = PreviewNotice(encoded: notice.encoded) else { return }
    for service in services { service.receive(notice) }
  }

  private struct Member: SharedPreviews {
    let model: SharedPreviewsModel
    let number: Int

    func claim(
      _ link: Link, for duration: Duration, since start: Int64?,
      completion: @escaping @Sendable (SharedClaim) -> Void
    ) {
      let now = model.clock.read()
      let claim = model.state.withLock { state -> SharedClaim in
        guard state.isReachable else { return .unavailable }
        var row = state.rows[link] ?? Row()
        if let entry = row.entry {
          let isAwaited = start.map { row.publishedAt >= $0 } ?? false
          if entry.age(at: now) == .fresh || isAwaited { return .known(entry) }
        }
        let stale = row.entry.flatMap { $0.age(at: now) == .stale ? $0 : nil }
        guard row.claimedUntil <= now else {
          return .taken(stale, .init(start: start ?? now, limit: row.claimedUntil - now))
        }
        row.claimedBy = number
        row.claimedUntil = now + Int64(duration / .milliseconds(1))
        state.rows[link] = row
        state.claims.append(link)
        return .granted(stale)
      }
      completion(claim)
    }

    func publish(_ entry: PreviewEntry) {
      guard model.state.withLock({ $0.rows[entry.link]?.claimedBy == number }) else { return }
      replace(entry)
    }

    func replace(_ entry: PreviewEntry) {
      let now = model.clock.read()
      model.state.withLock { $0.rows[entry.link] = Row(entry: entry, publishedAt: now) }
      model.send(.published(entry), from: number)
    }

    func abandon(_ link: Link, pause: Duration) {
      let now = model.clock.read()
      let isOurs = model.state.withLock { state in
        guard state.rows[link]?.claimedBy == number else { return false }
        state.rows[link]?.claimedBy = nil
        state.rows[link]?.claimedUntil = now + Int64(pause / .milliseconds(1))
        return true
      }
      if isOurs { model.send(.abandoned(link), from: number) }
    }

    func entries(
      _ selection: PreviewSelection, after cursor: String?, limit: Int,
      completion: @escaping @Sendable (PreviewPage?) -> Void
    ) {
      let scope = CacheScope(selection)
      let entries = model.state.withLock { state in
        state.isReachable ? state.rows.values.compactMap(\.entry) : nil
      }
      completion(entries.map { PreviewPage($0.filter { scope.covers($0.link) }, [], limit: limit) })
    }

    func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int?) -> Void) {
      let scope = CacheScope(selection)
      let count = model.state.withLock { state -> Int? in
        guard state.isReachable else { return nil }
        let purged = state.rows.filter { scope.covers($0.key) }
        for link in purged.keys { state.rows[link] = nil }
        return purged.count { $0.value.entry != nil }
      }
      if count != nil { model.send(.purged(selection), from: number) }
      completion(count)
    }
  }
}

/// Calls back when a test moves the time.
final class ManualTimer: Sendable {
  private let clock: ManualClock
  private let calls = Mutex<[(time: Int64, body: @Sendable () -> Void)]>([])

  init(_ clock: ManualClock) { self.clock = clock }

  var schedule: PreviewService.Timer {
    { [self] duration, body in
      let time = clock.read() + Int64(duration / .milliseconds(1))
      calls.withLock { $0.append((time, body)) }
    }
  }

  /// Moves the clock, and calls what is due.
  func advance(by milliseconds: Int64) {
    clock.advance(by: milliseconds)
    let now = clock.read()
    let due = calls.withLock { calls in
      defer { calls.removeAll { $0.time <= now } }
      return calls.filter { $0.time <= now }
    }
    for call in due { call.body() }
  }
}
