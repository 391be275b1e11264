import Crypto
package import Curl
package import Logging
package import ParleyProtocol
import Reactor
import Synchronization

/// Asks the app's back end about calls, on a thread of its own; usable from any thread.
package final class Hooks: Sendable {
  private struct State: Sendable {
    var configuration: HookConfiguration
    var permissions = SessionPermissions()
  }

  private let state: Mutex<State>
  private let thread: CurlThread<HookLoop.Request>
  private let record: HookRecord
  private let observe: @Sendable (UInt64) -> Void
  /// The hooks that are asked about.
  package let names: Set<HookName>

  /// - Parameter observe: Receives the nanoseconds that each asking has taken.
  /// - Throws: ``CurlError`` if the thread cannot be started.
  package init(
    _ configuration: HookConfiguration, logger: Logger,
    observe: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) throws(CurlError) {
    let names = Set(configuration.urls.keys)
    let record = HookRecord(names)
    self.names = names
    self.record = record
    self.observe = observe
    state = Mutex(State(configuration: configuration))
    thread = try CurlThread(
      name: "hooks", priority: .normal, maximumConnections: configuration.concurrency
    ) { HookLoop($0, configuration, record, logger: logger) }
  }

  package func asks(_ hook: HookName) -> Bool { names.contains(hook) }

  package var figures: HookRecord.Figures { record.current }

  /// The URL of a hook, and its policy.
  package func target(of hook: HookName) -> (url: String, policy: HookPolicy) {
    state.withLock { ($0.configuration.urls[hook] ?? "", $0.configuration.policy(hook)) }
  }

  /// Adopts settings; the URLs stay as they are.
  package func adopt(_ new: HookConfiguration) {
    state.withLock {
      var new = new
      new.urls = $0.configuration.urls
      $0.configuration = new
      $0.permissions.removeAll()
      _ = thread.post(.adopt(new))
    }
  }

  /// Asks about a call.
  ///
  /// The outcome is counted, except for that of changes: see ``HookVerdict/applied(to:changing:)``.
  ///
  /// - Parameter completion: Called once, on any thread.
  package func ask(_ request: HookRequest, _ completion: @escaping @Sendable (HookVerdict) -> Void)
  {
    send(request) { [self] answer in
      completion(verdict(answer, of: request.hook))
    }
  }

  /// Asks about the opening of a session, unless permission is kept for its user and token.
  package func askOpening(
    _ request: HookRequest, userID: String, token: String,
    _ completion: @escaping @Sendable (HookVerdict) -> Void
  ) {
    let key = SessionPermissions.Key(userID: userID, token: token)
    let now = SystemClock.monotonicMilliseconds
    if let kept = state.withLock({ $0.permissions.find(key, at: now) }) {
      return completion(verdict(.success(.allowed(kept.changes)), of: request.hook))
    }
    send(request) { [self] answer in
      if case .success(.allowed(let changes))? = answer { keep(changes, key) }
      completion(verdict(answer, of: request.hook))
    }
  }

  /// Counts the outcome of changes.
  package func note(_ outcome: HookOutcome, of hook: HookName) {
    if outcome == .failed { record.note(HookProblem("the changes are invalid"), of: hook) }
    record.count(outcome, of: hook)
  }

  /// Sends a test request to the URL of each hook.
  ///
  /// - Parameter completion: Receives the results in the order of the names; called once, on any thread.
  package func test(_ completion: @escaping @Sendable ([HookTestResult]) -> Void) {
    let names = names.sorted()
    guard !names.isEmpty else { return completion([]) }
    let shared = SharedResults(expected: names.count)
    for hook in names {
      let startedAt = SystemClock.monotonicMilliseconds
      send(HookRequest(hook, user: nil, params: Array("{\"test\":true}".utf8))) { [self] answer in
        let result = HookTestResult(
          hook: hook, url: target(of: hook).url,
          milliseconds: SystemClock.monotonicMilliseconds - startedAt, answer: answer)
        if let all = shared.add(result) { completion(names.compactMap { all[$0] }) }
      }
    }
  }

  /// Ends all requests and waits for the thread to end; later calls are skipped.
  package func shutdown() { thread.stop() }

  private func send(
    _ request: HookRequest,
    _ completion: @escaping @Sendable (Result<HookAnswer, HookProblem>?) -> Void
  ) {
    let id = request.id
    let startedAt = SystemClock.monotonicNanoseconds
    let question = HookLoop.Question(
      hook: request.hook, id: id, body: request.encoded(id: id, at: SystemClock.unixMilliseconds),
      arrival: startedAt / 1_000_000
    ) { [observe] answer in
      if answer != nil {
        observe(UInt64(max(0, SystemClock.monotonicNanoseconds - startedAt)))
      }
      completion(answer)
    }
    if !thread.post(.ask(question)) { completion(nil) }
  }

  private func verdict(
    _ answer: Result<HookAnswer, HookProblem>?, of hook: HookName
  ) -> HookVerdict {
    switch answer {
    case .success(.allowed(nil)):
      record.count(.allowed, of: hook)
      return .allowed
    case .success(.allowed(let changes?)): return .changed(changes, otherwise: refusal(hook))
    case .success(.denied(let error)):
      record.count(.denied, of: hook)
      return .denied(error)
    case .failure:
      record.count(.failed, of: hook)
      return .failed(refusal(hook))
    case nil:
      record.count(.skipped, of: hook)
      return .failed(refusal(hook))
    }
  }

  /// The refusal of a call without a valid answer; `nil` if it is carried out.
  private func refusal(_ hook: HookName) -> ServiceError? {
    switch state.withLock({ $0.configuration.policy(hook) }) {
    case .allow: nil
    case .deny: .hookFailed(hook, retryAfter: .random(in: 1_000...5_000))
    }
  }

  private func keep(_ changes: HookChanges?, _ key: SessionPermissions.Key) {
    let now = SystemClock.monotonicMilliseconds
    state.withLock {
      let seconds = $0.configuration.sessionCacheSeconds
      guard seconds > 0 else { return }
      $0.permissions.keep(changes, key, until: now + seconds * 1_000)
    }
  }
}

extension HookRequest {
  /// An id that a repetition of the call at another server has too.
  fileprivate var id: String {
    guard let identity else { return SecureRandom.hex(byteCount: 16) }
    return String(TokenDigest(of: hook.rawValue + "\n" + identity).hex.prefix(32))
  }
}
