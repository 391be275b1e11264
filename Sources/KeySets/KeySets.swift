package import Curl
package import Logging
package import ParleyProtocol
import Reactor
import Synchronization

/// Verifies tokens with the published keys of providers, which are fetched on a thread of their own.
///
/// Usable from any thread. Tokens are verified on the caller's thread, and only a token whose key is
/// unknown waits.
package final class KeySets: Sendable {
  package struct Configuration: Sendable {
    package var sources: [KeySetSource]
    package var staleSeconds: Int64
    /// The directory of copies for restarts.
    package var directory: String
    package var userAgent: String

    package init(
      _ sources: [KeySetSource], staleSeconds: Int64, directory: String, userAgent: String
    ) {
      self.sources = sources
      self.staleSeconds = staleSeconds
      self.directory = directory
      self.userAgent = userAgent
    }
  }

  /// A token to verify.
  package struct Check: Sendable {
    let token: CompactToken
    let user: String
    /// Unix time in seconds.
    let now: @Sendable () -> Int64

    package init(_ token: CompactToken, user: String, now: @escaping @Sendable () -> Int64) {
      self.token = token
      self.user = user
      self.now = now
    }

    /// `nil` when the key is unknown: a newer set may contain it.
    func answer(_ keys: IssuerKeys?) -> KeySetAnswer? {
      guard let keys else { return nil }
      do throws(TokenError) {
        return .accepted(try keys.verify(token, user: user, now: now()))
      } catch {
        if case .unknownKey = error { return nil }
        return .refused(error)
      }
    }

    /// The error of a token whose key is in no set.
    var unknownKey: TokenError { .unknownKey(try? token.keyID()) }
  }

  private let state: KeySetState
  private let thread: CurlThread<KeySetLoop.Request>

  /// Reads the copies of an earlier process, and starts the thread, which fetches the sets.
  ///
  /// - Throws: ``CurlError`` if the thread cannot be started.
  package init(_ configuration: Configuration, logger: Logger) throws(CurlError) {
    let state = KeySetState(configuration, logger: logger)
    self.state = state
    thread = try CurlThread(
      name: "key-sets", priority: .background, maximumConnections: KeySetSource.limit
    ) { KeySetLoop($0, state) }
  }

  /// Adopts other providers.
  ///
  /// The keys of a provider with the same issuer and URL stay in use.
  package func adopt(_ sources: [KeySetSource], staleSeconds: Int64) {
    for waiter in state.adopt(sources, staleSeconds: staleSeconds) {
      waiter.completion(.refused(waiter.check.unknownKey))
    }
    _ = thread.post(.look)
  }

  /// Verifies a token whose issuer is one of the providers.
  ///
  /// - Parameter completion: Called once, on any thread, possibly before this returns; within the time
  ///   limit of a fetch.
  /// - Returns: Whether the issuer is one of the providers; if not, the completion is not called.
  package func verify(
    _ check: Check, completion: @escaping @Sendable (KeySetAnswer) -> Void
  ) -> Bool {
    guard let issuer = check.token.claimedIssuer,
      let (keys, revision) = state.usableKeys(of: issuer)
    else { return false }
    if let answer = check.answer(keys) {
      completion(answer)
      return true
    }
    let waiter = KeySetProvider.Waiter(check: check, completion: completion)
    switch state.miss(waiter, of: issuer, checkedWith: revision, hasKeys: keys != nil) {
    case nil: completion(.refused(check.unknownKey))
    case .checkAgain(let keys)?:
      completion(check.answer(keys) ?? .refused(check.unknownKey))
    case .wait?: break
    case .fetch(let id)?:
      // A stopped thread has answered those that waited.
      if !thread.post(.fetch(id)) { state.end() }
    case .answer(let answer)?: completion(answer)
    }
    return true
  }

  /// Whether no provider has had keys since the start.
  package var awaitsFirstSet: Bool { state.awaitsFirstSet }

  /// The numbers of the providers, in the order of the settings.
  package var figures: [KeySetFigures] { state.figures }

  /// Stops fetching, refuses the tokens that wait, and waits for the thread to end.
  package func shutDown() { thread.stop() }
}

/// The outcome of verifying a token with the keys of its issuer.
package enum KeySetAnswer: Sendable, Equatable {
  case accepted(Claims)
  case refused(TokenError)
  /// There are no keys at the moment; the client may try again after this many milliseconds.
  case noKeys(retryAfter: Int64)

  /// The answer for a token whose key is unknown, or for any token when there are no keys.
  init(_ hasKeys: Bool, _ check: KeySets.Check, retryAfter: Int64) {
    self = hasKeys ? .refused(check.unknownKey) : .noKeys(retryAfter: retryAfter)
  }
}
