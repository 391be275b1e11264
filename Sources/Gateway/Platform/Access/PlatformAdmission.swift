import Crypto
import Logging
import Telemetry
import Reactor
import FloodControl
import Store
import Configuration
import HTTP1
import ParleyProtocol
import Transport

/// Decides whether a call of the Platform API may pass, by its token.
struct PlatformAdmission {
  let shard: Shard
  let connection: Connection

  /// Counts a call.
  ///
  /// - Throws: 400401 without a token that may pass, 500910 when it was used too often.
  func admit(_ head: HTTPRequestHead) throws(ServiceError) {
    let token = try token(of: head)
    noteUse(of: token)
    if let wait = shard.services.tokenRates.admit(token, at: shard.loop.now) {
      throw rateLimited(wait)
    }
  }

  /// Checks the head of a call before its body is taken; counts and changes nothing.
  ///
  /// - Throws: The refusal that ``admit(_:)`` would throw now.
  func check(_ head: HTTPRequestHead) throws(ServiceError) {
    let token = try token(of: head)
    if let wait = shard.services.tokenRates.wait(for: token, at: shard.loop.now) {
      throw rateLimited(wait)
    }
  }

  private func token(of head: HTTPRequestHead) throws(ServiceError) -> TokenDigest {
    let sent = head.fields["Api-Token"]
    if let token = shard.services.apiTokens.admit(sent) { return token }
    shard.counters.add(to: .requestsWithoutAPIToken)
    shard.refuse(.apiToken, connection, ["reason": sent == nil ? "missing" : "wrong"])
    throw ServiceError(.invalidAPIToken, "the header Api-Token is missing or wrong")
  }

  private func rateLimited(_ wait: Int64) -> ServiceError {
    let rate = shard.services.settings.limits.platformCalls
    return .rateLimited(
      retryAfter: wait, limit: rate.callsPerSecond, window: 1000, scope: "api_token")
  }

  private func noteUse(of token: TokenDigest) {
    let services = shard.services
    let now = services.clock.now
    guard services.apiTokens.issued.isDue(token, at: now) else { return }
    // A use that can't be written down is no reason to refuse the call.
    services.store.perform(APITokenUse(hash: token.bytes, at: now)) { _ in }
  }
}
