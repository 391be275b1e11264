import Basics
import Channels
import Configuration
import Crypto
import FloodControl
import HTTP
import Logging
import ParleyProtocol
import Reactor
import Store
import Synchronization
import Telemetry
import Transport

/// Decides by its token whether a call of the Platform API is admitted.
struct PlatformAdmission {
  let shard: Shard
  let connection: Connection

  /// Counts a call.
  ///
  /// - Parameter role: The role that the call needs.
  /// - Throws: 400401 without a valid token or with one that has expired, 400111 with several tokens,
  ///   500910 when the token's rate is exceeded, 400108 when the token's role does not allow the call.
  func admit(_ head: HTTPRequestHead, as role: APITokenRole) throws(ServiceError) {
    let token = try token(of: head)
    noteUse(of: token.digest)
    if let wait = shard.services.tokenRates.admit(token.digest, at: shard.loop.now) {
      throw rateLimited(wait)
    }
    try token.holder.check(for: role)
  }

  /// Checks the head of a call before its body is read.
  ///
  /// Counts and changes nothing.
  ///
  /// - Throws: The refusal that ``admit(_:as:)`` would throw now.
  func check(_ head: HTTPRequestHead, as role: APITokenRole) throws(ServiceError) {
    let token = try token(of: head)
    if let wait = shard.services.tokenRates.wait(for: token.digest, at: shard.loop.now) {
      throw rateLimited(wait)
    }
    try token.holder.check(for: role)
  }

  private func token(of head: HTTPRequestHead) throws(ServiceError) -> RecognizedToken {
    let sent = try head.onlyValue(of: "Api-Token")
    guard let token = shard.services.apiTokens.recognize(sent) else {
      shard.counters.add(to: .requestsWithoutAPIToken)
      shard.refuse(.apiToken, connection, ["reason": sent == nil ? "missing" : "wrong"])
      throw ServiceError(.invalidAPIToken, "the header Api-Token is missing or wrong")
    }
    guard let expiry = token.holder.expiresAt, expiry <= shard.services.clock.now else {
      return token
    }
    shard.counters.add(to: .requestsWithoutAPIToken)
    shard.refuse(.apiToken, connection, ["reason": "expired", "api_token": "\(token.holder.id)"])
    // The caller has the secret, so it learns nothing that it should not know.
    throw ServiceError(
      .invalidAPIToken,
      "the API token \(token.holder.name) expired at \(UTCTime.format(expiry)): issue another one")
  }

  private func rateLimited(_ wait: Int64) -> ServiceError {
    let rate = shard.settings.limits.platformCalls
    return .rateLimited(
      retryAfter: wait, limit: rate.callsPerSecond, window: 1000, scope: "api_token")
  }

  private func noteUse(of token: TokenDigest) {
    let services = shard.services
    let now = services.clock.now
    guard services.apiTokens.issued.isDue(token, at: now) else { return }
    // A failure to record the use is no reason to refuse the call.
    services.store.perform(APITokenUse(hash: token.bytes, at: now)) { _ in }
  }
}

extension APITokenHolder {
  /// Checks that the role of the token allows a call.
  ///
  /// - Throws: 400108.
  func check(for needed: APITokenRole) throws(ServiceError) {
    guard !role.includes(needed) else { return }
    throw .notAllowed(
      "the API token has the role \(role.rawValue), and this call needs the role "
        + needed.rawValue)
  }
}

/// Counts the calls made with each token of the Platform API, on all shards of this server together.
///
/// Only valid tokens are counted, and a revoked token is removed, so there are hardly more entries than
/// valid tokens.
final class TokenRates: Sendable {
  private struct State {
    var rate: CallRate
    var buckets: [[UInt8]: TokenBucket] = [:]
  }

  private let state: Mutex<State>

  init(_ rate: CallRate) {
    state = Mutex(State(rate: rate))
  }

  /// Adopts a new rate.
  ///
  /// Calls that were already made still count.
  func adopt(_ rate: CallRate) { state.withLock { $0.rate = rate } }

  /// Counts a call, or returns the number of milliseconds until the next call is allowed.
  ///
  /// - Parameter now: Milliseconds of the steady clock.
  func admit(_ token: TokenDigest, at now: Int64) -> Int64? {
    state.withLock { state in
      state.buckets[token.bytes, default: TokenBucket()].take(at: now, rate: state.rate)
    }
  }

  /// Charges the cost of a query beyond that of its call.
  func charge(_ token: TokenDigest, _ cost: QueryCost, at now: Int64) {
    let calls = CallBudget.extraCalls(forReaderNanoseconds: cost.nanoseconds)
    state.withLock { $0.buckets[token.bytes]?.charge(calls, at: now, rate: $0.rate) }
  }

  /// Returns the number of milliseconds until the next call is allowed; `nil` when it is allowed now.
  func wait(for token: TokenDigest, at now: Int64) -> Int64? {
    state.withLock { state in
      var bucket = state.buckets[token.bytes] ?? TokenBucket()
      return bucket.take(at: now, rate: state.rate)
    }
  }

  /// Removes the count of a revoked token.
  func forget(_ token: TokenDigest) {
    state.withLock { $0.buckets[token.bytes] = nil }
  }
}
