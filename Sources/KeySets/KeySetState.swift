import Logging
import ParleyProtocol
import Reactor
import Synchronization

/// The providers, shared by the threads that verify tokens and the thread that fetches.
///
/// Every call locks briefly; outside of a reload nothing is parsed, verified or written
/// under the lock.
final class KeySetState: Sendable {
  private struct State {
    /// In the order of the settings.
    var providers: [KeySetProvider] = []
    var lastID: UInt64 = 0
    var hasHadKeys = false

    func index(of issuer: String) -> Int? {
      providers.firstIndex { $0.source.issuer.name.utf8.elementsEqual(issuer.utf8) }
    }
  }

  let directory: String
  let userAgent: String
  let logger: Logger
  private let state = Mutex(State())

  init(_ configuration: KeySets.Configuration, logger: Logger) {
    directory = configuration.directory
    userAgent = configuration.userAgent
    self.logger = logger
    _ = adopt(configuration.sources, staleSeconds: configuration.staleSeconds)
  }

  private var now: Int64 { SystemClock.monotonicMilliseconds }

  /// Whether no provider has had keys since the start.
  var awaitsFirstSet: Bool { state.withLock { !$0.hasHadKeys && !$0.providers.isEmpty } }

  var figures: [KeySetFigures] {
    let now = now
    return state.withLock { $0.providers.map { $0.figures(at: now) } }
  }

  // MARK: Settings

  /// Replaces the providers, and reads the copies of new ones.
  ///
  /// - Returns: The tokens that wait for providers that are gone.
  func adopt(_ sources: [KeySetSource], staleSeconds: Int64) -> [KeySetProvider.Waiter] {
    let known = state.withLock { Set($0.providers.map { Place($0.source) }) }
    let copies = sources.map { known.contains(Place($0)) ? nil : restored($0) }
    let (now, staleTime) = (now, staleSeconds * 1_000)
    return state.withLock { state in
      var old = Dictionary(
        state.providers.map { (Place($0.source), $0) }, uniquingKeysWith: { first, _ in first })
      state.providers = zip(sources, copies).map { source, copy in
        if var provider = old.removeValue(forKey: Place(source)) {
          provider.adopt(source.issuer)
          provider.schedule.staleTime = staleTime
          return provider
        }
        state.lastID += 1
        var provider = KeySetProvider(source, id: state.lastID, staleTime: staleTime, at: now)
        if let copy {
          provider.restore(copy.fetched, age: copy.age, lifetime: copy.lifetime, at: now)
        }
        return provider
      }
      if state.providers.contains(where: { $0.usableKeys(at: now).keys != nil }) {
        state.hasHadKeys = true
      }
      return old.values.flatMap { provider in
        var provider = provider
        return provider.takeWaiters()
      }
    }
  }

  /// The keys of a provider depend on these.
  private struct Place: Hashable {
    let issuer: String
    let url: String

    init(_ source: KeySetSource) { (issuer, url) = (source.issuer.name, source.url) }
  }

  private func restored(
    _ source: KeySetSource
  ) -> (fetched: FetchedKeySet, age: Int64, lifetime: Int64)? {
    guard let copy = KeySetCopy(of: source, in: directory),
      let fetched = try? FetchedKeySet(copy.document, for: source.issuer)
    else { return nil }
    let age = max(0, SystemClock.unixMilliseconds - copy.fetchedAt)
    return (fetched, age, copy.lifetimeSeconds)
  }

  // MARK: Tokens

  /// The keys of an issuer that may be used; `nil` when it is none of the providers.
  func usableKeys(of issuer: String) -> (keys: IssuerKeys?, revision: Int)? {
    let now = now
    return state.withLock { state in
      state.index(of: issuer).map { state.providers[$0].usableKeys(at: now) }
    }
  }

