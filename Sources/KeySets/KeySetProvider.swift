import Crypto
import ParleyProtocol

/// The state of one provider: its keys, the times of its fetches, and the tokens that wait for one.
struct KeySetProvider {
  /// A token whose key may be in the set that is being fetched.
  struct Waiter: Sendable {
    let check: KeySets.Check
    let completion: @Sendable (KeySetAnswer) -> Void
  }

  /// A step of the work of another thread.
  enum Miss {
    /// The keys have changed since the token was checked with them.
    case checkAgain(IssuerKeys)
    case wait
    /// As ``wait``, after a fetch was started for the provider with this id.
    case fetch(UInt64)
    case answer(KeySetAnswer)
  }

  /// The maximum number of tokens that wait; each takes up to 20 KiB.
  static let waiterLimit = 1_000

  /// Differs for each provider and each of its URLs.
  let id: UInt64
  private(set) var source: KeySetSource
  var schedule: KeySetSchedule
  private(set) var counts: [KeySetOutcome: Int] = [:]
  /// The reason for the last failure; `nil` after a success.
  private(set) var failure: String?
  private(set) var ignored: [KeySet.Ignored] = []
  private var keys: IssuerKeys?
  private var set: KeySet?
  /// Counts the changes of the keys.
  private var revision = 0
  private var waiters: [Waiter] = []

  init(_ source: KeySetSource, id: UInt64, staleTime: Int64, at now: Int64) {
    self.id = id
    self.source = source
    schedule = KeySetSchedule(staleTime: staleTime, at: now)
  }

  /// The keys that may be used, with their revision.
  func usableKeys(at now: Int64) -> (keys: IssuerKeys?, revision: Int) {
    (schedule.hasKeys(at: now) ? keys : nil, revision)
  }

  /// The time of the next fetch.
  var wakeUp: Int64? { schedule.wakeUp }

  /// Adopts the keys of an earlier process.
  mutating func restore(_ fetched: FetchedKeySet, age: Int64, lifetime: Int64, at now: Int64) {
    guard schedule.restore(fetchedAt: now - age, lifetime: lifetime, at: now) else { return }
    take(fetched)
  }

  /// Adopts changed requirements of the same provider.
  mutating func adopt(_ issuer: TokenIssuer) {
    guard issuer != source.issuer else { return }
    source.issuer = issuer
    if let set { makeKeys(of: set) }
  }

  private mutating func makeKeys(of set: KeySet) {
    revision += 1
    let made = try? IssuerKeys.make(set, for: source.issuer)
    (keys, ignored) = (made?.keys, made?.ignored ?? set.ignored)
  }

  /// Decides about a token whose key is unknown.
  mutating func miss(
    _ waiter: Waiter, checkedWith revision: Int, hasKeys: Bool, at now: Int64
  ) -> Miss {
    if revision != self.revision, let keys = usableKeys(at: now).keys { return .checkAgain(keys) }
    let refusal = KeySetAnswer(hasKeys, waiter.check, retryAfter: schedule.retryAfter(at: now))
    guard waiters.count < Self.waiterLimit else { return .answer(refusal) }
    switch schedule.miss(at: now) {
    case .refuse: return .answer(refusal)
    case .wait:
      waiters.append(waiter)
      return .wait
    case .fetch:
      waiters.append(waiter)
      return .fetch(id)
    }
  }

  /// Notes the outcome of a fetch.
  ///
  /// - Returns: The tokens that waited for it.
  mutating func end(
    _ result: Result<FetchedKeySet, KeySetFailure>, maxAge: Int64?, at now: Int64, random: UInt64
  ) -> [Waiter] {
    switch result {
    case .success(let fetched):
      schedule.succeed(at: now, maxAge: maxAge)
      counts[.fetched, default: 0] += 1
      failure = nil
      take(fetched)
    case .failure(let failure):
      schedule.fail(at: now, random: random)
      counts[failure.outcome, default: 0] += 1
      self.failure = failure.description
    }
    return takeWaiters()
  }

  mutating func takeWaiters() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }

  private mutating func take(_ fetched: FetchedKeySet) {
    set = fetched.set
    guard fetched.keys.issuer == source.issuer else { return makeKeys(of: fetched.set) }
    revision += 1
    (keys, ignored) = (fetched.keys, fetched.ignored)
  }

  func figures(at now: Int64) -> KeySetFigures {
    KeySetFigures(
      issuer: source.issuer.name, counts: counts, keyCount: usableKeys(at: now).keys?.count ?? 0,
      age: schedule.age(at: now), overdue: schedule.overdue(at: now))
  }
}

/// The numbers of one provider, for metrics.
package struct KeySetFigures: Sendable, Hashable {
  package let issuer: String
  /// The fetches by outcome.
  package let counts: [KeySetOutcome: Int]
  /// The keys in use.
  package let keyCount: Int
  /// The milliseconds since the last successful fetch; `nil` without any.
  package let age: Int64?
  /// The milliseconds since the set should have been fetched.
  package let overdue: Int64
}