  /// Decides about a token whose key is unknown; `nil` when its provider is gone.
  func miss(
    _ waiter: KeySetProvider.Waiter, of issuer: String, checkedWith revision: Int, hasKeys: Bool
  ) -> KeySetProvider.Miss? {
    let now = now
    return state.withLock { state in
      guard let index = state.index(of: issuer) else { return nil }
      return state.providers[index].miss(
        waiter, checkedWith: revision, hasKeys: hasKeys, at: now)
    }
  }

  // MARK: Fetches

  /// Starts the fetches whose time has come.
  ///
  /// - Returns: The providers to fetch, and the time of the next fetch.
  func startDue() -> (due: [(id: UInt64, source: KeySetSource)], wakeUp: Int64?) {
    let now = now
    return state.withLock { state in
      var due: [(UInt64, KeySetSource)] = []
      for index in state.providers.indices where state.providers[index].schedule.startIfDue(at: now)
      {
        due.append((state.providers[index].id, state.providers[index].source))
      }
      return (due, state.providers.compactMap(\.wakeUp).min())
    }
  }

  /// The source of a provider; `nil` when it is gone.
  func source(of id: UInt64) -> KeySetSource? {
    state.withLock { $0.providers.first { $0.id == id }?.source }
  }

  /// Notes the outcome of a fetch, logs it, and answers the tokens that waited for it.
  func end(_ id: UInt64, _ result: Result<FetchedKeySet, KeySetFailure>, maxAge: Int64?) {
    let (now, random) = (now, UInt64.random(in: 0 ... .max))
    let ended = state.withLock { state -> (Ended, [KeySetProvider.Waiter], IssuerKeys?, Int64)? in
      guard let index = state.providers.firstIndex(where: { $0.id == id }) else { return nil }
      let before = state.providers[index]
      let waiters = state.providers[index].end(result, maxAge: maxAge, at: now, random: random)
      let after = state.providers[index]
      let keys = after.usableKeys(at: now).keys
      if keys != nil { state.hasHadKeys = true }
      return (
        Ended(before: before, after: after), waiters, keys, after.schedule.retryAfter(at: now)
      )
    }
    guard let (ended, waiters, keys, retryAfter) = ended else { return }
    ended.log(result, logger)
    for waiter in waiters {
      let refusal = KeySetAnswer(keys != nil, waiter.check, retryAfter: retryAfter)
      waiter.completion(waiter.check.answer(keys) ?? refusal)
    }
  }

  /// Answers all tokens that wait.
  func end() {
    let waiters = state.withLock { state in
      state.providers.indices.flatMap { state.providers[$0].takeWaiters() }
    }
    for waiter in waiters { waiter.completion(.noKeys(retryAfter: 1_000)) }
  }
}

/// A provider before and after a fetch.
private struct Ended {
  let before: KeySetProvider
  let after: KeySetProvider

  /// Logs what has changed: every fetch is logged at the level debug only.
  func log(_ result: Result<FetchedKeySet, KeySetFailure>, _ logger: Logger) {
    let issuer = after.source.issuer.name
    switch result {
    case .success(let fetched):
      let metadata: Logger.Metadata = [
        "issuer": "\(issuer)", "keys": "\(fetched.keys.count)",
      ]
      let isNews = before.failure != nil || before.counts[.fetched] == nil
      logger.log(level: isNews ? .notice : .debug, "fetched a key set", metadata: metadata)
      guard after.ignored != before.ignored, let first = after.ignored.first else { return }
      logger.warning(
        "keys of a set are not used",
        metadata: [
          "issuer": "\(issuer)", "count": "\(after.ignored.count)", "first": "\(first.index)",
          "kid": "\(first.keyID ?? "")", "reason": "\(first.reason)",
        ])
    case .failure(let failure):
      let isNews = before.failure != failure.description
      logger.log(
        level: isNews ? .warning : .debug, "a key set cannot be fetched",
        metadata: [
          "issuer": "\(issuer)", "url": "\(after.source.url.prefix { $0 != "?" })",
          "reason": "\(failure)", "attempts": "\(after.schedule.failures)",
        ])
    }
  }
}
